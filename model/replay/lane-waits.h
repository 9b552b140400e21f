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
 * @param workload the job
 * @param rank a rank whose program has LANES
 * @param op a SEND or RECV of it
 * @return the rank at the other end; WorkloadOp::ANY_PEER of a RECV from any rank
 */
uint32_t FindLanePeer(const Workload& workload, uint32_t rank, const WorkloadOp& op);

/**
 * @ingroup workload-replay
 * @param workload the job; must outlive the record
 * @param rank a rank whose program has LANES
 * @param op an op of it that has started and not finished
 * @return what the rank waits for in it, and for whom
 */
WaitRecord DescribeLaneWait(const Workload& workload, uint32_t rank, const WorkloadOp& op);

} // namespace ns3

#endif /* LANE_WAITS_H */
