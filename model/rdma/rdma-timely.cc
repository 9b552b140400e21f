/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-timely.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaTimely");

NS_STRATEGY_ENSURE_REGISTERED(RdmaTimely, "timely", "changes of the round trip", 2);

/// @brief The sender's side of one queue pair. Times are in time steps.
class RdmaTimely::Control : public RdmaRateControl
{
  public:
    /**
     * @param timely the parameters
     * @param path the path
     */
    Control(Ptr<const RdmaTimely> timely, const RdmaPath& path)
        : m_timely(timely),
          m_lineRate(static_cast<double>(path.lineRate.GetBitRate())),
          m_baseRtt(static_cast<double>(path.baseRtt.GetTimeStep())),
          m_minRtt(timely->m_minRtt.IsZero() ? m_baseRtt
                                             : static_cast<double>(timely->m_minRtt.GetTimeStep())),
          m_rate(m_lineRate),
          m_sampleEnd(std::max<uint64_t>(timely->m_segmentBytes, 1) - 1)
    {
    }

    double GetRate(Time now [[maybe_unused]]) override
    {
        return m_rate;
    }

    void AckReceived(const RdmaAck& ack) override
    {
        // One update per segment of payload, as completion events of a segment are what TIMELY
        // measures.
        if (ack.acknowledged <= m_sampleEnd)
        {
            return;
        }
        const uint64_t segment = m_timely->m_segmentBytes;
        // Without segments once per round trip: what is sent now is acknowledged a round trip
        // later.
        m_sampleEnd = segment == 0 ? ack.sent : ack.acknowledged + segment - 1;
        const auto rtt = static_cast<double>(ack.rtt.GetTimeStep());
        const double change = m_lastRtt > 0 ? rtt - m_lastRtt : 0;
        m_lastRtt = rtt;
        m_averageChange = (1 - m_timely->m_alpha) * m_averageChange + m_timely->m_alpha * change;

        // No update more than halves the rate.
        const double rate = std::max(m_rate / 2, GetNextRate(rtt));
        m_rate = std::clamp(rate, m_timely->m_minRate * m_lineRate, m_lineRate);
    }

  private:
    /**
     * @param rtt round-trip time
     * @return the rate to set, bit/s, bounds left aside
     */
    double GetNextRate(double rtt)
    {
        const uint32_t calmUpdates = m_calmUpdates;
        // Set again below if this update is calm, too.
        m_calmUpdates = 0;
        const double delta = m_timely->m_delta * m_lineRate;
        const double low = m_baseRtt + static_cast<double>(m_timely->m_lowDelay.GetTimeStep());
        const double high = m_baseRtt + static_cast<double>(m_timely->m_highDelay.GetTimeStep());
        // Below the low threshold gradients are noise.
        if (rtt < low)
        {
            return m_rate + delta;
        }
        if (rtt > high)
        {
            // Above the high threshold the queue is too long, whether it grows or not.
            return m_rate * (1 - m_timely->m_beta * (1 - high / rtt));
        }
        // A number without unit: change per round trip.
        const double gradient = m_averageChange / m_minRtt;
        if (gradient > 0)
        {
            return m_rate * (1 - m_timely->m_beta * gradient);
        }
        m_calmUpdates = calmUpdates + 1;
        const bool isHyperactive = m_calmUpdates >= m_timely->m_hyperactiveAfter;
        return m_rate + (isHyperactive ? m_timely->m_hyperactiveFactor : 1) * delta;
    }

    Ptr<const RdmaTimely> m_timely; //!< the parameters
    double m_lineRate;              //!< line rate, bit/s
    double m_baseRtt;               //!< base round trip
    double m_minRtt;                //!< D_minRTT, by which changes are divided
    double m_rate;                  //!< rate, bit/s
    double m_lastRtt{0};            //!< round-trip time at the last update; 0 = none yet
    double m_averageChange{0};      //!< moving average of its changes
    uint64_t m_sampleEnd;           //!< payload acknowledged up to which there is no update, bytes
    uint32_t m_calmUpdates{0};      //!< updates in a row that found no gradient above 0
};

