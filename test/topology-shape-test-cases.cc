/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-tools.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-spec.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Dragonflies: counts, ports and global links of section 3 of Kim et al.
 */
class DragonflyTopologyTestCase : public TestCase
{
  public:
    DragonflyTopologyTestCase()
        : TestCase("dragonfly: counts, ports, global links")
    {
    }

  private:
    /**
     * Check how many links join each two groups.
     *
     * @param graph a dragonfly
     * @param groups its groups
     * @param links links that are to join each two
     */
    void CheckGlobalLinks(const TopologyGraph& graph, uint32_t groups, uint32_t links);
    void DoRun() override;
};

void
DragonflyTopologyTestCase::CheckGlobalLinks(const TopologyGraph& graph,
                                            uint32_t groups,
                                            uint32_t links)
{
    std::map<std::pair<std::string, std::string>, uint32_t> found;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        const auto& a = graph.GetNode(graph.GetLink(link).a).name;
        const auto& b = graph.GetNode(graph.GetLink(link).b).name;
        const auto from = a.substr(0, a.find('-'));
        const auto to = b.substr(0, b.find('-'));
        if (a.compare(0, 5, "group") == 0 && from != to)
        {
            ++found[{std::min(from, to), std::max(from, to)}];
        }
    }
    NS_TEST_EXPECT_MSG_EQ(found.size(), groups * (groups - 1) / 2, "pairs of groups");
    for (const auto& [pair, count] : found)
    {
        NS_TEST_EXPECT_MSG_EQ(count, links, pair.first << " to " << pair.second);
    }
}

void
DragonflyTopologyTestCase::DoRun()
{
    // The example of the paper's figure 5: p = h = 2, a = 4, nine groups of eight hosts.
    const EcmpRouteTable table(BuildTopology("dragonfly:p=2,a=4,h=2", 72));
    const auto& graph = table.GetGraph();
    NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), 72 + 36, "a * p * g hosts, a * g routers");
    NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 72 + 9 * 6 + 36, "hosts, local links, global links");
    CheckGlobalLinks(graph, 9, 1);
    for (uint32_t node = 72; node < graph.GetNNodes(); ++node)
    {
        NS_TEST_EXPECT_MSG_EQ(graph.GetLinksOf(node).size(),
                              2 + 3 + 2,
                              graph.GetNode(node).name << " has the radix p + a - 1 + h");
    }
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 1), 2, "one router");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 7), 3, "one group");
    NS_TEST_EXPECT_MSG_EQ(GetDiameter(table), 5, "host, local, global, local, host");
    // Port 0 of group 0 leads to group 1, whose port 0 is that to group 0.
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 8), 3, "absolute arrangement: routers 0 of 0 and 1");

    const std::map<uint32_t, uint32_t> smallest{{6, 6}, {7, 36}, {72, 36}, {73, 114}, {342, 114}};
    for (const auto& [world, routers] : smallest)
    {
        NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("dragonfly", world), "router"),
                              routers,
                              "2n(2n^2 + 1) routers for " << world);
    }
    CheckGlobalLinks(BuildTopology("dragonfly:p=2,a=4,h=2,groups=5", 40), 5, 2);
    CheckGlobalLinks(BuildTopology("dragonfly:p=2,a=4,h=2,groups=4", 32), 4, 2);
    CheckGlobalLinks(BuildTopology("dragonfly:p=4,a=4,h=2,groups=1", 16), 1, 0);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTopology("dragonfly:groups=4", 33), "router"),
                          24,
                          "n=3: a=6");
}

/**
 * @ingroup workload-replay-tests
 * @brief Tori and rings, in which ranks relay.
 */
class SwitchlessTopologyTestCase : public TestCase
{
  public:
    SwitchlessTopologyTestCase()
        : TestCase("torus and ring: counts, hops, sizes of one and two")
    {
    }

  private:
    /**
     * Check the counts of a torus, and that its ranks relay on shortest ways.
     *
     * @param text the option
     * @param world number of ranks
     * @param links links expected: the world per dimension above 2, half of it per one of 2
     * @param diameter most hops expected: the sum of half the sizes, rounded down
     */
    void CheckTorus(const std::string& text, uint32_t world, uint32_t links, uint32_t diameter);
    void DoRun() override;
};

