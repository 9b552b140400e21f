/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sender.h"

#include "rdma-queue-pair-host.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <limits>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSender");

RdmaSender::RdmaSender(RdmaQueuePairHost& nic,
                       uint32_t number,
                       uint32_t peer,
                       uint16_t udpSourcePort,
                       uint8_t priority)
    : RdmaScheduledSender(priority),
      m_nic(nic),
      m_config(nic.GetQueuePairConfig()),
      m_number(number),
      m_peer(peer),
      m_udpSourcePort(udpSourcePort)
{
    // ECMP hashes these fields at every hop, so the hash is computed once for all packets.
    m_flowHash = RdmaFlowHash(nic.GetAddress(), peer, m_udpSourcePort);
    m_port = nic.ChoosePort(peer, m_flowHash, number);
    // Routes of another epoch, after a link has changed, are looked up anew, see UpdateRoute().
    m_epoch = nic.GetNetwork().GetEpoch();
    // Rate control starts from the rate and the round trip of the path without load.
    const RdmaPath path = nic.GetPath(*m_port, peer, m_flowHash);
    m_control = nic.GetControl(peer).Create(path);
    CheckControl();
    m_lineRate = static_cast<double>(path.lineRate.GetBitRate());
    m_inFlightLimit = m_config.GetInFlightLimit(path);
}

void
RdmaSender::CheckControl() const
{
    // Controls need not be of this module.
    const SourceLocation where{m_nic.GetControl(m_peer).GetInstanceTypeId().GetName(), 0, 0, ""};
    if (!m_control)
    {
        throw WorkloadError(where, "an RdmaRateControl from Create()", "none");
    }
    if (m_control->GetWindow() == 0)
    {
        throw WorkloadError(where, "a window of at least 1 byte from GetWindow()", "0");
    }
}

void
RdmaSender::RefuseRate(double rate) const
{
    std::ostringstream found;
    found << rate << " bit/s";
    throw WorkloadError({m_nic.GetControl(m_peer).GetInstanceTypeId().GetName(), 0, 0, ""},
                        "a rate above 0 from GetRate()",
                        found.str());
}

void
RdmaSender::CheckPause(int64_t pause) const
{
    // What is added to the time must not pass its end.
    if (pause < 0 || pause > std::numeric_limits<int64_t>::max() / 2)
    {
        std::ostringstream found;
        found << Time(pause).As(Time::S);
        throw WorkloadError({m_nic.GetControl(m_peer).GetInstanceTypeId().GetName()},
                            "a pause of 0 or more, which simulations see the end of, from "
                            "GetPause()",
                            found.str());
    }
}

RdmaSender::~RdmaSender()
{
    // Transfers form a list that the queue pair owns; NICs may be disposed of with messages under
    // way.
    while (m_oldest)
    {
        delete std::exchange(m_oldest, m_oldest->next);
    }
}

void
RdmaSender::Post(const Message& message)
{
    auto transfer = new RdmaTransfer;
    transfer->message = message;
    transfer->firstPacket = m_end;
    // A message without payload is one packet: its end has to be reported.
    transfer->packets = message.bytes == 0 ? 1 : (message.bytes - 1) / m_config.mtu + 1;
    transfer->firstByte = m_endBytes;
    // Packets and bytes are numbered through all messages of the queue pair, from 0.
    m_end += transfer->packets;
    m_endBytes += message.bytes;
    // A linked list: posting takes no allocation besides the transfer, and ends are cut off in
    // order.
    (m_oldest ? m_newest->next : m_oldest) = transfer;
    m_newest = transfer;
    // The queue pair had sent everything, so this message is the next one to send.
    if (!m_sending)
    {
        m_sending = transfer;
    }
    Posted();
}

RdmaTransfer*
RdmaSender::FindTransfer(uint64_t number) const
{
    if (m_sending && number >= m_sending->firstPacket)
    {
        return m_sending;
    }
    // A packet that is sent again belongs to a message before the one that is sent.
    RdmaTransfer* transfer = m_oldest;
    // Few messages are unacknowledged at a time, so a linear search is short.
    while (number >= transfer->GetEnd())
    {
        transfer = transfer->next;
    }
    return transfer;
}

