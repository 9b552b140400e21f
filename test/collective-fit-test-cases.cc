/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-test-cases.h"

#include "ns3/lattice-search.h"
#include "ns3/nccl-tests-log.h"
#include "ns3/workload-text.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

LatticeSearchTestCase::LatticeSearchTestCase()
    : TestCase("searches on lattices: bounds, ridges, which values are asked for")
{
}

void
LatticeSearchTestCase::DoRun()
{
    const std::vector<std::pair<int, int>> bounds{{-100, 100}, {-100, 100}};
    const auto expect = [this, &bounds](const std::function<double(double, double)>& function,
                                        const LatticePoint& least) {
        uint32_t asked = 0;
        const auto found =
            SearchLattice(bounds, {0, 0}, 32, [&](const LatticePoint& point, double) {
                ++asked;
                for (std::size_t i = 0; i < bounds.size(); ++i)
                {
                    NS_TEST_EXPECT_MSG_EQ(
                        (point[i] >= bounds[i].first && point[i] <= bounds[i].second),
                        true,
                        "within the bounds");
                }
                return function(point[0], point[1]);
            });
        NS_TEST_EXPECT_MSG_EQ((found == least), true, found[0] << ", " << found[1]);
        NS_TEST_EXPECT_MSG_LT(asked, 1000, "of 40401 points");
    };
    expect([](double x, double y) { return std::hypot(x - 37, y + 61); }, {37, -61});
    // A ridge along the diagonal, which no single dimension follows.
    expect([](double x, double y) { return std::pow(x + y - 20, 2) + std::pow(x - y, 2) / 4; },
           {10, 10});
    expect([](double x, double y) { return std::fabs(x - 300) + std::fabs(y + 7); }, {100, -7});
    expect([](double, double) { return 1; }, {0, 0});
}

NcclTestsJobTestCase::NcclTestsJobTestCase()
    : TestCase("what logs of nccl-tests tell of the job")
{
}

void
NcclTestsJobTestCase::DoRun()
{
    struct Row
    {
        std::string text;                     //!< a log
        std::optional<CollectiveKind> kind;   //!< what it tells was timed
        uint32_t ranks;                       //!< ranks that it tells of
        uint32_t servers;                     //!< hosts that it tells of
        std::optional<CollectiveKind> wanted; //!< what is asked for
    };

    const auto makeHead = [](const std::string& pid) {
        return "# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid  " + pid +
               "1 on node0 device  0 [0x53] NVIDIA H100\n#  Rank  1 Group  0 Pid  " + pid +
               "2 on node0 device  1 [0x64] NVIDIA H100\n#  Rank  2 Group  0 Pid  " + pid +
               "1 on node1 device  0 [0x53] NVIDIA H100\n#   Rank  3 Pid  " + pid +
               "2 on node1 device  1 [0x64] NVIDIA H100\n";
    };
    const auto head = makeHead("1");
    const auto timed = [](const std::string& reduction, const std::string& busBandwidth) {
        return " 1048576 262144 float " + reduction + " -1 10 100 " + busBandwidth +
               " 0 10 1 1 0\n";
    };
    const std::string twoKinds = "# Collective test starting: all_reduce_perf\n" + head +
                                 timed("sum", "150") +
                                 "# Collective test starting: all_gather_perf\n"
                                 "#  Rank  0 Group  0 Pid  7 on node0 device  0 [0x53] NVIDIA\n" +
                                 timed("none", "75");
    const std::vector<Row> rows{
        // 2 (n - 1) / n = 1.5 of algbw, or half of that.
        {head + timed("sum", "150"), CollectiveKind::ALL_REDUCE, 4, 2, {}},
        {head + timed("sum", "75"), CollectiveKind::REDUCE_SCATTER, 4, 2, {}},
        // An all-gather or an all-to-all.
        {head + timed("none", "75"), std::nullopt, 4, 2, {}},
        {"# Collective test starting: alltoall_perf\n" + head + timed("none", "75"),
         CollectiveKind::ALL_TO_ALL,
         4,
         2,
         {}},
        {"+ srun /opt/nccl-tests/build/all_gather_perf -b 8 -e 1G\n" + timed("none", "75"),
         CollectiveKind::ALL_GATHER,
         0,
         0,
         {}},
        {timed("sum", "150"), std::nullopt, 0, 0, {}},
        // A second run has other processes, and text around may name other programs.
        {"as alltoall_perf before\n# Collective test starting: all_reduce_perf\n" + head +
             timed("sum", "150") + "# Collective test concluded: all_reduce_perf\n" +
             makeHead("92") + timed("sum", "150") + "not sendrecv_perf\n",
         CollectiveKind::ALL_REDUCE,
         4,
         2,
         {}},
        // Of two collectives on different numbers of ranks the one that is asked for, or of one
        // the other one.
        {twoKinds, CollectiveKind::ALL_REDUCE, 4, 2, CollectiveKind::ALL_REDUCE},
        {twoKinds, CollectiveKind::ALL_GATHER, 1, 1, CollectiveKind::ALL_GATHER},
        {"all_reduce_perf\n" + head + timed("sum", "150"),
         CollectiveKind::ALL_REDUCE,
         4,
         2,
         CollectiveKind::BROADCAST},
        // A record of rccl-tests.
        {R"([{"name": "AllGather", "nodes": 3, "ranks": 24, "size": 8, "type": "float",)"
         R"("redop": "none", "inPlace": 0, "time": 5}])",
         CollectiveKind::ALL_GATHER,
         24,
         3,
         {}},
    };
    const auto file = CreateTempDirFilename("nccl-tests.log");
    for (const auto& row : rows)
    {
        std::ofstream(file) << row.text;
        const auto job =
            ReadNcclTestsJob(WorkloadText(file, {ForeignFile::NCCL_TESTS}), row.wanted);
        NS_TEST_EXPECT_MSG_EQ((job.kind == row.kind), true, row.text);
        NS_TEST_EXPECT_MSG_EQ(job.ranks, row.ranks, row.text);
        NS_TEST_EXPECT_MSG_EQ(job.servers, row.servers, row.text);
    }
}
