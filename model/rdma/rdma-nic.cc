/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic.h"

#include "rdma-channel.h"
#include "rdma-credit-pacer.h"
#include "rdma-message-observer.h"
#include "rdma-no-congestion-control.h"
#include "rdma-overcommitment.h"
#include "rdma-rc-protocol.h"
#include "uec-receiver.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");

namespace
{

/// 2^64 by the golden ratio: numbers times it differ in their highest bits (D. Knuth, The Art of
/// Computer Programming, volume 3, section 6.4).
constexpr uint64_t GOLDEN_RATIO = 0x9e3779b97f4a7c15;

} // namespace

RdmaNic::RdmaNic()
    : m_protocol(CreateObject<RdmaRcProtocol>()),
      m_inside(m_protocol)
{
    NS_LOG_FUNCTION(this);
}

RdmaNic::~RdmaNic()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaNic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    // Pacers refer to receivers, so they go first.
    m_granters.clear();
    m_senders.clear();
    m_receivers.clear();
    m_ports.clear();
    m_network = nullptr;
    m_relay = nullptr;
    m_control = nullptr;
    m_protocol = nullptr;
    m_inside = nullptr;
    m_insideControl = nullptr;
    m_arrival = ArrivalCallback();
    m_sent = SentCallback();
    m_ip = IpCallback();
    Object::DoDispose();
}

void
RdmaNic::SetNetwork(Ptr<RdmaNetwork> network, uint32_t address)
{
    NS_LOG_FUNCTION(this << network << address);
    m_network = network;
    m_address = address;
    network->TraceConnectWithoutContext("Convergence", MakeCallback(&RdmaNic::FollowRoutes, this));
}

void
RdmaNic::SetCongestionControl(Ptr<RdmaCongestionControl> control)
{
    NS_LOG_FUNCTION(this << control);
    NS_ABORT_MSG_IF(m_config, "congestion control comes before the first queue pair");
    m_control = control;
}

void
RdmaNic::SetProtocol(Ptr<RdmaProtocol> protocol)
{
    NS_LOG_FUNCTION(this << protocol);
    NS_ABORT_MSG_IF(m_config, "the protocol comes before the first queue pair");
    m_protocol = protocol;
    // Links within a server lose nothing and have one path, so no rate control runs there.
    m_insideControl = CreateObject<RdmaNoCongestionControl>();
    if (protocol->ServesServers())
    {
        m_inside = protocol;
    }
}

bool
RdmaNic::IsInServer(uint32_t peer) const
{
    const TopologyGraph& graph = m_network->GetGraph();
    const uint32_t server = graph.GetNode(m_address).server;
    return server != TopologyGraph::NO_SERVER && server == graph.GetNode(peer).server;
}

const RdmaProtocol&
RdmaNic::GetProtocol(uint32_t peer) const
{
    return IsInServer(peer) ? *m_inside : *m_protocol;
}

bool
RdmaNic::SplitsOverPorts(uint32_t peer) const
{
    return GetProtocol(peer).SplitsOverPorts();
}

const RdmaCongestionControl&
RdmaNic::GetControl(uint32_t peer) const
{
    return m_insideControl && IsInServer(peer) ? *m_insideControl : *m_control;
}

const RdmaQueuePairConfig&
RdmaNic::GetQueuePairConfig()
{
    if (!m_config)
    {
        // All queue pairs of the NIC share it, so attributes count as they stand at the first one.
        m_config = std::make_unique<const RdmaQueuePairConfig>(MakeQueuePairConfig());
    }
    return *m_config;
}

void
RdmaNic::AddPort(Ptr<RdmaNetDevice> port)
{
    NS_LOG_FUNCTION(this << port);
    port->SetOwner(this, m_ports.size(), m_address, m_relay != nullptr);
    m_ports.push_back(port);
    port->AddSchedule();
}

uint32_t
RdmaNic::CreateQueuePair(uint32_t peer, uint16_t udpSourcePort, uint8_t priority)
{
    NS_LOG_FUNCTION(this << peer << udpSourcePort << +priority);
    const auto number = static_cast<uint32_t>(m_senders.size());
    const auto& protocol = GetProtocol(peer);
    m_senders.push_back(protocol.CreateSender(*this, number, peer, udpSourcePort, priority));
    return number;
}

void
RdmaNic::Post(uint32_t sender, const Message& message)
{
    if (auto* const observer = m_network->GetObserver())
    {
        // Before the message is posted: communicators that are reused must be simulated from here
        // on.
        observer->Begin(m_address, m_senders[sender]->GetPeer(), message);
    }
    m_senders[sender]->Post(message);
    // A queue pair with nothing to send stands in no schedule.
    m_senders[sender]->Resume();
}

void
RdmaNic::Deliver(const Message& message)
{
    m_arrival(message);
}

void
RdmaNic::NotifySent(uint32_t peer, uint64_t cookie)
{
    if (auto* const observer = m_network->GetObserver())
    {
        // Before the owner is notified, who may send the next message from within.
        observer->End(m_address, peer);
    }
    m_sent(cookie);
}

void
RdmaNic::Receive(RdmaNetDevice& port, RdmaPacketPtr packet)
{
    if (packet->destination != m_address)
    {
        // A switch that sends and has no path to its peer uses any port: what comes here is lost.
        if (m_relay)
        {
            m_relay->Receive(port, std::move(packet));
        }
    }
    else if (packet->type == RdmaPacket::DATA)
    {
        FindReceiver(*packet).Receive(*packet);
    }
    else if (packet->type == RdmaPacket::IP)
    {
        NS_ABORT_MSG_IF(m_ip.IsNull(), "host " << m_address << " has no RdmaIpInterface");
        m_ip(*packet);
    }
    else
    {
        RdmaSender& sender = *m_senders[packet->senderQp];
        // Acknowledgements, NACKs and CNPs go to the queue pair whose number they carry.
        sender.HandleFeedback(*packet);
        // Its window may be open again.
        sender.Resume();
    }
}

