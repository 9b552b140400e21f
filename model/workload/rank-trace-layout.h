/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_LAYOUT_H
#define RANK_TRACE_LAYOUT_H

#include "parallel-layout.h"
#include "rank-trace-lowering.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find the shape of the job that traces were recorded in, and check that they fit into it.
 *
 * Traces of a whole run show their microbatches, and the stages by the last stage's loss or by the
 * depth of their warm-up. One that no op communicates in has 1 rank. The world shows if no rank's
 * trace is missing. All else is the user's to say.
 *
 * @param path file or directory of the traces
 * @param traces the traces by rank, at least one, each rank once
 * @param user what the user says
 * @return the shape
 * @throws WorkloadError if a trace is incomplete, if traces contradict each other or the user, or
 *         if the user must say more
 */
ParallelLayout FindRankTraceLayout(const std::string& path,
                                   const std::vector<RankTrace>& traces,
                                   const LayoutRequest& user);

} // namespace ns3

#endif /* RANK_TRACE_LAYOUT_H */
