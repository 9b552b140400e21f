/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-transmitter.h"

#include "rdma-flow-control.h"
#include "rdma-link-end.h"
#include "rdma-packet-source.h"
#include "rdma-port-owner.h"
#include "rdma-process-link.h"

#include "ns3/log.h"
#include "ns3/make-event.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPortTransmitter");

RdmaPortTransmitter::RdmaPortTransmitter(const RdmaLinkEnd& end, RdmaPortMonitor& monitor)
    : m_end(end),
      m_monitor(monitor),
      m_free(MakeEvent(&RdmaPortTransmitter::Free, this), false),
      m_trains(m_clock, m_queues)
{
}

RdmaPortTransmitter::~RdmaPortTransmitter()
{
    m_free->Cancel();
}

void
RdmaPortTransmitter::SetOwner(RdmaPortOwner* owner, bool writesTelemetry)
{
    m_owner = owner;
    m_writesTelemetry = writesTelemetry;
}

void
RdmaPortTransmitter::SetSource(RdmaPacketSource* source)
{
    m_source = source;
}

void
RdmaPortTransmitter::Attach(const RdmaLinkEnd& peer, DataRate rate, Time delay, Time lookAhead)
{
    m_peer = &peer;
    m_bitRate = rate.GetBitRate();
    m_clock.SetLink(rate, delay);
    m_lookAhead = lookAhead.GetTimeStep();
}

void
RdmaPortTransmitter::SetFlowControl(RdmaFlowControl* flow)
{
    m_flow = flow;
    m_counting = nullptr;
}

void
RdmaPortTransmitter::CountPackets(RdmaFlowControl* flow)
{
    m_counting = flow;
}

void
RdmaPortTransmitter::SetSlots(RdmaFlowControl* slots)
{
    m_slots = slots;
}

void
RdmaPortTransmitter::Stop()
{
    m_free->Cancel();
}

void
RdmaPortTransmitter::TakeTurns()
{
    m_takesTurns = true;
}

uint32_t
RdmaPortTransmitter::GetContext() const
{
    return m_end.context;
}

void
RdmaPortTransmitter::SetMarker(Ptr<RdmaEcnMarker> marker, DataRate rate, Time shortQueue)
{
    m_marking.Set(marker, rate);
    const double byteRate = static_cast<double>(rate.GetBitRate()) / 8;
    const auto bytes = static_cast<uint64_t>(shortQueue.GetSeconds() * byteRate);
    // Trains wait as a whole only well below where marks begin, so that those come by the packet.
    m_shortBytes = std::min(bytes, m_marking.GetKmin() / 4);
}

// ---------------------------------------------------------------------------- which may send

void
RdmaPortTransmitter::UpdateAllowed()
{
    m_allowed = m_isOpen ? static_cast<RdmaEgressQueues::Mask>(~m_held) : 0;
    m_clock.SetPaused(m_held != 0, Simulator::Now().GetTimeStep());
}

void
RdmaPortTransmitter::Hold(RdmaEgressQueues::Mask held)
{
    const auto before = m_allowed;
    m_held = held;
    UpdateAllowed();
    m_clock.Idle(Simulator::Now().GetTimeStep());
    if (m_up && (m_allowed & ~before) != 0)
    {
        Resume();
    }
}

void
RdmaPortTransmitter::ResetHeld(RdmaEgressQueues::Mask held)
{
    m_held = held;
    UpdateAllowed();
}

void
RdmaPortTransmitter::SetOpen(bool isOpen)
{
    CatchUp();
    m_isOpen = isOpen;
    UpdateAllowed();
    m_clock.Idle(Simulator::Now().GetTimeStep());
}

void
RdmaPortTransmitter::SetDropped(RdmaEgressQueues::Mask dropped)
{
    m_dropped = dropped;
    Flush(m_dropped);
}

void
RdmaPortTransmitter::Resume()
{
    if (IsBacklogged())
    {
        Kick();
    }
}