RdmaReceiver&
RdmaNic::FindReceiver(const RdmaPacket& packet)
{
    // The sender learns the number from the first acknowledgement.
    if (packet.receiverQp != RdmaPacket::UNKNOWN)
    {
        return *m_receivers[packet.receiverQp];
    }
    // Numbers of queue pairs are per NIC: with the address they are unique.
    const uint64_t key = static_cast<uint64_t>(packet.source) << 32 | packet.senderQp;
    // Messages of few packets are all on their way by then, and come from few at a time.
    RecentReceiver& recent = m_recent[key * GOLDEN_RATIO >> (64 - RECENT_BITS)];
    if (recent.receiver && recent.key == key)
    {
        return *recent.receiver;
    }
    // The first packet of a queue pair makes its receiving half.
    const auto number = static_cast<uint32_t>(m_receivers.size());
    const auto [found, isNew] = m_receiverIndex.emplace(key, number);
    if (isNew)
    {
        m_receivers.push_back(GetProtocol(packet.source).CreateReceiver(*this, number, packet));
    }
    recent = {key, m_receivers[found->second].get()};
    return *recent.receiver;
}

void
RdmaNic::Dequeued(RdmaNetDevice& port, const RdmaPacket& packet)
{
    if (packet.source != m_address)
    {
        m_relay->Dequeued(port, packet);
    }
}

void
RdmaNic::LinkChanged(RdmaNetDevice& port, bool up)
{
    NS_LOG_FUNCTION(this << port.GetIndex() << up);
    if (m_relay)
    {
        m_relay->LinkChanged(port, up);
    }
    if (!up)
    {
        // Queue pairs choose a port anew when the routes have followed, see FollowRoutes().
        port.GetSchedule().Clear();
        for (const auto& sender : m_senders)
        {
            sender->LinkLost(port);
        }
        return;
    }
    for (const auto& sender : m_senders)
    {
        sender->Resume();
    }
}

void
RdmaNic::FollowRoutes(uint32_t link, bool up)
{
    NS_LOG_FUNCTION(this << link << up);
    for (const auto& sender : m_senders)
    {
        if (sender->UpdateRoute())
        {
            // Nothing else wakes one whose port went down while it had something to send.
            sender->Resume();
        }
    }
}

double
RdmaNic::GetLineRate(const RdmaNetDevice& port, uint32_t peer) const
{
    const RdmaNextHops hops = m_network->GetNextHops(m_address, peer);
    if (!m_protocol->Reorders() || hops.size() < 2)
    {
        return static_cast<double>(port.GetRate().GetBitRate());
    }
    // The protocol spreads the packets of a queue pair over all ports that lead there.
    double rate = 0;
    for (uint32_t hop = 0; hop < hops.size(); ++hop)
    {
        // bit/s
        rate += static_cast<double>(hops[hop]->GetRate().GetBitRate());
    }
    return rate;
}

void
RdmaNic::AskForCredit(UecReceiver& receiver, uint32_t source)
{
    // Senders that reach this host by the same ports share one granter, for the rate of those.
    const RdmaNetDevice& port = *GetPortInTurn(source, 0);
    auto& granter = m_granters[port.GetIndex()];
    const RdmaMessagePriorities* const priorities = m_control->GetMessagePriorities();
    if (!granter && priorities)
    {
        granter = std::make_unique<RdmaOvercommitment>(*priorities);
    }
    else if (!granter)
    {
        granter = std::make_unique<RdmaCreditPacer>(GetLineRate(port, source),
                                                    m_mtu,
                                                    port.GetFlowControl().GetLinkLayer(),
                                                    m_control->GrantsShortestFirst());
    }
    granter->Update(receiver);
}

RdmaPath
RdmaNic::GetPath(const RdmaNetDevice& port, uint32_t peer, uint64_t flowHash) const
{
    const RdmaLinkLayer& layer = port.GetFlowControl().GetLinkLayer();
    const uint32_t frame = layer.GetDataBytes(m_mtu);
    RdmaPath path;
    path.lineRate = DataRate(static_cast<uint64_t>(GetLineRate(port, peer)));
    path.baseRtt = m_network->GetBaseRtt(m_address, peer, flowHash, frame, layer);
    if (path.baseRtt.IsZero())
    {
        // There is no path now; until there is one, what is nearest will do.
        path.baseRtt = DynamicCast<RdmaChannel>(port.GetChannel())->GetDelay() * 2 +
                       TimeStep(port.GetSendingSteps(layer.GetWireBytes(frame)));
    }
    path.networkRtt =
        m_control->NeedsNetworkRtt() ? m_network->GetLongestBaseRtt(frame, layer) : path.baseRtt;
    path.mtu = m_mtu;
    return path;
}

void
RdmaNic::Rearrange(const RdmaNetDevice& port)
{
    NS_LOG_FUNCTION(this << port.GetIndex());
    // The queue pair that has gone may stand in the midst of a ring, which has one link only.
    port.GetSchedule().Clear();
    for (const auto& sender : m_senders)
    {
        sender->Resume();
    }
}

} // namespace ns3
