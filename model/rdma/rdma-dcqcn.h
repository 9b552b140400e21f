/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief DCQCN: switches mark, the receiver responds with notifications, the sender cuts its rate.
 *
 * The reaction point of Y. Zhu et al., "Congestion control for large-scale RDMA deployments",
 * SIGCOMM 2015, section 3.1. A notification (CNP) makes the rate R_C the target R_T and cuts it:
 * R_C = R_C (1 - alpha / 2), then alpha = (1 - g) alpha + g. Every K without a notification alpha
 * shrinks: alpha = (1 - g) alpha. The rate recovers by steps, one whenever the timer T expires and
 * one whenever B bytes have been sent, both counted since the last notification:
 * - fast recovery while neither count exceeds F: R_C = (R_T + R_C) / 2,
 * - hyper increase once both exceed F: R_T = R_T + R_HAI, and R_C as above,
 * - additive increase in between: R_T = R_T + R_AI, and R_C as above.
 *
 * Where the paper leaves room:
 * - F steps of the faster count are fast recovery, as the text says; the next one is additive.
 * - R_HAI is the same for every hyper increase, as in network cards; the increase of IEEE 802.1Q
 *   QCN grows with the count.
 * - Timers start with the first notification; alpha is 1 at that time. A timer that expires at the
 *   very moment of a notification or of a packet comes first.
 * - A gap between R_C and R_T below 1 bit/s counts as closed, as rates of hardware are whole
 *   numbers.
 *
 * Every notification cuts. It is the receiver that sends at most one per queue pair and
 * 50 us (section 3.1, notification point).
 */
class RdmaDcqcn : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaDcqcn();
    ~RdmaDcqcn() override;

    std::string GetName() const override;
    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool UsesCnp() const override;

  private:
    class Control;

    double m_gain;           //!< g, weight of a new notification in alpha
    Time m_alphaPeriod;      //!< K, time without notification after which alpha shrinks
    Time m_timer;            //!< T, time between steps of increase
    uint64_t m_byteCounter;  //!< B, bytes sent between steps of increase
    uint32_t m_fastRecovery; //!< F, steps of fast recovery
    double m_rateAi;         //!< R_AI, share of the line rate
    double m_rateHai;        //!< R_HAI, share of the line rate
    double m_minRate;        //!< lowest rate, share of the line rate
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
