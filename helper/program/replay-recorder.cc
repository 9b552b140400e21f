/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-recorder.h"

#include "background-run.h"
#include "dry-run.h"
#include "process-agreement.h"
#include "process-group.h"
#include "process-merge.h"
#include "replay-monitor.h"
#include "replay-progress.h"
#include "stall-watch.h"
#include "time-series-sampler.h"

#include "ns3/flow-times.h"
#include "ns3/replay-application.h"
#include "ns3/replay-files.h"
#include "ns3/replay-listener.h"
#include "ns3/replay-output.h"
#include "ns3/replay-spool.h"
#include "ns3/simulator.h"
#include "ns3/switch-reducer.h"

#include <utility>

namespace ns3
{

ReplayRecorder::ReplayRecorder(NetworkedJob& job, const TopologyGraph& graph)
    : m_job(job),
      m_graph(graph)
{
    const auto handle = MakeCallback(&ReplayRecorder::HandleFault, this);
    for (auto i = job.ranks.Begin(); i != job.ranks.End(); ++i)
    {
        DynamicCast<ReplayApplication>(*i)->SetFaultCallback(handle);
    }
    for (auto i = job.switches.Begin(); i != job.switches.End(); ++i)
    {
        DynamicCast<SwitchReducer>(*i)->SetFaultCallback(handle);
    }
}

ReplayRecorder::~ReplayRecorder() = default;

void
ReplayRecorder::HandleFault(const ReplayFault& fault)
{
    m_faults.push_back({Simulator::Now(), fault.rank, fault.message});
    Simulator::Stop();
    ProcessGroup::AskToStop();
}

void
ReplayRecorder::SetBackground(BackgroundRun* background)
{
    m_background = background;
}

void
ReplayRecorder::SampleNetwork(const TimeSeriesRequest& request)
{
    m_sampler = std::make_unique<TimeSeriesSampler>(request, *m_job.fabric, m_graph);
}

void
ReplayRecorder::WriteFiles(const std::string& directory,
                           const SourceLocation& where,
                           const OutputSelection& files,
                           const std::optional<TraceSelection>& shown,
                           bool tellsPaths)
{
    m_selection = files;
    m_shown = shown;
    std::string fault;
    try
    {
        if (ProcessGroup::IsFirst())
        {
            PrepareDirectory(directory, where);
            m_files = std::make_unique<ReplayFiles>(directory,
                                                    m_job.statistics->ShareWorkload(),
                                                    m_graph,
                                                    files,
                                                    shown);
        }
    }
    catch (const WorkloadError& error)
    {
        if (ProcessGroup::GetSize() == 1)
        {
            throw;
        }
        fault = error.what();
    }
    Agree(fault, {});
    if (m_files && tellsPaths)
    {
        m_files->TellPaths(
            [this](const Message& message) { return m_job.fabric->GetPaths(message); });
    }
    if (m_files && m_job.reuse)
    {
        m_job.reuse->TraceConnectWithoutContext(
            "Skipped",
            MakeCallback(&ReplayFiles::AddSkipped, m_files.get()));
    }
}

void
ReplayRecorder::Listen()
{
    const bool isAlone = ProcessGroup::GetSize() == 1;
    // Several processes keep their records until all are merged; one process writes them at once.
    m_spool = isAlone ? nullptr : std::make_unique<ReplaySpool>();
    ReplaySink* const sink = isAlone ? static_cast<ReplaySink*>(m_files.get()) : m_spool.get();
    m_listener = sink ? std::make_unique<ReplayListener>(*sink) : nullptr;
    if (!isAlone || (m_files && (m_selection->IsWanted("collectives.csv") ||
                                 m_selection->HasOutput(&ReplayOutput::WantsCollectives))))
    {
        // The first of several processes makes the report of these, too.
        m_listener->ConnectApplications(m_job.ranks);
    }
    if (!m_selection)
    {
        return;
    }
    std::vector<Ptr<MessageTransport>> transports;
    // How long messages take by themselves follows from the topology.
    if (m_graph.GetNNodes() > 0)
    {
        transports = m_job.fabric->GetTransports();
        const auto& switches = m_job.fabric->GetSwitchTransports();
        transports.insert(transports.end(), switches.begin(), switches.end());
    }
    if (m_background)
    {
        const auto& others = m_background->GetTcpTransports();
        transports.insert(transports.end(), others.begin(), others.end());
    }
    m_listener->ConnectFiles(*m_selection, m_shown ? &*m_shown : nullptr, m_job.ranks, transports);
}

void
ReplayRecorder::WatchForEnd()
{
    // Traffic and samples would go on for ever, and so do events of some networks when ranks wait
    // for each other: the watch ends them when the jobs end, or cannot.
    if (m_background || (!m_sampler && m_job.fabric->RunsOn()))
    {
        m_watch = std::make_unique<StallWatch>(m_job, m_graph, [] { Simulator::Stop(); });
    }
    else if (m_sampler)
    {
        m_watch = std::make_unique<StallWatch>(m_job, m_graph, [this] { m_sampler->Stop(); });
    }
}

ReplayPart
ReplayRecorder::Run(std::unique_ptr<ReplayProgress> progress, std::function<bool()> stopCondition)
{
    Listen();
    WatchForEnd();
    ReplayMonitor monitor(m_job, std::move(progress), std::move(stopCondition));
    m_cost = monitor.Run();
    // The listener still has the records of the last time.
    if (m_listener)
    {
        m_listener->Flush();
    }
    // What is known is read off before the simulation is destroyed.
    ReplayPart part(m_job);
    part.interruption = monitor.GetInterruption();
    part.faults = m_faults;
    part.costs = m_cost.processes;
    part.flows = m_job.flows ? m_job.flows->Get() : std::vector<FlowTime>();
    if (m_sampler)
    {
        part.series = m_sampler->Finish();
    }
    // They refer to the job, which may be gone before this.
    m_watch.reset();
    m_sampler.reset();
    if (m_spool)
    {
        MergeProcesses(part, m_job, m_background, *m_spool, m_files.get());
    }
    return part;
}

const RunCost&
ReplayRecorder::GetCost() const
{
    return m_cost;
}

std::vector<std::string>
ReplayRecorder::Finish(const ReplayResult& result)
{
    return m_files ? m_files->Finish(result) : std::vector<std::string>();
}

} // namespace ns3
