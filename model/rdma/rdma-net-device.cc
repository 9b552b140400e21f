/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-net-device.h"

#include "rdma-pfc-watchdog.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDevice");

NS_OBJECT_ENSURE_REGISTERED(RdmaNetDevice);

TypeId
RdmaNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNetDevice")
            .SetParent<RdmaNetDeviceBase>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaNetDevice>()
            .AddAttribute("DataRate",
                          "Rate of the port, bit/s. Set it before the cable is plugged in.",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&RdmaNetDevice::m_rate),
                          MakeDataRateChecker())
            .AddAttribute(
                "Weights",
                "Weights of the priorities 0 to 7, separated by commas. 0 = strict: goes "
                "before all lower priorities and all that have a weight; those share "
                "what is left in proportion to their weights.",
                StringValue("0,0,0,0,0,0,0,0"),
                MakeStringAccessor(&RdmaNetDevice::SetWeights, &RdmaNetDevice::GetWeights),
                MakeStringChecker())
            .AddAttribute("EcnMarker",
                          "Marks packets by the length of the queue; null = none is marked.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNetDevice::SetEcnMarker),
                          MakePointerChecker<RdmaEcnMarker>())
            .AddAttribute("ShortQueueTime",
                          "Sending time of a queue that is short: trains may wait in it as a "
                          "whole, but for a quarter of the queue from which on packets are "
                          "marked. 0 = only in an empty one.",
                          TimeValue(MicroSeconds(8)),
                          MakeTimeAccessor(&RdmaNetDevice::m_shortQueueTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "FlowControl",
                "What keeps packets from being lost for want of room: pfc (priority flow "
                "control, IEEE 802.1Qbb) or credits (InfiniBand Architecture "
                "Specification, volume 1, section 7.9), by which every priority is a "
                "virtual lane. It must be the same at all ports of a fabric.",
                StringValue("pfc"),
                MakeStringAccessor(&RdmaNetDevice::SetFlowControl, &RdmaNetDevice::GetFlowControl),
                MakeStringChecker())
            .AddAttribute(
                "LaneBuffer",
                "With credits: receive buffer of each virtual lane, bytes, of which "
                "whole blocks of 64 count. The default is the most that a receiver may "
                "give credit for, 2048 blocks (InfiniBand specification, 7.9.4.4).",
                UintegerValue(RdmaCredits::MOST_BLOCKS * RdmaCredits::BLOCK_BYTES),
                MakeUintegerAccessor(&RdmaNetDevice::m_laneBuffer),
                MakeUintegerChecker<uint32_t>(RdmaCredits::BLOCK_BYTES,
                                              RdmaCredits::MOST_BLOCKS * RdmaCredits::BLOCK_BYTES))
            .AddAttribute("PauseQuanta",
                          "Time for which a pause frame of this port stops its peer, in quanta of "
                          "512 bit times (IEEE 802.1Qbb; 65535 at most). While the peer is to "
                          "stay paused the frame is repeated halfway; a pause that is not "
                          "repeated in time expires. 0 = a pause lasts until the resume frame, as "
                          "in HPCC's simulator.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNetDevice::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("ReceiveErrorModel",
                          "Decides which packets are lost on their way in; null = none. Flow "
                          "control is never lost.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNetDevice::SetReceiveErrorModel,
                                              &RdmaNetDevice::GetReceiveErrorModel),
                          MakePointerChecker<ErrorModel>());
    return tid;
}

RdmaNetDevice::RdmaNetDevice()
    : m_free(MakeEvent(&RdmaNetDevice::Free, this), false)
{
    NS_LOG_FUNCTION(this);
}

RdmaNetDevice::~RdmaNetDevice()
{
    NS_LOG_FUNCTION(this);
    m_free->Cancel();
}

void
RdmaNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_free->Cancel();
    CancelPauseTimers();
    m_watchdog.reset();
    m_channel = nullptr;
    m_marking.Set(nullptr, m_rate);
    m_errorModel = nullptr;
    RdmaNetDeviceBase::DoDispose();
}

void
RdmaNetDevice::SetOwner(RdmaPortOwner* owner,
                        uint32_t index,
                        uint32_t address,
                        bool writesTelemetry)
{
    m_owner = owner;
    m_portIndex = index;
    m_address = address;
    m_writesTelemetry = writesTelemetry;
}

void
RdmaNetDevice::TakeTurns()
{
    m_takesTurns = true;
}

void
RdmaNetDevice::Attach(Ptr<RdmaChannel> channel, Ptr<RdmaNetDevice> peer)
{
    NS_LOG_FUNCTION(this << channel << peer);
    m_channel = channel;
    m_peer = PeekPointer(peer);
    m_context = GetNode()->GetId();
    m_clock.SetLink(m_rate, channel->GetDelay());
    SetEcnMarker(m_marking.GetMarker());
}

