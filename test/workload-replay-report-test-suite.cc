/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/replay-report.h"
#include "ns3/replay-result.h"
#include "ns3/replay-statistics.h"
#include "ns3/replay-summary.h"
#include "ns3/test.h"
#include "ns3/workload-program.h"

#include <sstream>
#include <string>

using namespace ns3;

namespace
{

/// Index of the data parallel dimension.
constexpr std::size_t DP = static_cast<std::size_t>(Dimension::DP);

/**
 * @return a job of two ranks that compute, then all-reduce
 */
std::shared_ptr<const Workload>
MakeJob()
{
    ParallelLayout layout;
    layout.world = 2;
    layout.dp = 2;
    auto workload = std::make_shared<Workload>("op-table", "some/t.tsv", layout);
    WorkloadProgramBuilder builder("some/t.tsv");
    WorkloadOp compute;
    compute.stream = builder.AddStream({"compute", true, Dimension::WORLD});
    compute.origin = 2;
    builder.AddOp(compute, "layer");
    WorkloadOp reduce;
    reduce.stream = builder.AddStream({"dp", false, Dimension::DP});
    reduce.kind = OpKind::COLLECTIVE;
    reduce.amount = 1000000;
    reduce.origin = 3;
    builder.AddOp(reduce, "grad");
    const auto program = builder.Build();
    const auto dp = workload->AddCommunicator({"dp0", Dimension::DP, {0, 1}});
    workload->SetRank(0, program, {dp});
    workload->SetRank(1, program, {dp});
    workload->SetSchedule("gpipe", "literal");
    return workload;
}

/**
 * @param rank the rank
 * @param iteration the iteration
 * @param us start, compute, exposed and bubble time, us
 * @return the iteration; it waited for the all-reduce
 */
IterationRecord
MakeIteration(uint32_t rank, uint32_t iteration, const std::array<int64_t, 4>& us)
{
    IterationRecord record;
    record.rank = rank;
    record.iteration = iteration;
    record.start = MicroSeconds(us[0]);
    record.end = MicroSeconds(us[0] + us[1] + us[2] + us[3]);
    record.compute = MicroSeconds(us[1]);
    record.exposed[DP] = MicroSeconds(us[2]);
    record.bubble = MicroSeconds(us[3]);
    record.hidden[DP] = MicroSeconds(rank == 0 ? 8 : 0);
    record.longestWaitOp = 1;
    record.longestWait = record.exposed[DP];
    return record;
}

/**
 * @param rank the member
 * @param sequence number of the collective
 * @param arrival when it was called, us
 * @param end when it was done, us
 * @return an all-reduce of 1 MB
 */
CollectiveRecord
MakeCollective(uint32_t rank, uint32_t sequence, int64_t arrival, int64_t end)
{
    CollectiveRecord record;
    record.rank = rank;
    record.sequence = sequence;
    record.algorithm = "ring";
    record.channels = 1;
    record.bytes = 1000000;
    record.arrival = MicroSeconds(arrival);
    record.end = MicroSeconds(end);
    return record;
}

/**
 * Two iterations: of 100 us, which rank 0 ends last, and of 112 us, which rank 1 ends last.
 *
 * @return what the ranks did
 */
std::shared_ptr<ReplayStatistics>
MakeStatistics()
{
    auto statistics = std::make_shared<ReplayStatistics>(MakeJob());
    statistics->AddIteration(MakeIteration(1, 0, {0, 48, 32, 12}));
    statistics->AddIteration(MakeIteration(0, 0, {0, 60, 40, 0}));
    statistics->AddIteration(MakeIteration(0, 1, {100, 60, 40, 0}));
    statistics->AddIteration(MakeIteration(1, 1, {92, 48, 64, 8}));
    // 52 us, then 64 us; a member may be done with the second before the other with the first.
    statistics->AddCollective(MakeCollective(1, 0, 48, 92));
    statistics->AddCollective(MakeCollective(1, 1, 148, 212));
    statistics->AddCollective(MakeCollective(0, 0, 60, 100));
    statistics->AddCollective(MakeCollective(0, 1, 160, 200));
    statistics->AddCollective(MakeCollective(0, 2, 205, 206));
    Message message;
    message.bytes = 500000;
    statistics->AddMessages(message, 1);
    statistics->AddMessages(message, 1);
    message.destination = 2; // after the two ranks: an NVSwitch
    message.bytes = 300;
    statistics->AddMessages(message, 1);
    return statistics;
}

/**
 * @return the result of a replay
 */
ReplayResult
MakeResult()
{
    ReplayResult result;
    result.complete = true;
    result.statistics = MakeStatistics();
    result.duration = MicroSeconds(212);
    result.fabric.topology = "single-switch";
    result.fabric.nodes = 3;
    result.fabric.links = 2;
    result.fabric.transport = "tcp";
    result.fabric.cc = "ns3::TcpCubic";
    result.fabric.routing = "ecmp";
    result.fabric.mtu = 9000;
    result.fabric.maxTrain = 64;
    result.fabric.goodputShare = 0.9942;
    PortCounters up;
    up.bytes = 1325000;
    up.maxQueue = 9002;
    up.drops = 7;
    PortCounters down;
    down.bytes = 2650000;
    down.maxQueue = 18004;
    result.links.push_back({up, "host0", "switch0", 100000000000});
    result.links.push_back({down, "switch0", "host1", 100000000000});
    result.links.push_back({{}, "host1", "switch0", 100000000000});
    result.network.packets = 1000000;
    result.network.ports.packets = 2500000;
    result.network.ports.drops = 7;
    result.assumptions.emplace_back("the job is made up");
    result.run.wallSeconds = 1.5;
    result.run.cpuSeconds = 1.25;
    result.run.events = 1000;
    result.run.peakMemory = 10485760;
    result.run.seed = 1;
    result.run.rngRun = 2;
    result.run.moduleVersion = "0.1.0";
    result.run.ns3Version = "3.37";
    return result;
}

/// The report of MakeResult().
const std::string REPORT =
    "workload    some/t.tsv, op-table, 2 ranks (dp 2), schedule gpipe, order literal\n"
    "network     single-switch, 3 nodes, 2 links; transport tcp (ns3::TcpCubic), routing "
    "ecmp, MTU 9000\n"
    "            bytes, trains of up to 64 packets\n"
    "\n"
    "iteration time  0.106 ms, the mean of 2 (first 0.100, least 0.100, most 0.112)\n"
    "\n"
    "where the time of a rank goes  mean, ms  share, %  worst, ms  on rank\n"
    "  compute                         0.054      50.9      0.060        0\n"
    "  exposed dp                      0.044      41.5      0.048        1\n"
    "  bubble                          0.005       4.7      0.010        1\n"
    "  idle                            0.003       2.8      0.006        0\n"
    "  (hidden dp behind compute)      0.004       3.8      0.008        0\n"
    "\n"
    "slowest ranks  end, ms  longest wait, ms  for\n"
    "  rank 1         0.212             0.064  grad, t.tsv:3\n"
    "  rank 0         0.200             0.040  grad, t.tsv:3\n"
    "\n"
    "busiest links       rate, Gb/s  used, %  sent, bytes  max queue, bytes  drops\n"
    "  switch0 -> host1       100.0    100.0      2650000             18004      0\n"
    "  host0 -> switch0       100.0     50.0      1325000              9002      7\n"
    "\n"
    "collectives      algorithm  ranks    bytes  count  mean, ms  max, ms  busbw, GB/s\n"
    "  dp all-reduce  ring           2  1000000      2     0.058    0.064       17.241\n"
    "\n"
    "assumed\n"
    "  - the job is made up\n"
    "  - headers leave 99.42 % of a link's rate to the workload\n"
    "\n"
    "run cost    1.50 s wall clock, 1.25 s CPU, 10 MiB peak memory, 1000 events, 2500000 "
    "packet-hops\n"
    "            (2.000 million per CPU second)\n";

/// Bus bandwidth of four ranks over size and time.
const std::vector<std::pair<CollectiveKind, double>> FACTORS{
    {CollectiveKind::ALL_REDUCE, 1.5},
    {CollectiveKind::ALL_GATHER, 0.75},
    {CollectiveKind::REDUCE_SCATTER, 0.75},
    {CollectiveKind::ALL_TO_ALL, 0.75},
    {CollectiveKind::SHIFT, 1},
    {CollectiveKind::BROADCAST, 1},
    {CollectiveKind::REDUCE, 1},
    {CollectiveKind::GATHER, 0.75},
    {CollectiveKind::SCATTER, 0.75},
    {CollectiveKind::BARRIER, 0},
};

} // namespace

