/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-unit-test-cases.h"

#include "ns3/double.h"
#include "ns3/rdma-ecn-marker.h"
#include "ns3/rdma-egress-queues.h"
#include "ns3/rdma-sequence-window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param priority priority
 * @param size size of the frame, bytes
 * @return a packet
 */
RdmaPacketPtr
MakePacket(uint8_t priority, uint32_t size)
{
    RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, size));
    packet->priority = priority;
    return packet;
}

/**
 * @ingroup workload-replay-tests
 * @brief Strict priorities: the highest first, first in first out, paused ones are passed over.
 */
class EgressStrictTestCase : public TestCase
{
  public:
    EgressStrictTestCase()
        : TestCase("egress queues: strict order, pauses")
    {
    }

  private:
    void DoRun() override
    {
        RdmaEgressQueues queues;
        NS_TEST_EXPECT_MSG_EQ((queues.Pop(RdmaEgressQueues::ALL) == nullptr), true, "empty");
        for (const uint8_t priority : {0, 3, 7, 3, 5, 0})
        {
            queues.Push(MakePacket(priority, ++m_size));
        }
        NS_TEST_EXPECT_MSG_EQ(queues.GetFilled(), 0b10101001, "priorities 0, 3, 5, 7");
        NS_TEST_EXPECT_MSG_EQ(queues.GetBytes(3), 2 + 4, "bytes of priority 3");
        NS_TEST_EXPECT_MSG_EQ(queues.GetTotalBytes(), 21, "1 + 2 + 3 + 4 + 5 + 6");
        Expect(queues, 0b01111111, 5); // priority 7 is paused
        Expect(queues, 0b00000001, 1);
        NS_TEST_EXPECT_MSG_EQ((queues.Pop(0b00100110) == nullptr), true, "all others are paused");
        Expect(queues, RdmaEgressQueues::ALL, 3);
        Expect(queues, RdmaEgressQueues::ALL, 2);
        Expect(queues, RdmaEgressQueues::ALL, 4);
        Expect(queues, RdmaEgressQueues::ALL, 6);
        NS_TEST_EXPECT_MSG_EQ(queues.GetFilled(), 0, "empty again");
        NS_TEST_EXPECT_MSG_EQ(queues.GetTotalBytes(), 0, "no bytes are left");
    }

    /**
     * @param queues the queues
     * @param allowed priorities that may send
     * @param size size of the packet to come
     */
    void Expect(RdmaEgressQueues& queues, RdmaEgressQueues::Mask allowed, uint32_t size)
    {
        const RdmaPacketPtr packet = queues.Pop(allowed);
        NS_TEST_ASSERT_MSG_EQ((packet != nullptr), true, "there is a packet");
        NS_TEST_EXPECT_MSG_EQ(packet->size, size, "order");
    }

    uint32_t m_size{0}; //!< size of the last packet, which is its number
};

/**
 * @ingroup workload-replay-tests
 * @brief Weights 3 and 1: bytes in that proportion at all times, whatever the sizes; a strict
 * priority goes before; one that is alone has everything.
 */
class EgressWeightedTestCase : public TestCase
{
  public:
    EgressWeightedTestCase()
        : TestCase("egress queues: deficit weighted round robin")
    {
    }

  private:
    void DoRun() override
    {
        m_queues.SetWeights({0, 3, 1, 0, 0, 0, 0, 0});
        // Two of each, so that no queue runs dry, which would end its turn.
        for (const uint8_t priority : {1, 2, 1, 2})
        {
            m_queues.Push(MakePacket(priority, 1000));
        }
        double farthest = 0;
        for (uint32_t sent = 0; sent < 100000; ++sent)
        {
            PopAndRefill(RdmaEgressQueues::ALL);
            const double lead = static_cast<double>(m_sent[1]) / 3 - static_cast<double>(m_sent[2]);
            farthest = std::max(farthest, std::abs(lead));
        }
        // A turn's end is missed by less than a packet, and the deficit makes up for it.
        NS_TEST_EXPECT_MSG_LT(farthest, RdmaEgressQueues::QUANTUM + 9000, "from 3:1, bytes");
        NS_TEST_EXPECT_MSG_GT(m_sent[2], 10000000, "both have sent");

        const auto before = m_sent;
        m_queues.Push(MakePacket(0, 64));
        NS_TEST_EXPECT_MSG_EQ(+m_queues.Pop(RdmaEgressQueues::ALL)->priority, 0, "strict first");
        for (uint32_t sent = 0; sent < 1000; ++sent)
        {
            PopAndRefill(1U << 2);
        }
        NS_TEST_EXPECT_MSG_EQ(m_sent[1], before[1], "priority 1 is paused");
        NS_TEST_EXPECT_MSG_GT(m_sent[2], before[2] + 1000 * 1500, "priority 2 has everything");
    }

    /**
     * Send a packet, and put another one behind it. Those of priority 1 are smaller.
     *
     * @param allowed priorities that may send
     */
    void PopAndRefill(RdmaEgressQueues::Mask allowed)
    {
        const RdmaPacketPtr packet = m_queues.Pop(allowed);
        NS_TEST_ASSERT_MSG_EQ((packet != nullptr), true, "there is a packet");
        m_sent[packet->priority] += packet->size;
        const uint32_t most = packet->priority == 1 ? 1500 : 9000;
        m_queues.Push(MakePacket(packet->priority, 64 + m_random() % (most - 63)));
    }

