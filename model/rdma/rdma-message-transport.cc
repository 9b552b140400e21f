/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-message-transport.h"

#include "rdma-message-observer.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaMessageTransport");

NS_OBJECT_ENSURE_REGISTERED(RdmaMessageTransport);

namespace
{

/// Parts of a message are multiples of this, bytes, but for the last (NCCL,
/// IB_WRITE_CHUNK_ALIGNMENT of src/transport/net_ib/p2p.cc).
constexpr uint64_t PART_UNIT = 128;

/**
 * @param network the routes
 * @param source a host with NVLinks to several planes of NVSwitches
 * @param destination another one
 * @return rate of the path over each plane, bit/s; empty = all are alike
 */
std::vector<double>
FindUnequalRates(const RdmaNetwork& network, uint32_t source, uint32_t destination)
{
    std::vector<double> rates;
    for (const auto& path : network.GetPlanePaths(source, destination, 0, false))
    {
        double rate = std::numeric_limits<double>::max();
        for (const auto link : path)
        {
            const auto bitRate = network.GetGraph().GetLink(link).rate.GetBitRate();
            rate = std::min(rate, static_cast<double>(bitRate));
        }
        rates.push_back(rate);
    }
    const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
    return least == rates.end() || *least == *most ? std::vector<double>() : rates;
}

} // namespace

TypeId
RdmaMessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaMessageTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaMessageTransport>()
            .AddAttribute("Priority",
                          "Priority of the messages, 0 to 7, but of connections that have a "
                          "traffic class. The switches' LosslessPriorities say whether it is under "
                          "flow control.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaMessageTransport::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("QpsPerConnection",
                          "Queue pairs of a connection, on each port of the NIC where PortSpraying "
                          "is split. Set before the transport is made. The default is that of "
                          "NCCL_IB_QPS_PER_CONNECTION (NCCL 2.30, "
                          "src/transport/net_ib/connect.cc).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaMessageTransport::m_pairs),
                          MakeUintegerChecker<uint32_t>(1, 128))
            .AddAttribute("UdpSourcePorts",
                          "Different UDP source ports that a host's queue pairs may have. Set "
                          "before the transport is made. The default is that each has its own, of "
                          "all dynamic ports (rdma_flow_label_to_udp_sport() of Linux, "
                          "include/rdma/ib_verbs.h). 1 = all queue pairs between two hosts are one "
                          "flow to who hashes addresses and ports: the least entropy.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(RDMA_UDP_SOURCE_PORTS),
                          MakeUintegerAccessor(&RdmaMessageTransport::m_udpPorts),
                          MakeUintegerChecker<uint32_t>(1, RDMA_UDP_SOURCE_PORTS))
            .AddAttribute("SplitDataOnQps",
                          "Whether each message is split over all queue pairs of its connection, "
                          "in equal parts of a multiple of 128 bytes; else messages alternate on "
                          "them, or on those of each port. Set before the transport is made. The "
                          "default is that of NCCL_IB_SPLIT_DATA_ON_QPS (NCCL 2.30, "
                          "src/transport/net_ib/common.cc; 0 since 2.20).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaMessageTransport::m_isSplit),
                          MakeBooleanChecker());
    return tid;
}

uint8_t
RdmaMessageTransport::GetInitialPriority()
{
    TypeId::AttributeInformation data;
    GetTypeId().LookupAttributeByName("Priority", &data);
    return static_cast<uint8_t>(DynamicCast<const UintegerValue>(data.initialValue)->Get());
}

RdmaMessageTransport::RdmaMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

RdmaMessageTransport::~RdmaMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaMessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_connections.clear();
    m_found.Clear();
    m_assemblies.clear();
    m_outgoing.clear();
    m_nic = nullptr;
    m_hosts = nullptr;
    m_classes = nullptr;
    MessageTransport::DoDispose();
}

void
RdmaMessageTransport::SetNic(Ptr<RdmaNic> nic, Hosts hosts)
{
    NS_LOG_FUNCTION(this << nic);
    m_nic = nic;
    m_hosts = hosts;
    const auto& graph = nic->GetNetwork().GetGraph();
    uint32_t nvlinks = 0;
    for (const auto link : graph.GetLinksOf(nic->GetAddress()))
    {
        nvlinks += graph.GetLink(link).nvlink ? 1 : 0;
    }
    const bool isHost = graph.GetNode(nic->GetAddress()).kind == TopologyGraph::HOST;
    const bool hasPorts = graph.GetLinksOf(nic->GetAddress()).size() - nvlinks > 1 &&
                          nic->GetNetworkProtocol()->SplitsOverPorts();
    // Without parts no message is numbered or assembled, which is the common case.
    m_hasParts = m_pairs > 1 || (isHost && (nvlinks > 1 || hasPorts));
    nic->SetCallbacks(MakeCallback(&RdmaMessageTransport::HandleArrival, this),
                      MakeCallback(&RdmaMessageTransport::HandleSent, this));
}