/**
 * @ingroup workload-replay
 * @brief Totals of ranks, iterations and collectives from records made by hand.
 */
class StatisticsTestCase : public TestCase
{
  public:
    StatisticsTestCase();

  private:
    void DoRun() override;
};

StatisticsTestCase::StatisticsTestCase()
    : TestCase("statistics of ranks and collectives")
{
}

void
StatisticsTestCase::DoRun()
{
    const auto statistics = MakeStatistics();
    const auto times = statistics->GetIterationTimes();
    NS_TEST_ASSERT_MSG_EQ(times.size(), 2, "two iterations");
    NS_TEST_EXPECT_MSG_EQ(times[0], MicroSeconds(100), "rank 0 ends the first last");
    NS_TEST_EXPECT_MSG_EQ(times[1], MicroSeconds(112), "rank 1 ends the second last");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetTotalTime(), MicroSeconds(212), "the whole");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetIdleTime(0), MicroSeconds(12), "rank 0 ended at 200 us");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetIdleTime(1), Time(0), "rank 1 ended last");
    const auto account = statistics->GetAccount(1);
    NS_TEST_EXPECT_MSG_EQ(account.compute, 96000, "twice 48 us");
    NS_TEST_EXPECT_MSG_EQ(account.exposed[DP], 96000, "32 and 64 us");
    NS_TEST_EXPECT_MSG_EQ(account.bubble, 20000, "12 and 8 us");
    NS_TEST_EXPECT_MSG_EQ(account.idle, 0, "none");
    NS_TEST_EXPECT_MSG_EQ(account.end, 212000, "its end");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetMessages().count, 3, "messages");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetMessages().bytes, 1000000 + 300, "payload");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetRankMessages().count, 2, "one went to an NVSwitch");
    NS_TEST_EXPECT_MSG_EQ(statistics->GetRankMessages().bytes, 1000000, "payload at ranks");

    NS_TEST_ASSERT_MSG_EQ(statistics->GetCollectives().size(), 1, "one class");
    const auto& [key, entry] = *statistics->GetCollectives().begin();
    NS_TEST_EXPECT_MSG_EQ(entry.count, 2, "the third one lacks a member");
    NS_TEST_EXPECT_MSG_EQ(entry.total, MicroSeconds(116), "from first arrival to last end");
    NS_TEST_EXPECT_MSG_EQ(entry.max, MicroSeconds(64), "the longer one");
    NS_TEST_EXPECT_MSG_EQ(key.ranks, 2, "members");

    CollectiveStatistics second;
    second.count = 2;
    second.total = Seconds(2);
    for (const auto& [kind, factor] : FACTORS)
    {
        const CollectiveClass four{Dimension::DP, kind, "ring", 1000000000, 4};
        NS_TEST_EXPECT_MSG_EQ_TOL(GetBusBandwidth(four, second),
                                  factor * 1e9,
                                  1,
                                  "four ranks, 1 GB in 1 s: " << ToString(kind));
        NS_TEST_EXPECT_MSG_EQ(GetBusBandwidth(four, CollectiveStatistics()), 0, "no time");
    }
}

