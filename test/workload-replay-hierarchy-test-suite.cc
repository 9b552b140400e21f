/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "hierarchy-time-test-cases.h"

#include "ns3/collective-placement.h"
#include "ns3/direct-collective.h"
#include "ns3/hierarchical-collective.h"
#include "ns3/pat-collective.h"
#include "ns3/pxn-collective.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param size number of members
 * @param nServers number of servers
 * @return the server of each member, dealt out in turn
 */
std::vector<uint32_t>
SpreadInTurn(uint32_t size, uint32_t nServers)
{
    std::vector<uint32_t> servers;
    for (uint32_t member = 0; member < size; ++member)
    {
        servers.push_back(member % nServers);
    }
    return servers;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Every member ends with the data it should have, whatever the members and servers.
 */
class HierarchyDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param what what is checked, for the name
     * @param algorithm the algorithm
     * @param chunkBytes longest message allowed, bytes; 0 = any
     */
    HierarchyDataTestCase(const std::string& what,
                          Ptr<const CollectiveAlgorithm> algorithm,
                          uint64_t chunkBytes = 0)
        : CollectiveDataTestCase(what, algorithm, chunkBytes),
          m_isForAllToAll(algorithm->Supports(CollectiveKind::ALL_TO_ALL))
    {
    }

  private:
    void DoRun() override
    {
        for (const auto size : GetMemberCounts())
        {
            CheckSize(size, nullptr);
            const CollectivePlacement single(std::vector<uint32_t>(size, 5));
            CheckSize(size, &single);
            CheckSpread(SpreadInTurn(size, 3));
            CheckSpread(std::vector<uint32_t>(size, CollectivePlacement::NO_SERVER));
        }
        for (const auto& sizes : std::vector<std::vector<uint32_t>>{{2, 2},
                                                                    {4, 4},
                                                                    {2, 2, 2, 2},
                                                                    {8, 8, 8, 8},
                                                                    {3, 5, 1},
                                                                    {1, 3},
                                                                    {8, 4},
                                                                    {1, 1, 5, 1, 3, 7, 2},
                                                                    {8, 8, 8, 8, 1}})
        {
            CheckSpread(SpreadInBlocks(sizes));
        }
        CheckSpread({0, 1, 0, 2, 1, 0, CollectivePlacement::NO_SERVER, 1, 1, 0});
        CheckSize(64, nullptr);
        CheckSpread(SpreadInBlocks(std::vector<uint32_t>(8, 8)));
    }

    /**
     * Check fewer bytes than members, just as many, and lengths that do not divide.
     *
     * @param size number of members
     * @param placement where they stand; null = not known
     */
    void CheckSize(uint32_t size, const CollectivePlacement* placement)
    {
        for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(3 * size + 2)})
        {
            CheckAll(bytes, size, placement);
            if (m_isForAllToAll)
            {
                Check({CollectiveKind::ALL_TO_ALL, bytes, 0, size, nullptr, placement});
            }
        }
    }

    /**
     * @param servers the server of each member
     */
    void CheckSpread(const std::vector<uint32_t>& servers)
    {
        const CollectivePlacement placement(servers);
        CheckSize(static_cast<uint32_t>(servers.size()), &placement);
    }

    bool m_isForAllToAll; //!< whether the algorithm does all-to-all
};

/**
 * @ingroup workload-replay-tests
 * @brief The same on 296 members, which eight bits do not count, on 37 servers.
 */
class ManyInServersTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param algorithm the algorithm
     */
    explicit ManyInServersTestCase(Ptr<const CollectiveAlgorithm> algorithm)
        : CollectiveDataTestCase("296 members in servers", algorithm, 0),
          m_isHierarchical(algorithm->Supports(CollectiveKind::ALL_TO_ALL))
    {
    }

  private:
    void DoRun() override
    {
        const CollectivePlacement placement(SpreadInBlocks(std::vector<uint32_t>(37, 8)));
        CheckAll(101, 296, &placement);
        if (m_isHierarchical)
        {
            Check({CollectiveKind::ALL_TO_ALL, 296, 0, 296, nullptr, &placement});
        }
    }

    bool m_isHierarchical; //!< whether it does all-to-all
};

