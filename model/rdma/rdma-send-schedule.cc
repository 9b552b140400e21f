/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-send-schedule.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

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
        sender.deficit = 0;
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
    for (uint8_t priority = 0; priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        while (m_ready >> priority & 1U)
        {
            PopReady(priority);
        }
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
    bool haveSkipped = false;
    while (IsReady(allowed))
    {
        uint8_t priority = RdmaEgressQueues::PRIORITIES - 1;
        while (!(m_ready & allowed & (1U << priority)))
        {
            --priority;
        }
        RdmaSender& sender = PopReady(priority);
        if (!sender.CanSend())
        {
            continue;
        }
        if (sender.deficit > 0 && m_rings[priority].first)
        {
            // It has sent a train, and the others make up for that.
            const uint32_t rounds = haveSkipped ? 0 : SkipRounds(m_rings[priority], sender);
            haveSkipped = true;
            if (rounds < sender.deficit)
            {
                sender.deficit -= rounds + 1;
                PushReady(sender);
                continue;
            }
        }
        const int64_t now = Simulator::Now().GetTimeStep();
        RdmaSender::Turn turn;
        turn.isShared = m_rings[priority].first != nullptr;
        turn.othersAt = FindOthersTurn(sender, now);
        turn.end = m_timed.empty() ? turn.end : m_timed.top().at;
        RdmaPacketPtr packet = sender.MakePacket(now, turn);
        sender.deficit = packet->train.count - 1U;
        if (sender.CanSend())
        {
            Place(sender,
                  now + packet->train.count * m_port.GetSendingSteps(packet->GetSingleWireBytes()));
        }
        return packet;
    }
    return nullptr;
}

uint32_t
RdmaSendSchedule::SkipRounds(Ring& ring, const RdmaSender& sender)
{
    uint32_t rounds = sender.deficit;
    for (const RdmaSender* other = ring.first; other; other = other->next)
    {
        rounds = std::min(rounds, other->deficit);
    }
    for (RdmaSender* other = ring.first; rounds > 0 && other; other = other->next)
    {
        other->deficit -= rounds;
    }
    return rounds;
}

int64_t
RdmaSendSchedule::FindOthersTurn(const RdmaSender& sender, int64_t now)
{
    if (&sender != m_served)
    {
        m_othersAt = m_servedAt;
        m_served = &sender;
    }
    m_servedAt = now;
    return m_othersAt;
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
RdmaSendSchedule::PopReady(uint8_t priority)
{
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
