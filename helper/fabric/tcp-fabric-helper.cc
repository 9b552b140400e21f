/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-fabric-helper.h"

#include "ecmp-routing-helper.h"

#include "ns3/abort.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <utility>

#ifdef NS3_MPI
#include "ns3/mpi-receiver.h"
#include "ns3/point-to-point-remote-channel.h"
#endif

namespace ns3
{

namespace
{

/// First address of the links' networks.
constexpr uint32_t FIRST_ADDRESS = 10U << 24;

/// Networks of four addresses in 10.0.0.0/8.
constexpr uint32_t MAX_LINKS = 1U << 22;

/// Bytes that PPP adds to a packet.
constexpr uint32_t PPP_HEADER = 2;

/// Bytes of the headers of IPv4 and of TCP without options.
constexpr uint32_t TCP_IP_HEADERS = 20 + 20;

} // namespace

TcpFabricHelper::TcpFabricHelper()
{
    m_hostQueueDisc.SetTypeId("ns3::FqCoDelQueueDisc");
}

void
TcpFabricHelper::SetQueueSize(uint32_t bytes)
{
    m_queueSize = bytes;
}

void
TcpFabricHelper::SetQueueDisc(const ObjectFactory& factory)
{
    m_queueDisc = factory;
}

void
TcpFabricHelper::SetHostQueueDisc(const ObjectFactory& factory)
{
    m_hostQueueDisc = factory;
}

const ObjectFactory&
TcpFabricHelper::GetQueueDisc(uint32_t node) const
{
    const bool isHost = GetGraph().GetNode(node).kind == TopologyGraph::HOST;
    return isHost ? m_hostQueueDisc : m_queueDisc;
}

Ipv4Address
TcpFabricHelper::MakeAddress(uint32_t end)
{
    // The first address of a network of four is the network itself.
    return Ipv4Address(FIRST_ADDRESS + end / 2 * 4 + end % 2 + 1);
}

void
TcpFabricHelper::SetPartition(std::shared_ptr<const TopologyPartition> partition)
{
    m_partition = std::move(partition);
}

bool
TcpFabricHelper::IsOwn(uint32_t node) const
{
    return !m_partition || m_partition->GetPart(node) == Simulator::GetSystemId();
}

void
TcpFabricHelper::Install(const TopologyGraph& graph, const FabricParameters& parameters)
{
    Install(graph, FabricEndpoints(graph, false), parameters);
}

void
TcpFabricHelper::Install(const TopologyGraph& graph,
                         const FabricEndpoints& endpoints,
                         const FabricParameters& parameters)
{
    NS_ABORT_MSG_IF(m_topology, "TcpFabricHelper::Install() may be called only once");
    NS_ABORT_MSG_IF(graph.GetNLinks() > MAX_LINKS,
                    "10.0.0.0/8 has addresses for " << MAX_LINKS << " links, the topology has "
                                                    << graph.GetNLinks());
    // RFC 791: every link carries 68 bytes, and the length of a packet has 16 bits.
    NS_ABORT_MSG_IF(parameters.mtu < 68 || parameters.mtu > 65535,
                    "an IPv4 link has an MTU of 68 to 65535 bytes, not " << parameters.mtu);
    m_topology = Create<Ipv4EcmpTopology>(graph);
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        m_nodes.Create(1, m_partition ? m_partition->GetPart(node) : 0);
    }
    InstallStacks();
    m_devices.resize(2UL * graph.GetNLinks());
    m_ports.resize(m_devices.size());
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        InstallLink(link, parameters.mtu);
    }
    for (const auto node : endpoints.GetNodes())
    {
        if (!graph.GetLinksOf(node).empty())
        {
            m_topology->SetSource(
                node,
                MakeAddress(GetGraph().GetDirection(graph.GetFirstLink(node, false), node)));
        }
    }
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto protocol = m_nodes.Get(node)->GetObject<Ipv4>()->GetRoutingProtocol();
        DynamicCast<Ipv4EcmpRouting>(protocol)->SetTopology(m_topology, node);
    }
}

void
TcpFabricHelper::InstallStacks()
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(EcmpRoutingHelper());
    stack.Install(m_nodes);
}

Ptr<PointToPointChannel>
TcpFabricHelper::MakeChannel(const TopologyGraph::Link& link) const
{
    Ptr<PointToPointChannel> channel;
    // ns-3's MPI engine takes packets to the process that has the other end.
    if (m_partition && m_partition->GetPart(link.a) != m_partition->GetPart(link.b))
    {
#ifdef NS3_MPI
        channel = CreateObject<PointToPointRemoteChannel>();
#endif
    }
    else
    {
        channel = CreateObject<PointToPointChannel>();
    }
    channel->SetAttribute("Delay", TimeValue(link.delay));
    return channel;
}

