/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SPRAY_ROUTING_H
#define RDMA_SPRAY_ROUTING_H

#include "rdma-routing.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Packet spraying: the packets of a flow go over all paths in turn.
 *
 * Spraying by chance (A. Dixit et al., On the impact of packet spraying in data center networks,
 * INFOCOM 2013) leaves the loads unequal by the square root of the number of packets, and a queue
 * at full load with them. So each node sends the packets for one destination by one port after the
 * other: then the links behind the next node are loaded evenly as well, however the packets for
 * other destinations fall in between. Data and responses have turns of their own, lest they
 * alternate.
 *
 * A node remembers the turns of a fixed number of destinations. Two that fall on the same place
 * push each other out, and start at a port chosen by a hash whenever they come back.
 *
 * Links of the node itself that are down are left out at once.
 */
class RdmaSprayRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSprayRouting();
    ~RdmaSprayRouting() override;

    bool Reorders() const override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;
};

} // namespace ns3

#endif /* RDMA_SPRAY_ROUTING_H */
