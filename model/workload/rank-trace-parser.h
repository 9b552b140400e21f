/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_PARSER_H
#define RANK_TRACE_PARSER_H

#include "rank-trace.h"

#include "ns3/workload-text.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Turn the lines of a Megatron rank trace into ops.
 *
 * A line is `rank:R:OP(KEY=VALUE,...)`. Lines of a schedule plan (`stage:S:...`), which state no
 * times, are skipped.
 *
 * @param text the trace
 * @return the ops in the order of the file, all of one rank and stage, at least one
 * @throws WorkloadError naming the first place that is wrong
 */
std::vector<RankTraceOp> ParseRankTrace(const WorkloadText& text);

} // namespace ns3

#endif /* RANK_TRACE_PARSER_H */
