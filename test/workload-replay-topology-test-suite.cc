/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-tools.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-spec.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Fat-trees: counts, ports, hops and paths of section 2.2 of Al-Fares et al.
 */
class FatTreeTopologyTestCase : public TestCase
{
  public:
    FatTreeTopologyTestCase()
        : TestCase("fat-tree: counts, hops and paths")
    {
    }

  private:
    void DoRun() override;
};

void
FatTreeTopologyTestCase::DoRun()
{
    const EcmpRouteTable table(BuildTopology("fat-tree:k=4", 16));
    const auto& graph = table.GetGraph();
    NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), 16 + 20, "k^3/4 hosts, 5k^2/4 switches");
    NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 48, "k^3/4 at each of three levels");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "core"), 4, "(k/2)^2 cores");
    for (uint32_t node = 16; node < graph.GetNNodes(); ++node)
    {
        NS_TEST_EXPECT_MSG_EQ(graph.GetLinksOf(node).size(),
                              4,
                              graph.GetNode(node).name << " has k ports");
    }
    NS_TEST_EXPECT_MSG_EQ(PeersOf(graph, FindNode(graph, "core2")),
                          "pod0-agg1 pod1-agg1 pod2-agg1 pod3-agg1",
                          "core 2 is the first of the second aggregation switch of every pod");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 1), 2, "one edge");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 3), 4, "one pod");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 4), 6, "two pods");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(table, 0, 3), 2, "k/2 ways within a pod");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(table, 0, 15), 4, "(k/2)^2 ways between pods");

    const EcmpRouteTable eight(BuildTopology("fat-tree:k=8", 128));
    NS_TEST_EXPECT_MSG_EQ(eight.GetGraph().GetNNodes(), 128 + 80, "5k^2/4 switches");
    NS_TEST_EXPECT_MSG_EQ(eight.GetGraph().GetNLinks(), 3 * 128, "3k^3/4 links");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(eight, 0, 127), 16, "(k/2)^2 ways between pods");

    const std::map<uint32_t, uint32_t> smallest{{2, 2}, {3, 4}, {16, 4}, {17, 6}, {54, 6}, {55, 8}};
    for (const auto& [world, k] : smallest)
    {
        NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("fat-tree", world), "core"),
                              k * k / 4,
                              "smallest k for " << world);
    }
    const auto thin = BuildTopology("fat-tree:k=4,oversubscription=2", 32);
    NS_TEST_EXPECT_MSG_EQ(thin.GetNNodes(), 32 + 20, "twice the hosts at as many switches");
    NS_TEST_EXPECT_MSG_EQ(GetOversubscription(thin, FindNode(thin, "pod3-edge1")), 2, "2:1");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("fat-tree:oversubscription=1.5", 3), "core"),
                          4,
                          "k=2 would have 1.5 hosts per edge");
}

/**
 * @ingroup workload-replay-tests
 * @brief Hosts at the same two switches are of one class, whichever of their links is preferred.
 */
class HostClassTestCase : public TestCase
{
  public:
    HostClassTestCase()
        : TestCase("classes of hosts")
    {
    }

  private:
    void DoRun() override
    {
        TopologyGraph graph;
        const auto a = graph.AddHost("a");
        const auto b = graph.AddHost("b");
        const auto first = graph.AddSwitch("first");
        const auto second = graph.AddSwitch("second");
        const auto spine = graph.AddSwitch("spine");
        const DataRate rate("1Gbps");
        // Links that are preferred stand before others.
        graph.AddLink(a, first, rate, Time(), true);
        graph.AddLink(a, second, rate, Time());
        graph.AddLink(b, second, rate, Time(), true);
        graph.AddLink(b, first, rate, Time());
        graph.AddLink(first, spine, rate, Time());
        graph.AddLink(second, spine, rate, Time());
        NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(graph).GetNHostClasses(), 1, "one class");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Rail-optimised leaf-spines: a published topology link by link, groups, spines, auto.
 */
class RailTopologyTestCase : public TestCase
{
  public:
    RailTopologyTestCase()
        : TestCase("rail and auto: a published topology, groups, spines")
    {
    }

