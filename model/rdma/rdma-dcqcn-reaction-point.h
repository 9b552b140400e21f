/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_REACTION_POINT_H
#define RDMA_DCQCN_REACTION_POINT_H

#include "rdma-congestion-control.h"
#include "rdma-dcqcn-parameters.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The reaction point of DCQCN of one queue pair, see RdmaDcqcn.
 *
 * At line rate there is nothing to recover and neither the timer nor the byte counter can change
 * anything that a cut does not reset, so both rest until the next cut. That bounds the steps to
 * catch up with after an idle time of any length: they end at line rate. Only a cut reads alpha, so
 * alpha is brought up to date there and where a notification is to count for it.
 */
class RdmaDcqcnReactionPoint : public RdmaRateControl
{
  public:
    /**
     * @param parameters the parameters, all set
     * @param lineRate line rate, bit/s
     */
    RdmaDcqcnReactionPoint(std::shared_ptr<const RdmaDcqcnParameters> parameters, double lineRate);

    double GetRate(Time now) override;
    Time GetPause(Time now, Time pause) override;
    void PacketSent(Time now, uint32_t bytes) override;
    void CnpReceived(Time now) override;
    bool UsesAcknowledgements() const override;
    Time GetNextChange(Time now, double rate) override;

    bool IsAtRest() const override
    {
        return !m_notified && !m_isCutDue;
    }

  private:
    /**
     * @return whether the rate is below the line rate
     */
    bool IsRecovering() const
    {
        return m_rate < m_lineRate;
    }

    /**
     * @return when the rate will change next by a timer if no notification comes
     */
    Time GetTimerEnd() const;

    /**
     * Do all that was due by then.
     *
     * @param now the time
     */
    void Advance(Time now);

    /**
     * Take the steps for which the timer has expired.
     *
     * @param now the time
     */
    void RunTimer(Time now);

    /**
     * Sample alpha for each period that has ended.
     *
     * @param now the time
     */
    void SampleAlpha(Time now);

    /**
     * @param now when a notification has come; no cut is due
     * @return when it is to cut the rate
     */
    Time GetCutTime(Time now) const;

    /**
     * Cut the rate.
     *
     * @param now the time
     */
    void Cut(Time now);

    /// One step towards the target, and of the target.
    void Increase();

    /**
     * @return what the target gains at a step, bit/s
     */
    double GetTargetIncrease() const;

    std::shared_ptr<const RdmaDcqcnParameters> m_parameters; //!< the parameters
    double m_lineRate;                                       //!< line rate, bit/s
    double m_rate;                                           //!< R_C, rate, bit/s
    double m_target;                                         //!< R_T, rate to recover, bit/s
    double m_alpha;                                          //!< alpha, as of m_alphaAt
    Time m_alphaAt;           //!< when the period of alpha under way has begun
    Time m_cutsAt;            //!< when a period between cuts has begun
    Time m_cutDue;            //!< when the rate is to be cut, if it is
    Time m_nextStep;          //!< when the timer expires next, while the rate recovers
    uint64_t m_bytes{0};      //!< bytes sent since the byte counter's last step
    uint32_t m_timerSteps{0}; //!< steps by the timer since the last cut
    uint32_t m_byteSteps{0};  //!< steps by the byte counter since the last cut
    bool m_notified{false};   //!< whether there was a first notification
    bool m_alphaNoted{false}; //!< whether a notification came in the period of alpha under way
    bool m_isCutDue{false};   //!< whether the rate is to be cut
};

} // namespace ns3

#endif /* RDMA_DCQCN_REACTION_POINT_H */
