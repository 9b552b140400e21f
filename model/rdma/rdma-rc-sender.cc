/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rc-sender.h"

#include "rdma-queue-pair-host.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRcSender");

namespace
{

/// Trains that meet queues are so short that as many of them, at the queue pair's pace, take no
/// longer than the least time between two notifications: each train delays its own by as much as it
/// takes, so that a rate falls later beside many others. An incast of 16 takes 5.0 % less time than
/// by single packets with 1, 3.9 % with 4 (16 runs each), and 0.4 +- 0.9 % with 8 (32 runs).
constexpr int64_t TRAINS_PER_NOTIFICATION = 8;

/// After a notification, single packets meet queues for as many of these times: while one follows
/// another, a queue grows in which short trains are as far apart as notifications are, or further.
/// Largest queues of 12 to 18 senders that begin at once are 18 % longer in trains than by single
/// packets, and 29 % without this.
constexpr int64_t NOTIFICATIONS_UNTIL_TRAINS = 4;

} // namespace

RdmaRcSender::RdmaRcSender(RdmaQueuePairHost& nic,
                           uint32_t number,
                           uint32_t peer,
                           uint16_t udpSourcePort,
                           uint8_t priority,
                           PortSpraying spraying)
    : RdmaSender(nic, number, peer, udpSourcePort, priority),
      m_spraying(spraying)
{
    if (m_config.selectiveRepeat)
    {
        // Go-back-N needs no record of what the receiver has beyond the cumulative number.
        m_received = std::make_unique<RdmaSequenceWindow>(0);
    }
    if (m_spraying != BY_QUEUE_PAIR)
    {
        // Queue pairs do not all begin at the same port.
        m_turn = static_cast<uint32_t>(m_flowHash % nic.CountPorts(peer));
        SetPath(m_udpSourcePort, m_turn);
    }
}

RdmaRcSender::~RdmaRcSender()
{
    m_timer.Cancel();
}

// ---------------------------------------------------------------------------------- sending

RdmaPacketPtr
RdmaRcSender::MakePacket(int64_t now, const Turn& turn)
{
    const uint64_t number = GetNextNumber();
    RdmaTransfer* const transfer = FindTransfer(number);
    const double rate = GetRate(now);
    const uint16_t count = turn.isInTrain ? 1 : CountTrain(number, *transfer, rate, now, turn);
    const uint64_t end = number + count;
    // Before the unit is made: message ends are compared with m_next below.
    TakePackets(count);
    RdmaPacketPtr packet = MakeUnit(number, count, *transfer);
    // So small a window would be full before the receiver responds by itself.
    packet->asksForAck = GetWindow() < uint64_t{m_config.ackInterval} * m_config.mtu;
    // What counts as sent follows m_next, which a retransmission by selective repeat leaves alone.
    if (end == m_next)
    {
        m_sentBytes = transfer->GetByte(end, m_config.mtu);
        m_sending = packet->isLast ? transfer->next : transfer;
    }
    // The timeout counts from when the oldest packet that is not acknowledged was sent last.
    if (number == m_unacknowledged)
    {
        m_progressAt = now;
        StartTimer();
    }
    if (number < m_highest)
    {
        m_nic.retransmissionTrace(*packet);
    }
    // Packets below this were sent before, so they go again singly and are traced.
    m_highest = std::max(m_highest, end);
    Pace(*packet, now, rate);
    if (m_spraying != BY_QUEUE_PAIR)
    {
        TakeNextPort(*packet);
    }
    return packet;
}

void
RdmaRcSender::TakeNextPort(const RdmaPacket& packet)
{
    if (m_spraying == BY_PACKET || packet.isLast)
    {
        m_turn = (m_turn + 1) % m_nic.CountPorts(m_peer);
        SetPath(m_udpSourcePort, m_turn);
    }
}