/**
 * @ingroup workload-replay-tests
 * @brief Nothing changes rails between servers, and NICs carry as little as can be.
 */
class RailTrafficTestCase : public TestCase
{
  public:
    RailTrafficTestCase()
        : TestCase("traffic along rails")
    {
    }

  private:
    /// What each member sends to members of other servers.
    struct Expected
    {
        uint64_t peers;    //!< to how many of them
        uint64_t messages; //!< messages to all of them
        uint64_t bytes;    //!< bytes to all of them
    };

    void DoRun() override
    {
        // S = 4 servers of L = 8, blocks of 10 bytes.
        auto hierarchical = CreateObject<HierarchicalCollective>();
        // 2 (S - 1) messages of a block to the next server: 2 (S - 1) / S of the rail's 1 / L.
        Check(hierarchical, CollectiveKind::ALL_REDUCE, {1, 6, 60});
        // The blocks of all rail members but its own, or but that of the next one.
        Check(hierarchical, CollectiveKind::ALL_GATHER, {1, 3, 30});
        Check(hierarchical, CollectiveKind::REDUCE_SCATTER, {1, 3, 30});
        // The blocks of 8 members for each of 3 rail members, in one message or in 8.
        Check(hierarchical, CollectiveKind::ALL_TO_ALL, {3, 3, 240});
        Check(CreateObject<PxnCollective>(), CollectiveKind::ALL_TO_ALL, {3, 24, 240});
        CheckUnequal();
    }