bool
RdmaPortTransmitter::HasQueued() const
{
    return m_queues.GetFilled() != 0 || (m_source && m_source->CanPull(RdmaEgressQueues::ALL));
}

void
RdmaPortTransmitter::LinkChanged(bool up)
{
    CatchUp();
    m_up = up;
    m_clock.LinkChanged(Simulator::Now().GetTimeStep());
    m_flow->Reset();
    m_isBacklogged = m_isBacklogged && up;
    while (!up && !m_control.IsEmpty())
    {
        m_control.Pop();
    }
    if (!up)
    {
        Flush(RdmaEgressQueues::ALL);
    }
}

// -------------------------------------------------------------------------- how much there is

int64_t
RdmaPortTransmitter::GetBacklogSteps(int64_t now)
{
    CatchUp();
    const int64_t freeAt = m_clock.GetFreeAt();
    return m_clock.GetSendingSteps(m_queued) + (freeAt > now ? freeAt - now : 0);
}

double
RdmaPortTransmitter::GetSentBytes()
{
    CatchUp();
    const RdmaPortCounters& counters = m_monitor.counters;
    const auto bytes = static_cast<double>(counters.bytes);
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t left = m_clock.GetFreeAt() - now;
    if (left <= 0 || counters.wireBytes == 0)
    {
        return bytes;
    }
    // Of what is left of a single packet, frames are as large a share as of all that was sent.
    const double share = m_clock.IsSendingTrain(now)
                             ? m_trains.GetFrameShare()
                             : bytes / static_cast<double>(counters.wireBytes);
    return bytes - std::min(bytes, share * m_clock.GetBytes(left));
}

// --------------------------------------------------------------------------------- what comes

bool
RdmaPortTransmitter::IsIdle(uint8_t priority, int64_t now) const
{
    return !m_isBacklogged && (m_allowed >> priority & 1U) && m_queued == 0 && m_up &&
           m_clock.GetFreeAt() <= now;
}

bool
RdmaPortTransmitter::TrySend(RdmaPacketPtr& packet)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_slots)
    {
        m_slots->Follow();
    }
    if (m_defers)
    {
        SendUntil(now, now);
    }
    if (IsIdle(packet->priority, now))
    {
        // An idle port has a source with nothing to send: who gets something kicks it.
        Transmit(std::move(packet), now, now);
        return true;
    }
    if (m_clock.IsSendingTrain(now) && m_up && m_control.IsEmpty() &&
        m_trains.MayPreempt(packet->priority, m_allowed))
    {
        Preempt(std::move(packet), now, now);
        return true;
    }
    return false;
}

bool
RdmaPortTransmitter::TrySendNext(RdmaPacketPtr& train)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t steps = m_clock.GetSendingSteps(train->GetSingleWireBytes());
    if (m_source || !m_up || !(m_allowed >> train->priority & 1U) ||
        GetBacklogSteps(now) > train->train.shared * steps)
    {
        return false;
    }
    // What waits goes first, ahead of its time by at most as much as the train has to wait.
    SendUntil(now, now + train->train.shared * steps);
    if (m_isBacklogged || m_queued > 0)
    {
        return false;
    }
    Transmit(std::move(train), now, std::max(now, m_clock.GetFreeAt()));
    return true;
}

void
RdmaPortTransmitter::Enqueue(RdmaPacketPtr packet)
{
    if (!m_up)
    {
        m_monitor.Drop(*packet);
        m_owner->Dequeued(*m_end.port, *packet);
        return;
    }
    m_monitor.enqueueTrace(*packet);
    m_queued += packet->size;
    m_monitor.counters.maxQueue = std::max(m_monitor.counters.maxQueue, m_queued);
    const uint8_t priority = packet->priority;
    const int64_t now = Simulator::Now().GetTimeStep();
    if (packet->train.count == 1)
    {
        // A train knows when it has come in; a single packet is told, for FindGap() and watchdogs.
        packet->train.head = now;
    }
    m_queues.Push(std::move(packet));
    TraceQueue(priority);
    if (m_allowed >> priority & 1U)
    {
        WaitUntilFree(now);
    }
    else
    {
        m_flow->Waits(priority);
    }
}

