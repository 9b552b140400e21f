/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of hugging-face-keys.h that reads sizes of feed-forward networks, of layers that differ
// in size, and of what stands beside embedding and layers.

#include "hugging-face-family.h"
#include "hugging-face-keys.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ns3
{

namespace
{

/// Names of sizes.
using SizeKeys = HuggingFaceKeys::Names;

/// Largest size.
constexpr auto MOST_INNER = HuggingFaceKeys::MOST_ELEMENTS;

/// Names of sizes.
/// @{
const SizeKeys FFN{"intermediate_size",
                   "n_inner",
                   "ffn_dim",
                   "ffn_hidden_size",
                   "ffn_size",
                   "ff_intermediate_size",
                   "mlp_hidden_size"};
const SizeKeys DENSE_FFN{"intermediate_size_mlp", "dense_intermediate_size"};
/// Inner size of LFM2 before it is adjusted.
const SizeKeys ADJUSTED_FFN{"block_ff_dim", "intermediate_size"};
/// @}

/// Keys of a layer of a list of layers that say what is not modelled if they are set.
const SizeKeys UNUSUAL_PARTS{"replace_with_linear", "window_length", "sparsify", "moe", "mamba"};

/// Elements of which inner sizes are multiples where a file says how many times hidden they are.
constexpr uint32_t INNER_STEP = 256;

/**
 * @param keys an object
 * @param name name of a number
 * @param otherwise its value if it is absent
 * @return the number, above 0 and at most 1000
 */
double
FindFactor(const HuggingFaceKeys& keys, const std::string& name, double otherwise)
{
    if (keys.Find({name}).empty())
    {
        return otherwise;
    }
    const auto& value = keys.GetValue(name);
    const auto factor = value.is_number() ? value.get<double>() : 0;
    if (!(factor > 0 && factor <= 1000))
    {
        throw WorkloadError(keys.Locate(name), "a number above 0, at most 1000", value.dump());
    }
    return factor;
}

/**
 * @param size a size
 * @param step what it is to be a multiple of
 * @return the next multiple, at most MOST_INNER
 */
uint32_t
RoundInner(double size, uint32_t step)
{
    const double steps = std::max(1., std::ceil(std::floor(size) / step));
    return static_cast<uint32_t>(std::min<double>(steps * step, MOST_INNER));
}

/**
 * @param keys a configuration of LFM2
 * @return inner size of its feed-forward networks (transformers, models/lfm2/modeling_lfm2.py,
 *         Lfm2MLP)
 */
uint32_t
ReadAdjustedFfn(const HuggingFaceKeys& keys)
{
    const auto size = keys.GetWhole(ADJUSTED_FFN, MOST_INNER);
    if (!keys.GetFlag("block_auto_adjust_ff_dim", true))
    {
        return size;
    }
    const auto step = keys.FindWhole({"block_multiple_of"}, 1, HuggingFaceKeys::MOST_PARTS);
    // Two thirds, as the gate is a third matrix.
    return RoundInner(FindFactor(keys, "block_ffn_dim_multiplier", 1) * (2 * uint64_t{size} / 3),
                      step.value_or(INNER_STEP));
}

/**
 * @ingroup workload-replay
 * @brief Reads a list of layers that differ in size (DeciLM, Nemotron-NAS).
 */
class LayerSizeReader
{
  public:
    /**
     * @param keys a configuration
     * @param [in,out] model the model, with its layers and heads
     */
    LayerSizeReader(const HuggingFaceKeys& keys, ModelDescription& model)
        : m_keys(keys),
          m_model(model)
    {
    }

    /// Read all layers.
    void Read()
    {
        const auto& list = m_keys.GetValue(LAYER_SIZES);
        if (!list.is_array() || list.size() != m_model.layers)
        {
            throw WorkloadError(m_keys.Locate(LAYER_SIZES),
                                "a list with an object for each of the " +
                                    std::to_string(m_model.layers) + " layers",
                                list.is_array() ? std::to_string(list.size()) + " entries"
                                                : list.type_name());
        }
        m_model.reach.layers.assign(m_model.layers, AttentionReach::NONE);
        m_model.ffns.assign(m_model.layers, 0);
        for (uint32_t layer = 0; layer < m_model.layers; ++layer)
        {
            auto where = m_keys.Locate(LAYER_SIZES);
            where.pointer += "/" + std::to_string(layer);
            const HuggingFaceKeys entry(list[layer], where);
            ReadAttention(entry, layer);
            ReadInner(entry, layer);
        }
        m_model.ffn = *std::max_element(m_model.ffns.begin(), m_model.ffns.end());
        m_model.kvHeads = m_kvHeads > 0 ? m_kvHeads : m_model.heads;
    }

  private:
    /**
     * @param entry a layer
     * @param name name of a part of it
     * @return the part; nothing = the layer does not have it
     */
    static std::optional<HuggingFaceKeys> FindPart(const HuggingFaceKeys& entry,
                                                   const std::string& name)
    {
        auto part = entry.FindObject(name);
        if (!part)
        {
            throw WorkloadError(entry.Locate(name), "an object", "none");
        }
        for (const auto& key : UNUSUAL_PARTS)
        {
            if (!part->Find({key}).empty() && part->GetValue(key) != false)
            {
                throw WorkloadError(
                    part->Locate(key),
                    "attention to all tokens and a feed-forward network, or none, as "
                    "other parts of layers are not modelled",
                    part->GetValue(key).dump());
            }
        }
        return part->GetFlag("no_op", false) ? std::nullopt : part;
    }

    /**
     * @param entry a layer
     * @param layer its number
     */
    void ReadAttention(const HuggingFaceKeys& entry, uint32_t layer)
    {
        const auto attention = FindPart(entry, "attention");
        if (!attention)
        {
            return;
        }
        m_model.reach.layers[layer] = AttentionReach::FULL;
        const auto heads = m_model.heads;
        const SizeKeys names{"n_heads_in_group", "num_key_value_heads"};
        const auto number = attention->GetWhole(names, heads);
        const auto name = attention->Find(names);
        const auto kvHeads = name == names.front() ? heads / number : number;
        if (heads % number != 0)
        {
            throw WorkloadError(attention->Locate(name),
                                "a number that divides the " + std::to_string(heads) + " heads",
                                std::to_string(number));
        }
        if (m_kvHeads > 0 && kvHeads != m_kvHeads)
        {
            throw WorkloadError(attention->Locate(name),
                                "the " + std::to_string(m_kvHeads) +
                                    " heads of keys and values of the layers before, as others are "
                                    "not modelled",
                                std::to_string(kvHeads));
        }
        m_kvHeads = kvHeads;
    }

    /**
     * @param entry a layer
     * @param layer its number
     */
    void ReadInner(const HuggingFaceKeys& entry, uint32_t layer)
    {
        const auto inner = FindPart(entry, "ffn");
        if (!inner)
        {
            return;
        }
        if (const auto size = inner->FindWhole({"intermediate_size"}, 1, MOST_INNER))
        {
            m_model.ffns[layer] = *size;
            return;
        }
        const std::string factor = "ffn_mult";
        if (inner->Find({factor}).empty())
        {
            throw WorkloadError(inner->Locate(factor), "a number above 0, at most 1000", "none");
        }
        // The code beside DeciLM (modeling_decilm.py): two thirds, as the gate is a third matrix.
        m_model.ffns[layer] =
            RoundInner(2 * FindFactor(*inner, factor, 0) * m_model.hidden / 3, INNER_STEP);
    }

    const HuggingFaceKeys& m_keys; //!< a configuration
    ModelDescription& m_model;     //!< its model
    uint32_t m_kvHeads{0};         //!< heads of keys and values; 0 = no layer has been read
};

} // namespace

void
ReadHuggingFaceFeedForward(const HuggingFaceKeys& keys,
                           const std::string& type,
                           ModelDescription& model)
{
    if (!keys.Find({LAYER_SIZES}).empty())
    {
        LayerSizeReader(keys, model).Read();
        return;
    }
    if (IsMambaAlone(type))
    {
        model.ffns.assign(model.layers, 0);
    }
    if (!HasDenseLayer(model))
    {
        return;
    }
    const auto family = FindHuggingFaceFamily(type);
    if (const auto size = keys.FindWhole(DENSE_FFN, 1, MOST_INNER))
    {
        model.ffn = *size;
    }
    else if (type == "lfm2")
    {
        model.ffn = ReadAdjustedFfn(keys);
    }
    else if (family.inFours && keys.Find(FFN).empty())
    {
        const auto ratio = keys.FindWhole({"expansion_ratio"}, 1, 100).value_or(4);
        model.ffn = std::min(ratio * model.hidden, MOST_INNER);
    }
    else
    {
        model.ffn = keys.GetWhole(FFN, MOST_INNER) / (family.countsBoth ? 2 : 1);
    }
    for (auto& size : model.ffns)
    {
        size = size > 0 ? model.ffn : 0;
    }
}

void
ReadHuggingFaceEmbeddings(const HuggingFaceKeys& keys, ModelDescription& model)
{
    const uint64_t hidden = model.hidden;
    const uint64_t size =
        keys.FindWhole({"hidden_size_per_layer_input"}, 0, HuggingFaceKeys::MOST_PARTS).value_or(0);
    if (size > 0)
    {
        const uint64_t words = keys.FindWhole({"vocab_size_per_layer_input"}, 1, MOST_INNER)
                                   .value_or(model.vocabulary);
        const uint64_t copies = keys.FindWhole({"altup_num_inputs"}, 1, 100).value_or(1);
        const uint64_t rank = keys.FindWhole({"laurel_rank"}, 0, MOST_INNER).value_or(0);
        // Transformers, models/gemma3n. Beside the embeddings: a token's vector is made into
        // several at the beginning (AltUp), and they into one at the end, a matrix for each. In
        // each layer: its part of the matrix that makes inputs of the first one, then a gate and a
        // matrix that brings the input to the hidden size; a residual of low rank (Laurel).
        model.embeddingWeights = words * size * model.layers + 2 * (copies - 1) * hidden * hidden;
        model.layerWeights = 3 * hidden * size + 2 * hidden * rank;
    }
    const uint64_t ratio = keys.FindWhole({"ngram_vocab_size_ratio"}, 1, 1000).value_or(0);
    if (ratio > 0)
    {
        // The code beside LongCat-Flash-Lite (modeling_longcat_ngram.py): groups of two tokens and
        // more have tables for parts of the hidden size, that many in all, each with a matrix that
        // makes its part as wide as the layers.
        const uint64_t most = keys.FindWhole({"emb_neighbor_num"}, 2, 100).value_or(2);
        const uint64_t parts = keys.FindWhole({"emb_split_num"}, 1, 100).value_or(1);
        const auto tables = (most - 1) * parts;
        model.embeddingWeights +=
            (ratio * model.vocabulary * (hidden / tables) + hidden / tables * hidden) * tables;
    }
}

} // namespace ns3
