/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-fabric.h"

#include "process-group.h"
#include "rdma-replay-fabric.h"
#include "tcp-replay-fabric.h"

#include "ns3/abort.h"
#include "ns3/collective-costs.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-port-isolation.h"
#include "ns3/log-gops-message-transport.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <cstdint>

namespace ns3
{

namespace
{

/// Largest packets that ns-3's MPI engine takes, bytes: its messages have 2000, of which what tags
/// and the engine itself need is left out.
constexpr uint32_t MPI_MTU = 1500;

/**
 * @ingroup workload-replay
 * @brief The perfect core. It has no packets, so that there is nothing to count and to cut.
 */
class IdealReplayFabric : public ReplayFabric
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology
     */
    IdealReplayFabric(const NetworkOptions& options, const TopologyGraph& graph);

    FabricDescription Describe() const override;
    Ptr<PortIsolation> IsolatePorts() const override;
    std::set<uint32_t> ListSendingPorts() const override;

  private:
    TopologyGraph m_graph;                                //!< the topology
    FabricDescription m_description;                      //!< what it is
    IdealFabricHelper m_fabric;                           //!< which link ends at which port
    Ptr<IdealNetwork> m_network;                          //!< the network
    std::vector<IdealPortIsolation::Switches> m_switches; //!< NVSwitches of each rank's server
};

/**
 * @ingroup workload-replay
 * @brief The network of the LogGOPS model.
 */
class LogGopsReplayFabric : public ReplayFabric
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology, of which nothing but the hosts counts
     */
    LogGopsReplayFabric(const NetworkOptions& options, const TopologyGraph& graph);

    FabricDescription Describe() const override;

  private:
    FabricDescription m_description; //!< what it is
};

IdealReplayFabric::IdealReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_graph(graph),
      m_description(DescribeGraph(options, graph))
{
    const auto endpoints = FindEndpoints(options, graph);
    const auto count = static_cast<uint32_t>(endpoints.GetNodes().size());
    m_hosts.Create(endpoints.GetNHosts());
    m_switchNodes.Create(count - endpoints.GetNHosts());
    m_network = m_fabric.Install(graph, endpoints);
    for (const auto& range : endpoints.GetSwitches())
    {
        m_switches.push_back({range.first, range.count});
    }
    for (uint32_t address = 0; address < count; ++address)
    {
        const bool isHost = address < endpoints.GetNHosts();
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(m_network, address);
        (isHost ? m_transports : m_switchTransports).emplace_back(transport);
    }
}

FabricDescription
IdealReplayFabric::Describe() const
{
    return m_description;
}

Ptr<PortIsolation>
IdealReplayFabric::IsolatePorts() const
{
    auto isolation = CreateObject<IdealPortIsolation>();
    isolation->Setup(m_network, m_hosts.GetN(), m_switches);
    return isolation;
}

std::set<uint32_t>
IdealReplayFabric::ListSendingPorts() const
{
    std::set<uint32_t> directions;
    for (const auto host : m_graph.GetHosts())
    {
        for (const auto link : m_graph.GetLinksOf(host))
        {
            if (m_network->HasSent(m_fabric.GetPort(link, host)))
            {
                directions.insert(m_graph.GetDirection(link, host));
            }
        }
    }
    return directions;
}

LogGopsReplayFabric::LogGopsReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_description(DescribeGraph(options, graph))
{
    const auto costs = CreateObject<LogGopsCosts>();
    auto ranks = std::make_shared<LogGopsMessageTransport::Ranks>();
    m_hosts.Create(static_cast<uint32_t>(graph.GetHosts().size()));
    for (uint32_t rank = 0; rank < m_hosts.GetN(); ++rank)
    {
        auto transport = CreateObject<LogGopsMessageTransport>();
        transport->Setup(ranks, costs);
        ranks->push_back(PeekPointer(transport));
        m_transports.emplace_back(transport);
    }
}

FabricDescription
LogGopsReplayFabric::Describe() const
{
    return m_description;
}

} // namespace

