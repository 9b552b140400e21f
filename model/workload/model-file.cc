/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of model-description.h that reads files.

#include "hugging-face-config.h"
#include "model-description.h"
#include "model-reach-file.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"
#include "ns3/preset-folder.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3
{

namespace
{

/// What names of files end in.
const std::string JSON = ".json";

/// Sizes above are slips of the keyboard.
constexpr uint64_t MAX_SIZE = 100000000;

/// Layers or heads above are likewise.
constexpr uint64_t MAX_COUNT = 100000;

/// Keys of a model.
const std::vector<std::string> MODEL_KEYS{"name",
                                          "source",
                                          "layers",
                                          "hidden",
                                          "heads",
                                          "kvHeads",
                                          "headSize",
                                          "ffn",
                                          "vocabulary",
                                          "sequence",
                                          "gated",
                                          "tiedEmbedding",
                                          "learnedPositions",
                                          "bias",
                                          "queryKeyNorm",
                                          "outputGate",
                                          "dropout",
                                          "experts",
                                          "mla",
                                          "mtpLayers",
                                          "attention"};

/// Keys of its experts.
const std::vector<std::string> EXPERT_KEYS{"count",
                                           "topK",
                                           "ffn",
                                           "shared",
                                           "sharedFfn",
                                           "denseLayers",
                                           "everyNth",
                                           "groups",
                                           "groupLimit",
                                           "bias",
                                           "latent",
                                           "dispatchBytes"};

/// Keys of its latent attention.
const std::vector<std::string> MLA_KEYS{"queryRank", "kvRank", "nopeSize", "ropeSize", "valueSize"};

/**
 * @param section an object
 * @param key a key of it
 * @param otherwise value if it is not there
 * @return its value
 */
bool
GetFlag(const JsonSection& section, const std::string& key, bool otherwise)
{
    return section.Has(key) ? section.Get(key, "boolean").get<bool>() : otherwise;
}

/**
 * @param section the model
 * @param hidden size of a token's activation
 * @return its experts
 */
ModelExperts
ReadExperts(const JsonSection& section, uint32_t hidden)
{
    const auto object = section.GetObject("experts", EXPERT_KEYS);
    ModelExperts experts;
    experts.count = object.GetWhole("count", 2, MAX_COUNT);
    experts.topK = object.GetWhole("topK", 1, experts.count);
    experts.ffn = object.GetWhole("ffn", 1, MAX_SIZE);
    // Bounded so that the product below stays in 32 bits.
    const auto shared = object.GetWholeOr("shared", 0, 0, MAX_SIZE / experts.ffn);
    experts.sharedFfn =
        shared * object.GetWholeOr("sharedFfn", experts.ffn, 1, MAX_SIZE / std::max(shared, 1U));
    if (shared == 0 && object.Has("sharedFfn"))
    {
        throw WorkloadError(object.Locate("sharedFfn"), "the key shared beside it", "none");
    }
    experts.denseLayers = object.GetWholeOr("denseLayers", 0, 0, MAX_COUNT);
    // 1: every layer behind the dense ones has experts.
    experts.every = object.GetWholeOr("everyNth", 1, 1, MAX_COUNT);
    experts.groups = object.GetWholeOr("groups", 1, 1, experts.count);
    experts.groupLimit = object.GetWholeOr("groupLimit", 0, 1, experts.groups);
    if (experts.count % experts.groups != 0)
    {
        throw WorkloadError(object.Locate("groups"),
                            "a number that divides the " + std::to_string(experts.count) +
                                " experts",
                            std::to_string(experts.groups));
    }
    experts.bias = GetFlag(object, "bias", false);
    experts.latent = object.GetWholeOr("latent", 0, 1, hidden);
    if (object.Has("dispatchBytes"))
    {
        experts.dispatchBytes =
            ParseNonNegative(object.GetNumber("dispatchBytes"), "bytes of an element");
    }
    return experts;
}

/**
 * @param section the model
 * @return its latent attention
 */
ModelLatentAttention
ReadLatentAttention(const JsonSection& section)
{
    const auto object = section.GetObject("mla", MLA_KEYS);
    ModelLatentAttention mla;
    mla.queryRank = object.GetWholeOr("queryRank", 0, 0, MAX_SIZE);
    mla.kvRank = object.GetWhole("kvRank", 1, MAX_SIZE);
    mla.nopeSize = object.GetWhole("nopeSize", 1, MAX_SIZE);
    mla.ropeSize = object.GetWhole("ropeSize", 1, MAX_SIZE);
    mla.valueSize = object.GetWhole("valueSize", 1, MAX_SIZE);
    return mla;
}

/**
 * @param section a model
 * @param model what has been read of it
 * @throws WorkloadError if its heads do not fit each other or the hidden size
 */
void
CheckHeads(const JsonSection& section, const ModelDescription& model)
{
    if (model.heads % model.kvHeads != 0)
    {
        throw WorkloadError(section.Locate("kvHeads"),
                            "a number that divides the " + std::to_string(model.heads) + " heads",
                            std::to_string(model.kvHeads));
    }
    if (!section.Has("headSize") && !model.mla && model.hidden % model.heads != 0)
    {
        throw WorkloadError(section.Locate("heads"),
                            "the key headSize, as the heads do not divide hidden",
                            "none");
    }
}

/**
 * @param json content of a file
 * @param file its path
 * @return the model
 */
ModelDescription
ReadOwnModel(const nlohmann::ordered_json& json, const std::string& file)
{
    const JsonSection section(json, {file, 0, 0, ""}, MODEL_KEYS);
    ModelDescription model;
    model.file = file;
    model.name = section.Has("name") ? section.GetText("name").text
                                     : std::filesystem::path(file).stem().string();
    model.layers = section.GetWhole("layers", 1, MAX_COUNT);
    model.hidden = section.GetWhole("hidden", 1, MAX_SIZE);
    model.heads = section.GetWhole("heads", 1, MAX_COUNT);
    model.kvHeads = section.GetWholeOr("kvHeads", model.heads, 1, model.heads);
    model.vocabulary = section.GetWhole("vocabulary", 1, MAX_SIZE);
    model.sequence = section.GetWhole("sequence", 1, MAX_SIZE);
    model.gated = GetFlag(section, "gated", true);
    model.tiedEmbedding = GetFlag(section, "tiedEmbedding", false);
    model.learnedPositions = GetFlag(section, "learnedPositions", false);
    model.bias = GetFlag(section, "bias", false);
    model.queryKeyNorm = GetFlag(section, "queryKeyNorm", false);
    model.outputGate = GetFlag(section, "outputGate", false);
    model.dropout = GetFlag(section, "dropout", false);
    model.mtpLayers = section.GetWholeOr("mtpLayers", 0, 0, MAX_COUNT);
    if (section.Has("experts"))
    {
        model.experts = ReadExperts(section, model.hidden);
    }
    if (section.Has("attention"))
    {
        model.reach = ReadModelReach(section, model.layers, model.hidden);
    }
    if (section.Has("ffn") || HasDenseLayer(model))
    {
        model.ffn = section.GetWhole("ffn", 1, MAX_SIZE);
    }
    if (section.Has("mla"))
    {
        model.mla = ReadLatentAttention(section);
    }
    CheckHeads(section, model);
    model.headSize =
        // Latent attention has sizes of its own in place of headSize.
        model.mla ? 0 : section.GetWholeOr("headSize", model.hidden / model.heads, 1, MAX_SIZE);
    return model;
}

/**
 * @param file path of a file
 * @return the model
 */
ModelDescription
ReadModelFile(const std::string& file)
{
    const auto json =
        ParseJson(WorkloadText(file, {ForeignFile::HUGGING_FACE, ForeignFile::OWN_MODEL}),
                  JsonDialect::PYTHON);
    return IsHuggingFaceConfig(json) ? ReadHuggingFaceConfig(json, file) : ReadOwnModel(json, file);
}

} // namespace

const std::string&
GetModelFolder()
{
    static const std::string folder = GetPresetFolder(WORKLOAD_REPLAY_MODELS);
    return folder;
}

std::vector<std::string>
GetModelPresets()
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(GetModelFolder(), error))
    {
        if (entry.path().extension() == JSON)
        {
            names.push_back(entry.path().stem().string());
        }
    }
    // Directories have no order.
    std::sort(names.begin(), names.end());
    return names;
}

ModelDescription
ReadModelDescription(const TextField& model)
{
    const auto& name = model.text;
    if (name.size() > JSON.size() && name.substr(name.size() - JSON.size()) == JSON)
    {
        return ReadModelFile(name);
    }
    const auto names = GetModelPresets();
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        // Hugging Face has a directory for each model. A file may have any name but a preset's.
        const std::filesystem::path path(name);
        for (const auto& file : {path / "config.json", path})
        {
            std::error_code error;
            if (std::filesystem::is_regular_file(file, error))
            {
                return ReadModelFile(file.string());
            }
        }
        throw WorkloadError(model.where,
                            names.empty()
                                ? "a file (there are no presets in " + GetModelFolder() + ")"
                                : JoinWords(names) + ", a file, or a folder with a config.json",
                            Quoted(name),
                            NearestName(name, names));
    }
    auto preset = ReadModelFile(GetModelFolder() + "/" + name + JSON);
    // Reports name the preset, not the path of its file.
    preset.file = name;
    return preset;
}

} // namespace ns3
