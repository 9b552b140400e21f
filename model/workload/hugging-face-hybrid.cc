/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of hugging-face-keys.h that reads models whose layers are mixers and feed-forward
// networks by themselves (Nemotron-H), or have two mixers (Falcon-H1), and Mamba of all models.

#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Models whose layers are mixers and feed-forward networks by themselves, and whose layers have
/// Mamba, attention and a feed-forward network each.
/// @{
const std::string MIXERS_ALONE = "nemotron_h";
const std::string TWO_MIXERS = "falcon_h1";
/// @}

/// Where the kinds of layers stand as a letter for each, unless as a word for each.
const char* const PATTERN = "hybrid_override_pattern";

/// Letters of kinds: Mamba, attention, feed-forward network, experts.
const std::string LETTERS = "M*-E";

/// Largest number of heads of Mamba, of elements of their states and of tokens of its convolution.
constexpr uint32_t MOST_STATES = 10000;

/// Names of the elements of a state, and of the tokens of the convolution.
/// @{
const HuggingFaceKeys::Names STATE{"ssm_state_size",
                                   "mamba_state_dim",
                                   "mamba_d_state",
                                   "state_size"};
const HuggingFaceKeys::Names TAPS{"conv_kernel", "mamba_d_conv"};

/// @}

/**
 * @param keys a configuration
 * @return name of the key that says the kinds of layers
 */
std::string
FindPatternKey(const HuggingFaceKeys& keys)
{
    const auto key = keys.Find({PATTERN, HYBRID_LAYERS});
    if (key.empty())
    {
        throw WorkloadError(keys.Locate(PATTERN),
                            std::string("a letter for each layer, or the key ") + HYBRID_LAYERS +
                                " with a word for each",
                            "none");
    }
    return key;
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @return a letter for each mixer and feed-forward network of its layers
 */
std::string
ReadLetters(const HuggingFaceKeys& keys, const std::string& type)
{
    const auto layers = keys.GetWhole({"num_hidden_layers"}, HuggingFaceKeys::MOST_PARTS);
    std::string letters;
    if (type == TWO_MIXERS)
    {
        for (uint32_t layer = 0; layer < layers; ++layer)
        {
            letters += "M*-";
        }
        return letters;
    }
    const auto key = FindPatternKey(keys);
    if (key == HYBRID_LAYERS)
    {
        for (const auto index :
             keys.ReadWords(key, {"mamba", "attention", "mlp", "moe"}, layers, "kind of a layer"))
        {
            letters += LETTERS[index];
        }
        return letters;
    }
    letters = keys.GetValue(key).is_string() ? keys.GetValue(key).get<std::string>() : "";
    if (letters.size() != layers || letters.find_first_not_of(LETTERS) != std::string::npos)
    {
        throw WorkloadError(keys.Locate(key),
                            "a letter for each of the " + std::to_string(layers) +
                                " layers (num_hidden_layers): M (Mamba), * (attention), - "
                                "(feed-forward network), E (experts)",
                            "'" + letters + "'");
    }
    return letters;
}

/**
 * @param keys a configuration of a model with Mamba-1
 * @param type its model_type
 * @param hidden size of a token's activation
 * @return its Mamba, with the defaults of transformers (models/mamba, models/jamba)
 */
ModelLinearAttention
ReadFirstMamba(const HuggingFaceKeys& keys, const std::string& type, uint32_t hidden)
{
    ModelLinearAttention mamba;
    mamba.rule = LinearRule::MAMBA_1;
    mamba.keyHeads = 1;
    mamba.keySize = keys.FindWhole(STATE, 1, MOST_STATES).value_or(16);
    mamba.convolution = keys.FindWhole(TAPS, 1, MOST_STATES).value_or(4);
    const auto times = keys.FindWhole({"expand", "mamba_expand"}, 1, 100).value_or(2);
    // Where there is a feed-forward network the key is its inner size.
    const auto channels =
        IsMambaAlone(type)
            ? keys.FindWhole({"intermediate_size"}, 1, HuggingFaceKeys::MOST_ELEMENTS)
            : std::nullopt;
    mamba.valueHeads = channels.value_or(static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t{times} * hidden, HuggingFaceKeys::MOST_ELEMENTS)));
    mamba.valueSize = 1;
    const HuggingFaceKeys::Names rank{"time_step_rank", "mamba_dt_rank"};
    const auto key = keys.Find(rank);
    mamba.stepRank = key.empty() || keys.GetValue(key) == "auto"
                         ? (hidden + 15) / 16
                         : keys.GetWhole(rank, HuggingFaceKeys::MOST_PARTS);
    return mamba;
}

} // namespace

