/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "nvls-test-cases.h"

#include "ns3/fabric-endpoints.h"
#include "ns3/nvls-collective.h"
#include "ns3/rank-placement.h"
#include "ns3/uinteger.h"
#include "ns3/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// How an algorithm cuts.
struct Setting
{
    uint32_t channels;   //!< attribute Channels
    uint64_t chunkBytes; //!< attribute ChunkBytes
    uint32_t depth;      //!< attribute PipelineDepth
    uint64_t pieces;     //!< attribute Pieces
};

/**
 * @param setting how it is to cut
 * @return the algorithm
 */
Ptr<NvlsCollective>
Create(const Setting& setting)
{
    auto algorithm = CreateObject<NvlsCollective>();
    algorithm->SetAttribute("Channels", UintegerValue(setting.channels));
    algorithm->SetAttribute("ChunkBytes", UintegerValue(setting.chunkBytes));
    algorithm->SetAttribute("SmallestChunkBytes", UintegerValue(1));
    algorithm->SetAttribute("PipelineDepth", UintegerValue(setting.depth));
    algorithm->SetAttribute("Pieces", UintegerValue(setting.pieces));
    return algorithm;
}

/**
 * @ingroup workload-replay-tests
 * @brief Every member ends with the data it should have, whatever the members and servers.
 */
class NvlsDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param setting how the algorithm cuts
     */
    explicit NvlsDataTestCase(const Setting& setting)
        : CollectiveDataTestCase(std::to_string(setting.channels) + " channels, chunks of " +
                                     std::to_string(setting.chunkBytes) + " bytes, depth " +
                                     std::to_string(setting.depth) + ", pieces " +
                                     std::to_string(setting.pieces),
                                 Create(setting),
                                 setting.chunkBytes)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto size : GetMemberCounts())
        {
            const CollectivePlacement oneServer(std::vector<uint32_t>(size, 0), 1);
            for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
            {
                CheckAll(bytes, size, &oneServer);
            }
            // Members of a server that do not stand together.
            std::vector<uint32_t> servers;
            for (uint32_t member = 0; member < size; ++member)
            {
                servers.push_back(member * member % 7);
            }
            CheckSpread(servers);
        }
        for (const auto& sizes : GetServerSizes())
        {
            CheckSpread(SpreadInBlocks(sizes));
        }
        for (const auto& sizes :
             std::vector<std::vector<uint32_t>>{{4, 4, 4, 4, 4, 4, 4, 4, 4}, {64}, {72, 56}})
        {
            CheckSpread(SpreadInBlocks(sizes));
        }
    }

    /**
     * @param servers the server of each member
     */
    void CheckSpread(const std::vector<uint32_t>& servers)
    {
        const CollectivePlacement placement(servers, 2);
        CheckAll(3 * servers.size() + 2, static_cast<uint32_t>(servers.size()), &placement);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Bytes sent and received by members against closed forms.
 */
class NvlsBytesTestCase : public TestCase
{
  public:
    NvlsBytesTestCase()
        : TestCase("bytes of a member of nvls")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t block = 12;
        for (const uint32_t size : {2, 3, 8, 33})
        {
            const uint64_t all = block * size;
            const CollectivePlacement placement(std::vector<uint32_t>(size, 4), 1);
            Check(placement, CollectiveKind::ALL_REDUCE, size, all, all + block, all + block);
            Check(placement, CollectiveKind::REDUCE_SCATTER, size, all, all, block);
            Check(placement, CollectiveKind::ALL_GATHER, size, all, block, all);
        }
        // 3 servers of 4, 12 bytes in shards of 3: on each rail a head sends its sum up one tree or
        // the other and results down, see TreePlace. Without that it sends 12 + 3 bytes.
        const CollectivePlacement three(SpreadInBlocks({4, 4, 4}), 1);
        CollectiveChecker checker(Create({1, 0, 1, 0}),
                                  {CollectiveKind::ALL_REDUCE, 24, 0, 12, nullptr, &three});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", "3 servers");
        for (uint32_t rail = 0; rail < 4; ++rail)
        {
            uint64_t sent = 0;
            uint64_t received = 0;
            for (const uint32_t server : {0, 1, 2})
            {
                const auto& traffic = checker.GetTraffic(4 * server + rail);
                sent += traffic.sentBytes - (24 + 6);
                received += traffic.receivedBytes - (24 + 6);
            }
            // Two edges of each tree carry half of the shard both ways.
            NS_TEST_EXPECT_MSG_EQ(sent, 2 * 2 * 2 * 3, "sent between servers on rail " << rail);
            NS_TEST_EXPECT_MSG_EQ(received, sent, "what is sent is received");
        }
    }

    /**
     * Check members that are alike.
     *
     * @param placement where they stand
     * @param kind the collective
     * @param size number of members
     * @param bytes its bytes
     * @param sent bytes that each member sends
     * @param received bytes that each member receives
     */
    void Check(const CollectivePlacement& placement,
               CollectiveKind kind,
               uint32_t size,
               uint64_t bytes,
               uint64_t sent,
               uint64_t received)
    {
        CollectiveChecker checker(Create({1, 5, 2, 0}),
                                  {kind, bytes, 0, size, nullptr, &placement});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", ToString(kind) << " on " << size);
        for (uint32_t i = 0; i < size; ++i)
        {
            const auto& traffic = checker.GetTraffic(i);
            NS_TEST_EXPECT_MSG_EQ(traffic.sentBytes, sent, ToString(kind) << " on " << size);
            NS_TEST_EXPECT_MSG_EQ(traffic.receivedBytes, received, ToString(kind));
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Pieces get smaller until there are enough of them, or they are small enough.
 */
class NvlsPiecesTestCase : public TestCase
{
  public:
    NvlsPiecesTestCase()
        : TestCase("length of the messages of nvls")
    {
    }

  private:
    void DoRun() override
    {
        // A quarter of the bytes is a shard.
        Check(4 * 1024, 64, 16, 8, 64);
        Check(4 * 1024, 64, 16, 16, 64);
        Check(4 * 1024, 64, 16, 17, 32);
        Check(4 * 1024, 64, 16, 1000, 16);
        Check(4 * 1024, 64, 16, 0, 64);
        Check(4 * 8, 64, 16, 1000, 8);
        Check(4 * 1024, 0, 16, 1000, 1024);
        // Halved twice it would be less than 20.
        Check(4 * 1024, 50, 20, 1000, 25);
    }

    /**
     * @param bytes length of the buffer
     * @param chunkBytes attribute ChunkBytes
     * @param smallest attribute SmallestChunkBytes
     * @param pieces attribute Pieces
     * @param expected longest message
     */
    void Check(uint64_t bytes,
               uint64_t chunkBytes,
               uint64_t smallest,
               uint64_t pieces,
               uint64_t expected)
    {
        auto algorithm = Create({1, chunkBytes, 2, pieces});
        algorithm->SetAttribute("SmallestChunkBytes", UintegerValue(smallest));
        const CollectivePlacement placement(std::vector<uint32_t>(4, 0), 1);
        CollectiveChecker checker(algorithm,
                                  {CollectiveKind::ALL_REDUCE, bytes, 0, 4, nullptr, &placement});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", "4 members");
        NS_TEST_EXPECT_MSG_EQ(checker.GetTraffic(0).largestMessage,
                              expected,
                              chunkBytes << ", " << smallest << ", " << pieces);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Where nvls cannot be used, it says why.
 */
class NvlsUnsupportedTestCase : public TestCase
{
  public:
    NvlsUnsupportedTestCase()
        : TestCase("where nvls can be used")
    {
    }

  private:
    void DoRun() override
    {
        Check({0}, 0, CollectiveKind::ALL_REDUCE, "");
        Check({0, 0}, 1, CollectiveKind::ALL_REDUCE, "");
        Check({0, 0}, 1, CollectiveKind::BROADCAST, "");
        Check({0, 0, 1}, 1, CollectiveKind::ALL_REDUCE, "");
        const std::string noSwitch =
            "not all of its servers have an NVSwitch that links all of their ranks";
        Check({0, 0}, 0, CollectiveKind::ALL_REDUCE, noSwitch);
        Check({0, 1}, 0, CollectiveKind::ALL_REDUCE, "no two of its members share a server");
        const auto apart = CollectivePlacement::NO_SERVER;
        Check({apart, apart},
              0,
              CollectiveKind::ALL_REDUCE,
              "no two of its members share a server");
        Check({0, 0, 1},
              1,
              CollectiveKind::ALL_GATHER,
              "its members stand in 2 servers, and only all-reduce goes beyond one");
        NS_TEST_EXPECT_MSG_EQ(CreateObject<NvlsCollective>()->FindUnsupportedReason(
                                  {CollectiveKind::ALL_REDUCE, 1, 0, 2}),
                              "it is not known where its members stand",
                              "no placement");
    }

    /**
     * @param servers the server of each member
     * @param nSwitches NVSwitches of each
     * @param kind the collective
     * @param expected why it cannot be done
     */
    void Check(const std::vector<uint32_t>& servers,
               uint32_t nSwitches,
               CollectiveKind kind,
               const std::string& expected)
    {
        const CollectivePlacement placement(servers, nSwitches);
        const CollectiveCall call{kind,
                                  1,
                                  0,
                                  static_cast<uint32_t>(servers.size()),
                                  nullptr,
                                  &placement};
        auto algorithm = CreateObject<NvlsCollective>();
        NS_TEST_EXPECT_MSG_EQ(algorithm->FindUnsupportedReason(call), expected, ToString(kind));
        NS_TEST_EXPECT_MSG_EQ(algorithm->Suits(call), expected.empty(), ToString(kind));
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Which NVSwitches take part, and what their addresses are.
 */
class NvlsEndpointsTestCase : public TestCase
{
  public:
    NvlsEndpointsTestCase()
        : TestCase("addresses of NVSwitches")
    {
    }

  private:
    void DoRun() override
    {
        // Server 5 has two NVSwitches and one that does not link all; server 2 has one, which is
        // added between those; server 7 has one rank; host 5 has no server.
        TopologyGraph graph;
        for (const uint32_t server : {5, 5, 2, 2, 7})
        {
            graph.AddHost("h" + std::to_string(graph.GetNNodes()), server);
        }
        graph.AddHost("h5");
        const auto link = [&graph](uint32_t node, const std::vector<uint32_t>& hosts) {
            for (const auto host : hosts)
            {
                graph.AddLink(host, node, DataRate("1Gbps"), Time(0), true);
            }
        };
        link(graph.AddNvswitch("n6", 5), {0, 1});
        link(graph.AddNvswitch("n7", 5), {0});
        link(graph.AddNvswitch("n8", 2), {2, 3});
        link(graph.AddNvswitch("n9", 5), {1, 0});
        link(graph.AddNvswitch("n10", 7), {4});
        link(graph.AddSwitch("s11"), {0, 1, 2, 3, 4, 5});

        const FabricEndpoints hosts(graph, false);
        NS_TEST_EXPECT_MSG_EQ((hosts.GetNodes() == graph.GetHosts()), true, "hosts only");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetSwitches().at(0).count, 0, "no NVSwitch");

        const FabricEndpoints all(graph, true);
        const std::vector<uint32_t> nodes{0, 1, 2, 3, 4, 5, 8, 6, 9};
        NS_TEST_EXPECT_MSG_EQ((all.GetNodes() == nodes), true, "server by server");
        NS_TEST_EXPECT_MSG_EQ(all.GetNHosts(), 6, "hosts");
        const std::vector<std::pair<uint32_t, uint32_t>> expected{{7, 2},
                                                                  {7, 2},
                                                                  {6, 1},
                                                                  {6, 1},
                                                                  {9, 0},
                                                                  {0, 0}};
        for (uint32_t rank = 0; rank < expected.size(); ++rank)
        {
            const auto& range = all.GetSwitches().at(rank);
            NS_TEST_EXPECT_MSG_EQ(range.first, expected[rank].first, "rank " << rank);
            NS_TEST_EXPECT_MSG_EQ(range.count, expected[rank].second, "rank " << rank);
        }
        NS_TEST_EXPECT_MSG_EQ(all.Describe(graph, 3), "rank 3", "a host");
        NS_TEST_EXPECT_MSG_EQ(all.Describe(graph, 8), "n9", "an NVSwitch");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Which NVSwitches serve a communicator.
 */
class NvlsPlacementTestCase : public TestCase
{
  public:
    NvlsPlacementTestCase()
        : TestCase("NVSwitches of communicators")
    {
    }

  private:
    void DoRun() override
    {
        // Servers of ranks 0 to 2 with two NVSwitches, 3 and 4 with one, 5 and 6 without; 7 alone.
        ParallelLayout layout;
        layout.world = 8;
        auto workload = std::make_shared<Workload>("test", "test", layout);
        const std::vector<std::pair<std::vector<uint32_t>, uint32_t>> expected{{{0, 1, 2}, 2},
                                                                               {{0, 1, 3, 4}, 1},
                                                                               {{0, 1, 3}, 2},
                                                                               {{2, 0, 5, 7}, 2},
                                                                               {{0, 1, 5, 6}, 0},
                                                                               {{0, 3, 5, 7}, 0},
                                                                               {{7}, 0}};
        for (const auto& [ranks, count] : expected)
        {
            workload->AddCommunicator({"c", Dimension::DP, ranks});
        }
        const auto apart = CollectivePlacement::NO_SERVER;
        RankPlacement placement(workload, {4, 4, 4, 2, 2, 3, 3, apart});
        placement.SetSwitches({{9, 2}, {9, 2}, {9, 2}, {8, 1}, {8, 1}, {11, 0}, {11, 0}, {0, 0}});
        for (uint32_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(placement.Get(i).GetNSwitches(),
                                  expected[i].second,
                                  "communicator " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(placement.GetSwitch(1, 0), 9, "the first NVSwitch");
        NS_TEST_EXPECT_MSG_EQ(placement.GetSwitch(1, 1), 10, "the second one");
        NS_TEST_EXPECT_MSG_EQ(placement.GetSwitch(1, 2), 9, "in turn");
        NS_TEST_EXPECT_MSG_EQ(placement.GetSwitch(3, 5), 8, "the only one");
        const RankPlacement none(workload, {4, 4, 4, 2, 2, 3, 3, apart});
        NS_TEST_EXPECT_MSG_EQ(none.Get(0).GetNSwitches(), 0, "none takes part");
    }
};

} // namespace

std::vector<TestCase*>
MakeNvlsDataTestCases()
{
    return {new NvlsDataTestCase({0, 0, 1, 0}),
            new NvlsDataTestCase({1, 3, 2, 0}),
            new NvlsDataTestCase({3, 2, 3, 0}),
            new NvlsDataTestCase({1, 10, 1, 4}),
            new NvlsBytesTestCase,
            new NvlsPiecesTestCase,
            new NvlsUnsupportedTestCase,
            new NvlsEndpointsTestCase,
            new NvlsPlacementTestCase};
}

} // namespace ns3