bool
RdmaMessageTransport::Serves(uint32_t rank) const
{
    return m_hosts && rank < m_hosts->size() && (*m_hosts)[rank] == m_nic->GetAddress();
}

std::string
RdmaMessageTransport::GetKind() const
{
    return "rdma";
}

uint64_t
RdmaMessageTransport::GetAcknowledgedBytes() const
{
    uint64_t bytes = 0;
    for (uint32_t pair = 0; m_nic && pair < m_nic->GetNSenders(); ++pair)
    {
        bytes += m_nic->GetSender(pair).GetAcknowledgedBytes();
    }
    return bytes;
}

void
RdmaMessageTransport::SetTrafficClasses(TrafficClasses classes)
{
    NS_LOG_FUNCTION(this);
    NS_ASSERT_MSG(m_connections.empty(), "queue pairs keep the priority that they are made with");
    const uint8_t responses = m_nic->MakeQueuePairConfig().ackPriority;
    for (const auto& trafficClass : *classes)
    {
        NS_ABORT_MSG_IF(trafficClass == responses,
                        "traffic class " << +responses << " belongs to acknowledgements and "
                                         << "congestion notifications, see AckPriority of RdmaNic");
    }
    m_classes = classes;
}

void
RdmaMessageTransport::DoSend(const Message& message)
{
    Connection& connection = GetConnection({message.destination, message.group, message.channel});
    if (m_hasParts)
    {
        SendParts(connection, message);
        return;
    }
    m_nic->Post(connection.firstPair, message);
}

RdmaMessageTransport::Connection&
RdmaMessageTransport::GetConnection(const MessageConnection& key)
{
    Connection*& found = m_found[key];
    if (!found)
    {
        found = &m_connections[key];
        const uint32_t peer = m_hosts->at(key.peer);
        *found = PlanConnection(peer);
        // Queue pairs of a connection have consecutive numbers.
        found->firstPair = m_nic->GetNSenders();
        found->offset = GetOffset(peer, found->firstPair);
        for (uint32_t place = 0; place < found->pairs; ++place)
        {
            const uint32_t index = (place + found->pairs - found->offset) % found->pairs;
            m_nic->CreateQueuePair(peer, GetUdpSourcePort(key, index), GetPriority(key.group));
        }
    }
    return *found;
}

uint32_t
RdmaMessageTransport::GetOffset(uint32_t peer, uint32_t firstPair) const
{
    const uint32_t ports = std::max(m_nic->GetPlanes(peer).size(), 1U);
    return (ports - firstPair % ports) % ports;
}

RdmaMessageTransport::Connection
RdmaMessageTransport::PlanConnection(uint32_t peer) const
{
    const auto planes = m_nic->GetPlanes(peer);
    const auto& graph = m_nic->GetNetwork().GetGraph();
    Connection connection;
    connection.isNvlink = planes.size() > 0 && graph.GetLink(planes.GetLink(0)).nvlink;
    if (connection.isNvlink)
    {
        // Where a host has several planes of NVSwitches, a connection has a queue pair for each,
        // and messages are spread over them by whole packets.
        connection.unit = m_nic->MakeQueuePairConfig().mtu;
        connection.pairs = planes.size();
        connection.parts = planes.size();
        connection.rates = FindUnequalRates(m_nic->GetNetwork(), m_nic->GetAddress(), peer);
        return connection;
    }
    connection.unit = PART_UNIT;
    connection.pairs = m_pairs * std::max(planes.size(), 1U);
    // NCCL_IB_SPLIT_DATA_ON_QPS: over all queue pairs, or over one on each port.
    connection.parts = m_isSplit ? connection.pairs : std::max(planes.size(), 1U);
    return connection;
}

std::vector<RdmaMessageTransport::OpenConnection>
RdmaMessageTransport::GetConnections(uint32_t group) const
{
    std::vector<OpenConnection> connections;
    // The map is ordered by group first.
    auto open = m_connections.lower_bound({0, group, 0});
    for (; open != m_connections.end() && open->first.group == group; ++open)
    {
        const auto& [key, connection] = *open;
        connections.push_back(
            {key.peer, key.channel, connection.firstPair, connection.pairs, connection.GetTurn()});
    }
    return connections;
}

uint32_t
RdmaMessageTransport::Open(const MessageConnection& key, uint32_t turn)
{
    Connection& connection = GetConnection(key);
    // Turns only count up; whose turn it is, is their remainder.
    connection.turns += (turn + connection.pairs - connection.GetTurn()) % connection.pairs;
    return connection.firstPair;
}

