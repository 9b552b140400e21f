/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaDcqcn");

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

/**
 * @brief The reaction point of one queue pair.
 *
 * At line rate there is nothing to recover and neither the timer nor the byte counter can change
 * anything that a notification does not reset, so both rest until the next notification. That
 * bounds the steps to catch up with after an idle time of any length: they end at line rate. Only
 * a notification reads alpha, so alpha is brought up to date there.
 */
class RdmaDcqcn::Control : public RdmaRateControl
{
  public:
    /**
     * @param dcqcn the parameters
     * @param lineRate line rate, bit/s
     */
    Control(Ptr<const RdmaDcqcn> dcqcn, double lineRate)
        : m_dcqcn(dcqcn),
          m_lineRate(lineRate),
          m_rate(lineRate),
          m_target(lineRate)
    {
    }

    double GetRate(Time now) override
    {
        RunTimer(now);
        return m_rate;
    }

    void PacketSent(Time now, uint32_t bytes) override
    {
        RunTimer(now);
        if (!IsRecovering())
        {
            return;
        }
        m_bytes += bytes;
        while (m_bytes >= m_dcqcn->m_byteCounter)
        {
            m_bytes -= m_dcqcn->m_byteCounter;
            ++m_byteSteps;
            Increase();
        }
    }

    void CnpReceived(Time now) override
    {
        RunTimer(now);
        DecayAlpha(now);
        m_target = m_rate;
        m_rate = std::max(m_rate * (1 - m_alpha / 2), m_dcqcn->m_minRate * m_lineRate);
        m_alpha = (1 - m_dcqcn->m_gain) * m_alpha + m_dcqcn->m_gain;
        m_lastCnp = now;
        m_notified = true;
        m_nextStep = now + m_dcqcn->m_timer;
        m_timerSteps = 0;
        m_byteSteps = 0;
        m_bytes = 0;
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
     * Take the steps for which the timer has expired.
     *
     * @param now the time
     */
    void RunTimer(Time now)
    {
        while (IsRecovering() && m_nextStep <= now)
        {
            m_nextStep += m_dcqcn->m_timer;
            ++m_timerSteps;
            Increase();
        }
    }

    /**
     * Shrink alpha once for every period since the last notification.
     *
     * @param now the time
     */
    void DecayAlpha(Time now)
    {
        if (!m_notified)
        {
            return;
        }
        // At this alpha 1 - alpha / 2 is 1 and (1 - g) alpha + g is g, in doubles and for any g
        // allowed: smaller ones are all the same.
        constexpr double nothing = 1.0 / (1ULL << 62) / 4;
        auto periods = (now - m_lastCnp).GetTimeStep() / m_dcqcn->m_alphaPeriod.GetTimeStep();
        for (; periods > 0 && m_alpha > nothing; --periods)
        {
            m_alpha *= 1 - m_dcqcn->m_gain;
        }
    }

    /// One step towards the target, and of the target.
    void Increase()
    {
        const auto fastRecovery = m_dcqcn->m_fastRecovery;
        if (std::min(m_timerSteps, m_byteSteps) > fastRecovery)
        {
            m_target += m_dcqcn->m_rateHai * m_lineRate;
        }
        else if (std::max(m_timerSteps, m_byteSteps) > fastRecovery)
        {
            m_target += m_dcqcn->m_rateAi * m_lineRate;
        }
        m_target = std::min(m_target, m_lineRate);
        m_rate = m_target - m_rate < 1 ? m_target : (m_target + m_rate) / 2;
    }

    Ptr<const RdmaDcqcn> m_dcqcn; //!< the parameters
    double m_lineRate;            //!< line rate, bit/s
    double m_rate;                //!< R_C, rate, bit/s
    double m_target;              //!< R_T, rate to recover, bit/s
    double m_alpha{1};            //!< estimate of the congestion at the last notification
    Time m_lastCnp;               //!< when the last notification came
    Time m_nextStep;              //!< when the timer expires next, while the rate recovers
    uint64_t m_bytes{0};          //!< bytes sent since the byte counter's last step
    uint32_t m_timerSteps{0};     //!< steps by the timer since the last notification
    uint32_t m_byteSteps{0};      //!< steps by the byte counter since the last notification
    bool m_notified{false};       //!< whether there was a notification
};

TypeId
RdmaDcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaDcqcn")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaDcqcn>()
            .AddAttribute("Gain",
                          "g, weight of a notification in alpha. The default is the paper's.",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&RdmaDcqcn::m_gain),
                          MakeDoubleChecker<double>(1.0 / 1024, 1))
            .AddAttribute("AlphaPeriod",
                          "K, time without a notification after which alpha shrinks; longer than "
                          "the receiver's interval between notifications. The default is the "
                          "paper's.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&RdmaDcqcn::m_alphaPeriod),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("Timer",
                          "T, time between steps of increase. The default is what the paper "
                          "recommends for stability and deploys; vendors' network cards come with "
                          "300 us, which recovers more slowly.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&RdmaDcqcn::m_timer),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ByteCounter",
                          "B, bytes sent between steps of increase. The default is the paper's.",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&RdmaDcqcn::m_byteCounter),
                          MakeUintegerChecker<uint64_t>(1000))
            .AddAttribute("FastRecovery",
                          "F, steps of fast recovery. The default is the paper's.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaDcqcn::m_fastRecovery),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("RateAi",
                          "R_AI, additive increase of the target per step, share of the line rate. "
                          "The default is the paper's 40 Mb/s at its 40 Gb/s.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaDcqcn::m_rateAi),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("RateHai",
                          "R_HAI, hyper increase of the target per step, share of the line rate. "
                          "The paper gives none; the default is ten times RateAi, as the defaults "
                          "of IEEE 802.1Q QCN are to each other (rpgHaiRate 50 Mb/s, rpgAiRate "
                          "5 Mb/s).",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&RdmaDcqcn::m_rateHai),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("MinRate",
                          "Lowest rate, share of the line rate. The paper gives none; the default "
                          "is 100 Mb/s at 100 Gb/s, a usual floor in simulations of DCQCN.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaDcqcn::m_minRate),
                          MakeDoubleChecker<double>(1e-6, 1));
    return tid;
}

RdmaDcqcn::RdmaDcqcn()
{
    NS_LOG_FUNCTION(this);
}

RdmaDcqcn::~RdmaDcqcn()
{
    NS_LOG_FUNCTION(this);
}

std::string
RdmaDcqcn::GetName() const
{
    return "dcqcn";
}

std::unique_ptr<RdmaRateControl>
RdmaDcqcn::Create(const RdmaPath& path) const
{
    static_assert(sizeof(Control) < 128, "there may be millions of queue pairs");
    NS_ASSERT_MSG(path.lineRate.GetBitRate() > 0, "a queue pair needs a port with a rate");
    return std::make_unique<Control>(this, static_cast<double>(path.lineRate.GetBitRate()));
}

bool
RdmaDcqcn::UsesCnp() const
{
    return true;
}

} // namespace ns3
