/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rate-control-test-case.h"

#include "ns3/double.h"
#include "ns3/rdma-swift.h"
#include "ns3/rdma-timely.h"
#include "ns3/uinteger.h"

#include <cmath>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief TIMELY by hand, at the paper's 10 Gb/s and base round trip of 20 us.
 *
 * T_low = 50 us, T_high = 500 us, delta = 10 Mb/s, beta = 0.8. The moving average a of the changes
 * c becomes 0.125 a + 0.875 c.
 */
class TimelyTestCase : public RdmaRateControlTestCase
{
  public:
    TimelyTestCase()
        : RdmaRateControlTestCase("timely: thresholds, gradient, hyperactive increase")
    {
    }

  private:
    void DoRun() override
    {
        Begin(CreateObject<RdmaTimely>(), MakePath("10Gbps", MicroSeconds(20), 4000));
        Expect(10000, "line rate at the start");
        ExpectWindow(RdmaRateControl::NO_WINDOW, "none");
        Sample(40, 10000, "never above line rate");
        Sample(1000, 6000, "above T_high: 1 - 0.8 (1 - 500 / 1000) = 0.6");
        CheckSegment();
        // The changes so far are 0, +960, -960, so a = 0.125 * 840 - 840 = -735 us.
        Sample(49, 6020, "below T_low");                    // c = +9, a = -84 us
        Sample(50, 6030, "at T_low, gradient -9.625 / 20"); // c = +1, a = -9.625 us
        Sample(50, 6040, "gradient below 0, second time");  // a = -1.203125 us
        Sample(50, 6050, "third time");                     // a = -0.150390625 us
        Sample(50, 6060, "fourth time");                    // a = -0.018798828125 us
        Sample(50, 6110, "fifth time: hyperactive");        // a = -0.002349853515625 us
        Sample(50, 6160, "sixth time: hyperactive");        // a = -0.000293731689453125 us
        // c = +4: a = 3.5 - 0.000036716461181640625 us.
        const double average = 3.5 - 0.000036716461181640625;
        const double rate = 6160 * (1 - 0.8 * average / 20);
        Sample(54, rate, "gradient above 0");
        // c = -4: a is below 0 again.
        Sample(50, rate + 10, "the count of hyperactive increase has begun anew");
        Sample(500, (rate + 10) / 2, "c = +450, gradient above 19: cut by half at most");
        for (int cut = 0; cut < 20; ++cut)
        {
            Ack(Time(0), MilliSeconds(100), 65536);
        }
        Expect(10, "floor of 0.001 of the line rate");
        CheckRounds();
        CheckShortPath();
    }

    /// With segments of 0, a sample is taken when what was sent by the last one is acknowledged.
    void CheckRounds()
    {
        auto timely = CreateObject<RdmaTimely>();
        timely->SetAttribute("SegmentBytes", UintegerValue(0));
        Begin(timely, MakePath("10Gbps", MicroSeconds(20), 4000));
        Ack(Time(0), MicroSeconds(1000), 4000, 100000);
        Expect(6000, "the first acknowledgement: above T_high");
        Ack(Time(0), MicroSeconds(1000), 100000, 8000);
        Expect(6000, "the last packet sent by then");
        Ack(Time(0), MicroSeconds(1000), 4000, 4000);
        Expect(3600, "the packet after it");
    }

    /// Changes are divided by the constant, not by the base RTT, unless that is asked for.
    void CheckShortPath()
    {
        for (const auto& [constant, rate] : {std::pair(20, 8600.0), std::pair(0, 5000.0)})
        {
            auto timely = CreateObject<RdmaTimely>();
            timely->SetAttribute("MinRtt", TimeValue(MicroSeconds(constant)));
            Begin(timely, MakePath("10Gbps", MicroSeconds(5), 4000));
            Ack(Time(0), MicroSeconds(40), 65536);
            // c = 4 us: a = 3.5 us, 1 - 0.8 * 3.5 / 20 = 0.86; over 5 us it is 0.44, cut by half.
            Ack(Time(0), MicroSeconds(44), 65536);
            Expect(rate, "divided by " + std::to_string(constant));
        }
    }

    /// A sample is taken once 65,536 bytes have been acknowledged.
    void CheckSegment()
    {
        Ack(Time(0), MicroSeconds(40), 65535);
        Expect(6000, "a byte before the segment is complete");
        Ack(Time(0), MicroSeconds(40), 1);
        Expect(6010, "below T_low");
    }

