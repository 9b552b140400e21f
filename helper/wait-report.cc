/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wait-report.h"

#include "ns3/workload.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ns3
{

namespace
{

/// Ranks that a line names; of others it gives how many there are.
constexpr std::size_t MOST_NAMED = 8;

/// Ranks that wait in one op of one communicator.
struct WaitGroup
{
    const WaitRecord* first{nullptr}; //!< what the first of them waits in
    std::vector<uint32_t> ranks;      //!< they
    std::set<uint32_t> others;        //!< ranks they wait for
};

/**
 * @param wait a wait of their job
 * @param ranks ranks, at least one
 * @return "rank 3", "ranks 3, 5", "ranks 3, 5, ... (512 in all)"
 */
template <typename T>
std::string
NameRanks(const WaitRecord& wait, const T& ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    std::size_t named = 0;
    for (const auto rank : ranks)
    {
        if (named == MOST_NAMED)
        {
            return text + ", ... (" + std::to_string(ranks.size()) + " in all)";
        }
        text += (named++ > 0 ? ", " : "") + NameRank(wait, rank);
    }
    return text;
}

/**
 * @param waits what unfinished ranks wait for
 * @return a line for ranks that wait for each other, if there are such; else empty
 */
std::string
DescribeCycle(const std::vector<WaitRecord>& waits)
{
    const auto cycle = FindWaitCycle(waits);
    if (cycle.empty())
    {
        return "";
    }
    std::string line = "ranks that wait for each other: ";
    for (const auto rank : cycle)
    {
        line += NameRank(waits.front(), rank) + " -> ";
    }
    return line + NameRank(waits.front(), cycle.front());
}

} // namespace

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
            // A reference, from which edges are erased: each is followed once.
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

std::string
NameRank(const WaitRecord& wait, uint32_t rank)
{
    return wait.workload == nullptr ? std::to_string(rank)
                                    : std::to_string(wait.workload->GetJobRank(rank).rank) +
                                          wait.workload->GetJobSuffix(rank);
}

std::vector<std::string>
DescribeWaits(const std::vector<WaitRecord>& waits)
{
    std::vector<std::string> lines;
    for (const auto& wait : waits)
    {
        std::string line = wait.origin + ": rank " + NameRank(wait, wait.rank) + " waits in " +
                           wait.op + " (" + wait.what + ")";
        const char* separator = " for rank ";
        for (const auto rank : wait.waitsFor)
        {
            line += separator + NameRank(wait, rank);
            separator = ", ";
        }
        lines.push_back(line);
    }
    const auto cycle = DescribeCycle(waits);
    if (!cycle.empty())
    {
        lines.push_back(cycle);
    }
    return lines;
}

std::vector<std::string>
SummarizeWaits(const std::vector<WaitRecord>& waits, std::size_t most)
{
    if (waits.size() <= most)
    {
        return DescribeWaits(waits);
    }
    std::vector<WaitGroup> groups;
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
    for (const auto& wait : waits)
    {
        // Ranks that wait in the same op for the same thing share a line.
        const auto [place, isNew] =
            places.try_emplace({wait.origin, wait.op, wait.what}, groups.size());
        if (isNew)
        {
            groups.push_back({&wait, {}, {}});
        }
        auto& group = groups[place->second];
        group.ranks.push_back(wait.rank);
        group.others.insert(wait.waitsFor.begin(), wait.waitsFor.end());
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i)
    {
        const auto& [first, ranks, others] = groups[i];
        lines.push_back(first->origin + ": " + NameRanks(*first, ranks) +
                        (ranks.size() == 1 ? " waits in " : " wait in ") + first->op + " (" +
                        first->what + ")" +
                        (others.empty() ? "" : " for " + NameRanks(*first, others)));
    }
    if (groups.size() > most)
    {
        lines.push_back("and ranks in " + std::to_string(groups.size() - most) +
                        " other places; waits.csv in outputDir has all");
    }
    const auto cycle = DescribeCycle(waits);
    if (!cycle.empty())
    {
        lines.push_back(cycle);
    }
    return lines;
}

} // namespace ns3