  private:
    /// Check the graph against SimAI's topology file of 16 GPUs.
    void CheckPublished();
    /// Check the number and the bandwidth of leaves and spines.
    void CheckGroups();
    void DoRun() override;
};

void
RailTopologyTestCase::CheckPublished()
{
    FabricParameters parameters;
    parameters.nicRate = DataRate("100Gbps");
    parameters.nvlinkRate = DataRate("2400Gbps");
    const TopologySpec spec("rail:uplinkRate=400Gbps,oversubscription=0.5,spines=1");
    const EcmpRouteTable table(TopologyBuilder::Build(spec, 16, parameters));
    const auto& graph = table.GetGraph();
    // The file has nodes 0 to 15 as hosts, 16 and 17 as NVSwitches, 18 to 25 as rails, 26 as spine.
    std::multimap<std::pair<uint32_t, uint32_t>, uint64_t> expected;
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        expected.insert({{rank, 16 + rank / 8}, 2400000000000});
        expected.insert({{rank, 18 + rank % 8}, 100000000000});
    }
    for (uint32_t rail = 18; rail < 26; ++rail)
    {
        expected.insert({{rail, 26}, 400000000000});
    }
    std::multimap<std::pair<uint32_t, uint32_t>, uint64_t> found;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        const auto& ends = graph.GetLink(link);
        found.insert({{ends.a, ends.b}, ends.rate.GetBitRate()});
    }
    NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), 27, "nodes of the file");
    NS_TEST_EXPECT_MSG_EQ((found == expected), true, "links of the file");
    NS_TEST_EXPECT_MSG_EQ(graph.GetNode(25).name, "rail7-leaf0", "the last rail");

    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 8), 2, "one rail: its leaf");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 9), 4, "two rails: the spine");
    NS_TEST_EXPECT_MSG_EQ(graph.GetLink(table.GetNextLinks(0, 1)[0]).nvlink, true, "one server");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 1), 2, "one server: its NVSwitch");
}

void
RailTopologyTestCase::CheckGroups()
{
    const EcmpRouteTable groups(BuildTopology("rail:serversPerGroup=2,spines=2", 32, 8));
    const auto& graph = groups.GetGraph();
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "leaf"), 16, "8 rails of 2 leaves");
    NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 32 + 32 + 16 * 2, "NVLinks, NICs, uplinks");
    NS_TEST_EXPECT_MSG_EQ(groups.GetHopCount(0, 8), 2, "servers 0 and 1 are in one group");
    NS_TEST_EXPECT_MSG_EQ(groups.GetHopCount(0, 16), 4, "servers 0 and 2 are not");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(groups, 0, 16), 2, "two spines");
    NS_TEST_EXPECT_MSG_EQ(GetOversubscription(graph, FindNode(graph, "rail5-leaf1")), 1, "1:1");
    const auto thin = BuildTopology("rail:oversubscription=4", 512, 8);
    NS_TEST_EXPECT_MSG_EQ(GetOversubscription(thin, FindNode(thin, "rail0-leaf0")), 4, "4:1");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(thin, "spine"), 1, "8 leaves x 16 uplinks fit 128 ports");

    // 8 leaves x 64 uplinks need four spines of 128 ports. 65 servers make two groups of 33; 16
    // leaves x 33 uplinks need five, and the next divisor of 33 is 11.
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("auto", 512, 8), "spine"), 4, "512 ports");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("auto", 520, 8), "spine"), 11, "528 ports");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("auto", 520, 8), "leaf"), 16, "two groups");
}

