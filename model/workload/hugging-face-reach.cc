/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of hugging-face-keys.h that reads what the tokens of each layer attend to.

#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Layers by reach.
using Reaches = std::vector<AttentionReach>;

/// A list with an entry for each layer.
struct ReachList
{
    std::string name;               //!< its name
    std::vector<std::string> words; //!< its valid entries
    Reaches reaches;                //!< what each of them means
};

/// Lists that say what each layer attends to, the one that counts first.
const std::vector<ReachList> REACH_LISTS{
    {"layer_types",
     {"full_attention",
      "sliding_attention",
      "chunked_attention",
      "linear_attention",
      "attention",
      "deepseek_sparse_attention",
      "conv"},
     {AttentionReach::FULL,
      AttentionReach::WINDOW,
      AttentionReach::CHUNK,
      AttentionReach::LINEAR,
      AttentionReach::FULL,
      AttentionReach::FULL,
      AttentionReach::LINEAR}},
    {"attn_type_list", {"0", "1"}, {AttentionReach::LINEAR, AttentionReach::FULL}},
    {"hybrid_layer_pattern", {"0", "1"}, {AttentionReach::FULL, AttentionReach::WINDOW}}};

/// Rank of the output of attention, a key of DeepSeek-V4.
const char* const LOW_RANK_OUTPUT = "o_lora_rank";

/// Tokens of a convolution in place of attention.
const char* const CONVOLUTION = "conv_L_cache";

/// Tokens of a convolution before Kimi Delta Attention.
const char* const SHORT_CONVOLUTION = "short_conv_kernel_size";

/**
 * @param layers number of layers
 * @param every one layer in so many is full, the last of each; 0 = none is
 * @param others reach of the other layers
 * @return reach of each layer
 */
Reaches
MakeReaches(uint32_t layers, uint32_t every, AttentionReach others)
{
    Reaches reaches(layers, others);
    for (uint32_t layer = every; every > 0 && layer <= layers; layer += every)
    {
        reaches[layer - 1] = AttentionReach::FULL;
    }
    return reaches;
}

/**
 * @param layers number of layers
 * @param full those that attend to all tokens
 * @return reach of each layer; that of the others is linear
 */
