/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "catching-up.h"
#include "ideal-test-cases.h"
#include "scheduled-call.h"

#include "ns3/ideal-port-isolation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Messages of a pair and channel follow each other without gaps; other channels share.
 */
class IdealOrderTestCase : public IdealTestCase
{
  public:
    IdealOrderTestCase()
        : IdealTestCase("ideal: order within a channel")
    {
    }

  private:
    void DoRun() override
    {
        MakeRanks({"8Gbps", "8Gbps", "3Gbps"});
        const uint32_t first = Post(NanoSeconds(0), 0, 1, 1000);
        const uint32_t empty = Post(NanoSeconds(0), 0, 1, 0);
        const uint32_t second = Post(NanoSeconds(0), 0, 1, 1000);
        const uint32_t shorter = Post(NanoSeconds(10000), 0, 1, 500, 0);
        const uint32_t longer = Post(NanoSeconds(10000), 0, 1, 1000, 1);
        // 800 bits take 266.67 ns; roundings of the single messages must not add up.
        std::vector<uint32_t> chain;
        chain.reserve(1000);
        for (int i = 0; i < 1000; i++)
        {
            chain.push_back(Post(NanoSeconds(20000), 0, 2, 100));
        }
        Simulator::Run();
        ExpectSent(first, 1000);
        ExpectSent(empty, 1000);
        ExpectSent(second, 2000);
        ExpectSent(shorter, 11000);
        ExpectSent(longer, 11500);
        ExpectSent(chain[0], 20267);
        ExpectSent(chain[1], 20534);
        ExpectSent(chain[2], 20800);
        ExpectSent(chain[999], 20000 + 266667);
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages that arrive at the same time, one after another in the order of events, take one
 *        event, and arrive as if each had its own.
 */
class IdealTogetherTestCase : public IdealTestCase
{
  public:
    IdealTogetherTestCase()
        : IdealTestCase("ideal: messages that arrive together")
    {
    }

  private:
    /**
     * @param source a rank
     * @param destination a rank
     * @return the path between their ports, which takes 700 ns to an even rank, 500 ns to an odd
     * one
     */
    static IdealPath FindUnevenPath(uint32_t source, uint32_t destination)
    {
        return {source, destination, NanoSeconds(destination % 2 == 0 ? 700 : 500)};
    }

    /// Ends Simulator::Run() when a message arrives.
    static void Stop(const Message& /* message */)
    {
        Simulator::Stop();
    }

    void DoRun() override
    {
        constexpr uint32_t pairs = 4;
        const auto network = MakeRanks(std::vector<std::string>(2 * pairs, "8Gbps"));
        std::vector<uint32_t> even;
        std::vector<uint32_t> uneven;
        for (uint32_t pair = 0; pair < pairs; pair++)
        {
            even.push_back(Post(NanoSeconds(0), pair, pairs + pair, 1000));
        }
        // On connections of another channel, as those above have their paths.
        for (uint32_t pair = 1; pair < pairs; pair++)
        {
            uneven.push_back(Post(NanoSeconds(10000), pair, pairs + pair, 1000, 1));
        }
        ScheduleCall(NanoSeconds(5000),
                     [network]() { network->SetPathFinder(MakeCallback(&FindUnevenPath)); });
        m_transports[pairs]->TraceConnectWithoutContext("Arrived", MakeCallback(&Stop));
        Simulator::Run();
        // What is stopped by the first one has not seen the others.
        NS_TEST_EXPECT_MSG_EQ(m_order.size(), 1, "messages until the simulation is stopped");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(std::equal(even.begin(), even.end(), m_order.begin()),
                              true,
                              "order of arrival");
        // Posts, one event in which all are sent, and that of their arrival, in two halves; the
        // path finder; then posts, one event in which all are sent, and one arrival each, as delays
        // differ from one to the next.
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(),
                              (pairs + 1 + 2) + 1 + (pairs - 1 + 1 + pairs - 1),
                              "events");
        for (const auto number : even)
        {
            ExpectSent(number, 1000);
        }
        for (const auto number : uneven)
        {
            const Time delay = FindUnevenPath(0, m_fates[number].message.destination).delay;
            const Time sent = m_fates[number].message.postedAt + NanoSeconds(1000);
            ExpectTimes(number, sent, sent + delay);
        }
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What is begun in the past leaves what begins in the present to the present.
 */
class IdealPastTestCase : public IdealTestCase
{
  public:
    IdealPastTestCase()
        : IdealTestCase("ideal: a message of the past")
    {
    }

  private:
    void DoRun() override
    {
        const CatchingUp catchingUp;
        constexpr uint32_t ranks = 5;
        const auto isolation = CreateObject<IdealPortIsolation>();
        isolation->Setup(MakeRanks(std::vector<std::string>(ranks, "8Gbps")), ranks);
        const uint32_t early = Post(NanoSeconds(0), 0, 1, 2000);
        const uint32_t late = Post(NanoSeconds(1000), 0, 2, 500);
        // When the late one has been posted and does not share the port yet.
        uint32_t past = 0;
        ScheduleCall(NanoSeconds(1000), [this, &past]() {
            CatchUpSimulatorImpl::Get()->CatchUp(NanoSeconds(500), [this, &past]() {
                past = Post(NanoSeconds(0), 3, 4, 100);
                m_fates[past].message.postedAt = Simulator::Now();
            });
        });
        Simulator::Run();
        ExpectSent(past, 600);
        ExpectSent(late, 2000);
        ExpectSent(early, 2500);
        ExpectAllDelivered();
    }
};

} // namespace

std::vector<TestCase*>
MakeIdealOrderTestCases()
{
    return {new IdealOrderTestCase, new IdealTogetherTestCase, new IdealPastTestCase};
}

} // namespace ns3
