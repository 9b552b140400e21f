/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-tools.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/port-groups.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-servers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

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
    NS_TEST_EXPECT_MSG_EQ(PeersOf(graph, FindNode(graph, "server1-nic1")),
                          "host10 host11 rail1-leaf0",
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
    NS_TEST_EXPECT_MSG_EQ(PeersOf(seven, 10),
                          "nvswitch1 rail1-leaf0",
                          "rank 2 of server 1 has NIC 1");
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
    NS_TEST_EXPECT_MSG_EQ(PeersOf(three, 0), "nvswitch0 rail0-leaf0 rail1-leaf0", "two of three");

    // Two NICs per rank: parallel links to one leaf, or two rails.
    const EcmpRouteTable parallel(BuildTopology("clos:hostsPerLeaf=16", 16, 8, 16));
    NS_TEST_EXPECT_MSG_EQ(CountNodes(parallel.GetGraph(), "leaf"), 2, "16 NICs are one server");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(parallel, 0, 8), 2 * 16 * 2, "NICs, uplinks, NICs");
    NS_TEST_EXPECT_MSG_EQ(parallel.GetGraph().GetNLinks(), 16 + 32 + 2 * 16, "all links");
    const EcmpRouteTable rails(BuildTopology("rail", 16, 8, 16));
    NS_TEST_EXPECT_MSG_EQ(PeersOf(rails.GetGraph(), 9),
                          "nvswitch1 rail2-leaf0 rail3-leaf0",
                          "two rails of rank 9");
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
    NS_TEST_EXPECT_MSG_EQ(PeersOf(tors.GetGraph(), 8), "leaf1-tor0 leaf1-tor1", "both of a pair");
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

} // namespace

std::vector<TestCase*>
MakeTopologyNicTestCases()
{
    return {new ServerNicTestCase, new DualPortTopologyTestCase};
}

} // namespace ns3
