/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "catching-up.h"
#include "ideal-train-test-cases.h"
#include "scheduled-call.h"
#include "transport-test-case.h"

#include "ns3/due-queue.h"
#include "ns3/flat-table.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-network.h"
#include "ns3/ideal-port-isolation.h"
#include "ns3/topology-builder.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Delay of all paths of the ideal network.
const Time IDEAL_DELAY = NanoSeconds(500);

/**
 * @ingroup workload-replay
 * @brief Ranks with a port each in an ideal network; 8 Gbit/s is one byte per ns.
 */
class IdealTestCase : public TransportTestCase
{
  public:
    using TransportTestCase::TransportTestCase;

  protected:
    /**
     * @param rates rate of each rank's port
     * @return the network
     */
    Ptr<IdealNetwork> MakeRanks(const std::vector<std::string>& rates)
    {
        auto network = CreateObject<IdealNetwork>();
        network->SetPathFinder(MakeCallback(&IdealTestCase::FindPath));
        for (uint32_t rank = 0; rank < rates.size(); rank++)
        {
            network->AddPort(DataRate(rates[rank]));
            auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(network, rank);
            AddRank(transport);
        }
        return network;
    }

    /**
     * Check when a message was sent, and that it arrived the delay later.
     *
     * @param number the message
     * @param sent when it was to be sent, ns
     */
    void ExpectSent(uint32_t number, int64_t sent)
    {
        ExpectTimes(number, NanoSeconds(sent), NanoSeconds(sent) + IDEAL_DELAY);
    }

  private:
    /**
     * @param source a rank
     * @param destination a rank
     * @return the path between their ports
     */
    static IdealPath FindPath(uint32_t source, uint32_t destination)
    {
        return {source, destination, IDEAL_DELAY};
    }
};

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
 * @ingroup workload-replay
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
 * @ingroup workload-replay
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
        AddTestCase(new IdealOrderTestCase);
        AddTestCase(new IdealTogetherTestCase);
        AddTestCase(new IdealPastTestCase);
        AddTestCase(new IdealRandomTestCase);
        AddTestCase(new FabricIdealTestCase);
        AddTestCase(new DueQueueTestCase);
        AddTestCase(new FlatTableTestCase);
        for (auto testCase : MakeIdealTrainTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// Registers the suite.
WorkloadReplayIdealTestSuite g_workloadReplayIdealTestSuite;

} // namespace
