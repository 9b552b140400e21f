/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_SELECTION_H
#define TRACE_SELECTION_H

#include "ns3/nstime.h"
#include "ns3/workload-error.h"
#include "ns3/workload.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a user wants to see in trace.json.
 */
struct TraceRequest
{
    std::vector<uint32_t> ranks;  //!< ranks, of each job; empty = the first one of each stage
    bool hasAllRanks{false};      //!< all ranks, whatever ranks says
    std::vector<uint32_t> stages; //!< pipeline stages that these are to be of; empty = of any
    Time from{0};                 //!< nothing that has ended before
    Time to{Time::Max()};         //!< nothing that begins later
    SourceLocation ranksWhere;    //!< where ranks were given
    SourceLocation stagesWhere;   //!< where stages were given
};

/**
 * @ingroup workload-replay
 * @brief What trace.json shows.
 */
class TraceSelection
{
  public:
    /**
     * @param workload the job, or the jobs
     * @param request what the user wants to see
     * @throws WorkloadError if no job has a rank or a stage that is asked for, or none of these
     *         ranks is of these stages
     */
    TraceSelection(const Workload& workload, const TraceRequest& request);

    /**
     * @param rank a rank of the workload
     * @return whether it is shown
     */
    bool HasRank(uint32_t rank) const;

    /**
     * @param start when something began
     * @param end when it had ended
     * @return whether it is shown, if its rank is
     */
    bool Overlaps(const Time& start, const Time& end) const;

    /// Where a rank stands in the pipeline of its job.
    struct Stage
    {
        uint32_t number;  //!< its stage
        uint32_t stages;  //!< stages of the pipeline
        bool isFirstRank; //!< no lower rank is of the stage
    };

    /**
     * @param workload the job, or the jobs
     * @param rank a rank of the workload that is of a job
     * @return its stage
     */
    static Stage FindStage(const Workload& workload, uint32_t rank);

  private:
    std::vector<bool> m_hasRank; //!< by rank
    Time m_from;                 //!< see TraceRequest
    Time m_to;                   //!< see TraceRequest
};

} // namespace ns3

#endif /* TRACE_SELECTION_H */
