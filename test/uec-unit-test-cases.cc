/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-test-cases.h"

#include "ns3/rdma-nscc.h"
#include "ns3/rdma-path-selector.h"

#include <cstdint>
#include <set>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief REPS by hand: what comes back unmarked is used once, in order, the last eight of it; after
 * a loss it is used over and over.
 */
class RepsTestCase : public TestCase
{
  public:
    RepsTestCase()
        : TestCase("uec: entropy values are recycled, and frozen after a loss")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t values = 16384;
        const auto reps = RdmaPathSelector::Create(RdmaPathSelector::REPS, values, 1);
        std::set<uint16_t> drawn;
        for (int packet = 0; packet < 100; ++packet)
        {
            drawn.insert(reps->Choose());
        }
        // A hundred of 16384 values: one pair is alike with a chance of a quarter.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(drawn.size(), 97, "without feedback all are drawn");

        reps->Note(5, RdmaPathSelector::GOOD, 0);
        reps->Note(6, RdmaPathSelector::MARKED, 0);
        reps->Note(8, RdmaPathSelector::TRIMMED, 0);
        reps->Note(7, RdmaPathSelector::GOOD, 0);
        NS_TEST_EXPECT_MSG_EQ(reps->Choose(), 5, "the first that came back");
        NS_TEST_EXPECT_MSG_EQ(reps->Choose(), 7, "the next, without those that met congestion");

        for (uint16_t value = 1; value <= 9; ++value)
        {
            reps->Note(value, RdmaPathSelector::GOOD, 0);
        }
        for (uint16_t value = 2; value <= 9; ++value)
        {
            NS_TEST_EXPECT_MSG_EQ(reps->Choose(), value, "the last eight of nine");
        }

        const int64_t lostAt = 1000;
        reps->Note(1, RdmaPathSelector::LOST, lostAt);
        // The ring holds 9 where 1 stood, the first place that nine values overwrite.
        const std::vector<uint16_t> ring = GetRing(*reps);
        NS_TEST_EXPECT_MSG_EQ((std::set<uint16_t>(ring.begin(), ring.end()) ==
                               std::set<uint16_t>{2, 3, 4, 5, 6, 7, 8, 9}),
                              true,
                              "frozen, used ones are used again");
        NS_TEST_EXPECT_MSG_EQ((GetRing(*reps) == ring), true, "over and over");

        const int64_t thawedAt = lostAt + MilliSeconds(10).GetTimeStep() + 1;
        reps->Note(77, RdmaPathSelector::GOOD, thawedAt);
        uint32_t known = 0;
        for (int packet = 0; packet < 16; ++packet)
        {
            known += reps->Choose() == 77 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(known, 0, "after 10 ms 16 packets explore");
        NS_TEST_EXPECT_MSG_EQ(reps->Choose(), 77, "then what has come back is used");
        CheckSingle();
    }

    /// Who knows one value that works has no other one while the ring is frozen.
    void CheckSingle()
    {
        const auto reps = RdmaPathSelector::Create(RdmaPathSelector::REPS, 16384, 1);
        reps->Note(5, RdmaPathSelector::GOOD, 0);
        reps->Note(6, RdmaPathSelector::LOST, 0);
        NS_TEST_EXPECT_MSG_EQ((GetRing(*reps) == std::vector<uint16_t>(8, 5)), true, "one value");
    }

