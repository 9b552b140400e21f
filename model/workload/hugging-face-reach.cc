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
 * @param keys a configuration
 * @param name name of a list with an entry for each layer
 * @param words its valid entries
 * @param layers number of layers
 * @return index of each entry among the valid ones
 */
std::vector<std::size_t>
ReadWords(const HuggingFaceKeys& keys,
          const std::string& name,
          const std::vector<std::string>& words,
          uint32_t layers)
{
    const auto& list = keys.GetValue(name);
    if (!list.is_array() || list.size() != layers)
    {
        throw WorkloadError(
            keys.Locate(name),
            "a list with an entry for each of the " + std::to_string(layers) + " layers",
            list.is_array() ? std::to_string(list.size()) + " entries" : list.type_name());
    }
    std::vector<std::size_t> indices;
    for (const auto& entry : list)
    {
        const auto word = entry.is_string() ? entry.get<std::string>() : entry.dump();
        indices.push_back(FindWord({word, keys.Locate(name)},
                                   words,
                                   "attention of a layer: " + JoinWords(words)));
    }
    return indices;
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
    const auto pattern = keys.FindWhole({"sliding_window_pattern", "_sliding_window_pattern"},
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
 * @param keys a configuration
 * @param type its model_type
 * @param layers number of layers
 * @return reach of each layer; empty = all are full
 */
Reaches
ReadReaches(const HuggingFaceKeys& keys, const std::string& type, uint32_t layers)
{
    constexpr auto most = HuggingFaceKeys::MOST_PARTS;
    if (!keys.Find({"layer_types"}).empty())
    {
        const std::vector<std::string> words{"full_attention",
                                             "sliding_attention",
                                             "chunked_attention",
                                             "linear_attention"};
        Reaches reaches;
        for (const auto index : ReadWords(keys, "layer_types", words, layers))
        {
            reaches.push_back(static_cast<AttentionReach>(index));
        }
        return reaches;
    }
    if (!keys.Find({"attn_type_list"}).empty())
    {
        Reaches reaches;
        for (const auto index : ReadWords(keys, "attn_type_list", {"0", "1"}, layers))
        {
            reaches.push_back(index == 0 ? AttentionReach::LINEAR : AttentionReach::FULL);
        }
        return reaches;
    }
    if (const auto every = keys.FindWhole({"full_attention_interval"}, 1, most))
    {
        return MakeReaches(layers, *every, AttentionReach::LINEAR);
    }
    if (const auto linear = keys.FindObject("linear_attn_config"))
    {
        auto reaches = MakeReaches(layers, 0, AttentionReach::LINEAR);
        for (const auto layer : linear->FindLayers("full_attn_layers", layers, 1))
        {
            reaches[layer] = AttentionReach::FULL;
        }
        return reaches;
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
 * @param keys a configuration with linear attention
 * @param model the model, with its heads
 * @return weights of linear attention in a layer
 */
uint64_t
CountLinearWeights(const HuggingFaceKeys& keys, const ModelDescription& model)
{
    constexpr auto most = HuggingFaceKeys::MOST_ELEMENTS;
    const uint64_t h = model.hidden;
    if (keys.Find({"linear_num_key_heads"}).empty())
    {
        // Queries, keys, values, a gate and the output, each of all heads (lightning attention).
        return 5 * h * model.heads * std::max(model.headSize, 1U);
    }
    const uint64_t keyHeads = keys.GetWhole({"linear_num_key_heads"}, 10000);
    const uint64_t valueHeads = keys.GetWhole({"linear_num_value_heads"}, 10000);
    const auto keySize = keyHeads * keys.GetWhole({"linear_key_head_dim"}, most / 10000);
    const auto valueSize = valueHeads * keys.GetWhole({"linear_value_head_dim"}, most / 10000);
    const uint64_t kernel = keys.GetWhole({"linear_conv_kernel_dim"}, 10000);
    // Gated DeltaNet: queries and keys; values, their gate and the output; two gates of each head;
    // a convolution over queries, keys and values.
    return h * (2 * keySize + 3 * valueSize + 2 * valueHeads) + kernel * (2 * keySize + valueSize);
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
    if (has(AttentionReach::LINEAR))
    {
        reach.linearWeights = CountLinearWeights(keys, model);
    }
    return reach;
}

} // namespace ns3
