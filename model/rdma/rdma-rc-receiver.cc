/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rc-receiver.h"

#include "rdma-queue-pair-host.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRcReceiver");

void
RdmaRcReceiver::Receive(RdmaPacket& packet)
{
    if (packet.marked)
    {
        NotifyCongestion(packet);
    }
    // Packets, not bytes: acknowledgements are per ackInterval packets.
    m_unacknowledged += packet.train.count;
    // Both are reported once, with the next acknowledgement.
    m_delayed = m_delayed || packet.delayed;
    m_marked = m_marked || packet.marked;
    // The unit holds the packet that is expected.
    if (packet.sequence <= m_expected && m_expected < packet.sequence + packet.train.count)
    {
        const bool wasGap = m_nackSent;
        const uint64_t before = m_expected;
        const bool isWhole = TakeExpected(packet);
        // A packet sent again may be all that others have waited for.
        const bool isLeap = m_expected - before > m_config.ackInterval;
        if (isWhole || isLeap || wasGap || packet.asksForAck ||
            m_unacknowledged >= m_config.ackInterval)
        {
            Respond(RdmaPacket::ACK, packet);
        }
    }
    else if (packet.sequence < m_expected)
    {
        // It was sent again in vain: report to the sender how far it may go.
        Respond(RdmaPacket::ACK, packet);
    }
    else
    {
        TakeOutOfOrder(packet);
    }
}

void
RdmaRcReceiver::TakeOutOfOrder(RdmaPacket& packet)
{
    if (m_config.selectiveRepeat)
    {
        if (!m_outOfOrder)
        {
            m_outOfOrder = std::make_unique<RdmaReorderBuffer>(m_expected);
        }
        // Made at the first packet out of order: most queue pairs never need one.
        m_outOfOrder->Keep(packet);
        // Where packets go by several paths, one out of order is no sign of a loss.
        const bool isGap = !m_config.ExpectsReordering();
        m_nackSent = isGap;
        if (isGap || packet.isLast || packet.asksForAck || m_unacknowledged >= m_config.ackInterval)
        {
            Respond(isGap ? RdmaPacket::NACK : RdmaPacket::ACK, packet);
        }
    }
    else if (!m_nackSent)
    {
        // A gap is reported once: each time that it hears of it, a sender goes back.
        NS_LOG_LOGIC("packet " << m_expected << " from " << packet.source << " is missing");
        m_nackSent = true;
        Respond(RdmaPacket::NACK, packet);
    }
}

bool
RdmaRcReceiver::TakeExpected(RdmaPacket& packet)
{
    bool isWhole = packet.isLast;
    m_expected = packet.sequence + packet.train.count;
    // The gap that was reported is filled.
    m_nackSent = false;
    if (packet.isLast)
    {
        // The last packet of a message carries it, see RdmaSender::MakeUnit().
        Deliver(*packet.message);
    }
    if (!m_outOfOrder)
    {
        return isWhole;
    }
    // Packets that came before may follow this one directly.
    m_expected = m_outOfOrder->Advance(m_expected);
    while (const auto message = m_outOfOrder->TakeMessage(m_expected))
    {
        Deliver(*message);
        isWhole = true;
    }
    return isWhole;
}

void
RdmaRcReceiver::Respond(RdmaPacket::Type type, RdmaPacket& packet)
{
    // A dropped train shows one gap: one NACK, not as many responses as it has packets.
    const bool isGoBack = type == RdmaPacket::NACK && !m_config.selectiveRepeat;
    const uint16_t count = CountAcknowledgements(isGoBack ? 1 : packet.train.count);
    RdmaPacketPtr response = MakeResponse(type, count * m_config.linkLayer->GetAckBytes(), packet);
    response->train.count = count;
    response->delayed = std::exchange(m_delayed, false);
    response->marked = std::exchange(m_marked, false);
    response->sequence = m_expected;
    response->ackedSequence = packet.sequence + packet.train.count - 1;
    response->ackedCount = packet.train.count;
    if (m_outOfOrder)
    {
        // 64 bits, from the packet behind the missing one on.
        response->sack = m_outOfOrder->GetBits(m_expected + 1);
    }
    response->msn = m_messages;
    // The sender takes the round-trip time from this echo.
    response->sentAt = packet.sentAt;
    if (packet.telemetry)
    {
        response->AddTelemetry(std::move(packet.telemetry));
        // The echo of HPCC's telemetry is payload of the acknowledgement.
        response->size += RdmaTelemetry::BYTES;
    }
    Send(std::move(response));
}

uint16_t
RdmaRcReceiver::CountAcknowledgements(uint16_t packets)
{
    const uint32_t due = std::exchange(m_unacknowledged, 0);
    if (packets == 1)
    {
        return 1;
    }
    // Each packet of a train would have been acknowledged in its turn.
    // What is left over counts towards the next one.
    m_unacknowledged = due % m_config.ackInterval;
    return static_cast<uint16_t>(std::max(due / m_config.ackInterval, 1U));
}

} // namespace ns3
