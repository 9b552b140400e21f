/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-test-cases.h"

#include "ns3/due-queue.h"
#include "ns3/flat-table.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-network.h"
#include "ns3/topology-builder.h"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief One message takes bytes * 8 / rate, rounded up, of the slower port, and the delay.
 */
class IdealOneMessageTestCase : public IdealTestCase
{
  public:
    IdealOneMessageTestCase()
        : IdealTestCase("ideal: one message at a time")
    {
    }

  private:
    void DoRun() override
    {
        MakeRanks({"8Gbps", "8Gbps", "3Gbps"});
        const uint32_t whole = Post(NanoSeconds(100), 0, 1, 1000);
        const uint32_t rounded = Post(NanoSeconds(10000), 0, 2, 1000);
        const uint32_t empty = Post(NanoSeconds(20000), 0, 1, 0);
        const uint32_t large = Post(NanoSeconds(30000), 0, 1, 5ULL << 30);
        Simulator::Run();
        ExpectSent(whole, 1100);
        ExpectSent(rounded, 10000 + 2667); // 8000 bits / 3 Gbit/s = 2666.67 ns
        ExpectSent(empty, 20000);
        ExpectSent(large, 30000 + 5368709120);
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay
 * @brief Messages that meet at a port share it, and share anew when one joins or leaves.
 */
class IdealSharingTestCase : public IdealTestCase
{
  public:
    IdealSharingTestCase()
        : IdealTestCase("ideal: sharing of ports")
    {
    }

  private:
    void DoRun() override
    {
        MakeRanks({"8Gbps", "8Gbps", "8Gbps", "8Gbps", "8Gbps"});
        std::vector<uint32_t> intoOne;
        std::vector<uint32_t> outOfOne;
        for (uint32_t other : {0, 1})
        {
            intoOne.push_back(Post(NanoSeconds(0), other, 2, 1000));
            outOfOne.push_back(Post(NanoSeconds(10000), 2, other, 1000));
        }
        // Shares are 2/3 for the first and 1/3 for the others: all end at the same time.
        const Time start = NanoSeconds(20000);
        const std::vector<uint32_t> uneven{Post(start, 0, 1, 2000),
                                           Post(start, 0, 2, 1000),
                                           Post(start, 3, 2, 1000),
                                           Post(start, 4, 2, 1000)};
        // Alone until 1000 ns, half the port until the second is through at 2000 ns, then alone.
        const uint32_t early = Post(NanoSeconds(30000), 0, 2, 2000);
        const uint32_t late = Post(NanoSeconds(31000), 1, 2, 500);
        Simulator::Run();
        for (uint32_t i : {0, 1})
        {
            ExpectSent(intoOne[i], 2000);
            ExpectSent(outOfOne[i], 12000);
        }
        for (uint32_t number : uneven)
        {
            ExpectSent(number, 23000);
        }
        ExpectSent(late, 32000);
        ExpectSent(early, 32500);
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay
 * @brief With random traffic all arrives once, in order, and no port does more than its rate.
 */
class IdealRandomTestCase : public IdealTestCase
{
  public:
    IdealRandomTestCase()
        : IdealTestCase("ideal: random traffic")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t ranks = 8;
        MakeRanks(std::vector<std::string>(ranks, "8Gbps"));
        std::mt19937 random(1);
        for (uint32_t i = 0; i < 2000; i++)
        {
            const uint32_t source = random() % ranks;
            const uint32_t destination = (source + 1 + random() % (ranks - 1)) % ranks;
            Post(NanoSeconds(100 * i), source, destination, random() % 3000, random() % 2);
        }
        Simulator::Run();
        ExpectAllDelivered();

        // What begins and ends in an interval passes in it: at one byte per ns at most.
        for (const Fate& begin : m_fates)
        {
            uint64_t bytes = 0;
            Time end;
            for (const Fate& fate : m_fates)
            {
                if (fate.message.source == begin.message.source &&
                    fate.message.postedAt >= begin.message.postedAt &&
                    fate.message.postedAt < begin.message.postedAt + MicroSeconds(10))
                {
                    bytes += fate.message.bytes;
                    end = Max(end, fate.sentAt);
                }
            }
            NS_TEST_EXPECT_MSG_GT_OR_EQ((end - begin.message.postedAt).GetNanoSeconds(),
                                        static_cast<int64_t>(bytes),
                                        "bytes of rank " << begin.message.source << " from "
                                                         << begin.message.postedAt);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Ports and delays of an ideal network.
 */
class FabricIdealTestCase : public TestCase, private IdealEndpoint
{
  public:
    FabricIdealTestCase()
        : TestCase("ports and delays of the ideal network of a fabric")
    {
    }

  private:
    void DoRun() override;
    void HandleArrival(const Message& message) override;
    void HandleSent(uint64_t cookie) override;

    std::vector<Time> m_arrivals; //!< when a message has arrived, by its tag
};

void
FabricIdealTestCase::HandleArrival(const Message& message)
{
    m_arrivals[message.attachment[0]] = Simulator::Now();
}

void
FabricIdealTestCase::HandleSent(uint64_t /* cookie */)
{
}

void
FabricIdealTestCase::DoRun()
{
    // Ranks 0 and 1 share a server; rank 2 is at another leaf.
    FabricParameters parameters;
    parameters.gpusPerServer = 2;
    const auto network = IdealFabricHelper().Install(
        TopologyBuilder::Build(TopologySpec("clos:hostsPerLeaf=2"), 4, parameters));
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        network->Attach(rank, this);
    }
    const std::vector<std::pair<uint32_t, uint32_t>> pairs{{0, 1}, {0, 2}, {1, 2}};
    m_arrivals.resize(pairs.size());
    for (uint32_t i = 0; i < pairs.size(); ++i)
    {
        Message message;
        message.source = pairs[i].first;
        message.destination = pairs[i].second;
        message.bytes = 450000;
        message.attachment[0] = i;
        network->Start(message);
    }
    Simulator::Run();
    // 450 kB take 1 us at 3600 Gb/s; two of them take 18 us through the one NIC of rank 2.
    NS_TEST_EXPECT_MSG_EQ(m_arrivals[0], NanoSeconds(1000 + 2 * 250), "NVLink, two links");
    NS_TEST_EXPECT_MSG_EQ(m_arrivals[1], NanoSeconds(18000 + 4 * 500), "NICs, four links");
    NS_TEST_EXPECT_MSG_EQ(m_arrivals[2], NanoSeconds(18000 + 4 * 500), "shares the NIC of rank 2");
    Simulator::Destroy();

    // Two ports of 200 Gb/s are one of 400, whichever of them a path leaves by.
    for (const auto* topology : {"dual-plane:hostsPerLeaf=2", "dual-tor:hostsPerLeaf=2"})
    {
        const auto two = IdealFabricHelper().Install(
            TopologyBuilder::Build(TopologySpec(topology), 4, parameters));
        const auto path = two->FindPath(0, 2);
        NS_TEST_EXPECT_MSG_EQ(two->GetRate(path.sendPort), DataRate("400Gbps"), topology);
        NS_TEST_EXPECT_MSG_EQ(two->FindPath(0, 3).sendPort, path.sendPort, topology);
        NS_TEST_EXPECT_MSG_EQ(two->FindPath(2, 0).sendPort, path.receivePort, topology);
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Items leave a DueQueue by time and then by id, as they would leave a set of the two.
 */
class DueQueueTestCase : public TestCase
{
  public:
    DueQueueTestCase()
        : TestCase("items are due in the order of times and ids")
    {
    }

  private:
    /// What is queued.
    struct Item
    {
        int64_t due{0};    //!< see DueQueue
        uint32_t id{0};    //!< likewise
        uint32_t place{0}; //!< likewise
    };

    void DoRun() override
    {
        std::mt19937 random(1);
        std::vector<Item> items(100);
        std::set<std::pair<int64_t, uint32_t>> expected;
        DueQueue<Item> queue;
        for (uint32_t turn = 0; turn < 5000; ++turn)
        {
            Item& item = items[random() % items.size()];
            item.id = static_cast<uint32_t>(&item - items.data());
            expected.erase({item.due, item.id});
            if (item.place != 0 && random() % 3 == 0)
            {
                queue.Remove(item);
            }
            else
            {
                queue.Set(item, static_cast<int64_t>(random() % 20));
                expected.insert({item.due, item.id});
            }
            NS_TEST_ASSERT_MSG_EQ(queue.IsEmpty(), expected.empty(), "turn " << turn);
            if (!expected.empty())
            {
                NS_TEST_ASSERT_MSG_EQ(queue.Top().id, expected.begin()->second, "turn " << turn);
                NS_TEST_ASSERT_MSG_EQ(queue.GetFirstDue(), expected.begin()->first, "its time");
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A FlatTable finds what was put into it, also where hashes are equal and when it grows.
 */
class FlatTableTestCase : public TestCase
{
  public:
    FlatTableTestCase()
        : TestCase("a table finds its items by key")
    {
    }

  private:
    /// A hash that many keys share.
    struct Hash
    {
        /**
         * @param key a key
         * @return its hash
         */
        std::size_t operator()(uint32_t key) const
        {
            return key % 7;
        }
    };

    void DoRun() override
    {
        std::vector<uint32_t> items(100);
        FlatTable<uint32_t, uint32_t, Hash> table;
        for (uint32_t key = 0; key < items.size(); ++key)
        {
            NS_TEST_ASSERT_MSG_EQ((table[key] == nullptr), true, "key " << key << " is new");
            table[key] = &items[key];
        }
        for (uint32_t key = 0; key < items.size(); ++key)
        {
            NS_TEST_ASSERT_MSG_EQ((table[key] == &items[key]), true, "key " << key);
        }
        table.ForEach([](uint32_t key, uint32_t& item) { item += key + 1; });
        for (uint32_t key = 0; key < items.size(); ++key)
        {
            NS_TEST_ASSERT_MSG_EQ(items[key], key + 1, "each item once");
        }
        table.Clear();
        NS_TEST_ASSERT_MSG_EQ((table[5] == nullptr), true, "nothing is left");
    }
};

/**
 * @ingroup workload-replay
 * @brief The ideal network, against closed forms.
 */
class WorkloadReplayIdealTestSuite : public TestSuite
{
  public:
    WorkloadReplayIdealTestSuite()
        : TestSuite("workload-replay-ideal", TestSuite::Type::UNIT)
    {
        AddTestCase(new IdealOneMessageTestCase);
        AddTestCase(new IdealSharingTestCase);
        AddTestCase(new IdealRandomTestCase);
        AddTestCase(new FabricIdealTestCase);
        AddTestCase(new DueQueueTestCase);
        AddTestCase(new FlatTableTestCase);
        for (const auto& cases : {MakeIdealOrderTestCases(), MakeIdealTrainTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// Registers the suite.
WorkloadReplayIdealTestSuite g_workloadReplayIdealTestSuite;

} // namespace
