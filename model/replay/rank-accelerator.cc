/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-accelerator.h"

#include "rank-messenger.h"

#include "ns3/peer-channels.h"

namespace ns3
{

RankAccelerator::RankAccelerator(const RankMessenger& messenger)
    : m_messenger(messenger)
{
}

RankAccelerator::Taken
RankAccelerator::StartMessage(const WorkloadProgram& program, const WorkloadOp& op)
{
    if (!IsSlowing(program, op))
    {
        return {};
    }
    const auto* placement = m_messenger.FindPlacement(op);
    return Start(op,
                 placement ? std::optional(PeerChannels(*placement).Count(op.amount))
                           : std::nullopt);
}

RankAccelerator::Taken
RankAccelerator::StartCollective(const WorkloadProgram& program,
                                 const WorkloadOp& op,
                                 const CollectivePlan& plan,
                                 const CollectiveCall& call)
{
    if (!IsSlowing(program, op) || !plan.algorithm->RunsKernels())
    {
        return {};
    }
    return Start(op,
                 op.multiprocessors > 0
                     ? std::optional<uint32_t>(op.multiprocessors)
                     : plan.algorithm->CountMultiprocessors(plan.Complete(call)));
}

void
RankAccelerator::Stop(Taken& taken)
{
    if (taken)
    {
        m_clock.StopCommunication(*taken);
        taken.reset();
    }
}

bool
RankAccelerator::IsSlowing(const WorkloadProgram& program, const WorkloadOp& op) const
{
    return m_clock.IsShared() && !program.GetStreams()[op.stream].host;
}

RankAccelerator::Taken
RankAccelerator::Start(const WorkloadOp& op, std::optional<uint32_t> multiprocessors)
{
    ComputeClock::Kernel kernel;
    kernel.reach = m_messenger.UsesNetwork(op) ? ComputeClock::NETWORK : ComputeClock::SERVER;
    if (m_clock.GetMultiprocessors() > 0)
    {
        kernel.multiprocessors = multiprocessors;
    }
    m_clock.StartCommunication(kernel);
    return kernel;
}

} // namespace ns3
