/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stall-watch.h"

#include "ns3/byte-record.h"
#include "ns3/callback.h"
#include "ns3/process-exchange.h"
#include "ns3/replay-application.h"
#include "ns3/simulation-singleton.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Time between two looks, ms: what ranks report to each other without tracing it takes far less.
constexpr uint64_t INTERVAL = 100;

} // namespace

StallWatch::StallWatch(const NetworkedJob& job,
                       const TopologyGraph& graph,
                       std::function<void()> end)
    : m_job(job),
      m_end(std::move(end)),
      m_unfinished(job.ranks.GetN())
{
    // No process runs further ahead of another than the longest cable. Where there is one process
    // it waits as long, so that the results are the same.
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        m_delay = Max(m_delay, graph.GetLink(link).delay + TimeStep(1));
    }
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
            if (transport)
            {
                transport->TraceConnectWithoutContext(
                    "Posted",
                    MakeCallback(&StallWatch::HandlePosted, this));
                transport->TraceConnectWithoutContext(
                    "Arrived",
                    MakeCallback(&StallWatch::HandleArrived, this));
            }
        }
    }
    if (ProcessExchange::GetSize() > 1)
    {
        SimulationSingleton<ProcessExchange>::Get()->SetHandler(
            ProcessExchange::NOTICES,
            MakeCallback(&StallWatch::Handle, this));
    }
    // A process without ranks has nothing to wait for.
    if (m_unfinished == 0)
    {
        Simulator::ScheduleNow(&StallWatch::TellEnd, this);
    }
    Simulator::Schedule(MilliSeconds(INTERVAL), &StallWatch::TellState, this);
}

void
StallWatch::HandleIteration(const IterationRecord& record)
{
    // Ranks were installed in ascending order.
    const auto rank =
        std::lower_bound(m_job.ranks.Begin(),
                         m_job.ranks.End(),
                         record.rank,
                         [](const Ptr<Application>& application, uint32_t number) {
                             return DynamicCast<ReplayApplication>(application)->GetRank() < number;
                         });
    // A record is of one iteration; the rank has finished with its last.
    m_unfinished -= DynamicCast<ReplayApplication>(*rank)->IsFinished() ? 1 : 0;
    if (m_unfinished == 0)
    {
        TellEnd();
    }
}

void
StallWatch::HandlePosted(const Message& message)
{
    // Background traffic goes on for ever: it shows no progress of the job.
    m_own.posted += message.IsBackground() ? 0 : 1;
}

void
StallWatch::HandleArrived(const Message& message)
{
    m_own.arrived += message.IsBackground() ? 0 : 1;
}

bool
StallWatch::IsAnyComputing() const
{
    for (auto i = m_job.ranks.Begin(); i != m_job.ranks.End(); ++i)
    {
        const auto rank = DynamicCast<ReplayApplication>(*i);
        const auto waits = rank->GetWaits();
        // A rank that neither waits nor has finished goes on by itself.
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
StallWatch::TellEnd()
{
    Tell("");
}

void
StallWatch::TellState()
{
    // The next state would keep the simulation running.
    if (m_isOver)
    {
        return;
    }
    m_own.ops = 0;
    for (auto i = m_job.ranks.Begin(); i != m_job.ranks.End(); ++i)
    {
        m_own.ops += DynamicCast<ReplayApplication>(*i)->GetFinishedOps();
    }
    m_own.isComputing = IsAnyComputing();
    m_own.hasFailed = !m_job.fabric->GetFailures().empty();
    Tell(WriteRecord(m_own));
    Simulator::Schedule(MilliSeconds(INTERVAL), &StallWatch::TellState, this);
}

void
StallWatch::Tell(const std::string& bytes)
{
    const uint32_t own = ProcessExchange::GetRank();
    for (uint32_t process = 0; process < ProcessExchange::GetSize(); ++process)
    {
        if (process != own)
        {
            SimulationSingleton<ProcessExchange>::Get()->Send(process,
                                                              ProcessExchange::NOTICES,
                                                              Simulator::Now() + m_delay,
                                                              bytes);
        }
    }
    // To this process it takes as long, so that all hear the same at the same time.
    Simulator::Schedule(m_delay, &StallWatch::Handle, this, own, bytes);
}

void
StallWatch::Handle(uint32_t from [[maybe_unused]], const std::string& bytes)
{
    // An empty state says that a process has ended.
    if (bytes.empty())
    {
        ++m_ended;
        if (m_ended == ProcessExchange::GetSize())
        {
            End();
        }
        return;
    }
    const auto state = ReadRecord<ProcessState>(bytes);
    m_all.ops += state.ops;
    m_all.posted += state.posted;
    m_all.arrived += state.arrived;
    m_all.computing += state.isComputing ? 1 : 0;
    m_all.failed += state.hasFailed ? 1 : 0;
    ++m_all.toldBy;
    // The states of all processes at one time are complete.
    if (m_all.toldBy == ProcessExchange::GetSize())
    {
        Look();
        // Compared with the states of an interval before.
        m_before = m_all;
        m_all = State();
    }
}

void
StallWatch::Look()
{
    // A message under way will arrive, unless its connection has given up.
    const bool isUnderWay = m_all.posted > m_all.arrived && m_all.failed == 0;
    const bool isSame = std::tie(m_all.ops, m_all.posted, m_all.arrived) ==
                        std::tie(m_before.ops, m_before.posted, m_before.arrived);
    if (isSame && !isUnderWay && m_all.computing == 0)
    {
        End();
    }
}

void
StallWatch::End()
{
    if (!m_isOver)
    {
        m_isOver = true;
        m_end();
    }
}

} // namespace ns3
