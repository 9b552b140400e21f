/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"

#include "ns3/bucket-collective.h"
#include "ns3/collective-bench-options.h"
#include "ns3/collective-bench.h"
#include "ns3/config.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/torus-grid.h"
#include "ns3/torus-shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
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
        auto graph = Build("torus:dims=4x4", 16);
        graph.AddLink(0, 5, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(FindTorusSizes(graph).size(), 0, "a diagonal");
        graph = Build("torus:dims=4x4", 16);
        graph.AddLink(0, 1, DataRate("1Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(FindTorusSizes(graph).size(), 0, "a double link");
    }

    /**
     * @param topology a topology
     * @param world number of ranks
     * @return its graph, of ranks that stand alone
     */
    static TopologyGraph Build(const std::string& topology, uint32_t world)
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        return TopologyBuilder::Build(TopologySpec(topology), world, parameters);
    }

    /**
     * @param topology a topology
     * @param world number of ranks
     * @param sizes lengths of its dimensions
     */
    void Check(const std::string& topology, uint32_t world, const std::vector<uint32_t>& sizes)
    {
        NS_TEST_EXPECT_MSG_EQ((FindTorusSizes(Build(topology, world)) == sizes), true, topology);
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
    }

    /**
     * @param sizes lengths of the dimensions of a torus all of whose ranks are members
     */
    void CheckRing(const std::vector<uint32_t>& sizes)
    {
        const auto grid = TorusGrid::Make(sizes, ListRanks(sizes));
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
     */
    void CheckRows(const std::vector<uint32_t>& ranks, const std::vector<uint32_t>& sizes)
    {
        const auto grid = TorusGrid::Make({4, 4}, ranks);
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
     */
    explicit TorusDataTestCase(Ptr<const CollectiveAlgorithm> algorithm)
        : CollectiveDataTestCase("in a torus", algorithm, 0),
          m_hasAllToAll(algorithm->Supports(CollectiveKind::ALL_TO_ALL))
    {
    }

  private:
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
            placement.SetGrid(TorusGrid::Make(sizes, ranks));
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
        AddTestCase(new TorusDataTestCase(CreateObject<BucketCollective>()));
        AddTestCase(new TorusDataTestCase(CreateObject<RingCollective>()));
        AddTestCase(new TorusTimeTestCase);
    }
};

/// Registers the suite.
WorkloadReplayTorusTestSuite g_workloadReplayTorusTestSuite;

} // namespace
