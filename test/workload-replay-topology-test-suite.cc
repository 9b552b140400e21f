/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-tools.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/port-groups.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-servers.h"
#include "ns3/topology-spec.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

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
    const std::vector<std::string> peers{"pod0-agg1", "pod1-agg1", "pod2-agg1", "pod3-agg1"};
    NS_TEST_EXPECT_MSG_EQ((PeersOf(graph, FindNode(graph, "core2")) == peers),
                          true,
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
 * @brief NICs that ranks share, and ranks with several NICs.
 */
class ServerNicTestCase : public TestCase
{
  public:
    ServerNicTestCase()
        : TestCase("nicsPerServer: shared NICs and several NICs of a rank")
    {
    }

  private:
    void DoRun() override;

    /// Two ranks on each NIC.
    void CheckShared();

    /// Two ranks on one NIC, and one on each other.
    void CheckPartlyShared();

    /// More NICs than ranks.
    void CheckSeveral();
};

void
ServerNicTestCase::DoRun()
{
    CheckShared();
    CheckPartlyShared();
    CheckSeveral();
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("single-switch", 4).GetNLinks(), 4, "one NIC by default");
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("single-switch", 4, 1, 3).GetNLinks(),
                          12,
                          "three when asked for");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("fat-tree", 16, 8, 16), "core"),
                          9,
                          "32 NICs need k=6");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("dragonfly", 64, 8, 1), "router"),
                          36,
                          "8 NICs: n=2");
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("ring", 8, 2, 4).GetNLinks(),
                          8 + 4 * 4,
                          "four rings of four");
}

void
ServerNicTestCase::CheckShared()
{
    // Eight ranks on four NICs: ranks 0 and 1 share NIC 0.
    const EcmpRouteTable shared(BuildTopology("rail", 16, 8, 4));
    const auto& graph = shared.GetGraph();
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "-nic"), 8, "four per server");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "leaf"), 4, "a rail per NIC");
    const std::vector<std::string> peers{"host10", "host11", "rail1-leaf0"};
    NS_TEST_EXPECT_MSG_EQ((PeersOf(graph, FindNode(graph, "server1-nic1")) == peers),
                          true,
                          "two ranks and an uplink");
    NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 16 + 16 + 8 + 4 * 2, "NVLinks, ranks, NICs, uplinks");
    NS_TEST_EXPECT_MSG_EQ(shared.GetHopCount(0, 9), 4, "rank, NIC, leaf, NIC, rank");
    NS_TEST_EXPECT_MSG_EQ(shared.GetHopCount(0, 10), 6, "over the spine");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(shared, 0, 1), 1, "NVLink wins over the shared NIC");
    NS_TEST_EXPECT_MSG_EQ(graph.GetLink(shared.GetNextLinks(0, 1)[0]).nvlink, true, "NVLink");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("clos", 13, 8, 4), "-nic"),
                          4 + 3,
                          "five ranks of 13");
}

void
ServerNicTestCase::CheckPartlyShared()
{
    // Eight ranks on seven NICs: ranks 0 and 1 share one, the others have their own.
    const auto seven = BuildTopology("rail", 20, 8, 7);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(seven, "-nic"), 3, "one per server");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(seven, "leaf"), 7, "a rail per NIC");
    NS_TEST_EXPECT_MSG_EQ(seven.GetNLinks(), 20 + 3 * 2 + 7 + 7 + 3 + 7 * 3, "uplinks last");
    const std::vector<std::string> own{"nvswitch1", "rail1-leaf0"};
    NS_TEST_EXPECT_MSG_EQ((PeersOf(seven, 10) == own), true, "rank 2 of server 1 has NIC 1");
    auto nics = FindNics(seven);
    NS_TEST_EXPECT_MSG_EQ(nics[8], FindNode(seven, "server1-nic0"), "shared");
    NS_TEST_EXPECT_MSG_EQ(nics[9], nics[8], "by rank 9");
    for (uint32_t rank = 10; rank < 16; ++rank)
    {
        NS_TEST_EXPECT_MSG_EQ(nics[rank], rank, "its own");
    }
    // All ranks of a server at one leaf have as many ways out as the leaf has.
    nics = FindNics(BuildTopology("clos:hostsPerLeaf=8", 16, 8));
    NS_TEST_EXPECT_MSG_EQ(nics[3], 3, "a leaf is no NIC");
}

void
ServerNicTestCase::CheckSeveral()
{
    // Three NICs of two ranks: NICs 0 and 1 are those of rank 0.
    const auto three = BuildTopology("rail", 4, 2, 3);
    const std::vector<std::string> several{"nvswitch0", "rail0-leaf0", "rail1-leaf0"};
    NS_TEST_EXPECT_MSG_EQ((PeersOf(three, 0) == several), true, "two of three");

    // Two NICs per rank: parallel links to one leaf, or two rails.
    const EcmpRouteTable parallel(BuildTopology("clos:hostsPerLeaf=16", 16, 8, 16));
    NS_TEST_EXPECT_MSG_EQ(CountNodes(parallel.GetGraph(), "leaf"), 2, "16 NICs are one server");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(parallel, 0, 8), 2 * 16 * 2, "NICs, uplinks, NICs");
    NS_TEST_EXPECT_MSG_EQ(parallel.GetGraph().GetNLinks(), 16 + 32 + 2 * 16, "all links");
    const EcmpRouteTable rails(BuildTopology("rail", 16, 8, 16));
    const std::vector<std::string> railsOf{"nvswitch1", "rail2-leaf0", "rail3-leaf0"};
    NS_TEST_EXPECT_MSG_EQ((PeersOf(rails.GetGraph(), 9) == railsOf), true, "two rails of rank 9");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(rails, 1, 9), 2, "either rail");
}

