/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-replay-fabric.h"

#include "ns3/callback.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Port that every rank listens on; each has an address of its own.
constexpr uint16_t PORT = 5000;

} // namespace

TcpReplayFabric::TcpReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_endpoints(FindEndpoints(options, graph)),
      m_description(DescribeGraph(options, graph))
{
    m_fabric.SetPartition(MakePartition(graph));
    m_fabric.Install(graph, m_endpoints, options.fabric);
    m_fabric.AssignStreams(0);
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    for (const auto node : m_endpoints.GetNodes())
    {
        addresses->emplace_back(m_fabric.GetNodeAddress(node), PORT);
    }
    for (uint32_t address = 0; address < addresses->size(); ++address)
    {
        const auto node = m_fabric.GetNodes().Get(m_endpoints.GetNodes()[address]);
        const bool isHost = address < m_endpoints.GetNHosts();
        Ptr<TcpMessageTransport> transport;
        if (node->GetSystemId() == Simulator::GetSystemId())
        {
            transport = CreateObject<TcpMessageTransport>();
            transport->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&TcpReplayFabric::CountRetransmission, this));
            transport->TraceConnectWithoutContext(
                "TimedOut",
                MakeCallback(&TcpReplayFabric::NoteTimeout, this));
            transport->TraceConnectWithoutContext(
                "ConnectionFailed",
                MakeCallback(&TcpReplayFabric::NoteFailure, this));
            transport->Install(node, address, addresses);
        }
        (isHost ? m_hosts : m_switchNodes).Add(node);
        (isHost ? m_transports : m_switchTransports).emplace_back(transport);
    }
    // All are alike, and each process has some.
    const auto own = std::find_if(m_transports.begin(), m_transports.end(), [](const auto& t) {
        return t != nullptr;
    });
    TypeIdValue congestionControl;
    (*own)->GetAttribute("CongestionControl", congestionControl);
    UintegerValue segment;
    (*own)->GetAttribute("SegmentSize", segment);
    m_description.cc = congestionControl.Get().GetName();
    m_description.routing = "ecmp";
    m_description.mtu = options.fabric.mtu;
    m_description.maxTrain = 1;
    m_description.goodputShare =
        TcpFabricHelper::GetGoodputShare(options.fabric.mtu, static_cast<uint32_t>(segment.Get()));
    m_description.timeoutAttribute = "at least ns3::TcpMessageTransport::MinRto";
}

void
TcpReplayFabric::CountRetransmission(uint32_t /* rank */, uint32_t /* peer */, uint32_t /* bytes */)
{
    ++m_retransmissions;
}

void
TcpReplayFabric::NoteTimeout(uint32_t /* rank */, uint32_t /* peer */, Time waited)
{
    m_timeouts.Add({1, waited, waited});
}

void
TcpReplayFabric::NoteFailure(uint32_t rank, uint32_t peer, const std::string& reason)
{
    m_failures.push_back("the connection from " + m_endpoints.Describe(*GetGraph(), rank) + " to " +
                         m_endpoints.Describe(*GetGraph(), peer) + " has failed: " + reason);
}

FabricDescription
TcpReplayFabric::Describe() const
{
    return m_description;
}

const TopologyGraph*
TcpReplayFabric::GetGraph() const
{
    return &m_fabric.GetGraph();
}

LinkCounters
TcpReplayFabric::ReadPort(uint32_t link, uint32_t from) const
{
    const auto& counters = m_fabric.GetCounters(link, from);
    LinkCounters use;
    use.bytes = counters.bytes;
    use.packets = counters.packets;
    use.maxQueue = counters.maxQueue;
    use.drops = counters.drops;
    return use;
}

bool
TcpReplayFabric::HasPort(uint32_t link [[maybe_unused]], uint32_t from) const
{
    return m_fabric.IsOwn(from);
}

PortReading
TcpReplayFabric::ReadPortNow(uint32_t link, uint32_t from) const
{
    PortReading reading;
    reading.counters = ReadPort(link, from);
    reading.sentBytes = static_cast<double>(reading.counters.bytes);
    std::tie(reading.queue, reading.maxQueue) = m_fabric.TakeQueue(link, from);
    return reading;
}

void
TcpReplayFabric::SetLinkUp(uint32_t link, bool up)
{
    m_fabric.SetLinkUp(link, up);
}

} // namespace ns3