void
RdmaPortTransmitter::SendControl(RdmaPacketPtr frame)
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

// ------------------------------------------------------------------------ when to look for it

void
RdmaPortTransmitter::Kick()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (!m_up)
    {
        return;
    }
    if (m_slots)
    {
        m_slots->Follow();
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
RdmaPortTransmitter::WaitUntilFree(int64_t now)
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
RdmaPortTransmitter::GetNextStart(int64_t now) const
{
    // Gaps that are past matter only to who has not looked at them in time.
    const bool hasGaps = m_defers ? m_clock.HasTrain() : m_clock.IsSendingTrain(now);
    // Frames of flow control that wait go first when the port is free.
    const bool looks = hasGaps && m_control.IsEmpty();
    return looks ? m_trains.FindGap(m_allowed, m_source) : m_clock.GetFreeAt();
}

void
RdmaPortTransmitter::ScheduleFree(int64_t now, int64_t start)
{
    // Another process has to hear of a packet a delay before it comes.
    const bool mayBeLate = m_defers && !m_peer->remote && !m_monitor.TracesSending();
    const int64_t late = mayBeLate ? m_clock.GetDelay() : 0;
    const int64_t at = start + late;
    if (m_freeEventAt == NEVER || at < m_freeEventAt)
    {
        m_freeEventAt = at;
        // As for packets: nobody needs an EventId, and the simulator takes one reference.
        m_free->Ref();
        Simulator::ScheduleWithContext(m_end.context, TimeStep(at - now), PeekPointer(m_free));
    }
}

void
RdmaPortTransmitter::Free()
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
RdmaPortTransmitter::SendUntil(int64_t now, int64_t end)
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
RdmaPortTransmitter::Defer(bool defers)
{
    CatchUp();
    // What a source would send is not known until it is asked, at its time.
    m_defers = defers && !m_source;
    if (m_isBacklogged)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        // Gaps of a train that has ended are not to be looked for any more.
        m_clock.Idle(now);
        ScheduleFree(now, GetNextStart(now));
    }
}

// ------------------------------------------------------------------------------- whose turn it is

void
RdmaPortTransmitter::SendNext(int64_t now, int64_t start)
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
RdmaPortTransmitter::TakeNext()
{
    const bool isSourcesTurn = m_takesTurns && m_deficit <= 0;
    RdmaPacketPtr packet = isSourcesTurn ? Pull() : nullptr;
    if (packet)
    {
        m_deficit += packet->train.count;
        return packet;
    }
    packet = PopQueued(m_allowed);
    if (packet)
    {
        // Who has nothing to send saves no turns.
        m_deficit = isSourcesTurn ? 0 : m_deficit - packet->train.count;
        return packet;
    }
    m_deficit = 1;
    return Pull();
}

RdmaPacketPtr
RdmaPortTransmitter::Pull()
{
    return m_source ? m_source->Pull(m_allowed) : nullptr;
}

void
RdmaPortTransmitter::SendInGap(int64_t now, int64_t gap)
{
    const RdmaEgressQueues::Mask entering = m_trains.GetEntering(m_allowed);
    RdmaPacketPtr packet = PopQueued(entering);
    // What a host relays, and what it sends itself, take turns.
    uint16_t trainsTurns = 0;
    if (packet)
    {
        trainsTurns = m_trains.IsOwn() ? packet->train.count : 0;
        m_deficit -= packet->train.count;
    }
    else
    {
        packet = m_source ? m_source->PullIntoTrain(entering) : nullptr;
        trainsTurns = packet ? 0 : 1;
    }
    if (packet)
    {
        Preempt(std::move(packet), now, gap);
        m_isBacklogged = IsBacklogged();
    }
    if (trainsTurns > 0)
    {
        m_clock.PassGaps(trainsTurns);
    }
}

