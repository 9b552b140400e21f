/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_OVERCOMMITMENT_H
#define RDMA_OVERCOMMITMENT_H

#include "rdma-credit-granter.h"
#include "rdma-message-priorities.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Grants all that they ask for to a few senders, to those of whose messages the least is
 * missing, each by a priority of its own (Homa: B. Montazeri et al., SIGCOMM 2018, sections 3.4 and
 * 3.5).
 *
 * A sender asks for no more than a window. So each that is granted keeps one on its way, and where
 * one does not send, as it is busy with another receiver, the next ones fill the port. What is too
 * much waits at the last switch, where the shortest message has the highest priority.
 */
class RdmaOvercommitment : public RdmaCreditGranter
{
  public:
    /**
     * @param priorities how many messages are granted, and their priorities; must outlive this
     *                   object
     */
    explicit RdmaOvercommitment(const RdmaMessagePriorities& priorities);

    void Update(UecReceiver& receiver) override;

  private:
    const RdmaMessagePriorities& m_priorities; //!< of messages
    std::vector<UecReceiver*> m_asking;        //!< receivers that lack credit, or will, that of
                                               //!< whose message the least is missing first
};

} // namespace ns3

#endif /* RDMA_OVERCOMMITMENT_H */
