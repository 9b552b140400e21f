/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lane-waits.h"

namespace ns3
{

uint32_t
FindLanePeer(const Workload& workload, uint32_t rank, const WorkloadOp& op)
{
    const auto id = workload.GetCommunicatorSlots(rank)[op.communicator];
    return op.peer == WorkloadOp::ANY_PEER ? op.peer
                                           : workload.GetCommunicators()[id].ranks[op.peer];
}

WaitRecord
DescribeLaneWait(const Workload& workload, uint32_t rank, const WorkloadOp& op)
{
    const auto& program = workload.GetProgram(rank);
    const bool isCompute = op.kind == OpKind::COMPUTE;
    WaitRecord
        wait{rank, program.GetName(op), program.GetOrigin(op), "compute", {}, isCompute, &workload};
    if (isCompute)
    {
        return wait;
    }
    wait.what = (op.kind == OpKind::SEND ? "send of " : "receive of ") + std::to_string(op.amount) +
                " bytes with " +
                (op.tag == WorkloadOp::ANY_TAG ? "any tag" : "tag " + std::to_string(op.tag));
    if (op.peer == WorkloadOp::ANY_PEER)
    {
        wait.what += " from any rank";
    }
    else
    {
        wait.waitsFor = {FindLanePeer(workload, rank, op)};
    }
    return wait;
}

} // namespace ns3
