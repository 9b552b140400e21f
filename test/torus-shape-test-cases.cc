/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-tools.h"
#include "torus-test-cases.h"

#include "ns3/data-rate.h"
#include "ns3/link-rings.h"
#include "ns3/rank-links.h"
#include "ns3/topology-graph.h"
#include "ns3/torus-shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Rate of links that are made by hand.
const DataRate RATE("1Gbps");

/**
 * @param count number of hosts
 * @return a graph of so many, without links
 */
TopologyGraph
MakeHosts(uint32_t count)
{
    TopologyGraph graph;
    for (uint32_t i = 0; i < count; ++i)
    {
        graph.AddHost("h" + std::to_string(i));
    }
    return graph;
}

/**
 * @ingroup workload-replay-tests
 * @brief The dimensions of a graph are found whoever has made it, and only of a torus.
 */
class TorusShapeTestCase : public TestCase
{
  public:
    TorusShapeTestCase()
        : TestCase("torus: dimensions of a graph")
    {
    }

  private:
    void DoRun() override
    {
        Check("torus:dims=4x3x2", 24, {4, 3, 2});
        Check("torus:dims=2x2x2", 8, {2, 2, 2});
        Check("torus:dims=5x1x5", 25, {5, 5});
        Check("torus:dims=4x4x4", 64, {4, 4, 4});
        Check("ring", 7, {7});
        Check("clos", 16, {});
        Check("dragonfly", 16, {});
        // A link more, and a parallel one: what the links carry is not that of a torus.
        auto graph = BuildTopology("torus:dims=4x4", 16);
        graph.AddLink(0, 5, RATE, Time(0));
        ExpectSizes(graph, {}, "a diagonal");
        graph = BuildTopology("torus:dims=4x4", 16);
        graph.AddLink(0, 1, RATE, Time(0));
        ExpectSizes(graph, {}, "a double link");
        CheckMeshes();
        CheckRouters();
    }

    /// Rows that end, all of them or those of one dimension, and rows that end elsewhere.
    void CheckMeshes()
    {
        Check("torus:dims=4x3,edges=open", 12, {4, 3});
        const auto mesh = BuildTopology("torus:dims=4x3,edges=open", 12);
        // 3 rows of 3 links, 4 columns of 2.
        NS_TEST_EXPECT_MSG_EQ(mesh.GetNLinks(), 17, "links of a mesh");
        ExpectWraps(mesh, {false, false}, "open");
        ExpectWraps(BuildTopology("torus:dims=4x3", 12), {true, true}, "closed");
        auto cylinder = mesh;
        for (const auto row : {0, 4, 8})
        {
            cylinder.AddLink(row, row + 3, RATE, Time(0));
        }
        ExpectWraps(cylinder, {true, false}, "rows closed, columns open");
        // Links as in a torus of 4 x 4 x 8, 3 a rank, of which those of x and y end elsewhere.
        Check("torus:dims=4x4x8,edges=twisted", 128, {});
        auto twisted = BuildTopology("torus:dims=4x4x8,edges=twisted", 128);
        NS_TEST_EXPECT_MSG_EQ(twisted.GetNLinks(), 3 * 128, "links of a twisted torus");
        const auto end = twisted.GetLinksOf(3);
        const auto isOpposite = [&twisted](uint32_t link) {
            return twisted.GetPeer(link, 3) == 4 * 16;
        };
        NS_TEST_EXPECT_MSG_EQ(std::count_if(end.begin(), end.end(), isOpposite),
                              1,
                              "from (3, 0, 0) to (0, 0, 4)");
        twisted.SetDimensions({4, 4, 8});
        ExpectWraps(twisted, {false, false, true}, "as the fabric says");
    }

