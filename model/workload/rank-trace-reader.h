/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_READER_H
#define RANK_TRACE_READER_H

#include "parallel-layout.h"
#include "workload.h"

#include "ns3/workload-text.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What rank traces do not say themselves.
 */
struct RankTraceOptions
{
    LayoutRequest layout; //!< shape of the job, as far as the traces do not show it
    std::string schedule; //!< order of the passes of profiles, of the schedules that have one chunk
                          //!< a stage and whole backward passes: 1f1b, gpipe; empty = 1f1b
    uint64_t ppBytes{0};  //!< bytes of a message between stages where none was recorded; 0 = as
                          //!< large as the activations that tensor-parallel ranks share
    double bytesScale{1}; //!< factor of all recorded bytes, above 0
    bool robust{false};   //!< passes of profiles that are out of line are replaced, see
                          //!< FindRankTraceOutliers()
};

/**
 * @ingroup workload-replay
 * @brief Read Megatron rank traces and lower them to a workload.
 *
 * A directory holds one file per rank, whatever its name; files that do not begin as traces do are
 * not read. Ranks of a whole run keep the order they were recorded in (LowerRankTrace()). Profiles
 * of one microbatch, recorded by one GPU alone, are put in the order of a pipeline schedule
 * (ExpandRankTrace()); one of each stage may have been recorded for a world of another size. A rank
 * without a trace takes one of the same stage, if possible one with the same index in the
 * expert-parallel group. A single file stands for all stages, in the order of a schedule. Each such
 * assumption is a warning of the workload.
 *
 * @param fileOrDirectory a file, or a directory of files
 * @param options what the traces do not say
 * @return the workload
 * @throws WorkloadError if a trace or an option is wrong, if they contradict each other, or if the
 *         user must say more about the shape of the job
 */
std::shared_ptr<const Workload> ReadRankTraces(const std::string& fileOrDirectory,
                                               const RankTraceOptions& options);

/**
 * @ingroup workload-replay
 * @brief Recognize a rank trace by its content.
 *
 * @param text a file
 * @return true if its first line is that of a rank trace or of a schedule plan
 */
bool LooksLikeRankTrace(const WorkloadText& text);

} // namespace ns3

#endif /* RANK_TRACE_READER_H */