std::unique_ptr<ReplayFabric>
ReplayFabric::Create(const NetworkOptions& options, const TopologyGraph& graph)
{
    if (graph.GetSlotCycle().count > 0 && options.transport != "rdma")
    {
        throw WorkloadError(options.Locate("transport"),
                            "rdma with links that have time slots, for which only its ports wait",
                            Quoted(options.transport));
    }
    if (options.transport == "ideal" && ProcessGroup::GetSize() > 1)
    {
        throw WorkloadError(options.Locate("transport"),
                            "rdma or tcp where several processes simulate together: without "
                            "packets there is nothing to share out",
                            Quoted(options.transport));
    }
    if (options.transport == "tcp" && ProcessGroup::GetSize() > 1 && options.fabric.mtu > MPI_MTU)
    {
        throw WorkloadError(options.Locate("mtu"),
                            "at most " + std::to_string(MPI_MTU) +
                                " with the transport tcp where several processes simulate "
                                "together, for more does not fit messages of ns-3's MPI engine",
                            std::to_string(options.fabric.mtu));
    }
    if (options.transport == "ideal" && options.logGops)
    {
        return std::make_unique<LogGopsReplayFabric>(options, graph);
    }
    if (options.transport == "ideal")
    {
        return std::make_unique<IdealReplayFabric>(options, graph);
    }
    if (options.HasQueuePairs())
    {
        return std::make_unique<RdmaReplayFabric>(options, graph);
    }
    return std::make_unique<TcpReplayFabric>(options, graph);
}

FabricEndpoints
ReplayFabric::FindEndpoints(const NetworkOptions& options, const TopologyGraph& graph)
{
    // The automatic choice with the costs of a fabric may take them, unless they cannot add.
    const bool mayChoose =
        !options.fabricSet.empty() && CreateObject<CollectiveCosts>()->GetNvlsShare() > 0;
    const bool hasNetwork = NeedsNetworkSwitches(options.collectives);
    return FabricEndpoints(graph,
                           mayChoose || NeedsSwitches(options.collectives) || hasNetwork,
                           hasNetwork);
}

FabricDescription
ReplayFabric::DescribeGraph(const NetworkOptions& options, const TopologyGraph& graph)
{
    FabricDescription description;
    description.topology = options.topology;
    if (options.topology == "auto")
    {
        description.topology += " (" + graph.GetName() + ")";
    }
    description.nodes = graph.GetNNodes();
    description.links = graph.GetNLinks();
    description.transport = options.transport;
    return description;
}

std::shared_ptr<const TopologyPartition>
ReplayFabric::MakePartition(const TopologyGraph& graph)
{
    return std::make_shared<const TopologyPartition>(graph,
                                                     ProcessGroup::GetSize(),
                                                     SourceLocation{"mpirun", 0, 0, ""});
}

void
ReplayFabric::ScheduleFailures(const std::vector<LinkFailure>& failures, const TopologyGraph& graph)
{
    for (const auto& failure : failures)
    {
        for (const uint32_t link : FindLinksBetween({failure.ends, failure.where}, graph))
        {
            Simulator::Schedule(failure.down, &ReplayFabric::SetLinkUp, this, link, false);
            if (failure.up)
            {
                Simulator::Schedule(*failure.up, &ReplayFabric::SetLinkUp, this, link, true);
            }
        }
    }
}

void
ReplayFabric::ScheduleCircuits(const std::vector<CircuitChange>& changes)
{
    for (const auto& change : changes)
    {
        Simulator::Schedule(change.time, &ReplayFabric::Reconfigure, this, change.links, change.up);
    }
}

void
ReplayFabric::Reconfigure(const std::vector<uint32_t>& links, bool up)
{
    for (const auto link : links)
    {
        SetLinkUp(link, up);
    }
}

Ptr<PortIsolation>
ReplayFabric::IsolatePorts() const
{
    return nullptr;
}

std::vector<Ptr<MessageTransport>>
ReplayFabric::AddTcp(int64_t stream [[maybe_unused]])
{
    NS_ABORT_MSG("only rdma has room for TCP beside it");
}

