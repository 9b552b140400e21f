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
 * @brief Turns the lines of a Megatron rank trace into ops.
 *
 * A line is `rank:R:OP(KEY=VALUE,...)`. Lines of a schedule plan (`stage:S:...`), which state no
 * times, are skipped.
 */
class RankTraceParser
{
  public:
    /**
     * @param text the trace
     */
    explicit RankTraceParser(const WorkloadText& text);

    /**
     * @return the ops in the order of the file, all of one rank and stage, at least one
     * @throws WorkloadError naming the first place that is wrong
     */
    std::vector<RankTraceOp> Parse() const;

  private:
    /**
     * @param line a line of an op
     * @return the op
     */
    RankTraceOp ParseLine(const WorkloadText::Line& line) const;

    const WorkloadText& m_text; //!< the trace
};

} // namespace ns3

#endif /* RANK_TRACE_PARSER_H */
