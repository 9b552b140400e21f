/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-graphs.h"

#include "ns3/dry-run.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/max-flow.h"
#include "ns3/replay-options.h"
#include "ns3/topology-bisection.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Counts, ports and diameters, by hand.
 */
class TopologySummaryTestCase : public TestCase
{
  public:
    TopologySummaryTestCase()
        : TestCase("summaries count nodes, links, ports and hops")
    {
    }

  private:
    void DoRun() override
    {
        // Leaves of 32 NICs and 8 uplinks of 400 Gb/s: 64 ranks have 2 leaves and 8 spines.
        const TopologySummary clos(BuildTestTopology("clos:oversubscription=4", 64));
        NS_TEST_EXPECT_MSG_EQ(clos.hosts, 64, "hosts");
        NS_TEST_EXPECT_MSG_EQ(clos.servers, 8, "servers");
        NS_TEST_EXPECT_MSG_EQ(clos.serverSizes.at(8), 8, "of 8 each");
        NS_TEST_EXPECT_MSG_EQ(clos.switches, 10, "leaves and spines");
        NS_TEST_EXPECT_MSG_EQ(clos.switchSizes.at(40), 2, "leaves");
        NS_TEST_EXPECT_MSG_EQ(clos.switchSizes.at(2), 8, "spines");
        NS_TEST_EXPECT_MSG_EQ(clos.nvswitchSizes.at(8), 8, "NVSwitches");
        NS_TEST_EXPECT_MSG_EQ(clos.switchPorts, 2 * 40 + 8 * 2, "ports");
        NS_TEST_EXPECT_MSG_EQ(clos.nicPorts, 64, "NICs");
        NS_TEST_EXPECT_MSG_EQ(clos.nvswitchPorts, 64, "NVLinks");
        NS_TEST_ASSERT_MSG_EQ(clos.links.size(), 3, "NICs, NVLink, uplinks");
        NS_TEST_EXPECT_MSG_EQ(clos.links[0].count, 64, "NICs");
        NS_TEST_EXPECT_MSG_EQ(clos.links[1].nvlink, true, "NVLink");
        NS_TEST_EXPECT_MSG_EQ(clos.links[1].rate, DataRate("3600Gbps"), "NVLink");
        NS_TEST_EXPECT_MSG_EQ(clos.links[2].count, 16, "uplinks");
        NS_TEST_EXPECT_MSG_EQ(clos.lossyLinks, 0, "nothing is lost");

        CheckDiameter(BuildTestTopology("clos", 64), 4);
        CheckDiameter(BuildTestTopology("single-switch", 9, 1), 2);
        CheckDiameter(MakeTorus(8, 1), 4);
        CheckDiameter(MakeTorus(6, 4), 3 + 2);
        CheckDiameter(MakeFatTree(), 6);
        // To the switch, to that with the link between the groups, over it, and the same there.
        CheckDiameter(MakeDragonfly(), 5);
        CheckDiameter(MakeTorus(4, 3, 4), 2 + 1 + 2);
        CheckDiameter(BuildTestTopology("single-switch", 1), 0);

        // Host 1 is at either end of a row of four switches, but relays nothing.
        TopologyGraph row;
        for (uint32_t i = 0; i < 7; ++i)
        {
            i < 3 ? row.AddHost("host" + std::to_string(i)) : row.AddSwitch("switch");
        }
        for (const auto& [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 3},
                                                                             {1, 3},
                                                                             {1, 6},
                                                                             {2, 6},
                                                                             {3, 4},
                                                                             {4, 5},
                                                                             {5, 6}})
        {
            row.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(500));
        }
        CheckDiameter(row, 5);
        CheckEffort();
    }

    /**
     * Each host is looked at unless that takes more than 2 * 10^8 looks at links, of which a search
     * takes one from each end of each. Here are 2000 hosts, linked in pairs.
     */
    void CheckEffort()
    {
        for (const uint32_t cables : {40, 60})
        {
            TopologyGraph graph;
            for (uint32_t pair = 0; pair < 1000; ++pair)
            {
                const auto a = graph.AddHost("a" + std::to_string(pair));
                const auto b = graph.AddHost("b" + std::to_string(pair));
                for (uint32_t cable = 0; cable < cables; ++cable)
                {
                    graph.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(500));
                }
            }
            const bool isLittle = 2000 * 2 * 1000 * cables <= 200000000;
            const TopologySummary summary(graph);
            NS_TEST_EXPECT_MSG_EQ(summary.isDiameterExact, isLittle, cables << " links a pair");
        }
    }

    /**
     * Compare with what is known, and with the hop counts of the routes.
     *
     * @param graph a graph
     * @param diameter its diameter
     */
    void CheckDiameter(const TopologyGraph& graph, uint32_t diameter)
    {
        const TopologySummary summary(graph);
        NS_TEST_EXPECT_MSG_EQ(summary.diameter, diameter, "hops of " << summary.hosts << " hosts");
        NS_TEST_EXPECT_MSG_EQ(summary.isDiameterExact, true, "all hosts were looked at");
        const EcmpRouteTable table(graph);
        uint32_t most = 0;
        for (const auto from : graph.GetHosts())
        {
            for (const auto to : graph.GetHosts())
            {
                most = std::max(most, table.GetHopCount(from, to));
            }
        }
        NS_TEST_EXPECT_MSG_EQ(most, diameter, "routes of " << summary.hosts << " hosts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The flow is the smallest of all cuts, which are tried one by one.
 */
class MaxFlowTestCase : public TestCase
{
  public:
    MaxFlowTestCase()
        : TestCase("the largest flow is the smallest cut")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t n = 8;
        uint32_t state = 1;
        const auto draw = [&state](uint32_t below) {
            state = state * 1664525 + 1013904223;
            return (state >> 16) % below;
        };
        for (uint32_t round = 0; round < 5000; ++round)
        {
            MaxFlow flow(n);
            std::vector<std::array<uint32_t, 3>> edges;
            for (uint32_t i = 0; i < 14; ++i)
            {
                const auto a = draw(n);
                const auto b = (a + 1 + draw(n - 1)) % n;
                edges.push_back({a, b, 1 + draw(3) * draw(9)});
                flow.AddEdge(a, b, edges.back()[2]);
            }
            uint64_t least = UINT64_MAX;
            // Vertex 0 is always on one side, vertex n - 1 never.
            for (uint32_t side = 1; side < 1U << (n - 1); side += 2)
            {
                uint64_t cut = 0;
                for (const auto& [a, b, capacity] : edges)
                {
                    cut += (side >> a & 1) != (side >> b & 1) ? capacity : 0;
                }
                least = std::min(least, cut);
            }
            NS_TEST_EXPECT_MSG_EQ(flow.Solve(0, n - 1), least, "round " << round);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Bisection bandwidths, in closed form.
 */
class TopologyBisectionTestCase : public TestCase
{
  public:
    TopologyBisectionTestCase()
        : TestCase("bisection bandwidths are those of the closed form")
    {
    }

  private:
    void DoRun() override
    {
        // NICs have 400 Gb/s; the halves are limited by their NICs unless said otherwise.
        Check(BuildTestTopology("single-switch", 16, 1), 8, 8 * 400, 8 * 400);
        Check(BuildTestTopology("single-switch", 16, 8), 8, 8 * 400, 8 * 400);
        Check(BuildTestTopology("clos", 128, 8), 64, 64 * 400, 64 * 400);
        // Two leaves a side, 8 uplinks each.
        Check(BuildTestTopology("clos:oversubscription=4", 128, 8), 64, 16 * 400, 64 * 400);
        // 24 ranks in 3 servers: 8 against 16.
        Check(BuildTestTopology("single-switch", 24, 8), 8, 8 * 400, 8 * 400);
        // A server alone is cut in the middle, and its NVLink with it.
        Check(BuildTestTopology("single-switch", 8, 8), 4, 4 * 4000, 4 * 4000);
        Check(BuildTestTopology("single-switch", 1, 8), 1, 0, 0);
        // Links of 100 Gb/s; hosts of a ring have 2, of a torus 4.
        Check(MakeTorus(8, 1), 4, 2 * 100, 4 * 200);
        Check(MakeTorus(6, 4), 12, 2 * 6 * 100, 12 * 400);
        Check(MakeFatTree(), 8, 8 * 100, 8 * 100);
        // Without the links of one core switch: 2 of 8 links to the core are gone in each half.
        Check(MakeFatTree(), 8, 6 * 100, 8 * 100, 35);
        // Groups 0 and 1, and half of group 2, against the rest: 4 links join groups 0 and 1 with 3
        // and 4, and 4 the halves of group 2, the outer links of which lead to their own side.
        Check(MakeDragonfly(), 20, (4 + 4) * 100, 20 * 100);
    }

    /**
     * @param graph a graph
     * @param firstHosts expected hosts of the first half
     * @param rate expected bandwidth, Gb/s
     * @param fullRate expected sum of the rates of the hosts of a half, Gb/s
     * @param without a node whose links are left out
     */
    void Check(const TopologyGraph& graph,
               uint32_t firstHosts,
               uint64_t rate,
               uint64_t fullRate,
               uint32_t without = UINT32_MAX)
    {
        TopologyGraph part;
        for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
        {
            const auto& node = graph.GetNode(i);
            node.kind == TopologyGraph::HOST       ? part.AddHost(node.name, node.server)
            : node.kind == TopologyGraph::NVSWITCH ? part.AddNvswitch(node.name, node.server)
                                                   : part.AddSwitch(node.name);
        }
        for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
        {
            const auto& link = graph.GetLink(i);
            if (link.a != without && link.b != without)
            {
                part.AddLink(link.a, link.b, link.rate, link.delay, link.nvlink);
            }
        }
        const auto bisection = BisectTopology(part);
        const auto what = std::to_string(rate) + " Gb/s";
        NS_TEST_EXPECT_MSG_EQ(bisection.firstHosts, firstHosts, what);
        NS_TEST_EXPECT_MSG_EQ(bisection.rate, rate * 1000000000, what);
        NS_TEST_EXPECT_MSG_EQ(bisection.fullRate, fullRate * 1000000000, what);
    }
};

} // namespace

std::vector<TestCase*>
MakeTopologySummaryTestCases()
{
    return {new TopologySummaryTestCase, new MaxFlowTestCase, new TopologyBisectionTestCase};
}

} // namespace ns3
