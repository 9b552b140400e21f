/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-reporter.h"

#include "dry-run.h"
#include "network-troubles.h"
#include "process-group.h"
#include "process-merge.h"
#include "rdma-replay-fabric.h"
#include "replay-progress.h"
#include "replay-recorder.h"
#include "tcp-replay-fabric.h"

#include "ns3/abort.h"
#include "ns3/pointer.h"
#include "ns3/replay-report.h"
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
 * @param hasSeries whether somebody looks at ports over time
 * @return those of them that a script can have
 */
OutputSelection
LeaveOutUnknown(const OutputSelection& files, bool hasGraph, bool hasSeries)
{
    auto selection = files;
    if (!hasSeries)
    {
        selection.LeaveOut("timeseries.csv");
    }
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

ReplayReporter::ReplayReporter(std::shared_ptr<const Workload> workload,
                               const ApplicationContainer& ranks)
    : m_workload(std::move(workload)),
      m_job(std::make_unique<NetworkedJob>(m_workload, ranks, FindTransports(ranks))),
      m_recorder(std::make_unique<ReplayRecorder>(*m_job, m_graph))
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
}

void
ReplayReporter::SetFabric(TcpFabricHelper& fabric)
{
    m_graph = fabric.GetGraph();
    m_job->fabric = std::make_unique<TcpReplayFabric>(fabric, FindTransports(m_job->ranks));
}

void
ReplayReporter::SetFabric(const FabricDescription& description)
{
    m_job->fabric = std::make_unique<ScriptFabric>(description);
}

void
ReplayReporter::AddFabricWarnings()
{
    if (m_graph.GetNNodes() == 0)
    {
        return;
    }
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
ReplayReporter::SetTimeSeries(const TimeSeriesRequest& request)
{
    NS_ABORT_MSG_IF(m_graph.GetNNodes() == 0,
                    "ReplayReporter::SetTimeSeries() needs a fabric helper: SetFabric() first");
    m_recorder->SampleNetwork(request);
    m_hasSeries = true;
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
    const auto selection = LeaveOutUnknown(files, m_graph.GetNNodes() > 0, m_hasSeries);
    if (m_job->reuse && selection.IsWanted("flows.csv"))
    {
        throw WorkloadError(where,
                            "files without flows.csv, because reused collectives have no messages",
                            "flows.csv");
    }
    std::optional<TraceSelection> shown;
    if (selection.IsWanted("trace.json"))
    {
        shown.emplace(*m_workload, TraceRequest());
    }
    m_recorder->WriteFiles(directory, where, selection, shown, false);
}

bool
ReplayReporter::Run(std::ostream& report, std::ostream& errors)
{
    // As late as this, when all sinks are connected.
    AddFabricWarnings();
    const auto part = m_recorder->Run();
    std::vector<std::string> names;
    for (const auto& job : m_workload->GetJobs())
    {
        names.push_back(job.name);
    }
    m_result = part.MakeResult(*m_job, names, m_recorder->GetCost());
    m_result.assumptions.insert(m_result.assumptions.begin(),
                                m_assumptions.begin(),
                                m_assumptions.end());
    if (m_result.complete && m_graph.GetNNodes() > 0)
    {
        // What would mend it is up to the script.
        const auto troubles =
            ListTroubles({m_graph, part.sendingPorts, part.links, m_result.duration, "", ""},
                         m_result.links,
                         m_job->fabric->Describe().timeoutAttribute);
        m_result.assumptions.insert(m_result.assumptions.end(), troubles.begin(), troubles.end());
    }
    bool isLost = false;
    if (ProcessGroup::IsFirst())
    {
        // The report comes first: it is there even if files cannot be written.
        PrintReplayReport(report, m_result);
        report.flush();
        isLost = PrintLines(errors, m_recorder->Finish(m_result));
        PrintLines(errors, part.DescribeFailure("replay", m_graph));
    }
    // What the first process knows, all return.
    return !ProcessGroup::Broadcast(m_result.complete && !isLost ? "complete" : "").empty();
}

const ReplayResult&
ReplayReporter::GetResult() const
{
    NS_ABORT_MSG_UNLESS(m_result.statistics, "ReplayReporter::Run() comes before GetResult()");
    return m_result;
}

} // namespace ns3
