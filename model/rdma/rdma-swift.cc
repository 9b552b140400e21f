/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-swift.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSwift");

NS_STRATEGY_ENSURE_REGISTERED(RdmaSwift, "swift", "a target of the round trip", 3);

/// @brief The sender's side of one queue pair. Times are in time steps, windows in packets.
class RdmaSwift::Control : public RdmaRateControl
{
  public:
    /**
     * @param swift the parameters
     * @param path the path
     */
    Control(Ptr<const RdmaSwift> swift, const RdmaPath& path)
        : m_swift(swift),
          m_lineRate(static_cast<double>(path.lineRate.GetBitRate())),
          m_baseRtt(static_cast<double>(path.baseRtt.GetTimeStep())),
          m_bitsPerPacket(8.0 * path.mtu),
          m_stepsPerSecond(static_cast<double>(Seconds(1).GetTimeStep())),
          m_rtt(m_baseRtt)
    {
        SetWindow(GetLineWindow(m_baseRtt));
    }

    double GetRate(Time now [[maybe_unused]]) override
    {
        return m_rate;
    }

    uint64_t GetWindow() const override
    {
        return static_cast<uint64_t>(std::max(m_cwnd, 1.0) * m_bitsPerPacket / 8);
    }

    void AckReceived(const RdmaAck& ack) override
    {
        const auto rtt = static_cast<double>(ack.rtt.GetTimeStep());
        // Smoothed as in TCP (RFC 6298): the weight of a sample is 1/8.
        m_rtt += (rtt - m_rtt) / 8;
        m_timeouts = 0;
        const double target = m_baseRtt + m_swift->GetAllowance(m_cwnd);
        if (rtt < target)
        {
            const double packets = static_cast<double>(ack.bytes) * 8 / m_bitsPerPacket;
            // Below one packet per round trip each acknowledgement counts in full (Swift, algorithm
            // 1).
            SetWindow(m_cwnd + m_swift->m_additiveIncrease * packets / std::max(m_cwnd, 1.0));
        }
        else if (MayDecrease(ack.now))
        {
            // In proportion to how far the round trip is above its target.
            const double decrease = m_swift->m_beta * (rtt - target) / rtt;
            Decrease(ack.now, std::min(decrease, m_swift->m_maxDecrease));
        }
        else
        {
            // The rate follows the smoothed round trip, though the window stays.
            SetWindow(m_cwnd);
        }
    }

    void TimedOut(Time now) override
    {
        ++m_timeouts;
        if (m_timeouts >= m_swift->m_resetTimeouts)
        {
            // After so many timeouts in a row only the smallest window is left.
            Decrease(now, 1);
        }
        else if (MayDecrease(now))
        {
            Decrease(now, m_swift->m_maxDecrease);
        }
    }

  private:
    /**
     * @param duration a time
     * @return packets that a sender at line rate sends in that time
     */
    double GetLineWindow(double duration) const
    {
        return m_lineRate * duration / m_stepsPerSecond / m_bitsPerPacket;
    }

    /**
     * @param now the time
     * @return whether the last decrease is a round trip ago
     */
    bool MayDecrease(Time now) const
    {
        return !m_hasDecreased ||
               // Once a round trip: until then acknowledgements are about the time before the
               // decrease.
               static_cast<double>((now - m_lastDecrease).GetTimeStep()) >= m_rtt;
    }

    /**
     * @param now the time
     * @param share what the window is to lose of itself, 0 to 1
     */
    void Decrease(Time now, double share)
    {
        SetWindow(m_cwnd * (1 - share));
        m_lastDecrease = now;
        m_hasDecreased = true;
    }

    /**
     * Set the window within its bounds, and the rate.
     *
     * @param cwnd window
     */
    void SetWindow(double cwnd)
    {
        const double smallest = m_swift->m_minWindow;
        // More than the line carries in the longest target round trip would only queue.
        const double largest = GetLineWindow(m_baseRtt + m_swift->GetAllowance(smallest));
        m_cwnd = std::max(smallest, std::min(cwnd, largest));
        m_rate = std::min(m_lineRate, m_cwnd * m_bitsPerPacket * m_stepsPerSecond / m_rtt);
    }

