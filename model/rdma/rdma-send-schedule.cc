/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-send-schedule.h"

#include "rdma-port-transmitter.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param queues queues of a port
 * @param priority a priority
 * @return priorities that it shares the port with
 */
RdmaEgressQueues::Mask
GetSharers(const RdmaEgressQueues& queues, uint8_t priority)
{
    return queues.IsStrict(priority) ? static_cast<RdmaEgressQueues::Mask>(1U << priority)
                                     : queues.GetWeighted();
}

} // namespace

RdmaSendSchedule::RdmaSendSchedule(const RdmaNetDevice& port, RdmaPortTransmitter& transmitter)
    : m_port(port),
      m_transmitter(transmitter)
{
}

RdmaSendSchedule::~RdmaSendSchedule()
{
    // The event refers to this object.
    m_timer.Cancel();
}

void
RdmaSendSchedule::Add(RdmaScheduledSender& sender)
{
    if (sender.CanSend() && m_transmitter.IsLinkUp())
    {
        Place(sender, Simulator::Now().GetTimeStep());
        if (sender.state == RdmaScheduledSender::READY)
        {
            m_transmitter.Kick();
        }
    }
}

void
RdmaSendSchedule::Clear()
{
    while (m_ready != 0)
    {
        // PopReady() leaves them IDLE, in which Resume() places them again.
        PopReady(RdmaEgressQueues::ALL);
    }
    for (; !m_timed.empty(); m_timed.pop())
    {
        // Likewise; no pointer to a sender may stay behind when the link has gone down.
        m_timed.top().sender->state = RdmaScheduledSender::IDLE;
    }
    m_timer.Cancel();
}

RdmaPacketPtr
RdmaSendSchedule::Pull(RdmaEgressQueues::Mask allowed)
{
    while (CanPull(allowed))
    {
        RdmaScheduledSender& sender = PopReady(allowed);
        // Its window may have shrunk since it became ready. Left IDLE, it comes back by Resume().
        if (sender.CanSend())
        {
            return Send(sender, false);
        }
    }
    return nullptr;
}

RdmaPacketPtr
RdmaSendSchedule::PullIntoTrain(RdmaEgressQueues::Mask allowed)
{
    // A queue pair with nothing behind its train is not in the ring: train and others then take
    // every second gap each.
    m_memory.isTrainsTurn = m_train->state != RdmaScheduledSender::READY && !m_memory.isTrainsTurn;
    while (!m_memory.isTrainsTurn && CanPullIntoTrain(allowed))
    {
        RdmaScheduledSender& sender = PopReady(allowed);
        // Whose train it is stands in the ring too, if it has more: then it is the train's turn.
        m_memory.isTrainsTurn = &sender == m_train;
        if (m_memory.isTrainsTurn)
        {
            PushReady(sender);
        }
        else if (sender.CanSend())
        {
            return Send(sender, true);
        }
    }
    return nullptr;
}

bool
RdmaSendSchedule::CanPullIntoTrain(RdmaEgressQueues::Mask allowed) const
{
    // A ring of which the train's queue pair is first and last has nobody beside it.
    for (RdmaEgressQueues::Mask left = m_ready & allowed; left != 0; left &= left - 1U)
    {
        const Ring& ring = m_rings[__builtin_ctz(left)];
        if (ring.first != m_train || ring.last != m_train)
        {
            return true;
        }
    }
    return false;
}

RdmaPacketPtr
RdmaSendSchedule::Send(RdmaScheduledSender& sender, bool isInTrain)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    RdmaScheduledSender::Turn turn;
    turn.isInTrain = isInTrain;
    // Who waits decides how long a train may be: with others ready, packets alternate one by one.
    turn.othersWait =
        (m_ready & GetSharers(m_transmitter.GetBacklog().GetQueues(), sender.GetPriority())) != 0;
    // When another queue pair than this one has sent last by the port, time steps.
    turn.othersAt = &sender == m_memory.served ? m_memory.othersAt : m_memory.servedAt;
    // A paced queue pair that is due ends the train's room.
    turn.end = m_timed.empty() ? turn.end : m_timed.top().at;
    RdmaPacketPtr packet = sender.MakePacket(now, turn);
    const uint16_t count = packet->train.count;
    // Gaps between its packets are filled by PullIntoTrain(), which alternates with this queue
    // pair.
    if (count > 1)
    {
        m_train = &sender;
    }
    // A message without payload, by which a receiver notifies a sender, is no share of the
    // port.
    if (packet->payload > 0)
    {
        // Read before served changes: otherwise it would name this sender.
        m_memory.othersAt = turn.othersAt;
        m_memory.served = &sender;
        m_memory.servedAt = now;
    }
    if (&sender.GetPort() != &m_port)
    {
        // This port is about to send: the other one may not send from within.
        Simulator::ScheduleNow(&RdmaScheduledSender::Resume, &sender);
    }
    else if (sender.CanSend())
    {
        // The port is busy for as long, so that who is due by then need not wait for a timer.
        Place(sender,
              now + count * m_transmitter.GetClock().GetSendingSteps(packet->GetSingleWireBytes()));
    }
    Charge(sender.GetPriority(), packet->size);
    return packet;
}

