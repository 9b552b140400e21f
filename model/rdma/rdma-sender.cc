/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sender.h"

#include "rdma-nic.h"

#include "ns3/ecmp-hash.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// A train has no more packets than this share of a window.
constexpr uint64_t WINDOW_SHARE = 32;

} // namespace

RdmaSender::RdmaSender(RdmaNic& nic,
                       uint32_t number,
                       uint32_t peer,
                       uint32_t channel,
                       uint8_t priority)
    : m_nic(nic),
      m_flowHash(RdmaNic::GetFlowHash(nic.GetNode(), peer, RdmaNic::GetEntropy(channel))),
      m_number(number),
      m_peer(peer),
      m_entropy(RdmaNic::GetEntropy(channel)),
      m_priority(priority)
{
    m_port = nic.ChoosePort(peer, m_flowHash);
    m_epoch = nic.GetNetwork().GetEpoch();
    m_control = nic.CreateRateControl(*m_port, peer, m_flowHash);
    if (nic.IsSelective())
    {
        m_received = std::make_unique<RdmaSequenceWindow>(0);
    }
}

RdmaSender::~RdmaSender()
{
    m_timer.Cancel();
    // One by one: a long chain that destroys itself does not fit the stack.
    while (m_oldest)
    {
        const Ptr<RdmaTransfer> transfer = m_oldest;
        m_oldest = transfer->next;
        transfer->next = nullptr;
    }
}

void
RdmaSender::Post(const Message& message)
{
    auto transfer = Create<RdmaTransfer>();
    const uint32_t mtu = m_nic.GetMtu();
    transfer->message = message;
    transfer->firstPacket = m_end;
    transfer->packets = message.bytes == 0 ? 1 : (message.bytes - 1) / mtu + 1;
    transfer->firstByte = m_endBytes;
    m_end += transfer->packets;
    m_endBytes += message.bytes;
    (m_oldest ? m_newest->next : m_oldest) = transfer;
    m_newest = transfer;
    if (!m_sending)
    {
        m_sending = transfer;
    }
    StartTimer();
}

bool
RdmaSender::CanSend() const
{
    if (m_failed)
    {
        return false;
    }
    return IsRepairing() || (m_next < m_end && m_sentBytes - m_ackedBytes < m_control->GetWindow());
}

RdmaPacketPtr
RdmaSender::MakePacket(int64_t now, const Turn& turn)
{
    const uint64_t number = GetNextNumber();
    const Ptr<RdmaTransfer> transfer = FindTransfer(number);
    const uint32_t mtu = m_nic.GetMtu();
    const double rate = std::min(m_control->GetRate(Time(now)), m_nic.GetPairRate());
    const uint16_t count = CountTrain(number, *transfer, rate, now, turn);
    TakePackets(count);
    const uint64_t end = number + count;
    const bool isLast = end == transfer->GetEnd();
    const uint64_t behind = transfer->GetByte(end, mtu);
    const auto payload = static_cast<uint32_t>(behind - transfer->GetByte(number, mtu));

    RdmaPacketPtr packet = m_nic.MakeDataPacket(payload / count);
    packet->count = count;
    packet->size *= count;
    packet->payload = payload;
    packet->destination = m_peer;
    packet->flowHash = m_flowHash;
    packet->priority = m_priority;
    packet->entropy = m_entropy;
    packet->sourcePair = m_number;
    packet->destinationPair = m_peerPair;
    packet->sequence = number;
    packet->isFirst = number == transfer->firstPacket;
    packet->isLast = isLast;
    if (isLast)
    {
        packet->attached = transfer;
    }
    if (end == m_next)
    {
        m_sentBytes = behind;
        m_sending = isLast ? transfer->next : transfer;
    }
    if (number == m_unacknowledged)
    {
        m_progressAt = now;
    }
    if (number < m_highest)
    {
        m_nic.NoteRetransmission(*packet);
    }
    m_highest = std::max(m_highest, end);
    Pace(*packet, now, rate);
    return packet;
}

void
RdmaSender::Pace(RdmaPacket& packet, int64_t now, double rate)
{
    packet.interval = GetInterval(packet.GetSingleWireBytes(), rate);
    packet.sentAt = now + (packet.count - 1) * packet.interval;
    m_nextSendTime = now;
    if (rate < static_cast<double>(m_port->GetRate().GetBitRate()))
    {
        m_nextSendTime += packet.count * packet.interval;
        packet.tail = packet.sentAt;
    }
    m_control->PacketSent(Time(now), packet.GetWireBytes());
}