    RdmaEgressQueues m_queues;                                   //!< the queues
    std::array<uint64_t, RdmaEgressQueues::PRIORITIES> m_sent{}; //!< bytes, by priority
    std::mt19937 m_random{1};                                    //!< source of sizes
};

/**
 * @ingroup workload-replay-tests
 * @brief Marks: none at Kmin, in proportion up to Pmax, all from Kmax on.
 */
class EcnMarkerTestCase : public TestCase
{
  public:
    EcnMarkerTestCase()
        : TestCase("ECN marker: probability by queue length")
    {
    }

  private:
    void DoRun() override
    {
        const DataRate rate("100Gbps");
        auto marker = CreateObject<RdmaEcnMarker>();
        m_random->SetStream(1);
        marker->SetAttribute("Kmin", TimeValue(MicroSeconds(32)));
        marker->SetAttribute("Kmax", TimeValue(MicroSeconds(128)));
        marker->SetAttribute("Pmax", DoubleValue(0.2));
        // 12.5 kB per microsecond.
        NS_TEST_EXPECT_MSG_EQ(marker->GetKmin(rate), 400000, "Kmin at 100 Gb/s");
        NS_TEST_EXPECT_MSG_EQ(marker->GetKmin(DataRate("25Gbps")), 100000, "Kmin at 25 Gb/s");
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 400000, rate), 0, "none at Kmin");
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 1600000, rate), DRAWS, "all at Kmax");
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 400000, DataRate("25Gbps")), DRAWS, "Kmax at 25 Gb/s");
        for (const double share : {0.1, 0.5, 0.999})
        {
            const double probability = 0.2 * share;
            const auto queue = static_cast<uint64_t>(400000 + share * 1200000);
            const double deviation = std::sqrt(DRAWS * probability * (1 - probability));
            NS_TEST_EXPECT_MSG_EQ_TOL(Draw(marker, queue, rate),
                                      DRAWS * probability,
                                      4 * deviation,
                                      "marks at " << queue << " bytes");
        }
        marker->SetAttribute("Kmax", TimeValue(MicroSeconds(32)));
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 399999, rate), 0, "below a step");
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 400001, rate), DRAWS, "above a step");

        // The lowest number that can be drawn is below any probability but that of 0.
        marker->SetAttribute("Kmax", TimeValue(MicroSeconds(128)));
        m_random->SetAttribute("Max", DoubleValue(0));
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 400001, rate), DRAWS, "just above Kmin");
        marker->SetAttribute("Pmax", DoubleValue(0));
        NS_TEST_EXPECT_MSG_EQ(Draw(marker, 1599999, rate), 0, "never below Kmax");
    }

    /// Draws for each probability.
    static constexpr uint32_t DRAWS = 100000;

    /**
     * @param marker the marker
     * @param queue length of the queue, bytes
     * @param rate rate of the port
     * @return marks
     */
    uint32_t Draw(Ptr<RdmaEcnMarker> marker, uint64_t queue, DataRate rate)
    {
        uint32_t marks = 0;
        for (uint32_t draw = 0; draw < DRAWS; ++draw)
        {
            marks += marker->Mark(queue, rate, *m_random) ? 1 : 0;
        }
        return marks;
    }

    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< numbers
};

/**
 * @ingroup workload-replay-tests
 * @brief The window against a std::set, from a base beyond 32 bits.
 */
class SequenceWindowTestCase : public TestCase
{
  public:
    SequenceWindowTestCase()
        : TestCase("sequence window: random numbers against a set")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t base = (1ULL << 40) - 1000;
        RdmaSequenceWindow window(base);
        std::set<uint64_t> there;
        uint32_t wrong = 0;
        for (uint32_t step = 0; step < 200000; ++step)
        {
            const uint64_t number = base - 5 + m_random() % (step / 20000 % 2 == 0 ? 40 : 3000);
            const bool isThere = number < base || there.count(number) > 0;
            wrong += window.Has(number) == isThere ? 0 : 1;
            wrong += window.Add(number) == !isThere ? 0 : 1;
            if (number >= base)
            {
                there.insert(number);
            }
            if (step % 50 == 0)
            {
                base += m_random() % 100;
                window.MoveTo(base);
                there.erase(there.begin(), there.lower_bound(base));
            }
            if (step % 7 == 0)
            {
                while (there.erase(base) > 0)
                {
                    ++base;
                }
                wrong += window.Advance() == base ? 0 : 1;
            }
            wrong += window.GetEnd() == (there.empty() ? base : *there.rbegin() + 1) ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "differences from the set");
        NS_TEST_EXPECT_MSG_GT(base, 1ULL << 40, "the base has moved");
    }

    std::mt19937 m_random{1}; //!< source of numbers
};

} // namespace

std::vector<TestCase*>
MakeRdmaUnitTestCases()
{
    return {new EgressStrictTestCase,
            new EgressWeightedTestCase,
            new EcnMarkerTestCase,
            new SequenceWindowTestCase};
}

} // namespace ns3
