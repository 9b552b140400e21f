/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver.h"

#include "rdma-nic.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaReceiver::RdmaReceiver(RdmaNic& nic, uint32_t number, const RdmaPacket& packet)
    : m_nic(nic),
      m_flowHash(RdmaNic::GetFlowHash(nic.GetNode(), packet.source, packet.entropy)),
      m_number(number)
{
}

void
RdmaReceiver::Receive(RdmaPacket& packet)
{
    if (packet.marked)
    {
        NotifyCongestion(packet);
    }
    m_unanswered += packet.count;
    m_waited = m_waited || packet.waited;
    if (packet.sequence <= m_expected && m_expected < packet.sequence + packet.count)
    {
        const bool wasGap = m_refused;
        const uint64_t before = m_expected;
        const bool isWhole = TakeExpected(packet);
        // A packet sent again may be all that others have waited for.
        const bool isLeap = m_expected - before > m_nic.GetAckInterval();
        if (isWhole || isLeap || wasGap || m_unanswered >= m_nic.GetAckInterval())
        {
            Answer(RdmaPacket::ACK, packet);
        }
    }
    else if (packet.sequence < m_expected)
    {
        Answer(RdmaPacket::ACK, packet);
    }
    else if (m_nic.IsSelective() ? TakeEarly(packet) : !m_refused)
    {
        const bool isGap = !m_nic.IsSelective() || !m_nic.ExpectsReordering();
        m_refused = isGap;
        if (isGap || packet.isLast || m_unanswered >= m_nic.GetAckInterval())
        {
            Answer(isGap ? RdmaPacket::NACK : RdmaPacket::ACK, packet);
        }
    }
}

bool
RdmaReceiver::TakeExpected(const RdmaPacket& packet)
{
    bool isWhole = packet.isLast;
    m_expected = packet.sequence + packet.count;
    m_refused = false;
    if (packet.isLast)
    {
        ++m_messages;
        m_nic.Deliver(packet.attached);
    }
    if (!m_early)
    {
        return isWhole;
    }
    m_early->packets.MoveTo(m_expected);
    m_expected = m_early->packets.Advance();
    auto& ends = m_early->ends;
    while (!ends.empty() && ends.begin()->first < m_expected)
    {
        const auto attached = ends.begin()->second;
        ends.erase(ends.begin());
        ++m_messages;
        m_nic.Deliver(attached);
        isWhole = true;
    }
    return isWhole;
}

bool
RdmaReceiver::TakeEarly(const RdmaPacket& packet)
{
    if (!m_early)
    {
        m_early = std::make_unique<Early>();
        m_early->packets.MoveTo(m_expected);
    }
    const uint64_t last = packet.sequence + packet.count - 1;
    bool isNew = false;
    for (uint64_t number = packet.sequence; number <= last; ++number)
    {
        isNew = m_early->packets.Add(number);
    }
    if (isNew && packet.isLast)
    {
        m_early->ends[last] = packet.attached;
    }
    return true;
}

void
RdmaReceiver::Answer(RdmaPacket::Type type, RdmaPacket& packet)
{
    // A gap is told of once: each time that it hears of it, a sender goes back.
    const bool isRefusal = type == RdmaPacket::NACK && !m_nic.IsSelective();
    const uint16_t answers = CountAnswers(isRefusal ? 1 : packet.count);
    RdmaPacketPtr answer = MakeAnswer(type, answers * RdmaPacket::ACK_BYTES, packet);
    answer->count = answers;
    answer->waited = std::exchange(m_waited, false);
    answer->sequence = m_expected;
    answer->answered = packet.sequence + packet.count - 1;
    answer->answeredCount = packet.count;
    if (m_early)
    {
        answer->received = m_early->packets.GetBits(m_expected + 1);
    }
    answer->messages = m_messages;
    answer->sentAt = packet.sentAt;
    answer->marked = packet.marked;
    if (packet.telemetry)
    {
        answer->telemetry = std::move(packet.telemetry);
        answer->size += RdmaPacket::TELEMETRY_BYTES;
    }
    m_nic.SendAnswer(std::move(answer));
}

uint16_t
RdmaReceiver::CountAnswers(uint16_t packets)
{
    const uint32_t unanswered = std::exchange(m_unanswered, 0);
    if (packets == 1)
    {
        return 1;
    }
    // Each packet of a train would have been answered in its turn.
    const uint32_t interval = m_nic.GetAckInterval();
    m_unanswered = unanswered % interval;
    return static_cast<uint16_t>(std::max(unanswered / interval, 1U));
}

void
RdmaReceiver::NotifyCongestion(const RdmaPacket& packet)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_nic.UsesCnp() && now >= m_nextCnpAt)
    {
        m_nextCnpAt = now + m_nic.GetCnpInterval().GetTimeStep();
        m_nic.SendAnswer(MakeAnswer(RdmaPacket::CNP, RdmaPacket::CNP_BYTES, packet));
    }
}

RdmaPacketPtr
RdmaReceiver::MakeAnswer(RdmaPacket::Type type, uint32_t frameBytes, const RdmaPacket& packet) const
{
    RdmaPacketPtr answer(new RdmaPacket(type, frameBytes));
    answer->source = packet.destination;
    answer->destination = packet.source;
    answer->flowHash = m_flowHash;
    answer->entropy = packet.entropy;
    answer->sourcePair = packet.sourcePair;
    answer->destinationPair = m_number;
    return answer;
}

} // namespace ns3
