/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-replay-fabric.h"

#include "process-group.h"
#include "unequal-rates.h"

#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/inet-socket-address.h"
#include "ns3/input-values.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-channel.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-frame.h"
#include "ns3/rdma-message-transport.h"
#include "ns3/rdma-protocol.h"
#include "ns3/rdma-routing.h"
#include "ns3/replay-helper.h"
#include "ns3/server-message-transport.h"
#include "ns3/strategy-registry.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>

namespace ns3
{

namespace
{

/// Port on which hosts listen, below the ephemeral ports of ns-3.
constexpr uint16_t TCP_PORT = 5000;

/**
 * @param fabric what is to have the congestion control, routing and protocol
 * @param options what the user asks for
 */
void
SetTypes(RdmaFabricHelper& fabric, const NetworkOptions& options)
{
    fabric.SetCongestionControl(RdmaReplayFabric::GetCongestionControlType(options));
    fabric.SetRouting(RdmaReplayFabric::GetRoutingType(options));
    fabric.SetProtocol(RdmaReplayFabric::GetProtocolType(options));
}

/**
 * @param failures links that fail
 * @param graph the topology
 * @throws WorkloadError if one of them is NVLink, which carries nothing
 */
void
RefuseNvlinkFailures(const std::vector<LinkFailure>& failures, const TopologyGraph& graph)
{
    for (const auto& failure : failures)
    {
        const auto& link =
            graph.GetLink(FindLinksBetween({failure.ends, failure.where}, graph).front());
        if (graph.GetNode(link.a).kind == TopologyGraph::NVSWITCH ||
            graph.GetNode(link.b).kind == TopologyGraph::NVSWITCH)
        {
            throw WorkloadError(failure.where,
                                "a link of the network, because with nvlink ideal nothing goes "
                                "over links of servers",
                                Quoted(failure.ends));
        }
    }
}

} // namespace

RdmaReplayFabric::RdmaReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_fabric(m_ownFabric),
      m_description(DescribeGraph(options, graph))
{
    SetTypes(m_fabric, options);
    // An attribute that is given wins over what a named fabric says.
    if (options.IsSet("mtu") && !options.IsGiven("ns3::RdmaNic::Mtu"))
    {
        m_fabric.SetMtu(options.fabric.mtu);
    }
    const auto endpoints = FindEndpoints(options, graph);
    m_partition = MakePartition(graph);
    const auto routing = ObjectFactory(GetRoutingType(options)).Create<RdmaRouting>();
    if (ProcessGroup::GetSize() > 1 && routing->ReadsOtherNodes())
    {
        throw WorkloadError(options.Locate("routing"),
                            "a routing by queues of the own node where several processes simulate "
                            "together",
                            Quoted(options.routing));
    }
    m_fabric.SetPartition(m_partition);
    m_fabric.Install(graph, endpoints);
    // From the first stream on; ranks and background have theirs beyond, see ReplaySession.
    m_fabric.AssignStreams(0);
    m_hosts = m_fabric.GetHosts();
    m_transports = m_fabric.GetTransports();
    m_switchNodes = m_fabric.GetSwitchNodes();
    m_switchTransports = m_fabric.GetSwitchTransports();
    if (options.nvlink == "ideal")
    {
        RefuseNvlinkFailures(options.linkFailures, graph);
        TakeNvlinkOff(graph, endpoints);
        m_isNvlinkIdeal = true;
    }
    for (const auto node : endpoints.GetNodes())
    {
        Connect(m_fabric.GetNodes().Get(node)->GetObject<RdmaNic>());
    }
    DescribeNics();
}

RdmaReplayFabric::RdmaReplayFabric(RdmaFabricHelper& fabric, const std::string& topology)
    : m_fabric(fabric)
{
    m_hosts = fabric.GetHosts();
    m_transports = fabric.GetTransports();
    m_switchNodes = fabric.GetSwitchNodes();
    m_switchTransports = fabric.GetSwitchTransports();
    m_description.topology = topology;
    m_description.nodes = GetGraph()->GetNNodes();
    m_description.links = GetGraph()->GetNLinks();
    for (auto node = fabric.GetNodes().Begin(); node != fabric.GetNodes().End(); ++node)
    {
        Connect((*node)->GetObject<RdmaNic>());
    }
    DescribeNics();
}

void
RdmaReplayFabric::Connect(Ptr<RdmaNic> nic)
{
    if (nic)
    {
        nic->TraceConnectWithoutContext("Retransmission",
                                        MakeCallback(&RdmaReplayFabric::CountRetransmission, this));
        nic->TraceConnectWithoutContext("TimedOut",
                                        MakeCallback(&RdmaReplayFabric::NoteTimeout, this));
        nic->TraceConnectWithoutContext("QueuePairFailed",
                                        MakeCallback(&RdmaReplayFabric::NoteFailure, this));
    }
}

void
RdmaReplayFabric::DescribeNics()
{
    // All are alike, and each process has some.
    const auto own = std::find_if(m_hosts.Begin(), m_hosts.End(), [](const auto& host) {
        return host->template GetObject<RdmaNic>() != nullptr;
    });
    const auto nic = (*own)->GetObject<RdmaNic>();
    const auto protocol = nic->GetNetworkProtocol();
    const RdmaQueuePairConfig config = nic->MakeQueuePairConfig();
    using Feature = RdmaProtocol::Feature;
    const bool hasTrains = protocol->FindUnsupportedReason(Feature::TRAINS).empty();
    m_description.transport = protocol->GetName();
    m_description.cc = nic->GetCongestionControl()->GetName();
    m_description.routing = m_fabric.GetNetwork()->GetRouting()->GetName();
    m_description.mtu = config.mtu;
    // Of servers' own links, which have trains with any transport, the description says nothing.
    m_description.maxTrain = hasTrains ? config.trains.maxTrain : 1;
    m_description.goodputShare = RdmaFabricHelper::GetGoodputShare(config);
    m_description.timeoutAttribute = protocol->GetTimeoutAttribute();
    const auto routing = m_fabric.GetNetwork()->GetRouting();
    const auto departure = protocol->DescribeDeparture(*routing);
    const auto risk =
        protocol->GetSwitchSettings(Time()).isLossy ? std::string() : routing->DescribeRisk();
    for (const auto& warning : {departure, departure.empty() ? risk : std::string()})
    {
        if (!warning.empty())
        {
            m_description.warnings.push_back(warning);
        }
    }
    const auto unequal =
        ListUnequalPorts(*GetGraph(), protocol->SplitsOverPorts(), !m_switchTransports.empty());
    m_description.warnings.insert(m_description.warnings.end(), unequal.begin(), unequal.end());
}

void
RdmaReplayFabric::TakeNvlinkOff(const TopologyGraph& graph, const FabricEndpoints& endpoints)
{
    auto servers = std::make_shared<std::vector<uint32_t>>();
    for (const auto node : endpoints.GetNodes())
    {
        // A host without others beside it is a server by itself.
        const auto server = graph.GetNode(node).server;
        // Numbers of servers are small, so that those from the other end are free.
        servers->push_back(server == TopologyGraph::NO_SERVER ? server - 1 - node : server);
    }
    const auto network = IdealFabricHelper().Install(graph, endpoints);
    // Hosts have the first addresses, switches those behind them.
    uint32_t address = 0;
    for (auto* transports : {&m_transports, &m_switchTransports})
    {
        for (auto& transport : *transports)
        {
            // Nodes of other processes have addresses, but no transport here.
            if (transport)
            {
                auto inside = CreateObject<IdealMessageTransport>();
                inside->SetNetwork(network, address);
                auto both = CreateObject<ServerMessageTransport>();
                both->SetTransports(inside, transport, servers);
                transport = both;
            }
            ++address;
        }
    }
    m_description.warnings.emplace_back(
        "messages within a server share the ports of its GPUs as on "
        "the transport ideal, without packets, and no link shows "
        "them (--nvlink)");
}

void
RdmaReplayFabric::Show(ReplayScene& scene) const
{
    ReplayFabric::Show(scene);
    scene.nodes = m_fabric.GetNodes();
    scene.getDevice = [this](uint32_t link, uint32_t node) -> Ptr<NetDevice> {
        return m_fabric.IsOwn(node) ? m_fabric.GetDevice(link, node) : nullptr;
    };
    const auto protocol = m_fabric.GetProtocol();
    if (protocol->FindUnsupportedReason(RdmaProtocol::Feature::LINK_CHANGES).empty())
    {
        scene.setLinkUp = [network = m_fabric.GetNetwork()](uint32_t link, bool up) {
            network->SetLinkUp(link, up);
        };
    }
}

Ptr<PortIsolation>
RdmaReplayFabric::IsolatePorts() const
{
    // Calls that are reused open their queue pairs when they are over, later than without reuse.
    const bool isByPair = m_fabric.GetNetwork()->GetRouting()->HashesQueuePairs();
    return isByPair ? nullptr : ReplayHelper::IsolatePorts(m_fabric, !m_isNvlinkIdeal);
}

std::vector<Ptr<MessageTransport>>
RdmaReplayFabric::AddTcp(int64_t stream)
{
    m_fabric.InstallInternet(stream);
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    for (auto host = m_hosts.Begin(); host != m_hosts.End(); ++host)
    {
        const auto rank = static_cast<uint32_t>(host - m_hosts.Begin());
        addresses->emplace_back(RdmaFrame::GetIpv4Address(GetGraph()->GetHosts()[rank]), TCP_PORT);
    }
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t host = 0; host < m_hosts.GetN(); ++host)
    {
        Ptr<TcpMessageTransport> transport;
        if (m_transports[host])
        {
            transport = CreateObject<TcpMessageTransport>();
            transport->Install(m_hosts.Get(host), host, addresses);
            m_hosts.Get(host)->AggregateObject(transport);
        }
        transports.emplace_back(transport);
    }
    return transports;
}

