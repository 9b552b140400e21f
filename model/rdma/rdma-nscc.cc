/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nscc.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNscc");

NS_STRATEGY_ENSURE_REGISTERED(RdmaNscc, "nscc", "marks and round trips", 4);

namespace
{

// What follows has the names and values of htsim, uec.cpp, UecSrc::initNsccParams().

/// Bandwidth-delay product for which constants are given: 100 Gb/s, 12 us, bytes.
constexpr double REFERENCE_BDP = 100e9 / 8 * 12e-6;

/// Round trip for which they are given, seconds.
constexpr double REFERENCE_RTT = 12e-6;

/// Share of the fabric's round trip that the target is, where switches trim.
constexpr double TARGET_SHARE = 0.75;

/// Delay in targets from which on a window may adapt quickly.
constexpr double ADAPT_TARGETS = 4;

/// Packets after which what has been added up takes effect.
constexpr uint64_t ADJUST_PACKETS = 8;

/// Delay below which a window may grow fast, seconds.
constexpr double FAST_DELAY = 1e-6;

} // namespace

/// @brief The state of one queue pair. Times are seconds, sizes bytes.
class RdmaNscc::Control : public RdmaRateControl
{
  public:
    /**
     * @param parameters the parameters
     * @param path path of the queue pair
     */
    Control(const RdmaNscc* parameters, const RdmaPath& path)
        : m_parameters(parameters),
          m_rate(static_cast<double>(path.lineRate.GetBitRate())),
          m_mtu(path.mtu),
          m_baseRtt(path.baseRtt.GetSeconds()),
          m_networkRtt(path.networkRtt.GetSeconds()),
          m_maxWindow(parameters->m_maxWindow * m_rate / 8 * m_baseRtt),
          m_window(m_maxWindow)
    {
        const Time target = parameters->m_target;
        m_target = target.IsZero() ? TARGET_SHARE * m_networkRtt : target.GetSeconds();
        m_scale = m_rate / 8 * m_networkRtt / REFERENCE_BDP;
        // In htsim's order of operations, though the target cancels out, so that rounding is the
        // same.
        m_proportional = 4.0 * m_mtu * m_scale * (m_target / REFERENCE_RTT) / m_target;
        SetWindow(m_window);
    }

    double GetRate(Time now [[maybe_unused]]) override
    {
        return m_rate;
    }

    uint64_t GetWindow() const override
    {
        return static_cast<uint64_t>(std::llround(m_window));
    }

    void AckReceived(const RdmaAck& ack) override
    {
        const double now = ack.now.GetSeconds();
        const double delay = std::max(ack.rtt.GetSeconds() - m_baseRtt, 0.0);
        const auto bytes = static_cast<double>(ack.bytes);
        AverageDelay(delay, ack.marked);
        m_achieved += bytes;
        m_sinceAdjusted += bytes;
        m_ignored += bytes;
        const auto inFlight = static_cast<double>(ack.sent - ack.acknowledged);
        if (AdaptQuickly(now, delay, ack.marked, false, inFlight))
        {
            return;
        }
        // By mark and delay: fair increase, proportional increase, decrease; what is marked but
        // early changes nothing (htsim, uec.cpp).
        if (!ack.marked && delay >= m_target)
        {
            m_growth += 5 * m_mtu * m_scale * bytes;
        }
        else if (!ack.marked)
        {
            GrowByDelay(bytes, delay);
        }
        else if (delay >= m_target)
        {
            Decrease(now);
        }
        SetWindow(m_window);
        if (m_sinceAdjusted > static_cast<double>(ADJUST_PACKETS) * m_mtu ||
            now - m_adjustedAt > m_networkRtt)
        {
            Adjust(now);
        }
    }

    void PacketTrimmed(Time now, uint64_t bytes, uint64_t inFlight) override
    {
        const auto lost = static_cast<double>(bytes);
        m_ignored += lost;
        // It has met a queue that takes the fabric's round trip to drain.
        AverageDelay(m_networkRtt, true);
        // Allows a quick adaptation at the end of this round.
        m_mayAdapt = true;
        if (!AdaptQuickly(now.GetSeconds(), 0, true, true, static_cast<double>(inFlight)) &&
            !m_parameters->m_usesCredits)
        {
            SetWindow(m_window - lost);
        }
    }

    void TimedOut(Time now [[maybe_unused]]) override
    {
        SetWindow(m_mtu);
    }

  private:
    /**
     * @param window window, to be kept within its bounds
     */
    void SetWindow(double window)
    {
        m_window = std::max(m_mtu, std::min(window, m_maxWindow));
    }

    /**
     * @param delay delay of a packet
     * @param marked whether it was marked
     */
    void AverageDelay(double delay, bool marked)
    {
        // A packet that was late and not marked has waited where nobody marks.
        const double sample = !marked && delay > m_target ? m_baseRtt / 4 : delay;
        const double weight = m_parameters->m_averaging;
        m_averageDelay = weight * sample + (1 - weight) * m_averageDelay;
    }

    /**
     * Let the window fall to what has come through, if that is far too little.
     *
     * @param now the time
     * @param delay delay of the packet that reports it
     * @param marked whether it was marked
     * @param isLoss whether it was trimmed
     * @param inFlight payload in flight, which belongs to the time before
     * @return whether nothing else is to be done
     */
    bool AdaptQuickly(double now, double delay, bool marked, bool isLoss, double inFlight)
    {
        // Marks on what was on its way when the window fell are old news.
        bool isDone = m_ignored < m_toIgnore && marked;
        if (!isDone && now > m_roundEnd)
        {
            const double little =
                // Bytes in a round below which the path is taken to be congested.
                m_maxWindow / static_cast<double>(1U << m_parameters->m_adaptShift);
            const bool isBad = m_mayAdapt || isLoss || delay > ADAPT_TARGETS * m_target;
            if (m_roundEnd > 0 && isBad && m_achieved < little)
            {
                // What arrived in the round is what the path carries.
                SetWindow(m_achieved);
                m_toIgnore = inFlight;
                m_ignored = 0;
                m_mayAdapt = false;
                isDone = true;
            }
            m_achieved = 0;
            m_roundEnd = now + m_baseRtt + m_target;
        }
        if (isDone)
        {
            // What was added up belongs to the window before.
            m_growth = 0;
            m_sinceAdjusted = 0;
        }
        return isDone;
    }

