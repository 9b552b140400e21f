/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-fabric.h"

#include "process-group.h"
#include "transport-kind.h"

#include "ns3/abort.h"
#include "ns3/collective-costs.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <cstdint>

namespace ns3
{

std::unique_ptr<ReplayFabric>
ReplayFabric::Create(const NetworkOptions& options, const TopologyGraph& graph)
{
    const auto transport = TransportKind::Get(options);
    if (graph.GetSlotCycle().count > 0 && !transport->Supports(TransportKind::Use::TIME_SLOTS))
    {
        throw WorkloadError(options.Locate("transport"),
                            "rdma with links that have time slots, for which only its ports wait",
                            Quoted(options.transport));
    }
    if (ProcessGroup::GetSize() > 1 && !transport->Supports(TransportKind::Use::PROCESSES))
    {
        throw WorkloadError(options.Locate("transport"),
                            "rdma or tcp where several processes simulate together: without "
                            "packets there is nothing to share out",
                            Quoted(options.transport));
    }
    return transport->Create(options, graph);
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
        // Parallel links fail together.
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
        // All links of a time at once: routes are computed once for them.
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

PortCounters
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
    // Directions of links: 2 i from the first end of link i, 2 i + 1 from the second.
    for (uint32_t i = 0; graph && i < 2 * graph->GetNLinks(); ++i)
    {
        const auto& link = graph->GetLink(i / 2);
        const auto counters = ReadPort(i / 2, i % 2 == 0 ? link.a : link.b);
        // Ports that have seen nothing are left out, of which there may be many. A fluid has parts
        // of packets.
        if (counters.bytes + counters.drops + counters.pauses > 0 || !counters.paused.IsZero())
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
        uses.push_back({found != counts.end() ? found->second : PortCounters(),
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

std::vector<std::string>
ReplayFabric::GetFailures() const
{
    return m_failures;
}

const NodeContainer&
ReplayFabric::GetHosts() const
{
    return m_hosts;
}

void
ReplayFabric::Show(ReplayScene& scene) const
{
    scene.nodes = m_hosts;
    scene.transports = m_transports;
    scene.getDevice = [](uint32_t, uint32_t) { return Ptr<NetDevice>(); };
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