void
RdmaReplayFabric::Check(const NetworkOptions& options)
{
    RdmaFabricHelper fabric;
    SetTypes(fabric, options);
    fabric.Check();
    const auto control =
        ObjectFactory(GetCongestionControlType(options)).Create<RdmaCongestionControl>();
    if (options.IsSet("trafficClass") && fabric.HasChannels())
    {
        throw WorkloadError(options.Locate("trafficClass"),
                            "no trafficClass where packets change their priority on the way "
                            "(ns3::RdmaDetourRouting::VirtualChannels)",
                            "one");
    }
    if (control->GetMessagePriorities() && options.IsSet("trafficClass"))
    {
        throw WorkloadError(options.Locate("trafficClass"),
                            "no trafficClass where messages have priorities by what is left of "
                            "them (ns3::RdmaRccc::Overcommitment)",
                            "one");
    }
}

std::string
RdmaReplayFabric::GetCongestionControlType(const NetworkOptions& options)
{
    // A NIC that comes with one keeps it: the attribute may have another default.
    if (const auto own = CreateObject<RdmaNic>()->GetCongestionControl())
    {
        if (options.IsGiven("cc"))
        {
            throw WorkloadError(options.Locate("cc"),
                                "either --cc or a default of ns3::RdmaNic::CongestionControl",
                                "both");
        }
        return own->GetInstanceTypeId().GetName();
    }
    // Without --cc the protocol has a choice of its own.
    const auto cc = options.cc.empty() ? ObjectFactory(GetProtocolType(options))
                                             .Create<RdmaProtocol>()
                                             ->GetDefaultCongestionControl()
                                       : options.cc;
    return StrategyRegistry::Find(RdmaCongestionControl::GetTypeId(), {cc, options.Locate("cc")})
        .GetName();
}

