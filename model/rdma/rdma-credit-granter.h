/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CREDIT_GRANTER_H
#define RDMA_CREDIT_GRANTER_H

namespace ns3
{

class UecReceiver;

/**
 * @ingroup workload-replay
 * @brief Grants credit to the senders that reach a host by the same ports.
 */
class RdmaCreditGranter
{
  public:
    virtual ~RdmaCreditGranter() = default;

    /**
     * What a sender asks for, or what is missing of its message, has changed.
     *
     * @param receiver its receiving half
     */
    virtual void Update(UecReceiver& receiver) = 0;
};

} // namespace ns3

#endif /* RDMA_CREDIT_GRANTER_H */
