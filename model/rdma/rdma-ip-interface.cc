/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ip-interface.h"

#include "rdma-frame.h"
#include "rdma-net-device.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaIpInterface");

NS_OBJECT_ENSURE_REGISTERED(RdmaIpInterface);

namespace
{

/// EtherType of IPv4.
constexpr uint16_t IPV4 = 0x0800;

/// Header of IPv4 without options, and the ports of TCP or UDP behind it, bytes (RFC 791, RFC
/// 9293).
/// @{
constexpr uint32_t IPV4_BYTES = 20;
constexpr uint32_t PORTS_BYTES = 4;
/// @}

/// The first bytes of a packet.
using Head = std::array<uint8_t, IPV4_BYTES + PORTS_BYTES>;

/**
 * @param head first bytes of a packet
 * @param at place of a number of four bytes
 * @return the number
 */
uint32_t
Get(const Head& head, std::size_t at)
{
    return static_cast<uint32_t>(head[at]) << 24 | static_cast<uint32_t>(head[at + 1]) << 16 |
           static_cast<uint32_t>(head[at + 2]) << 8 | head[at + 3];
}

} // namespace

RdmaIpQueue::RdmaIpQueue(RdmaPacketSource& pairs, const RdmaEgressQueues& shares, uint8_t priority)
    : m_pairs(pairs),
      m_shares(shares),
      m_priority(priority)
{
}

void
RdmaIpQueue::Push(RdmaPacketPtr packet)
{
    ++m_count;
    m_packets.Push(std::move(packet));
}

RdmaPacketPtr
RdmaIpQueue::Pull(RdmaEgressQueues::Mask allowed)
{
    if (!HasPacket(allowed))
    {
        // Nothing waits here, so nobody owes anything.
        m_deficit = 0;
        return m_pairs.Pull(allowed);
    }
    const auto own = static_cast<RdmaEgressQueues::Mask>(1U << m_priority);
    const auto weighted = m_shares.GetWeighted();
    // Before it: strict priorities above its own, and all of them if it has a weight.
    const bool isStrict = m_shares.IsStrict(m_priority);
    const auto above = static_cast<RdmaEgressQueues::Mask>(
        allowed & ~weighted & (isStrict ? ~(2U * own - 1) : RdmaEgressQueues::ALL));
    auto packet = m_pairs.Pull(above);
    if (packet)
    {
        return packet;
    }
    // In turn with it: its own priority or, of those with a weight, all others, too.
    const auto beside = static_cast<RdmaEgressQueues::Mask>(allowed & (isStrict ? own : weighted));
    const bool isPairsTurn = m_deficit <= 0;
    packet = isPairsTurn ? m_pairs.Pull(beside) : nullptr;
    if (packet)
    {
        // Byte-wise fairness: IP may send as many bytes as the queue pairs have.
        m_deficit += packet->size;
        return packet;
    }
    packet = m_packets.Pop();
    // Popped packets have left the queue's limit.
    --m_count;
    m_deficit = isPairsTurn ? 0 : m_deficit - static_cast<int64_t>(packet->size);
    return packet;
}

bool
RdmaIpQueue::CanPull(RdmaEgressQueues::Mask allowed) const
{
    return m_pairs.CanPull(allowed) || HasPacket(allowed);
}

RdmaPacketPtr
RdmaIpQueue::PullIntoTrain(RdmaEgressQueues::Mask allowed)
{
    // Packets of IP wait until a train has been sent: their turn among single packets is not known.
    return m_pairs.PullIntoTrain(allowed);
}

bool
RdmaIpQueue::CanPullIntoTrain(RdmaEgressQueues::Mask allowed) const
{
    return m_pairs.CanPullIntoTrain(allowed);
}

TypeId
RdmaIpInterface::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaIpInterface")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaIpInterface>()
            .AddAttribute("Priority",
                          "Priority of packets of IP, 0 to 7. The default is that of DSCP 0, which "
                          "no LosslessPriorities of RdmaSwitch protect unless they say so.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaIpInterface::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("QueuePackets",
                          "Most packets of IP that wait at a port of the host; more are dropped. "
                          "The default is the txqueuelen of Linux (net/ethernet/eth.c).",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaIpInterface::m_queueLimit),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RdmaIpInterface::RdmaIpInterface()
{
    NS_LOG_FUNCTION(this);
}

RdmaIpInterface::~RdmaIpInterface()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaIpInterface::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_queues.clear();
    m_nic = nullptr;
    m_device = nullptr;
    Object::DoDispose();
}

void
RdmaIpInterface::Setup(Ptr<RdmaNic> nic, Ptr<VirtualNetDevice> device)
{
    NS_LOG_FUNCTION(this << nic << device);
    m_nic = nic;
    m_device = device;
    for (uint32_t i = 0; i < nic->GetNPorts(); ++i)
    {
        RdmaNetDevice& port = *nic->GetPort(i);
        m_queues.emplace_back(port.GetSchedule(), port.GetQueues(), m_priority);
        port.GetTransmitter().GetTurns().SetSource(&m_queues.back());
    }
    m_device->SetSendCallback(MakeCallback(&RdmaIpInterface::Send, this));
    m_nic->SetIpCallback(MakeCallback(&RdmaIpInterface::Receive, this));
}

bool
RdmaIpInterface::Send(Ptr<Packet> packet,
                      const Address& source [[maybe_unused]],
                      const Address& destination [[maybe_unused]],
                      uint16_t protocol)
{
    Head head{};
    const auto found = packet->CopyData(head.data(), head.size());
    if (protocol != IPV4 || found < IPV4_BYTES)
    {
        NS_LOG_WARN("only packets of IPv4 are carried: one of protocol " << protocol << " is lost");
        return false;
    }
    const RdmaLinkLayer& layer = m_nic->GetPort(0)->GetFlowControl().GetLinkLayer();
    const uint32_t size = layer.GetInternetBytes(packet->GetSize());
    RdmaPacketPtr frame(new RdmaPacket(RdmaPacket::IP, size, layer));
    frame->source = m_nic->GetAddress();
    // The IPv4 header has the protocol at byte 9 and the destination at 16; UDP and TCP begin with
    // their ports.
    frame->destination = RdmaFrame::GetNode(Ipv4Address(Get(head, 16)));
    frame->priority = m_priority;
    frame->flowHash =
        EcmpFlowHash(frame->source, frame->destination, head[9], Get(head, IPV4_BYTES));
    // The stack may keep its packet, as TCP does until it is acknowledged.
    frame->ip = packet->Copy();
    auto* port = m_nic->ChoosePort(frame->destination,
                                   frame->flowHash,
                                   static_cast<uint32_t>(frame->flowHash));
    auto& queue = m_queues[port->GetIndex()];
    if (queue.GetNPackets() == m_queueLimit)
    {
        // As the queue of a device does; TCP notices by the loss.
        ++m_drops;
        return false;
    }
    queue.Push(std::move(frame));
    port->GetTransmitter().Kick();
    return true;
}

void
RdmaIpInterface::Receive(const RdmaPacket& packet)
{
    m_device->Receive(packet.ip->Copy(),
                      IPV4,
                      m_device->GetAddress(),
                      m_device->GetAddress(),
                      NetDevice::PACKET_HOST);
}

uint64_t
RdmaIpInterface::GetDrops() const
{
    return m_drops;
}

} // namespace ns3
