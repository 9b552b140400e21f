/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "server-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A DGX H100.
const char* const DGX_H100 = "gpu0+nic0 gpu1+nic1 gpu2+nic2 gpu3+nic3 / "
                             "gpu4+nic4 gpu5+nic5 gpu6+nic6 gpu7+nic7";

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Descriptions of servers, right and wrong ones.
 */
class ServerDescriptionTestCase : public TestCase
{
  public:
    ServerDescriptionTestCase()
        : TestCase("descriptions of servers")
    {
    }

  private:
    void DoRun() override
    {
        const auto server = ServerDescription::Parse({REPORTED_SERVER, {"test", 0, 0, ""}});
        NS_TEST_EXPECT_MSG_EQ(server.gpus.size(), 8, "GPUs");
        NS_TEST_EXPECT_MSG_EQ(server.nics.size(), 7, "NICs");
        NS_TEST_EXPECT_MSG_EQ(server.gpus[3].cpu, 0, "the first CPU");
        NS_TEST_EXPECT_MSG_EQ(server.gpus[4].cpu, 1, "the second CPU");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(0).has_value(), false, "GPU 0 stands alone");
        NS_TEST_EXPECT_MSG_EQ(server.FindNearestNic(0), 0, "a NIC of its CPU");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(7).value_or(99), 6, "the NIC beside GPU 7");
        const auto shared = ServerDescription::Parse({"gpu0+gpu1+nic0+nic1", {"test", 0, 0, ""}});
        NS_TEST_EXPECT_MSG_EQ(shared.FindNic(0).value_or(99), 0, "two NICs for two GPUs");
        NS_TEST_EXPECT_MSG_EQ(shared.FindNic(1).value_or(99), 1, "two NICs for two GPUs");
        CheckFault("gpu0+nic0 cpu1", "found 'cpu1'");
        CheckFault("gpu0+nic0 gpu2",
                   "expected gpu1, GPUs and NICs each in order from 0 on, found "
                   "'gpu2'");
        CheckFault("gpu0 gpu0+nic0", "found 'gpu0'");
        CheckFault("gpu0 gpu1", "found no NIC");
        CheckFault("", "found no GPU");
    }

    /**
     * @param text a wrong description
     * @param end how the message about it ends
     */
    void CheckFault(const std::string& text, const std::string& end)
    {
        std::string message = "no error";
        try
        {
            ServerDescription::Parse({text, {"--server", 0, 0, ""}});
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message.find("--server: error: expected "), 0, message);
        const auto place = message.find(end);
        const bool isEnd = place != std::string::npos && place + end.size() == message.size();
        NS_TEST_EXPECT_MSG_EQ(isEnd, true, message);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Which GPU a tree over servers is tied to, where the trees of a server are balanced: the
 *        first GPU of its chain has the parent and the second child, the second GPU has the first
 *        child (connect.cc of NCCL 2.18.6).
 */
class BalancedTreeTestCase : public TestCase
{
  public:
    BalancedTreeTestCase()
        : TestCase("balanced trees over servers")
    {
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no server

    /// A server of a tree, as trees.cc has it.
    struct Row
    {
        uint32_t parent; //!< its parent
        uint32_t first;  //!< its first child
        uint32_t second; //!< its second child
    };

    void DoRun() override
    {
        // In the first tree 0 is the root, above 2 or 4; the second one is the first mirrored if
        // servers are even in number and shifted by one if not.
        Check({{NONE, NONE, 2}, {2, NONE, NONE}, {0, 1, 3}, {2, NONE, NONE}}, 0);
        Check({{1, NONE, NONE}, {3, 2, 0}, {1, NONE, NONE}, {NONE, NONE, 1}}, 1);
        Check({{NONE, NONE, 4}, {2, NONE, NONE}, {4, 1, 3}, {2, NONE, NONE}, {0, 2, NONE}}, 0);
        Check({{1, 3, NONE}, {NONE, NONE, 0}, {3, NONE, NONE}, {0, 2, 4}, {3, NONE, NONE}}, 1);
    }

    /**
     * @param rows what is expected of each server, which has two GPUs
     * @param channel a channel of trees
     */
    void Check(const std::vector<Row>& rows, uint32_t channel)
    {
        const auto servers = static_cast<uint32_t>(rows.size());
        const auto placement = PlaceInServers(DescribeServer(REPORTED_SERVER, 8), servers, 2);
        const auto& found = *placement->GetChannels();
        NS_TEST_ASSERT_MSG_EQ(found.GetTree().isSimpleTree, false, "they are balanced");
        // All servers are alike: the GPU that has the parent in the one has it in the others.
        const uint32_t up = found.FindTreePlace(channel, 0).parent == 1 ? 1 : 0;
        const auto member = [up](uint32_t server, bool isFirst) {
            return 2 * server + (isFirst ? up : 1 - up);
        };
        for (uint32_t server = 0; server < servers; ++server)
        {
            const auto& row = rows[server];
            const auto what = "server " + std::to_string(server) + " of " + std::to_string(servers);
            const auto top = found.FindTreePlace(channel, member(server, true));
            const auto below = found.FindTreePlace(channel, member(server, false));
            std::vector<uint32_t> children;
            if (row.second != NONE)
            {
                children.push_back(member(row.second, true));
            }
            children.push_back(member(server, false));
            NS_TEST_EXPECT_MSG_EQ((top.children == children), true, what << ": second child");
            children.clear();
            if (row.first != NONE)
            {
                children.push_back(member(row.first, true));
            }
            NS_TEST_EXPECT_MSG_EQ((below.children == children), true, what << ": first child");
            NS_TEST_EXPECT_MSG_EQ(below.parent, member(server, true), what << ": inside");
            auto parent = TreePlace::NO_PARENT;
            if (row.parent != NONE)
            {
                parent = member(row.parent, rows[row.parent].first != server);
            }
            NS_TEST_EXPECT_MSG_EQ(top.parent, parent, what << ": parent");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief All members have all contributions after an all-reduce on the channels found, with those
 *        who pass on for others; and no member of a tree has more than two neighbours below.
 */
class ChannelDataTestCase : public TestCase
{
  public:
    ChannelDataTestCase()
        : TestCase("all-reduces on the channels found")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t perServer = 1; perServer <= 8; ++perServer)
        {
            Check(DescribeServer(REPORTED_SERVER, 8), 2 + perServer % 2, perServer);
        }
        Check(DescribeServer(DGX_H100, 18), 1, 8);
        Check(DescribeServer(DGX_H100, 18), 4, 8);
        CheckRelays();
    }

    /**
     * The three rings of 10 GPUs leave each server by GPUs 2, 3 and 4, which GPU 0 hands to. They
     * pass on beside their own steps, 18 of an all-reduce: each step goes on when it is there.
     */
    void CheckRelays()
    {
        const auto placement = PlaceInServers(DescribeServer(REPORTED_SERVER, 8), 2, 5);
        const auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("ChunkBytes", UintegerValue(100000000));
        const auto plan = [&](uint32_t member) {
            CollectiveCall call{CollectiveKind::ALL_REDUCE, 100000000, member, 10};
            call.placement = placement.get();
            return ring->Plan(call);
        };
        const auto own = static_cast<uint32_t>(plan(1).size());
        NS_TEST_ASSERT_MSG_EQ(own, 3, "three rings, one piece in each");
        for (const uint32_t relay : {2, 3, 4})
        {
            const auto pipelines = plan(relay);
            NS_TEST_ASSERT_MSG_EQ(pipelines.size(), own + 1, "passes on in one of them");
            for (uint32_t pipeline = 0; pipeline < pipelines.size(); ++pipeline)
            {
                uint32_t steps = 0;
                for (CollectiveStep step; pipelines[pipeline]->Next(step); step.clear())
                {
                    ++steps;
                }
                const bool isOwn = pipeline < own;
                // Steps overlap by one: the last one only sends.
                NS_TEST_EXPECT_MSG_EQ(steps, (isOwn ? 18 : 19), "steps of pipeline " << pipeline);
                NS_TEST_EXPECT_MSG_EQ((pipelines[pipeline]->GetPeerPipeline(pipeline) < own),
                                      true,
                                      "whom to");
                NS_TEST_EXPECT_MSG_EQ((pipelines[pipeline]->GetPeerPipeline(pipeline) == pipeline),
                                      isOwn,
                                      "its own");
            }
        }
    }

    /**
     * @param channels finds the channels of a server
     * @param servers number of servers
     * @param perServer GPUs of each
     */
    void Check(std::shared_ptr<const ServerChannels> channels, uint32_t servers, uint32_t perServer)
    {
        const auto placement = PlaceInServers(channels, servers, perServer);
        const auto size = servers * perServer;
        const uint64_t bytes = 10000 + size;
        // Each channel has several chunks, and a last one that is shorter.
        auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("ChunkBytes", UintegerValue(300));
        const std::vector<Ptr<CollectiveAlgorithm>> algorithms{ring,
                                                               CreateObject<TreeCollective>()};
        for (const auto& algorithm : algorithms)
        {
            CollectiveChecker checker(
                algorithm,
                {CollectiveKind::ALL_REDUCE, bytes, 0, size, nullptr, placement.get()});
            NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker),
                                  "",
                                  algorithm->GetName() << " on " << servers << " of " << perServer);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Servers that are described, and the channels that collectives use in them.
 */
class WorkloadReplayServerTestSuite : public TestSuite
{
  public:
    WorkloadReplayServerTestSuite()
        : TestSuite("workload-replay-server", TestSuite::Type::UNIT)
    {
        AddTestCase(new ServerDescriptionTestCase);
        AddTestCase(new BalancedTreeTestCase);
        AddTestCase(MakeChannelTuningTestCase());
        AddTestCase(new ChannelDataTestCase);
        for (const auto& cases : {MakeNcclFileTestCases(), MakePeerChannelsTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayServerTestSuite g_workloadReplayServerTestSuite;
