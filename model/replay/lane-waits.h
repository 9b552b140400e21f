/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LANE_WAITS_H
#define LANE_WAITS_H

#include "replay-records.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param program a program with LANES
 * @param rank the rank that runs it
 * @param op an op of it that has started and not finished
 * @return what the rank waits for in it, and for whom
 */
WaitRecord DescribeLaneWait(const WorkloadProgram& program, uint32_t rank, const WorkloadOp& op);

} // namespace ns3

#endif /* LANE_WAITS_H */
