/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_LIST_LOWERING_H
#define FLOW_LIST_LOWERING_H

#include "flow-list.h"
#include "workload.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Make a job of a flow list: each host is a rank, each flow a message that begins at its
 * time or when its trigger fires.
 *
 * Flows of one pair have connections of their own, up to sixteen. A trigger that fires at another
 * host than the one whose flow it starts is notified by a message of 1 byte.
 *
 * @param list the flows, whose hosts are below the world
 * @param world number of ranks
 * @return the job
 * @throws WorkloadError if a trigger is not there, or does not get as many flows as it waits for
 */
std::shared_ptr<const Workload> LowerFlowList(const FlowList& list, uint32_t world);

} // namespace ns3

#endif /* FLOW_LIST_LOWERING_H */
