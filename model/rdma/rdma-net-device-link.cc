/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * What the link does to an RdmaNetDevice: packets come in by it, it is cut and mended, and it may
 * lead to another process.
 */

#include "rdma-net-device.h"
#include "rdma-port-load.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDeviceLink");

Ptr<RdmaNetDevice>
RdmaNetDevice::GetPeer() const
{
    const RdmaLinkEnd* const peer = m_transmitter.GetWire().GetPeer();
    return peer ? peer->port : nullptr;
}

Ptr<Channel>
RdmaNetDevice::GetChannel() const
{
    return m_cable;
}

bool
RdmaNetDevice::IsLinkUp() const
{
    return m_transmitter.IsLinkUp();
}

void
RdmaNetDevice::CutThrough()
{
    m_isCutThrough = true;
    GetPeer()->m_transmitter.GetClock().CutThrough(m_flow->GetLinkLayer().head);
}

RdmaPacketPtr
RdmaNetDevice::SplitOff(RdmaPacketPtr train, uint16_t packets)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    NS_ASSERT_MSG(train->train.head == now, "a train is split when it comes in");
    RdmaPacketPtr first = train->Split(packets);
    train->isTrainRest = true;
    train->receiver = this;
    const int64_t rest = train->train.head;
    // The simulator takes a reference of its own, besides the one that it is given here.
    Simulator::Schedule(TimeStep(rest - now), Ptr<EventImpl>(train.release(), false));
    return first;
}

void
RdmaPacket::Notify()
{
    // The simulator lets go of its event when this returns.
    Ref();
    receiver->Receive(RdmaPacketPtr(this));
}

void
RdmaNetDevice::Receive(RdmaPacketPtr packet)
{
    // What was on the cable when it was cut is lost, also if the cable was mended meanwhile.
    const RdmaPortClock& clock = m_transmitter.GetClock();
    const bool wasCut = clock.HasLinkChanged() &&
                        clock.WasOnChangedLink(Simulator::Now().GetTimeStep(),
                                               GetAwaitedBytes(packet->GetSingleWireBytes()));
    if (!m_transmitter.IsLinkUp() || wasCut)
    {
        Drop(*packet, &PortCounters::linkDrops);
        return;
    }
    // Flow control, PAUSE and the types behind it, ends at this port, and no error model drops it.
    if (packet->type >= RdmaPacket::PAUSE)
    {
        rxTrace(*packet);
        m_flow->HandleControl(*packet);
        return;
    }
    if (m_errorModel || m_transmitter.GetWire().GetCounting())
    {
        TakeWithCare(std::move(packet));
        return;
    }
    // The rest of a train was reported with its front.
    if (!packet->isTrainRest)
    {
        rxTrace(*packet);
    }
    m_owner->Receive(*this, std::move(packet));
}

void
RdmaNetDevice::TakeWithCare(RdmaPacketPtr packet)
{
    const uint8_t virtualLane = packet->priority;
    RdmaFlowControl* const counting = m_transmitter.GetWire().GetCounting();
    if (counting)
    {
        counting->Received(*packet);
    }
    if (packet->train.count > 1)
    {
        // Each packet is lost or not by itself; with credits there are no trains.
        packet = SplitOff(std::move(packet));
    }
    if (m_errorModel && m_errorModel->IsCorrupt(Create<Packet>(packet->size)))
    {
        Drop(*packet, &PortCounters::errorDrops);
    }
    else
    {
        rxTrace(*packet);
        m_owner->Receive(*this, std::move(packet));
    }
    // By now the owner has stored it, or sent it on, or it is lost: its room is known.
    if (counting)
    {
        counting->Announce(virtualLane);
    }
}

void
RdmaNetDevice::LinkChanged(bool up)
{
    NS_LOG_FUNCTION(this << up);
    if (m_end.remote)
    {
        // The process that has the port cuts its end of the cable, too.
        return;
    }
    m_transmitter.LinkChanged(up);
    m_owner->LinkChanged(*this, up);
    NotifyLinkChange();
    if (!up)
    {
        return;
    }
    // The change has taken all credits (RdmaFlowControl::Reset()): the far end waits for new ones.
    for (uint8_t virtualLane = 0;
         m_transmitter.GetWire().GetCounting() && virtualLane < RdmaEgressQueues::PRIORITIES;
         ++virtualLane)
    {
        m_transmitter.GetWire().GetCounting()->Announce(virtualLane);
    }
    m_transmitter.Kick();
}

PortCounters
RdmaNetDevice::GetCounters()
{
    m_transmitter.CatchUp();
    const int64_t now = Simulator::Now().GetTimeStep();
    PortCounters result = counters;
    result.paused += TimeStep(m_transmitter.GetClock().GetPausedSteps(now));
    result.maxQueue = std::max(result.maxQueue, m_maxQueueBefore);
    return result;
}

double
RdmaNetDevice::GetSentBytes()
{
    m_transmitter.CatchUp();
    const RdmaPortClock& clock = m_transmitter.GetClock();
    const auto bytes = static_cast<double>(counters.bytes) + (load ? load->GetUncountedBytes() : 0);
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t left = clock.GetFreeAt() - now;
    if (left <= 0 || counters.wireBytes == 0)
    {
        return bytes;
    }
    // Of what is left of a single packet, frames are as large a share as of all that was sent.
    const double share = clock.IsSendingTrain(now)
                             ? m_transmitter.GetTrains().GetFrameShare()
                             : bytes / static_cast<double>(counters.wireBytes);
    return bytes - std::min(bytes, share * clock.GetBytes(left));
}

uint64_t
RdmaNetDevice::GetAllQueuedBytes()
{
    m_transmitter.CatchUp();
    return m_transmitter.GetBacklog().GetBytes() + (load ? load->GetQueuedBytes() : 0);
}

uint64_t
RdmaNetDevice::TakeMaxQueue()
{
    m_transmitter.CatchUp();
    m_maxQueueBefore = std::max(m_maxQueueBefore, counters.maxQueue);
    return std::exchange(counters.maxQueue, m_transmitter.GetBacklog().GetBytes());
}

uint64_t
RdmaNetDevice::GetRecentMaxQueue()
{
    m_transmitter.CatchUp();
    return counters.maxQueue;
}

void
RdmaNetDevice::Credit(const PortCounters& spared)
{
    counters += spared;
}

} // namespace ns3
