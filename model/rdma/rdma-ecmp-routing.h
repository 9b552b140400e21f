/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ECMP_ROUTING_H
#define RDMA_ECMP_ROUTING_H

#include "rdma-routing.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All packets of a flow take the same path, chosen by a hash with a salt of each node.
 */
class RdmaEcmpRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    bool Reorders() const override;
    std::unique_ptr<RdmaPathChoice> Create(uint64_t salt) const override;
};

} // namespace ns3

#endif /* RDMA_ECMP_ROUTING_H */
