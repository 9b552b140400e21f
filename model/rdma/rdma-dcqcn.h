/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-control.h"
#include "rdma-dcqcn-parameters.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief DCQCN: switches mark, the receiver responds with notifications, the sender cuts its rate.
 *
 * The reaction point of Y. Zhu et al., "Congestion control for large-scale RDMA deployments",
 * SIGCOMM 2015, section 3.1, and what network cards have made of it. Notifications (CNP) let the
 * rate R_C be cut: R_C = R_C (1 - alpha / 2). The rate R_T that is to be recovered is the rate
 * before the cut. Alpha grows with notifications, alpha = (1 - g) alpha + g, and shrinks without
 * them, alpha = (1 - g) alpha. The rate recovers by steps, one whenever the timer T expires and one
 * whenever B bytes have been sent, both counted since the last cut:
 * - fast recovery while neither count exceeds F: R_C = (R_T + R_C) / 2,
 * - hyper increase once both exceed F: R_T = R_T + R_HAI, and R_C as above,
 * - additive increase in between: R_T = R_T + R_AI, and R_C as above.
 *
 * The preset chooses among three sets of rules and numbers; each can be set by itself as well.
 * - nic, the default: the firmware of NVIDIA ConnectX (help of mlxconfig, DOCA documentation
 *   "DCQCN CC Parameters", defaults as mlxconfig prints them; the driver mlx5 shows them as
 *   cc_params in debugfs). The rate is cut at the end of each 4 us in which a notification came.
 *   Alpha is sampled once per us: it grows if a notification came in that time, else it shrinks. A
 *   cut sets R_T to R_C only if R_C has been increased since the last cut. A queue pair that is
 *   back at line rate is no longer limited: the next notification is a first one again.
 * - paper: every notification cuts at once, sets R_T, and counts for alpha at once; alpha shrinks
 *   every K = 55 us without one. Rates are in proportion to the port's, from 40 Gb/s.
 * - reference: the simulator of the HPCC family with the numbers of its version for network load
 *   balancing (github.com/conweave-project/conweave-ns3, run.py and rdma-hw.cc), in proportion to
 *   the port's rate. It is nic without a byte counter, with g = 1/256, larger steps, and a
 *   notification for each marked packet.
 *
 * Where the sources leave room:
 * - F steps of the faster count are fast recovery, as the paper says; the next one is additive.
 * - Without a byte counter, the first step after fast recovery is additive, and those after it are
 *   hyper, as in the simulator of the HPCC family.
 * - R_HAI is the same for every hyper increase, as in network cards; the increase of IEEE 802.1Q
 *   QCN grows with the count.
 * - Timers start with the first cut. A timer that expires at the very moment of a notification or
 *   of a packet comes first, and alpha is sampled before a cut.
 * - A gap between R_C and R_T below 1 bit/s counts as closed, as rates of hardware are whole
 *   numbers.
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

    /**
     * @param lineRate rate of a port
     * @return the parameters of queue pairs that send by it
     */
    RdmaDcqcnParameters GetParameters(DataRate lineRate) const;

    /**
     * @throws WorkloadError if a parameter is out of its range
     */
    void CheckParameters() const override;
    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool UsesCnp() const override;
    Time GetCnpInterval() const override;

  private:
    /**
     * Set one parameter.
     *
     * @tparam Value its type
     * @tparam member which one
     * @param value its value; unset = that of the preset
     */
    template <typename Value, Value RdmaDcqcnParameters::*member>
    void Set(Value value)
    {
        m_own.*member = value;
    }

    /**
     * Get one parameter.
     *
     * @tparam Value its type
     * @tparam member which one
     * @return the value in force; a rate of the preset is that for the preset's own line rate
     */
    template <typename Value, Value RdmaDcqcnParameters::*member>
    Value Get() const
    {
        RdmaDcqcnParameters parameters = RdmaDcqcnPreset::Get(m_preset).parameters;
        parameters.Override(m_own);
        return parameters.*member;
    }

    RdmaDcqcnPreset::Name m_preset{RdmaDcqcnPreset::NIC};        //!< what is not set by itself
    RdmaDcqcnParameters m_own;                                   //!< what is set by itself
    mutable std::shared_ptr<const RdmaDcqcnParameters> m_latest; //!< of the queue pair made last
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
