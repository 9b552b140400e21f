/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_OWNER_H
#define RDMA_PORT_OWNER_H

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
     * The link of a port has gone up or down.
     *
     * @param port the port
     * @param up whether it carries packets
     */
    virtual void LinkChanged(RdmaNetDevice& port, bool up) = 0;
};

} // namespace ns3

#endif /* RDMA_PORT_OWNER_H */