uint16_t
RdmaRcSender::CountTrain(uint64_t number,
                         const RdmaTransfer& transfer,
                         double rate,
                         int64_t now,
                         const Turn& turn) const
{
    const bool isSpread = m_spraying == BY_PACKET;
    // Who waits would go into every gap of a train, which would save little, and come bunched.
    if (number < m_highest || m_config.trains.maxTrain == 1 || isSpread || turn.othersWait ||
        m_port->GetTransmitter().HasSlots())
    {
        return 1;
    }
    const uint32_t mtu = m_config.mtu;
    const uint32_t wireBytes =
        m_config.linkLayer->GetWireBytes(m_config.linkLayer->GetDataBytes(mtu));
    // A time step is long where a script has left it at 1 ns: packets may take none.
    const int64_t interval = std::max<int64_t>(GetInterval(wireBytes, rate), 1);
    const uint64_t end = transfer.firstByte + transfer.message.bytes;
    RdmaTrainPolicy::Situation situation;
    situation.messagePackets = transfer.packets;
    // From this packet on; a shorter last one does not count.
    situation.fullPackets = (end - transfer.GetByte(number, mtu)) / mtu;
    situation.window = GetWindow() / mtu;
    situation.untilDue = static_cast<uint64_t>(std::max<int64_t>(turn.end - now, 0) / interval);
    situation.isShared = now - turn.othersAt < m_config.trains.sharingMemory;
    situation.isSlowed = IsSlowed(rate);
    // Other controls go by acknowledgements, which raise their rates by so much each.
    situation.perNotification = m_config.ackInterval;
    situation.unnoticed = m_config.ackInterval;
    if (m_config.usesCnp)
    {
        // At most one notification per cnpInterval can change the rate of DCQCN.
        const int64_t least = m_config.cnpInterval.GetTimeStep();
        situation.perNotification = static_cast<uint64_t>(least / interval);
        const bool isRecent = now - m_notifiedAt < least * NOTIFICATIONS_UNTIL_TRAINS;
        const int64_t unnoticed = least / interval / TRAINS_PER_NOTIFICATION;
        situation.unnoticed = isRecent ? 1 : static_cast<uint64_t>(unnoticed);
    }
    return m_trains.GetLength(m_config.trains, situation);
}

void
RdmaRcSender::TakePackets(uint16_t count)
{
    if (!IsRetransmitting())
    {
        m_next += count;
        return;
    }
    // Retransmissions go one by one, see CountTrain().
    ++m_retransmitNext;
    SkipReceived();
}

void
RdmaRcSender::SkipReceived()
{
    while (IsRetransmitting() && m_received->Has(m_retransmitNext))
    {
        ++m_retransmitNext;
    }
}

// ------------------------------------------------------------------------- acknowledgements

void
RdmaRcSender::HandleFeedback(const RdmaPacket& packet)
{
    if (m_failed)
    {
        return;
    }
    if (packet.type == RdmaPacket::CNP)
    {
        NS_LOG_LOGIC("queue pair " << m_number << " is notified of congestion");
        m_notifiedAt = Simulator::Now().GetTimeStep();
        m_control->CnpReceived(Simulator::Now());
        TraceControl();
        return;
    }
    // Data packets carry the receiver's number from here on, so that it need not be searched for.
    m_peerQp = packet.receiverQp;
    const uint64_t acked = m_ackedBytes;
    if (packet.sequence > m_unacknowledged)
    {
        Acknowledge(packet.sequence);
    }
    // Before GoBack(), which moves m_next back: trains grow when what was sent up to there with
    // their present length is acknowledged.
    m_trains.Adapt(packet.delayed, m_unacknowledged, m_next, m_config.trains);
    // A response that acknowledges nothing new may still bring telemetry.
    if (m_ackedBytes > acked || packet.telemetry)
    {
        RdmaAck ack;
        ack.bytes = m_ackedBytes - acked;
        ack.acknowledged = m_ackedBytes;
        ack.sent = m_sentBytes;
        NotifyControl(ack, packet);
    }
    if (m_received)
    {
        NoteReceived(packet);
    }
    else if (packet.type == RdmaPacket::NACK && packet.sequence == m_unacknowledged)
    {
        // One of a lower number was overtaken by a response that acknowledges that packet.
        NS_LOG_LOGIC("queue pair " << m_number << " goes back to packet " << packet.sequence);
        GoBack();
    }
}

void
RdmaRcSender::Acknowledge(uint64_t number)
{
    m_unacknowledged = number;
    m_progressAt = Simulator::Now().GetTimeStep();
    m_retries = 0;
    // A packet that was taken for lost may be acknowledged before it is sent again.
    if (m_next < number)
    {
        m_next = number;
        while (m_sending && m_sending->GetEnd() <= number)
        {
            m_sending = m_sending->next;
        }
    }
    // All is in order before the owner is notified that a message is sent: it may have the next
    // packet sent from within.
    if (m_received)
    {
        m_received->MoveTo(number);
        m_retransmitNext = std::max(m_retransmitNext, number);
    }
    Finish(number);
    m_sentBytes = std::max(m_sentBytes, m_ackedBytes);
    ShortenTimer();
}

// --------------------------------------------------------------------------------- recovery
// After a loss: what is known of the packets that the receiver has, what is sent again, and how
// long it takes until that is done unasked.

