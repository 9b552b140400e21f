/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-reporter.h"

#include "dry-run.h"
#include "network-troubles.h"
#include "process-merge.h"
#include "rdma-replay-fabric.h"
#include "replay-monitor.h"
#include "replay-part.h"
#include "stall-watch.h"
#include "tcp-replay-fabric.h"
#include "unused-links.h"

#include "ns3/abort.h"
#include "ns3/pointer.h"
#include "ns3/replay-files.h"
#include "ns3/replay-listener.h"
#include "ns3/replay-report.h"
#include "ns3/simulator.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/text-table.h"
#include "ns3/trace-selection.h"

#include <optional>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param ranks applications of ReplayHelper
 * @return their transports
 */
std::vector<Ptr<MessageTransport>>
FindTransports(const ApplicationContainer& ranks)
{
    std::vector<Ptr<MessageTransport>> transports;
    for (auto rank = ranks.Begin(); rank != ranks.End(); ++rank)
    {
        PointerValue transport;
        (*rank)->GetAttribute("Transport", transport);
        transports.push_back(transport.Get<MessageTransport>());
    }
    return transports;
}

/**
 * @param files which files are asked for
 * @param hasGraph whether the topology is known
 * @return those of them that a script can have
 */
OutputSelection
LeaveOutUnknown(const OutputSelection& files, bool hasGraph)
{
    auto selection = files;
    // Nobody looks at ports over time.
    selection.LeaveOut("timeseries.csv");
    // Files about links and paths take a graph.
    for (const std::string name : {"fabric.json", "fabric.dot", "flows.csv", "links.csv"})
    {
        if (!hasGraph)
        {
            selection.LeaveOut(name);
        }
    }
    return selection;
}

} // namespace

/// A network of which nothing is known but what a script says.
class ReplayReporter::ScriptFabric : public ReplayFabric
{
  public:
    /**
     * @param description what reports say of it
     */
    explicit ScriptFabric(FabricDescription description)
        : m_description(std::move(description))
    {
    }

    FabricDescription Describe() const override
    {
        return m_description;
    }

  protected:
    const TopologyGraph* GetGraph() const override
    {
        return nullptr;
    }

    PortCounters ReadPort(uint32_t link [[maybe_unused]],
                          uint32_t from [[maybe_unused]]) const override
    {
        return {};
    }

  private:
    FabricDescription m_description; //!< what reports say of it
};

/// What writes files.
struct ReplayReporter::Files
{
    OutputSelection selection;                //!< which are written
    std::optional<TraceSelection> shown;      //!< what trace.json shows; absent = it is not written
    std::unique_ptr<ReplayFiles> writer;      //!< writes them
    std::unique_ptr<ReplayListener> listener; //!< reports to it what happens
};

ReplayReporter::ReplayReporter(std::shared_ptr<const Workload> workload,
                               const ApplicationContainer& ranks)
    : m_workload(std::move(workload)),
      m_job(std::make_unique<NetworkedJob>(m_workload, ranks, FindTransports(ranks)))
{
    // Until SetFabric(), and for scripts that do without: a network of which nothing is known.
    m_job->fabric = std::make_unique<ScriptFabric>(FabricDescription());
}

ReplayReporter::~ReplayReporter() = default;

void
ReplayReporter::SetFabric(RdmaFabricHelper& fabric)
{
    m_graph = fabric.GetNetwork()->GetGraph();
    m_job->fabric = std::make_unique<RdmaReplayFabric>(fabric, m_graph.GetName());
    m_job->statistics->ConnectTransports(fabric.GetSwitchTransports());
    AddFabricWarnings();
}

void
ReplayReporter::SetFabric(TcpFabricHelper& fabric)
{
    m_graph = fabric.GetGraph();
    m_job->fabric = std::make_unique<TcpReplayFabric>(fabric, FindTransports(m_job->ranks));
    AddFabricWarnings();
}

void
ReplayReporter::SetFabric(const FabricDescription& description)
{
    m_job->fabric = std::make_unique<ScriptFabric>(description);
}

void
ReplayReporter::AddFabricWarnings()
{
    // As in the program's reports, results rest on what the fabric warns of.
    const auto warnings = GatherFabricWarnings(*m_job->fabric, m_graph);
    m_assumptions.insert(m_assumptions.end(), warnings.begin(), warnings.end());
}