std::string
RdmaReplayFabric::GetRoutingType(const NetworkOptions& options)
{
    return StrategyRegistry::Find(RdmaRouting::GetTypeId(),
                                  {options.routing, options.Locate("routing")})
        .GetName();
}

std::string
RdmaReplayFabric::GetProtocolType(const NetworkOptions& options)
{
    return StrategyRegistry::Find(RdmaProtocol::GetTypeId(),
                                  {options.transport, options.Locate("transport")})
        .GetName();
}

void
RdmaReplayFabric::CountRetransmission(const RdmaPacket& packet [[maybe_unused]])
{
    ++m_retransmissions;
}

void
RdmaReplayFabric::NoteTimeout(const RdmaSender& sender [[maybe_unused]], Time waited)
{
    m_timeouts.Add({1, waited, waited});
}

void
RdmaReplayFabric::NoteFailure(uint32_t node, uint32_t peer)
{
    const TopologyGraph& graph = m_fabric.GetNetwork()->GetGraph();
    // Without a path no retry would have helped; with one the retry limit decides.
    const bool isCutOff = !m_fabric.GetNetwork()->IsReachable(node, peer);
    const auto describe = [&graph](uint32_t end) {
        const auto& properties = graph.GetNode(end);
        return properties.kind == TopologyGraph::HOST ? "rank " + std::to_string(properties.rank)
                                                      : properties.name;
    };
    m_failures.push_back("a queue pair from " + describe(node) + " to " + describe(peer) +
                         " has given up: " +
                         (isCutOff ? "there is no path any more"
                                   : "nothing was acknowledged, see ns3::RdmaNic::RetryLimit"));
}

