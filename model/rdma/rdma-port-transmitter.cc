/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-transmitter.h"

#include "rdma-flow-control.h"
#include "rdma-link-end.h"

#include "ns3/make-event.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaPortTransmitter::RdmaPortTransmitter(const RdmaLinkEnd& end, RdmaPortMonitor& monitor)
    : m_end(end),
      m_monitor(monitor),
      m_wire(m_clock, monitor),
      m_free(MakeEvent(&RdmaPortTransmitter::Free, this), false),
      m_backlog(end, monitor),
      m_turns(m_backlog),
      m_trains(m_clock, m_backlog.GetQueues())
{
}

RdmaPortTransmitter::~RdmaPortTransmitter()
{
    m_free->Cancel();
}

void
RdmaPortTransmitter::SetFlowControl(RdmaFlowControl* flow)
{
    m_flow = flow;
    // Credits register themselves again; PFC does not count packets.
    m_wire.CountPackets(nullptr);
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

// ---------------------------------------------------------------------------- which may send

void
RdmaPortTransmitter::Hold(RdmaEgressQueues::Mask held)
{
    const auto before = m_gate.GetAllowed();
    ResetHeld(held);
    // What was held back until now cannot begin before now, though the port was free before.
    m_clock.Idle(Simulator::Now().GetTimeStep());
    if (m_up && (m_gate.GetAllowed() & ~before) != 0)
    {
        Resume();
    }
}

void
RdmaPortTransmitter::ResetHeld(RdmaEgressQueues::Mask held)
{
    m_gate.SetHeld(held);
    m_clock.SetPaused(m_gate.IsHolding(), Simulator::Now().GetTimeStep());
}

void
RdmaPortTransmitter::SetOpen(bool isOpen)
{
    // What should have left by now did so in the slot as it was.
    CatchUp();
    m_gate.SetOpen(isOpen);
    m_clock.Idle(Simulator::Now().GetTimeStep());
}

void
RdmaPortTransmitter::SetDropped(RdmaEgressQueues::Mask dropped)
{
    m_gate.SetDropped(dropped);
    m_backlog.Flush(dropped, &PortCounters::stormDrops);
}

void
RdmaPortTransmitter::Resume()
{
    if (IsBacklogged())
    {
        Kick();
    }
}

void
RdmaPortTransmitter::LinkChanged(bool up)
{
    // What began to be sent before the change belongs to the link as it was.
    CatchUp();
    m_up = up;
    m_clock.LinkChanged(Simulator::Now().GetTimeStep());
    m_flow->Reset();
    // Nothing of what waited is left when the link has gone down.
    m_isBacklogged = m_isBacklogged && up;
    // Frames of flow control are about a link that is no more.
    while (!up && !m_control.IsEmpty())
    {
        m_control.Pop();
    }
    if (!up)
    {
        // Packets in a queue of a dead link are lost, and counted as drops.
        m_backlog.Flush(RdmaEgressQueues::ALL, &PortCounters::linkDrops);
    }
}

// -------------------------------------------------------------------------- how much there is

int64_t
RdmaPortTransmitter::GetBacklogSteps(int64_t now)
{
    CatchUp();
    const int64_t freeAt = m_clock.GetFreeAt();
    return m_clock.GetSendingSteps(m_backlog.GetBytes()) + (freeAt > now ? freeAt - now : 0);
}

// --------------------------------------------------------------------------------- what comes

bool
RdmaPortTransmitter::IsIdle(uint8_t priority, int64_t now) const
{
    return !m_isBacklogged && m_gate.IsAllowed(priority) && m_backlog.GetBytes() == 0 && m_up &&
           m_clock.GetFreeAt() <= now;
}

bool
RdmaPortTransmitter::TrySend(RdmaPacketPtr& packet)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_slots)
    {
        // A rotor's slot may have begun or ended since the port was last looked at; no event marks
        // it.
        m_slots->Follow();
    }
    if (m_defers)
    {
        // What leaves late must not look as if it were still in the way.
        SendUntil(now, now);
    }
    if (IsIdle(packet->priority, now))
    {
        // An idle port has a source with nothing to send: who gets something kicks it.
        Transmit(std::move(packet), now, now);
        return true;
    }
    // A train is one unit of simulation, but at a port of single packets a higher priority would
    // wait for one packet of it only.
    if (m_clock.IsSendingTrain(now) && m_up && m_control.IsEmpty() &&
        m_trains.MayPreempt(packet->priority, m_gate.GetAllowed()))
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
    // Queue pairs of a host are asked at their time only, see Defer(); in a switch there are none.
    if (m_turns.GetSource() || !m_up || !m_gate.IsAllowed(train->priority) ||
        GetBacklogSteps(now) > train->train.shared * steps)
    {
        return false;
    }
    // What waits goes first, ahead of its time by at most as much as the train has to wait.
    SendUntil(now, now + train->train.shared * steps);
    if (m_isBacklogged || m_backlog.GetBytes() > 0)
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
        // Routes learn of a broken link later than its ports.
        m_backlog.Drop(*packet, &PortCounters::linkDrops);
        return;
    }
    const uint8_t priority = packet->priority;
    const int64_t now = Simulator::Now().GetTimeStep();
    // The time of arrival orders packets that are served late, see Defer().
    m_backlog.Push(std::move(packet), now);
    if (m_gate.IsAllowed(priority))
    {
        WaitUntilFree(now);
    }
    else
    {
        // A packet that a pause holds back starts the watchdog.
        m_flow->Waits(priority);
    }
}

