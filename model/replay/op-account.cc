/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-account.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
OpAccount::Setup(const WorkloadProgram& program)
{
    m_program = &program;
}

void
OpAccount::Begin()
{
    m_account.Begin(Simulator::Now());
}

void
OpAccount::Start(OpIndex index)
{
    const auto& op = m_program->GetOps()[index];
    const auto& stream = m_program->GetStreams()[op.stream];
    if (!stream.compute && !stream.host)
    {
        m_account.StartCommunication(Simulator::Now());
    }
    if (stream.compute && op.kind == OpKind::COMPUTE)
    {
        m_account.StartCompute(Simulator::Now());
    }
}

void
OpAccount::Finish(OpIndex index, Time start, Time sentAt)
{
    const auto& op = m_program->GetOps()[index];
    const auto& stream = m_program->GetStreams()[op.stream];
    const Time now = Simulator::Now();
    if (stream.compute && op.kind == OpKind::COMPUTE)
    {
        m_account.StopCompute(now);
    }
    if (!stream.compute && !stream.host)
    {
        // A receive communicates from the moment its message was posted; before, it only waits.
        const Time since = op.kind == OpKind::RECV ? std::max(start, sentAt) : start;
        m_account.StopCommunication(stream.dimension, start, since, now);
    }
}

void
OpAccount::Release(OpIndex index, Time sentAt)
{
    const auto& op = m_program->GetOps()[index];
    const auto& stream = m_program->GetStreams()[op.stream];
    m_account.Release({index, stream.dimension, op.kind == OpKind::RECV, sentAt, stream.host});
}

IterationRecord
OpAccount::End()
{
    return m_account.End(Simulator::Now());
}

} // namespace ns3
