/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHpcc");

NS_STRATEGY_ENSURE_REGISTERED(RdmaHpcc, "hpcc", "telemetry of each hop", 1);

/// @brief The sender's side of one queue pair.
class RdmaHpcc::Control : public RdmaRateControl
{
  public:
    /**
     * @param hpcc the parameters
     * @param path the path
     */
    Control(Ptr<const RdmaHpcc> hpcc, const RdmaPath& path)
        : m_hpcc(hpcc),
          m_lineRate(static_cast<double>(path.lineRate.GetBitRate())),
          m_baseRtt(path.baseRtt.GetTimeStep()),
          m_stepsPerSecond(static_cast<double>(Seconds(1).GetTimeStep())),
          m_fullWindow(GetBytes(path.lineRate.GetBitRate(), m_baseRtt)),
          m_window(m_fullWindow),
          m_reference(m_fullWindow),
          m_mtu(path.mtu)
    {
    }

    double GetRate(Time now [[maybe_unused]]) override
    {
        return m_lineRate * (m_window / m_fullWindow);
    }

    uint64_t GetWindow() const override
    {
        return std::max<uint64_t>(static_cast<uint64_t>(m_window), m_mtu);
    }

    void AckReceived(const RdmaAck& ack) override
    {
        if (!ack.telemetry || ack.telemetry->count == 0)
        {
            return;
        }
        if (IsSamePath(*ack.telemetry))
        {
            Measure(*ack.telemetry);
            // The reference window changes once a round trip, so that one congestion is not
            // answered many times.
            const bool isNewRound = ack.acknowledged > m_roundEnd;
            SetWindow(isNewRound);
            m_roundEnd = isNewRound ? ack.sent : m_roundEnd;
        }
        else
        {
            // Another path: its load is not known, so neither growth nor decrease.
            m_load = 1;
        }
        m_count = ack.telemetry->count;
        std::copy_n(ack.telemetry->hops.begin(), m_count, m_hops.begin());
    }

  private:
    /// What a port has written.
    using Hop = RdmaTelemetry::Hop;

    /**
     * @param telemetry of the packet acknowledged
     * @return whether it can come from the ports that wrote the one before
     */
    bool IsSamePath(const RdmaTelemetry& telemetry) const
    {
        return telemetry.count == m_count &&
               std::equal(m_hops.begin(),
                          m_hops.begin() + m_count,
                          telemetry.hops.begin(),
                          [this](const Hop& before, const Hop& after) {
                              return IsSamePort(before, after);
                          });
    }

    /**
     * @param before what a port has written
     * @param after what the port at the same place of the path has written next
     * @return whether one port can have written both
     */
    bool IsSamePort(const Hop& before, const Hop& after) const
    {
        if (after.rate != before.rate || after.at <= before.at)
        {
            return false;
        }
        // Fewer bytes than before wrap around to far too many.
        // Times are rounded, and the packet has headers: two packets are a safe margin.
        const double most = GetBytes(after.rate, after.at - before.at) + 2.0 * m_mtu;
        return static_cast<double>(after.sentBytes - before.sentBytes) <= most;
    }

    /**
     * @param rate rate of a port, bit/s
     * @param steps time steps
     * @return bytes that it sends in that time
     */
    double GetBytes(uint64_t rate, int64_t steps) const
    {
        return static_cast<double>(rate) / 8 * static_cast<double>(steps) / m_stepsPerSecond;
    }

    /**
     * Bring the load of the path up to date: MeasureInflight of the paper.
     *
     * @param telemetry of the packet acknowledged, from the same path as the one before
     */
    void Measure(const RdmaTelemetry& telemetry)
    {
        double highest = 0;
        int64_t interval = m_baseRtt;
        for (uint32_t index = 0; index < m_count; ++index)
        {
            const Hop& before = m_hops[index];
            const Hop& after = telemetry.hops[index];
            const int64_t elapsed = after.at - before.at;
            // Queue in bandwidth-delay products, and the share of the port's rate that is used.
            const double load = static_cast<double>(std::min(before.queue, after.queue)) /
                                    GetBytes(after.rate, m_baseRtt) +
                                static_cast<double>(after.sentBytes - before.sentBytes) /
                                    GetBytes(after.rate, elapsed);
            // The bottleneck alone decides.
            if (load > highest)
            {
                highest = load;
                interval = elapsed;
            }
        }
        const double weight =
            // A sample counts by the share of a round trip that it covers (HPCC, algorithm 1, line
            // 9).
            static_cast<double>(std::min(interval, m_baseRtt)) / static_cast<double>(m_baseRtt);
        m_load = (1 - weight) * m_load + weight * highest;
    }

