/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sender.h"

#include "rdma-nic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSender");

RdmaSender::RdmaSender(RdmaNic& nic,
                       uint32_t number,
                       uint32_t peer,
                       uint16_t udpSourcePort,
                       uint8_t priority)
    : m_nic(nic),
      m_config(nic.GetQueuePairConfig()),
      m_number(number),
      m_peer(peer),
      m_udpSourcePort(udpSourcePort),
      m_priority(priority)
{
    m_flowHash = RdmaFlowHash(nic.GetAddress(), peer, m_udpSourcePort);
    m_port = nic.ChoosePort(peer, m_flowHash);
    m_epoch = nic.GetNetwork().GetEpoch();
    const RdmaPath path = nic.GetPath(*m_port, peer, m_flowHash);
    m_control = nic.GetCongestionControl()->Create(path);
    m_inFlightLimit = m_config.GetInFlightLimit(path);
    if (m_config.selectiveRepeat)
    {
        m_received = std::make_unique<RdmaSequenceWindow>(0);
    }
}

RdmaSender::~RdmaSender()
{
    m_timer.Cancel();
    while (m_oldest)
    {
        delete std::exchange(m_oldest, m_oldest->next);
    }
}

// ---------------------------------------------------------------------------------- sending

void
RdmaSender::Post(const Message& message)
{
    auto transfer = new RdmaTransfer;
    transfer->message = message;
    transfer->firstPacket = m_end;
    transfer->packets = message.bytes == 0 ? 1 : (message.bytes - 1) / m_config.mtu + 1;
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

RdmaPacketPtr
RdmaSender::MakePacket(int64_t now, const Turn& turn)
{
    const uint64_t number = GetNextNumber();
    RdmaTransfer* const transfer = FindTransfer(number);
    const double rate = std::min(m_control->GetRate(Time(now)), m_config.maxRate);
    const uint16_t count = m_trains.AllowsTrains() && !turn.isInTrain
                               ? CountTrain(number, *transfer, rate, now, turn)
                               : 1;
    const uint64_t end = number + count;
    TakePackets(count);
    RdmaPacketPtr packet = MakeUnit(number, count, *transfer);
    if (end == m_next)
    {
        m_sentBytes = transfer->GetByte(end, m_config.mtu);
        m_sending = packet->isLast ? transfer->next : transfer;
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

RdmaPacketPtr
RdmaSender::MakeUnit(uint64_t number, uint16_t count, const RdmaTransfer& transfer) const
{
    const uint64_t end = number + count;
    const uint64_t bytes =
        transfer.GetByte(end, m_config.mtu) - transfer.GetByte(number, m_config.mtu);
    const auto payload = static_cast<uint32_t>(bytes);
    const uint32_t frame = RdmaPacket::GetDataBytes(payload / count, m_config.usesTelemetry);
    RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, frame * count));
    packet->train.count = count;
    packet->payload = payload;
    packet->source = m_nic.GetAddress();
    packet->destination = m_peer;
    packet->flowHash = m_flowHash;
    packet->priority = m_priority;
    packet->udpSourcePort = m_udpSourcePort;
    packet->senderQp = m_number;
    packet->receiverQp = m_peerQp;
    packet->sequence = number;
    packet->isFirst = number == transfer.firstPacket;
    packet->isLast = end == transfer.GetEnd();
    if (packet->isLast)
    {
        packet->message = std::make_unique<const Message>(transfer.message);
    }
    if (m_config.usesTelemetry)
    {
        packet->AddTelemetry(std::make_unique<RdmaTelemetry>());
    }
    return packet;
}

void
RdmaSender::Pace(RdmaPacket& packet, int64_t now, double rate)
{
    const int64_t interval = GetInterval(packet.GetSingleWireBytes(), rate);
    packet.sentAt = now + (packet.train.count - 1) * interval;
    packet.train.interval = interval;
    m_nextSendTime = now;
    if (rate < static_cast<double>(m_port->GetRate().GetBitRate()))
    {
        const Time pause(packet.train.count * interval);
        m_nextSendTime += m_control->GetPause(Time(now), pause).GetTimeStep();
        packet.train.head = now;
        packet.train.tail = packet.sentAt;
    }
    m_control->PacketSent(Time(now), packet.GetWireBytes());
    TraceControl();
}

uint16_t
RdmaSender::CountTrain(uint64_t number,
                       const RdmaTransfer& transfer,
                       double rate,
                       int64_t now,
                       const Turn& turn) const
{
    const auto line = static_cast<double>(m_port->GetRate().GetBitRate());
    const bool isSlowed = rate < std::min(line, m_config.maxRate);
    // Who waits would go into every gap of a train, which would save little, and come bunched.
    if (number < m_highest || isSlowed || m_config.usesTelemetry || turn.othersWait)
    {
        return 1;
    }
    const uint32_t mtu = m_config.mtu;
    const uint32_t wireBytes = RdmaPacket::GetDataBytes(mtu) + RdmaPacket::GAP_BYTES;
    // A time step is long where a script has left it at 1 ns: packets may take none.
    const int64_t interval = std::max<int64_t>(GetInterval(wireBytes, rate), 1);
    const uint64_t end = transfer.firstByte + transfer.message.bytes;
    RdmaTrainPolicy::Situation situation;
    situation.messagePackets = transfer.packets;
    situation.fullPackets = (end - transfer.GetByte(number, mtu)) / mtu;
    situation.window = GetWindow() / mtu;
    situation.untilDue = static_cast<uint64_t>(std::max<int64_t>(turn.end - now, 0) / interval);
    situation.isShared = now - turn.othersAt < m_config.trains.sharingMemory;
    return m_trains.GetLength(m_config.trains, situation);
}

void
RdmaSender::TakePackets(uint16_t count)
{
    if (!IsRetransmitting())
    {
        m_next += count;
        return;
    }
    ++m_retransmitNext;
    SkipReceived();
}

void
RdmaSender::SkipReceived()
{
    while (IsRetransmitting() && m_received->Has(m_retransmitNext))
    {
        ++m_retransmitNext;
    }
}

RdmaTransfer*
RdmaSender::FindTransfer(uint64_t number) const
{
    if (m_sending && number >= m_sending->firstPacket)
    {
        return m_sending;
    }
    RdmaTransfer* transfer = m_oldest;
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

// ------------------------------------------------------------------------- acknowledgements

void
RdmaSender::HandleFeedback(const RdmaPacket& packet)
{
    if (m_failed)
    {
        return;
    }
    if (packet.type == RdmaPacket::CNP)
    {
        NS_LOG_LOGIC("queue pair " << m_number << " is told of congestion");
        m_control->CnpReceived(Simulator::Now());
        TraceControl();
        return;
    }
    m_peerQp = packet.receiverQp;
    const uint64_t acked = m_ackedBytes;
    if (packet.sequence > m_unacknowledged)
    {
        Acknowledge(packet.sequence);
    }
    m_trains.Adapt(packet.delayed, m_unacknowledged, m_next, m_config.trains.maxTrain);
    if (m_ackedBytes > acked || packet.telemetry)
    {
        NotifyControl(packet, m_ackedBytes - acked);
    }
    if (m_received)
    {
        NoteReceived(packet);
    }
    else if (packet.type == RdmaPacket::NACK && packet.sequence == m_unacknowledged)
    {
        NS_LOG_LOGIC("queue pair " << m_number << " goes back to packet " << packet.sequence);
        GoBack();
    }
}

void
RdmaSender::TraceControl()
{
    if (m_nic.IsControlTraced())
    {
        const double rate = m_control->GetRate(Simulator::Now());
        const auto window = static_cast<double>(m_control->GetWindow());
        if (rate != m_tracedRate)
        {
            m_nic.m_rateTrace(*this, std::exchange(m_tracedRate, rate), rate);
        }
        if (window != m_tracedWindow)
        {
            m_nic.m_windowTrace(*this, std::exchange(m_tracedWindow, window), window);
        }
    }
}

void
RdmaSender::NotifyControl(const RdmaPacket& packet, uint64_t bytes)
{
    RdmaAck ack;
    ack.now = Simulator::Now();
    ack.rtt = ack.now - Time(packet.sentAt);
    ack.bytes = bytes;
    ack.acknowledged = m_ackedBytes;
    ack.sent = m_sentBytes;
    ack.marked = packet.marked;
    ack.telemetry = packet.telemetry.get();
    m_control->AckReceived(ack);
    TraceControl();
}

void
RdmaSender::Acknowledge(uint64_t number)
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
    // All is in order before anybody is told that a message is sent: who is told may have the next
    // packet sent from within.
    if (m_received)
    {
        m_received->MoveTo(number);
        m_retransmitNext = std::max(m_retransmitNext, number);
    }
    while (m_oldest && m_oldest->GetEnd() <= number)
    {
        const std::unique_ptr<RdmaTransfer> done(m_oldest);
        m_ackedBytes = done->firstByte + done->message.bytes;
        m_oldest = done->next;
        m_nic.NotifySent(done->message.cookie);
    }
    if (m_oldest)
    {
        m_ackedBytes = m_oldest->GetByte(number, m_config.mtu);
    }
    m_sentBytes = std::max(m_sentBytes, m_ackedBytes);
    ShortenTimer();
}

} // namespace ns3