Reaches
MakeListed(uint32_t layers, const std::vector<uint32_t>& full)
{
    auto reaches = MakeReaches(layers, 0, AttentionReach::LINEAR);
    for (const auto layer : full)
    {
        reaches[layer] = AttentionReach::FULL;
    }
    return reaches;
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @return whether layers have short convolutions in place of attention
 */
bool
HasShortConvolutions(const HuggingFaceKeys& keys, const std::string& type)
{
    return BeginsWith(type, "lfm2") || !keys.Find({CONVOLUTION}).empty();
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @param layers number of layers
 * @return reach of each layer with a sliding window
 */
Reaches
ReadWindows(const HuggingFaceKeys& keys, const std::string& type, uint32_t layers)
{
    const std::string name = "sliding_window_pattern";
    if (!keys.Find({name}).empty() && keys.GetValue(name).is_string())
    {
        // "LLLG": local layers and a global one, over and over.
        const auto letters = keys.GetValue(name).get<std::string>();
        const auto global = letters.find('G');
        return MakeReaches(layers,
                           global == std::string::npos ? 0 : static_cast<uint32_t>(global + 1),
                           AttentionReach::WINDOW);
    }
    const auto pattern =
        keys.FindWhole({name, "_sliding_window_pattern", "global_attn_every_n_layers"},
                       1,
                       HuggingFaceKeys::MOST_PARTS);
    // Families whose files do not say that their layers alternate.
    const bool takesTurns = type == "gemma2" || type == "gpt_oss";
    if (pattern || takesTurns)
    {
        return MakeReaches(layers, pattern.value_or(2), AttentionReach::WINDOW);
    }
    auto reaches = MakeReaches(layers, 0, AttentionReach::WINDOW);
    const auto full =
        BeginsWith(type, "qwen") ? keys.FindWhole({"max_window_layers"}, 0, layers) : std::nullopt;
    std::fill_n(reaches.begin(), full.value_or(0), AttentionReach::FULL);
    return reaches;
}

/**
 * @param keys a configuration for which HasMambaLayers() holds
 * @param type its model_type
 * @param layers number of layers
 * @return reach of each layer
 */
Reaches
ReadMambaLayers(const HuggingFaceKeys& keys, const std::string& type, uint32_t layers)
{
    auto reaches = MakeReaches(layers, 0, AttentionReach::LINEAR);
    const std::string types = "layer_types";
    if (type == "jamba")
    {
        constexpr auto most = HuggingFaceKeys::MOST_PARTS;
        const auto period = keys.FindWhole({"attn_layer_period"}, 1, most).value_or(8);
        const auto offset = keys.FindWhole({"attn_layer_offset"}, 0, period - 1);
        for (auto layer = offset.value_or(4 % period); layer < layers; layer += period)
        {
            reaches[layer] = AttentionReach::FULL;
        }
        return reaches;
    }
    if (keys.Find({types}).empty())
    {
        return MakeListed(layers, keys.FindLayers("attn_layer_indices", layers));
    }
    const HuggingFaceKeys::Names words{"mamba", "attention", "full_attention"};
    const auto indices = keys.ReadWords(types, words, layers, "kind of a layer");
    std::transform(indices.begin(), indices.end(), reaches.begin(), [](const auto index) {
        return index == 0 ? AttentionReach::LINEAR : AttentionReach::FULL;
    });
    return reaches;
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @param layers number of layers
 * @return reach of each layer; empty = all are full
 */
Reaches
ReadReaches(const HuggingFaceKeys& keys, const std::string& type, uint32_t layers)
{
    constexpr auto most = HuggingFaceKeys::MOST_PARTS;
    if (!keys.Find({LOW_RANK_OUTPUT}).empty() || IsMambaAlone(type))
    {
        return MakeReaches(layers, 0, AttentionReach::LINEAR);
    }
    if (HasMambaLayers(type))
    {
        return ReadMambaLayers(keys, type, layers);
    }
    const std::string attending = "full_attn_idxs";
    if (HasShortConvolutions(keys, type) && !keys.Find({attending}).empty())
    {
        return MakeListed(layers, keys.FindLayers(attending, layers));
    }
    for (const auto& list : REACH_LISTS)
    {
        if (!keys.Find({list.name}).empty())
        {
            Reaches reaches;
            for (const auto index :
                 keys.ReadWords(list.name, list.words, layers, "attention of a layer"))
            {
                reaches.push_back(list.reaches[index]);
            }
            return reaches;
        }
    }
    if (const auto every = keys.FindWhole({"full_attention_interval", "layer_group_size"}, 1, most))
    {
        return MakeReaches(layers, *every, AttentionReach::LINEAR);
    }
    if (const auto linear = keys.FindObject("linear_attn_config"))
    {
        return MakeListed(layers, linear->FindLayers("full_attn_layers", layers, 1));
    }
    if (!keys.Find({"attention_chunk_size"}).empty())
    {
        // Layers without positions attend to everything: every fourth one.
        const auto every = keys.FindWhole({"no_rope_layer_interval"}, 1, most).value_or(4);
        return MakeReaches(layers, every, AttentionReach::CHUNK);
    }
    const bool slides = keys.GetFlag("use_sliding_window", !BeginsWith(type, "qwen"));
    return slides && !keys.Find({"sliding_window"}).empty() ? ReadWindows(keys, type, layers)
                                                            : Reaches{};
}

/**
 * @param keys a configuration of DeepSeek-V4, whose attention works on compressed tokens
 * @param model the model, with its heads
 * @return weights of attention in a layer
 */
uint64_t
CountCompressedWeights(const HuggingFaceKeys& keys, const ModelDescription& model)
{
    constexpr auto most = HuggingFaceKeys::MOST_PARTS;
    const uint64_t h = model.hidden;
    const uint64_t all = uint64_t{model.heads} * model.headSize;
    const uint64_t queries = keys.GetWhole({"q_lora_rank"}, most);
    const uint64_t outputs = keys.GetWhole({LOW_RANK_OUTPUT}, most);
    const uint64_t groups = keys.GetWhole({"o_groups"}, most);
    // Queries down and up; one vector that is key and value; of each group of heads the output
    // down, then all groups up.
    return (h + all) * queries + h * model.kvHeads * model.headSize + (all + groups * h) * outputs;
}

/**
 * @param kda a linear_attn_config, or the configuration of a Ling 3, which has its keys
 * @return Kimi Delta Attention
 */
ModelLinearAttention
ReadKimiDelta(const HuggingFaceKeys& kda)
{
    constexpr auto most = HuggingFaceKeys::MOST_PARTS;
    ModelLinearAttention linear;
    linear.rule = LinearRule::KIMI_DELTA;
    linear.keyHeads = kda.GetWhole({"num_heads", "num_attention_heads"}, most);
    linear.keySize = kda.GetWhole({"head_dim"}, most);
    linear.convolution = kda.FindWhole({SHORT_CONVOLUTION}, 1, most).value_or(4);
    // Kimi K3 has all weights of the output's gate, Ling 3 those of both gates
    // (modeling_bailing_moe_v3.py beside its weights).
    linear.narrowGates = kda.GetFlag("no_kda_lora", false)          ? 0
                         : kda.GetFlag("use_full_rank_gate", false) ? 1
                                                                    : 2;
    linear.valueHeads = linear.keyHeads;
    linear.valueSize = linear.keySize;
    return linear;
}

/**
 * @param keys a configuration with linear attention
 * @param type its model_type
 * @param model the model, with its heads
 * @return linear attention
 */
ModelLinearAttention
ReadLinearAttention(const HuggingFaceKeys& keys,
                    const std::string& type,
                    const ModelDescription& model)
{
    if (const auto kda = keys.FindObject("linear_attn_config"))
    {
        return ReadKimiDelta(*kda);
    }
    if (!keys.Find({SHORT_CONVOLUTION}).empty())
    {
        return ReadKimiDelta(keys);
    }
    ModelLinearAttention linear;
    if (HasShortConvolutions(keys, type))
    {
        // Transformers, models/lfm2: a channel for each element of a token.
        const auto tokens = keys.FindWhole({CONVOLUTION}, 1, HuggingFaceKeys::MOST_PARTS);
        return {LinearRule::CONVOLUTION, model.hidden, model.hidden, 1, 1, tokens.value_or(3)};
    }
    if (keys.Find({"linear_num_key_heads"}).empty())
    {
        // Lightning attention has the heads of the other layers, whose size latent attention does
        // not need (vLLM, model_executor/models/bailing_moe_linear.py).
        constexpr auto mostElements = HuggingFaceKeys::MOST_ELEMENTS;
        const auto size = keys.FindWhole({"head_dim"}, 1, mostElements);
        const auto keySize = model.mla ? size.value_or(std::max(model.hidden / model.heads, 1U))
                                       : std::max(model.headSize, 1U);
        return {LinearRule::SUM, model.heads, model.heads, keySize, keySize};
    }
    constexpr auto most = HuggingFaceKeys::MOST_ELEMENTS / 10000;
    linear.keyHeads = keys.GetWhole({"linear_num_key_heads"}, 10000);
    linear.valueHeads = keys.GetWhole({"linear_num_value_heads"}, 10000);
    linear.keySize = keys.GetWhole({"linear_key_head_dim"}, most);
    linear.valueSize = keys.GetWhole({"linear_value_head_dim"}, most);
    linear.convolution = keys.GetWhole({"linear_conv_kernel_dim"}, 10000);
    if (linear.valueHeads % linear.keyHeads != 0)
    {
        throw WorkloadError(keys.Locate("linear_num_value_heads"),
                            "a multiple of the " + std::to_string(linear.keyHeads) +
                                " heads of keys",
                            std::to_string(linear.valueHeads));
    }
    return linear;
}

/**
 * @param keys a configuration
 * @param model the model, with its heads
 * @return weights that attention to all tokens has more than that of windows, with heads of another
 *         size and number (transformers, models/gemma4)
 */
int64_t
CountFullWeights(const HuggingFaceKeys& keys, const ModelDescription& model)
{
    constexpr auto most = HuggingFaceKeys::MOST_PARTS;
    const int64_t size = keys.FindWhole({"global_head_dim"}, 1, most).value_or(0);
    if (size == 0 || model.mla)
    {
        return 0;
    }
    // Keys are values, too.
    const bool isShared = keys.GetFlag("attention_k_eq_v", false);
    const int64_t heads = model.heads;
    const int64_t kvHeads = model.kvHeads;
    const int64_t fullHeads =
        isShared ? keys.FindWhole({"num_global_key_value_heads"}, 1, most).value_or(model.kvHeads)
                 : kvHeads;
    return int64_t{model.hidden} * (size * (2 * heads + (isShared ? 1 : 2) * fullHeads) -
                                    int64_t{model.headSize} * 2 * (heads + kvHeads));
}

} // namespace

ModelReach
ReadHuggingFaceReach(const HuggingFaceKeys& keys,
                     const std::string& type,
                     const ModelDescription& model)
{
    ModelReach reach;
    reach.layers = ReadReaches(keys, type, model.layers);
    const auto has = [&reach](AttentionReach which) {
        return std::find(reach.layers.begin(), reach.layers.end(), which) != reach.layers.end();
    };
    constexpr auto most = HuggingFaceKeys::MOST_ELEMENTS;
    if (has(AttentionReach::CHUNK))
    {
        reach.tokens = keys.GetWhole({"attention_chunk_size"}, most);
    }
    else if (has(AttentionReach::WINDOW))
    {
        reach.tokens = keys.GetWhole({"sliding_window"}, most);
    }
    reach.fullWeights = has(AttentionReach::WINDOW) ? CountFullWeights(keys, model) : 0;
    if (has(AttentionReach::LINEAR) && !keys.Find({LOW_RANK_OUTPUT}).empty())
    {
        reach.linearWeights = CountCompressedWeights(keys, model);
    }
    else if (has(AttentionReach::LINEAR))
    {
        reach.linear = HasMambaLayers(type) || IsMambaAlone(type)
                           ? ReadHuggingFaceMamba(keys, type, model.hidden)
                           : ReadLinearAttention(keys, type, model);
        reach.linearWeights = reach.linear->CountWeights(model.hidden);
    }
    return reach;
}

} // namespace ns3
