/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-description.h"

#include <algorithm>

namespace ns3
{

AttentionReach
ModelDescription::GetReach(uint32_t layer) const
{
    const auto& all = reach.layers;
    return all.empty() ? AttentionReach::FULL : all[std::min<std::size_t>(layer, all.size() - 1)];
}

bool
ModelDescription::HasLinearAttention(uint32_t layer) const
{
    return reach.linear && GetReach(layer) == AttentionReach::LINEAR;
}

double
ModelDescription::GetAttendedTokens(uint32_t layer, uint32_t sequence) const
{
    const double all = sequence;
    const auto tokens = std::min<double>(reach.tokens, all);
    switch (GetReach(layer))
    {
    case AttentionReach::WINDOW:
        // The first tokens find fewer before them than the window takes.
        return tokens - tokens * tokens / (2 * all);
    case AttentionReach::CHUNK:
        return tokens / 2;
    case AttentionReach::LINEAR:
    case AttentionReach::NONE:
        return 0;
    default:
        return all / 2;
    }
}

bool
ModelDescription::HasFeedForward(uint32_t layer) const
{
    return HasExperts(layer) || ffns.empty() || GetFfn(*this, layer) > 0;
}

bool
ModelDescription::HasExperts(uint32_t layer) const
{
    if (!experts || layer < experts->denseLayers)
    {
        return false;
    }
    // The layers that predict further tokens are as the last one, unless it is said.
    const auto number = layer < layers ? layer : layers - 1;
    const auto& has = experts->layers;
    if (!has.empty())
    {
        return has[layer < has.size() ? layer : number];
    }
    return (number - experts->denseLayers) % experts->every == experts->every - 1;
}

uint32_t
ModelDescription::GetEmbeddingSize() const
{
    return embeddingSize > 0 ? embeddingSize : hidden;
}

uint64_t
ModelDescription::CountWidening() const
{
    return uint64_t{embeddingSize} * hidden;
}

uint64_t
ModelDescription::GetQuerySize() const
{
    return mla ? uint64_t{heads} * (mla->nopeSize + mla->ropeSize) : uint64_t{heads} * headSize;
}

uint64_t
ModelDescription::GetKeySize() const
{
    return mla ? GetQuerySize() : uint64_t{kvHeads} * headSize;
}

uint64_t
ModelDescription::GetValueSize() const
{
    return mla ? uint64_t{heads} * mla->valueSize : uint64_t{kvHeads} * headSize;
}

uint64_t
ModelDescription::GetAttentionOutput() const
{
    return mla ? GetValueSize() : GetQuerySize();
}

uint64_t
ModelDescription::GetGateSize() const
{
    return outputGate ? GetAttentionOutput() : 0;
}

uint64_t
ModelDescription::GetLatentSize() const
{
    if (mla)
    {
        return uint64_t{mla->queryRank} + mla->kvRank + mla->ropeSize;
    }
    return queryRank > 0 ? queryRank + GetKeySize() + GetValueSize() : 0;
}

bool
HasDenseLayer(const ModelDescription& model)
{
    for (uint32_t layer = 0; layer < model.layers; ++layer)
    {
        if (model.HasFeedForward(layer) && !model.HasExperts(layer))
        {
            return true;
        }
    }
    return false;
}

bool
HasHeads(const ModelDescription& model)
{
    for (uint32_t layer = 0; layer < model.layers; ++layer)
    {
        if (model.GetReach(layer) != AttentionReach::NONE && !model.HasLinearAttention(layer))
        {
            return true;
        }
    }
    return false;
}

uint32_t
GetFfn(const ModelDescription& model, uint32_t layer)
{
    return model.ffns.empty() ? model.ffn : model.ffns[std::min(layer, model.layers - 1)];
}

std::vector<std::string>
DescribeReach(const ModelDescription& model, uint32_t sequence, bool isSkipped)
{
    std::vector<std::string> lines;
    const auto add = [&](AttentionReach reach, const std::string& what) {
        uint32_t count = 0;
        for (uint32_t layer = 0; layer < model.layers; ++layer)
        {
            count += model.GetReach(layer) == reach ? 1 : 0;
        }
        if (count > 0)
        {
            lines.push_back(std::to_string(count) + " of " + std::to_string(model.layers) +
                            " layers have " + what);
        }
    };
    // A window or a chunk that takes all of a sequence is no limit.
    if (model.reach.tokens < sequence && !isSkipped)
    {
        const auto tokens = std::to_string(model.reach.tokens);
        const std::string times = ": FLOPs count that, compute times are those of full attention, "
                                  "as kernels that are not fused, those of Triton and a ring of "
                                  "context parallel ranks leave nothing out";
        add(AttentionReach::WINDOW, "a sliding window of " + tokens + " tokens" + times);
        add(AttentionReach::CHUNK, "attention in chunks of " + tokens + " tokens" + times);
    }
    add(AttentionReach::LINEAR,
        model.reach.linear
            ? "linear attention, Mamba or a short convolution, which take the time of their "
              "kernels' traffic, or of exponentials (Mamba-1)"
            : "compressed attention, or linear attention without a rule, which is not modelled: "
              "parameters and FLOPs count its weights alone, compute times and traffic are those "
              "of full attention");
    return lines;
}

} // namespace ns3
