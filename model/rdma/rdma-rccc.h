/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RCCC_H
#define RDMA_RCCC_H

#include "rdma-congestion-control.h"
#include "rdma-message-priorities.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief RCCC, receiver credit-based congestion control: senders send what receivers grant.
 *
 * A queue pair that begins to send does so at line rate, up to a first window; all else needs leave
 * of the receiver, whose host grants as much as its ports can take, to all who ask in turn (see
 * RdmaCreditPacer). So queues at the last hop, where incasts meet, do not build; those elsewhere it
 * knows nothing of. This is EQDS (V. Olteanu et al., NSDI 2022), which became RCCC in the Ultra
 * Ethernet Specification 1.0.
 *
 * Instead of in turn, receivers may grant to the message first of which the least is missing, as in
 * Homa (B. Montazeri et al., SIGCOMM 2018, section 3.4). With Overcommitment they grant to several
 * of those at once, and messages have priorities, as there as well (see RdmaOvercommitment).
 */
class RdmaRccc : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaRccc();
    ~RdmaRccc() override;

    void CheckParameters() const override;
    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool UsesCredits() const override;
    bool GrantsShortestFirst() const override;
    const RdmaMessagePriorities* GetMessagePriorities() const override;

  private:
    /// Who is granted credit first.
    enum GrantOrder : uint8_t
    {
        ROUND_ROBIN,       //!< all who ask in turn
        SHORTEST_REMAINING //!< the message of which the least is missing
    };

    double m_window;           //!< first window, bandwidth-delay products of the path
    GrantOrder m_grantOrder;   //!< who is granted credit first
    uint32_t m_overcommitment; //!< messages that are granted at once; 0 = all, at the port's rate
    std::string m_cutoffs;     //!< the attribute UnscheduledCutoffs
    mutable std::unique_ptr<RdmaMessagePriorities> m_priorities; //!< of messages; null = there are
                                                                 //!< none, or nobody has asked
};

} // namespace ns3

#endif /* RDMA_RCCC_H */