    /**
     * Have a segment acknowledged.
     *
     * @param rtt round-trip time, us
     * @param rate what the rate is to be, Mb/s
     * @param what what is being looked at
     */
    void Sample(int64_t rtt, double rate, const std::string& what)
    {
        Ack(Time(0), MicroSeconds(rtt), 65536);
        Expect(rate, what);
    }

    /**
     * @param rate what the rate is to be, Mb/s
     * @param what what is being looked at
     */
    void Expect(double rate, const std::string& what)
    {
        ExpectRate(Time(0), rate * 1e6, what);
    }
};

/**
 * @ingroup workload-replay
 * @brief Swift by hand, without flow scaling: 100 Gb/s, 4000-byte packets, base round trip 10 us.
 *
 * That is 125,000 bytes or 31.25 packets of 32,000 bits; the target is 10 us + 10 us. The smoothed
 * round-trip time s becomes s + (rtt - s) / 8.
 */
class SwiftTestCase : public RdmaRateControlTestCase
{
  public:
    SwiftTestCase()
        : RdmaRateControlTestCase("swift: increase, decrease, timeouts")
    {
    }

  private:
    void DoRun() override
    {
        m_swift->SetAttribute("FlowScalingRange", TimeValue(Time(0)));
        CheckDecrease();
        CheckSmallWindow();
        CheckTimeouts();
        CheckLargestWindow();
    }

    /// Begin a queue pair.
    void BeginSwift()
    {
        Begin(m_swift, MakePath("100Gbps", MicroSeconds(10), 4000));
        Expect(31.25, 10, "the path at the start");
    }

    /**
     * @param packets what the window is to be, packets
     * @param rtt smoothed round-trip time, us
     * @param what what is being looked at
     */
    void Expect(double packets, double rtt, const std::string& what)
    {
        ExpectRate(Time(0), packets * 32000 / (rtt * 1e-6), what);
        ExpectWindow(static_cast<uint64_t>(std::max(packets, 1.0) * 4000), what);
    }

    /// Increase, decrease, and not more than once per round trip.
    void CheckDecrease()
    {
        BeginSwift();
        Ack(MicroSeconds(100), MicroSeconds(15), 4000);
        double window = 31.25 + 1 / 31.25;
        Expect(window, 10.625, "one packet acknowledged: growth of 1 / window");
        Ack(MicroSeconds(101), MicroSeconds(15), 8000);
        window += 2 / window;
        Expect(window, 11.171875, "two packets acknowledged: growth of 2 / window");

        Ack(MicroSeconds(102), MicroSeconds(25), 4000);
        window *= 0.84;
        Expect(window, 12.900390625, "1 - 0.8 (25 - 20) / 25 = 0.84");
        Ack(MicroSeconds(103), MicroSeconds(25), 4000);
        Expect(window, 14.412841796875, "not twice in a round trip");
        // s is 16 when this arrives, 102 + 16 = 118.
        Ack(MicroSeconds(117), MicroSeconds(25), 4000);
        Expect(window, 15.736236572265625, "still not");
        Ack(MicroSeconds(120), MicroSeconds(200), 4000);
        Expect(window, 38.769207000732421875, "s has grown beyond 18 us");
        Ack(MicroSeconds(200), MicroSeconds(20), 4000);
        Expect(window, 36.423056125640869, "at the target: a decrease by nothing");
        // 1 - 0.8 (200 - 20) / 200 = 0.28 is below 1 - max_mdf.
        Ack(MicroSeconds(300), MicroSeconds(200), 4000);
        Expect(window / 2, 36.423056125640869 + (200 - 36.423056125640869) / 8, "max_mdf");
    }

    /// Below one packet the rate alone is smaller, and growth is no longer by the window.
    void CheckSmallWindow()
    {
        BeginSwift();
        double smoothed = 10;
        for (int cut = 1; cut <= 6; ++cut)
        {
            Ack(MilliSeconds(cut), MicroSeconds(200), 4000);
            smoothed += (200 - smoothed) / 8;
        }
        Expect(31.25 / 64, smoothed, "below one packet");
        Ack(MilliSeconds(7), MicroSeconds(15), 4000);
        smoothed += (15 - smoothed) / 8;
        Expect(31.25 / 64 + 1, smoothed, "growth of one packet per packet");
    }

