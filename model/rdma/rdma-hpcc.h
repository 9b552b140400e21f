/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_H
#define RDMA_HPCC_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief HPCC: the window follows the load that the ports of the path report.
 *
 * Algorithm 1 of Y. Li et al., "HPCC: high precision congestion control", SIGCOMM 2019: each
 * acknowledgement brings the telemetry of all hops. A hop of rate B that sends at txRate with qlen
 * waiting holds u = min(qlen, previous qlen) / (B T) + txRate / B of what fills the path, T being
 * the base round trip; U averages the largest u over T. With U at eta or above, or after MaxStage
 * round trips of additive increase, the window becomes W = W_c / (U / eta) + W_AI, else
 * W = W_c + W_AI; the reference W_c becomes W once per round trip. The rate is W / T.
 *
 * W never exceeds W_init = line rate * T, and is never below W_AI = W_init (1 - eta) / N
 * (section 3.3), which keeps the rate above 0. W_AI is at least the share of a packet that it is in
 * the paper (section 5.1: 80 of 1000 bytes): queue lengths are known to a packet only, and on a
 * path that holds few packets smaller steps do not make up for what that does to each queue pair.
 * The window that is reported is at least one full packet, so that a window of less is a matter of
 * the rate alone.
 *
 * Where the paper leaves room: U begins at 1, as a queue pair begins at line rate. The first
 * telemetry, and the first of another path (other hops, or counters that cannot be those of the
 * same ports), is only remembered, as there is nothing to compare it to, and U begins anew.
 * Acknowledgements without telemetry change nothing, and neither do timeouts.
 */
class RdmaHpcc : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaHpcc();
    ~RdmaHpcc() override;

    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool UsesTelemetry() const override;
    bool NeedsEveryAck() const override;
    std::string GetSprayingUnsupportedReason() const override;

  private:
    class Control;

    double m_utilization; //!< eta, load of a path to aim at
    uint32_t m_maxStage;  //!< round trips of additive increase in a row
    uint32_t m_flows;     //!< N, queue pairs expected on a link at a time
    double m_minStep;     //!< least W_AI, share of a full packet
};

} // namespace ns3

#endif /* RDMA_HPCC_H */
