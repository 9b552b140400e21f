/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-test-cases.h"

#include "ns3/collective-bench-options.h"
#include "ns3/collective-fit-log.h"
#include "ns3/collective-reference.h"
#include "ns3/input-values.h"
#include "ns3/lattice-search.h"
#include "ns3/nccl-tests-log.h"
#include "ns3/workload-error.h"
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
        // Two groups, which call the collective each, on a host of their own.
        {"# Collective test starting: all_gather_perf\n"
         "#  Rank  0 Group  0 Pid  11 on node0 device  0 [0x53] NVIDIA\n"
         "#  Rank  1 Group  0 Pid  12 on node0 device  1 [0x53] NVIDIA\n"
         "#  Rank  2 Group  1 Pid  13 on node1 device  0 [0x53] NVIDIA\n"
         "#  Rank  3 Group  1 Pid  14 on node1 device  1 [0x53] NVIDIA\n" +
             timed("none", "75"),
         CollectiveKind::ALL_GATHER,
         2,
         1,
         {}},
        // Programs without MPI, of which each is alone (github.com/NVIDIA/nccl-tests/issues/107).
        {"all_reduce_perf\n#   Rank  0 Pid   1320 on node0 device  0 [0x00] Tesla V100\n"
         "#   Rank  0 Pid   2066 on node1 device  0 [0x00] Tesla V100\n" +
             timed("sum", "0") + timed("sum", "0"),
         CollectiveKind::ALL_REDUCE,
         1,
         1,
         {}},
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
        // The same as nccl-tests -J writes it.
        {R"({"args": ["build/alltoall_perf_mpi", "-J", "x"], "config": {"devices": [)"
         R"({"rank": 0, "pid": 7, "hostname": "a"}, {"rank": 1, "pid": 7, "hostname": "b"}]},)"
         R"("results": [{"size": 8, "out_of_place": {"time": 5}}]})",
         CollectiveKind::ALL_TO_ALL,
         2,
         2,
         {}},
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
        const auto jobs =
            ListNcclTestsJobs(WorkloadText(file, {ForeignFile::NCCL_TESTS}), {row.wanted});
        NS_TEST_ASSERT_MSG_EQ(jobs.size(), 1, row.text);
        const auto& job = jobs.front();
        NS_TEST_EXPECT_MSG_EQ((job.kind == row.kind), true, row.text);
        NS_TEST_EXPECT_MSG_EQ(job.ranks, row.ranks, row.text);
        NS_TEST_EXPECT_MSG_EQ(job.servers, row.servers, row.text);
    }
}

NcclTestsRanksTestCase::NcclTestsRanksTestCase()
    : TestCase("logs of nccl-tests with runs of several numbers of ranks and servers")
{
}

void
NcclTestsRanksTestCase::CheckReference(const std::string& text)
{
    struct Row
    {
        uint32_t ranks;     //!< ranks that are asked for; 0 = any
        uint32_t servers;   //!< servers that are asked for; 0 = any
        double time;        //!< time of 1 MiB, us; 0 = it is refused
        std::string answer; //!< what is left out, or the message behind the name of the file
    };

    const std::string all = "2 ranks on 1 server, 2 ranks on 2 servers, 4 ranks on 2 servers";
    const std::vector<Row> rows{
        {4, 0, 30, "all-reduce of 2 ranks on 1 server, all-reduce of 2 ranks on 2 servers"},
        {2, 1, 10, "all-reduce of 2 ranks on 2 servers, all-reduce of 4 ranks on 2 servers"},
        {2, 2, 20, "all-reduce of 2 ranks on 1 server, all-reduce of 4 ranks on 2 servers"},
        {0, 1, 10, "all-reduce of 2 ranks on 2 servers, all-reduce of 4 ranks on 2 servers"},
        {0,
         0,
         0,
         ": error: expected --ranks and --servers that say which runs count, such as --ranks=4 "
         "--servers=2, found runs of " +
             all},
        {2,
         0,
         0,
         ": error: expected --ranks and --servers that say which runs count, such as --ranks=2 "
         "--servers=2, found runs of 2 ranks on 1 server, 2 ranks on 2 servers"},
        {8, 0, 0, ": error: expected runs of 8 ranks, as is asked for, found others alone: " + all},
        {0,
         3,
         0,
         ": error: expected runs of ranks on 3 servers, as is asked for, found others alone: " +
             all},
    };
    const auto file = CreateTempDirFilename("several.log");
    std::ofstream(file) << text;
    for (const auto& row : rows)
    {
        NcclTestsJob wanted;
        wanted.kind = CollectiveKind::ALL_REDUCE;
        wanted.ranks = row.ranks;
        wanted.servers = row.servers;
        double time = 0;
        std::string answer;
        try
        {
            const CollectiveReference reference(file, wanted);
            time = reference.Find(1048576).value_or(0);
            const auto& leftOut = reference.GetLeftOut();
            answer = JoinWords({leftOut.begin(), leftOut.end()});
        }
        catch (const WorkloadError& error)
        {
            answer = error.what();
        }
        const auto name = std::to_string(row.ranks) + " on " + std::to_string(row.servers);
        NS_TEST_EXPECT_MSG_EQ(time, row.time, name);
        NS_TEST_EXPECT_MSG_EQ(answer, (row.time > 0 ? "" : file) + row.answer, name);
    }
}