void
RdmaNetDevice::SetEcnMarker(Ptr<RdmaEcnMarker> marker)
{
    NS_LOG_FUNCTION(this << marker);
    m_marking.Set(marker, m_rate);
    const double rate = static_cast<double>(m_rate.GetBitRate()) / 8;
    const auto bytes = static_cast<uint64_t>(m_shortQueueTime.GetSeconds() * rate);
    m_shortBytes = std::min(bytes, m_marking.GetKmin() / 4);
}

Ptr<RdmaEcnMarker>
RdmaNetDevice::GetEcnMarker() const
{
    return m_marking.GetMarker();
}

int64_t
RdmaNetDevice::AssignStreams(int64_t stream)
{
    m_marking.AssignStream(stream);
    // The numbers of other ports' streams do not depend on whether this one marks.
    return 1;
}

void
RdmaNetDevice::SetWeights(std::string weights)
{
    m_queues.SetWeights(RdmaEgressQueues::ParseWeights(weights));
}

std::string
RdmaNetDevice::GetWeights() const
{
    return m_queues.DescribeWeights();
}

int64_t
RdmaNetDevice::GetBacklogSteps(int64_t now)
{
    CatchUp();
    const int64_t freeAt = m_clock.GetFreeAt();
    return m_clock.GetSendingSteps(m_queued) + (freeAt > now ? freeAt - now : 0);
}

bool
RdmaNetDevice::IsIdle(uint8_t priority, int64_t now) const
{
    return !m_isBacklogged && (m_allowed >> priority & 1U) && m_queued == 0 && m_up &&
           m_clock.GetFreeAt() <= now;
}

bool
RdmaNetDevice::TrySend(RdmaPacketPtr& packet)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_slot)
    {
        FollowSlot();
    }
    if (m_defers)
    {
        CatchUp(now);
    }
    if (IsIdle(packet->priority, now))
    {
        Transmit(std::move(packet), now, now);
        if (m_owner->CanPull(*this, m_allowed))
        {
            WaitUntilFree(now);
        }
        return true;
    }
    if (MayPreempt(packet->priority, now))
    {
        Preempt(std::move(packet), now, now);
        return true;
    }
    return false;
}

void
RdmaNetDevice::Enqueue(RdmaPacketPtr packet)
{
    if (!m_up)
    {
        Drop(*packet);
        m_owner->Dequeued(*this, *packet);
        return;
    }
    m_enqueueTrace(*packet);
    m_queued += packet->size;
    m_counters.maxQueue = std::max(m_counters.maxQueue, m_queued);
    const uint8_t priority = packet->priority;
    const int64_t now = Simulator::Now().GetTimeStep();
    if (packet->train.count == 1)
    {
        packet->train.head = now;
    }
    m_queues.Push(std::move(packet));
    m_queueTrace(priority, m_queues.GetBytes(priority));
    if (m_allowed >> priority & 1U)
    {
        WaitUntilFree(now);
    }
    else if (m_watchdog)
    {
        m_watchdog->Watch(priority);
    }
}

int64_t
RdmaNetDevice::GetNextStart(int64_t now) const
{
    // Gaps that are past matter only to who has not looked at them in time.
    const bool hasGaps = m_defers ? m_clock.HasTrain() : m_clock.IsSendingTrain(now);
    return hasGaps ? FindGap() : m_clock.GetFreeAt();
}

void
RdmaNetDevice::Kick()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (!m_up)
    {
        return;
    }
    if (m_isBacklogged || m_clock.GetFreeAt() > now)
    {
        WaitUntilFree(now);
    }
    else
    {
        SendNext(now, now);
        if (m_isBacklogged)
        {
            ScheduleFree(now, GetNextStart(now));
        }
    }
}

void
RdmaNetDevice::WaitUntilFree(int64_t now)
{
    // Who is new may go into a train before others that wait.
    if (!m_isBacklogged || m_clock.IsSendingTrain(now))
    {
        m_isBacklogged = true;
        m_clock.Idle(now);
        ScheduleFree(now, GetNextStart(now));
    }
}

bool
RdmaNetDevice::IsObserved() const
{
    return !(m_dequeueTrace.IsEmpty() && m_txTrace.IsEmpty() && m_queueTrace.IsEmpty() &&
             m_markTrace.IsEmpty());
}

void
RdmaNetDevice::ScheduleFree(int64_t now, int64_t start)
{
    // Another process has to hear of a packet a delay before it comes.
    const bool mayBeLate = m_defers && !m_peer->m_remote && !IsObserved();
    const int64_t late = mayBeLate ? m_clock.GetDelay() : 0;
    const int64_t at = start + late;
    if (m_freeEventAt == NEVER || at < m_freeEventAt)
    {
        m_freeEventAt = at;
        // As for packets: nobody needs an EventId, and the simulator takes one reference.
        m_free->Ref();
        Simulator::ScheduleWithContext(m_context, TimeStep(at - now), PeekPointer(m_free));
    }
}

