/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-selection.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param workload the job, or the jobs
 * @param rank a rank of the workload
 * @return the shape of its job
 */
const ParallelLayout&
GetLayout(const Workload& workload, uint32_t rank)
{
    const auto& jobs = workload.GetJobs();
    return jobs.empty() ? workload.GetLayout()
                        : jobs.at(workload.GetJobRank(rank).job).workload->GetLayout();
}

/**
 * @param numbers what is asked for
 * @param count how many there are in the largest job
 * @param what what they are numbers of
 * @param where where they were given
 * @throws WorkloadError if one of them is not there
 */
void
CheckNumbers(const std::vector<uint32_t>& numbers,
             uint32_t count,
             const std::string& what,
             const SourceLocation& where)
{
    const auto most = std::max_element(numbers.begin(), numbers.end());
    if (most != numbers.end() && *most >= count)
    {
        throw WorkloadError(where,
                            count == 1 ? "no " + what + " but 0"
                                       : what + "s from 0 to " + std::to_string(count - 1),
                            std::to_string(*most));
    }
}

/**
 * @param numbers some numbers
 * @param number a number
 * @return whether it is one of them
 */
bool
Contains(const std::vector<uint32_t>& numbers, uint32_t number)
{
    // Ascending, see Sort().
    return std::binary_search(numbers.begin(), numbers.end(), number);
}

/**
 * @param numbers some numbers
 * @return the same, ascending
 */
std::vector<uint32_t>
Sort(std::vector<uint32_t> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

} // namespace

TraceSelection::TraceSelection(const Workload& workload, const TraceRequest& request)
    : m_hasRank(workload.GetLayout().world),
      m_from(request.from),
      m_to(request.to)
{
    const auto ranks = Sort(request.ranks);
    const auto stages = Sort(request.stages);
    uint32_t world = 0;
    uint32_t depth = 0;
    for (uint32_t rank = 0; rank < m_hasRank.size(); ++rank)
    {
        const auto place = workload.GetJobRank(rank);
        if (place.job == Workload::JobRank::NO_JOB)
        {
            continue;
        }
        const auto stage = FindStage(workload, rank);
        world = std::max(world, GetLayout(workload, rank).world);
        depth = std::max(depth, stage.stages);
        // Unless ranks are named, the first one of each stage is shown.
        const bool isAsked = request.hasAllRanks || Contains(ranks, place.rank) ||
                             (ranks.empty() && stage.isFirstRank);
        m_hasRank[rank] = isAsked && (stages.empty() || Contains(stages, stage.number));
    }
    CheckNumbers(ranks, world, "rank", request.ranksWhere);
    CheckNumbers(stages, depth, "pipeline stage", request.stagesWhere);
    if (std::find(m_hasRank.begin(), m_hasRank.end(), true) == m_hasRank.end())
    {
        throw WorkloadError(request.stagesWhere, "stages of the ranks in traceRanks", "others");
    }
}

bool
TraceSelection::HasRank(uint32_t rank) const
{
    return m_hasRank.at(rank);
}

bool
TraceSelection::Overlaps(const Time& start, const Time& end) const
{
    return start <= m_to && end >= m_from;
}

TraceSelection::Stage
TraceSelection::FindStage(const Workload& workload, uint32_t rank)
{
    // Ranks are laid out in the order tp-cp-dp-pp, see ParallelGroups.
    const auto& layout = GetLayout(workload, rank);
    const auto ranksOfStage = std::max(layout.world / layout.pp, 1U);
    const auto number = workload.GetJobRank(rank).rank;
    return {std::min(number / ranksOfStage, layout.pp - 1),
            layout.pp,
            number % ranksOfStage == 0 && number / ranksOfStage < layout.pp};
}

} // namespace ns3
