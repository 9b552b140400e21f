/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "collnet-test-cases.h"

#include "ns3/fabric-parameters.h"
#include "ns3/object-factory.h"
#include "ns3/switch-trees.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-spec.h"
#include "ns3/uinteger.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// How an algorithm cuts.
struct Setting
{
    std::string type;    //!< TypeId of the algorithm, without prefix and suffix
    uint32_t channels;   //!< attribute Channels
    uint64_t chunkBytes; //!< attribute ChunkBytes
    uint32_t window;     //!< attribute Window
};

/**
 * @param setting how it is to cut
 * @return the algorithm
 */
Ptr<CollectiveAlgorithm>
Create(const Setting& setting)
{
    auto algorithm =
        ObjectFactory("ns3::Collnet" + setting.type + "Collective").Create<CollectiveAlgorithm>();
    algorithm->SetAttribute("Channels", UintegerValue(setting.channels));
    algorithm->SetAttribute("ChunkBytes", UintegerValue(setting.chunkBytes));
    algorithm->SetAttribute("Window", UintegerValue(setting.window));
    return algorithm;
}

/**
 * @ingroup workload-replay-tests
 * @brief Every member ends with the data it should have, whatever the members and servers, and one
 *        member of each server speaks to the network, with one chunk of a pipeline at a time.
 */
class CollnetDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param setting how the algorithm cuts
     */
    explicit CollnetDataTestCase(const Setting& setting)
        : CollectiveDataTestCase("collnet, " + setting.type + ", " +
                                     std::to_string(setting.channels) + " channels, chunks of " +
                                     std::to_string(setting.chunkBytes) + " bytes, window " +
                                     std::to_string(setting.window),
                                 Create(setting),
                                 setting.chunkBytes)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& sizes : std::vector<std::vector<uint32_t>>{{1, 1},
                                                                    {1, 1, 1, 1, 1, 1, 1},
                                                                    {2, 2},
                                                                    {8, 8},
                                                                    {8, 4},
                                                                    {1, 2, 1},
                                                                    {3, 2, 2},
                                                                    {8, 8, 8, 8, 1},
                                                                    {1, 1, 5, 1, 3, 7, 2}})
        {
            std::vector<uint32_t> servers;
            for (uint32_t server = 0; server < sizes.size(); ++server)
            {
                servers.insert(servers.end(), sizes[server], server);
            }
            const auto size = static_cast<uint32_t>(servers.size());
            CollectivePlacement placement(servers);
            placement.SetReductionUnsupportedReason("");
            for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
            {
                CheckAll(bytes, size, &placement);
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Trees of switches of topologies that are known by heart.
 */
class SwitchTreesTestCase : public TestCase
{
  public:
    SwitchTreesTestCase()
        : TestCase("trees of network switches")
    {
    }

  private:
    void DoRun() override
    {
        CheckLeafSpine();
        CheckFatTree();
        CheckSharedNics();
        CheckUnsupported();
    }

    /**
     * @param text a topology
     * @param world number of hosts
     * @param gpusPerServer hosts of a server
     * @param nicsPerServer NICs of a server; 0 = one each
     * @return it
     */
    static TopologyGraph Build(const std::string& text,
                               uint32_t world,
                               uint32_t gpusPerServer = 1,
                               uint32_t nicsPerServer = 0)
    {
        FabricParameters parameters;
        parameters.gpusPerServer = gpusPerServer;
        parameters.nicsPerServer = nicsPerServer;
        return TopologyBuilder::Build(TopologySpec(text, "test"), world, parameters);
    }

    /**
     * Check that a tree is one: every switch but the root hangs below one whose child it is and
     * that it is linked to, and so does every host.
     *
     * @param graph the fabric
     * @param tree the tree
     * @param hosts its hosts
     * @return its root
     */
    uint32_t CheckTree(const TopologyGraph& graph,
                       const SwitchTree& tree,
                       const std::vector<uint32_t>& hosts)
    {
        NS_TEST_EXPECT_MSG_EQ(tree.reason, "", "there is a tree");
        NS_TEST_EXPECT_MSG_EQ(tree.above.size(), hosts.size(), "all hosts are in it");
        uint32_t root = SwitchTree::NO_PARENT;
        std::size_t below = 0;
        for (const auto& [node, place] : tree.switches)
        {
            below += place.children.size();
            if (place.parent == SwitchTree::NO_PARENT)
            {
                NS_TEST_EXPECT_MSG_EQ(root, SwitchTree::NO_PARENT, "one root");
                root = node;
            }
            for (const auto child : place.children)
            {
                const bool isHost = graph.GetNode(child).kind == TopologyGraph::HOST;
                const auto above = isHost ? tree.above.at(child) : tree.switches.at(child).parent;
                NS_TEST_EXPECT_MSG_EQ(above, node, "child and parent know each other");
                bool isLinked = false;
                for (const auto link : graph.GetLinksOf(child))
                {
                    isLinked = isLinked || graph.GetPeer(link, child) == node;
                }
                NS_TEST_EXPECT_MSG_EQ(isLinked, true, "they are neighbours");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(below, tree.switches.size() - 1 + hosts.size(), "each hangs once");
        return root;
    }

    /// 16 hosts below 4 leaves and 4 spines.
    void CheckLeafSpine()
    {
        const auto graph = Build("clos:leaves=4", 16);
        const SwitchTrees trees(graph);
        const auto& hosts = graph.GetHosts();
        const auto nSpines = trees.GetSwitches().size() - 4;
        std::set<uint32_t> roots;
        for (uint32_t index = 0; index < nSpines; ++index)
        {
            const auto tree = trees.Find(hosts, index);
            NS_TEST_EXPECT_MSG_EQ(tree.switches.size(), 5, "the leaves and a spine");
            const auto root = CheckTree(graph, tree, hosts);
            NS_TEST_EXPECT_MSG_EQ(tree.switches.at(root).children.size(), 4, "leaves below it");
            NS_TEST_EXPECT_MSG_EQ(tree.above.count(root), 0, "no host does");
            roots.insert(root);
        }
        NS_TEST_EXPECT_MSG_EQ(roots.size(), nSpines, "trees take the spines in turn");
        // Hosts of one leaf do not need a spine.
        const std::vector<uint32_t> some(hosts.begin(), hosts.begin() + 3);
        const auto tree = trees.Find(some, 5);
        NS_TEST_EXPECT_MSG_EQ(tree.switches.size(), 1, "the leaf alone");
        NS_TEST_EXPECT_MSG_EQ(CheckTree(graph, tree, some), tree.above.at(some[0]), "their leaf");
    }

    /// The fat-tree of 4-port switches: 4 pods of 2 edge and 2 aggregation switches, 4 cores.
    void CheckFatTree()
    {
        const auto graph = Build("fat-tree:k=4", 16);
        const SwitchTrees trees(graph);
        const auto& hosts = graph.GetHosts();
        NS_TEST_EXPECT_MSG_EQ(trees.GetSwitches().size(), 20, "switches");
        std::set<uint32_t> roots;
        for (uint32_t index = 0; index < 4; ++index)
        {
            const auto tree = trees.Find(hosts, index);
            NS_TEST_EXPECT_MSG_EQ(tree.switches.size(), 8 + 4 + 1, "edges, one above each pair");
            roots.insert(CheckTree(graph, tree, hosts));
        }
        NS_TEST_EXPECT_MSG_EQ(roots.size(), 4, "the cores in turn");
        const std::vector<uint32_t> pod(hosts.begin(), hosts.begin() + 4);
        const auto tree = trees.Find(pod, 0);
        NS_TEST_EXPECT_MSG_EQ(tree.switches.size(), 3, "a pod needs no core");
        CheckTree(graph, tree, pod);
    }

    /// NICs that two ranks share do not add, and are no neighbours in the tree.
    void CheckSharedNics()
    {
        const auto graph = Build("clos:leaves=2", 16, 4, 2);
        const SwitchTrees trees(graph);
        for (const auto node : trees.GetSwitches())
        {
            const auto& name = graph.GetNode(node).name;
            NS_TEST_EXPECT_MSG_EQ(name.find("nic"), std::string::npos, name << " is no NIC");
        }
        const auto tree = trees.Find({graph.GetHosts()[0], graph.GetHosts()[15]}, 0);
        NS_TEST_EXPECT_MSG_EQ(tree.reason, "", "there is a tree by way of the NICs");
        NS_TEST_EXPECT_MSG_EQ(tree.switches.size(), 3, "two leaves and a spine");
    }

    /// Where there is no tree.
    void CheckUnsupported()
    {
        const auto torus = Build("torus:dims=4x4", 16);
        NS_TEST_EXPECT_MSG_EQ(SwitchTrees(torus).Find(torus.GetHosts(), 0).reason,
                              "the hosts of this topology relay packets, and there are no switches "
                              "above them that could add",
                              "torus");
        TopologyGraph lonely;
        const auto hosts = {lonely.AddHost("a"), lonely.AddHost("b"), lonely.AddHost("c")};
        const auto first = lonely.AddSwitch("first");
        const auto second = lonely.AddSwitch("second");
        lonely.AddLink(0, first, DataRate("1Gbps"), Time(0));
        lonely.AddLink(1, second, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(SwitchTrees(lonely).Find(hosts, 0).reason,
                              "c is linked to no switch of the network",
                              "no switch");
        lonely.AddLink(2, second, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(SwitchTrees(lonely).Find(hosts, 0).reason,
                              "no switch of the network reaches all of its servers by way of "
                              "switches",
                              "two parts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What collnet-chain says that it cannot do, and how NCCL's chunks follow from the size.
 */
class CollnetSuitsTestCase : public TestCase
{
  public:
    CollnetSuitsTestCase()
        : TestCase("what collnet-chain suits")
    {
    }

  private:
    void DoRun() override
    {
        const auto algorithm = Create({"Chain", 0, 0, 8});
        NS_TEST_EXPECT_MSG_EQ(algorithm->Supports(CollectiveKind::ALL_REDUCE), true, "all-reduce");
        NS_TEST_EXPECT_MSG_EQ(algorithm->Supports(CollectiveKind::ALL_GATHER), false, "alone");
        CollectiveCall call{CollectiveKind::ALL_REDUCE, 1 << 20, 0, 2};
        NS_TEST_EXPECT_MSG_EQ(algorithm->FindUnsupportedReason(call),
                              "it is not known where its members stand",
                              "nowhere");
        const CollectivePlacement one({0, 0}, 1);
        call.placement = &one;
        NS_TEST_EXPECT_MSG_EQ(
            algorithm->FindUnsupportedReason(call),
            "its members stand in one server, so that nothing crosses the network",
            "one server");
        CollectivePlacement two({0, 1});
        call.placement = &two;
        NS_TEST_EXPECT_MSG_EQ(algorithm->FindUnsupportedReason(call),
                              "switches of its network do not add",
                              "nobody has said that they do");
        two.SetReductionUnsupportedReason("there are none");
        NS_TEST_EXPECT_MSG_EQ(algorithm->FindUnsupportedReason(call), "there are none", "reason");
        two.SetReductionUnsupportedReason("");
        NS_TEST_EXPECT_MSG_EQ(algorithm->Suits(call), true, "two servers");
        // enqueue.cc, a chain of one: 64 chunks of 256 KiB or more stay, fewer than 64 are halved
        // to 128 KiB, then fewer than 8 to 64 KiB, and less than one to 32 KiB.
        CheckChunk(call, 64ULL << 18, 1 << 18);
        CheckChunk(call, (64ULL << 18) - 8, 1 << 17);
        CheckChunk(call, 8ULL << 17, 1 << 17);
        CheckChunk(call, 7ULL << 17, 1 << 16);
        CheckChunk(call, 1ULL << 16, 1 << 16);
        CheckChunk(call, (1ULL << 16) - 8, 1 << 15);
    }

    /**
     * @param call a collective of two servers of one member
     * @param bytes its bytes
     * @param expected its longest message
     */
    void CheckChunk(CollectiveCall call, uint64_t bytes, uint64_t expected)
    {
        call.bytes = bytes;
        uint64_t largest = 0;
        CollectiveStep step;
        for (const auto& pipeline : Create({"Chain", 0, 0, 8})->Plan(call))
        {
            while (pipeline->Next(step))
            {
                for (const auto& transfer : step)
                {
                    largest = std::max(largest, transfer.bytes);
                }
            }
        }
        // Chunks are cut equally.
        NS_TEST_EXPECT_MSG_GT(largest, expected / 2, "chunk of " << bytes);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(largest, expected, "chunk of " << bytes);
    }
};

} // namespace

std::vector<TestCase*>
MakeCollnetDataTestCases()
{
    std::vector<TestCase*> cases{new SwitchTreesTestCase, new CollnetSuitsTestCase};
    for (const std::string type : {"Chain", "Direct"})
    {
        for (const auto& setting : {Setting{type, 0, 0, 8},
                                    Setting{type, 0, 3, 1},
                                    Setting{type, 2, 7, 3},
                                    Setting{type, 5, 1, 4}})
        {
            cases.push_back(new CollnetDataTestCase(setting));
        }
    }
    return cases;
}

} // namespace ns3
