/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-test-cases.h"
#include "collective-data-test-case.h"
#include "topology-test-tools.h"
#include "torus-test-cases.h"

#include "ns3/bucket-collective.h"
#include "ns3/direct-collective.h"
#include "ns3/rank-links.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

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
                                                                    {6, 4},
                                                                    {2, 2, 2},
                                                                    {4, 4, 4}})
        {
            const auto ranks = ListTorusRanks(sizes);
            CollectivePlacement placement(
                std::vector<uint32_t>(ranks.size(), CollectivePlacement::NO_SERVER));
            placement.SetGrid(MakeTorusGrid(sizes, ranks, m_wraps));
            std::string dims;
            for (const auto length : sizes)
            {
                dims += (dims.empty() ? "" : "x") + std::to_string(length);
            }
            const std::string edges = m_wraps ? "closed" : "open";
            placement.SetNeighbours(
                FindRankLinks(BuildTopology("torus:dims=" + dims + ",edges=" + edges,
                                            static_cast<uint32_t>(ranks.size()))));
            const auto size = static_cast<uint32_t>(ranks.size());
            // Fewer bytes than members, and lengths that do not divide.
            for (const uint64_t bytes : {uint64_t{1}, uint64_t{size}, 13 * uint64_t{size} + 7})
            {
                CheckAll(bytes, size, &placement);
            }
            if (m_hasAllToAll)
            {
                for (const uint64_t bytes : {7 * uint64_t{size}, 3 * uint64_t{size} + 1})
                {
                    Check({CollectiveKind::ALL_TO_ALL, bytes, 0, size, nullptr, &placement});
                }
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Every member of a collective ends with the data it should have where links join members
 * that fill no rows.
 */
class LinksDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param algorithm the algorithm
     */
    explicit LinksDataTestCase(Ptr<const CollectiveAlgorithm> algorithm)
        : CollectiveDataTestCase("by links", algorithm, 0),
          m_hasAllToAll(algorithm->Supports(CollectiveKind::ALL_TO_ALL))
    {
    }

  private:
    const bool m_hasAllToAll; //!< the algorithm does all-to-all

    void DoRun() override
    {
        const std::vector<std::pair<std::string, uint32_t>> topologies{
            {"torus:dims=4x8,edges=twisted", 32},
            {"torus:dims=3x5,edges=open", 15}};
        for (const auto& [topology, world] : topologies)
        {
            CollectivePlacement placement(
                std::vector<uint32_t>(world, CollectivePlacement::NO_SERVER));
            placement.SetNeighbours(FindRankLinks(BuildTopology(topology, world)));
            for (const uint64_t bytes : {uint64_t{1}, uint64_t{world}, 13 * uint64_t{world} + 7})
            {
                CheckAll(bytes, world, &placement);
            }
            if (m_hasAllToAll)
            {
                Check({CollectiveKind::ALL_TO_ALL, 7 * world, 0, world, nullptr, &placement});
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
        Check(cube, 64, {"--collective=hierarchical"}, 2 * 63 / 64.0 * seconds / 6);
        // Rows of 4 at 50 GB/s, columns of 4 at 25: parts of 2 and 1 of 3 go round them first, 3 /
        // 4 of each both ways, in the same time; then a quarter of the 2 goes over the columns.
        Check(WriteUnequal(),
              16,
              {"--kind=reduce-scatter"},
              (2 / 3.0 * 3 / 4 + 2 / 3.0 / 4 * 3 / 4 * 2) / 2 * seconds);
        Check("ring", 8, {}, 2 * 7 / 8.0 * seconds / 2);
        // Dimensions that differ have parts by n / (n - 1) and by directions of links, so that all
        // have gone round their first one at the same time. In the others they wait for the
        // longest: of 4 x 8, whose parts are 7 and 6 of 13, a quarter of 7 over the rings of 8.
        Check("torus:dims=4x8", 32, {}, 2 * (7 * 3 / 4.0 + 7 / 4.0 * 7 / 8.0) / 13 / 2 * seconds);
        // Parts of 4 x 4 x 2 are 4, 4 and 3 of 11: first 4 x 3 / 4 over two links; then half of the
        // 3 over the rings of 4; then that an eighth of 3 does so.
        Check("torus:dims=4x4x2",
              32,
              {},
              2 * (4 * 3 / 4.0 + 3 / 2.0 * 3 / 4.0 + 3 / 8.0 * 3 / 4.0) / 11 / 2 * seconds);
        // All-to-all: on a ring of n a block goes n / 4 links far in the mean, in each dimension,
        // over both links; in a mesh of 3 x 4, half of all go over the middle of a row of 4, and of
        // the dimensions that take turns the longest decides.
        const double goodput = 4096 / 4178.0;
        const std::string exchange = "--kind=all-to-all";
        Check(cube, 64, {exchange}, seconds / 2 / goodput, "fluid");
        Check(cube, 64, {exchange}, seconds / 2 / goodput, "rdma");
        Check("torus:dims=8", 8, {exchange}, seconds / goodput, "fluid");
        Check("torus:dims=3x4,edges=open", 12, {exchange}, seconds / goodput, "fluid");
        // With columns at half the rate of rows each byte goes by columns once, whichever part it
        // is in: two ways out of a half of 8 ranks in each of 4 columns, which half of its 4 S
        // take.
        for (const std::string transport : {"fluid", "rdma"})
        {
            Check(WriteUnequal(), 16, {exchange}, 4 * 2 * seconds / (2 * 4) / goodput, transport);
        }
        // A twisted torus of 4 x 8 looks the same from all places and in all directions, and the 31
        // others are 84 links away in sum: 4 at 1, 8 at 2, 12 at 3, 7 at 4. A 32nd each goes there.
        Check("torus:dims=4x8,edges=twisted",
              32,
              {"--routing=spray", exchange},
              84 / 4.0 / 32 * seconds / goodput,
              "rdma");
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

    /**
     * @return a file with a torus of 4 x 4 whose rows have links of 400 Gb/s, and columns of 200
     */
    std::string WriteUnequal()
    {
        const auto path = CreateTempDirFilename("unequal.json");
        std::ofstream file(path);
        file << R"({"nodes": [)";
        for (uint32_t rank = 0; rank < 16; ++rank)
        {
            file << (rank > 0 ? "," : "") << R"({"name": "h)" << rank << R"(", "kind": "host"})";
        }
        file << R"(], "links": [)";
        for (uint32_t rank = 0; rank < 16; ++rank)
        {
            const auto right = rank / 4 * 4 + (rank + 1) % 4;
            const auto link =
                R"({"delay": "500ns", "a": "h)" + std::to_string(rank) + R"(", "b": "h)";
            file << (rank > 0 ? "," : "") << link << right << R"(", "rate": "400Gbps"},)" << link
                 << (rank + 4) % 16 << R"(", "rate": "200Gbps"})";
        }
        file << "]}";
        return path;
    }

    /**
     * @param topology a topology
     * @param world number of ranks
     * @param arguments arguments of wl-collective
     * @param expected time of the collective, s
     * @param transport what carries it
     */
    void Check(const std::string& topology,
               uint32_t world,
               std::vector<std::string> arguments,
               double expected,
               const std::string& transport = "ideal")
    {
        arguments.insert(arguments.end(),
                         {"--topology=" + topology,
                          "--ranks=" + std::to_string(world),
                          "--transport=" + transport,
                          "--minBytes=256MiB",
                          "--maxBytes=256MiB"});
        if (topology.find(".json") == std::string::npos)
        {
            arguments.insert(arguments.end(), {"--nicRate=400Gbps", "--gpusPerServer=1"});
        }
        // Steps have a latency each.
        NS_TEST_EXPECT_MSG_EQ_TOL(TimeCollective(arguments),
                                  expected,
                                  0.03 * expected,
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
        for (auto* testCase : MakeTorusShapeTestCases())
        {
            AddTestCase(testCase);
        }
        for (const bool wraps : {true, false})
        {
            AddTestCase(new TorusDataTestCase(CreateObject<BucketCollective>(), wraps));
            AddTestCase(new TorusDataTestCase(CreateObject<RingCollective>(), wraps));
        }
        AddTestCase(new LinksDataTestCase(CreateObject<RingCollective>()));
        AddTestCase(new LinksDataTestCase(CreateObject<DirectCollective>()));
        AddTestCase(new TorusTimeTestCase);
    }
};

/// Registers the suite.
WorkloadReplayTorusTestSuite g_workloadReplayTorusTestSuite;

} // namespace