void
RailTopologyTestCase::DoRun()
{
    CheckPublished();
    CheckGroups();

    NS_TEST_EXPECT_MSG_EQ(BuildTopology("auto", 128, 8).GetName(), "rail", "what auto is");
    const auto one = BuildTopology("auto", 8, 8);
    NS_TEST_EXPECT_MSG_EQ(one.GetNNodes(), 8 + 1 + 8 + 1, "hosts, NVSwitch, rails, spine");
    NS_TEST_EXPECT_MSG_EQ(one.GetNLinks(), 8 + 8 + 8, "NVLinks, NICs, uplinks");
    const auto partial = BuildTopology("auto", 13, 8);
    NS_TEST_EXPECT_MSG_EQ(partial.GetNLinks(), 13 + 13 + 8 * 2, "the last server has 5 ranks");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("auto", 3, 8), "leaf"),
                          3,
                          "as many rails as ranks");

    const auto single = BuildTopology("auto", 64);
    NS_TEST_EXPECT_MSG_EQ(single.GetNNodes(), 64 + 1, "a single rail of up to 64 is one switch");
    const auto two = BuildTopology("auto", 100);
    NS_TEST_EXPECT_MSG_EQ(two.GetNNodes(), 100 + 2 + 1, "two even leaves, one spine of 100 ports");
    NS_TEST_EXPECT_MSG_EQ(two.GetLinksOf(FindNode(two, "rail0-leaf1")).size(), 100, "50 + 50");
}

/**
 * @ingroup workload-replay-tests
 * @brief All topologies at odd numbers of ranks, with all kinds of NICs.
 */
class TopologyReachTestCase : public TestCase
{
  public:
    TopologyReachTestCase()
        : TestCase("every topology joins all ranks of any world")
    {
    }

  private:
    /**
     * Check that routes lead from every rank to every other in as many hops as they say.
     *
     * @param graph the topology
     * @param world number of ranks
     */
    void Check(TopologyGraph graph, uint32_t world);
    void DoRun() override;
};

void
TopologyReachTestCase::Check(TopologyGraph graph, uint32_t world)
{
    const auto name = graph.GetName();
    const EcmpRouteTable table(std::move(graph));
    const auto& hosts = table.GetGraph().GetHosts();
    NS_TEST_ASSERT_MSG_EQ(hosts.size(), world, name << ": ranks");
    uint32_t wrong = 0;
    for (const auto from : hosts)
    {
        for (const auto to : hosts)
        {
            wrong += table.GetPath(from, to, 7, 8).size() != table.GetHopCount(from, to) ? 1 : 0;
        }
    }
    NS_TEST_EXPECT_MSG_EQ(wrong, 0, name << ": pairs without a shortest path of " << world);
}

void
TopologyReachTestCase::DoRun()
{
    for (const auto& name : TopologyBuilder::GetNames())
    {
        for (const auto world : {1, 2, 3, 7, 8, 9, 13, 16, 17, 64, 100})
        {
            Check(BuildTopology(name, world), world);
            Check(BuildTopology(name, world, 8), world);
            Check(BuildTopology(name, world, 8, 8), world);
            if (name != "torus")
            {
                Check(BuildTopology(name, world, 4, 8), world);
            }
            if (name != "torus" && name != "ring")
            {
                Check(BuildTopology(name, world, 8, 2), world);
            }
        }
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Named topologies.
 */
class WorkloadReplayTopologyTestSuite : public TestSuite
{
  public:
    WorkloadReplayTopologyTestSuite()
        : TestSuite("workload-replay-topology", TestSuite::Type::UNIT)
    {
        AddTestCase(new FatTreeTopologyTestCase);
        AddTestCase(new HostClassTestCase);
        AddTestCase(new RailTopologyTestCase);
        AddTestCase(new TopologyReachTestCase);
        for (const auto& cases : {MakeTopologyNicTestCases(),
                                  MakeTopologyShapeTestCases(),
                                  MakeTopologyErrorTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The suite registers itself.
static WorkloadReplayTopologyTestSuite g_workloadReplayTopologyTestSuite;