    /**
     * Set the window by the load: ComputeWind of the paper.
     *
     * @param isNewRound whether a packet sent since the reference was last set is acknowledged
     */
    void SetWindow(bool isNewRound)
    {
        const double eta = m_hpcc->m_utilization;
        // After maxStage rounds of additive increase a multiplicative one takes what is free.
        const bool isFull = m_load >= eta || m_stage >= m_hpcc->m_maxStage;
        const double step =
            // W_AI in bytes: so many flows together fill the headroom of 1 - eta.
            std::max(m_fullWindow * (1 - eta) / m_hpcc->m_flows, m_hpcc->m_minStep * m_mtu);
        m_window = (isFull ? m_reference / (m_load / eta) : m_reference) + step;
        m_window = std::min(m_window, m_fullWindow);
        if (isNewRound)
        {
            m_stage = isFull ? 0 : m_stage + 1;
            m_reference = m_window;
        }
    }

    Ptr<const RdmaHpcc> m_hpcc; //!< the parameters
    double m_lineRate;          //!< line rate, bit/s
    int64_t m_baseRtt;          //!< T, base round trip, time steps
    double m_stepsPerSecond;    //!< time steps of a second
    double m_fullWindow;        //!< W_init, what fills the path, bytes
    double m_window;            //!< W, window, bytes
    double m_reference;         //!< W_c, window of the last round trip, bytes
    double m_load{1};           //!< U, load of the path; 1 = just full
    uint64_t m_roundEnd{0};     //!< payload sent when the reference was last set, bytes
    uint32_t m_mtu;             //!< payload of a full packet, bytes
    uint32_t m_stage{0};        //!< round trips of additive increase in a row
    uint32_t m_count{0};        //!< hops of the last telemetry; 0 = none yet
    std::array<Hop, RdmaTelemetry::MAX_HOPS> m_hops{}; //!< the last telemetry
};

TypeId
RdmaHpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHpcc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaHpcc>()
            .AddAttribute(
                "TargetUtilization",
                "eta, load of the path to aim at, 0.01 to 0.999. The default is the paper's.",
                DoubleValue(0.95),
                MakeDoubleAccessor(&RdmaHpcc::m_utilization),
                MakeDoubleChecker<double>(0.01, 0.999))
            .AddAttribute("MaxStage",
                          "Round trips of additive increase in a row, after which the window is "
                          "set by the load; 0 = it always is. The default is the paper's.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaHpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Flows",
                          "N, queue pairs expected on a link at a time: the additive increase W_AI "
                          "is line rate * base RTT * (1 - TargetUtilization) / N, the paper's rule "
                          "of thumb. The default yields the paper's 80 bytes at its 100 Gb/s and "
                          "13 us.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&RdmaHpcc::m_flows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinStep",
                          "Least additive increase W_AI, share of a full packet; 0 = none. What a "
                          "port reports is uncertain by a packet: where a path holds few of them, "
                          "smaller steps let queue pairs drift apart. The default is the paper's "
                          "80 bytes at its packets of 1000 bytes.",
                          DoubleValue(0.08),
                          MakeDoubleAccessor(&RdmaHpcc::m_minStep),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

RdmaHpcc::RdmaHpcc()
{
    NS_LOG_FUNCTION(this);
}

RdmaHpcc::~RdmaHpcc()
{
    NS_LOG_FUNCTION(this);
}

std::unique_ptr<RdmaRateControl>
RdmaHpcc::Create(const RdmaPath& path) const
{
    NS_ASSERT_MSG(path.lineRate.GetBitRate() > 0, "a queue pair needs a port with a rate");
    NS_ASSERT_MSG(path.baseRtt.IsStrictlyPositive(), "the window is line rate x base RTT");
    return std::make_unique<Control>(this, path);
}

bool
RdmaHpcc::UsesTelemetry() const
{
    return true;
}

bool
RdmaHpcc::NeedsEveryAck() const
{
    return true;
}

std::string
RdmaHpcc::GetSprayingUnsupportedReason() const
{
    return "HPCC measures a port by two packets that have passed it";
}

} // namespace ns3
