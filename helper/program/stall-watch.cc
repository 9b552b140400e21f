/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stall-watch.h"

#include "ns3/callback.h"
#include "ns3/replay-application.h"
#include "ns3/simulator.h"

#include <tuple>

namespace ns3
{

namespace
{

/// Time between two looks, ms: what ranks tell each other without tracing it takes far less.
constexpr uint64_t INTERVAL = 100;

} // namespace

StallWatch::StallWatch(const NetworkedJob& job)
    : m_job(job),
      m_unfinished(job.ranks.GetN())
{
    for (auto i = job.ranks.Begin(); i != job.ranks.End(); ++i)
    {
        (*i)->TraceConnectWithoutContext("IterationFinished",
                                         MakeCallback(&StallWatch::HandleIteration, this));
    }
    for (const auto* transports :
         {&job.fabric->GetTransports(), &job.fabric->GetSwitchTransports()})
    {
        for (const auto& transport : *transports)
        {
            transport->TraceConnectWithoutContext("Posted",
                                                  MakeCallback(&StallWatch::HandlePosted, this));
            transport->TraceConnectWithoutContext("Arrived",
                                                  MakeCallback(&StallWatch::HandleArrived, this));
        }
    }
    Simulator::Schedule(MilliSeconds(INTERVAL), &StallWatch::Look, this);
}

void
StallWatch::HandleIteration(const IterationRecord& record)
{
    const auto rank = DynamicCast<ReplayApplication>(m_job.ranks.Get(record.rank));
    m_unfinished -= rank->IsFinished() ? 1 : 0;
    if (m_unfinished == 0)
    {
        Simulator::Stop();
    }
}

void
StallWatch::HandlePosted(const Message& message)
{
    m_state.posted += message.IsBackground() ? 0 : 1;
}

void
StallWatch::HandleArrived(const Message& message)
{
    m_state.arrived += message.IsBackground() ? 0 : 1;
}

bool
StallWatch::IsAnyComputing() const
{
    for (auto i = m_job.ranks.Begin(); i != m_job.ranks.End(); ++i)
    {
        const auto rank = DynamicCast<ReplayApplication>(*i);
        const auto waits = rank->GetWaits();
        if (waits.empty() && !rank->IsFinished())
        {
            return true;
        }
        for (const auto& wait : waits)
        {
            if (wait.isCompute)
            {
                return true;
            }
        }
    }
    return false;
}

void
StallWatch::Look()
{
    m_state.ops = 0;
    for (auto i = m_job.ranks.Begin(); i != m_job.ranks.End(); ++i)
    {
        m_state.ops += DynamicCast<ReplayApplication>(*i)->GetFinishedOps();
    }
    const bool isUnderWay = m_state.posted > m_state.arrived && m_job.fabric->GetFailures().empty();
    const bool isSame = std::tie(m_state.ops, m_state.posted, m_state.arrived) ==
                        std::tie(m_before.ops, m_before.posted, m_before.arrived);
    if (isSame && !isUnderWay && !IsAnyComputing())
    {
        Simulator::Stop();
        return;
    }
    m_before = m_state;
    Simulator::Schedule(MilliSeconds(INTERVAL), &StallWatch::Look, this);
}

} // namespace ns3