    /**
     * @param algorithm an algorithm
     * @param kind what to do
     * @param expected what each member should send
     */
    void Check(Ptr<const CollectiveAlgorithm> algorithm,
               CollectiveKind kind,
               const Expected& expected)
    {
        const auto what = algorithm->GetName() + ", " + ToString(kind);
        const CollectivePlacement placement(SpreadInTurn(32, 4));
        CollectiveChecker checker(algorithm, {kind, 320, 0, 32, nullptr, &placement});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", what);
        for (uint32_t i = 0; i < 32; ++i)
        {
            const auto place = placement.GetPlace(i);
            Expected found{0, 0, 0};
            for (const auto& [peer, traffic] : checker.GetTraffic(i).sentTo)
            {
                const auto other = placement.GetPlace(peer);
                if (other.server != place.server)
                {
                    NS_TEST_EXPECT_MSG_EQ(other.rail, place.rail, what << ": rail of " << i);
                    ++found.peers;
                    found.messages += traffic.messages;
                    found.bytes += traffic.bytes;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(found.peers, expected.peers, what << ": peers of " << i);
            NS_TEST_EXPECT_MSG_EQ(found.messages, expected.messages, what << ": of " << i);
            NS_TEST_EXPECT_MSG_EQ(found.bytes, expected.bytes, what << ": bytes of " << i);
        }
    }

    /**
     * Servers of 3, 5 and 1 members, 9 blocks of 30 bytes. An all-gather must bring a server all
     * blocks but its own: 180, 120 and 240 bytes. The single member of the last server stands for
     * all five rails, and each of these brings it its share.
     */
    void CheckUnequal()
    {
        const CollectivePlacement placement(SpreadInBlocks({3, 5, 1}));
        CollectiveChecker checker(CreateObject<HierarchicalCollective>(),
                                  {CollectiveKind::ALL_GATHER, 270, 0, 9, nullptr, &placement});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", "the run");
        std::vector<uint64_t> received(3, 0);
        for (uint32_t i = 0; i < 9; ++i)
        {
            for (const auto& [peer, traffic] : checker.GetTraffic(i).sentTo)
            {
                const auto server = placement.GetPlace(peer).server;
                received[server] += server == placement.GetPlace(i).server ? 0 : traffic.bytes;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(received[0], 180, "server of 3");
        NS_TEST_EXPECT_MSG_EQ(received[1], 120, "server of 5");
        NS_TEST_EXPECT_MSG_EQ(received[2], 240, "server of 1");
        // The servers form a ring, so the second one sends to the third.
        for (uint32_t i = 3; i < 8; ++i)
        {
            NS_TEST_EXPECT_MSG_GT(checker.GetTraffic(i).sentTo.at(8).bytes,
                                  0,
                                  "rail of member " << i);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Aggregated trees: steps, order of distances, and length of messages.
 */
class PatStepsTestCase : public TestCase
{
  public:
    PatStepsTestCase()
        : TestCase("steps of aggregated trees")
    {
    }

  private:
    /// A message: to the member so much further on, and so many bytes.
    using Messages = std::vector<std::pair<uint32_t, uint64_t>>;

    void DoRun() override
    {
        // 8 members, blocks of 10 bytes. All blocks fit: 1, 2 and 4 of them, from far to near.
        Check(1000, 8, {{4, 10}, {2, 20}, {1, 40}});
        Check(0, 8, {{4, 10}, {2, 20}, {1, 40}});
        Check(40, 8, {{4, 10}, {2, 20}, {1, 40}});
        // Two fit: one goes to the opposite member, then two at a time to places 1, 2 and 3 after
        // both holders, each from the place without the lowest bit.
        Check(39, 8, {{4, 10}, {1, 20}, {2, 20}, {1, 20}});
        Check(20, 8, {{4, 10}, {1, 20}, {2, 20}, {1, 20}});
        // One fits.
        Check(10, 8, {{1, 10}, {2, 10}, {1, 10}, {4, 10}, {1, 10}, {2, 10}, {1, 10}});
        // Not even one: pieces of 7 and 3 bytes would not do; all are cut alike, in 5 and 5.
        Check(7, 3, {{1, 5}, {2, 5}, {1, 5}, {2, 5}});
        // 6 members: places 6 and 7 are missing. 0 -> 4; 0 -> 2; 0 -> 1, 2 -> 3, 4 -> 5.
        Check(1000, 6, {{4, 10}, {2, 10}, {1, 30}});
        // 5 members, two blocks: 0 -> 4; 0 -> 1; 0 -> 2; 2 -> 3.
        Check(20, 5, {{4, 10}, {1, 10}, {2, 10}, {1, 10}});
    }

    /**
     * @param aggregationBytes attribute AggregationBytes
     * @param size number of members; each block has 10 bytes
     * @param expected what a member should send in an all-gather, and in a reduce-scatter in the
     *                 opposite order to members so much further back
     */
    void Check(uint64_t aggregationBytes, uint32_t size, const Messages& expected)
    {
        auto pat = CreateObject<PatCollective>();
        pat->SetAttribute("AggregationBytes", UintegerValue(aggregationBytes));
        pat->SetAttribute("PipelineDepth", UintegerValue(1));
        for (const bool isGather : {true, false})
        {
            const auto kind =
                isGather ? CollectiveKind::ALL_GATHER : CollectiveKind::REDUCE_SCATTER;
            auto pipelines = pat->Plan({kind, uint64_t{10} * size, 1, size});
            NS_TEST_ASSERT_MSG_EQ(pipelines.size(), 1, "one pipeline");
            Messages sent;
            CollectiveStep step;
            while (pipelines.front()->Next(step))
            {
                NS_TEST_ASSERT_MSG_EQ(step.size(), 2, "one message each way");
                const auto& transfer = step.front();
                const uint32_t distance = (transfer.peer + size - 1) % size;
                sent.push_back({isGather ? distance : size - distance, transfer.bytes});
            }
            if (!isGather)
            {
                sent = Messages(sent.rbegin(), sent.rend());
            }
            NS_TEST_EXPECT_MSG_EQ((sent == expected),
                                  true,
                                  ToString(kind) << " on " << size << ", up to " << aggregationBytes
                                                 << " bytes");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Which calls the algorithms are for.
 */
class SplitsTestCase : public TestCase
{
  public:
    SplitsTestCase()
        : TestCase("who can do all-to-all with splits")
    {
    }

  private:
    void DoRun() override
    {
        const AllToAllSplits splits{{1, 2}, {1, 0}};
        const CollectiveCall equal{CollectiveKind::ALL_TO_ALL, 3, 0, 2};
        auto uneven = equal;
        uneven.splits = &splits;
        auto direct = CreateObject<DirectCollective>();
        auto pxn = CreateObject<PxnCollective>();
        auto hierarchical = CreateObject<HierarchicalCollective>();
        NS_TEST_EXPECT_MSG_EQ(direct->Suits(equal), true, "direct");
        NS_TEST_EXPECT_MSG_EQ(direct->Suits(uneven), true, "direct, splits");
        NS_TEST_EXPECT_MSG_EQ(pxn->Suits(equal), true, "pxn");
        NS_TEST_EXPECT_MSG_EQ(hierarchical->Suits(equal), true, "hierarchical");
        const std::string reason = "its splits are known to senders and receivers only, not to "
                                   "members that pass blocks on";
        NS_TEST_EXPECT_MSG_EQ(pxn->FindUnsupportedReason(uneven), reason, "pxn, splits");
        NS_TEST_EXPECT_MSG_EQ(hierarchical->FindUnsupportedReason(uneven),
                              reason,
                              "hierarchical, splits");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Algorithms in servers and along rails, and aggregated trees: test suite.
 */
class WorkloadReplayHierarchyTestSuite : public TestSuite
{
  public:
    WorkloadReplayHierarchyTestSuite()
        : TestSuite("workload-replay-hierarchy", TestSuite::Type::UNIT)
    {
        AddTestCase(new SplitsTestCase);
        AddTestCase(new PatStepsTestCase);
        AddTestCase(new RailTrafficTestCase);
        AddData<HierarchicalCollective>({{"Concurrency", 8}});
        AddData<HierarchicalCollective>({{"Concurrency", 1}, {"ChunkBytes", 1}});
        AddData<HierarchicalCollective>(
            {{"Concurrency", 2}, {"ChunkBytes", 2}, {"PipelineDepth", 3}});
        AddData<PxnCollective>({{"Concurrency", 8}});
        AddData<PxnCollective>({{"Concurrency", 1}});
        AddData<DirectCollective>({{"Concurrency", 8}});
        AddData<DirectCollective>({{"Concurrency", 1}});
        AddData<PatCollective>({{"AggregationBytes", 524288}}, 524288);
        AddData<PatCollective>({{"AggregationBytes", 0}});
        AddData<PatCollective>({{"AggregationBytes", 9}}, 9);
        AddData<PatCollective>({{"AggregationBytes", 1}, {"PipelineDepth", 3}}, 1);
        AddTestCase(new ManyInServersTestCase(CreateObject<HierarchicalCollective>()));
        AddTestCase(new ManyInServersTestCase(CreateObject<PatCollective>()));
        for (auto* testCase : MakeHierarchyTimeTestCases())
        {
            AddTestCase(testCase);
        }
    }

  private:
    /**
     * Add the data of an algorithm.
     *
     * @param attributes attributes that it has
     * @param longest longest message allowed, bytes; 0 = any
     */
    template <class T>
    void AddData(const std::vector<std::pair<std::string, uint64_t>>& attributes,
                 uint64_t longest = 0)
    {
        auto algorithm = CreateObject<T>();
        std::string what;
        for (const auto& [name, value] : attributes)
        {
            algorithm->SetAttribute(name, UintegerValue(value));
            what += (what.empty() ? "" : ", ") + name + " " + std::to_string(value);
        }
        AddTestCase(new HierarchyDataTestCase(what, algorithm, longest));
    }
};

/// Registers the suite.
static WorkloadReplayHierarchyTestSuite g_workloadReplayHierarchyTestSuite;