void
ReplayReporter::SetReuse(Ptr<CollectiveReuse> reuse)
{
    m_job->reuse = reuse;
    reuse->TraceConnectWithoutContext(
        "Skipped",
        MakeCallback(&ReplayStatistics::AddSkipped, m_job->statistics.get()));
}

void
ReplayReporter::AddAssumption(const std::string& assumption)
{
    m_assumptions.push_back(assumption);
}

void
ReplayReporter::WriteFiles(const std::string& directory, const OutputSelection& files)
{
    const SourceLocation where{directory, 0, 0, ""};
    const bool isKnown = m_graph.GetNNodes() > 0;
    auto own = std::make_unique<Files>();
    own->selection = LeaveOutUnknown(files, isKnown);
    if (m_job->reuse && own->selection.IsWanted("flows.csv"))
    {
        throw WorkloadError(where,
                            "files without flows.csv, because reused collectives have no messages",
                            "flows.csv");
    }
    // Only now: no directory is made before all else is found right.
    PrepareDirectory(directory, where);
    if (own->selection.IsWanted("trace.json"))
    {
        own->shown.emplace(*m_workload, TraceRequest());
    }
    own->writer =
        std::make_unique<ReplayFiles>(directory, m_workload, m_graph, own->selection, own->shown);
    own->listener = std::make_unique<ReplayListener>(*own->writer);
    if (own->selection.IsWanted("collectives.csv") ||
        own->selection.HasOutput(&ReplayOutput::WantsCollectives))
    {
        own->listener->ConnectApplications(m_job->ranks);
    }
    auto transports = FindTransports(m_job->ranks);
    const auto& others = m_job->fabric->GetSwitchTransports();
    transports.insert(transports.end(), others.begin(), others.end());
    if (!isKnown)
    {
        transports.clear(); // how long messages take by themselves follows from the topology
    }
    own->listener->ConnectFiles(own->selection,
                                own->shown ? &*own->shown : nullptr,
                                m_job->ranks,
                                transports);
    if (m_job->reuse)
    {
        m_job->reuse->TraceConnectWithoutContext(
            "Skipped",
            MakeCallback(&ReplayFiles::AddSkipped, own->writer.get()));
    }
    m_files = std::move(own);
}

bool
ReplayReporter::Run(std::ostream& report, std::ostream& errors)
{
    // If events go on when ranks wait for each other, somebody has to look.
    std::unique_ptr<StallWatch> watch;
    if (m_job->fabric->RunsOn())
    {
        watch = std::make_unique<StallWatch>(*m_job, m_graph, [] { Simulator::Stop(); });
    }
    const auto cost = ReplayMonitor(*m_job, nullptr, nullptr).Run();
    if (m_files)
    {
        // The listener still has the records of the last time.
        m_files->listener->Flush();
    }
    // What is known is read off before the script destroys the simulation.
    const ReplayPart part(*m_job);
    std::vector<std::string> names;
    for (const auto& job : m_workload->GetJobs())
    {
        names.push_back(job.name);
    }
    m_result = part.MakeResult(*m_job, names, cost);
    m_result.assumptions.insert(m_result.assumptions.begin(),
                                m_assumptions.begin(),
                                m_assumptions.end());
    if (m_result.complete && m_graph.GetNNodes() > 0)
    {
        const auto attribute = m_job->fabric->Describe().timeoutAttribute;
        for (const auto& more :
             {ListUnusedLinks({m_graph, part.sendingPorts, part.links, m_result.duration, "", ""}),
              ListLosses(m_result.links, attribute),
              ListPauses(m_result.links, m_result.duration)})
        {
            m_result.assumptions.insert(m_result.assumptions.end(), more.begin(), more.end());
        }
    }
    // The report comes first: it is there even if files cannot be written.
    PrintReplayReport(report, m_result);
    report.flush();
    const bool isLost = m_files && PrintLines(errors, m_files->writer->Finish(m_result));
    PrintLines(errors, part.DescribeFailure("replay", m_graph));
    return m_result.complete && !isLost;
}

const ReplayResult&
ReplayReporter::GetResult() const
{
    NS_ABORT_MSG_UNLESS(m_result.statistics, "ReplayReporter::Run() comes before GetResult()");
    return m_result;
}

} // namespace ns3
