/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_OUTLIERS_H
#define RANK_TRACE_OUTLIERS_H

#include "rank-trace.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find what rank traces cannot have recorded of the job itself, and name it.
 *
 * - A pass of a single-GPU profile that is out of line: the first forward pass after a start also
 *   loads code and chooses kernels. Other profiles of its stage (of all stages, if its own has
 * fewer than two) show how long a forward pass is beside its backward pass; the pass takes 1.4
 * times as long as that or more. Loads of experts, which differ by rank, are in both passes.
 * - A clock that jumps: between two ops of a run there is more time than in all of its ops.
 * - A slow stage: its passes take 1.5 times as long as the median stage's, or more, of three stages
 *   or more.
 *
 * @param [in,out] traces traces
 * @param robust whether a forward pass that is out of line is made as long as its peers' median
 * says, and a backward pass likewise, its collectives in proportion
 * @return a line for each of them, with the op, its place and the factor
 */
std::vector<std::string> FindRankTraceOutliers(std::vector<RankTrace>& traces, bool robust);

} // namespace ns3

#endif /* RANK_TRACE_OUTLIERS_H */