uint8_t
RdmaSendSchedule::ChoosePriority(RdmaEgressQueues::Mask candidates)
{
    const RdmaEgressQueues& queues = m_transmitter.GetBacklog().GetQueues();
    const auto strict = static_cast<RdmaEgressQueues::Mask>(candidates & ~queues.GetWeighted());
    if (strict != 0)
    {
        // Strict priorities go before all weighted ones, as in IEEE 802.1Q-2018, 8.6.8.
        return RdmaEgressQueues::GetHighest(strict);
    }
    // Deficit round robin: a train may take more than its quantum, and is then in debt for rounds.
    while (!(candidates >> m_turn & 1U) || m_credits[m_turn] <= 0)
    {
        m_turn = (m_turn + 1) % RdmaEgressQueues::PRIORITIES;
        if (candidates >> m_turn & 1U)
        {
            // A visit adds the quantum in bytes, which is in proportion to the priority's weight.
            m_credits[m_turn] += queues.GetQuantum(m_turn);
        }
    }
    return m_turn;
}

void
RdmaSendSchedule::Charge(uint8_t priority, uint32_t bytes)
{
    if (!m_transmitter.GetBacklog().GetQueues().IsStrict(priority))
    {
        const bool isDry = m_rings[priority].first == nullptr;
        const int64_t left = m_credits[priority] - bytes;
        // Who has nothing more to send saves nothing for later.
        m_credits[priority] = isDry ? std::min<int64_t>(left, 0) : left;
    }
}

void
RdmaSendSchedule::Place(RdmaScheduledSender& sender, int64_t freeAt)
{
    // The port asks again when it is free. Who may send by then is ready.
    if (sender.GetNextSendTime() <= freeAt)
    {
        PushReady(sender);
    }
    else
    {
        sender.state = RdmaScheduledSender::TIMED;
        // The running number breaks ties in order of entry, so that results do not depend on the
        // heap.
        m_timed.push({sender.GetNextSendTime(), m_order++, &sender});
        SetTimer();
    }
}

void
RdmaSendSchedule::PushReady(RdmaScheduledSender& sender)
{
    Ring& ring = m_rings[sender.GetPriority()];
    sender.state = RdmaScheduledSender::READY;
    sender.next = nullptr;
    // Round robin within a priority: who has sent goes to the end. Senders carry the link
    // themselves.
    (ring.first ? ring.last->next : ring.first) = &sender;
    ring.last = &sender;
    // A bit per priority with a ready sender spares looking at eight rings for each packet.
    m_ready |= static_cast<RdmaEgressQueues::Mask>(1U << sender.GetPriority());
}

RdmaScheduledSender&
RdmaSendSchedule::PopReady(RdmaEgressQueues::Mask allowed)
{
    const uint8_t priority = ChoosePriority(m_ready & allowed);
    Ring& ring = m_rings[priority];
    RdmaScheduledSender& sender = *ring.first;
    sender.state = RdmaScheduledSender::IDLE;
    ring.first = sender.next;
    if (!ring.first)
    {
        // The ring is empty now.
        m_ready &= static_cast<RdmaEgressQueues::Mask>(~(1U << priority));
    }
    return sender;
}

void
RdmaSendSchedule::SetTimer()
{
    const int64_t at = m_timed.top().at;
    // One event for all: a later one is set when this one is over.
    if (m_timer.IsExpired() || at < m_timerAt)
    {
        m_timer.Cancel();
        m_timerAt = at;
        m_timer =
            Simulator::Schedule(TimeStep(at) - Simulator::Now(), &RdmaSendSchedule::Wake, this);
    }
}

void
RdmaSendSchedule::Wake()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    while (!m_timed.empty() && m_timed.top().at <= now)
    {
        RdmaScheduledSender& sender = *m_timed.top().sender;
        m_timed.pop();
        // Its window may have closed while it was waiting for its time; Resume() then brings it
        // back.
        sender.state = RdmaScheduledSender::IDLE;
        if (sender.CanSend())
        {
            PushReady(sender);
        }
    }
    if (!m_timed.empty())
    {
        SetTimer();
    }
    // The port may have been idle for want of anything to send.
    m_transmitter.Kick();
}

} // namespace ns3