    /// A torus of switches, with a host at each by two links; and with a host more.
    void CheckRouters()
    {
        auto graph = MakeHosts(9);
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            const auto router = graph.AddSwitch("s" + std::to_string(rank));
            graph.AddLink(router, rank, RATE, Time(0));
            graph.AddLink(rank, router, RATE, Time(0));
        }
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            const auto row = rank / 3 * 3;
            graph.AddLink(9 + rank, 9 + row + (rank + 1) % 3, RATE, Time(0));
            graph.AddLink(9 + rank, 9 + (rank + 3) % 9, RATE, Time(0));
        }
        ExpectSizes(graph, {3, 3}, "switches in a torus");
        graph.AddLink(graph.AddHost("h9"), 9, RATE, Time(0));
        ExpectSizes(graph, {}, "two hosts at a switch");
    }

    /**
     * @param topology a topology
     * @param world number of ranks
     * @param sizes lengths of its dimensions
     */
    void Check(const std::string& topology, uint32_t world, const std::vector<uint32_t>& sizes)
    {
        ExpectSizes(BuildTopology(topology, world), sizes, topology);
    }

    /**
     * @param graph a graph
     * @param sizes lengths of its dimensions; none = it is no torus
     * @param what which graph
     */
    void ExpectSizes(const TopologyGraph& graph,
                     const std::vector<uint32_t>& sizes,
                     const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ((FindTorusShape(graph).sizes == sizes), true, what);
    }

    /**
     * @param graph a torus or a mesh
     * @param wraps by dimension: whether its rows are closed
     * @param what which graph
     */
    void ExpectWraps(const TopologyGraph& graph,
                     const std::vector<bool>& wraps,
                     const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ((FindTorusShape(graph).wraps == wraps), true, what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Rows of members, and rings of neighbours through all of them.
 */
class TorusGridTestCase : public TestCase
{
  public:
    TorusGridTestCase()
        : TestCase("torus: rows and rings of members")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& sizes : std::vector<std::vector<uint32_t>>{{2},
                                                                    {5},
                                                                    {2, 3},
                                                                    {3, 2},
                                                                    {3, 3},
                                                                    {4, 3, 5},
                                                                    {2, 2, 2},
                                                                    {3, 3, 3},
                                                                    {5, 5, 5, 5},
                                                                    {4, 4, 4}})
        {
            CheckRing(sizes);
        }
        // Of a torus of 4 x 4: a row, a column, two neighbouring columns and those round the end.
        CheckRows({4, 5, 6, 7}, {4});
        CheckRows({1, 5, 9, 13}, {4});
        CheckRows({0, 1, 4, 5, 8, 9, 12, 13}, {2, 4});
        CheckRows({0, 3, 4, 7, 8, 11, 12, 15}, {2, 4});
        // No ring, no row and no rectangle.
        CheckRows({0, 2}, {});
        CheckRows({0, 1, 2}, {});
        CheckRows({0, 1, 4}, {});
        CheckRows({7}, {});
        // Of a mesh of 4 x 4: parts of rows, but not round the end.
        CheckRows({0, 1, 2}, {3}, false);
        CheckRows({5, 6, 9, 10, 13, 14}, {2, 3}, false);
        CheckRows({0, 3}, {}, false);
        CheckRows({0, 2}, {}, false);
    }

    /**
     * @param sizes lengths of the dimensions of a torus all of whose ranks are members
     */
    void CheckRing(const std::vector<uint32_t>& sizes)
    {
        const auto grid = MakeTorusGrid(sizes, ListTorusRanks(sizes));
        const auto ring = grid->GetRing();
        std::vector<bool> has(ring.size());
        for (std::size_t i = 0; i < ring.size(); ++i)
        {
            has[ring[i]] = true;
            const auto next = ring[(i + 1) % ring.size()];
            uint32_t hops = 0;
            for (uint32_t dimension = 0; dimension < sizes.size(); ++dimension)
            {
                const auto size = sizes[dimension];
                const auto forwards =
                    (size + grid->GetPlace(next, dimension) - grid->GetPlace(ring[i], dimension)) %
                    size;
                hops += std::min(forwards, size - forwards);
            }
            NS_TEST_EXPECT_MSG_EQ(hops, 1, "hops from position " << i << " of " << ring.size());
        }
        NS_TEST_EXPECT_MSG_EQ(std::count(has.begin(), has.end(), true),
                              static_cast<std::ptrdiff_t>(ring.size()),
                              "each member once");
    }

    /**
     * @param ranks members of a communicator in a torus of 4 x 4
     * @param sizes lengths of their rows; none = they fill none
     * @param wraps whether it is no mesh
     */
    void CheckRows(const std::vector<uint32_t>& ranks,
                   const std::vector<uint32_t>& sizes,
                   bool wraps = true)
    {
        const auto grid = MakeTorusGrid({4, 4}, ranks, wraps);
        NS_TEST_EXPECT_MSG_EQ((grid ? grid->GetSizes() == sizes : sizes.empty()),
                              true,
                              "rows of " << ranks.size() << " members");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Rings of links that are searched for: in graphs of which it is known how many there are.
 */
class LinkRingsTestCase : public TestCase
{
  public:
    LinkRingsTestCase()
        : TestCase("torus: rings of links in any graph")
    {
    }

  private:
    void DoRun() override
    {
        // Two links of each rank make a ring, and no two rings share one.
        Check(BuildTopology("torus:dims=4x4x8,edges=twisted", 128), 3, "twisted torus");
        Check(BuildTopology("torus:dims=4x8,edges=twisted", 32), 2, "in two dimensions");
        Check(BuildTopology("torus:dims=5x3", 15), 2, "odd dimensions");
        // Ranks at the corners of a mesh have two links; an odd one has as many more ranks of one
        // colour of a chequerboard as of the other, between which links lead.
        Check(BuildTopology("torus:dims=4x4,edges=open", 16), 1, "mesh");
        Check(BuildTopology("torus:dims=3x3,edges=open", 9), 0, "odd mesh");
        // W. Walecki's decomposition of the complete graph of 2 k + 1 into k rings.
        auto complete = MakeHosts(9);
        for (uint32_t a = 0; a < 9; ++a)
        {
            for (uint32_t b = 0; b < a; ++b)
            {
                complete.AddLink(a, b, RATE, Time(0));
            }
        }
        Check(complete, 4, "complete graph");
        // Petersen's graph, the smallest of three links a rank that is bridgeless and has no ring.
        auto petersen = MakeHosts(10);
        for (uint32_t i = 0; i < 5; ++i)
        {
            petersen.AddLink(i, (i + 1) % 5, RATE, Time(0));
            petersen.AddLink(5 + i, 5 + (i + 2) % 5, RATE, Time(0));
            petersen.AddLink(i, 5 + i, RATE, Time(0));
        }
        Check(petersen, 0, "Petersen's graph");
        Check(BuildTopology("ring", 2), 0, "two ranks");
    }

    /**
     * @param graph a fabric of ranks
     * @param count rings that it has
     * @param what which fabric
     */
    void Check(const TopologyGraph& graph, std::size_t count, const std::string& what)
    {
        const auto rings = FindLinkRings(FindRankLinks(graph));
        NS_TEST_EXPECT_MSG_EQ(rings.size(), count, what);
        std::set<std::pair<uint32_t, uint32_t>> links;
        for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
        {
            links.insert(std::minmax(graph.GetLink(i).a, graph.GetLink(i).b));
        }
        for (const auto& ring : rings)
        {
            NS_TEST_EXPECT_MSG_EQ(std::set<uint32_t>(ring.begin(), ring.end()).size(),
                                  graph.GetHosts().size(),
                                  what << ": each rank");
            NS_TEST_EXPECT_MSG_EQ(ring.size(), graph.GetHosts().size(), what << ": once");
            for (std::size_t j = 0; j < ring.size(); ++j)
            {
                const auto next = ring[(j + 1) % ring.size()];
                NS_TEST_EXPECT_MSG_EQ(links.erase(std::minmax(ring[j], next)),
                                      1,
                                      what << ": a link that no other ring has");
            }
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeTorusShapeTestCases()
{
    return {new TorusShapeTestCase, new TorusGridTestCase, new LinkRingsTestCase};
}

} // namespace ns3
