/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "time-account.h"

#include "ns3/assert.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
TimeAccount::Begin(Time now)
{
    m_record = IterationRecord();
    m_record.start = now;
    m_since = now;
    m_working = 0;
}

void
TimeAccount::Release(const Cause& cause)
{
    m_cause = cause;
}

void
TimeAccount::StartCompute(Time now)
{
    if (m_working++ == 0)
    {
        ChargeWait(now);
        m_since = now;
    }
}

void
TimeAccount::StopCompute(Time now)
{
    if (--m_working > 0)
    {
        return;
    }
    // The past is needed only for communication under way. Intervals that touch are kept as one.
    if (!m_communication.empty())
    {
        if (!m_busy.empty() && m_busy.back().end == m_since)
        {
            m_busy.back().end = now;
        }
        else
        {
            m_busy.push_back({m_since, now, m_record.compute});
        }
    }
    m_record.compute += now - m_since;
    m_since = now;
}

void
TimeAccount::StartCommunication(Time now)
{
    m_communication.insert(now);
}

void
TimeAccount::StopCommunication(Dimension dimension, Time start, Time since, Time now)
{
    m_record.hidden[static_cast<std::size_t>(dimension)] +=
        GetComputeTime(now) - GetComputeTime(since);
    m_communication.erase(m_communication.find(start));
    while (!m_busy.empty() &&
           (m_communication.empty() || m_busy.front().end <= *m_communication.begin()))
    {
        m_busy.pop_front();
    }
}

Time
TimeAccount::GetComputeTime(Time at) const
{
    if (m_working > 0 && at >= m_since)
    {
        return m_record.compute + (at - m_since);
    }
    const auto isBefore = [](Time time, const BusyInterval& busy) { return time < busy.start; };
    const auto next = std::upper_bound(m_busy.begin(), m_busy.end(), at, isBefore);
    if (next == m_busy.begin())
    {
        return m_busy.empty() ? m_record.compute : next->before;
    }
    // All compute time before that interval, and what of it lies before the moment.
    const auto& last = *std::prev(next);
    return last.before + (std::min(at, last.end) - last.start);
}

IterationRecord
TimeAccount::End(Time now)
{
    NS_ASSERT_MSG(m_working == 0, "an iteration ends while the compute stream works");
    ChargeWait(now);
    m_record.end = now;
    return m_record;
}

void
TimeAccount::ChargeWait(Time now)
{
    const Time wait = now - m_since;
    if (!wait.IsStrictlyPositive() || m_cause.host)
    {
        return;
    }
    Time bubble;
    if (m_cause.receive && m_cause.dimension == Dimension::PP)
    {
        // Until its message was posted the stream waits for the neighbour, from then on for the
        // network.
        bubble = std::max(Time(0), std::min(m_cause.sentAt, now) - m_since);
    }
    m_record.bubble += bubble;
    m_record.exposed[static_cast<std::size_t>(m_cause.dimension)] += wait - bubble;
    if (wait > m_record.longestWait)
    {
        m_record.longestWait = wait;
        m_record.longestWaitOp = m_cause.op;
    }
}

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
