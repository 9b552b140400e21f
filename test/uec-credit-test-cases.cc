/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-test-case.h"
#include "uec-test-cases.h"

#include "ns3/config.h"
#include "ns3/string.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Messages to one host, whose credit goes to all in turn or to the shortest first.
 *
 * A credit lets packets come at 0.99 of the rate, 400 / 0.99 ns each. What comes beside that are
 * first windows: 1.5 round trips of 8 us on wires, four packets and as many short ones, which are
 * 36 packets of each sender.
 */
class UecGrantTestCase : public UecTestCase
{
  public:
    using UecTestCase::UecTestCase;

  protected:
    /**
     * Packets that others get in between: the first windows of two, those of two round trips of 24
     * packets, and what a window of 36 does not use while the queue is longer than the other half
     * of a round trip. That queue begins with 24 packets, where packets are trimmed, and loses one
     * of each hundred: for 1200 packets a quarter goes to others at first, and nothing at last.
     */
    static constexpr double SLACK = 2 * 36 + 2 * 24 + 1200 * 0.25 / 2;

    /**
     * Make two leaves of four hosts.
     *
     * @param order RdmaRccc::GrantOrder
     */
    void InstallGrants(const std::string& order)
    {
        Shape shape;
        shape.hostsPerLeaf = 4;
        Build(shape);
        Config::SetDefault("ns3::RdmaRccc::GrantOrder", StringValue(order));
        InstallUec("Rccc");
        Config::SetDefault("ns3::RdmaRccc::GrantOrder", StringValue("round-robin"));
    }

    /**
     * @param packets packets that are granted before a message has come
     * @param taken what it took
     * @param more packets that it may take longer
     */
    void ExpectGranted(double packets, Time taken, double more = SLACK)
    {
        const double took = taken.GetNanoSeconds() * 0.99 / 400;
        NS_TEST_EXPECT_MSG_GT(took, packets * 0.99, "no sooner than the wire has brought them");
        NS_TEST_EXPECT_MSG_LT(took, packets + more, "as soon as they are granted");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Three messages of one, two and four parts to one host. In turn they have a third each: the
 * shortest takes three parts, the next has one part left and half of the link, so that it takes
 * five. Shortest first, they take one, three and seven (the example of every text on shortest
 * remaining time first; Homa, SIGCOMM 2018, section 2.2).
 */
class UecGrantOrderTestCase : public UecGrantTestCase
{
  public:
    /**
     * @param order RdmaRccc::GrantOrder
     * @param parts parts after which each message is expected to have come
     */
    UecGrantOrderTestCase(const std::string& order, const std::vector<uint32_t>& parts)
        : UecGrantTestCase("uec: three messages to a host, " + order),
          m_order(order),
          m_parts(parts)
    {
    }

  private:
    void DoRun() override
    {
        InstallGrants(m_order);
        const uint64_t part = 2000;
        // The longest is first in the host's queue.
        Post(Time(0), 5, 0, 4 * part * PAYLOAD);
        Post(Time(0), 6, 0, 2 * part * PAYLOAD);
        Post(Time(0), 7, 0, part * PAYLOAD);
        Simulator::Run();
        ExpectAllDelivered();
        for (std::size_t i = 0; i < m_parts.size(); ++i)
        {
            ExpectGranted(static_cast<double>(m_parts[i] * part), m_fates[i].arrivedAt);
        }
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "no packet is lost");
    }

    std::string m_order;           //!< RdmaRccc::GrantOrder
    std::vector<uint32_t> m_parts; //!< parts after which they have come, the longest first
};

/**
 * @ingroup workload-replay-tests
 * @brief A message of which a quarter is missing goes before one half as long, of which all is.
 */
class UecGrantRemainingTestCase : public UecGrantTestCase
{
  public:
    UecGrantRemainingTestCase()
        : UecGrantTestCase("uec: what is nearly there goes before what is shorter")
    {
    }