FabricDescription
RdmaReplayFabric::Describe() const
{
    auto description = m_description;
    const auto unheard = DescribeUnheardSinks();
    if (!unheard.empty())
    {
        description.warnings.push_back(unheard);
    }
    return description;
}

std::string
RdmaReplayFabric::DescribeUnheardSinks() const
{
    const auto reason =
        m_fabric.GetProtocol()->FindUnsupportedReason(RdmaProtocol::Feature::PORT_TRACES);
    const auto hasSinks = [this](uint32_t link, uint32_t node) {
        return m_fabric.IsOwn(node) && m_fabric.GetDevice(link, node)->HasListeners();
    };
    const TopologyGraph& graph = *GetGraph();
    for (uint32_t link = 0; !reason.empty() && link < graph.GetNLinks(); ++link)
    {
        if (hasSinks(link, graph.GetLink(link).a) || hasSinks(link, graph.GetLink(link).b))
        {
            return "sinks and probes of ports are never called by the transport " +
                   m_description.transport + reason +
                   ": a ReplaySampler may ask ports for GetAllQueuedBytes() and GetSentBytes()";
        }
    }
    return "";
}

const TopologyGraph*
RdmaReplayFabric::GetGraph() const
{
    return &m_fabric.GetNetwork()->GetGraph();
}

PortCounters
RdmaReplayFabric::ReadPort(uint32_t link, uint32_t from) const
{
    return m_fabric.IsOwn(from) ? m_fabric.GetDevice(link, from)->GetCounters() : PortCounters();
}

bool
RdmaReplayFabric::HasPort(uint32_t link [[maybe_unused]], uint32_t from) const
{
    return m_fabric.IsOwn(from);
}

PortReading
RdmaReplayFabric::ReadPortNow(uint32_t link, uint32_t from) const
{
    const auto device = m_fabric.GetDevice(link, from);
    PortReading reading;
    reading.counters = ReadPort(link, from);
    reading.sentBytes = device->GetSentBytes();
    reading.queue = device->GetAllQueuedBytes();
    reading.maxQueue = std::max(device->TakeMaxQueue(), reading.queue);
    return reading;
}

std::vector<std::vector<uint32_t>>
RdmaReplayFabric::GetPaths(const Message& message) const
{
    // Any transport knows the paths of all; one that this process has is the sender's or another.
    const auto& transports = GetTransports();
    const auto own = std::find_if(transports.begin(), transports.end(), [](const auto& transport) {
        return DynamicCast<RdmaMessageTransport>(transport) != nullptr;
    });
    return own != transports.end() ? DynamicCast<RdmaMessageTransport>(*own)->GetPaths(message)
                                   : std::vector<std::vector<uint32_t>>();
}

