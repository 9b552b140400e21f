/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-message-count.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param algorithm an algorithm
 * @param call a collective
 * @return messages that the member receives
 */
uint64_t
CountReceives(const CollectiveAlgorithm& algorithm, const CollectiveCall& call)
{
    uint64_t count = 0;
    CollectiveStep step;
    for (const auto& pipeline : algorithm.Plan(call))
    {
        step.clear();
        while (pipeline->Next(step))
        {
            count += std::count_if(step.begin(), step.end(), [](const CollectiveTransfer& t) {
                return !t.IsSend();
            });
            step.clear();
        }
    }
    return count;
}

} // namespace

uint64_t
CollectiveMessageCount::Get(const CollectiveAlgorithm& algorithm, const CollectiveCall& call)
{
    const Key key{&algorithm,
                  call.kind,
                  call.bytes,
                  call.size,
                  HasRoot(call.kind) && call.index == call.root,
                  call.placement ? call.placement->GetServers().size() : 0,
                  call.placement ? call.placement->GetLargestServer() : 0};
    const auto [entry, isNew] = m_counts.try_emplace(key, 0);
    if (isNew)
    {
        entry->second = CountReceives(algorithm, call);
    }
    return entry->second;
}

} // namespace ns3