int64_t
RdmaSender::GetInterval(uint32_t wireBytes, double rate) const
{
    const auto line = static_cast<double>(m_port->GetRate().GetBitRate());
    const int64_t steps = m_port->GetSendingSteps(wireBytes);
    return rate < line ? static_cast<int64_t>(static_cast<double>(steps) * line / rate) : steps;
}

uint16_t
RdmaSender::CountTrain(uint64_t number,
                       const RdmaTransfer& transfer,
                       double rate,
                       int64_t now,
                       const Turn& turn) const
{
    const auto line = static_cast<double>(m_port->GetRate().GetBitRate());
    const bool isHeldBack = rate < std::min(line, m_nic.GetPairRate());
    if (m_train.Get() == 1 || number < m_highest || isHeldBack || m_nic.UsesTelemetry())
    {
        return 1;
    }
    const uint32_t mtu = m_nic.GetMtu();
    const uint64_t end = transfer.firstByte + transfer.message.bytes;
    // What follows a train is a full packet: a shorter one would overtake the train's last packet
    // on a fast link behind a slow one. So the last full packet of a message goes by itself.
    const uint64_t full = (end - transfer.GetByte(number, mtu)) / mtu;
    const uint64_t before = full > 0 ? full - 1 : 0;
    const bool isShared = turn.isShared || now - turn.othersAt < m_nic.GetSharingMemory();
    const uint64_t share = transfer.packets / m_nic.GetTrainsPerMessage(isShared);
    // A train is acknowledged when its last packet has come, and holds up the window until then.
    const uint64_t window = m_control->GetWindow() / mtu / WINDOW_SHARE;
    // Queue pairs that have been slowed down keep their pace: they save up nothing while they wait.
    // A time step is long where a script has left it at 1 ns: packets may take none.
    const int64_t interval =
        std::max<int64_t>(GetInterval(RdmaPacket::GetDataBytes(mtu) + RdmaPacket::GAP_BYTES, rate),
                          1);
    const auto time = static_cast<uint64_t>(std::max<int64_t>(turn.end - now, 0) / interval);
    const uint64_t most = std::min(m_train.Get(), m_nic.GetMaxTrain());
    const uint64_t count = std::min({most, before, share, window, time});
    return static_cast<uint16_t>(std::max<uint64_t>(count, 1));
}

void
RdmaSender::TakePackets(uint16_t count)
{
    if (!IsRepairing())
    {
        m_next += count;
        return;
    }
    ++m_repairNext;
    SkipReceived();
}

void
RdmaSender::SkipReceived()
{
    while (IsRepairing() && m_received->Has(m_repairNext))
    {
        ++m_repairNext;
    }
}

Ptr<RdmaTransfer>
RdmaSender::FindTransfer(uint64_t number) const
{
    if (m_sending && number >= m_sending->firstPacket)
    {
        return m_sending;
    }
    Ptr<RdmaTransfer> transfer = m_oldest;
    while (number >= transfer->GetEnd())
    {
        transfer = transfer->next;
    }
    return transfer;
}

void
RdmaSender::UpdateRoute()
{
    if (m_epoch != m_nic.GetNetwork().GetEpoch())
    {
        m_epoch = m_nic.GetNetwork().GetEpoch();
        RdmaNetDevice* port = m_nic.ChoosePort(m_peer, m_flowHash);
        std::swap(m_port, port);
        if (m_port != port && state != IDLE)
        {
            m_nic.Rearrange(*port);
        }
    }
}

void
RdmaSender::HandleFeedback(const RdmaPacket& packet)
{
    const Time now = Simulator::Now();
    if (m_failed)
    {
        return;
    }
    if (packet.type == RdmaPacket::CNP)
    {
        m_control->CnpReceived(now);
        return;
    }
    m_peerPair = packet.destinationPair;
    const uint64_t acked = m_ackedBytes;
    if (packet.sequence > m_unacknowledged)
    {
        Acknowledge(packet.sequence);
    }
    m_train.Adapt(packet.waited, m_unacknowledged, m_next, m_nic.GetMaxTrain());
    if (m_ackedBytes > acked || packet.telemetry)
    {
        RdmaAck ack;
        ack.now = now;
        ack.rtt = now - Time(packet.sentAt);
        ack.bytes = m_ackedBytes - acked;
        ack.acknowledged = m_ackedBytes;
        ack.sent = m_sentBytes;
        ack.marked = packet.marked;
        ack.telemetry = packet.telemetry.get();
        m_control->AckReceived(ack);
    }
    if (m_received)
    {
        NoteReceived(packet);
    }
    else if (packet.type == RdmaPacket::NACK && packet.sequence == m_unacknowledged)
    {
        GoBack();
    }
}