bool
HasSeveralMixers(const std::string& type)
{
    return type == MIXERS_ALONE || type == TWO_MIXERS;
}

HuggingFaceHybrid
ReadHuggingFaceHybrid(const HuggingFaceKeys& keys, const std::string& type)
{
    HuggingFaceHybrid hybrid;
    bool isOpen = false; // the last layer has no feed-forward network yet
    for (const auto letter : ReadLetters(keys, type))
    {
        if (letter == 'M' || letter == '*')
        {
            hybrid.reaches.push_back(letter == 'M' ? AttentionReach::LINEAR : AttentionReach::FULL);
            hybrid.feedForward.push_back(false);
            hybrid.experts.push_back(false);
            isOpen = true;
            continue;
        }
        if (!isOpen)
        {
            throw WorkloadError(keys.Locate(FindPatternKey(keys)),
                                "Mamba or attention before each feed-forward network, as a layer "
                                "is made of both",
                                "one without");
        }
        hybrid.feedForward.back() = true;
        hybrid.experts.back() = letter == 'E';
        isOpen = false;
    }
    hybrid.note = (type == TWO_MIXERS
                       ? "Mamba and attention, which stand side by side, run one after the other, "
                         "and count as a layer each: "
                       : "a mixer (Mamba or attention) and the feed-forward network behind it "
                         "count as one layer: ") +
                  std::to_string(hybrid.reaches.size()) + " of them";
    const auto further = keys.Find({"mtp_hybrid_override_pattern", "mtp_layers_block_type"});
    const auto kinds = further.empty() ? "" : keys.GetValue(further).dump();
    hybrid.furtherAttend =
        kinds.find("*") != std::string::npos || kinds.find("attention") != std::string::npos;
    return hybrid;
}

bool
HasMambaLayers(const std::string& type)
{
    return type == "granitemoehybrid" || type == "bamba" || type == "jamba";
}

bool
IsMambaAlone(const std::string& type)
{
    return type == "mamba" || type == "falcon_mamba" || type == "mamba2";
}

ModelLinearAttention
ReadHuggingFaceMamba(const HuggingFaceKeys& keys, const std::string& type, uint32_t hidden)
{
    if (type == "jamba" || type == "mamba" || type == "falcon_mamba")
    {
        return ReadFirstMamba(keys, type, hidden);
    }
    ModelLinearAttention mamba;
    mamba.rule = LinearRule::MAMBA_2;
    mamba.keyHeads = keys.GetWhole({"n_groups", "mamba_n_groups"}, MOST_STATES);
    mamba.keySize = keys.GetWhole(STATE, MOST_STATES);
    // Without other layers heads are those of Mamba.
    const bool isAlone = IsMambaAlone(type);
    const HuggingFaceKeys::Names heads{"mamba_num_heads", isAlone ? "num_heads" : "mamba_n_heads"};
    mamba.valueHeads = keys.GetWhole(heads, MOST_STATES);
    mamba.valueSize =
        keys.GetWhole({"mamba_head_dim", isAlone ? "head_dim" : "mamba_d_head"}, MOST_STATES);
    mamba.convolution = keys.FindWhole(TAPS, 1, MOST_STATES).value_or(4);
    if (mamba.valueHeads % mamba.keyHeads != 0)
    {
        throw WorkloadError(keys.Locate(keys.Find(heads)),
                            "a multiple of the " + std::to_string(mamba.keyHeads) + " groups",
                            std::to_string(mamba.valueHeads));
    }
    return mamba;
}

} // namespace ns3
