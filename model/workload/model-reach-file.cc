/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-reach-file.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Tokens of a window above are slips of the keyboard.
constexpr uint64_t MAX_TOKENS = 100000000;

/// Heads, sizes of them and layers above are likewise.
constexpr uint64_t MAX_HEADS = 100000;

/// Keys of attention that does not reach all tokens.
const std::vector<std::string> REACH_KEYS{"kind",
                                          "tokens",
                                          "weights",
                                          "fullEvery",
                                          "rule",
                                          "keyHeads",
                                          "valueHeads",
                                          "keySize",
                                          "valueSize",
                                          "convolution",
                                          "stepRank"};

/// Those of linear attention with a rule, which counts its own weights; it has no window.
const std::vector<std::string> RULE_KEYS = [] {
    std::vector<std::string> keys;
    std::copy_if(REACH_KEYS.begin(),
                 REACH_KEYS.end(),
                 std::back_inserter(keys),
                 [](const auto& key) { return key != "tokens" && key != "weights"; });
    return keys;
}();

/// Its kinds, as AttentionReach has them behind that of all tokens.
const std::vector<std::string> REACH_KINDS{"window", "chunk", "linear"};

/**
 * @param object an object attention with a rule
 * @return its linear attention
 */
ModelLinearAttention
ReadLinearAttention(const JsonSection& object)
{
    const auto& rules = GetLinearRuleNames();
    ModelLinearAttention linear;
    linear.rule =
        static_cast<LinearRule>(FindWord(object.GetText("rule"), rules, JoinWords(rules)));
    linear.keyHeads = object.GetWhole("keyHeads", 1, MAX_HEADS);
    linear.valueHeads = object.GetWholeOr("valueHeads", linear.keyHeads, 1, MAX_HEADS);
    linear.keySize = object.GetWhole("keySize", 1, MAX_HEADS);
    linear.valueSize = object.GetWholeOr("valueSize", linear.keySize, 1, MAX_HEADS);
    linear.convolution = linear.rule == LinearRule::CONVOLUTION
                             ? object.GetWhole("convolution", 1, MAX_HEADS)
                             : object.GetWholeOr("convolution", 0, 1, MAX_HEADS);
    linear.stepRank = linear.rule == LinearRule::MAMBA_1 ? object.GetWhole("stepRank", 1, MAX_HEADS)
                                                         : object.GetWholeOr("stepRank", 0, 0, 0);
    if (linear.valueHeads % linear.keyHeads != 0)
    {
        throw WorkloadError(object.Locate("valueHeads"),
                            "a multiple of the " + std::to_string(linear.keyHeads) +
                                " heads of keys",
                            std::to_string(linear.valueHeads));
    }
    return linear;
}

/**
 * @param object an object attention
 * @param keys keys that its kind has
 * @throws WorkloadError if it has another one, which would have no effect
 */
void
CheckReachKeys(const JsonSection& object, const std::vector<std::string>& keys)
{
    for (const auto& key : REACH_KEYS)
    {
        if (object.Has(key) && std::find(keys.begin(), keys.end(), key) == keys.end())
        {
            throw WorkloadError(object.Locate(key),
                                "of such attention only the keys " + JoinWords(keys),
                                key);
        }
    }
}

} // namespace

ModelReach
ReadModelReach(const JsonSection& section, uint32_t layers, uint32_t hidden)
{
    const auto object = section.GetObject("attention", REACH_KEYS);
    const auto kind = FindWord(object.GetText("kind"), REACH_KINDS, JoinWords(REACH_KINDS));
    ModelReach reach;
    // The enumeration has attention to all tokens first.
    reach.layers.assign(layers, static_cast<AttentionReach>(kind + 1));
    if (reach.layers.front() == AttentionReach::LINEAR && object.Has("rule"))
    {
        CheckReachKeys(object, RULE_KEYS);
        reach.linear = ReadLinearAttention(object);
        reach.linearWeights = reach.linear->CountWeights(hidden);
    }
    else if (reach.layers.front() == AttentionReach::LINEAR)
    {
        CheckReachKeys(object, {"kind", "fullEvery", "weights"});
        reach.linearWeights = object.GetWhole("weights", 1, UINT32_MAX);
    }
    else
    {
        CheckReachKeys(object, {"kind", "fullEvery", "tokens"});
        reach.tokens = object.GetWhole("tokens", 1, MAX_TOKENS);
    }
    const auto every = object.GetWholeOr("fullEvery", 0, 1, MAX_HEADS);
    for (uint32_t layer = every; every > 0 && layer <= layers; layer += every)
    {
        // Every n-th layer attends to all tokens, counted from 1.
        reach.layers[layer - 1] = AttentionReach::FULL;
    }
    return reach;
}

} // namespace ns3