std::vector<QueuePairReading>
RdmaReplayFabric::ReadQueuePairs(uint32_t rank) const
{
    std::vector<QueuePairReading> readings;
    const auto nic = GetHosts().Get(rank)->GetObject<RdmaNic>();
    for (uint32_t pair = 0; nic && pair < nic->GetNSenders(); ++pair)
    {
        const auto& sender = nic->GetSender(pair);
        readings.push_back({GetGraph()->GetNode(nic->GetAddress()).name,
                            GetGraph()->GetNode(sender.GetPeer()).name,
                            sender.GetAcknowledgedBytes(),
                            sender.GetRateControl().GetRate(Simulator::Now()),
                            sender.GetWindow()});
    }
    return readings;
}

std::vector<std::pair<uint32_t, uint32_t>>
RdmaReplayFabric::FindUnmarkedPorts() const
{
    return m_fabric.FindUnmarkedPorts();
}

std::vector<RdmaPortWait>
RdmaReplayFabric::ListPortWaits() const
{
    return ns3::ListPortWaits(m_fabric);
}

std::vector<std::string>
RdmaReplayFabric::GetFailures() const
{
    auto failures = ReplayFabric::GetFailures();
    // Packets that wait in vain have their queue pairs time out.
    if (!m_fabric.GetProtocol()->HasPackets() && !ListPortWaits().empty())
    {
        failures.emplace_back("nothing moves any more, as flow control holds back all that waits");
    }
    return failures;
}

std::set<uint32_t>
RdmaReplayFabric::ListSendingPorts() const
{
    std::set<uint32_t> directions;
    for (const auto host : GetGraph()->GetHosts())
    {
        const auto nic = m_fabric.GetNodes().Get(host)->GetObject<RdmaNic>();
        std::set<const RdmaNetDevice*> sending;
        for (uint32_t pair = 0; nic && pair < nic->GetNSenders(); ++pair)
        {
            const auto& sender = nic->GetSender(pair);
            if (sender.GetAcknowledgedBytes() == 0)
            {
                continue; // it has announced to others that their messages may come, and no more
            }
            const auto hops = m_fabric.GetNetwork()->GetNextHops(host, sender.GetPeer());
            // Packets that take different ways leave by all ports that lead to the peer.
            const bool takesAll = nic->GetNetworkProtocol()->Reorders();
            for (uint32_t hop = 0; takesAll && hop < hops.size(); ++hop)
            {
                sending.insert(hops[hop]);
            }
            sending.insert(&sender.GetPort());
        }
        for (const auto link : GetGraph()->GetLinksOf(host))
        {
            if (nic && sending.count(PeekPointer(m_fabric.GetDevice(link, host))) > 0)
            {
                directions.insert(GetGraph()->GetDirection(link, host));
            }
        }
    }
    return directions;
}

bool
RdmaReplayFabric::RunsOn() const
{
    // Ports that wait for each other repeat their pauses for ever.
    UintegerValue quanta;
    CreateObject<RdmaNetDevice>()->GetAttribute("PauseQuanta", quanta);
    return quanta.Get() > 0;
}

Time
RdmaReplayFabric::GetLookAhead() const
{
    Time least;
    for (const auto link : m_partition->GetCutLinks())
    {
        const auto from = GetGraph()->GetLink(link).a;
        // Links that two other processes share have no port here.
        if (const auto device = m_fabric.GetDevice(link, from))
        {
            const Time own = DynamicCast<RdmaChannel>(device->GetChannel())->GetLookAhead();
            least = least.IsZero() ? own : Min(least, own);
        }
    }
    return least;
}

void
RdmaReplayFabric::SetLinkUp(uint32_t link, bool up)
{
    m_fabric.GetNetwork()->SetLinkUp(link, up);
}

void
RdmaReplayFabric::Reconfigure(const std::vector<uint32_t>& links, bool up)
{
    m_fabric.GetNetwork()->Reconfigure(links, up);
}

} // namespace ns3
