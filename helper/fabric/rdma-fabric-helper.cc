/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-fabric-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-frame.h"
#include "ns3/rdma-ip-interface.h"
#include "ns3/rdma-message-transport.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-rc-protocol.h"
#include "ns3/simulator.h"
#include "ns3/topology-servers.h"
#include "ns3/uinteger.h"
#include "ns3/virtual-net-device.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3
{

namespace
{

/// Random streams that are kept for the internet stack of a host, more than it has protocols.
constexpr int64_t STREAMS_PER_STACK = 64;

/**
 * Give hosts an internet stack that uses the ports of their NICs, see RdmaIpInterface.
 *
 * A host has one address whatever number of ports, RdmaFrame::GetIpv4Address() of its node.
 *
 * @param hosts the hosts; those without a NIC, which other processes have, get none
 * @param stream number of the first random stream of the stacks, the same in all processes
 */
void
InstallRdmaInternet(const NodeContainer& hosts, int64_t stream)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    for (auto host = hosts.Begin(); host != hosts.End(); ++host, stream += STREAMS_PER_STACK)
    {
        if (!(*host)->GetObject<RdmaNic>())
        {
            continue;
        }
        stack.Install(*host);
        stack.AssignStreams(*host, stream);
        auto nic = (*host)->GetObject<RdmaNic>();
        auto device = CreateObject<VirtualNetDevice>();
        // Frames of IP are as long as those of RDMA, which the switches' headroom goes by.
        const RdmaQueuePairConfig config = nic->MakeQueuePairConfig();
        device->SetMtu(static_cast<uint16_t>(config.linkLayer->GetDataBytes(config.mtu) -
                                             config.linkLayer->internet));
        (*host)->AddDevice(device);
        auto interface = CreateObject<RdmaIpInterface>();
        interface->Setup(nic, device);
        (*host)->AggregateObject(interface);
        auto ipv4 = (*host)->GetObject<Ipv4>();
        const uint32_t index = ipv4->AddInterface(device);
        // All hosts are neighbours: the fabric's own routes lead to them.
        ipv4->AddAddress(index,
                         Ipv4InterfaceAddress(RdmaFrame::GetIpv4Address(nic->GetAddress()),
                                              Ipv4Mask("255.0.0.0")));
        ipv4->SetUp(index);
    }
}

/**
 * Make virtual channels as lossless as data.
 *
 * @param forwarding a switch
 * @param channels priorities of the channels
 * @param usesCredits whether flow control is by credits, by which all priorities are
 */
void
AddLosslessPriorities(RdmaSwitch& forwarding, RdmaEgressQueues::Mask channels, bool usesCredits)
{
    if (channels != 0 && !usesCredits)
    {
        UintegerValue lossless;
        forwarding.GetAttribute("LosslessPriorities", lossless);
        forwarding.SetAttribute("LosslessPriorities", UintegerValue(lossless.Get() | channels));
    }
}

/**
 * @param node a node with a NIC
 * @param nodes the nodes that messages go to
 * @return its transport
 */
Ptr<RdmaMessageTransport>
InstallTransport(Ptr<Node> node, RdmaMessageTransport::Hosts nodes)
{
    auto transport = CreateObject<RdmaMessageTransport>();
    transport->SetNic(node->GetObject<RdmaNic>(), std::move(nodes));
    // Config paths then find its trace sources, with or without an application.
    node->AggregateObject(transport);
    return transport;
}

} // namespace

RdmaFabricHelper::RdmaFabricHelper()
    : m_congestionControl("ns3::RdmaDcqcn"),
      m_protocolFactory("ns3::RdmaRcProtocol"),
      m_routing("ns3::RdmaEcmpRouting"),
      m_switch("ns3::RdmaSwitch"),
      m_nic("ns3::RdmaNic"),
      m_device("ns3::RdmaNetDevice")
{
}

void
RdmaFabricHelper::SetCongestionControl(const std::string& type)
{
    m_congestionControl.SetTypeId(type);
}

void
RdmaFabricHelper::SetProtocol(const std::string& type)
{
    m_protocolFactory.SetTypeId(type);
}

void
RdmaFabricHelper::SetRouting(const std::string& type)
{
    m_routing.SetTypeId(type);
}

void
RdmaFabricHelper::SetMtu(uint32_t mtu)
{
    m_nic.Set("Mtu", UintegerValue(mtu));
}

void
RdmaFabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switch.Set(name, value);
}