    Ptr<const RdmaSwift> m_swift; //!< the parameters
    double m_lineRate;            //!< line rate, bit/s
    double m_baseRtt;             //!< base round trip
    double m_bitsPerPacket;       //!< payload of a full packet, bits
    double m_stepsPerSecond;      //!< time steps of a second
    double m_rtt;                 //!< smoothed round-trip time
    double m_cwnd{0};             //!< window
    double m_rate{0};             //!< rate, bit/s
    Time m_lastDecrease;          //!< when the window last shrank, if it has
    uint32_t m_timeouts{0};       //!< timeouts in a row
    bool m_hasDecreased{false};   //!< whether the window has ever shrunk
};

TypeId
RdmaSwift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSwift")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaSwift>()
            .AddAttribute(
                "BaseTarget",
                "Queueing delay beyond the base RTT that is always allowed; 0 = none. The paper's "
                "base target includes the RTT of one hop; the default takes 10 us for "
                "that off the 20 us of the simulator htsim.",
                TimeValue(MicroSeconds(10)),
                MakeTimeAccessor(&RdmaSwift::m_baseTarget),
                MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingRange",
                          "fs_range, queueing delay allowed beyond BaseTarget to the smallest "
                          "windows; 0 = no flow scaling. The default is five times BaseTarget, as "
                          "in htsim; the paper gives no value.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaSwift::m_scalingRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingMinWindow",
                          "fs_min_cwnd, window up to which the whole FlowScalingRange is allowed, "
                          "packets. The default is that of htsim.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RdmaSwift::m_scalingMin),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FlowScalingMaxWindow",
                          "fs_max_cwnd, window from which none of FlowScalingRange is allowed, "
                          "packets, above FlowScalingMinWindow. The default is that of "
                          "htsim.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&RdmaSwift::m_scalingMax),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("AdditiveIncrease",
                          "ai, growth of the window per round trip, packets; 0 = it never grows. "
                          "The default is that "
                          "of htsim; the paper gives no value.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwift::m_additiveIncrease),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Beta",
                          "Weight of a decrease, 0 to 1; 0 = delay decreases nothing. The default "
                          "is that of htsim; the paper gives no "
                          "value.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaSwift::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "max_mdf, largest decrease at once, share of the window, 0 to 1; 0 = it "
                          "never shrinks. The default is "
                          "that of htsim; the paper gives no value.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSwift::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MinWindow",
                          "Smallest window, packets, above 0 and up to 1. The paper gives no "
                          "value; the default lets a thousand queue pairs share a packet per "
                          "round trip.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaSwift::m_minWindow),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("ResetTimeouts",
                          "RETX_RESET_THRESHOLD, retransmission timeouts in a row from which on "
                          "the window is the smallest. The default is that of htsim; the paper "
                          "gives no value.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaSwift::m_resetTimeouts),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RdmaSwift::RdmaSwift()
{
    NS_LOG_FUNCTION(this);
}

RdmaSwift::~RdmaSwift()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaSwift::CheckParameters() const
{
    if (m_scalingMax <= m_scalingMin)
    {
        std::ostringstream expected;
        expected << "more than FlowScalingMinWindow, " << m_scalingMin << " packets";
        std::ostringstream found;
        found << m_scalingMax << " packets";
        SourceLocation where;
        where.source = "ns3::RdmaSwift::FlowScalingMaxWindow";
        throw WorkloadError(where, expected.str(), found.str());
    }
}

std::unique_ptr<RdmaRateControl>
RdmaSwift::Create(const RdmaPath& path) const
{
    NS_ASSERT_MSG(path.lineRate.GetBitRate() > 0, "a queue pair needs a port with a rate");
    NS_ASSERT_MSG(path.baseRtt.IsStrictlyPositive(), "the target is relative to the base RTT");
    NS_ASSERT_MSG(path.mtu > 0, "the window counts packets");
    return std::make_unique<Control>(this, path);
}

double
RdmaSwift::GetAllowance(double cwnd) const
{
    // Flow-based scaling: small windows mean many flows, whose queue grows with their square root
    // (Swift, section 3.1).
    const double lowest = 1 / std::sqrt(m_scalingMax);
    const double highest = 1 / std::sqrt(m_scalingMin);
    const double share = std::clamp((1 / std::sqrt(cwnd) - lowest) / (highest - lowest), 0.0, 1.0);
    return static_cast<double>(m_baseTarget.GetTimeStep()) +
           share * static_cast<double>(m_scalingRange.GetTimeStep());
}

bool
RdmaSwift::NeedsEveryAck() const
{
    // The window may shrink to a packet, or to less than what is under way.
    return true;
}

} // namespace ns3