void
SwitchlessTopologyTestCase::CheckTorus(const std::string& text,
                                       uint32_t world,
                                       uint32_t links,
                                       uint32_t diameter)
{
    const EcmpRouteTable table(BuildTopology(text, world, 8));
    NS_TEST_EXPECT_MSG_EQ(table.GetGraph().GetNNodes(), world, text << ": nothing but ranks");
    NS_TEST_EXPECT_MSG_EQ(table.GetGraph().GetNLinks(), links, text << ": links for " << world);
    NS_TEST_EXPECT_MSG_EQ(GetDiameter(table), diameter, text << ": hops for " << world);
}

void
SwitchlessTopologyTestCase::DoRun()
{
    CheckTorus("torus:dims=4x4", 16, 32, 4);
    CheckTorus("torus:dims=4x4x4", 64, 192, 6);
    CheckTorus("torus:dims=5x3x2", 30, 30 + 30 + 15, 2 + 1 + 1);
    CheckTorus("torus:dims=1x7", 7, 7, 3);
    CheckTorus("torus:dims=2x2x2x2", 16, 4 * 8, 4);
    CheckTorus("torus", 64, 192, 6);          // 4x4x4
    CheckTorus("torus", 16, 32, 4);           // 4x2x2, the same graph as 4x4
    CheckTorus("torus", 12, 12 + 6 + 6, 3);   // 3x2x2, not 4x3
    CheckTorus("torus", 100, 300, 2 + 2 + 2); // 5x5x4
    CheckTorus("torus", 72, 216, 3 + 2 + 1);  // 6x4x3, not 6x6x2
    CheckTorus("torus", 42, 105, 3 + 1 + 1);  // 7x3x2, not 7x6
    CheckTorus("torus", 13, 13, 6);
    CheckTorus("torus", 2, 1, 1);
    CheckTorus("torus", 1, 0, 0);
    const EcmpRouteTable square(BuildTopology("torus:dims=4x4", 16));
    NS_TEST_EXPECT_MSG_EQ(square.GetHopCount(0, 3), 1, "the first dimension is fastest, and wraps");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(square, 0, 5), 2, "x and y in either order");
    NS_TEST_EXPECT_MSG_EQ(CountPaths(square, 0, 10), 24, "6 orders x 2 ways round x and y each");
    const EcmpRouteTable flat(BuildTopology("torus:dims=5x3", 15));
    NS_TEST_EXPECT_MSG_EQ(flat.GetHopCount(0, 4), 1, "five in a row");

    const EcmpRouteTable ring(BuildTopology("ring", 32, 8));
    NS_TEST_EXPECT_MSG_EQ(ring.GetGraph().GetNLinks(), 32 + 8 * 4, "NVLinks, eight rings of four");
    NS_TEST_EXPECT_MSG_EQ(ring.GetHopCount(1, 9), 1, "the next server");
    NS_TEST_EXPECT_MSG_EQ(ring.GetHopCount(1, 25), 1, "the server before");
    NS_TEST_EXPECT_MSG_EQ(ring.GetHopCount(1, 17), 2, "across");
    NS_TEST_EXPECT_MSG_EQ(ring.GetHopCount(0, 9), 3, "NVSwitch, then ring");
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("ring", 16, 8).GetNLinks(),
                          16 + 8,
                          "two servers: one link each");
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("ring", 17, 8).GetNLinks(),
                          16 + 3 + 7,
                          "server 2 has one rank");
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("ring", 8, 8).GetNLinks(), 8, "one server: NVLinks");
    NS_TEST_EXPECT_MSG_EQ(BuildTopology("ring", 5).GetNLinks(), 5, "a ring of hosts");
    NS_TEST_EXPECT_MSG_EQ(GetDiameter(EcmpRouteTable(BuildTopology("ring", 5))),
                          2,
                          "half way round");
}

/**
 * @ingroup workload-replay-tests
 * @brief What NICs, switches and error correction take is in the delay of a path: a NIC at each
 * end, a switch between each two links, error correction on each link.
 */
class LatencyTopologyTestCase : public TestCase
{
  public:
    LatencyTopologyTestCase()
        : TestCase("latencies of NICs, switches and error correction")
    {
    }