/**
 * @ingroup workload-replay
 * @brief The report, line by line.
 */
class ReportTestCase : public TestCase
{
  public:
    ReportTestCase();

  private:
    void DoRun() override;
};

ReportTestCase::ReportTestCase()
    : TestCase("the printed report")
{
}

void
ReportTestCase::DoRun()
{
    std::ostringstream stream;
    PrintReplayReport(stream, MakeResult());
    NS_TEST_EXPECT_MSG_EQ(stream.str(), REPORT, "the report");

    ReplayResult nothing;
    nothing.statistics = std::make_shared<ReplayStatistics>(MakeJob());
    std::ostringstream incomplete;
    PrintReplayReport(incomplete, nothing);
    NS_TEST_EXPECT_MSG_EQ(
        (incomplete.str().find("INCOMPLETE: the replay could not finish") != std::string::npos),
        true,
        "an unfinished replay says so");
    nothing.interruption = "interrupted at 1.000 ms, when 2.5 % was done";
    std::ostringstream interrupted;
    PrintReplayReport(interrupted, nothing);
    NS_TEST_EXPECT_MSG_EQ(
        (interrupted.str().find("INCOMPLETE: interrupted at 1.000 ms, when 2.5 % "
                                "was done; below is what was done by then\n") != std::string::npos),
        true,
        "an interrupted one too");
    NS_TEST_EXPECT_MSG_EQ((incomplete.str().find("compute") == std::string::npos),
                          true,
                          "and has no account");
}

