/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wait-cycle.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

std::vector<uint32_t>
FindWaitCycle(const std::vector<WaitRecord>& waits)
{
    std::map<uint32_t, std::set<uint32_t>> waitsFor;
    for (const auto& wait : waits)
    {
        waitsFor[wait.rank].insert(wait.waitsFor.begin(), wait.waitsFor.end());
    }
    // Depth-first search with a stack of its own: a ring of ranks is as deep as it is long.
    std::set<uint32_t> visited;
    for (const auto& [start, unused] : waitsFor)
    {
        std::vector<uint32_t> path{start};
        while (!path.empty())
        {
            const uint32_t rank = path.back();
            visited.insert(rank);
            auto& targets = waitsFor[rank];
            if (targets.empty())
            {
                path.pop_back();
                continue;
            }
            const uint32_t next = *targets.begin();
            targets.erase(targets.begin());
            const auto onPath = std::find(path.begin(), path.end(), next);
            if (onPath != path.end())
            {
                return {onPath, path.end()};
            }
            if (visited.count(next) == 0)
            {
                path.push_back(next);
            }
        }
    }
    return {};
}

} // namespace ns3