void
ReplayFabric::SetLinkUp(uint32_t link [[maybe_unused]], bool up [[maybe_unused]])
{
    NS_ABORT_MSG("a network without packets has no links that could fail");
}

const TopologyGraph*
ReplayFabric::GetGraph() const
{
    return nullptr;
}

LinkCounters
ReplayFabric::ReadPort(uint32_t link [[maybe_unused]], uint32_t from [[maybe_unused]]) const
{
    NS_ABORT_MSG("a network without packets has no ports that count");
}

bool
ReplayFabric::HasPort(uint32_t link [[maybe_unused]], uint32_t from [[maybe_unused]]) const
{
    return false;
}

PortReading
ReplayFabric::ReadPortNow(uint32_t link [[maybe_unused]], uint32_t from [[maybe_unused]]) const
{
    NS_ABORT_MSG("a network without packets has no ports");
}

std::vector<std::vector<uint32_t>>
ReplayFabric::GetPaths(const Message& message [[maybe_unused]]) const
{
    return {};
}

std::vector<QueuePairReading>
ReplayFabric::ReadQueuePairs(uint32_t rank [[maybe_unused]]) const
{
    return {};
}

ReplayFabric::LinkCounts
ReplayFabric::CountLinks() const
{
    LinkCounts counts;
    const TopologyGraph* graph = GetGraph();
    for (uint32_t i = 0; graph && i < 2 * graph->GetNLinks(); ++i)
    {
        const auto& link = graph->GetLink(i / 2);
        const auto counters = ReadPort(i / 2, i % 2 == 0 ? link.a : link.b);
        if (counters.packets + counters.drops + counters.pfcPauses > 0 ||
            !counters.pfcPause.IsZero())
        {
            counts.emplace_hint(counts.end(), i, counters);
        }
    }
    return counts;
}

std::vector<LinkUse>
ReplayFabric::ListLinks(const LinkCounts& counts) const
{
    std::vector<LinkUse> uses;
    const TopologyGraph* graph = GetGraph();
    for (uint32_t i = 0; graph && i < 2 * graph->GetNLinks(); ++i)
    {
        const auto& link = graph->GetLink(i / 2);
        const auto& from = graph->GetNode(i % 2 == 0 ? link.a : link.b);
        const auto& to = graph->GetNode(i % 2 == 0 ? link.b : link.a);
        const auto found = counts.find(i);
        uses.push_back({found != counts.end() ? found->second : LinkCounters(),
                        from.name,
                        to.name,
                        link.rate.GetBitRate(),
                        i / 2,
                        from.kind == TopologyGraph::HOST});
    }
    return uses;
}

uint64_t
ReplayFabric::GetRetransmissions() const
{
    return m_retransmissions;
}

const TimeoutCounts&
ReplayFabric::GetTimeouts() const
{
    return m_timeouts;
}

std::set<uint32_t>
ReplayFabric::ListSendingPorts() const
{
    return {};
}

std::vector<std::pair<uint32_t, uint32_t>>
ReplayFabric::FindUnmarkedPorts() const
{
    return {};
}

std::vector<RdmaPortWait>
ReplayFabric::ListPortWaits() const
{
    return {};
}

bool
ReplayFabric::RunsOn() const
{
    return false;
}

Time
ReplayFabric::GetLookAhead() const
{
    return {};
}

const std::vector<std::string>&
ReplayFabric::GetFailures() const
{
    return m_failures;
}

const NodeContainer&
ReplayFabric::GetHosts() const
{
    return m_hosts;
}

const std::vector<Ptr<MessageTransport>>&
ReplayFabric::GetTransports() const
{
    return m_transports;
}

const NodeContainer&
ReplayFabric::GetSwitchNodes() const
{
    return m_switchNodes;
}

const std::vector<Ptr<MessageTransport>>&
ReplayFabric::GetSwitchTransports() const
{
    return m_switchTransports;
}

} // namespace ns3