/**
 * @ingroup workload-replay
 * @brief summary.json, letter by letter.
 */
class SummaryTestCase : public TestCase
{
  public:
    SummaryTestCase();

  private:
    void DoRun() override;

    /// A wait for the dimension world is written, else the parts would not add up.
    void CheckWorld();
};

SummaryTestCase::SummaryTestCase()
    : TestCase("summary.json")
{
}

void
SummaryTestCase::DoRun()
{
    // Blanks and line ends are left out on both sides.
    const std::string expected =
        R"({"workload":{"format":"op-table","file":"some/t.tsv","world":2,"tp":1,"cp":1,"ep":1,)"
        R"("dp":2,"pp":1,"microbatches":1,"schedule":"gpipe","order":"literal"},)"
        R"("fabric":{"topology":"single-switch","nodes":3,"links":2,"transport":"tcp",)"
        R"("cc":"ns3::TcpCubic","routing":"ecmp","mtu_bytes":9000,"max_train":64},)"
        R"("complete":true,"assumptions":["thejobismadeup"],)"
        R"("iterations":[{"time_ns":100000},{"time_ns":112000}],"ranks":[)"
        R"({"rank":0,"compute_ns":120000,"exposed_ns":{"tp":0,"cp":0,"ep":0,"dp":80000,"edp":0,)"
        R"("pp":0,"embedding":0},"bubble_ns":0,"idle_ns":12000,)"
        R"("hidden_ns":{"tp":0,"cp":0,"ep":0,"dp":16000,"edp":0,"pp":0,"embedding":0},)"
        R"("end_ns":200000},)"
        R"({"rank":1,"compute_ns":96000,"exposed_ns":{"tp":0,"cp":0,"ep":0,"dp":96000,"edp":0,)"
        R"("pp":0,"embedding":0},"bubble_ns":20000,"idle_ns":0,)"
        R"("hidden_ns":{"tp":0,"cp":0,"ep":0,"dp":0,"edp":0,"pp":0,"embedding":0},)"
        R"("end_ns":212000}],)"
        R"("collectives":[{"dimension":"dp","kind":"all-reduce","algorithm":"ring","ranks":2,)"
        R"("count":2,"bytes":1000000,"mean_ns":58000,"max_ns":64000,)"
        R"("busbw_bytes_per_s":17241379310}],)"
        R"("messages":[{"dimension":"dp","count":1,"bytes":300,"mean_ns":64000,)"
        R"("median_ns":64000,"p90_ns":64000,"p99_ns":64000,"max_ns":64000,"mean_slowdown":2.0,)"
        R"("median_slowdown":2.0,"p90_slowdown":2.0,"p99_slowdown":2.0,"max_slowdown":2.0}],)"
        R"("network":{"messages":3,"bytes_delivered":1000300,"packets":1000000,)"
        R"("packet_hops":2500000,"retransmitted_packets":0,)"
        R"("retransmission_timeouts":0,"dropped_packets":7,"ecn_marked_packets":0,"pfc_pauses":0},)"
        R"("run":{"wall_s":1.5,"cpu_s":1.25,"events":1000,"peak_rss_bytes":10485760,"seed":1,)"
        R"("rng_run":2,"module_version":"0.1.0","ns3_version":"3.37"}})";
    std::string found;
    MessageTimesTable messages;
    messages[{0, Dimension::DP}].Add(300, MicroSeconds(64), MicroSeconds(32));
    // Of another job, and of background traffic.
    messages[{1, Dimension::DP}].Add(400, MicroSeconds(64), MicroSeconds(32));
    messages[{UINT32_MAX, Dimension::DP}].Add(500, MicroSeconds(64), MicroSeconds(32));
    for (const char c : FormatReplaySummary(MakeResult(), messages))
    {
        if (c != ' ' && c != '\n')
        {
            found += c;
        }
    }
    NS_TEST_EXPECT_MSG_EQ(found, expected, "summary.json");
    CheckWorld();
    const auto directory = CreateTempDirFilename("a/b");
    NS_TEST_EXPECT_MSG_EQ(PrepareOutputDirectory(directory), "", "a directory is made");
    NS_TEST_EXPECT_MSG_EQ(WriteReplaySummary(directory, "summary.json", MakeResult(), {}),
                          "",
                          "a file is written");
    NS_TEST_EXPECT_MSG_EQ((PrepareOutputDirectory(directory + "/summary.json/c").empty()),
                          false,
                          "no directory can be made in a file");
}