RdmaPacketPtr
RdmaSender::MakeUnit(uint64_t number, uint16_t count, const RdmaTransfer& transfer) const
{
    const uint64_t end = number + count;
    const uint64_t bytes =
        transfer.GetByte(end, m_config.mtu) - transfer.GetByte(number, m_config.mtu);
    const auto payload = static_cast<uint32_t>(bytes);
    // Packets of a train are full ones (RdmaTrainPolicy), so that the divisions leave no rest.
    const RdmaLinkLayer& layer = *m_config.linkLayer;
    const uint32_t frame = layer.GetDataBytes(payload / count, m_config.usesTelemetry);
    RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, frame * count, layer));
    packet->train.count = count;
    packet->train.shared = static_cast<uint16_t>(m_config.trains.maxSharedTrain);
    packet->train.queued = static_cast<uint16_t>(m_config.trains.maxQueuedTrain);
    packet->payload = payload;
    packet->source = m_nic.GetAddress();
    packet->destination = m_peer;
    packet->flowHash = m_flowHash;
    packet->priority = m_priority;
    packet->udpSourcePort = m_udpSourcePort;
    packet->senderQp = m_number;
    packet->receiverQp = m_peerQp;
    // Of a train, the number of its first packet.
    packet->sequence = number;
    packet->isFirst = number == transfer.firstPacket;
    packet->isLast = end == transfer.GetEnd();
    // Payload is a number only: the message itself goes with its last packet.
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
    const uint16_t count = packet.train.count;
    // At line rate the port itself spaces the packets.
    const bool isPaced = rate < m_lineRate;
    int64_t pause = count * GetInterval(packet.GetSingleWireBytes(), rate);
    if (isPaced)
    {
        // The rate may grow during the pause (DCQCN's timers): the control integrates over it.
        pause = m_control->GetPause(Time(now), Time(pause)).GetTimeStep();
        CheckPause(pause);
    }
    // A slowed queue pair that meets others has short trains: they wait and go on back to back, as
    // they begin here. Longer ones meet nobody, and have their packets at the queue pair's pace:
    // that of the whole pause, in which the rate may change. Packets that kept the rate of the
    // train's beginning while the pause ends by that of its end would be overtaken by the next one.
    const bool isBurst = IsSlowed(rate) && count <= packet.train.queued;
    const int64_t spacing =
        isBurst ? m_port->GetSendingSteps(packet.GetSingleWireBytes()) : pause / count;
    // When the last packet of the unit begins to leave: round trips are measured from there.
    packet.sentAt = now + (count - 1) * spacing;
    packet.train.interval = spacing;
    // Without pacing the queue pair may send as soon as the port is free.
    m_nextSendTime = now + (isPaced ? pause : 0);
    if (isPaced && !isBurst)
    {
        packet.train.head = now;
        packet.train.tail = packet.sentAt;
    }
    // Byte counters of rate controls count what is on the wire, headers and gaps included.
    m_control->PacketSent(Time(now), packet.GetWireBytes());
    TraceControl();
}

bool
RdmaSender::UpdateRoute()
{
    if (m_epoch == m_nic.GetNetwork().GetEpoch())
    {
        return false;
    }
    m_epoch = m_nic.GetNetwork().GetEpoch();
    RdmaNetDevice* port = m_nic.ChoosePort(m_peer, m_flowHash, m_number);
    std::swap(m_port, port);
    m_lineRate = m_nic.GetLineRate(*m_port, m_peer);
    if (m_port == port)
    {
        return false;
    }
    if (state != IDLE)
    {
        // It stands in the ring, or among the timed ones, of the port that it has left.
        m_nic.Rearrange(*port);
    }
    return true;
}

void
RdmaSender::SetPath(uint16_t udpSourcePort, uint32_t turn)
{
    m_udpSourcePort = udpSourcePort;
    m_flowHash = RdmaFlowHash(m_nic.GetAddress(), m_peer, udpSourcePort);
    m_port = m_nic.GetPortInTurn(m_peer, turn);
}

void
RdmaSender::Resume()
{
    // One that is ready or timed has its place already; it looks anew when its turn comes.
    if (state == IDLE)
    {
        UpdateRoute();
        m_port->GetSchedule().Add(*this);
    }
}

void
RdmaSender::Finish(uint64_t number)
{
    while (m_oldest && m_oldest->GetEnd() <= number)
    {
        // Taken off the list before its owner is notified, who may post the next message from
        // within.
        const std::unique_ptr<RdmaTransfer> done(m_oldest);
        m_ackedBytes = done->firstByte + done->message.bytes;
        m_oldest = done->next;
        m_nic.NotifySent(m_peer, done->message.cookie);
    }
    if (m_oldest)
    {
        // The oldest message left may be acknowledged in part.
        m_ackedBytes = m_oldest->GetByte(number, m_config.mtu);
    }
}

bool
RdmaSender::CountTimeout(Time waited)
{
    ++m_retries;
    m_nic.timeoutTrace(*this, waited);
    NS_LOG_LOGIC("queue pair " << m_number << " waits in vain for packet " << m_unacknowledged
                               << ", " << m_retries << " times in a row");
    // As InfiniBand's retry count (7 by default): the queue pair then goes into the error state for
    // good.
    if (m_retries > m_config.retryLimit)
    {
        m_failed = true;
        m_nic.failureTrace(m_nic.GetAddress(), m_peer);
    }
    return !m_failed;
}

void
RdmaSender::NotifyControl(RdmaAck ack, const RdmaPacket& packet)
{
    ack.now = Simulator::Now();
    // The receiver copies the time of sending, so that the sender needs no table of it.
    ack.rtt = ack.now - Time(packet.sentAt);
    ack.marked = packet.marked;
    ack.telemetry = packet.telemetry.get();
    m_control->AckReceived(ack);
    TraceControl();
}

void
RdmaSender::TraceControl()
{
    if (m_nic.IsControlTraced())
    {
        const double rate = m_control->GetRate(Simulator::Now());
        // Bytes; the rate is in bit/s.
        const auto window = static_cast<double>(m_control->GetWindow());
        if (rate != m_tracedRate)
        {
            m_nic.rateTrace(*this, std::exchange(m_tracedRate, rate), rate);
        }
        if (window != m_tracedWindow)
        {
            m_nic.windowTrace(*this, std::exchange(m_tracedWindow, window), window);
        }
    }
}

} // namespace ns3