void
RdmaFabricHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nic.Set(name, value);
}

void
RdmaFabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    NS_ABORT_MSG_IF(name == "DataRate", "the graph states the rate of each link, see AddLink()");
    m_device.Set(name, value);
}

void
RdmaFabricHelper::SetPartition(std::shared_ptr<const TopologyPartition> partition)
{
    m_partition = std::move(partition);
}

bool
RdmaFabricHelper::IsOwn(uint32_t node) const
{
    return !m_partition || m_partition->GetPart(node) == Simulator::GetSystemId();
}

void
RdmaFabricHelper::Check() const
{
    const auto protocol = m_protocolFactory.Create<RdmaProtocol>();
    const auto control = m_congestionControl.Create<RdmaCongestionControl>();
    protocol->CheckControl(*control, *m_routing.Create<RdmaRouting>());
}

void
RdmaFabricHelper::Install(const TopologyGraph& graph)
{
    Install(graph, FabricEndpoints(graph, false));
}

void
RdmaFabricHelper::Install(const TopologyGraph& graph, const FabricEndpoints& endpoints)
{
    m_network = CreateObject<RdmaNetwork>();
    m_protocol = m_protocolFactory.Create<RdmaProtocol>();
    m_network->SetGraph(graph, MakeRouting());
    m_control = m_congestionControl.Create<RdmaCongestionControl>();
    m_protocol->CheckControl(*m_control, *m_network->GetRouting());
    m_marker = CreateObject<RdmaEcnMarker>();
    m_marker->CheckParameters();
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        // Nodes of other processes as well, so that the number of a node is the same in all.
        m_nodes.Create(1, m_partition ? m_partition->GetPart(node) : 0);
    }
    if (m_partition && m_partition->GetNParts() > 1)
    {
        m_links = RdmaProcessLink::MakeAll();
    }
    std::vector<bool> isEndpoint(graph.GetNNodes(), false);
    for (const auto node : endpoints.GetNodes())
    {
        isEndpoint[node] = true;
    }
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        if (IsOwn(node))
        {
            InstallNode(node, isEndpoint[node]);
        }
    }
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        InstallLink(link);
    }
    // Only now all NICs exist, whose largest frame sets the headroom of switches.
    const uint32_t frame = GetLargestFrame();
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        if (auto forwarding = GetSwitch(node))
        {
            forwarding->Configure(frame);
        }
    }
    // All ports exist now: both ends of a link must have the same flow control.
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            if (IsOwn(node))
            {
                const auto device = GetDevice(link, node);
                const bool hasPeer = IsOwn(graph.GetPeer(link, node));
                device->BeginFlowControl(frame, hasPeer ? PeekPointer(device->GetPeer()) : nullptr);
            }
        }
    }
    CutThroughElsewhere();
    SetQueues();
    auto nodes = std::make_shared<const std::vector<uint32_t>>(endpoints.GetNodes());
    for (uint32_t address = 0; address < nodes->size(); ++address)
    {
        const auto node = m_nodes.Get(nodes->at(address));
        const bool isHost = address < endpoints.GetNHosts();
        const auto transport = IsOwn(nodes->at(address)) ? InstallTransport(node, nodes) : nullptr;
        (isHost ? m_hosts : m_switchNodes).Add(node);
        (isHost ? m_transports : m_switchTransports).emplace_back(transport);
    }
}

void
RdmaFabricHelper::SetQueues()
{
    const TopologyGraph& graph = m_network->GetGraph();
    for (const auto nic : FindNics(graph))
    {
        if (graph.GetNode(nic).kind == TopologyGraph::HOST || !IsOwn(nic))
        {
            continue;
        }
        // A NIC fetches what its queue pairs may send: what waits there waits in the memory of its
        // hosts, as with a NIC of their own, and is no congestion of the network.
        for (const auto link : graph.GetLinksOf(nic))
        {
            GetDevice(link, nic)->SetEcnMarker(nullptr);
        }
    }
    // A protocol that has no settings leaves the attributes as they are.
    if (!m_protocol->GetSwitchSettings(Time(0)).isGiven)
    {
        return;
    }
    const Time rtt = m_network->GetLongestBaseRtt(
        GetLargestFrame(),
        m_device.Create<RdmaNetDevice>()->GetFlowControl().GetLinkLayer());
    const auto settings = m_protocol->GetSwitchSettings(rtt);
    m_marker->SetAttribute("Kmin", TimeValue(settings.markFrom));
    m_marker->SetAttribute("Kmax", TimeValue(settings.markAll));
    m_marker->SetAttribute("Pmax", DoubleValue(1));
    m_marker->CheckParameters();
    for (uint32_t node = 0; node < m_nodes.GetN(); ++node)
    {
        if (const auto forwarding = GetSwitch(node))
        {
            forwarding->SetTrimming(settings.trim);
            forwarding->UpdateMarking();
        }
    }
}