void
NcclTestsRanksTestCase::CheckFit(const std::string& text, const std::string& alone)
{
    const auto file = CreateTempDirFilename("fit.log");
    std::ofstream(file) << text;
    const auto read = [](const std::string& fit, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"--fit=" + fit, "--fabric=h100"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::string found;
        for (const auto& log : ReadCollectiveFitLogs(ParseCollectiveBenchOptions(arguments)))
        {
            found += std::to_string(log.ranks) + "/" + std::to_string(log.servers) + ":" +
                     std::to_string(static_cast<int>(log.times.at(1048576))) +
                     (log.leftOut.empty() ? " " : "-" + std::to_string(log.leftOut.size()) + " ");
        }
        return found;
    };
    NS_TEST_EXPECT_MSG_EQ(read(file), "2/1:10 2/2:20 4/2:30 ", "all of them");
    NS_TEST_EXPECT_MSG_EQ(read(file + ":ranks=2"), "2/1:10-1 2/2:20-1 ", "by the key");
    NS_TEST_EXPECT_MSG_EQ(read(file, {"--ranks=4"}), "4/2:30-2 ", "by the option");
    NS_TEST_EXPECT_MSG_EQ(read(file + ":servers=1", {"--ranks=2"}), "2/1:10-2 ", "by both");
    // A rank alone says nothing of a fabric.
    std::ofstream(file) << alone + text;
    NS_TEST_EXPECT_MSG_EQ(read(file), "2/1:10-1 2/2:20-1 4/2:30-1 ", "but the one of one rank");
}

void
NcclTestsRanksTestCase::DoRun()
{
    // As a script writes it that runs nccl-tests on ever more nodes, an all-gather among them, and
    // what is no collective here, which has times that would show.
    std::string text;
    std::string records;
    int pid = 100;
    const auto add = [&](const std::string& program,
                         const std::string& name,
                         uint32_t ranks,
                         uint32_t servers,
                         const std::string& time) {
        text += "# Collective test starting: " + program + "\n";
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            text += "#  Rank  " + std::to_string(rank) + " Group  0 Pid  " + std::to_string(++pid) +
                    " on node" + std::to_string(rank * servers / ranks) +
                    " device  0 [0x53] H100\n";
        }
        text += " 1048576 262144 float sum -1 " + time + " 100 150 0 10 1 1 0\n";
        records += R"({"name": ")" + name + R"(", "nodes": )" + std::to_string(servers) +
                   R"(, "ranks": )" + std::to_string(ranks) +
                   R"(, "size": 1048576, "type": "float", "redop": "sum", "inPlace": 0, "time": )" +
                   time + "}\n";
    };
    add("all_reduce_perf", "AllReduce", 2, 1, "10");
    add("all_reduce_perf", "AllReduce", 4, 2, "30");
    add("all_reduce_perf", "AllReduce", 2, 2, "20");
    CheckReference(text);
    CheckReference(records);
    CheckFit(text,
             "# all_reduce_perf\n# Rank 0 Pid 9 on node0 device 0\n"
             " 1048576 262144 float sum -1 2 100 150 0 2 1 1 0\n");
    CheckFit(records,
             R"({"name": "AllReduce", "nodes": 1, "ranks": 1, "size": 1048576, "type": "float", )"
             R"("redop": "sum", "inPlace": 0, "time": 2})"
             "\n");

    // A program that times something else ends the run before it.
    text.clear();
    add("all_reduce_perf", "AllReduce", 2, 1, "10");
    add("alltoallv_perf", "AlltoAllv", 2, 1, "1000");
    const auto file = CreateTempDirFilename("other.log");
    std::ofstream(file) << text;
    const CollectiveReference reference(file);
    NS_TEST_EXPECT_MSG_EQ(reference.Find(1048576).value_or(0), 10, "not the mean of both");
    NS_TEST_EXPECT_MSG_EQ(*reference.GetLeftOut().begin(),
                          "alltoallv_perf of 2 ranks on 1 server",
                          "said");
}
