/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-service.h"

#include "rdma-packet-source.h"

#include <algorithm>

namespace ns3
{

RdmaTrainService::RdmaTrainService(RdmaPortClock& clock, const RdmaEgressQueues& queues)
    : m_clock(clock),
      m_queues(queues)
{
}

void
RdmaTrainService::Start(const RdmaPacket& packet,
                        bool isOwn,
                        int64_t now,
                        int64_t start,
                        int64_t steps)
{
    // A train that follows without a pause, of packets as long, goes on the one before: its gaps
    // are counted from the same start, so that the port stays in step with single packets.
    if (start > now && m_clock.IsSendingTrain(now, steps))
    {
        m_clock.GoOn(packet.train);
    }
    else
    {
        m_clock.Start(start, packet.train, steps);
    }
    m_priority = packet.priority;
    m_isOwn = isOwn;
    m_isLone = packet.train.IsLone();
    m_isLong = packet.train.count > packet.train.queued;
    m_frames = static_cast<float>(packet.size) / static_cast<float>(packet.GetWireBytes());
}

int64_t
RdmaTrainService::FindGap(RdmaEgressQueues::Mask allowed, const RdmaPacketSource* source) const
{
    const RdmaEgressQueues::Mask entering = GetEntering(allowed);
    const auto waiting = static_cast<RdmaEgressQueues::Mask>(m_queues.GetFilled() & entering);
    const int64_t freeAt = m_clock.GetFreeAt();
    if (waiting >> m_priority > 1)
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
        const RdmaTrain& first = m_queues.Front(m_priority).train;
        const int64_t gap = m_isOwn ? m_clock.GetGap() : m_clock.GetGapBehind(first.head);
        const bool mayEnter = first.count == 1 || (m_isLong && first.count <= first.queued);
        return mayEnter ? std::min(freeAt, gap) : freeAt;
    }
    // Nothing waits in the queues. Other queue pairs of the host go between the packets of its own
    // trains only, not of those that it relays.
    const bool canPull = m_isOwn && source && source->CanPullIntoTrain(entering);
    return canPull ? std::min(freeAt, m_clock.GetGap()) : freeAt;
}

} // namespace ns3
