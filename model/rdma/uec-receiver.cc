/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-receiver.h"

#include "rdma-queue-pair-host.h"

#include <algorithm>
#include <utility>

namespace ns3
{

UecReceiver::UecReceiver(RdmaQueuePairHost& nic,
                         uint32_t number,
                         const RdmaPacket& packet,
                         const UecParameters& parameters)
    : RdmaReceiver(nic, number, packet),
      m_parameters(parameters),
      m_usesCredits(nic.GetControl(packet.source).UsesCredits()),
      m_hasPriorities(nic.GetControl(packet.source).GetMessagePriorities() != nullptr),
      m_source(packet.source),
      m_senderQp(packet.senderQp),
      m_udpSourcePort(packet.udpSourcePort)
{
}

void
UecReceiver::Receive(RdmaPacket& packet)
{
    // Credits take the path of the newest packet, which has just worked.
    m_udpSourcePort = packet.udpSourcePort;
    m_messageEnd = std::max(m_messageEnd, packet.messageEnd);
    // Headers count also where the payload was trimmed.
    const bool asksForMore = packet.demand > m_demand;
    m_demand = std::max(m_demand, packet.demand);
    m_isAsking = packet.demand > 0;
    if (asksForMore)
    {
        m_nic.AskForCredit(*this, m_source);
    }
    if (packet.isTrimmed)
    {
        TellTrimmed(packet);
        return;
    }
    if (packet.marked)
    {
        NotifyCongestion(packet);
    }
    // The first response carries this half's number to the sender, so it must not wait for more
    // payload.
    const bool isFirst = m_expected == 0 && m_unacknowledged == 0;
    const bool isLast = packet.isLast;
    const bool isNew = m_buffer.Keep(packet);
    // Copies fill no gap, but count towards the next acknowledgement.
    m_arrived += isNew ? packet.payload : 0;
    if (m_hasPriorities)
    {
        // Less is missing of its message, or nothing is: others may be granted in its place.
        m_nic.AskForCredit(*this, m_source);
    }
    m_unacknowledged += packet.payload;
    // The first packet that is missing: all before it are delivered in order.
    m_expected = m_buffer.Advance(m_expected);
    bool isWhole = false;
    while (const auto message = m_buffer.TakeMessage(m_expected))
    {
        Deliver(*message);
        isWhole = true;
    }
    if (isFirst || isLast || isWhole || packet.asksForAck || !isNew || packet.marked ||
        m_unacknowledged >= m_parameters.ackBytes)
    {
        Respond(RdmaPacket::ACK, packet);
    }
}

void
UecReceiver::TellTrimmed(const RdmaPacket& packet)
{
    if (m_buffer.Has(packet.sequence))
    {
        // Another copy of it has come.
        Respond(RdmaPacket::ACK, packet);
        return;
    }
    Respond(RdmaPacket::NACK, packet);
    if (m_usesCredits)
    {
        // It is to be sent again, which its sender did not know when it last asked.
        m_demand = std::max(m_demand, m_granted) + m_config.mtu;
        m_nic.AskForCredit(*this, m_source);
    }
}

void
UecReceiver::Respond(RdmaPacket::Type type, const RdmaPacket& packet)
{
    RdmaPacketPtr response = MakeResponse(type, UecParameters::HEADER_BYTES, packet);
    // Responses go by many paths as well: one of them may be cut.
    response->flowHash =
        RdmaFlowHash(response->source, response->destination, response->udpSourcePort);
    response->sequence = m_expected;
    response->ackedSequence = packet.sequence;
    response->isTrimmed = type == RdmaPacket::NACK;
    response->marked = packet.marked;
    // Messages received so far, as the AETH of InfiniBand has it.
    response->msn = m_messages;
    response->sentAt = packet.sentAt;
    for (uint64_t before = 0; before < 64 && before <= packet.sequence; ++before)
    {
        // Bit i stands for the packet i below the one that is acknowledged.
        const uint64_t has = m_buffer.Has(packet.sequence - before) ? 1 : 0;
        response->sack |= has << before;
    }
    // A NACK for a trimmed packet acknowledges no payload.
    m_unacknowledged = type == RdmaPacket::ACK ? 0 : m_unacknowledged;
    Send(std::move(response));
}

uint64_t
UecReceiver::Grant(uint64_t most, uint8_t priority)
{
    const uint64_t granted = std::min(most, GetDemand());
    m_granted += granted;
    RdmaPacketPtr credit(
        new RdmaPacket(RdmaPacket::CREDIT, UecParameters::HEADER_BYTES, *m_config.linkLayer));
    credit->source = m_nic.GetAddress();
    credit->destination = m_source;
    credit->priority = m_config.ackPriority;
    credit->udpSourcePort = m_udpSourcePort;
    credit->flowHash = RdmaFlowHash(credit->source, credit->destination, m_udpSourcePort);
    credit->senderQp = m_senderQp;
    credit->receiverQp = m_number;
    // A total in bytes, so that lost credits do no harm.
    credit->sequence = m_granted;
    credit->grantedPriority = priority;
    Send(std::move(credit));
    return granted;
}

} // namespace ns3
