/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRAIN_SERVICE_H
#define RDMA_TRAIN_SERVICE_H

#include "rdma-egress-queues.h"
#include "rdma-packet.h"
#include "rdma-port-clock.h"

#include <cstdint>

namespace ns3
{

class RdmaPacketSource;

/**
 * @ingroup workload-replay
 * @brief How a port serves others while it sends a train: which of them go into the gaps between
 * its packets, and into which gap.
 *
 * What is of higher rank goes into the next gap as soon as it is there, or is not paused any more.
 * What is of the same rank waits in its queue, or with the queue pairs, for the gap at which it
 * would be its turn among single packets.
 *
 * The far end, and the ports behind it, know when the train ends, and are not notified that
 * it ends later. So it comes early there, by what went into it; the next one does not.
 */
class RdmaTrainService
{
  public:
    /**
     * @param clock times of the port; must outlive this object
     * @param queues what waits there; must outlive this object
     */
    RdmaTrainService(RdmaPortClock& clock, const RdmaEgressQueues& queues);

    /**
     * A train begins to be sent, or goes on one that is being sent.
     *
     * @param packet the train
     * @param isOwn whether a queue pair of this host has made it
     * @param now time step
     * @param start time step at which it begins to be sent
     * @param steps time steps that one of its packets takes
     */
    void Start(const RdmaPacket& packet, bool isOwn, int64_t now, int64_t start, int64_t steps);

    /**
     * @param priority a priority
     * @param allowed priorities that may send
     * @return whether a packet of it goes into the next gap of the train that is being sent, as
     * nothing that waits in a queue is to go before it
     */
    bool MayPreempt(uint8_t priority, RdmaEgressQueues::Mask allowed) const
    {
        return priority > m_priority && (allowed >> priority & 1U) && m_queues.IsStrict(priority) &&
               m_queues.GetFilled() >> priority == 0;
    }

    /**
     * @param allowed priorities that may send
     * @param source what the port sends besides its queues; null = nothing
     * @return the gap, in the train that was sent last, of what waits and is to be sent next; when
     * the port is free = there is none
     */
    int64_t FindGap(RdmaEgressQueues::Mask allowed, const RdmaPacketSource* source) const;

    /**
     * @param allowed priorities that may send
     * @return those that may go between the packets of the train that was sent last
     */
    RdmaEgressQueues::Mask GetEntering(RdmaEgressQueues::Mask allowed) const
    {
        return static_cast<RdmaEgressQueues::Mask>(allowed & RdmaEgressQueues::ALL << m_priority);
    }

    /// @return whether a queue pair of this host has made the train that was sent last
    bool IsOwn() const
    {
        return m_isOwn;
    }

    /**
     * @param now time step
     * @return whether a train is being sent that should not meet others, see RdmaTrain::IsLone()
     */
    bool IsSendingLone(int64_t now) const
    {
        return m_isLone && m_clock.IsSendingTrain(now);
    }

    /// @return share of frames in what the train takes on the wire, with preambles and gaps
    double GetFrameShare() const
    {
        return m_frames;
    }

  private:
    RdmaPortClock& m_clock;           //!< times of the port
    const RdmaEgressQueues& m_queues; //!< what waits there

    // Of the train that is being sent, or was sent last.
    float m_frames{1};     //!< share of frames in what it takes on the wire
    uint8_t m_priority{0}; //!< its priority
    bool m_isOwn{false};   //!< a queue pair of this host has made it
    bool m_isLone{false};  //!< it should not meet others, see RdmaTrain::IsLone()
    bool m_isLong{false};  //!< longer than those that wait as a whole, see RdmaTrain::queued, so
                           //!< that those may go between its packets
};

} // namespace ns3

#endif /* RDMA_TRAIN_SERVICE_H */