    /**
     * @param reps a selector that is frozen
     * @return the next eight values
     */
    static std::vector<uint16_t> GetRing(RdmaPathSelector& reps)
    {
        std::vector<uint16_t> values;
        values.reserve(8);
        for (int place = 0; place < 8; ++place)
        {
            values.push_back(reps.Choose());
        }
        return values;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The window of NSCC by hand, at 100 Gb/s and a round trip of 12 us, where all constants of
 * the reference are those of its comments: a bandwidth-delay product of 150000 bytes.
 */
class NsccTestCase : public TestCase
{
  public:
    NsccTestCase()
        : TestCase("uec: the window of NSCC by its equations")
    {
    }

  private:
    void DoRun() override
    {
        RdmaPath path;
        path.lineRate = DataRate("100Gbps");
        path.baseRtt = MicroSeconds(12);
        path.networkRtt = MicroSeconds(12);
        path.mtu = 4000;
        const auto parameters = CreateObject<RdmaNscc>();
        auto control = parameters->Create(path);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), 225000, "1.5 bandwidth-delay products");
        NS_TEST_EXPECT_MSG_EQ(control->GetRate(Time(0)), 100e9, "line rate");

        // Late and marked: the target is 9 us; a delay of 108 us, averaged with a weight of 1/80,
        // is 1.35 us, which is no reason to shrink; the sixth brings the average above the
        // target...
        uint32_t acks = 0;
        double average = 0;
        Time now = MicroSeconds(100);
        while (average <= 9)
        {
            average += (30 - average) * 0.0125;
            Acknowledge(*control, now, MicroSeconds(42), true);
            ++acks;
        }
        // ... which is after 29 of 30 us: 30 (1 - 0.9875^29) = 9.17.
        NS_TEST_EXPECT_MSG_EQ(acks, 29, "delays until the average is above the target");
        const double share = 1 - 0.8 * (average - 9) / average;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(control->GetWindow()),
                                  225000 * share,
                                  1,
                                  "smaller by 0.8 of the excess");
        const uint64_t once = control->GetWindow();
        Acknowledge(*control, now + MicroSeconds(1), MicroSeconds(42), true);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), once, "once per round trip");

        // A trimmed packet takes its size off.
        control->PacketTrimmed(now + MicroSeconds(2), 4000, 100000);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(control->GetWindow()),
                                  static_cast<double>(once) - 4000,
                                  1,
                                  "a packet less");

        // Growth below the target: alpha = 4 mtu / 12 us by byte and second; after more than
        // eight packets it takes effect, divided by the window.
        control = parameters->Create(path);
        control->PacketTrimmed(MicroSeconds(1), 100000, 0);
        const double before = 125000;
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), before, "a smaller window");
        for (int ack = 0; ack < 9; ++ack)
        {
            Acknowledge(*control, MicroSeconds(2), MicroSeconds(16), false);
        }
        const double growth = 9 * 4000 * (4.0 * 4000 / 12e-6) * 5e-6 / before;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(control->GetWindow()),
                                  before + growth,
                                  1,
                                  "by what is missing to the target");
        CheckFastGrowth(*parameters, path);
        CheckQuickAdaptation(*parameters, path);
    }

    /**
     * Without delay for more than a window, it grows by a quarter of what is acknowledged.
     *
     * @param parameters parameters
     * @param path the path
     */
    void CheckFastGrowth(const RdmaNscc& parameters, const RdmaPath& path)
    {
        const auto control = parameters.Create(path);
        control->PacketTrimmed(MicroSeconds(1), 200000, 0);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), 25000, "a small window");
        Acknowledge(*control, MicroSeconds(2), MicroSeconds(12), false, 26000);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), 25000 + 6500, "more than the window");
        Acknowledge(*control, MicroSeconds(2), MicroSeconds(12), false);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), 31500 + 1000, "and so on");
    }

    /**
     * After a packet was trimmed, the window falls to what a round has brought, if that is less
     * than an eighth of the largest window: 28125 bytes. Until then it is a packet smaller, and
     * grows by 0.15 packets in a round trip.
     *
     * @param parameters parameters
     * @param path the path
     */
    void CheckQuickAdaptation(const RdmaNscc& parameters, const RdmaPath& path)
    {
        using Case = std::pair<uint64_t, uint64_t>;
        for (const auto& [bytes, window] : {Case(14000, 28000), Case(14100, 221600)})
        {
            const auto control = parameters.Create(path);
            // A round takes the 12 us of the path and the 9 us of the target, from here on.
            Acknowledge(*control, MicroSeconds(100), MicroSeconds(42), true);
            control->PacketTrimmed(MicroSeconds(101), 4000, 100000);
            Acknowledge(*control, MicroSeconds(120), MicroSeconds(42), true, bytes);
            NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), 221600, "within the round");
            Acknowledge(*control, MicroSeconds(122), MicroSeconds(42), true, bytes);
            NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), window, "after a round of two " << bytes);
        }
    }

    /**
     * @param control a window
     * @param now the time
     * @param rtt round trip of the packet
     * @param marked whether it was marked
     * @param bytes its payload
     */
    static void Acknowledge(RdmaRateControl& control,
                            Time now,
                            Time rtt,
                            bool marked,
                            uint64_t bytes = 4000)
    {
        RdmaAck ack;
        ack.now = now;
        ack.rtt = rtt;
        ack.bytes = bytes;
        ack.marked = marked;
        control.AckReceived(ack);
    }
};

} // namespace

std::vector<TestCase*>
MakeUecUnitTestCases()
{
    return {new RepsTestCase, new NsccTestCase};
}

} // namespace ns3