/**
 * @ingroup workload-replay-tests
 * @brief NICs of two ports, into two planes or at two leaves of one.
 */
class DualPortTopologyTestCase : public TestCase
{
  public:
    DualPortTopologyTestCase()
        : TestCase("dual-plane and dual-tor: counts, paths, a port down")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param graph a graph
     * @param host a host
     * @return its links that are no NVLinks
     */
    static std::vector<uint32_t> NicLinksOf(const TopologyGraph& graph, uint32_t host)
    {
        std::vector<uint32_t> links;
        for (const auto link : graph.GetLinksOf(host))
        {
            if (!graph.GetLink(link).nvlink)
            {
                links.push_back(link);
            }
        }
        return links;
    }
};

void
DualPortTopologyTestCase::DoRun()
{
    // Leaves of 8 ports of 200 Gb/s have 8 uplinks of 200 Gb/s, one to each of 8 spines.
    EcmpRouteTable planes(BuildTopology("dual-plane:hostsPerLeaf=8", 16));
    const auto& graph = planes.GetGraph();
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "plane1-leaf"), 2, "leaves");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "plane1-spine"), 8, "spines");
    NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 2 * (16 + 2 * 8), "two planes of NICs and uplinks");
    NS_TEST_EXPECT_MSG_EQ(GetOversubscription(graph, FindNode(graph, "plane1-leaf1")), 1, "1:1");
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        const auto& ends = graph.GetLink(link);
        const auto from = graph.GetNode(ends.a).name;
        const auto to = graph.GetNode(ends.b).name;
        NS_TEST_EXPECT_MSG_EQ(ends.rate, DataRate("200Gbps"), "half a NIC");
        const bool stays = from.compare(0, 4, "host") == 0 || from.substr(0, 6) == to.substr(0, 6);
        NS_TEST_EXPECT_MSG_EQ(stays, true, from << " to " << to << " stays in its plane");
    }
    NS_TEST_EXPECT_MSG_EQ(CountPaths(planes, 0, 1), 2, "either plane");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(planes, 0, 15), 2 * 8, "planes, spines");

    EcmpRouteTable tors(BuildTopology("dual-tor:hostsPerLeaf=8", 16));
    NS_TEST_EXPECT_MSG_EQ(CountNodes(tors.GetGraph(), "spine"), 8, "shared by both ToRs");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(tors.GetGraph(), "-tor1"), 2, "pairs");
    NS_TEST_EXPECT_MSG_EQ(tors.GetGraph().GetNLinks(), 2 * 16 + 4 * 8, "NICs and uplinks");
    const std::vector<std::string> ports{"leaf1-tor0", "leaf1-tor1"};
    NS_TEST_EXPECT_MSG_EQ((PeersOf(tors.GetGraph(), 8) == ports), true, "both of a pair");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(tors, 0, 15), 2 * 8 * 2, "ToRs, spines, ToRs");

    // Both ports of a NIC are one to what they send.
    for (const auto* table : {&planes, &tors})
    {
        const auto groups = ListPortGroups(table->GetGraph());
        NS_TEST_ASSERT_MSG_EQ(groups.size(), 16, "hosts");
        NS_TEST_EXPECT_MSG_EQ((groups[5] == NicLinksOf(table->GetGraph(), 5)), true, "both ports");
    }
    // Not those to a second network that some hosts are not attached to, nor where hosts relay.
    auto storage = BuildTopology("clos:hostsPerLeaf=8", 16);
    const auto center = storage.AddSwitch("storage");
    for (uint32_t host = 0; host < 8; ++host)
    {
        storage.AddLink(host, center, DataRate("100Gbps"), NanoSeconds(500));
    }
    NS_TEST_EXPECT_MSG_EQ(ListPortGroups(storage).size(), 0, "another network");
    NS_TEST_EXPECT_MSG_EQ(ListPortGroups(BuildTopology("torus:dims=4x4", 16)).size(), 0, "torus");

    // With a port of host 15 down, hosts know which plane is left, and spines know which ToR.
    for (auto table : {&planes, &tors})
    {
        table->SetLinkUp(table->GetGraph().GetFirstLink(15, false), false);
        table->Recompute();
    }
    NS_TEST_EXPECT_MSG_EQ(CountPaths(planes, 0, 15), 8, "spines of one plane");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(tors, 0, 15), 2 * 8, "ToRs, spines");

    const auto fast =
        BuildTopology("dual-plane:portRate=400Gbps,hostsPerLeaf=8,uplinkRate=800Gbps", 16);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(fast, "plane0-spine"), 4, "8 x 400 = 4 x 800");
    NS_TEST_EXPECT_MSG_EQ(fast.GetLink(0).rate, DataRate("400Gbps"), "two full ports");
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
        AddTestCase(new ServerNicTestCase);
        AddTestCase(new DualPortTopologyTestCase);
        AddTestCase(new TopologyReachTestCase);
        for (auto* testCase : MakeTopologyShapeTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeTopologyErrorTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The suite registers itself.
static WorkloadReplayTopologyTestSuite g_workloadReplayTopologyTestSuite;
