/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "collective-time-test-cases.h"

#include "ns3/chain-collective.h"
#include "ns3/halving-doubling-collective.h"
#include "ns3/tree-collective.h"
#include "ns3/tree-pipeline.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Nobody leaves a barrier before it has heard, if in a roundabout way, of all others.
 */
class BarrierTestCase : public TestCase
{
  public:
    BarrierTestCase()
        : TestCase("everybody hears of everybody in a barrier")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t size = 1; size <= 33; ++size)
        {
            Check(size);
        }
        for (const uint32_t size : {64, 128, 1000})
        {
            Check(size);
        }
    }

    /**
     * @param size number of members
     */
    void Check(uint32_t size)
    {
        CollectiveChecker checker(CreateObject<HalvingDoublingCollective>(),
                                  {CollectiveKind::BARRIER, 0, 0, size});
        NS_TEST_EXPECT_MSG_EQ(DescribeFault(checker), "", size << " members");
        uint32_t expected = 0;
        while ((1U << expected) < size)
        {
            ++expected;
        }
        for (uint32_t i = 0; i < size; ++i)
        {
            const auto& traffic = checker.GetTraffic(i);
            NS_TEST_EXPECT_MSG_EQ(traffic.steps, expected, "ceil(log2 " << size << ") steps");
            NS_TEST_EXPECT_MSG_EQ(traffic.sentBytes, 0, "no bytes in a barrier");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Steps and bytes against closed forms.
 */
class StepsTestCase : public TestCase
{
  public:
    StepsTestCase()
        : TestCase("steps and bytes of tree, chain and halving-doubling")
    {
    }

  private:
    void DoRun() override
    {
        auto halving = CreateObject<HalvingDoublingCollective>();
        for (uint32_t k = 1; k <= 7; ++k)
        {
            const uint32_t size = 1U << k;
            const uint64_t bytes = 4 * size;
            // All members alike: 2 (N - 1) / N of the buffer, one half of it each way.
            Check(halving, CollectiveKind::ALL_REDUCE, size, bytes, 2 * k, 2 * (bytes - 4));
            Check(halving, CollectiveKind::ALL_GATHER, size, bytes, k, bytes - 4);
            Check(halving, CollectiveKind::REDUCE_SCATTER, size, bytes, k, bytes - 4);
        }
        Check(halving, CollectiveKind::ALL_GATHER, 5, 20, 3, 16);
        Check(halving, CollectiveKind::REDUCE_SCATTER, 33, 66, 6, 64);
        Check(halving, CollectiveKind::ALL_REDUCE, 3, 12, 2 * 2, 2 * 8);
        Check(halving, CollectiveKind::ALL_REDUCE, 5, 20, 2 * 3, 2 * 16);
        Check(halving, CollectiveKind::ALL_REDUCE, 33, 66, 2 * 6, 2 * 64);
        // As a leaf of one tree each makes one step; nodes 1 and 2, within the other one, receive,
        // send up and receive, and send down; its root receives and sends down.
        auto tree = CreateObject<TreeCollective>();
        CheckSteps(tree, CollectiveKind::ALL_REDUCE, {3, 4, 4, 3});
        // 3 pieces: a member sends one as it receives the next.
        auto chain = CreateObject<ChainCollective>();
        chain->SetAttribute("ChunkBytes", UintegerValue(4));
        chain->SetAttribute("PipelineDepth", UintegerValue(1));
        CheckSteps(chain, CollectiveKind::BROADCAST, {3, 4, 4, 3});
        CheckSteps(chain, CollectiveKind::REDUCE, {3, 3, 4, 4});
        CheckTrees();
    }

    /**
     * Check all members of a collective that are alike.
     *
     * @param algorithm the algorithm
     * @param kind the collective
     * @param size number of members
     * @param bytes length of the buffer
     * @param steps steps of each member
     * @param sent bytes that each member sends
     */
    void Check(Ptr<const CollectiveAlgorithm> algorithm,
               CollectiveKind kind,
               uint32_t size,
               uint64_t bytes,
               uint64_t steps,
               uint64_t sent)
    {
        CollectiveChecker checker(algorithm, {kind, bytes, 0, size});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", ToString(kind));
        for (uint32_t i = 0; i < size; ++i)
        {
            const auto& traffic = checker.GetTraffic(i);
            NS_TEST_ASSERT_MSG_EQ(traffic.steps, steps, ToString(kind) << " on " << size);
            NS_TEST_ASSERT_MSG_EQ(traffic.sentBytes, sent, ToString(kind) << " on " << size);
        }
    }

    /**
     * Check a collective of 12 bytes, the root of which is member 0.
     *
     * @param algorithm the algorithm
     * @param kind the collective
     * @param steps steps of each member
     */
    void CheckSteps(Ptr<const CollectiveAlgorithm> algorithm,
                    CollectiveKind kind,
                    const std::vector<uint64_t>& steps)
    {
        CollectiveChecker checker(algorithm, {kind, 12, 0, static_cast<uint32_t>(steps.size())});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", ToString(kind));
        for (uint32_t i = 0; i < steps.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(checker.GetTraffic(i).steps,
                                  steps[i],
                                  ToString(kind) << " on " << i);
        }
    }

    /// Check shapes of trees.
    void CheckTrees()
    {
        for (uint32_t size = 1; size <= 130; ++size)
        {
            uint32_t logarithm = 0;
            while ((1U << logarithm) < size)
            {
                ++logarithm;
            }
            CheckShape(&TreePlace::MakeChain, size, size - 1, 1);
            CheckShape(&TreePlace::MakeBinomial, size, logarithm, logarithm);
            CheckShape(&TreePlace::MakeInOrder, size, logarithm, 2);
            CheckShape(&TreePlace::MakeInOrderTwin, size, logarithm, 2);
            uint32_t inBoth = 0;
            for (uint32_t node = 0; node < size; ++node)
            {
                const bool inFirst = !TreePlace::MakeInOrder(size, node).children.empty();
                const bool inTwin = !TreePlace::MakeInOrderTwin(size, node).children.empty();
                inBoth += inFirst && inTwin ? 1 : 0;
            }
            NS_TEST_EXPECT_MSG_LT_OR_EQ(inBoth, size % 2, "nodes within both trees of " << size);
        }
    }

    /**
     * Check that the places of all nodes make a tree.
     *
     * @param make makes places
     * @param size number of nodes
     * @param height height that they should give
     * @param degree most children of a node
     */
    void CheckShape(TreePlace::Maker make, uint32_t size, uint32_t height, std::size_t degree)
    {
        uint32_t roots = 0;
        uint32_t edges = 0;
        for (uint32_t node = 0; node < size; ++node)
        {
            const auto place = make(size, node);
            NS_TEST_EXPECT_MSG_EQ(place.height, height, "height of " << size);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(place.depth, height, "depth of " << node);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(place.children.size(), degree, "children of " << node);
            for (const auto child : place.children)
            {
                ++edges;
                NS_TEST_ASSERT_MSG_LT(child, size, "a child of " << node);
                NS_TEST_EXPECT_MSG_EQ(make(size, child).parent, node, "parent of " << child);
                NS_TEST_EXPECT_MSG_EQ(make(size, child).depth, place.depth + 1, "depth");
            }
            roots += place.parent == TreePlace::NO_PARENT ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(roots, 1, "roots of a tree of " << size);
        NS_TEST_EXPECT_MSG_EQ(edges, size - 1, "edges of a tree of " << size);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What the algorithms make of the servers that the members stand in.
 */
class LayoutTestCase : public TestCase
{
  public:
    LayoutTestCase()
        : TestCase("channels, rails and neighbours that follow from the servers")
    {
    }

  private:
    void DoRun() override
    {
        CheckChannels(CreateObject<TreeCollective>(), CollectiveKind::ALL_REDUCE, 2, 1, 6);
        CheckChannels(CreateObject<TreeCollective>(), CollectiveKind::BROADCAST, 1, 1, 1);
        CheckChannels(CreateObject<ChainCollective>(), CollectiveKind::REDUCE, 1, 1, 3);

        const std::vector<uint32_t> servers = SpreadInBlocks({3, 3, 3, 3});
        auto tree = CreateObject<TreeCollective>();
        const CollectivePlacement fourServers(servers);
        for (uint32_t member = 0; member < servers.size(); ++member)
        {
            for (const auto& [channel, peer, bytes] :
                 ListSends(*tree, CollectiveKind::ALL_REDUCE, 600, member, fourServers))
            {
                const uint32_t rail = channel / 2;
                const bool crosses = servers[member] != servers[peer];
                NS_TEST_EXPECT_MSG_EQ((crosses && member % 3 != rail), false, "from " << member);
                NS_TEST_EXPECT_MSG_EQ((crosses && peer % 3 != rail), false, "to " << peer);
            }
        }

        // Broadcast and reduce both go round the ring of the channel, from rail to rail.
        auto chain = CreateObject<ChainCollective>();
        for (const auto kind : {CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
        {
            for (uint32_t member = 0; member < servers.size(); ++member)
            {
                for (const auto& [channel, peer, bytes] :
                     ListSends(*chain, kind, 600, member, fourServers))
                {
                    const auto& ring = fourServers.GetRing(channel);
                    const auto next = (ring.GetPosition(member) + 1) % servers.size();
                    NS_TEST_EXPECT_MSG_EQ(ring.GetPosition(peer), next, "from " << member);
                }
            }
        }

        // Members of two servers in turn. Only the shortest messages cross: an eighth each way.
        const std::vector<uint32_t> dealt{0, 1, 0, 1, 0, 1, 0, 1};
        auto halving = CreateObject<HalvingDoublingCollective>();
        const CollectivePlacement twoServers(dealt);
        for (uint32_t member = 0; member < dealt.size(); ++member)
        {
            uint64_t across = 0;
            for (const auto& [channel, peer, bytes] :
                 ListSends(*halving, CollectiveKind::ALL_REDUCE, 800, member, twoServers))
            {
                across += dealt[peer] == dealt[member] ? 0 : bytes;
            }
            NS_TEST_EXPECT_MSG_EQ(across, 200, "bytes to the other server from " << member);
        }
    }

    /**
     * @param algorithm an algorithm
     * @param kind a collective
     * @param unknown channels of it when it is not known where the members stand
     * @param together channels when they share a server
     * @param spread channels when the largest of two servers has 3
     */
    void CheckChannels(Ptr<CollectiveAlgorithm> algorithm,
                       CollectiveKind kind,
                       uint32_t unknown,
                       uint32_t together,
                       uint32_t spread)
    {
        const CollectivePlacement one(SpreadInBlocks({5}));
        const CollectivePlacement two(SpreadInBlocks({2, 3}));
        CollectiveCall call{kind, 1000, 0, 5};
        NS_TEST_EXPECT_MSG_EQ(algorithm->GetChannels(call), unknown, "not known where");
        call.placement = &one;
        NS_TEST_EXPECT_MSG_EQ(algorithm->GetChannels(call), together, "one server");
        call.placement = &two;
        NS_TEST_EXPECT_MSG_EQ(algorithm->GetChannels(call), spread, "two servers");
        algorithm->SetAttribute("Channels", UintegerValue(7));
        NS_TEST_EXPECT_MSG_EQ(algorithm->GetChannels(call), 7, "as asked for");
    }

    /// Channel, receiver and bytes of a message.
    using Sent = std::tuple<uint32_t, uint32_t, uint64_t>;

    /**
     * @param algorithm an algorithm
     * @param kind a collective; its root is member 0
     * @param bytes length of the buffer
     * @param member a member
     * @param placement where the members stand
     * @return what the member sends
     */
    static std::vector<Sent> ListSends(const CollectiveAlgorithm& algorithm,
                                       CollectiveKind kind,
                                       uint64_t bytes,
                                       uint32_t member,
                                       const CollectivePlacement& placement)
    {
        const auto size = static_cast<uint32_t>(placement.GetOrder().size());
        std::vector<Sent> sent;
        CollectiveStep step;
        for (const auto& pipeline :
             algorithm.Plan({kind, bytes, member, size, nullptr, &placement}))
        {
            while (pipeline->Next(step))
            {
                for (const auto& transfer : step)
                {
                    if (transfer.action == CollectiveTransfer::SEND)
                    {
                        sent.emplace_back(pipeline->GetChannel(), transfer.peer, transfer.bytes);
                    }
                }
            }
        }
        return sent;
    }
};

} // namespace

std::vector<TestCase*>
MakeCollectiveStepTestCases()
{
    return {new StepsTestCase, new BarrierTestCase, new LayoutTestCase};
}

} // namespace ns3
