/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * What the link does to an RdmaNetDevice: packets leave and come in by it, it is cut and mended,
 * and it may lead to another process.
 */

#include "rdma-net-device.h"
#include "rdma-process-link.h"

#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDeviceLink");

Ptr<RdmaNetDevice>
RdmaNetDevice::GetPeer() const
{
    return m_peer;
}

Ptr<Channel>
RdmaNetDevice::GetChannel() const
{
    return m_channel;
}

bool
RdmaNetDevice::IsLinkUp() const
{
    return m_up && m_peer;
}

void
RdmaNetDevice::SetRemote(RdmaProcessLink* link, uint32_t index, uint32_t address)
{
    m_remote = link;
    m_portIndex = index;
    m_address = address;
}

void
RdmaNetDevice::CutThrough()
{
    m_isCutThrough = true;
    m_peer->m_clock.CutThrough(RdmaPacket::HEAD_BYTES);
}

void
RdmaNetDevice::HandOver(RdmaPacketPtr packet, int64_t now, int64_t arrival)
{
    packet->receiver = m_peer;
    packet->ingress = static_cast<uint16_t>(m_peer->m_portIndex);
    packet->isTrainRest = false;
    if (m_peer->m_remote)
    {
        m_peer->m_remote->Send(std::move(packet),
                               m_peer->m_context,
                               m_peer->m_portIndex,
                               arrival,
                               m_channel->GetLookAhead().GetTimeStep());
        return;
    }
    // The packet is its own event: the simulator owns it from here on.
    Simulator::ScheduleWithContext(m_peer->m_context,
                                   TimeStep(arrival - now),
                                   static_cast<EventImpl*>(packet.release()));
}

void
RdmaNetDevice::TakeOver(RdmaPacketPtr packet, int64_t arrival)
{
    packet->receiver = this;
    packet->ingress = static_cast<uint16_t>(m_portIndex);
    Simulator::ScheduleWithContext(m_context,
                                   TimeStep(arrival - Simulator::Now().GetTimeStep()),
                                   static_cast<EventImpl*>(packet.release()));
}

void
RdmaNetDevice::Receive(RdmaPacketPtr packet)
{
    const bool wasCut = m_clock.HasLinkChanged() &&
                        m_clock.WasOnChangedLink(Simulator::Now().GetTimeStep(),
                                                 GetAwaitedBytes(packet->GetSingleWireBytes()));
    if (!m_up || wasCut)
    {
        Drop(*packet);
        return;
    }
    if (packet->type >= RdmaPacket::PAUSE)
    {
        m_rxTrace(*packet);
        HandleControl(*packet);
        return;
    }
    if (m_errorModel || GetCredits())
    {
        TakeWithCare(std::move(packet));
        return;
    }
    if (!packet->isTrainRest)
    {
        m_rxTrace(*packet);
    }
    m_owner->Receive(*this, std::move(packet));
}

void
RdmaNetDevice::TakeWithCare(RdmaPacketPtr packet)
{
    const uint8_t lane = packet->priority;
    ReceiveOnCredit(*packet);
    if (packet->train.count > 1)
    {
        // Each packet is lost or not by itself; with credits there are no trains.
        packet = RdmaPacket::SplitOff(std::move(packet), *this);
    }
    if (m_errorModel && m_errorModel->IsCorrupt(Create<Packet>(packet->size)))
    {
        Drop(*packet);
    }
    else
    {
        m_rxTrace(*packet);
        m_owner->Receive(*this, std::move(packet));
    }
    AnnounceCredit(lane);
}

void
RdmaNetDevice::LinkChanged(bool up)
{
    NS_LOG_FUNCTION(this << up);
    if (m_remote)
    {
        // The process that has the port cuts its end of the cable, too.
        return;
    }
    CatchUp();
    m_up = up;
    m_clock.LinkChanged(Simulator::Now().GetTimeStep());
    ResetFlowControl();
    m_isBacklogged = m_isBacklogged && up;
    while (!up && !m_control.IsEmpty())
    {
        m_control.Pop();
    }
    if (!up)
    {
        Flush(RdmaEgressQueues::ALL);
    }
    m_owner->LinkChanged(*this, up);
    NotifyLinkChange();
    if (up)
    {
        AnnounceCredits();
        Kick();
    }
}

RdmaPortCounters
RdmaNetDevice::GetCounters()
{
    CatchUp();
    RdmaPortCounters counters = m_counters;
    counters.paused = TimeStep(m_clock.GetPausedSteps(Simulator::Now().GetTimeStep()));
    counters.maxQueue = std::max(counters.maxQueue, m_maxQueueBefore);
    return counters;
}

double
RdmaNetDevice::GetSentBytes()
{
    CatchUp();
    const auto bytes = static_cast<double>(m_counters.bytes);
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t left = m_clock.GetFreeAt() - now;
    if (left <= 0 || m_counters.wireBytes == 0)
    {
        return bytes;
    }
    // Of what is left of a single packet, frames are as large a share as of all that was sent.
    const double share = m_clock.IsSendingTrain(now)
                             ? m_train.frames
                             : bytes / static_cast<double>(m_counters.wireBytes);
    return bytes - std::min(bytes, share * m_clock.GetBytes(left));
}

uint64_t
RdmaNetDevice::GetAllQueuedBytes()
{
    CatchUp();
    return m_queued;
}

uint64_t
RdmaNetDevice::TakeMaxQueue()
{
    CatchUp();
    m_maxQueueBefore = std::max(m_maxQueueBefore, m_counters.maxQueue);
    return std::exchange(m_counters.maxQueue, m_queued);
}

uint64_t
RdmaNetDevice::GetRecentMaxQueue()
{
    CatchUp();
    return m_counters.maxQueue;
}

void
RdmaNetDevice::Credit(const RdmaPortCounters& counters)
{
    m_counters.packets += counters.packets;
    m_counters.bytes += counters.bytes;
    m_counters.wireBytes += counters.wireBytes;
    m_counters.maxQueue = std::max(m_counters.maxQueue, counters.maxQueue);
}

} // namespace ns3
