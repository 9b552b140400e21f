/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * How an RdmaNetDevice sends between the packets of a train. What is of higher rank goes into the
 * next gap as soon as it is there (Preempt()), or is not paused any more. What is of the same rank
 * waits in its queue, or with the owner, for the gap at which it would be its turn among single
 * packets (FindGap()).
 *
 * The far end, and the ports behind it, have been told when the train ends, and are not told that
 * it ends later. So it comes early there, by what went into it; the next one does not.
 */

#include "rdma-net-device.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

bool
RdmaNetDevice::MayPreempt(uint8_t priority, int64_t now) const
{
    return m_clock.IsSendingTrain(now) && priority > m_train.priority &&
           (GetAllowed() >> priority & 1U) && m_up && m_queues.IsStrict(priority) &&
           m_control.IsEmpty() && m_queues.GetFilled() >> priority == 0;
}

void
RdmaNetDevice::Preempt(RdmaPacketPtr packet, int64_t now, int64_t at)
{
    const int64_t steps = m_clock.GetSendingSteps(packet->GetSingleWireBytes());
    const int64_t start = m_clock.Preempt(at, packet->train.count, steps);
    packet->isInTrain = true;
    Launch(std::move(packet), now, start, steps);
}

int64_t
RdmaNetDevice::FindGap() const
{
    const auto higher =
        static_cast<RdmaEgressQueues::Mask>(RdmaEgressQueues::ALL << m_train.priority);
    const auto waiting =
        static_cast<RdmaEgressQueues::Mask>(m_queues.GetFilled() & GetAllowed() & higher);
    const int64_t freeAt = m_clock.GetFreeAt();
    if (!m_control.IsEmpty())
    {
        return freeAt;
    }
    if (waiting >> m_train.priority > 1)
    {
        // A higher priority that was paused until now, or came while another one is. By weights it
        // has its turn when the train has been sent.
        const bool isStrict = m_queues.IsStrict(RdmaEgressQueues::GetHighest(waiting));
        return isStrict ? std::min(freeAt, m_clock.GetGap()) : freeAt;
    }
    if (waiting != 0)
    {
        // A second train waits for the first one, unless it is much shorter; it would not save
        // anything otherwise.
        const RdmaTrain& first = m_queues.Front(m_train.priority).train;
        const int64_t gap = m_train.isOwn ? m_clock.GetGap() : m_clock.GetGapBehind(first.head);
        const bool mayEnter = first.count == 1 || (m_train.isLong && first.count <= first.queued);
        return mayEnter ? std::min(freeAt, gap) : freeAt;
    }
    const auto allowed = static_cast<RdmaEgressQueues::Mask>(GetAllowed() & higher);
    const bool canPull = m_train.isOwn && m_owner->CanPullIntoTrain(*this, allowed);
    return canPull ? std::min(freeAt, m_clock.GetGap()) : freeAt;
}

void
RdmaNetDevice::SendInGap(int64_t now, int64_t gap)
{
    const auto allowed = static_cast<RdmaEgressQueues::Mask>(
        GetAllowed() & RdmaEgressQueues::ALL << m_train.priority);
    RdmaPacketPtr packet = PopQueued(allowed);
    // What a host relays, and what it sends itself, take turns.
    uint16_t trainsTurns = 0;
    if (packet)
    {
        trainsTurns = m_train.isOwn ? packet->train.count : 0;
        m_deficit -= packet->train.count;
    }
    else
    {
        packet = m_owner->PullIntoTrain(*this, allowed);
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

} // namespace ns3
