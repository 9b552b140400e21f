/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TIMELY_H
#define RDMA_TIMELY_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief TIMELY: the rate follows the round-trip time and how it changes.
 *
 * Algorithm 1 of R. Mittal et al., "TIMELY: RTT-based congestion control for the datacenter",
 * SIGCOMM 2015, without the patch of later work. Once per segment, with the round-trip time rtt of
 * the last packet acknowledged and the gradient g, the moving average of its changes divided by
 * the constant D_minRTT, which the base round trip of a short path must not replace: gradients of
 * the same queue would grow with the rate of the port, and cuts with them:
 * - rtt below T_low: rate = rate + delta,
 * - rtt above T_high: rate = rate (1 - beta (1 - T_high / rtt)),
 * - otherwise, g at most 0: rate = rate + N delta, where N = 5 from the fifth such update in a
 *   row on (hyperactive increase), else 1,
 * - otherwise: rate = rate (1 - beta g).
 *
 * There is no window. Rates have no fixed point (Y. Zhu et al., "ECN or delay", CoNEXT 2016,
 * section 4): they use a port, but share it in any way.
 *
 * Where this differs from the paper:
 * - T_low and T_high are given as queueing delays, to which the base round trip of the path is
 *   added, so that one setting serves short and long paths. The paper's 50 us and 500 us go with
 *   a base round trip of 20 us.
 * - An update cuts the rate at most by half: a gradient above 1 / beta would otherwise stop the
 *   queue pair for good. Implementations do so too, eRPC for one (A. Kalia et al., "Datacenter RPCs
 *   can be general and fast", NSDI 2019).
 * - A queue pair begins at line rate, like those of the other algorithms; the paper's senders begin
 *   at a share of it.
 */
class RdmaTimely : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaTimely();
    ~RdmaTimely() override;

    /**
     * @throw WorkloadError if HighDelay is below LowDelay
     */
    void CheckParameters() const override;
    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    std::string GetFluidUnsupportedReason() const override;

  private:
    class Control;

    Time m_lowDelay;              //!< queueing delay of T_low
    Time m_highDelay;             //!< queueing delay of T_high
    Time m_minRtt;                //!< D_minRTT; 0 = the base round trip
    double m_delta;               //!< additive increase, share of the line rate
    double m_beta;                //!< weight of a decrease
    double m_alpha;               //!< weight of the last change in the moving average
    uint32_t m_hyperactiveAfter;  //!< updates in a row that make the increase hyperactive
    uint32_t m_hyperactiveFactor; //!< N of hyperactive increase
    uint64_t m_segmentBytes; //!< payload acknowledged between updates, bytes; 0 = one round trip's
    double m_minRate;        //!< lowest rate, share of the line rate
};

} // namespace ns3

#endif /* RDMA_TIMELY_H */
