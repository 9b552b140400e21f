/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "time-account.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
TimeAccount::Begin(Time now)
{
    m_record = IterationRecord();
    m_record.start = now;
    m_since = now;
    m_working = false;
}

void
TimeAccount::Release(const Cause& cause)
{
    m_cause = cause;
}

void
TimeAccount::StartCompute(Time now)
{
    ChargeWait(now);
    m_since = now;
    m_working = true;
}

void
TimeAccount::StopCompute(Time now)
{
    m_record.compute += now - m_since;
    m_since = now;
    m_working = false;
}

Time
TimeAccount::GetComputeTime(Time now) const
{
    return m_working ? m_record.compute + (now - m_since) : m_record.compute;
}

void
TimeAccount::AddHidden(Dimension dimension, Time hidden)
{
    m_record.hidden[static_cast<std::size_t>(dimension)] += hidden;
}

IterationRecord
TimeAccount::End(Time now)
{
    NS_ASSERT_MSG(!m_working, "an iteration ends while the compute stream works");
    ChargeWait(now);
    m_record.end = now;
    return m_record;
}

void
TimeAccount::ChargeWait(Time now)
{
    const Time wait = now - m_since;
    if (!wait.IsStrictlyPositive())
    {
        return;
    }
    Time bubble;
    if (m_cause.receive && m_cause.dimension == Dimension::PP)
    {
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

} // namespace ns3