void
RdmaRcSender::NoteReceived(const RdmaPacket& packet)
{
    for (uint64_t before = packet.ackedCount; before-- > 0;)
    {
        // A response to a train acknowledges all of its packets, of which the last one is named.
        m_received->Add(packet.ackedSequence - before);
    }
    // Bit 0 stands for the packet behind the one that the receiver expects.
    uint64_t number = packet.sequence + 1;
    for (uint64_t bits = packet.sack; bits != 0; bits >>= 1)
    {
        if (bits & 1)
        {
            m_received->Add(number);
        }
        ++number;
    }
    // What lies this far below the highest packet received does not come any more.
    const uint64_t distance = m_config.GetReorderDistance(*m_port);
    const uint64_t end = m_received->GetEnd();
    const uint64_t overtaken = end > distance ? end - distance : 0;
    const uint64_t lostEnd = GetKnownEnd(packet.sequence, std::max(overtaken, m_overdueEnd));
    if (lostEnd > m_retransmitEnd)
    {
        // Packets below m_retransmitEnd have been sent again once; only a timeout sends them once
        // more.
        if (!IsRetransmitting())
        {
            m_retransmitNext = std::max(m_retransmitEnd, m_unacknowledged);
        }
        m_retransmitEnd = lostEnd;
    }
    SkipReceived();
    if (IsRetransmitting())
    {
        // Losses mean queues: single packets go until what is sent up to here is acknowledged.
        m_trains.Restart(m_next);
    }
}

uint64_t
RdmaRcSender::GetKnownEnd(uint64_t missing, uint64_t end) const
{
    // Where packets are expected to overtake each other, not every one that is out of order is
    // acknowledged: what a selective acknowledgement does not reach is not known.
    return m_config.ExpectsReordering() ? std::min(end, missing + 1 + 64) : end;
}

void
RdmaRcSender::GoBack()
{
    // Likewise, before m_next moves back.
    m_trains.Restart(m_next);
    // Everything from the missing packet on is sent again, as the receiver has dropped it.
    m_next = m_unacknowledged;
    m_sending = m_oldest;
    // The receiver drops what is on its way, so that it takes no room in the window.
    m_sentBytes = m_ackedBytes;
}

void
RdmaRcSender::StartTimer()
{
    if (!m_failed && m_timer.IsExpired() && m_unacknowledged < m_end)
    {
        m_progressAt = Simulator::Now().GetTimeStep();
        m_timer = Simulator::Schedule(GetTimeout(), &RdmaRcSender::CheckTimer, this);
    }
}

void
RdmaRcSender::ShortenTimer()
{
    if (!m_config.shortTimeout.IsZero() && !m_timer.IsExpired() &&
        GetTimeout() < Simulator::GetDelayLeft(m_timer))
    {
        // Few packets in flight: the shorter timeout of a tail loss applies from now on.
        m_timer.Cancel();
        StartTimer();
    }
}

void
RdmaRcSender::CheckTimer()
{
    const Time timeout = GetTimeout();
    // A port whose link is down may have sent nothing, but the timeout has to find another one.
    const bool isWaiting = m_unacknowledged < m_highest || !m_port->IsLinkUp();
    const Time left = Time(m_progressAt) + timeout - Simulator::Now();
    if (m_unacknowledged == m_end || !isWaiting)
    {
        // The next packet starts the timer anew. If none ever leaves, as ports wait for each other
        // in a circle, events run out.
        return;
    }
    if (!left.IsStrictlyPositive())
    {
        TimeOut();
        return;
    }
    // Acknowledgements move m_progressAt and leave the timer alone: it runs for what is left.
    m_timer = Simulator::Schedule(left, &RdmaRcSender::CheckTimer, this);
}

void
RdmaRcSender::TimeOut()
{
    if (!CountTimeout(GetTimeout()))
    {
        return;
    }
    // Controls of windows may fall back to their smallest one.
    m_control->TimedOut(Simulator::Now());
    UpdateRoute();
    // With selective repeat all that is not known to be received counts as lost, at most up to
    // where the last response reports.
    if (m_received)
    {
        m_trains.Restart(m_next);
        // What is sent from here on is not covered by this timeout.
        m_overdueEnd = m_next;
        m_retransmitNext = m_unacknowledged;
        m_retransmitEnd = GetKnownEnd(m_unacknowledged, m_next);
    }
    else
    {
        GoBack();
    }
    StartTimer();
    Resume();
}

} // namespace ns3