  private:
    void DoRun() override
    {
        InstallGrants("shortest-remaining");
        Post(Time(0), 5, 0, 2000 * PAYLOAD);
        Post(NanoSeconds(1500 * 400), 6, 0, 1000 * PAYLOAD);
        Simulator::Run();
        ExpectAllDelivered();
        ExpectGranted(2000, m_fates[0].arrivedAt);
        ExpectGranted(3000, m_fates[1].arrivedAt);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A short message overtakes a long one in its midst, while an uplink of both fails and comes
 * back: nothing is lost for good, and the long one ends after the sum.
 */
class UecGrantFailureTestCase : public UecGrantTestCase
{
  public:
    UecGrantFailureTestCase()
        : UecGrantTestCase("uec: a short message overtakes, an uplink fails and comes back")
    {
    }

  private:
    void DoRun() override
    {
        InstallGrants("shortest-remaining");
        const Time later = MicroSeconds(400);
        Post(Time(0), 5, 0, 4000 * PAYLOAD);
        // A second message of the queue pair, whose end is further away, counts with the first.
        Post(Time(0), 5, 0, 1000 * PAYLOAD);
        Post(later, 6, 0, 1000 * PAYLOAD);
        RunUntil(MicroSeconds(500));
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(1, 0), false);
        RunUntil(MicroSeconds(600));
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(1, 0), true);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "some packets were on their way");
        // What is lost is missed after a timeout of 100 us, 250 packets.
        ExpectGranted(1000, m_fates[2].arrivedAt - later, SLACK + 300);
        ExpectGranted(6000, m_fates[1].arrivedAt, SLACK + 300);
        NS_TEST_EXPECT_MSG_GT(m_fates[0].arrivedAt, m_fates[2].arrivedAt, "the long one waits");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages that a queue pair is given while others of it are on their way.
 */
class UecGrantNextTestCase : public UecGrantTestCase
{
  public:
    UecGrantNextTestCase()
        : UecGrantTestCase("uec: what is posted while nothing more is granted")
    {
    }

  private:
    void DoRun() override
    {
        InstallGrants("round-robin");
        // One without payload, such as says that a member of a ring may send; before it is
        // acknowledged a packet, and before that is, more than a first window of 36 packets.
        Post(Time(0), 5, 0, 0);
        Post(MicroSeconds(1), 5, 0, PAYLOAD);
        Post(MicroSeconds(2), 5, 0, 200 * PAYLOAD);
        Simulator::Run();
        ExpectAllDelivered();
        const auto alone = m_fates[0].arrivedAt;
        // A packet of 4096 bytes takes 400 ns more than one without, on each of four links.
        NS_TEST_EXPECT_MSG_LT(m_fates[1].arrivedAt,
                              MicroSeconds(1) + alone + NanoSeconds(4 * 400),
                              "part of the first window");
        // All at the rate of the wire, and a round trip of 8 us until what was asked for is
        // granted.
        NS_TEST_EXPECT_MSG_LT(m_fates[2].arrivedAt,
                              MicroSeconds(2 + 8) + alone + NanoSeconds(204 * 400 / 99 * 100),
                              "asked for at once");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages of one byte more than each number of packets around the first window: whatever
 * the last grant leaves, if only that byte, is granted too.
 */
class UecGrantLastByteTestCase : public UecGrantTestCase
{
  public:
    UecGrantLastByteTestCase()
        : UecGrantTestCase("uec: a last byte is granted")
    {
    }

  private:
    void DoRun() override
    {
        InstallGrants("round-robin");
        const uint32_t least = 30;
        const uint32_t count = 40;
        const Time apart = MilliSeconds(1);
        for (uint32_t i = 0; i < count; ++i)
        {
            Post(i * apart, 5, 0, (least + i) * PAYLOAD + 1);
        }
        Simulator::Run();
        ExpectAllDelivered();
        for (uint32_t i = 0; i < count; ++i)
        {
            // A grant that is asked for on the way comes within two round trips of 24 packets.
            ExpectGranted(least + i, m_fates[i].arrivedAt - i * apart, 2 * 24 + 1);
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeUecCreditTestCases()
{
    return {new UecGrantLastByteTestCase,
            new UecGrantOrderTestCase("round-robin", {7, 5, 3}),
            new UecGrantNextTestCase,
            new UecGrantOrderTestCase("shortest-remaining", {7, 3, 1}),
            new UecGrantRemainingTestCase,
            new UecGrantFailureTestCase};
}

} // namespace ns3
