/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * How an RdmaNetDevice queues and sends: when it looks for what is next, whose turn it is, and how
 * that gets to the wire.
 */

#include "rdma-net-device.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDeviceSending");

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
    return !m_isBacklogged && (GetAllowed() >> priority & 1U) && m_queued == 0 && m_up &&
           m_clock.GetFreeAt() <= now;
}

bool
RdmaNetDevice::TrySend(RdmaPacketPtr& packet)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    FollowSlot();
    if (m_defers)
    {
        SendUntil(now, now);
    }
    if (IsIdle(packet->priority, now))
    {
        // An idle port has an owner with nothing to send: who gets something kicks it.
        Transmit(std::move(packet), now, now);
        return true;
    }
    if (MayPreempt(packet->priority, now))
    {
        Preempt(std::move(packet), now, now);
        return true;
    }
    return false;
}

bool
RdmaNetDevice::TrySendNext(RdmaPacketPtr& train)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t steps = m_clock.GetSendingSteps(train->GetSingleWireBytes());
    if (m_owner->HasOwnPackets() || !m_up || !(GetAllowed() >> train->priority & 1U) ||
        GetBacklogSteps(now) > train->train.shared * steps)
    {
        return false;
    }
    SendUntil(now, now + train->train.shared * steps);
    if (m_isBacklogged || m_queued > 0)
    {
        return false;
    }
    Transmit(std::move(train), now, std::max(now, m_clock.GetFreeAt()));
    return true;
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
    TraceQueue(priority);
    if (GetAllowed() >> priority & 1U)
    {
        WaitUntilFree(now);
    }
    else
    {
        WatchPaused(priority);
    }
}

void
RdmaNetDevice::Kick()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (!m_up)
    {
        return;
    }
    FollowSlot();
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
RdmaNetDevice::Resume()
{
    if (IsBacklogged())
    {
        Kick();
    }
}

bool
RdmaNetDevice::HasQueued() const
{
    return m_queues.GetFilled() != 0 || m_owner->CanPull(*this, RdmaEgressQueues::ALL);
}

void
RdmaNetDevice::SendControl(RdmaPacketPtr frame)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_clock.IsSendingTrain(now) && m_control.IsEmpty())
    {
        Preempt(std::move(frame), now, now);
        return;
    }
    m_control.Push(std::move(frame));
    Kick();
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

int64_t
RdmaNetDevice::GetNextStart(int64_t now) const
{
    // Gaps that are past matter only to who has not looked at them in time.
    const bool hasGaps = m_defers ? m_clock.HasTrain() : m_clock.IsSendingTrain(now);
    return hasGaps ? FindGap() : m_clock.GetFreeAt();
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

bool
RdmaNetDevice::IsObserved() const
{
    return !(m_dequeueTrace.IsEmpty() && m_txTrace.IsEmpty() && m_queueTrace.IsEmpty() &&
             m_markTrace.IsEmpty());
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
    const int64_t next = SendUntil(now, now);
    if (next != NEVER)
    {
        ScheduleFree(now, next);
    }
}

int64_t
RdmaNetDevice::SendUntil(int64_t now, int64_t end)
{
    while (m_isBacklogged)
    {
        const int64_t start = GetNextStart(now);
        if (start > end)
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
        // Gaps of a train that has ended are not to be looked for any more.
        m_clock.Idle(now);
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
    RdmaPacketPtr packet = isOwnersTurn ? m_owner->Pull(*this, GetAllowed()) : nullptr;
    if (packet)
    {
        m_deficit += packet->train.count;
        return packet;
    }
    packet = PopQueued(GetAllowed());
    if (packet)
    {
        // Who has nothing to send saves no turns.
        m_deficit = isOwnersTurn ? 0 : m_deficit - packet->train.count;
        return packet;
    }
    m_deficit = 1;
    return m_owner->Pull(*this, GetAllowed());
}

RdmaPacketPtr
RdmaNetDevice::PopQueued(RdmaEgressQueues::Mask allowed)
{
    RdmaPacketPtr packet = m_queues.Pop(allowed);
    if (packet)
    {
        m_queued -= packet->size;
        m_dequeueTrace(*packet);
        TraceQueue(packet->priority);
        MarkIfCongested(*packet);
        m_owner->Dequeued(*this, *packet);
    }
    return packet;
}

void
RdmaNetDevice::Flush(RdmaEgressQueues::Mask priorities)
{
    while (RdmaPacketPtr packet = m_queues.Pop(priorities))
    {
        m_queued -= packet->size;
        TraceQueue(packet->priority);
        Drop(*packet);
        m_owner->Dequeued(*this, *packet);
    }
}

bool
RdmaNetDevice::IsBacklogged() const
{
    return (m_queues.GetFilled() & GetAllowed()) != 0 || !m_control.IsEmpty() ||
           m_owner->CanPull(*this, GetAllowed());
}

void
RdmaNetDevice::Transmit(RdmaPacketPtr packet, int64_t now, int64_t start)
{
    const int64_t steps = m_clock.GetSendingSteps(packet->GetSingleWireBytes());
    if (packet->train.count == 1)
    {
        m_clock.Start(start, steps);
    }
    else
    {
        StartTrain(*packet, now, start, steps);
    }
    packet->isInTrain = false;
    Launch(std::move(packet), now, start, steps);
}

void
RdmaNetDevice::StartTrain(const RdmaPacket& packet, int64_t now, int64_t start, int64_t steps)
{
    if (start > now && m_clock.IsSendingTrain(now, steps))
    {
        m_clock.GoOn(packet.train);
    }
    else
    {
        m_clock.Start(start, packet.train, steps);
    }
    m_train.priority = packet.priority;
    m_train.isOwn = packet.source == m_address;
    m_train.isLone = packet.train.IsLone();
    m_train.isLong = packet.train.count > packet.train.queued;
    m_train.frames = static_cast<float>(packet.size) / static_cast<float>(packet.GetWireBytes());
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
    if (packet->type < RdmaPacket::PAUSE)
    {
        m_counters.packets += packet->train.count;
        m_counters.bytes += packet->size;
        SendOnCredit(*packet);
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
    if (packet.type != RdmaPacket::DATA || packet.marked)
    {
        return;
    }
    const uint32_t one = packet.size / packet.train.count;
    const uint64_t behind = m_queues.GetBytes(packet.priority, packet.ingress);
    if (const uint16_t marks = m_marking.CountMarks(packet.train, one, behind))
    {
        // The receiver's news is of the train: one that holds a marked packet tells of congestion.
        packet.marked = true;
        m_counters.marks += marks;
        m_markTrace(packet);
    }
}

} // namespace ns3