void
TcpFabricHelper::InstallLink(uint32_t link, uint32_t mtu)
{
    const auto& ends = GetGraph().GetLink(link);
    const auto channel = MakeChannel(ends);
    for (const auto node : {ends.a, ends.b})
    {
        const bool hasQueueDisc = GetQueueDisc(node).IsTypeIdSet();
        // Behind a queue disc the device holds two packets, so that the others queue in the disc.
        const auto size = hasQueueDisc ? 2 * (mtu + PPP_HEADER) : m_queueSize;
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, size));
        auto device = CreateObject<PointToPointNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetDataRate(ends.rate);
        device->SetMtu(static_cast<uint16_t>(mtu));
        device->SetQueue(queue);
        if (ends.lossRate > 0)
        {
            auto loss = CreateObject<RateErrorModel>();
            loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            loss->SetRate(ends.lossRate);
            device->SetReceiveErrorModel(loss);
            m_losses.push_back(loss);
        }
        m_nodes.Get(node)->AddDevice(device);
        device->Attach(channel);
#ifdef NS3_MPI
        if (m_partition && m_partition->GetNParts() > 1)
        {
            auto receiver = CreateObject<MpiReceiver>();
            receiver->SetReceiveCallback(MakeCallback(&PointToPointNetDevice::Receive, device));
            device->AggregateObject(receiver);
        }
#endif
        if (hasQueueDisc)
        {
            // Flow control is for queue discs only: without one it would drop packets above the
            // device, where they belong to no link. PointToPointHelper cannot leave it out in all
            // releases.
            auto flowControl = CreateObject<NetDeviceQueueInterface>();
            flowControl->GetTxQueue(0)->ConnectQueueTraces(queue);
            device->AggregateObject(flowControl);
        }
        InstallPort(link, node, device);
    }
}

void
TcpFabricHelper::InstallPort(uint32_t link, uint32_t node, Ptr<PointToPointNetDevice> device)
{
    const auto end = GetGraph().GetDirection(link, node);
    auto port = Create<Port>();
    port->device = PeekPointer(device);
    m_devices[end] = device;
    m_ports[end] = port;

    const auto ipv4 = m_nodes.Get(node)->GetObject<Ipv4>();
    const auto interface = ipv4->AddInterface(device);
    port->ipInterface = interface;
    const Ipv4Mask mask("/30");
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(MakeAddress(end), mask));
    ipv4->SetUp(interface);
    // The other end of a link differs in the last bit.
    m_topology->SetPort(link, node, {interface, MakeAddress(end ^ 1)});
    m_topology->AddAddress(MakeAddress(end), node);

    device->TraceConnectWithoutContext("PhyTxBegin",
                                       MakeBoundCallback(&TcpFabricHelper::CountPacket, port));
    device->TraceConnectWithoutContext("MacTxDrop",
                                       MakeBoundCallback(&TcpFabricHelper::CountDrop, port));
    device->TraceConnectWithoutContext("PhyRxDrop",
                                       MakeBoundCallback(&TcpFabricHelper::CountErrorDrop, port));
    ipv4->TraceConnectWithoutContext("Drop",
                                     MakeBoundCallback(&TcpFabricHelper::CountLinkDrop, port));
    const auto& factory = GetQueueDisc(node);
    if (factory.IsTypeIdSet())
    {
        const auto queueDisc = factory.Create<QueueDisc>();
        const auto layer = m_nodes.Get(node)->GetObject<TrafficControlLayer>();
        layer->SetRootQueueDiscOnDevice(device, queueDisc);
        port->queueDisc = PeekPointer(queueDisc);
        queueDisc->TraceConnectWithoutContext(
            "Drop",
            MakeBoundCallback(&TcpFabricHelper::CountQueueDiscDrop, port));
    }
}

void
TcpFabricHelper::CountPacket(Ptr<Port> port, Ptr<const Packet> packet)
{
    auto& counters = port->counters;
    const auto size = packet->GetSize();
    counters.bytes += size;
    ++counters.packets;
    // Between two departures a queue only grows, so its peak is what stood there just before one.
    uint64_t queued = size + port->device->GetQueue()->GetNBytes();
    if (port->queueDisc)
    {
        queued += port->queueDisc->GetNBytes();
    }
    counters.maxQueue = std::max(counters.maxQueue, queued);
    port->recentMaxQueue = std::max(port->recentMaxQueue, queued);
}

