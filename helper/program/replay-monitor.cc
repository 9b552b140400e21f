/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-monitor.h"

#include "process-group.h"
#include "wall-clock-poll.h"

#include "ns3/process-exchange.h"
#include "ns3/radix-heap-scheduler.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulation-singleton.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"

#include <sys/resource.h>
#include <utility>

namespace ns3
{

namespace
{

/// Time between two looks at a running simulation.
constexpr std::chrono::milliseconds INTERVAL{100};

/**
 * @return what this process has used so far
 */
rusage
GetUsage()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage;
}

/**
 * @param usage what a process has used
 * @return processor time, s
 */
double
GetCpuSeconds(const rusage& usage)
{
    const auto toSeconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return toSeconds(usage.ru_utime) + toSeconds(usage.ru_stime);
}

} // namespace

uint64_t
GetPeakMemory()
{
#ifdef __APPLE__
    constexpr uint64_t unit = 1;
#else
    // Linux counts in KiB.
    constexpr uint64_t unit = 1024;
#endif
    return static_cast<uint64_t>(GetUsage().ru_maxrss) * unit;
}

ReplayMonitor::ReplayMonitor(const NetworkedJob& job,
                             std::unique_ptr<ReplayProgress> progress,
                             std::function<bool()> stopCondition)
    : m_job(job),
      m_progress(std::move(progress)),
      m_stopCondition(std::move(stopCondition)),
      m_start(std::chrono::steady_clock::now())
{
}

RunCost
ReplayMonitor::Run()
{
    m_start = std::chrono::steady_clock::now();
    // The time before, for reading and building, is not that of the simulation.
    const double cpuStart = GetCpuSeconds(GetUsage());
    const uint64_t windowsStart = RadixHeapScheduler::GetNWaits();
    // If the first process shows progress, the others report to it how far they are.
    const bool isShown = !ProcessGroup::Broadcast(m_progress ? "shown" : "").empty();
    m_tellsShare = isShown && !m_progress;
    const bool isAlone = ProcessGroup::GetSize() == 1;
    WallClockPoll poll(
        INTERVAL,
        [this] { Watch(); },
        isAlone);
    if (!isAlone)
    {
        SimulationSingleton<ProcessExchange>::Get()->SetHeartbeat(
            MakeCallback(&WallClockPoll::Look, &poll));
    }
    Simulator::Run();
    ProcessCost own;
    const auto usage = GetUsage();
    own.cpuSeconds = GetCpuSeconds(usage) - cpuStart;
    // The monitor's own looks are events, but none of the replay.
    own.events = Simulator::GetEventCount() - poll.GetCalls();
    own.peakMemory = GetPeakMemory();
    if (!isAlone)
    {
        auto* const exchange = SimulationSingleton<ProcessExchange>::Get();
        exchange->SetHeartbeat(Callback<void>());
        own.lookAhead = m_job.fabric->GetLookAhead();
        own.windows = RadixHeapScheduler::GetNWaits() - windowsStart;
        own.messages = exchange->GetNMessages();
        own.messageBytes = exchange->GetNBytes();
    }
    RunCost cost;
    cost.wallSeconds = GetElapsed();
    cost.SetProcesses({own});
    cost.seed = RngSeedManager::GetSeed();
    cost.rngRun = RngSeedManager::GetRun();
    cost.moduleVersion = WORKLOAD_REPLAY_VERSION;
    cost.ns3Version = WORKLOAD_REPLAY_NS3_VERSION;
    if (m_progress)
    {
        m_progress->Finish();
    }
    return cost;
}

const std::string&
ReplayMonitor::GetInterruption() const
{
    return m_interruption;
}

void
ReplayMonitor::Watch()
{
    const double elapsed = GetElapsed();
    if (ProcessGroup::IsAskedToStop())
    {
        Simulator::Stop();
    }
    else if (m_stopCondition && m_stopCondition())
    {
        m_interruption = "interrupted at " + FormatMs(Simulator::Now()) + " ms, when " +
                         FormatFixed(100 * GetShare(), 1) + " % was done";
        Simulator::Stop();
        ProcessGroup::AskToStop();
    }
    else if (m_tellsShare)
    {
        ProcessGroup::TellShare(GetShare());
    }
    else if (m_progress && m_progress->IsDue(elapsed))
    {
        m_progress->Show(
            {ProcessGroup::GetMeanShare(GetShare()), elapsed, Simulator::GetEventCount()});
    }
}

double
ReplayMonitor::GetShare()
{
    if (!m_work)
    {
        // Only now: it takes time, and most short replays end before.
        m_work = std::make_unique<ReplayWork>(m_job.ranks,
                                              m_job.fabric->GetTransports(),
                                              m_job.statistics,
                                              m_job.fabric->Describe());
    }
    return m_work->GetShare();
}

double
ReplayMonitor::GetElapsed() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

} // namespace ns3
