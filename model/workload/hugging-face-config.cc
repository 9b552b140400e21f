/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hugging-face-config.h"

#include "hugging-face-family.h"
#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace ns3
{

namespace
{

/// A value of the file.
using ConfigJson = nlohmann::ordered_json;

/// Names under which a size is known.
using ConfigKeys = HuggingFaceKeys::Names;

/// Largest size, and number of layers or heads.
/// @{
constexpr auto MOST_ELEMENTS = HuggingFaceKeys::MOST_ELEMENTS;
constexpr auto MOST_PARTS = HuggingFaceKeys::MOST_PARTS;
/// @}

/// Tokens of a sequence that are taken where the file only says how many are possible.
constexpr uint32_t USUAL_SEQUENCE = 8192;

/// Names of sizes.
/// @{
const ConfigKeys LAYERS{"num_hidden_layers", "n_layer", "n_layers", "num_layers"};
const ConfigKeys HIDDEN{"hidden_size", "n_embd", "n_embed", "d_model"};
const ConfigKeys HEADS{"num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"};
const ConfigKeys KV_HEADS{"num_key_value_heads",
                          "num_kv_heads",
                          "n_head_kv",
                          "kv_n_heads",
                          "multi_query_group_num",
                          "num_attention_groups"};
const ConfigKeys HEAD_SIZE{"head_dim", "attention_head_dim", "kv_channels"};
const ConfigKeys POSITIONS{"max_position_embeddings",
                           "n_positions",
                           "n_ctx",
                           "seq_length",
                           "max_seq_len",
                           "max_sequence_length",
                           "model_max_length"};
const ConfigKeys FURTHER{"num_nextn_predict_layers", "mtp_num_hidden_layers"};
/// @}

/// Tokens of a sequence in pre-training, a key beside those of rotary positions.
const char* const ORIGINAL = "original_max_position_embeddings";

/**
 * @ingroup workload-replay
 * @brief Reads the sizes of a model.
 */
class HuggingFaceReader
{
  public:
    /**
     * @param json the object with the sizes
     * @param where its place
     * @param type its model_type
     */
    HuggingFaceReader(const ConfigJson& json, const SourceLocation& where, std::string type)
        : m_keys(json, where),
          m_type(std::move(type))
    {
        m_family = FindHuggingFaceFamily(m_type);
    }

    /**
     * @param file path of the file
     * @return the model
     */
    ModelDescription Read(const std::string& file)
    {
        CheckHuggingFaceLayers(m_keys, m_type);
        m_model.file = file;
        ReadSizes();
        if (IsMambaAlone(m_type))
        {
            m_model.headSize = m_model.hidden;
        }
        else
        {
            ReadHeads();
        }
        m_model.experts = ReadHuggingFaceExperts(m_keys, m_type, m_model);
        m_model.reach = ReadHuggingFaceReach(m_keys, m_type, m_model);
        if (HasSeveralMixers(m_type))
        {
            ReadHybridLayers();
        }
        ReadHuggingFaceFeedForward(m_keys, m_type, m_model);
        ReadHuggingFaceEmbeddings(m_keys, m_model);
        ReadSequence();
        for (auto& note : ListHuggingFaceLimits(m_keys, m_type, m_model.gated))
        {
            m_model.notes.push_back(std::move(note));
        }
        return m_model;
    }

  private:
    /// Read what all models have.
    void ReadSizes()
    {
        // A layer of LongCat is two of others, as num_hidden_layers counts if it is there, too.
        const auto pairs =
            IsLongCat(m_type) ? m_keys.FindWhole({"num_layers"}, 1, MOST_PARTS) : std::nullopt;
        m_model.layers = pairs ? 2 * *pairs : m_keys.GetWhole(LAYERS, MOST_PARTS);
        m_model.hidden = m_keys.GetWhole(HIDDEN, MOST_ELEMENTS);
        m_model.heads = IsMambaAlone(m_type) ? 1 : m_keys.GetWhole(HEADS, MOST_PARTS);
        m_model.kvHeads = m_model.heads;
        m_model.vocabulary = m_keys.FindWhole({"padded_vocab_size"}, 1, MOST_ELEMENTS)
                                 .value_or(m_keys.GetWhole({"vocab_size"}, MOST_ELEMENTS));
        m_model.tiedEmbedding =
            m_keys.GetFlag("tie_word_embeddings", m_keys.GetFlag("tie_embedding", m_family.tied));
        m_model.gated = m_family.gated && !HasPlainActivation();
        m_model.bias = m_family.bias && !m_keys.GetFlag("no_bias", false);
        m_model.learnedPositions = m_family.learnedPositions;
        const auto narrow = m_keys.FindWhole({"word_embed_proj_dim"}, 1, MOST_ELEMENTS);
        m_model.embeddingSize = narrow.value_or(m_model.hidden) == m_model.hidden ? 0 : *narrow;
        m_model.queryKeyNorm = m_family.queryKeyNorm || m_keys.GetFlag("use_qk_norm", false);
        m_model.outputGate = m_type == "qwen3_next" || m_keys.GetFlag("attn_output_gate", false) ||
                             m_keys.GetFlag("attention_output_gate", false);
        for (const auto* key : {"attention_dropout", "attn_pdrop", "hidden_dropout", "resid_pdrop"})
        {
            const auto found = m_keys.Find({key});
            m_model.dropout |= !found.empty() && m_keys.GetValue(key).is_number() &&
                               m_keys.GetValue(key).get<double>() > 0;
        }
        m_model.mtpLayers =
            m_keys.FindWhole(FURTHER, 0, MOST_PARTS)
                .value_or(m_keys.GetFlag("use_mtp", false)
                              ? m_keys.FindWhole({"num_mtp_modules"}, 0, MOST_PARTS).value_or(0)
                              : 0);
    }

    /// @return whether activations of feed-forward layers are such as have no gate
    bool HasPlainActivation() const
    {
        const auto key = m_keys.Find({"hidden_act", "hidden_activation"});
        // Layers of BitNet have a gate all the same (transformers, models/bitnet).
        return !key.empty() && m_type != "bitnet" &&
               (m_keys.GetValue(key) == "relu2" || m_keys.GetValue(key) == "xielu");
    }

    /// Read heads, or latent attention.
    void ReadHeads()
    {
        const auto heads = m_model.heads;
        const bool isOne = m_keys.GetFlag("multi_query", false) &&
                           !m_keys.GetFlag("new_decoder_architecture", false);
        m_model.kvHeads = isOne ? 1 : m_keys.FindWhole(KV_HEADS, 1, heads).value_or(heads);
        if (heads % m_model.kvHeads != 0)
        {
            throw WorkloadError(m_keys.Locate(m_keys.Find(KV_HEADS)),
                                "a number that divides the " + std::to_string(heads) + " heads",
                                std::to_string(m_model.kvHeads));
        }
        if (const auto rank = m_keys.FindWhole({"kv_lora_rank"}, 1, MOST_ELEMENTS))
        {
            ModelLatentAttention mla;
            mla.kvRank = *rank;
            mla.queryRank = m_keys.FindWhole({"q_lora_rank"}, 0, MOST_ELEMENTS).value_or(0);
            mla.nopeSize = m_keys.GetWhole({"qk_nope_head_dim"}, MOST_ELEMENTS);
            mla.ropeSize = m_keys.GetWhole({"qk_rope_head_dim"}, MOST_ELEMENTS);
            // The code beside MiniCPM3 has values as wide as a head of the hidden size.
            mla.valueSize = m_type == "minicpm3" && m_keys.Find({"v_head_dim"}).empty()
                                ? std::max(1U, m_model.hidden / heads)
                                : m_keys.GetWhole({"v_head_dim"}, MOST_ELEMENTS);
            m_model.mla = mla;
            return;
        }
        const auto size = m_keys.FindWhole(HEAD_SIZE, 1, MOST_ELEMENTS);
        if (!size && m_model.hidden % heads != 0)
        {
            throw WorkloadError(m_keys.Locate(m_keys.Find(HEADS)),
                                "the key head_dim, as the heads do not divide " +
                                    m_keys.Find(HIDDEN),
                                "none");
        }
        m_model.headSize = size.value_or(m_model.hidden / heads);
        m_model.queryRank = m_keys.FindWhole({"share_q_dim"}, 0, MOST_ELEMENTS).value_or(0);
    }

    /// Read layers that are mixers and feed-forward networks by themselves, or have two mixers: one
    /// of the model is a mixer and the network behind it, if there is one.
    void ReadHybridLayers()
    {
        auto hybrid = ReadHuggingFaceHybrid(m_keys, m_type);
        m_model.layers = static_cast<uint32_t>(hybrid.reaches.size());
        m_model.reach.layers = std::move(hybrid.reaches);
        if (hybrid.furtherAttend)
        {
            m_model.reach.layers.insert(m_model.reach.layers.end(),
                                        m_model.mtpLayers,
                                        AttentionReach::FULL);
        }
        m_model.reach.linear = ReadHuggingFaceMamba(m_keys, m_type, m_model.hidden);
        m_model.reach.linearWeights = m_model.reach.linear->CountWeights(m_model.hidden);
        const auto& experts = hybrid.experts;
        // 1 stands for a size that is read later.
        for (std::size_t layer = 0; layer < experts.size(); ++layer)
        {
            m_model.ffns.push_back(hybrid.feedForward[layer] && !experts[layer] ? 1 : 0);
        }
        if (std::find(experts.begin(), experts.end(), true) == experts.end())
        {
            m_model.experts.reset();
        }
        else if (m_model.experts)
        {
            m_model.experts->layers = experts;
        }
        else
        {
            m_keys.GetWhole({"n_routed_experts"}, MOST_PARTS);
        }
        m_model.notes.push_back(std::move(hybrid.note));
    }

    /// Read how many tokens a sequence has.
    void ReadSequence()
    {
        const auto most = m_keys.FindWhole(POSITIONS, 1, UINT32_MAX >> 1);
        std::optional<uint32_t> trained;
        for (const auto* name : {"rope_scaling", "rope_parameters"})
        {
            const auto scaling = m_keys.FindObject(name);
            trained =
                scaling && !trained ? scaling->FindWhole({ORIGINAL}, 1, UINT32_MAX >> 1) : trained;
        }
        const auto usual = trained.value_or(USUAL_SEQUENCE);
        m_model.sequence =
            m_model.learnedPositions ? most.value_or(usual) : std::min(most.value_or(usual), usual);
        m_model.notes.push_back("sequences are taken to have " + std::to_string(m_model.sequence) +
                                " tokens" + (trained ? std::string(" (") + ORIGINAL + ")" : "") +
                                (most ? ", of " + std::to_string(*most) + " that are possible (" +
                                            m_keys.Find(POSITIONS) + ")"
                                      : "") +
                                "; --sequence says how many");
    }

    HuggingFaceKeys m_keys;     //!< the object with the sizes
    std::string m_type;         //!< its model_type
    HuggingFaceFamily m_family; //!< its family
    ModelDescription m_model;   //!< what comes of it
};

/**
 * @param file path of a file
 * @return what to call its model: NAME for NAME/config.json, NAME.json
 */
std::string
MakeName(const std::string& file)
{
    const std::filesystem::path path(file);
    const auto stem = path.stem().string();
    const auto folder = path.parent_path().filename().string();
    return stem == "config" && !folder.empty() ? folder : stem;
}

/**
 * @param keys an object
 * @return its model_type; empty = it says none
 */
std::string
ReadType(const HuggingFaceKeys& keys)
{
    const auto key = keys.Find({"model_type"});
    return key.empty() || !keys.GetValue(key).is_string() ? ""
                                                          : keys.GetValue(key).get<std::string>();
}

/**
 * @param keys an object
 * @return name of the part of it that says the sizes of the text's model; empty = it has none
 */
std::string
FindTextPart(const HuggingFaceKeys& keys)
{
    for (const auto* part : {"text_config", "llm_config", "language_config", "thinker_config"})
    {
        if (keys.FindObject(part))
        {
            return part;
        }
    }
    return "";
}

/**
 * Newer files of Nemotron list the kinds of their layers and do not say how many they are
 * (transformers, models/nemotron_h/configuration_nemotron_h.py, num_hidden_layers).
 *
 * @param [in,out] json the object with the sizes
 */
void
AddLayerCount(ConfigJson& json)
{
    const auto kinds = json.find(HYBRID_LAYERS);
    if (kinds != json.end() && kinds->is_array() && !json.contains(LAYERS.front()))
    {
        json[LAYERS.front()] = kinds->size();
    }
}

} // namespace

bool
IsHuggingFaceConfig(const nlohmann::ordered_json& json)
{
    return json.is_object() && (json.contains("model_type") || json.contains("architectures") ||
                                json.contains("num_hidden_layers") || json.contains("ssm_cfg"));
}

ModelDescription
ReadHuggingFaceConfig(const nlohmann::ordered_json& json, const std::string& file)
{
    // A model of several kinds of input has the sizes of its text in a part, or a part of a part.
    auto text = json;
    std::string place;
    const auto findPart = [&] { return FindTextPart({text, {file, 0, 0, place}}); };
    for (auto part = findPart(); !part.empty(); part = findPart())
    {
        auto inner = text.at(part);
        const std::string tied = "tie_word_embeddings";
        if (text.contains(tied) && !inner.contains(tied))
        {
            inner[tied] = text.at(tied);
        }
        text = std::move(inner);
        place += "/" + part;
    }
    const SourceLocation where{file, 0, 0, place};
    const auto type = ReadType(HuggingFaceKeys(text, where));
    auto all = place.empty() ? ConfigJson::object() : FindHuggingFaceFamily(type).defaults;
    for (const auto& [key, value] : text.items())
    {
        all[key] = value;
    }
    // MPT and DBRX have sizes of heads and feed-forward layers in parts, too.
    for (const auto* part : {"attn_config", "ffn_config"})
    {
        if (const auto found = HuggingFaceKeys(all, where).FindObject(part))
        {
            for (const auto& [key, value] : found->GetAll().items())
            {
                all[key] = value;
            }
        }
    }
    AddLayerCount(all);
    auto model = HuggingFaceReader(all, where, type).Read(file);
    model.name = MakeName(file);
    if (!place.empty())
    {
        model.notes.push_back("of a model of several kinds of input only the part for text is "
                              "modelled (" +
                              place.substr(1) + ")");
    }
    return model;
}

} // namespace ns3
