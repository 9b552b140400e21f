/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACKET_SOURCE_H
#define RDMA_PACKET_SOURCE_H

#include "rdma-egress-queues.h"
#include "rdma-packet.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What makes packets when a port is free to send them, as the queue pairs of a host do.
 */
class RdmaPacketSource
{
  public:
    virtual ~RdmaPacketSource() = default;

    /**
     * The port has nothing queued that may be sent: what else is there to send?
     *
     * @param allowed priorities that may send
     * @return a packet; null = nothing
     */
    virtual RdmaPacketPtr Pull(RdmaEgressQueues::Mask allowed) = 0;

    /**
     * @param allowed priorities that may send
     * @return whether Pull() would bring a packet
     */
    virtual bool CanPull(RdmaEgressQueues::Mask allowed) const = 0;

    /**
     * The port comes to a gap between two packets of a train that Pull() has brought.
     *
     * @param allowed priorities that may send
     * @return a single packet of another queue pair; null = it is the train's turn
     */
    virtual RdmaPacketPtr PullIntoTrain(RdmaEgressQueues::Mask allowed) = 0;

    /**
     * @param allowed priorities that may send
     * @return whether PullIntoTrain() may bring a packet at one of the next gaps
     */
    virtual bool CanPullIntoTrain(RdmaEgressQueues::Mask allowed) const = 0;
};

} // namespace ns3

#endif /* RDMA_PACKET_SOURCE_H */
