/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_PARAMETERS_H
#define RDMA_DCQCN_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the reaction point of DCQCN goes by. As made, every one of them is unset.
 *
 * The names in brackets are those of the firmware of NVIDIA ConnectX (mlxconfig), where there is
 * one.
 */
struct RdmaDcqcnParameters
{
    double gain{-1};              //!< g, weight of a sample in alpha (1 - DCE_TCP_G / 1024)
    double initialAlpha{-1};      //!< alpha at the first notification (INITIAL_ALPHA_VALUE / 1024)
    Time alphaPeriod{-1};         //!< K, time between samples of alpha (DCE_TCP_RTT)
    int64_t alphaByTimer{-1};     //!< 1 = alpha is only sampled once per K; 0 = and K begins anew
                                  //!< with each notification, which counts at once
    Time cutPeriod{-1};           //!< time between cuts (RATE_REDUCE_MONITOR_PERIOD); 0 = every
                                  //!< notification cuts
    int64_t firstCutAtOnce{-1};   //!< 1 = the first cut does not wait for the end of a period
    int64_t clampTarget{-1};      //!< 1 = every cut sets the target (CLAMP_TGT_RATE)
    int64_t clampAfterTimer{-1};  //!< 1 = a cut after a step of the timer sets the target
                                  //!< (CLAMP_TGT_RATE_AFTER_TIME_INC)
    double minDecreaseFactor{-1}; //!< least share of the rate that a cut leaves (RPG_MIN_DEC_FAC)
    int64_t release{-1};          //!< 1 = at line rate the next notification is a first one again
    Time timer{-1};               //!< T, time between steps of increase (RPG_TIME_RESET)
    int64_t byteCounter{-1};      //!< B, bytes between steps of increase (RPG_BYTE_RESET); 0 = no
                                  //!< steps by bytes
    int64_t fastRecovery{-1};     //!< F, steps of fast recovery (RPG_THRESHOLD)
    DataRate rateAi{0};           //!< R_AI (RPG_AI_RATE)
    DataRate rateHai{0};          //!< R_HAI (RPG_HAI_RATE)
    DataRate minRate{0};          //!< lowest rate (RPG_MIN_RATE)

    /**
     * @param other others
     * @return whether they are the same
     */
    bool operator==(const RdmaDcqcnParameters& other) const;

    /**
     * Take over what others have set.
     *
     * @param others numbers and times below 0, and rates of 0, are unset
     */
    void Override(const RdmaDcqcnParameters& others);

    /**
     * @throws WorkloadError if one is out of its range, or if they contradict each other
     */
    void Check() const;
};

/**
 * @ingroup workload-replay
 * @brief A named set of all parameters of DCQCN.
 */
struct RdmaDcqcnPreset
{
    /// Whose values they are.
    enum Name : uint8_t
    {
        NIC,      //!< firmware of NVIDIA ConnectX-4 and later
        PAPER,    //!< the paper on DCQCN
        REFERENCE //!< the simulator of the HPCC family
    };

    DataRate lineRate;              //!< rate of the port that the rates are for, to which they are
                                    //!< in proportion; 0 = they hold for any port
    Time cnpInterval;               //!< least time between notifications that a receiver sends
    RdmaDcqcnParameters parameters; //!< the parameters

    /**
     * @param rate rate of a port
     * @return the parameters for it
     */
    RdmaDcqcnParameters GetFor(DataRate rate) const;

    /**
     * @param name a name
     * @return the preset
     */
    static const RdmaDcqcnPreset& Get(Name name);
};

} // namespace ns3

#endif /* RDMA_DCQCN_PARAMETERS_H */
