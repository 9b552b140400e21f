/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of hugging-face-keys.h that reads the experts.

#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Names of sizes.
using ExpertKeys = HuggingFaceKeys::Names;

/// Largest size, and number of layers or experts.
/// @{
constexpr auto MOST_EXPERT_ELEMENTS = HuggingFaceKeys::MOST_ELEMENTS;
constexpr auto MOST_EXPERTS = HuggingFaceKeys::MOST_PARTS;
/// @}

/// Names of sizes.
/// @{
const ExpertKeys EXPERTS{"num_experts",
                         "n_routed_experts",
                         "num_local_experts",
                         "num_routed_experts",
                         "moe_num_experts"};
const ExpertKeys TOP_K{"num_experts_per_tok",
                       "experts_per_token",
                       "num_experts_per_token",
                       "moe_topk",
                       "moe_top_k",
                       "moe_k",
                       "top_k_experts"};
const ExpertKeys EXPERT_FFN{"moe_intermediate_size",
                            "expert_intermediate_size",
                            "moe_ffn_hidden_size",
                            "expert_ffn_hidden_size",
                            "intermediate_size",
                            "ffn_hidden_size"};
const ExpertKeys SHARED{"n_shared_experts",
                        "num_shared_experts",
                        "num_shared_expert",
                        "moe_num_shared_experts"};
const ExpertKeys SHARED_FFN{"moe_shared_expert_intermediate_size",
                            "shared_expert_intermediate_size",
                            "shared_intermediate_size",
                            "share_expert_dim"};
const ExpertKeys DENSE_LAYERS{"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"};
/// In every so many layers the last one has experts.
const ExpertKeys LAST_OF{"decoder_sparse_step",
                         "interleave_moe_layer_step",
                         "moe_layer_interval",
                         "moe_every_n_layer",
                         "moe_layer_frequency"};
/// Lists of the layers that have experts.
const ExpertKeys LISTS{"moe_layers", "moe_layers_enum"};
/// Size of a token where routed experts see it.
const ExpertKeys LATENT{"routed_expert_hidden_size", "moe_latent_size"};
/// Flags that say that a dense layer stands beside the experts.
const ExpertKeys BESIDE{"enable_moe_block", "residual_moe"};

/// @}

/**
 * @param keys a configuration
 * @param model the model, with its layers
 * @param name name of a list of 0 and 1
 * @return whether each layer has a 1
 */
