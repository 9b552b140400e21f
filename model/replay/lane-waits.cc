/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lane-waits.h"

namespace ns3
{

WaitRecord
DescribeLaneWait(const WorkloadProgram& program, uint32_t rank, const WorkloadOp& op)
{
    WaitRecord wait{rank, program.GetName(op), program.GetOrigin(op), "compute", {}};
    if (op.kind == OpKind::COMPUTE)
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
        wait.waitsFor = {op.peer};
    }
    return wait;
}

} // namespace ns3
