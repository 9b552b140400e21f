/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_OWNER_H
#define RDMA_PORT_OWNER_H

#include "rdma-egress-queues.h"
#include "rdma-packet.h"

namespace ns3
{

class RdmaNetDevice;

/**
 * @ingroup workload-replay
 * @brief What stands behind a port: a switch, or the NIC of a host.
 */
class RdmaPortOwner
{
  public:
    virtual ~RdmaPortOwner() = default;

    /**
     * A packet has come in, to its last bit.
     *
     * @param port port that it has come in by
     * @param packet the packet
     */
    virtual void Receive(RdmaNetDevice& port, RdmaPacketPtr packet) = 0;

    /**
     * A packet leaves a queue of a port: it begins to be sent, or is dropped. A port that defers
     * says so up to a propagation delay late.
     *
     * @param port the port
     * @param packet the packet
     */
    virtual void Dequeued(RdmaNetDevice& port, const RdmaPacket& packet) = 0;

    /**
     * A port has nothing queued that may be sent: what else is there to send?
     *
     * @param port the port
     * @param allowed priorities that may send
     * @return a packet; null = nothing
     */
    virtual RdmaPacketPtr Pull(RdmaNetDevice& port, RdmaEgressQueues::Mask allowed) = 0;

    /**
     * @param port a port
     * @param allowed priorities that may send
     * @return whether Pull() would bring a packet
     */
    virtual bool CanPull(const RdmaNetDevice& port, RdmaEgressQueues::Mask allowed) const = 0;

    /**
     * A port comes to a gap between two packets of a train that Pull() has brought.
     *
     * @param port the port
     * @param allowed priorities that may send
     * @return a single packet of another queue pair; null = it is the train's turn
     */
    virtual RdmaPacketPtr PullIntoTrain(RdmaNetDevice& port, RdmaEgressQueues::Mask allowed) = 0;

    /**
     * @param port a port
     * @param allowed priorities that may send
     * @return whether PullIntoTrain() may bring a packet at one of the next gaps
     */
    virtual bool CanPullIntoTrain(const RdmaNetDevice& port,
                                  RdmaEgressQueues::Mask allowed) const = 0;

    /**
     * @return whether Pull() ever brings a packet
     */
    virtual bool HasOwnPackets() const = 0;

    /**
     * The link of a port has gone up or down.
     *
     * @param port the port
     * @param up whether it carries packets
     */
    virtual void LinkChanged(RdmaNetDevice& port, bool up) = 0;
};

} // namespace ns3

#endif /* RDMA_PORT_OWNER_H */
