/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWIFT_H
#define RDMA_SWIFT_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Swift: the window keeps the round-trip time at a target.
 *
 * Algorithm 1 of G. Kumar et al., "Swift: delay is simple and effective for congestion control in
 * the datacenter", SIGCOMM 2020, for the fabric: network cards of this model have no delay of their
 * own, so there is no endpoint window. With the window cwnd in packets and the round-trip time rtt:
 * - rtt below the target: cwnd grows by AdditiveIncrease packets per round trip,
 * - else, at most once per round trip: cwnd = cwnd max(1 - beta (rtt - target) / rtt, 1 - max_mdf),
 * - at a retransmission timeout, at most once per round trip: cwnd = cwnd (1 - max_mdf); from the
 *   ResetTimeouts-th in a row on cwnd falls to its minimum.
 *
 * The target is the base round trip of the path + BaseTarget + flow scaling, where flow scaling
 * (section 3.5) is FlowScalingRange at a cwnd of FlowScalingMinWindow and less, 0 at
 * FlowScalingMaxWindow and more, and linear in 1 / sqrt(cwnd) in between. The base round trip
 * stands for the paper's sum over hops.
 *
 * The rate is cwnd over the smoothed round-trip time, which is what paces a cwnd below one packet;
 * the window that is reported is at least one full packet. cwnd is at most what a sender at line
 * rate has under way at the largest target.
 *
 * Where the paper leaves room: a queue pair begins with a cwnd of line rate x base round trip, and
 * the round-trip time is smoothed with a weight of 1/8 (RFC 6298).
 */
class RdmaSwift : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSwift();
    ~RdmaSwift() override;

    /**
     * @throw WorkloadError if FlowScalingMaxWindow is not above FlowScalingMinWindow
     */
    void CheckParameters() const override;
    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool NeedsEveryAck() const override;

  private:
    class Control;

    /**
     * @param cwnd window, packets
     * @return delay above the base round trip at which the window rests, time steps
     */
    double GetAllowance(double cwnd) const;

    Time m_baseTarget;         //!< delay above the base round trip, whatever the window
    Time m_scalingRange;       //!< fs_range, most delay added for small windows
    double m_scalingMin;       //!< fs_min_cwnd, packets
    double m_scalingMax;       //!< fs_max_cwnd, packets
    double m_additiveIncrease; //!< ai, packets per round trip
    double m_beta;             //!< weight of a decrease
    double m_maxDecrease;      //!< max_mdf, largest decrease at once, share of the window
    double m_minWindow;        //!< smallest window, packets
    uint32_t m_resetTimeouts;  //!< timeouts in a row after which the window is the smallest
};

} // namespace ns3

#endif /* RDMA_SWIFT_H */
