/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wait-report.h"

#include "ns3/wait-cycle.h"
#include "ns3/workload.h"

#include <cstdint>

namespace ns3
{

namespace
{

/**
 * @param wait what an unfinished rank waits in
 * @param rank it, or a rank it waits for
 * @return its number in its job, and the job if there are several
 */
std::string
NameRank(const WaitRecord& wait, uint32_t rank)
{
    return wait.workload == nullptr ? std::to_string(rank)
                                    : std::to_string(wait.workload->GetJobRank(rank).rank) +
                                          wait.workload->GetJobSuffix(rank);
}

} // namespace

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
    const auto cycle = FindWaitCycle(waits);
    if (!cycle.empty())
    {
        std::string line = "ranks that wait for each other: ";
        for (const auto rank : cycle)
        {
            line += NameRank(waits.front(), rank) + " -> ";
        }
        lines.push_back(line + NameRank(waits.front(), cycle.front()));
    }
    return lines;
}

} // namespace ns3