void
RdmaNetDevice::Free()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now != m_freeEventAt)
    {
        // An earlier one has taken its place.
        return;
    }
    m_freeEventAt = NEVER;
    const int64_t next = CatchUp(now);
    if (next != NEVER)
    {
        ScheduleFree(now, next);
    }
}

int64_t
RdmaNetDevice::CatchUp(int64_t now)
{
    while (m_isBacklogged)
    {
        const int64_t start = GetNextStart(now);
        if (start > now)
        {
            return start;
        }
        SendNext(now, start);
    }
    return NEVER;
}

void
RdmaNetDevice::Defer(bool defers)
{
    CatchUp();
    m_defers = defers && !m_owner->HasOwnPackets();
    if (m_isBacklogged)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        ScheduleFree(now, GetNextStart(now));
    }
}

void
RdmaNetDevice::SendNext(int64_t now, int64_t start)
{
    if (start < m_clock.GetFreeAt())
    {
        SendInGap(now, start);
        return;
    }
    RdmaPacketPtr packet = m_control.IsEmpty() ? TakeNext() : m_control.Pop();
    if (packet)
    {
        Transmit(std::move(packet), now, start);
        m_isBacklogged = IsBacklogged();
    }
    else
    {
        m_isBacklogged = false;
    }
}

RdmaPacketPtr
RdmaNetDevice::TakeNext()
{
    const bool isOwnersTurn = m_takesTurns && m_deficit <= 0;
    RdmaPacketPtr packet = isOwnersTurn ? m_owner->Pull(*this, m_allowed) : nullptr;
    if (packet)
    {
        m_deficit += packet->train.count;
        return packet;
    }
    packet = PopQueued(m_allowed);
    if (packet)
    {
        // Who has nothing to send saves no turns.
        m_deficit = isOwnersTurn ? 0 : m_deficit - packet->train.count;
        return packet;
    }
    m_deficit = 1;
    return m_owner->Pull(*this, m_allowed);
}

RdmaPacketPtr
RdmaNetDevice::PopQueued(RdmaEgressQueues::Mask allowed)
{
    RdmaPacketPtr packet = m_queues.Pop(allowed);
    if (packet)
    {
        m_queued -= packet->size;
        m_dequeueTrace(*packet);
        m_queueTrace(packet->priority, m_queues.GetBytes(packet->priority));
        MarkIfCongested(*packet);
        m_owner->Dequeued(*this, *packet);
    }
    return packet;
}

bool
RdmaNetDevice::IsBacklogged() const
{
    return (m_queues.GetFilled() & m_allowed) != 0 || !m_control.IsEmpty() ||
           m_owner->CanPull(*this, m_allowed);
}

void
RdmaNetDevice::Transmit(RdmaPacketPtr packet, int64_t now, int64_t start)
{
    const int64_t steps = m_clock.GetSendingSteps(packet->GetSingleWireBytes());
    m_clock.Start(start, packet->train, steps);
    m_trainPriority = packet->priority;
    m_isOwnTrain = packet->source == m_address;
    packet->isInTrain = false;
    Launch(std::move(packet), now, start, steps);
}

void
RdmaNetDevice::Launch(RdmaPacketPtr packet, int64_t now, int64_t start, int64_t steps)
{
    if (packet->hasTelemetry && m_writesTelemetry && packet->type == RdmaPacket::DATA)
    {
        packet->telemetry->Write({start, m_counters.wireBytes, m_queued, m_rate.GetBitRate()});
    }
    m_txTrace(*packet);
    m_counters.wireBytes += packet->GetWireBytes();
    if (m_credits && packet->type < RdmaPacket::PAUSE &&
        !m_credits->Send(packet->priority, RdmaCredits::GetBlocks(packet->size)))
    {
        SetShort(packet->priority, true);
    }
    if (packet->type < RdmaPacket::PAUSE)
    {
        m_counters.packets += packet->train.count;
        m_counters.bytes += packet->size;
    }
    int64_t arrival = start + m_clock.GetHeadSteps(steps) + m_clock.GetDelay();
    if (packet->train.count > 1)
    {
        const bool isEnd = packet->destination == m_peer->m_address;
        packet->train.CutThrough(start, steps, arrival - start - steps, isEnd);
        arrival = packet->train.head;
    }
    HandOver(std::move(packet), now, arrival);
}

void
RdmaNetDevice::MarkIfCongested(RdmaPacket& packet)
{
    // Of a train that is sent whole, the first packet sees those behind the train.
    const uint64_t queue =
        m_queues.GetBytes(packet.priority, packet.ingress) + packet.size / packet.train.count;
    if (packet.type == RdmaPacket::DATA && !packet.marked && m_marking.Mark(queue))
    {
        packet.marked = true;
        m_counters.marks += packet.train.count;
        m_markTrace(packet);
    }
}

} // namespace ns3