Ptr<RdmaRouting>
RdmaFabricHelper::MakeRouting() const
{
    UintegerValue lossless;
    m_switch.Create<RdmaSwitch>()->GetAttribute("LosslessPriorities", lossless);
    // Ports and transports choose the simulator when they are made, which may be too early.
    const auto priority = RdmaMessageTransport::GetInitialPriority();
    const bool isPaused = (lossless.Get() >> priority & 1U) != 0;
    const auto routing = m_routing.Create<RdmaRouting>();
    if (!m_protocolFactory.Create<RdmaProtocol>()->GetSwitchSettings(Time(0)).isLossy &&
        (isPaused || m_device.Create<RdmaNetDevice>()->UsesCredits()))
    {
        // What is trimmed or acknowledges data has a priority for itself.
        UintegerValue taken;
        m_nic.Create<RdmaNic>()->GetAttribute("AckPriority", taken);
        routing->OfferChannels(static_cast<RdmaEgressQueues::Mask>(
            RdmaEgressQueues::ALL & ~(1U << taken.Get()) & ~(1U << RdmaPacket::TRIMMED_PRIORITY)));
    }
    return routing;
}

bool
RdmaFabricHelper::HasChannels() const
{
    return MakeRouting()->WantsChannels();
}

void
RdmaFabricHelper::InstallNode(uint32_t node, bool isEndpoint)
{
    const TopologyGraph& graph = m_network->GetGraph();
    const bool isHost = graph.GetNode(node).kind == TopologyGraph::HOST;
    Ptr<RdmaSwitch> forwarding;
    if (!isHost || graph.HostsRelay())
    {
        forwarding = m_switch.Create<RdmaSwitch>();
        forwarding->SetNetwork(m_network, node);
        const bool isNvswitch = graph.GetNode(node).kind == TopologyGraph::NVSWITCH;
        // NVSwitches are lossless with any protocol.
        if (m_protocol->GetSwitchSettings(Time(0)).isLossy && !isNvswitch)
        {
            forwarding->SetAttribute("LosslessPriorities", UintegerValue(0));
        }
        if (graph.GetNode(node).kind == TopologyGraph::SWITCH)
        {
            AddLosslessPriorities(*forwarding,
                                  m_network->GetRouting()->GetChannels(),
                                  m_device.Create<RdmaNetDevice>()->UsesCredits());
        }
        m_nodes.Get(node)->AggregateObject(forwarding);
    }
    if (isEndpoint)
    {
        auto nic = m_nic.Create<RdmaNic>();
        nic->SetNetwork(m_network, node);
        nic->SetRelay(forwarding);
        if (m_protocolFactory.GetTypeId() != RdmaRcProtocol::GetTypeId())
        {
            nic->SetProtocol(m_protocol);
        }
        // A NIC's own congestion control wins, but has to suit the protocol as well.
        if (nic->GetCongestionControl())
        {
            m_protocol->CheckControl(*nic->GetCongestionControl(), *m_network->GetRouting());
        }
        else
        {
            nic->SetCongestionControl(m_control);
        }
        m_nodes.Get(node)->AggregateObject(nic);
    }
}

uint32_t
RdmaFabricHelper::GetLargestFrame() const
{
    uint32_t frame = 0;
    for (auto node = m_nodes.Begin(); node != m_nodes.End(); ++node)
    {
        if (const auto nic = (*node)->GetObject<RdmaNic>())
        {
            const RdmaQueuePairConfig config = nic->MakeQueuePairConfig();
            if (config.mtu > config.linkLayer->mtu)
            {
                throw WorkloadError({"ns3::RdmaNic::Mtu", 0, 0, ""},
                                    "at most " + std::to_string(config.linkLayer->mtu) +
                                        " bytes with flow control by credits, that of InfiniBand",
                                    std::to_string(config.mtu));
            }
            frame =
                std::max(frame, config.linkLayer->GetDataBytes(config.mtu, config.usesTelemetry));
        }
    }
    return frame;
}