void
RdmaSender::Acknowledge(uint64_t number)
{
    const uint32_t mtu = m_nic.GetMtu();
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
    // Those who are told that a message is sent may have the next packet sent from within.
    if (m_received)
    {
        m_received->MoveTo(number);
        m_repairNext = std::max(m_repairNext, number);
    }
    while (m_oldest && m_oldest->GetEnd() <= number)
    {
        const Ptr<RdmaTransfer> done = m_oldest;
        m_ackedBytes = done->firstByte + done->message.bytes;
        m_oldest = done->next;
        done->next = nullptr;
        m_nic.NotifySent(done->message.cookie);
    }
    if (m_oldest)
    {
        m_ackedBytes = m_oldest->GetByte(number, mtu);
    }
    m_sentBytes = std::max(m_sentBytes, m_ackedBytes);
}

void
RdmaSender::NoteReceived(const RdmaPacket& packet)
{
    for (uint64_t answered = packet.answeredCount; answered-- > 0;)
    {
        m_received->Add(packet.answered - answered);
    }
    uint64_t number = packet.sequence + 1;
    for (uint64_t bits = packet.received; bits != 0; bits >>= 1)
    {
        if (bits & 1)
        {
            m_received->Add(number);
        }
        ++number;
    }
    // What lies this far below the highest packet received does not come any more.
    const uint64_t distance = m_nic.GetReorderDistance(*m_port);
    const uint64_t end = m_received->GetEnd();
    const uint64_t overtaken = end > distance ? end - distance : 0;
    const uint64_t lostEnd = GetKnownEnd(packet.sequence, std::max(overtaken, m_overdueEnd));
    if (lostEnd > m_repairEnd)
    {
        if (!IsRepairing())
        {
            m_repairNext = std::max(m_repairEnd, m_unacknowledged);
        }
        m_repairEnd = lostEnd;
    }
    SkipReceived();
    if (IsRepairing())
    {
        m_train.Restart(m_next);
    }
}

uint64_t
RdmaSender::GetKnownEnd(uint64_t missing, uint64_t end) const
{
    // Where packets are expected to overtake each other, not every early one is answered.
    return m_nic.ExpectsReordering() ? std::min(end, missing + 1 + 64) : end;
}

void
RdmaSender::GoBack()
{
    m_train.Restart(m_next);
    m_next = m_unacknowledged;
    m_sending = m_oldest;
    m_sentBytes = m_ackedBytes;
}

void
RdmaSender::StartTimer()
{
    if (!m_failed && m_timer.IsExpired() && m_unacknowledged < m_end)
    {
        m_progressAt = Simulator::Now().GetTimeStep();
        m_timer = Simulator::Schedule(m_nic.GetRetransmissionTimeout(m_retries),
                                      &RdmaSender::CheckTimer,
                                      this);
    }
}

void
RdmaSender::CheckTimer()
{
    const Time timeout = m_nic.GetRetransmissionTimeout(m_retries);
    const bool isWaiting = m_unacknowledged < m_highest || !m_port->IsLinkUp();
    const Time left = Time(m_progressAt) + timeout - Simulator::Now();
    if (isWaiting && !left.IsStrictlyPositive())
    {
        TimeOut();
    }
    else if (m_unacknowledged < m_end)
    {
        m_timer = Simulator::Schedule(isWaiting ? left : timeout, &RdmaSender::CheckTimer, this);
    }
}

void
RdmaSender::TimeOut()
{
    ++m_retries;
    if (m_retries > m_nic.GetRetryLimit())
    {
        m_failed = true;
        m_nic.NoteFailure(*this);
        return;
    }
    m_control->TimedOut(Simulator::Now());
    UpdateRoute();
    if (m_received)
    {
        m_train.Restart(m_next);
        m_overdueEnd = m_next;
        m_repairNext = m_unacknowledged;
        m_repairEnd = GetKnownEnd(m_unacknowledged, m_next);
    }
    else
    {
        GoBack();
    }
    StartTimer();
    m_nic.Activate(*this);
}

} // namespace ns3