    /**
     * @param bytes payload acknowledged, unmarked
     * @param delay its delay, below the target
     */
    void GrowByDelay(double bytes, double delay)
    {
        m_undelayed = delay < FAST_DELAY ? m_undelayed + bytes : 0;
        // A whole window in a row without delay: the path has room.
        m_growsFast = delay < FAST_DELAY && (m_growsFast || m_undelayed > m_window);
        if (m_growsFast)
        {
            m_window += bytes * 0.25 * m_scale;
        }
        else
        {
            m_growth += m_proportional * bytes * (m_target - delay);
        }
    }

    /**
     * @param now the time
     */
    void Decrease(double now)
    {
        m_growsFast = false;
        m_undelayed = 0;
        if (m_averageDelay > m_target && now - m_decreasedAt > m_baseRtt)
        {
            const double excess = (m_averageDelay - m_target) / m_averageDelay;
            // At most half, and once a round trip.
            m_window *= std::max(1 - m_parameters->m_decrease * excess, 0.5);
            m_decreasedAt = now;
        }
    }

    /**
     * @param now the time
     */
    void Adjust(double now)
    {
        // Growth was added up per byte; over a window it is as much per round trip.
        double window = m_window + m_growth / m_window;
        if (now - m_adjustedAt >= m_networkRtt)
        {
            // Fairness: all queue pairs get the same once a round trip, whatever their windows.
            window += 0.15 * m_mtu * m_scale;
            m_adjustedAt = now;
        }
        SetWindow(window);
        m_growth = 0;
        m_sinceAdjusted = 0;
    }

    Ptr<const RdmaNscc> m_parameters; //!< the parameters
    double m_rate;                    //!< line rate, bit/s
    double m_mtu;                     //!< payload of a full packet
    double m_baseRtt;                 //!< round trip of the path without queues
    double m_networkRtt;              //!< the longest one of the fabric
    double m_maxWindow;               //!< largest window
    double m_window;                  //!< the window
    double m_target{0};               //!< delay that is aimed at
    double m_scale{1};                //!< bandwidth-delay product over that of the reference
    double m_proportional{0};         //!< alpha, growth by byte and second below the target
    double m_averageDelay{0};         //!< average delay
    double m_growth{0};               //!< growth to come, times the window
    double m_sinceAdjusted{0};        //!< payload acknowledged since growth took effect
    double m_adjustedAt{0};           //!< when the window last grew by what all get
    double m_decreasedAt{-1};         //!< when it last shrank; negative = never
    double m_undelayed{0};            //!< payload in a row with hardly any delay
    double m_achieved{0};             //!< payload acknowledged in this round
    double m_roundEnd{0};             //!< end of this round; 0 = there is none yet
    double m_toIgnore{0};             //!< payload that was on its way when the window fell
    double m_ignored{0};              //!< payload heard of since
    bool m_growsFast{false};          //!< hardly any delay for a window
    bool m_mayAdapt{false};           //!< a packet was trimmed
};

TypeId
RdmaNscc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNscc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaNscc>()
            .AddAttribute("TargetDelay",
                          "Delay by queues that is aimed at. 0 = 3/4 of the longest round trip of "
                          "the fabric, as htsim has it where switches trim (uec.cpp).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNscc::m_target),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxWindow",
                          "Largest window, and the first, in bandwidth-delay products of the path. "
                          "The default is that of htsim (uec.cpp, initNscc).",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&RdmaNscc::m_maxWindow),
                          MakeDoubleChecker<double>(0.01))
            .AddAttribute("DecreaseWeight",
                          "Weight of a decrease, 0 to 1; 0 = delay decreases nothing. The default "
                          "is that of htsim (uec.cpp, _gamma).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaNscc::m_decrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("DelayWeight",
                          "Weight of a new delay in their average, above 0 and up to 1. The "
                          "default is that of htsim (uec.cpp, _delay_alpha).",
                          DoubleValue(0.0125),
                          MakeDoubleAccessor(&RdmaNscc::m_averaging),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("QuickAdaptShift",
                          "A window adapts quickly if less than the largest window / 2^this came "
                          "through in a round. The default is that of htsim (uec.cpp, _qa_gate).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNscc::m_adaptShift),
                          MakeUintegerChecker<uint32_t>(0, 30))
            .AddAttribute("ReceiverCredits",
                          "Whether receivers grant credit besides (RCCC), so that senders keep "
                          "within both. Off in htsim by default.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaNscc::m_usesCredits),
                          MakeBooleanChecker());
    return tid;
}

RdmaNscc::RdmaNscc()
{
    NS_LOG_FUNCTION(this);
}

RdmaNscc::~RdmaNscc()
{
    NS_LOG_FUNCTION(this);
}

std::unique_ptr<RdmaRateControl>
RdmaNscc::Create(const RdmaPath& path) const
{
    return std::make_unique<Control>(this, path);
}

bool
RdmaNscc::NeedsNetworkRtt() const
{
    return true;
}

bool
RdmaNscc::NeedsEveryAck() const
{
    return true;
}

bool
RdmaNscc::UsesCredits() const
{
    return m_usesCredits;
}

} // namespace ns3
