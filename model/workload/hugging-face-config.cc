/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hugging-face-config.h"

#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @brief What differs between families of models of Hugging Face and does not stand in their files.
 */
struct HuggingFaceFamily
{
    bool gated{true};             //!< see ModelDescription
    bool bias{false};             //!< see ModelDescription
    bool learnedPositions{false}; //!< see ModelDescription
    bool tied{false};             //!< default of tie_word_embeddings
    bool queryKeyNorm{false};     //!< see ModelDescription
    bool inFours{false};          //!< ffn is four times hidden where the file does not say it
    nlohmann::ordered_json defaults = nlohmann::ordered_json::object(); //!< of keys left out
};

/**
 * @param type a model_type
 * @return its family; of one that is not known that of llama
 */
HuggingFaceFamily
FindHuggingFaceFamily(const std::string& type)
{
    // Defaults are those of transformers, src/transformers/models (TYPE/configuration_TYPE.py).
    const nlohmann::ordered_json none = nlohmann::ordered_json::object();
    const HuggingFaceFamily gpt{false, true, true, true, false, true, none};
    const HuggingFaceFamily alibi{false, true, false, true, false, true, none};
    const HuggingFaceFamily rotary{false, true, false, false, false, true, none};
    const HuggingFaceFamily falcon{false, false, false, true, false, true, none};
    const HuggingFaceFamily nemotron{false, false, false, false, false, false, none};
    const HuggingFaceFamily tied{true, false, false, true, false, false, none};
    const HuggingFaceFamily qwen3{true, false, false, false, true, false, none};
    auto gemma3 = tied;
    gemma3.queryKeyNorm = true;
    gemma3.defaults = {{"num_attention_heads", 8},
                       {"num_key_value_heads", 4},
                       {"head_dim", 256},
                       {"vocab_size", 262208},
                       {"sliding_window_pattern", 6}};
    const std::map<std::string, HuggingFaceFamily> families{
        {"gpt2", gpt},        {"gpt_bigcode", gpt},    {"gpt_neo", gpt},
        {"opt", gpt},         {"bloom", alibi},        {"starcoder2", alibi},
        {"falcon", falcon},   {"RefinedWeb", falcon},  {"RefinedWebModel", falcon},
        {"gpt_neox", rotary}, {"gptj", rotary},        {"codegen", rotary},
        {"phi", rotary},      {"nemotron", nemotron},  {"gemma", tied},
        {"gemma2", tied},     {"gemma3_text", gemma3}, {"cohere", tied},
        {"cohere2", tied},    {"qwen3", qwen3},        {"qwen3_moe", qwen3}};
    const auto found = families.find(type);
    return found == families.end() ? HuggingFaceFamily{} : found->second;
}

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
const ConfigKeys HEADS{"num_attention_heads", "n_head", "n_heads"};
const ConfigKeys KV_HEADS{"num_key_value_heads", "num_kv_heads", "n_head_kv"};
const ConfigKeys HEAD_SIZE{"head_dim", "attention_head_dim"};
const ConfigKeys FFN{"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "ffn_size"};
const ConfigKeys POSITIONS{"max_position_embeddings", "n_positions", "n_ctx", "seq_length"};
const ConfigKeys EXPERTS{"num_experts",
                         "n_routed_experts",
                         "num_local_experts",
                         "num_routed_experts",
                         "moe_num_experts"};
const ConfigKeys TOP_K{"num_experts_per_tok",
                       "experts_per_token",
                       "num_experts_per_token",
                       "moe_topk",
                       "moe_top_k",
                       "moe_k",
                       "top_k_experts"};
const ConfigKeys EXPERT_FFN{"moe_intermediate_size",
                            "expert_intermediate_size",
                            "moe_ffn_hidden_size"};
const ConfigKeys SHARED{"n_shared_experts", "num_shared_experts", "num_shared_expert"};
const ConfigKeys SHARED_FFN{"moe_shared_expert_intermediate_size",
                            "shared_expert_intermediate_size",
                            "shared_intermediate_size"};
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
        CheckLayers();
        m_model.file = file;
        ReadSizes();
        ReadHeads();
        ReadExperts();
        ReadFeedForward();
        m_model.reach = ReadHuggingFaceReach(m_keys, m_type, m_model);
        ReadSequence();
        NoteRest();
        return m_model;
    }

  private:
    /// Refuse models of layers that are no pairs of attention and feed-forward.
    void CheckLayers() const
    {
        for (const auto* key : {"hybrid_override_pattern", "layers_block_type", "ssm_state_size"})
        {
            if (!m_keys.Find({key}).empty())
            {
                throw WorkloadError(m_keys.Locate(key),
                                    "a transformer, whose layers all have attention and a "
                                    "feed-forward network",
                                    "layers of Mamba (state spaces), which are not modelled");
            }
        }
    }

    /// Read what all models have.
    void ReadSizes()
    {
        m_model.layers = m_keys.GetWhole(LAYERS, MOST_PARTS);
        m_model.hidden = m_keys.GetWhole(HIDDEN, MOST_ELEMENTS);
        m_model.heads = m_keys.GetWhole(HEADS, MOST_PARTS);
        m_model.vocabulary = m_keys.GetWhole({"vocab_size"}, MOST_ELEMENTS);
        m_model.tiedEmbedding = m_keys.GetFlag("tie_word_embeddings", m_family.tied);
        m_model.gated = m_family.gated;
        m_model.bias = m_family.bias;
        m_model.learnedPositions = m_family.learnedPositions;
        m_model.queryKeyNorm = m_family.queryKeyNorm;
        for (const auto* key : {"attention_dropout", "attn_pdrop", "hidden_dropout", "resid_pdrop"})
        {
            const auto found = m_keys.Find({key});
            m_model.dropout |= !found.empty() && m_keys.GetValue(key).is_number() &&
                               m_keys.GetValue(key).get<double>() > 0;
        }
        m_model.mtpLayers =
            m_keys.FindWhole({"num_nextn_predict_layers"}, 0, MOST_PARTS)
                .value_or(m_keys.GetFlag("use_mtp", false)
                              ? m_keys.FindWhole({"num_mtp_modules"}, 0, MOST_PARTS).value_or(0)
                              : 0);
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
            mla.valueSize = m_keys.GetWhole({"v_head_dim"}, MOST_ELEMENTS);
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
    }

    /// Read experts, if there are any.
    void ReadExperts()
    {
        const auto count = m_keys.FindWhole(EXPERTS, 0, MOST_PARTS).value_or(0);
        if (count < 2)
        {
            return;
        }
        ModelExperts experts;
        experts.count = count;
        experts.topK = m_keys.GetWhole(TOP_K, count);
        const auto ffn = m_keys.FindWhole(EXPERT_FFN, 1, MOST_ELEMENTS);
        experts.ffn = ffn ? *ffn : m_keys.GetWhole(FFN, MOST_ELEMENTS);
        experts.sharedFfn = GetSharedFfn(experts.ffn);
        experts.layers = FindExpertLayers();
        const auto groups = m_keys.FindWhole({"n_group"}, 1, count).value_or(1);
        if (groups > 1 && count % groups == 0)
        {
            experts.groups = groups;
            experts.groupLimit = m_keys.FindWhole({"topk_group"}, 1, groups).value_or(0);
        }
        const auto& layers = experts.layers;
        if (std::find(layers.begin(), layers.end(), true) != layers.end())
        {
            m_model.experts = experts;
        }
    }

    /**
     * @param ffn inner size of an expert
     * @return inner size of all shared experts of a layer
     */
    uint32_t GetSharedFfn(uint32_t ffn) const
    {
        const auto size = m_keys.FindWhole(SHARED_FFN, 0, MOST_ELEMENTS);
        if (m_type == "llama4_text")
        {
            return ffn; // each layer with experts has one that is shared, whatever the file says
        }
        const auto number = m_keys.FindWhole(SHARED, 0, MOST_PARTS);
        const uint64_t all = uint64_t{number.value_or(size ? 1 : 0)} * size.value_or(ffn);
        if (all > MOST_ELEMENTS)
        {
            throw WorkloadError(m_keys.Locate(m_keys.Find(SHARED)),
                                "shared experts of " + std::to_string(MOST_ELEMENTS) +
                                    " inner elements at most",
                                std::to_string(all));
        }
        return static_cast<uint32_t>(all);
    }

    /// @return whether each layer has experts
    std::vector<bool> FindExpertLayers() const
    {
        const auto layers = m_model.layers;
        const auto dense =
            m_keys.FindWhole({"first_k_dense_replace", "moe_layer_start_index"}, 0, layers);
        // In every so many layers the last one has experts, or with moe_layer_freq the first one.
        const auto last = m_keys.FindWhole(
            {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"},
            1,
            MOST_PARTS);
        const auto first = m_keys.FindWhole({"moe_layer_freq"}, 1, MOST_PARTS);
        std::vector<bool> has(layers);
        for (uint32_t layer = 0; layer < layers; ++layer)
        {
            has[layer] = layer >= dense.value_or(0) && (layer + 1) % last.value_or(1) == 0 &&
                         layer % first.value_or(1) == 0;
        }
        for (const auto layer : m_keys.FindLayers("mlp_only_layers", layers))
        {
            has[layer] = false;
        }
        if (!m_keys.Find({"moe_layers"}).empty())
        {
            std::fill(has.begin(), has.end(), false);
            for (const auto layer : m_keys.FindLayers("moe_layers", layers))
            {
                has[layer] = true;
            }
        }
        return has;
    }

    /// Read the dense feed-forward layers, if there are any.
    void ReadFeedForward()
    {
        if (!m_model.HasDenseLayer())
        {
            return;
        }
        const auto size = m_keys.FindWhole({"intermediate_size_mlp"}, 1, MOST_ELEMENTS);
        const bool isDefault = m_family.inFours && !size && m_keys.Find(FFN).empty();
        m_model.ffn = isDefault ? std::min(4 * m_model.hidden, MOST_ELEMENTS)
                      : size    ? *size
                                : m_keys.GetWhole(FFN, MOST_ELEMENTS);
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

    /// Note what else is left out.
    void NoteRest()
    {
        if (!m_keys.Find({"index_topk"}).empty())
        {
            m_model.notes.push_back(
                "sparse attention (index_topk) is not modelled: all is computed");
        }
        if (m_keys.GetFlag("attn_output_gate", false) || m_type == "qwen3_next")
        {
            m_model.notes.push_back("the gate at the output of attention is left out");
        }
        const auto quantized = m_keys.Find({"quantization_config"});
        if (!quantized.empty())
        {
            m_model.notes.push_back(
                "quantization_config is how the weights are stored; --precision "
                "says the format of training");
        }
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

} // namespace

bool
IsHuggingFaceConfig(const nlohmann::ordered_json& json)
{
    return json.is_object() && (json.contains("model_type") || json.contains("architectures") ||
                                json.contains("num_hidden_layers"));
}

ModelDescription
ReadHuggingFaceConfig(const nlohmann::ordered_json& json, const std::string& file)
{
    const SourceLocation where{file, 0, 0, ""};
    const HuggingFaceKeys whole(json, where);
    for (const auto* part : {"text_config", "llm_config", "language_config"})
    {
        if (!whole.FindObject(part))
        {
            continue;
        }
        auto text = json.at(part);
        const auto type = ReadType(HuggingFaceKeys(text, where));
        const std::string tied = "tie_word_embeddings";
        if (json.contains(tied) && !text.contains(tied))
        {
            text[tied] = json.at(tied);
        }
        auto all = FindHuggingFaceFamily(type).defaults;
        for (const auto& [key, value] : text.items())
        {
            all[key] = value;
        }
        auto model = HuggingFaceReader(all, {file, 0, 0, std::string("/") + part}, type).Read(file);
        model.name = MakeName(file);
        model.notes.push_back("of a model of several kinds of input only the part for text is "
                              "modelled (" +
                              std::string(part) + ")");
        return model;
    }
    auto model = HuggingFaceReader(json, where, ReadType(whole)).Read(file);
    model.name = MakeName(file);
    return model;
}

} // namespace ns3