void
RdmaFabricHelper::InstallInternet(int64_t stream)
{
    InstallRdmaInternet(m_hosts, stream);
}

const NodeContainer&
RdmaFabricHelper::GetNodes() const
{
    return m_nodes;
}

const NodeContainer&
RdmaFabricHelper::GetHosts() const
{
    return m_hosts;
}

const std::vector<Ptr<MessageTransport>>&
RdmaFabricHelper::GetTransports() const
{
    return m_transports;
}

const NodeContainer&
RdmaFabricHelper::GetSwitchNodes() const
{
    return m_switchNodes;
}

const std::vector<Ptr<MessageTransport>>&
RdmaFabricHelper::GetSwitchTransports() const
{
    return m_switchTransports;
}

Ptr<RdmaNetwork>
RdmaFabricHelper::GetNetwork() const
{
    return m_network;
}

Ptr<RdmaProtocol>
RdmaFabricHelper::GetProtocol() const
{
    return m_protocol;
}

Ptr<RdmaCongestionControl>
RdmaFabricHelper::GetCongestionControl() const
{
    return m_control;
}

Ptr<RdmaNetDevice>
RdmaFabricHelper::GetDevice(uint32_t link, uint32_t node) const
{
    return m_network->GetPort(link, node);
}

Ptr<RdmaNic>
RdmaFabricHelper::GetNic(uint32_t rank) const
{
    return m_hosts.Get(rank)->GetObject<RdmaNic>();
}

Ptr<RdmaSwitch>
RdmaFabricHelper::GetSwitch(uint32_t node) const
{
    return m_nodes.Get(node)->GetObject<RdmaSwitch>();
}

std::vector<std::pair<uint32_t, uint32_t>>
RdmaFabricHelper::FindUnmarkedPorts() const
{
    const TopologyGraph& graph = m_network->GetGraph();
    std::vector<std::pair<uint32_t, uint32_t>> ports;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            const auto forwarding = GetSwitch(node);
            if (forwarding && !forwarding->MarksInTime(*GetDevice(link, node)))
            {
                ports.emplace_back(link, node);
            }
        }
    }
    return ports;
}

std::vector<std::string>
RdmaFabricHelper::GetWarnings() const
{
    return DescribeUnmarkedPorts(FindUnmarkedPorts(), m_network->GetGraph());
}

std::vector<std::string>
RdmaFabricHelper::DescribeUnmarkedPorts(const std::vector<std::pair<uint32_t, uint32_t>>& ports,
                                        const TopologyGraph& graph)
{
    if (ports.empty())
    {
        return {};
    }
    const auto [link, node] = ports.front();
    const auto more = ports.size() - 1;
    return {"the port from " + graph.GetNode(node).name + " to " +
            graph.GetNode(graph.GetPeer(link, node)).name +
            (more > 0 ? " and " + std::to_string(more) + " more" : "") +
            " marks nothing before the buffer is short: enlarge ns3::RdmaSwitch::BufferSize or "
            "IngressAlpha, or lower ns3::RdmaEcnMarker::Kmin"};
}

uint64_t
RdmaFabricHelper::GetPacketHops() const
{
    uint64_t packets = 0;
    const TopologyGraph& graph = m_network->GetGraph();
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            packets += IsOwn(node) ? GetDevice(link, node)->GetCounters().packets : 0;
        }
    }
    return packets;
}

int64_t
RdmaFabricHelper::AssignStreams(int64_t stream)
{
    auto seed = CreateObject<UniformRandomVariable>();
    seed->SetStream(stream);
    m_network->SetSeed(seed->GetInteger(0, UINT32_MAX - 1));
    int64_t used = 1;
    // The numbers do not depend on which process has which node.
    const TopologyGraph& graph = m_network->GetGraph();
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        for (const auto link : graph.GetLinksOf(node))
        {
            used += IsOwn(node) ? GetDevice(link, node)->AssignStreams(stream + used) : 1;
        }
    }
    for (const auto& loss : m_losses)
    {
        used += loss ? loss->AssignStreams(stream + used) : 1;
    }
    return used;
}

double
RdmaFabricHelper::GetGoodputShare(const RdmaQueuePairConfig& config)
{
    // Preamble, start of the frame and gap take time on the wire, too.
    const RdmaLinkLayer& layer = *config.linkLayer;
    const auto frame = layer.GetDataBytes(config.mtu, config.usesTelemetry);
    return static_cast<double>(config.mtu) / layer.GetWireBytes(frame);
}

} // namespace ns3
