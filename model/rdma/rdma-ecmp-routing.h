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

    bool Reorders() const override;
    std::string FindOtherPaths() const override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;
};

/**
 * @ingroup workload-replay
 * @brief Enhanced ECMP: switches hash the destination queue pair as well.
 *
 * As Meta has its switches do (A. Gangidi et al., RDMA over Ethernet for distributed AI training at
 * Meta scale, SIGCOMM 2024), so that queue pairs part even if they share a UDP source port, see
 * RdmaMessageTransport::UdpSourcePorts. The destination queue pair of an acknowledgement is that of
 * the sender of the data. It stands for that of the data too: here a sender does not know the
 * number of its peer until the first acknowledgement, as one that has set up a connection does.
 * NICs with several ports choose one by the flow alone.
 */
class RdmaEnhancedEcmpRouting : public RdmaEcmpRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string FindOtherPaths() const override;

    bool HashesQueuePairs() const override
    {
        return true;
    }

    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;
};

} // namespace ns3

#endif /* RDMA_ECMP_ROUTING_H */