void
SummaryTestCase::CheckWorld()
{
    auto result = MakeResult();
    auto statistics = MakeStatistics();
    IterationRecord record;
    record.iteration = 2;
    record.start = MicroSeconds(200);
    record.end = MicroSeconds(207);
    record.exposed[static_cast<std::size_t>(Dimension::WORLD)] = MicroSeconds(7);
    statistics->AddIteration(record);
    result.statistics = statistics;
    const auto summary = FormatReplaySummary(result, {});
    NS_TEST_EXPECT_MSG_EQ((summary.find("\"world\": 7000") != std::string::npos),
                          true,
                          "rank 0 waited 7 us");
    NS_TEST_EXPECT_MSG_EQ((summary.find("\"world\": 0") != std::string::npos),
                          true,
                          "all ranks have the same keys");
}

/**
 * @ingroup workload-replay-tests
 * @brief Quantiles are those of a sorted list, to within half a bin.
 */
class QuantileTestCase : public TestCase
{
  public:
    QuantileTestCase()
        : TestCase("quantiles of message times")
    {
    }

  private:
    void DoRun() override
    {
        QuantileHistogram values;
        NS_TEST_EXPECT_MSG_EQ(values.GetQuantile(0.5), 0, "no values");
        NS_TEST_EXPECT_MSG_EQ(values.GetMean(), 0, "no values");
        for (uint32_t i = 10000; i > 0; --i)
        {
            values.Add(i * 0.001);
        }
        for (const double share : {0.0001, 0.1, 0.5, 0.9, 0.99, 1.0})
        {
            const double exact = 10 * share;
            NS_TEST_EXPECT_MSG_EQ_TOL(values.GetQuantile(share), exact, exact * 0.004, share);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(values.GetMean(), 5.0005, 1e-9, "the mean is exact");
        NS_TEST_EXPECT_MSG_EQ_TOL(values.GetMax(), 10, 1e-12, "so is the largest");
        for (uint32_t i = 0; i < 10000; ++i)
        {
            values.Add(0);
        }
        NS_TEST_EXPECT_MSG_EQ(values.GetQuantile(0.5), 0, "half of them are zeros");
        NS_TEST_EXPECT_MSG_EQ_TOL(values.GetQuantile(0.75), 5, 5 * 0.004, "zeros are the lowest");
    }
};

/**
 * @ingroup workload-replay
 * @brief What is told of a replay.
 */
class WorkloadReplayReportTestSuite : public TestSuite
{
  public:
    WorkloadReplayReportTestSuite();
};

WorkloadReplayReportTestSuite::WorkloadReplayReportTestSuite()
    : TestSuite("workload-replay-report", TestSuite::Type::UNIT)
{
    AddTestCase(new StatisticsTestCase);
    AddTestCase(new ReportTestCase);
    AddTestCase(new SummaryTestCase);
    AddTestCase(new QuantileTestCase);
}

/// The suite, found by test-runner.
static WorkloadReplayReportTestSuite g_workloadReplayReportTestSuite;
