/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-send-schedule.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param queues queues of a port
 * @param priority a priority
 * @return priorities that it takes turns with
 */
RdmaEgressQueues::Mask
GetSharers(const RdmaEgressQueues& queues, uint8_t priority)
{
    return queues.IsStrict(priority) ? static_cast<RdmaEgressQueues::Mask>(1U << priority)
                                     : queues.GetWeighted();
}

} // namespace

RdmaSendSchedule::RdmaSendSchedule(RdmaNetDevice& port)
    : m_port(port)
{
}

RdmaSendSchedule::~RdmaSendSchedule()
{
    m_timer.Cancel();
}

void
RdmaSendSchedule::Add(RdmaSender& sender)
{
    if (sender.CanSend() && m_port.IsLinkUp())
    {
        Place(sender, Simulator::Now().GetTimeStep());
        if (sender.state == RdmaSender::READY)
        {
            m_port.Kick();
        }
    }
}

void
RdmaSendSchedule::Clear()
{
    while (m_ready != 0)
    {
        PopReady(RdmaEgressQueues::ALL);
    }
    for (; !m_timed.empty(); m_timed.pop())
    {
        m_timed.top().sender->state = RdmaSender::IDLE;
    }
    m_timer.Cancel();
}

RdmaPacketPtr
RdmaSendSchedule::Pull(RdmaEgressQueues::Mask allowed)
{
    while (IsReady(allowed))
    {
        RdmaSender& sender = PopReady(allowed);
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
    m_memory.isTrainsTurn = m_train->state != RdmaSender::READY && !m_memory.isTrainsTurn;
    while (!m_memory.isTrainsTurn && IsReadyBesideTrain(allowed))
    {
        RdmaSender& sender = PopReady(allowed);
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
RdmaSendSchedule::IsReadyBesideTrain(RdmaEgressQueues::Mask allowed) const
{
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
RdmaSendSchedule::Send(RdmaSender& sender, bool isInTrain)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    RdmaSender::Turn turn;
    turn.isInTrain = isInTrain;
    turn.othersWait = (m_ready & GetSharers(m_port.GetQueues(), sender.GetPriority())) != 0;
    turn.othersAt = &sender == m_memory.served ? m_memory.othersAt : m_memory.servedAt;
    turn.end = m_timed.empty() ? turn.end : m_timed.top().at;
    RdmaPacketPtr packet = sender.MakePacket(now, turn);
    const uint16_t count = packet->train.count;
    if (count > 1)
    {
        m_train = &sender;
    }
    // An envelope alone, such as the news that a member has begun, is no share of the port.
    if (packet->payload > 0)
    {
        m_memory.othersAt = turn.othersAt;
        m_memory.served = &sender;
        m_memory.servedAt = now;
    }
    if (&sender.GetPort() != &m_port)
    {
        // This port is about to send: the other one may not send from within.
        Simulator::ScheduleNow(&RdmaSender::Resume, &sender);
    }
    else if (sender.CanSend())
    {
        Place(sender, now + count * m_port.GetSendingSteps(packet->GetSingleWireBytes()));
    }
    Charge(sender.GetPriority(), packet->size);
    return packet;
}

uint8_t
RdmaSendSchedule::ChoosePriority(RdmaEgressQueues::Mask candidates)
{
    const RdmaEgressQueues& queues = m_port.GetQueues();
    const auto strict = static_cast<RdmaEgressQueues::Mask>(candidates & ~queues.GetWeighted());
    if (strict != 0)
    {
        return RdmaEgressQueues::GetHighest(strict);
    }
    while (!(candidates >> m_turn & 1U) || m_credits[m_turn] <= 0)
    {
        m_turn = (m_turn + 1) % RdmaEgressQueues::PRIORITIES;
        if (candidates >> m_turn & 1U)
        {
            m_credits[m_turn] += queues.GetQuantum(m_turn);
        }
    }
    return m_turn;
}

void
RdmaSendSchedule::Charge(uint8_t priority, uint32_t bytes)
{
    if (!m_port.GetQueues().IsStrict(priority))
    {
        const bool isDry = m_rings[priority].first == nullptr;
        const int64_t left = m_credits[priority] - bytes;
        // Who has nothing more to send saves nothing for later.
        m_credits[priority] = isDry ? std::min<int64_t>(left, 0) : left;
    }
}

void
RdmaSendSchedule::Place(RdmaSender& sender, int64_t freeAt)
{
    // The port asks again when it is free. Who may send by then is ready.
    if (sender.GetNextSendTime() <= freeAt)
    {
        PushReady(sender);
    }
    else
    {
        sender.state = RdmaSender::TIMED;
        m_timed.push({sender.GetNextSendTime(), m_order++, &sender});
        SetTimer();
    }
}

void
RdmaSendSchedule::PushReady(RdmaSender& sender)
{
    Ring& ring = m_rings[sender.GetPriority()];
    sender.state = RdmaSender::READY;
    sender.next = nullptr;
    (ring.first ? ring.last->next : ring.first) = &sender;
    ring.last = &sender;
    m_ready |= static_cast<RdmaEgressQueues::Mask>(1U << sender.GetPriority());
}

RdmaSender&
RdmaSendSchedule::PopReady(RdmaEgressQueues::Mask allowed)
{
    const uint8_t priority = ChoosePriority(m_ready & allowed);
    Ring& ring = m_rings[priority];
    RdmaSender& sender = *ring.first;
    sender.state = RdmaSender::IDLE;
    ring.first = sender.next;
    if (!ring.first)
    {
        m_ready &= static_cast<RdmaEgressQueues::Mask>(~(1U << priority));
    }
    return sender;
}

void
RdmaSendSchedule::SetTimer()
{
    const int64_t at = m_timed.top().at;
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
        RdmaSender& sender = *m_timed.top().sender;
        m_timed.pop();
        sender.state = RdmaSender::IDLE;
        if (sender.CanSend())
        {
            PushReady(sender);
        }
    }
    if (!m_timed.empty())
    {
        SetTimer();
    }
    m_port.Kick();
}

} // namespace ns3
