/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"

#include "ns3/bucket-collective.h"
#include "ns3/collective-bench-options.h"
#include "ns3/collective-bench.h"
#include "ns3/config.h"
#include "ns3/link-rings.h"
#include "ns3/rank-links.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/torus-grid.h"
#include "ns3/torus-shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param sizes lengths of the dimensions of a torus
 * @return its ranks
 */
std::vector<uint32_t>
ListRanks(const std::vector<uint32_t>& sizes)
{
    std::vector<uint32_t> ranks(
        std::accumulate(sizes.begin(), sizes.end(), 1U, std::multiplies<>()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/**
 * @param sizes lengths of the dimensions of a torus, or a mesh
 * @param ranks members of a communicator
 * @param wraps whether it is a torus
 * @return how they stand
 */
std::unique_ptr<const TorusGrid>
MakeGrid(const std::vector<uint32_t>& sizes, const std::vector<uint32_t>& ranks, bool wraps = true)
{
    return TorusGrid::Make(sizes, std::vector<bool>(sizes.size(), wraps), ranks);
}

/**
 * @param topology a topology
 * @param world number of ranks
 * @return its graph, of ranks that stand alone
 */
TopologyGraph
BuildAlone(const std::string& topology, uint32_t world)
{
    FabricParameters parameters;
    parameters.gpusPerServer = 1;
    return TopologyBuilder::Build(TopologySpec(topology), world, parameters);
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
        auto graph = BuildAlone("torus:dims=4x4", 16);
        graph.AddLink(0, 5, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(FindTorusShape(graph).sizes.size(), 0, "a diagonal");
        graph = BuildAlone("torus:dims=4x4", 16);
        graph.AddLink(0, 1, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(FindTorusShape(graph).sizes.size(), 0, "a double link");
        CheckMeshes();
        CheckRouters();
    }

    /// Rows that end, all of them or those of one dimension, and rows that end elsewhere.
    void CheckMeshes()
    {
        const auto getWraps = [](const TopologyGraph& graph) {
            return FindTorusShape(graph).wraps;
        };
        Check("torus:dims=4x3,edges=open", 12, {4, 3});
        const auto mesh = BuildAlone("torus:dims=4x3,edges=open", 12);
        // 3 rows of 3 links, 4 columns of 2.
        NS_TEST_EXPECT_MSG_EQ(mesh.GetNLinks(), 17, "links of a mesh");
        NS_TEST_EXPECT_MSG_EQ((getWraps(mesh) == std::vector<bool>{false, false}), true, "open");
        NS_TEST_EXPECT_MSG_EQ(
            (getWraps(BuildAlone("torus:dims=4x3", 12)) == std::vector<bool>{true, true}),
            true,
            "closed");
        auto cylinder = mesh;
        for (const auto row : {0, 4, 8})
        {
            cylinder.AddLink(row, row + 3, DataRate("1Gbps"), Time(0));
        }
        NS_TEST_EXPECT_MSG_EQ((getWraps(cylinder) == std::vector<bool>{true, false}),
                              true,
                              "rows closed, columns open");
        // Links as in a torus of 4 x 4 x 8, 3 a rank, of which those of x and y end elsewhere.
        Check("torus:dims=4x4x8,edges=twisted", 128, {});
        auto twisted = BuildAlone("torus:dims=4x4x8,edges=twisted", 128);
        NS_TEST_EXPECT_MSG_EQ(twisted.GetNLinks(), 3 * 128, "links of a twisted torus");
        const auto end = twisted.GetLinksOf(3);
        const auto isOpposite = [&twisted](uint32_t link) {
            return twisted.GetPeer(link, 3) == 4 * 16;
        };
        NS_TEST_EXPECT_MSG_EQ(std::count_if(end.begin(), end.end(), isOpposite),
                              1,
                              "from (3, 0, 0) to (0, 0, 4)");
        twisted.SetDimensions({4, 4, 8});
        NS_TEST_EXPECT_MSG_EQ((getWraps(twisted) == std::vector<bool>{false, false, true}),
                              true,
                              "as the fabric says");
    }

    /// A torus of switches, with a host at each by two links; and with a host more.
    void CheckRouters()
    {
        TopologyGraph graph;
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            graph.AddHost("h" + std::to_string(rank));
        }
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            const auto router = graph.AddSwitch("s" + std::to_string(rank));
            graph.AddLink(router, rank, DataRate("1Gbps"), Time(0));
            graph.AddLink(rank, router, DataRate("1Gbps"), Time(0));
        }
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            const auto row = rank / 3 * 3;
            graph.AddLink(9 + rank, 9 + row + (rank + 1) % 3, DataRate("1Gbps"), Time(0));
            graph.AddLink(9 + rank, 9 + (rank + 3) % 9, DataRate("1Gbps"), Time(0));
        }
        NS_TEST_EXPECT_MSG_EQ((FindTorusShape(graph).sizes == std::vector<uint32_t>{3, 3}),
                              true,
                              "switches in a torus");
        graph.AddLink(graph.AddHost("h9"), 9, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(FindTorusShape(graph).sizes.size(), 0, "two hosts at a switch");
    }

    /**
     * @param topology a topology
     * @param world number of ranks
     * @param sizes lengths of its dimensions
     */
    void Check(const std::string& topology, uint32_t world, const std::vector<uint32_t>& sizes)
    {
        NS_TEST_EXPECT_MSG_EQ((FindTorusShape(BuildAlone(topology, world)).sizes == sizes),
                              true,
                              topology);
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
        const auto grid = MakeGrid(sizes, ListRanks(sizes));
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
        const auto grid = MakeGrid({4, 4}, ranks, wraps);
        NS_TEST_EXPECT_MSG_EQ((grid ? grid->GetSizes() == sizes : sizes.empty()),
                              true,
                              "rows of " << ranks.size() << " members");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Every member of a collective in a torus ends with the data it should have.
 */
class TorusDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param algorithm the algorithm
     * @param wraps whether in a torus, not a mesh
     */
    TorusDataTestCase(Ptr<const CollectiveAlgorithm> algorithm, bool wraps)
        : CollectiveDataTestCase(wraps ? "in a torus" : "in a mesh", algorithm, 0),
          m_wraps(wraps),
          m_hasAllToAll(algorithm->Supports(CollectiveKind::ALL_TO_ALL))
    {
    }

  private:
    const bool m_wraps;       //!< rows are closed
    const bool m_hasAllToAll; //!< the algorithm does all-to-all

    void DoRun() override
    {
        for (const auto& sizes : std::vector<std::vector<uint32_t>>{{2},
                                                                    {3},
                                                                    {8},
                                                                    {2, 2},
                                                                    {3, 2},
                                                                    {2, 5},
                                                                    {3, 3},
                                                                    {2, 3, 4},
                                                                    {2, 2, 2},
                                                                    {4, 4, 4}})
        {
            const auto ranks = ListRanks(sizes);
            CollectivePlacement placement(
                std::vector<uint32_t>(ranks.size(), CollectivePlacement::NO_SERVER));
            placement.SetGrid(MakeGrid(sizes, ranks, m_wraps));
            const auto size = static_cast<uint32_t>(ranks.size());
            // Fewer bytes than members, and lengths that do not divide.
            for (const uint64_t bytes : {uint64_t{1}, uint64_t{size}, 13 * uint64_t{size} + 7})
            {
                CheckAll(bytes, size, &placement);
            }
            if (m_hasAllToAll)
            {
                Check(
                    {CollectiveKind::ALL_TO_ALL, 7 * uint64_t{size}, 0, size, nullptr, &placement});
                Check({CollectiveKind::ALL_TO_ALL,
                       uint64_t{size} * 3 + 1,
                       0,
                       size,
                       nullptr,
                       &placement});
            }
        }
    }
};

/**
 * @param graph a fabric of ranks
 * @return rings of its links
 */
std::vector<std::vector<uint32_t>>
FindRings(const TopologyGraph& graph)
{
    return FindLinkRings(FindRankLinks(graph));
}

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
        Check(BuildAlone("torus:dims=4x4x8,edges=twisted", 128), 3, "twisted torus");
        Check(BuildAlone("torus:dims=4x8,edges=twisted", 32), 2, "in two dimensions");
        Check(BuildAlone("torus:dims=5x3", 15), 2, "odd dimensions");
        // Ranks at the corners of a mesh have two links; an odd one has as many more ranks of one
        // colour of a chequerboard as of the other, between which links lead.
        Check(BuildAlone("torus:dims=4x4,edges=open", 16), 1, "mesh");
        Check(BuildAlone("torus:dims=3x3,edges=open", 9), 0, "odd mesh");
        // W. Walecki's decomposition of the complete graph of 2 k + 1 into k rings.
        TopologyGraph complete;
        MakeHosts(complete, 9);
        for (uint32_t a = 0; a < 9; ++a)
        {
            for (uint32_t b = 0; b < a; ++b)
            {
                complete.AddLink(a, b, DataRate("1Gbps"), Time(0));
            }
        }
        Check(complete, 4, "complete graph");
        // Petersen's graph, the smallest of three links a rank that is bridgeless and has no ring.
        TopologyGraph petersen;
        MakeHosts(petersen, 10);
        for (uint32_t i = 0; i < 5; ++i)
        {
            petersen.AddLink(i, (i + 1) % 5, DataRate("1Gbps"), Time(0));
            petersen.AddLink(5 + i, 5 + (i + 2) % 5, DataRate("1Gbps"), Time(0));
            petersen.AddLink(i, 5 + i, DataRate("1Gbps"), Time(0));
        }
        Check(petersen, 0, "Petersen's graph");
        Check(BuildAlone("ring", 2), 0, "two ranks");
    }

    /**
     * @param [in,out] graph receives hosts
     * @param count how many
     */
    static void MakeHosts(TopologyGraph& graph, uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            graph.AddHost("h" + std::to_string(i));
        }
    }

    /**
     * @param graph a fabric of ranks
     * @param count rings that it has
     * @param what which fabric
     */
    void Check(const TopologyGraph& graph, std::size_t count, const std::string& what)
    {
        const auto rings = FindRings(graph);
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

/**
 * @ingroup workload-replay-tests
 * @brief Every member of a collective by rings of links ends with the data it should have.
 */
class LinkRingsDataTestCase : public CollectiveDataTestCase
{
  public:
    LinkRingsDataTestCase()
        : CollectiveDataTestCase("by rings of links", CreateObject<RingCollective>(), 0)
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, uint32_t>> topologies{
            {"torus:dims=4x8,edges=twisted", 32},
            {"torus:dims=3x5,edges=open", 15}};
        for (const auto& [topology, world] : topologies)
        {
            CollectivePlacement placement(
                std::vector<uint32_t>(world, CollectivePlacement::NO_SERVER));
            placement.SetNeighbours(FindRankLinks(BuildAlone(topology, world)));
            for (const uint64_t bytes : {uint64_t{1}, uint64_t{world}, 13 * uint64_t{world} + 7})
            {
                CheckAll(bytes, world, &placement);
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of collectives in a torus against what the busiest link carries.
 */
class TorusTimeTestCase : public TestCase
{
  public:
    TorusTimeTestCase()
        : TestCase("torus: times")
    {
    }

  private:
    void DoRun() override
    {
        // 256 MiB, N = 64, links of 50 GB/s. One ring carries 2 (N - 1) / N of them over each link,
        // six parts at once a sixth of that; a row of 8 uses two links of each member.
        const double seconds = 268435456 / 50e9;
        const std::string cube = "torus:dims=4x4x4";
        Check(cube, 64, {"--collective=ring"}, 2 * 63 / 64.0 * seconds);
        Check(cube, 64, {"--collective=ring", "--channels=2"}, 63 / 64.0 * seconds);
        Check(cube, 64, {}, 2 * 63 / 64.0 * seconds / 6);
        Check(cube, 64, {"--kind=reduce-scatter"}, 63 / 64.0 * seconds / 6);
        Check(cube, 64, {"--kind=all-gather"}, 63 / 64.0 * seconds / 6);
        Check("ring", 8, {}, 2 * 7 / 8.0 * seconds / 2);
        // A row of four has a member at distance 2 and two at 1. On the ideal network, where only
        // the links at both ends count, a member sends three quarters of a third over two links in
        // each of three dimensions, two of the quarters over the same one.
        Check(cube, 64, {"--kind=all-to-all"}, 3 * 2 / 4.0 / 3 * seconds);
        // In a mesh what closes a ring goes back over the whole row: one ring in each dimension
        // uses all links, at half the rate of a torus.
        const std::string mesh = "torus:dims=4x4,edges=open";
        Check(mesh, 16, {}, 2 * 15 / 16.0 * seconds / 2);
        // A ring of links that is searched for, both ways.
        Check(mesh, 16, {"--collective=ring"}, 2 * 15 / 16.0 * seconds / 2);
        // Three rings of links, both ways, in steps of 500 ns.
        Check("torus:dims=4x4x8,edges=twisted",
              128,
              {},
              2 * 127 / 128.0 * seconds / 6 + 2 * 127 * 500e-9);
    }

    void DoTeardown() override
    {
        Config::Reset();
    }

    /**
     * @param topology a topology
     * @param world number of ranks
     * @param arguments arguments of wl-collective
     * @param expected time of the collective, s
     */
    void Check(const std::string& topology,
               uint32_t world,
               std::vector<std::string> arguments,
               double expected)
    {
        arguments.insert(arguments.end(),
                         {"--topology=" + topology,
                          "--ranks=" + std::to_string(world),
                          "--nicRate=400Gbps",
                          "--gpusPerServer=1",
                          "--transport=ideal",
                          "--minBytes=256MiB",
                          "--maxBytes=256MiB",
                          "--csv"});
        // What options of another run have set as defaults is none of this one.
        Config::Reset();
        std::ostringstream table;
        CollectiveBench(ParseCollectiveBenchOptions(arguments)).Run(table, table);
        const auto text = table.str();
        // The header, then size_bytes, count, time_us and others.
        auto begin = text.find('\n');
        for (int column = 0; column < 2; ++column)
        {
            begin = text.find(',', begin + 1);
        }
        // Steps have a latency each.
        NS_TEST_EXPECT_MSG_EQ_TOL(std::stod(text.substr(begin + 1)),
                                  1e6 * expected,
                                  3e4 * expected,
                                  topology << " " << arguments.front());
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Collectives in a torus: test suite.
 */
class WorkloadReplayTorusTestSuite : public TestSuite
{
  public:
    WorkloadReplayTorusTestSuite()
        : TestSuite("workload-replay-torus", TestSuite::Type::UNIT)
    {
        AddTestCase(new TorusShapeTestCase);
        AddTestCase(new TorusGridTestCase);
        for (const bool wraps : {true, false})
        {
            AddTestCase(new TorusDataTestCase(CreateObject<BucketCollective>(), wraps));
            AddTestCase(new TorusDataTestCase(CreateObject<RingCollective>(), wraps));
        }
        AddTestCase(new LinkRingsTestCase);
        AddTestCase(new LinkRingsDataTestCase);
        AddTestCase(new TorusTimeTestCase);
    }
};

/// Registers the suite.
WorkloadReplayTorusTestSuite g_workloadReplayTorusTestSuite;

} // namespace
