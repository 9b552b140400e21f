/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ADAPTIVE_ROUTING_H
#define RDMA_ADAPTIVE_ROUTING_H

#include "rdma-routing.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Adaptive routing: each packet goes by the port that would send it first.
 *
 * That is the port with the least to send, counted in time, as ports of different rates may be of
 * equal cost. A port that is paused, for the priority of the packet, comes after all that are not;
 * one whose link is down is not chosen unless all are. Ports that are equal are chosen by a hash of
 * the packet.
 *
 * Switches compare the queues of all their ports, as NVIDIA's Spectrum does for RoCE, rather than
 * of two and the best of the last choice, as DRILL (S. Ghorbani et al., SIGCOMM 2017) makes do
 * with. They know the lengths as they are, not in classes and not late.
 */
class RdmaAdaptiveRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaAdaptiveRouting();
    ~RdmaAdaptiveRouting() override;

    std::string GetName() const override;
    bool Reorders() const override;
    std::unique_ptr<RdmaPathChoice> Create(uint64_t salt) const override;
};

} // namespace ns3

#endif /* RDMA_ADAPTIVE_ROUTING_H */
