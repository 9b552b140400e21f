/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * What an RdmaRcSender does after a loss: what it knows of the packets that the receiver has, what
 * it sends again, and how long it waits before it does so unasked.
 */

#include "rdma-queue-pair-host.h"
#include "rdma-rc-sender.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRcSenderRecovery");

void
RdmaRcSender::NoteReceived(const RdmaPacket& packet)
{
    for (uint64_t before = packet.ackedCount; before-- > 0;)
    {
        m_received->Add(packet.ackedSequence - before);
    }
    // Bit 0 stands for the packet behind the one that the receiver expects.
    uint64_t number = packet.sequence + 1;
    for (uint64_t bits = packet.sack; bits != 0; bits >>= 1)
    {
        if (bits & 1)
        {
            m_received->Add(number);
        }
        ++number;
    }
    // What lies this far below the highest packet received does not come any more.
    const uint64_t distance = m_config.GetReorderDistance(*m_port);
    const uint64_t end = m_received->GetEnd();
    const uint64_t overtaken = end > distance ? end - distance : 0;
    const uint64_t lostEnd = GetKnownEnd(packet.sequence, std::max(overtaken, m_overdueEnd));
    if (lostEnd > m_retransmitEnd)
    {
        // Packets below m_retransmitEnd have been sent again once; only a timeout sends them once
        // more.
        if (!IsRetransmitting())
        {
            m_retransmitNext = std::max(m_retransmitEnd, m_unacknowledged);
        }
        m_retransmitEnd = lostEnd;
    }
    SkipReceived();
    if (IsRetransmitting())
    {
        m_trains.Restart(m_next);
    }
}

uint64_t
RdmaRcSender::GetKnownEnd(uint64_t missing, uint64_t end) const
{
    // Where packets are expected to overtake each other, not every one that is out of order is
    // acknowledged: what a selective acknowledgement does not reach is not known.
    return m_config.ExpectsReordering() ? std::min(end, missing + 1 + 64) : end;
}

void
RdmaRcSender::GoBack()
{
    m_trains.Restart(m_next);
    m_next = m_unacknowledged;
    m_sending = m_oldest;
    // The receiver drops what is on its way, so that it takes no room in the window.
    m_sentBytes = m_ackedBytes;
}

void
RdmaRcSender::StartTimer()
{
    if (!m_failed && m_timer.IsExpired() && m_unacknowledged < m_end)
    {
        m_progressAt = Simulator::Now().GetTimeStep();
        m_timer = Simulator::Schedule(GetTimeout(), &RdmaRcSender::CheckTimer, this);
    }
}

void
RdmaRcSender::ShortenTimer()
{
    if (!m_config.shortTimeout.IsZero() && !m_timer.IsExpired() &&
        GetTimeout() < Simulator::GetDelayLeft(m_timer))
    {
        m_timer.Cancel();
        StartTimer();
    }
}

void
RdmaRcSender::CheckTimer()
{
    const Time timeout = GetTimeout();
    // A port whose link is down may have sent nothing, but the timeout has to find another one.
    const bool isWaiting = m_unacknowledged < m_highest || !m_port->IsLinkUp();
    const Time left = Time(m_progressAt) + timeout - Simulator::Now();
    if (isWaiting && !left.IsStrictlyPositive())
    {
        TimeOut();
    }
    else if (m_unacknowledged < m_end)
    {
        // Acknowledgements move m_progressAt and leave the timer alone: it runs for what is left.
        m_timer = Simulator::Schedule(isWaiting ? left : timeout, &RdmaRcSender::CheckTimer, this);
    }
}

void
RdmaRcSender::TimeOut()
{
    if (!CountTimeout(GetTimeout()))
    {
        return;
    }
    m_control->TimedOut(Simulator::Now());
    UpdateRoute();
    // With selective repeat all that is not known to be received counts as lost, at most up to
    // where the last response tells.
    if (m_received)
    {
        m_trains.Restart(m_next);
        m_overdueEnd = m_next;
        m_retransmitNext = m_unacknowledged;
        m_retransmitEnd = GetKnownEnd(m_unacknowledged, m_next);
    }
    else
    {
        GoBack();
    }
    StartTimer();
    Resume();
}

} // namespace ns3