void
RdmaPortTransmitter::SendControl(RdmaPacketPtr frame)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    // Frames of flow control have no priority: they go into the next gap whatever the train's is.
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
        // As in TrySend(): slots change without an event.
        m_slots->Follow();
    }
    if (m_isBacklogged || m_clock.GetFreeAt() > now)
    {
        WaitUntilFree(now);
    }
    else
    {
        // The port is idle: the packet leaves in this event, and only more of them need one.
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
    return looks ? m_trains.FindGap(m_gate.GetAllowed(), m_turns.GetSource()) : m_clock.GetFreeAt();
}

void
RdmaPortTransmitter::ScheduleFree(int64_t now, int64_t start)
{
    // Another process has to hear of a packet a delay before it comes.
    const bool mayBeLate = m_defers && !m_wire.GetPeer()->remote && !m_monitor.TracesSending();
    // The far end learns of a packet when it arrives, one propagation delay after it began: so all
    // that begins within a delay can be sent in one event.
    const int64_t late = mayBeLate ? m_clock.GetDelay() : 0;
    const int64_t at = start + late;
    if (m_freeEventAt == NEVER || at < m_freeEventAt)
    {
        // An event for a later time stays in the queue; Free() ignores it when it comes.
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
    // At a port that defers all that has begun within the last propagation delay leaves here.
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
        // What begins later belongs to the next event.
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
    m_defers = defers && !m_turns.GetSource();
    if (m_isBacklogged)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        // Gaps of a train that has ended are not to be looked for any more.
        m_clock.Idle(now);
        ScheduleFree(now, GetNextStart(now));
    }
}

// ------------------------------------------------------------------------------- sending it

void
RdmaPortTransmitter::SendNext(int64_t now, int64_t start)
{
    // Before the port is free there are only gaps of the train that is being sent.
    if (start < m_clock.GetFreeAt())
    {
        SendInGap(now, start);
        return;
    }
    RdmaPacketPtr packet =
        m_control.IsEmpty() ? m_turns.Take(m_gate.GetAllowed()) : m_control.Pop();
    if (packet)
    {
        Transmit(std::move(packet), now, start);
        // Taking a packet may have emptied the queues, or left only what is paused.
        m_isBacklogged = IsBacklogged();
    }
    else
    {
        m_isBacklogged = false;
    }
}

void
RdmaPortTransmitter::SendInGap(int64_t now, int64_t gap)
{
    auto [packet, trainsTurns] =
        m_turns.TakeForGap(m_trains.GetEntering(m_gate.GetAllowed()), m_trains.IsOwn());
    if (packet)
    {
        Preempt(std::move(packet), now, gap);
        m_isBacklogged = IsBacklogged();
    }
    if (trainsTurns > 0)
    {
        // The train's own queue pair had its turn in these gaps: nobody else may use them.
        m_clock.PassGaps(trainsTurns);
    }
}

bool
RdmaPortTransmitter::IsBacklogged() const
{
    return !m_control.IsEmpty() || m_turns.HasPacket(m_gate.GetAllowed());
}

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
        // The clock keeps when its packets leave, so that others may go in between.
        m_trains.Start(*packet, isOwn, now, start, steps);
    }
    // Set by Preempt() at a port before this one.
    packet->isInTrain = false;
    m_wire.Launch(std::move(packet), now, start, steps, m_backlog.GetBytes());
}

void
RdmaPortTransmitter::Preempt(RdmaPacketPtr packet, int64_t now, int64_t at)
{
    const int64_t steps = m_clock.GetSendingSteps(packet->GetSingleWireBytes());
    // The train's packets that are left move back by as much as this one takes.
    const int64_t start = m_clock.Preempt(at, packet->train.count, steps);
    packet->isInTrain = true;
    m_wire.Launch(std::move(packet), now, start, steps, m_backlog.GetBytes());
}

} // namespace ns3