TypeId
RdmaTimely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaTimely")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaTimely>()
            .AddAttribute("LowDelay",
                          "Queueing delay beyond the base RTT below which the rate always grows; 0 "
                          "= T_low is the base RTT. "
                          "The default is the paper's T_low of 50 us less its base RTT of 20 us.",
                          TimeValue(MicroSeconds(30)),
                          MakeTimeAccessor(&RdmaTimely::m_lowDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HighDelay",
                          "Queueing delay beyond the base RTT above which the rate always shrinks, "
                          "at least LowDelay. The default is the paper's T_high of 500 us less its "
                          "base RTT of 20 us.",
                          TimeValue(MicroSeconds(480)),
                          MakeTimeAccessor(&RdmaTimely::m_highDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRtt",
                          "D_minRTT, by which changes of the RTT are divided; 0 = the base RTT of "
                          "the path. The default is the constant of the paper (section 5: about "
                          "20 us) and of the simulator published with HPCC.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&RdmaTimely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Delta",
                          "Additive increase per update, share of the line rate; 0 = the rate "
                          "never grows. The default is "
                          "the paper's 10 Mb/s at its 10 Gb/s.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaTimely::m_delta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "Weight of a decrease, 0 to 1; 0 = the rate never shrinks. The default "
                          "is the paper's.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaTimely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Alpha",
                          "Weight of the last change of the RTT in the moving average; 0 = changes "
                          "do not count; 1 = no "
                          "average. The default is that of Y. Zhu et al., \"ECN or delay: lessons "
                          "learnt from analysis of DCQCN and TIMELY\", CoNEXT 2016.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&RdmaTimely::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("HyperactiveAfter",
                          "Updates in a row without a rise of the RTT that make the increase "
                          "hyperactive. The default is the paper's.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaTimely::m_hyperactiveAfter),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperactiveFactor",
                          "How many times Delta a hyperactive increase is; 1 = never hyperactive. "
                          "The default is the paper's.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaTimely::m_hyperactiveFactor),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SegmentBytes",
                          "Payload acknowledged between updates, bytes; 0 = one round trip's: what "
                          "was sent by the last update is acknowledged, as in the simulator "
                          "published with HPCC; 1 = every acknowledgement is an update. The "
                          "default is the largest of the paper's segments of 16 to 64 KB.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&RdmaTimely::m_segmentBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MinRate",
                          "Lowest rate, share of the line rate, above 0. The paper gives none; the "
                          "default is "
                          "10 Mb/s at its 10 Gb/s, one step of Delta.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaTimely::m_minRate),
                          MakeDoubleChecker<double>(1e-6, 1));
    return tid;
}

RdmaTimely::RdmaTimely()
{
    NS_LOG_FUNCTION(this);
}

RdmaTimely::~RdmaTimely()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaTimely::CheckParameters() const
{
    if (m_highDelay < m_lowDelay)
    {
        std::ostringstream expected;
        expected << "at least LowDelay, " << m_lowDelay.As(Time::US);
        std::ostringstream found;
        found << m_highDelay.As(Time::US);
        SourceLocation where;
        where.source = "ns3::RdmaTimely::HighDelay";
        throw WorkloadError(where, expected.str(), found.str());
    }
}

std::string
RdmaTimely::GetFluidUnsupportedReason() const
{
    return "it goes by the difference of one round trip to the next, which is lost in the mean";
}

std::unique_ptr<RdmaRateControl>
RdmaTimely::Create(const RdmaPath& path) const
{
    NS_ASSERT_MSG(path.lineRate.GetBitRate() > 0, "a queue pair needs a port with a rate");
    NS_ASSERT_MSG(path.baseRtt.IsStrictlyPositive(), "the gradient is relative to the base RTT");
    return std::make_unique<Control>(this, path);
}

} // namespace ns3