std::vector<bool>
ReadMarks(const HuggingFaceKeys& keys, const ModelDescription& model, const std::string& name)
{
    std::vector<bool> has;
    for (const auto index : keys.ReadWords(name, {"0", "1"}, model.layers, "experts of a layer"))
    {
        has.push_back(index == 1);
    }
    return has;
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @param model the model, with its layers
 * @return whether each layer has experts
 */
std::vector<bool>
FindExpertLayers(const HuggingFaceKeys& keys,
                 const std::string& type,
                 const ModelDescription& model)
{
    const auto layers = model.layers;
    const std::string frequency = "moe_layer_freq";
    const bool isList = !keys.Find({frequency}).empty() && keys.GetValue(frequency).is_array();
    if (isList)
    {
        return ReadMarks(keys, model, frequency);
    }
    if (type == "jamba")
    {
        const auto period = keys.FindWhole({"expert_layer_period"}, 1, MOST_EXPERTS).value_or(2);
        const auto offset = keys.FindWhole({"expert_layer_offset"}, 0, period - 1);
        std::vector<bool> has(layers);
        for (auto layer = offset.value_or(1 % period); layer < layers; layer += period)
        {
            has[layer] = true;
        }
        return has;
    }
    const auto dense = keys.FindWhole(DENSE_LAYERS, 0, layers);
    // A layer of LongCat is two of others, and experts stand beside the second.
    const auto usual = IsLongCat(type) ? 2 : 1;
    const auto last = keys.FindWhole(LAST_OF, 1, MOST_EXPERTS).value_or(usual);
    // Of so many layers the first one has experts.
    const auto first = keys.FindWhole({frequency}, 1, MOST_EXPERTS);
    std::vector<bool> has(layers);
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        has[layer] =
            layer >= dense.value_or(0) && (layer + 1) % last == 0 && layer % first.value_or(1) == 0;
    }
    for (const auto layer : keys.FindLayers("mlp_only_layers", layers))
    {
        has[layer] = false;
    }
    const auto list = keys.Find(LISTS);
    if (!list.empty())
    {
        std::fill(has.begin(), has.end(), false);
        for (const auto layer : keys.FindLayers(list, layers))
        {
            has[layer] = true;
        }
    }
    return has;
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @param model the model, with its hidden size
 * @param ffn inner size of an expert
 * @return inner size of all that a token goes through beside the experts it is sent to
 */
uint32_t
ReadSharedFfn(const HuggingFaceKeys& keys,
              const std::string& type,
              const ModelDescription& model,
              uint32_t ffn)
{
    if (type == "llama4_text")
    {
        return ffn; // each layer with experts has one that is shared, whatever the file says
    }
    const bool isBeside = std::any_of(BESIDE.begin(), BESIDE.end(), [&keys](const auto& flag) {
        return keys.GetFlag(flag, false);
    });
    if (isBeside || IsLongCat(type))
    {
        return keys.GetWhole({"intermediate_size", "ffn_hidden_size"}, MOST_EXPERT_ELEMENTS);
    }
    if (keys.GetFlag("parallel_attn_mlp_res", false))
    {
        return model.hidden; // a dense layer beside attention and experts (Arctic)
    }
    const auto size = keys.FindWhole(SHARED_FFN, 0, MOST_EXPERT_ELEMENTS);
    const auto number = keys.FindWhole(SHARED, 0, MOST_EXPERTS);
    const uint64_t all = uint64_t{number.value_or(size ? 1 : 0)} * size.value_or(ffn);
    if (all > MOST_EXPERT_ELEMENTS)
    {
        throw WorkloadError(keys.Locate(keys.Find(SHARED)),
                            "shared experts of " + std::to_string(MOST_EXPERT_ELEMENTS) +
                                " inner elements at most",
                            std::to_string(all));
    }
    return static_cast<uint32_t>(all);
}

} // namespace

bool
IsLongCat(const std::string& type)
{
    return BeginsWith(type, "longcat_flash");
}

std::optional<ModelExperts>
ReadHuggingFaceExperts(const HuggingFaceKeys& keys,
                       const std::string& type,
                       const ModelDescription& model)
{
    const auto count = keys.FindWhole(EXPERTS, 0, MOST_EXPERTS).value_or(0);
    if (count < 2)
    {
        return std::nullopt;
    }
    ModelExperts experts;
    experts.count = count;
    experts.topK = keys.GetWhole(TOP_K, count);
    experts.ffn = keys.GetWhole(EXPERT_FFN, MOST_EXPERT_ELEMENTS);
    experts.sharedFfn = ReadSharedFfn(keys, type, model, experts.ffn);
    experts.layers = FindExpertLayers(keys, type, model);
    experts.latent = keys.FindWhole(LATENT, 1, model.hidden).value_or(0);
    const auto groups = keys.FindWhole({"n_group"}, 1, count).value_or(1);
    if (groups > 1 && count % groups == 0)
    {
        experts.groups = groups;
        experts.groupLimit = keys.FindWhole({"topk_group"}, 1, groups).value_or(0);
    }
    // Transformers, models/gpt_oss: gate_up_proj_bias and down_proj_bias, whatever the file says.
    experts.bias = type == "gpt_oss";
    auto& layers = experts.layers;
    const bool hasAny = std::find(layers.begin(), layers.end(), true) != layers.end();
    if (BeginsWith(type, "step3p"))
    {
        // Its layers that predict further tokens are dense: 0.81 G parameters, says the card of
        // Step-3.5-Flash, where one with experts has 4.7 G.
        layers.resize(model.layers + model.mtpLayers, false);
    }
    return hasAny ? std::optional<ModelExperts>(experts) : std::nullopt;
}

} // namespace ns3