  private:
    void DoRun() override
    {
        // h links of 100 + 90, h - 1 switches of 300, two NICs of 600.
        Check("single-switch", 2, 1, 0, 1, 2 * 190 + 300 + 1200);
        Check("fat-tree:k=4", 16, 1, 0, 15, 6 * 190 + 5 * 300 + 1200);
        Check("clos:hostsPerLeaf=2,spines=1", 4, 1, 0, 3, 4 * 190 + 3 * 300 + 1200);
        Check("rail:spines=1", 16, 8, 0, 9, 4 * 190 + 3 * 300 + 1200);
        Check("dragonfly:p=1,a=2,h=1", 6, 1, 0, 1, 3 * 190 + 2 * 300 + 1200);
        // A host that relays is two NICs.
        Check("torus:dims=4", 4, 1, 0, 2, 2 * 190 + 2400);
        Check("ring", 5, 1, 0, 1, 190 + 1200);
        // Links inside of servers take what they take.
        Check("rail", 16, 8, 0, 1, 2 * 50);
        Check("single-switch", 4, 2, 0, 2, 2 * 50 + 2 * 190 + 300 + 1200);
    }

    /**
     * @param text a topology
     * @param world number of ranks
     * @param gpusPerServer ranks of a server; 2 = they share a NIC
     * @param from a rank
     * @param to another one
     * @param expected delay of the path between them, ns
     */
    void Check(const std::string& text,
               uint32_t world,
               uint32_t gpusPerServer,
               uint32_t from,
               uint32_t to,
               int64_t expected)
    {
        FabricParameters parameters;
        parameters.gpusPerServer = gpusPerServer;
        parameters.nicsPerServer = gpusPerServer == 2 ? 1 : 0;
        parameters.nvlinkDelay = NanoSeconds(50);
        parameters.linkDelay = NanoSeconds(100);
        parameters.fecLatency = NanoSeconds(90);
        parameters.switchLatency = NanoSeconds(300);
        parameters.nicLatency = NanoSeconds(600);
        const EcmpRouteTable table(TopologyBuilder::Build(TopologySpec(text), world, parameters));
        NS_TEST_EXPECT_MSG_EQ(table.GetDelay(table.GetPath(from, to, 0, 0)),
                              NanoSeconds(expected),
                              text << ", " << from << " to " << to);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Keys that change nothing where one leaf takes all NICs are noted, and no others.
 */
class IdleKeysTestCase : public TestCase
{
  public:
    IdleKeysTestCase()
        : TestCase("keys of uplinks where there are none")
    {
    }

  private:
    void DoRun() override
    {
        // A leaf takes 32 NICs by default, of a rail 64.
        Check("clos:oversubscription=4", 16, "oversubscription");
        Check("clos:oversubscription=4", 64, "");
        Check("clos:oversubscription=4,hostsPerLeaf=8", 16, "");
        Check("clos:oversubscription=4,spines=2,hostsPerLeaf=16", 16, "");
        Check("clos:placement=interleaved,uplinkRate=100Gbps", 16, "uplinkRate, placement");
        Check("clos", 16, "");
        Check("dual-plane:oversubscription=2", 8, "oversubscription");
        Check("dual-tor:oversubscription=2", 8, "oversubscription");
        Check("rail:oversubscription=2", 64, "oversubscription");
        Check("rail:oversubscription=2", 128, "");
    }

    /**
     * @param text a topology
     * @param world hosts of one NIC each
     * @param keys what changes nothing, with commas between; empty = there is none
     */
    void Check(const std::string& text, uint32_t world, const std::string& keys)
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        const auto graph = TopologyBuilder::Build(TopologySpec(text), world, parameters);
        NS_TEST_ASSERT_MSG_EQ(graph.GetNotes().size(), (keys.empty() ? 0 : 1), text);
        if (!keys.empty())
        {
            const auto& note = graph.GetNotes().front();
            NS_TEST_EXPECT_MSG_NE(note.find("so that " + keys + " of the topology"),
                                  std::string::npos,
                                  text << ": " << note);
        }
    }
};

std::vector<TestCase*>
MakeTopologyShapeTestCases()
{
    return {new DragonflyTopologyTestCase,
            new SwitchlessTopologyTestCase,
            new LatencyTopologyTestCase,
            new IdleKeysTestCase};
}

} // namespace ns3