void
TcpFabricHelper::CountDrop(Ptr<Port> port, Ptr<const Packet> /* packet */)
{
    ++port->counters.drops;
}

void
TcpFabricHelper::CountErrorDrop(Ptr<Port> port, Ptr<const Packet> /* packet */)
{
    ++port->counters.drops;
    ++port->counters.errorDrops;
}

void
TcpFabricHelper::CountQueueDiscDrop(Ptr<Port> port, Ptr<const QueueDiscItem> /* item */)
{
    ++port->counters.drops;
}

void
TcpFabricHelper::CountLinkDrop(Ptr<Port> port,
                               const Ipv4Header& /* header */,
                               Ptr<const Packet> /* packet */,
                               Ipv4L3Protocol::DropReason reason,
                               Ptr<Ipv4> /* ipv4 */,
                               uint32_t interface)
{
    const bool isLost = reason == Ipv4L3Protocol::DROP_INTERFACE_DOWN ||
                        reason == Ipv4L3Protocol::DROP_NO_ROUTE ||
                        reason == Ipv4L3Protocol::DROP_ROUTE_ERROR;
    // What found no way belongs to no interface (0 is the loopback): the first port counts it.
    if (isLost && port->ipInterface == std::max(interface, 1U))
    {
        ++port->counters.drops;
        ++port->counters.linkDrops;
    }
}

const TopologyGraph&
TcpFabricHelper::GetGraph() const
{
    NS_ASSERT_MSG(m_topology, "TcpFabricHelper::Install() comes first");
    return m_topology->GetGraph();
}

NodeContainer
TcpFabricHelper::GetNodes() const
{
    return m_nodes;
}

NodeContainer
TcpFabricHelper::GetHosts() const
{
    NodeContainer hosts;
    for (const auto host : GetGraph().GetHosts())
    {
        hosts.Add(m_nodes.Get(host));
    }
    return hosts;
}

Ipv4Address
TcpFabricHelper::GetAddress(uint32_t rank) const
{
    NS_ASSERT_MSG(rank < GetGraph().GetHosts().size(), "no rank " << rank);
    return GetNodeAddress(GetGraph().GetHosts()[rank]);
}

Ipv4Address
TcpFabricHelper::GetNodeAddress(uint32_t node) const
{
    return m_topology->GetSource(node, Ipv4Address::GetAny());
}

Ptr<PointToPointNetDevice>
TcpFabricHelper::GetDevice(uint32_t link, uint32_t node) const
{
    return m_devices[GetGraph().GetDirection(link, node)];
}

const PortCounters&
TcpFabricHelper::GetCounters(uint32_t link, uint32_t from) const
{
    return m_ports[GetGraph().GetDirection(link, from)]->counters;
}

std::pair<uint64_t, uint64_t>
TcpFabricHelper::TakeQueue(uint32_t link, uint32_t from) const
{
    Port& port = *m_ports[GetGraph().GetDirection(link, from)];
    const uint64_t queued =
        port.device->GetQueue()->GetNBytes() + (port.queueDisc ? port.queueDisc->GetNBytes() : 0);
    // The peak counts from one look to the next.
    return {queued, std::max(queued, std::exchange(port.recentMaxQueue, 0))};
}

uint64_t
TcpFabricHelper::GetPacketHops() const
{
    uint64_t hops = 0;
    for (const auto& port : m_ports)
    {
        hops += port->counters.packets;
    }
    return hops;
}

void
TcpFabricHelper::SetLinkUp(uint32_t link, bool up)
{
    const auto& ends = GetGraph().GetLink(link);
    for (const auto node : {ends.a, ends.b})
    {
        const auto ipv4 = m_nodes.Get(node)->GetObject<Ipv4>();
        const auto interface = m_topology->GetPort(link, node).interface;
        up ? ipv4->SetUp(interface) : ipv4->SetDown(interface);
    }
}

int64_t
TcpFabricHelper::AssignStreams(int64_t stream)
{
    auto used = EcmpRoutingHelper::AssignStreams(m_nodes, stream);
    used += InternetStackHelper().AssignStreams(m_nodes, stream + used);
    for (const auto& loss : m_losses)
    {
        used += loss->AssignStreams(stream + used);
    }
    return used;
}

double
TcpFabricHelper::GetGoodputShare(uint32_t mtu, uint32_t segment)
{
    NS_ASSERT_MSG(mtu > TCP_IP_HEADERS, "no room for payload in " << mtu << " bytes");
    const uint32_t payload = std::min(segment, mtu - TCP_IP_HEADERS);
    return static_cast<double>(payload) / (payload + TCP_IP_HEADERS + PPP_HEADER);
}

} // namespace ns3