std::vector<std::vector<uint32_t>>
RdmaMessageTransport::GetPaths(const Message& message) const
{
    const uint32_t source = m_hosts->at(message.source);
    const uint32_t destination = m_hosts->at(message.destination);
    const auto& network = m_nic->GetNetwork();
    const Connection plan = PlanConnection(destination);
    const bool hasNics = m_nic->SplitsOverPorts(destination);
    const MessageConnection connection{message.destination, message.group, message.channel};
    if (plan.isNvlink)
    {
        return network.GetPlanePaths(source, destination, 0, hasNics);
    }
    std::vector<std::vector<uint32_t>> paths;
    for (uint32_t index = 0; index < plan.pairs; ++index)
    {
        const auto port = GetUdpSourcePort(connection, index);
        const auto hash = RdmaFlowHash(source, destination, port);
        const auto planes = network.GetPlanePaths(source, destination, hash, hasNics);
        paths.push_back(planes.empty() ? network.GetPath(source, destination, hash)
                                       : planes[index % planes.size()]);
    }
    return paths;
}

uint16_t
RdmaMessageTransport::GetUdpSourcePort(const MessageConnection& connection, uint32_t index) const
{
    return RdmaUdpSourcePort(connection.group, connection.channel, index, m_udpPorts);
}

uint8_t
RdmaMessageTransport::GetPriority(uint32_t group) const
{
    return m_classes ? m_classes->at(group).value_or(m_priority) : m_priority;
}

std::vector<uint64_t>
RdmaMessageTransport::CutMessage(const Connection& connection, uint64_t bytes, uint32_t first)
{
    std::vector<uint64_t> ends;
    const uint64_t share = (bytes + connection.parts - 1) / connection.parts;
    // Bytes of a part, rounded up to whole units; the last part takes what is left.
    const uint64_t size = (share + connection.unit - 1) / connection.unit * connection.unit;
    const auto& rates = connection.rates;
    const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
    double sum = 0;
    for (uint32_t part = 0; part < connection.parts; ++part)
    {
        uint64_t end = (part + 1) * size;
        if (!rates.empty())
        {
            // All NVLinks of a GPU carry alike, whichever NVSwitch they lead to.
            sum += rates[(first + part) % rates.size()];
            const double units = static_cast<double>(bytes) * (sum / all) / connection.unit;
            // Rounding errors must not add a packet, nor leave anything behind the last part.
            const auto whole = static_cast<uint64_t>(std::ceil(units * (1 - 1e-12)));
            end = part + 1 == connection.parts ? bytes : whole * connection.unit;
        }
        ends.push_back(std::min(end, bytes));
        // A message of few packets takes few planes, others each time.
        if (connection.isNvlink && ends.back() == bytes)
        {
            break;
        }
    }
    return ends;
}

void
RdmaMessageTransport::SendParts(Connection& connection, Message message)
{
    const uint32_t turn = connection.GetTurn();
    message.number = connection.messages++;
    // Messages alternate on the queue pairs that one alone does not use.
    const uint32_t first = connection.isNvlink ? turn : turn * connection.parts % connection.pairs;
    const auto ends = CutMessage(connection, message.bytes, first);
    message.parts = static_cast<uint32_t>(ends.size());
    // Parts are acknowledged one by one, under a cookie of the transport's own.
    m_outgoing[m_posted] = {message.cookie, message.parts};
    message.cookie = m_posted++;
    uint64_t begin = 0;
    for (uint32_t part = 0; part < message.parts; ++part)
    {
        message.bytes = ends[part] - begin;
        begin = ends[part];
        m_nic->Post(connection.GetPair(first + part), message);
    }
}

void
RdmaMessageTransport::HandleArrival(const Message& message)
{
    if (message.parts == 0)
    {
        // Not split: the queue pair keeps the order.
        HandOver(message);
        return;
    }
    Assembly& assembly = m_assemblies[{message.source, message.group, message.channel}];
    const auto [found, isNew] = assembly.incoming.try_emplace(message.number);
    Incoming& incoming = found->second;
    const uint64_t bytes = incoming.message.bytes + message.bytes;
    incoming.message = message;
    // Bytes of all parts so far; the rest is alike in all parts.
    incoming.message.bytes = bytes;
    ++incoming.parts;
    // Parts come by several queue pairs and overtake each other: messages of a connection are
    // handed up by their numbers.
    auto first = assembly.incoming.begin();
    while (first != assembly.incoming.end() && first->first == assembly.delivered &&
           first->second.parts == first->second.message.parts)
    {
        Message whole = first->second.message;
        // Nobody above knows of parts.
        whole.number = 0;
        whole.parts = 0;
        assembly.incoming.erase(first);
        ++assembly.delivered;
        HandOver(whole);
        first = assembly.incoming.begin();
    }
}

void
RdmaMessageTransport::HandOver(const Message& message)
{
    if (auto* const observer = m_nic->GetNetwork().GetObserver())
    {
        observer->Count(m_hosts->at(message.source), m_nic->GetAddress(), message);
    }
    NotifyArrival(message);
}

void
RdmaMessageTransport::HandleSent(uint64_t cookie)
{
    if (m_hasParts)
    {
        const auto found = m_outgoing.find(cookie);
        // A message is sent when its last part is acknowledged.
        if (--found->second.parts > 0)
        {
            return;
        }
        cookie = found->second.cookie;
        m_outgoing.erase(found);
    }
    NotifySent(cookie);
}

} // namespace ns3