RdmaPacketPtr
RdmaPortTransmitter::PopQueued(RdmaEgressQueues::Mask allowed)
{
    RdmaPacketPtr packet = m_queues.Pop(allowed);
    if (packet)
    {
        m_queued -= packet->size;
        m_monitor.dequeueTrace(*packet);
        TraceQueue(packet->priority);
        MarkIfCongested(*packet);
        m_owner->Dequeued(*m_end.port, *packet);
    }
    return packet;
}

void
RdmaPortTransmitter::Flush(RdmaEgressQueues::Mask priorities)
{
    while (RdmaPacketPtr packet = m_queues.Pop(priorities))
    {
        m_queued -= packet->size;
        TraceQueue(packet->priority);
        m_monitor.Drop(*packet);
        m_owner->Dequeued(*m_end.port, *packet);
    }
}

bool
RdmaPortTransmitter::IsBacklogged() const
{
    return (m_queues.GetFilled() & m_allowed) != 0 || !m_control.IsEmpty() ||
           (m_source && m_source->CanPull(m_allowed));
}

// ------------------------------------------------------------------------- how it gets to the wire

void
RdmaPortTransmitter::Transmit(RdmaPacketPtr packet, int64_t now, int64_t start)
{
    const int64_t steps = m_clock.GetSendingSteps(packet->GetSingleWireBytes());
    if (packet->train.count == 1)
    {
        m_clock.Start(start, steps);
    }
    else
    {
        const bool isOwn = packet->source == m_end.address;
        m_trains.Start(*packet, isOwn, now, start, steps);
    }
    packet->isInTrain = false;
    Launch(std::move(packet), now, start, steps);
}

void
RdmaPortTransmitter::Preempt(RdmaPacketPtr packet, int64_t now, int64_t at)
{
    const int64_t steps = m_clock.GetSendingSteps(packet->GetSingleWireBytes());
    const int64_t start = m_clock.Preempt(at, packet->train.count, steps);
    packet->isInTrain = true;
    Launch(std::move(packet), now, start, steps);
}

void
RdmaPortTransmitter::Launch(RdmaPacketPtr packet, int64_t now, int64_t start, int64_t steps)
{
    RdmaPortCounters& counters = m_monitor.counters;
    if (packet->hasTelemetry && m_writesTelemetry && packet->type == RdmaPacket::DATA)
    {
        packet->telemetry->Write({start, counters.wireBytes, m_queued, m_bitRate});
    }
    m_monitor.txTrace(*packet);
    counters.wireBytes += packet->GetWireBytes();
    if (packet->type < RdmaPacket::PAUSE)
    {
        counters.packets += packet->train.count;
        counters.bytes += packet->size;
        if (m_counting)
        {
            m_counting->Sent(*packet);
        }
    }
    int64_t arrival = start + m_clock.GetHeadSteps(steps) + m_clock.GetDelay();
    if (packet->train.count > 1)
    {
        const bool isEnd = packet->destination == m_peer->address;
        packet->train.CutThrough(start, steps, arrival - start - steps, isEnd);
        arrival = packet->train.head;
    }
    HandOver(std::move(packet), now, arrival);
}

void
RdmaPortTransmitter::HandOver(RdmaPacketPtr packet, int64_t now, int64_t arrival)
{
    packet->receiver = m_peer->port;
    packet->ingress = static_cast<uint16_t>(m_peer->index);
    packet->isTrainRest = false;
    if (m_peer->remote)
    {
        m_peer->remote->Send(std::move(packet),
                             m_peer->context,
                             m_peer->index,
                             arrival,
                             m_lookAhead);
        return;
    }
    // The packet is its own event: the simulator owns it from here on.
    Simulator::ScheduleWithContext(m_peer->context,
                                   TimeStep(arrival - now),
                                   static_cast<EventImpl*>(packet.release()));
}

void
RdmaPortTransmitter::MarkIfCongested(RdmaPacket& packet)
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
        m_monitor.counters.marks += marks;
        m_monitor.markTrace(packet);
    }
}

} // namespace ns3
