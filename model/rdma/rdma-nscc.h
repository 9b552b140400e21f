/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NSCC_H
#define RDMA_NSCC_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief NSCC, network signal congestion control: a window by ECN and delay together.
 *
 * The sender's control of the Ultra Ethernet Specification 1.0, which goes back to SMaRTT (T.
 * Bonato et al., "SMaRTT-REPS: Sender-based Marked Rapidly-adapting Trimmed & Timed Transport",
 * arXiv 2404.01630), as the specification's reference program htsim has it (uec.cpp). Of each
 * acknowledgement of b bytes, whose packet took d longer than without queues:
 *
 * - unmarked, d below the target: the window grows in proportion to b (target - d), or, after a
 *   window's worth with hardly any delay, fast, by a share of b;
 * - unmarked, d above: it grows by a little for each b, the same for all, which makes shares fair;
 * - marked, d above: it shrinks in proportion to how far the average delay is above the target, at
 *   most by half and once per round trip;
 * - marked, d below: congestion is elsewhere; the packets take other paths, see RdmaPathSelector.
 *
 * What grows is added up, and takes effect after 8 packets or a round trip, divided by the window.
 * A window that far too little came through in a round trip (packets trimmed, or a delay of four
 * targets) falls to what came through at once: quick adapt. A trimmed packet takes its own size off
 * the window.
 *
 * Constants scale with the bandwidth-delay product of the fabric over that of 100 Gb/s and 12 us.
 * All sizes here are payload.
 */
class RdmaNscc : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNscc();
    ~RdmaNscc() override;

    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool NeedsNetworkRtt() const override;
    bool NeedsEveryAck() const override;
    bool UsesCredits() const override;

  private:
    class Control;

    Time m_target;         //!< delay that is aimed at; 0 = a share of the fabric's round trip
    double m_maxWindow;    //!< largest window, bandwidth-delay products of the path
    double m_decrease;     //!< gamma, weight of a decrease
    double m_averaging;    //!< weight of a new delay in their average
    uint32_t m_adaptShift; //!< quick adapt: what came through is below the largest window / 2^this
    bool m_usesCredits;    //!< receivers grant credit besides (RCCC)
};

} // namespace ns3

#endif /* RDMA_NSCC_H */
