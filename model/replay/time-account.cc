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
    auto& last = m_spells[(m_nextSpell + RECENT - 1) % RECENT];
    if (last.end == m_since)
    {
        last.end = now;
    }
    else
    {
        m_spells[m_nextSpell] = {m_since, now};
        m_nextSpell = (m_nextSpell + 1) % RECENT;
    }
    m_since = now;
    m_working = false;
}

Time
TimeAccount::GetComputeTime(Time now) const
{
    return m_working ? m_record.compute + (now - m_since) : m_record.compute;
}

Time
TimeAccount::GetRecentComputeTime(Time since, Time now) const
{
    Time sum = m_working ? now - std::max(m_since, since) : Time(0);
    for (const auto& spell : m_spells)
    {
        sum += std::max(Time(0), spell.end - std::max(spell.start, since));
    }
    return sum;
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
