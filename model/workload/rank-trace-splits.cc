/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-splits.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>

namespace ns3
{

namespace
{

/// An all-to-all of a trace.
struct Call
{
    uint64_t bytes{0};      //!< what the rank puts into it
    std::size_t partner{0}; //!< index of the all-to-all that undoes it or that it undoes; its own
                            //!< index if there is none
    uint32_t line{0};       //!< line of its op
};

/**
 * @param trace a trace
 * @return its all-to-alls in their order
 */
std::vector<Call>
FindCalls(const RankTrace& trace)
{
    std::vector<Call> calls;
    for (const auto& op : trace.ops)
    {
        const auto first = calls.size();
        for (const auto& collective : op.collectives)
        {
            if (collective.HasSplits())
            {
                calls.push_back({collective.bytes, calls.size(), op.line});
            }
        }
        // All-to-alls of an op come in pairs: out to the experts, and back.
        for (auto call = first; call + 1 < calls.size(); call += 2)
        {
            calls[call].partner = call + 1;
            calls[call + 1].partner = call;
        }
    }
    return calls;
}

/**
 * @param members traces of a group
 * @param calls their all-to-alls
 */
void
CheckCalls(const std::vector<const RankTrace*>& members,
           const std::vector<std::vector<Call>>& calls)
{
    auto agree = [](const Call& a, const Call& b) { return a.partner == b.partner; };
    for (std::size_t member = 1; member < calls.size(); ++member)
    {
        if (!std::equal(calls[member].begin(),
                        calls[member].end(),
                        calls[0].begin(),
                        calls[0].end(),
                        agree))
        {
            throw WorkloadError({members[member]->file, 0, 0, ""},
                                std::to_string(calls[0].size()) +
                                    " all-to-alls, spread over the ops as in " + members[0]->file +
                                    " of the same group",
                                std::to_string(calls[member].size()));
        }
    }
}

/**
 * Share bytes out in proportion to weights; what rounding cuts off one part goes to the next one.
 *
 * @param bytes the bytes
 * @param weights the weights; all 0 = equal ones
 * @return the parts, which sum up to the bytes
 */
std::vector<uint64_t>
Share(uint64_t bytes, std::vector<uint64_t> weights)
{
    const auto isZero = [](uint64_t weight) { return weight == 0; };
    if (std::all_of(weights.begin(), weights.end(), isZero))
    {
        std::fill(weights.begin(), weights.end(), 1);
    }
    std::partial_sum(weights.begin(), weights.end(), weights.begin());
    std::vector<uint64_t> parts;
    uint64_t given = 0;
    for (const auto weight : weights)
    {
        // The sums are rounded, not the parts, so that no byte is lost; a product of two sizes
        // needs 128 bits.
        const auto upTo =
            static_cast<uint64_t>(static_cast<__int128_t>(bytes) * weight / weights.back());
        parts.push_back(upTo - given);
        given = upTo;
    }
    return parts;
}

} // namespace

RankTraceSplits
EstimateSplits(const std::vector<const RankTrace*>& members, uint32_t index)
{
    RankTraceSplits splits;
    // Ranks that do the same put in the same: all parts are equal.
    if (std::all_of(members.begin(), members.end(), [&](const auto* m) { return m == members[0]; }))
    {
        return splits;
    }
    std::vector<std::vector<Call>> calls;
    calls.reserve(members.size());
    for (const auto* member : members)
    {
        calls.push_back(FindCalls(*member));
    }
    CheckCalls(members, calls);
    for (std::size_t call = 0; call < calls[0].size(); ++call)
    {
        const auto brings = [call](const auto& member) { return member[call].bytes > 0; };
        if (std::none_of(calls.begin(), calls.end(), brings))
        {
            splits.push_back(nullptr);
            continue;
        }
        const auto partner = calls[0][call].partner;
        // Tokens come back from where they went: the partner's sizes give how many each member has.
        std::vector<uint64_t> weights;
        weights.reserve(calls.size());
        for (const auto& member : calls)
        {
            weights.push_back(partner == call ? 1 : member[partner].bytes);
        }
        AllToAllSplits split;
        split.send = Share(calls[index][call].bytes, weights);
        for (const auto& member : calls)
        {
            split.receive.push_back(Share(member[call].bytes, weights)[index]);
        }
        splits.push_back(std::make_shared<AllToAllSplits>(std::move(split)));
    }
    return splits;
}

} // namespace ns3