    /// Timeouts halve, the fifth in a row resets; an acknowledgement begins the count anew.
    void CheckTimeouts()
    {
        BeginSwift();
        GetControl().TimedOut(MilliSeconds(1));
        Expect(15.625, 10, "timeout 1");
        GetControl().TimedOut(MilliSeconds(1) + MicroSeconds(9));
        Expect(15.625, 10, "timeout 2, within a round trip");
        GetControl().TimedOut(MilliSeconds(3));
        GetControl().TimedOut(MilliSeconds(4));
        Expect(3.90625, 10, "timeout 4");
        Ack(MilliSeconds(5), MicroSeconds(10), 4000);
        const double window = 3.90625 + 1 / 3.90625;
        Expect(window, 10, "an acknowledgement");
        for (int count = 6; count <= 9; ++count)
        {
            GetControl().TimedOut(MilliSeconds(count));
        }
        Expect(window / 16, 10, "four timeouts after it");
        GetControl().TimedOut(MilliSeconds(10));
        Expect(0.001, 10, "the fifth in a row");
    }

    /// The window is bound by line rate times the largest target: 62.5 packets.
    void CheckLargestWindow()
    {
        BeginSwift();
        for (int count = 0; count < 1000; ++count)
        {
            Ack(MicroSeconds(count), MicroSeconds(19), 40000);
        }
        ExpectWindow(250000, "largest");
        ExpectRate(Time(0), 100e9, "never above line rate");
    }

    Ptr<RdmaSwift> m_swift{CreateObject<RdmaSwift>()}; //!< the congestion control
};

/**
 * @ingroup workload-replay
 * @brief The target of Swift by the paper's formula of flow scaling.
 *
 * a = 50 us / (1 / sqrt(0.1) - 1 / sqrt(100)), b = -a / sqrt(100); the target is base round trip +
 * 10 us + max(0, min(a / sqrt(cwnd) + b, 50 us)).
 */
class SwiftScalingTestCase : public RdmaRateControlTestCase
{
  public:
    SwiftScalingTestCase()
        : RdmaRateControlTestCase("swift: flow scaling")
    {
    }

  private:
    void DoRun() override
    {
        const double a = 50 / (1 / std::sqrt(0.1) - 0.1);
        // The window at the start is 100 Gb/s * base round trip = 3.125 packets per microsecond.
        ExpectTarget(8, 18 + a / 5 - a / 10);   // 25 packets: 19.63 us
        ExpectTarget(0.32, 10.32 + a - a / 10); // 1 packet: 25.02 us
        ExpectTarget(32, 42);                   // 100 packets: no scaling
        ExpectTarget(100, 110);                 // 312.5 packets: none
        ExpectTarget(0.032, 60.032);            // 0.1 packets: all of it
        ExpectTarget(0.016, 60.016);            // 0.05 packets: no more than all
    }

    /**
     * Check where growth ends.
     *
     * @param baseRtt base round trip, us
     * @param target the target, us
     */
    void ExpectTarget(double baseRtt, double target)
    {
        const auto path = MakePath("100Gbps", NanoSeconds(std::lround(baseRtt * 1000)), 4000);
        const double start = baseRtt * 3.125;
        for (const bool below : {true, false})
        {
            Begin(CreateObject<RdmaSwift>(), path);
            const double rtt = below ? std::floor(target * 1000 - 1e-6) : std::ceil(target * 1000);
            Ack(Seconds(1), NanoSeconds(static_cast<int64_t>(rtt)), 4000);
            const double smoothed = baseRtt + (rtt / 1000 - baseRtt) / 8;
            const double cut = 1 - 0.8 * std::max(0.0, rtt / 1000 - target) / (rtt / 1000);
            const double window = below ? start + 1 / std::max(start, 1.0) : start * cut;
            NS_TEST_EXPECT_MSG_EQ_TOL(GetControl().GetRate(Seconds(1)),
                                      std::min(100e9, window * 32000 / (smoothed * 1e-6)),
                                      1000,
                                      "rate for " << rtt << " ns of " << target << " us");
        }
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeDelayTestCases()
{
    return {new TimelyTestCase, new SwiftTestCase, new SwiftScalingTestCase};
}
