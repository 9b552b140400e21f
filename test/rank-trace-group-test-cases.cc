/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-test-cases.h"
#include "rank-trace-test-lines.h"
#include "workload-test-tools.h"

#include "ns3/rank-trace-reader.h"
#include "ns3/rank-trace-splits.h"
#include "ns3/workload.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Write the trace of a rank: a forward pass with an all-to-all in its midst, and a backward pass.
 *
 * @param directory where to
 * @param rank the rank
 * @param shape shape of what it puts into the all-to-all
 * @param backward duration and timestamp of the backward pass
 */
void
WriteExchange(const std::string& directory,
              uint32_t rank,
              const std::string& shape,
              const std::string& backward)
{
    const RankTraceLines lines{rank, 0};
    const auto exchange = RankTraceLines::Sub("0 15", "exp", "all_to_all", shape);
    WriteTrace(directory,
               rank,
               lines.Op("forward_step", 0, "None", "10 20", exchange) +
                   lines.Op("loss_func", 0, "None", "0 20") +
                   lines.Op("backward_step", 0, "None", backward));
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief How all-to-alls of unequal inputs are shared out.
 */
class RankTraceSplitsTestCase : public TestCase
{
  public:
    RankTraceSplitsTestCase()
        : TestCase("split sizes of all-to-alls")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param inputs what a rank puts into its all-to-alls, in one op
     * @return its trace
     */
    static RankTrace MakeTrace(const std::vector<uint64_t>& inputs);
};

RankTrace
RankTraceSplitsTestCase::MakeTrace(const std::vector<uint64_t>& inputs)
{
    RankTrace trace;
    trace.file = std::to_string(inputs.size()) + " calls";
    trace.ops.emplace_back();
    for (const auto input : inputs)
    {
        RankTraceCollective collective;
        collective.kind = CollectiveKind::ALL_TO_ALL;
        collective.dimension = Dimension::EP;
        collective.bytes = input;
        trace.ops[0].collectives.push_back(collective);
        // All-to-alls in other groups are shared out equally and do not count.
        collective.dimension = Dimension::TP;
        trace.ops[0].collectives.push_back(collective);
    }
    return trace;
}

void
RankTraceSplitsTestCase::DoRun()
{
    using Bytes = std::vector<uint64_t>;
    // Rank 0 brings 100 bytes and gets 50 of all, rank 1 brings 101 and gets 151; the third
    // all-to-all has no partner.
    const auto a = MakeTrace({100, 50, 7});
    const auto b = MakeTrace({101, 151, 9});
    const auto splits0 = EstimateSplits({&a, &b}, 0);
    const auto splits1 = EstimateSplits({&a, &b}, 1);
    NS_TEST_ASSERT_MSG_EQ(splits0.size(), 3, "one for each call");
    // 100 x 50 / 201 = 24.9 and 101 x 50 / 201 = 25.1
    NS_TEST_EXPECT_MSG_EQ((splits0[0]->send == Bytes{24, 76}), true, "rank 0 to experts");
    NS_TEST_EXPECT_MSG_EQ((splits1[0]->send == Bytes{25, 76}), true, "rank 1 to experts");
    NS_TEST_EXPECT_MSG_EQ((splits0[0]->receive == Bytes{24, 25}), true, "to rank 0's expert");
    NS_TEST_EXPECT_MSG_EQ((splits1[0]->receive == Bytes{76, 76}), true, "to rank 1's expert");
    // 50 x 100 / 201 = 24.9 and 151 x 100 / 201 = 75.1
    NS_TEST_EXPECT_MSG_EQ((splits0[1]->send == Bytes{24, 26}), true, "rank 0 gives back");
    NS_TEST_EXPECT_MSG_EQ((splits1[1]->send == Bytes{75, 76}), true, "rank 1 gives back");
    NS_TEST_EXPECT_MSG_EQ((splits0[1]->receive == Bytes{24, 75}), true, "to rank 0");
    NS_TEST_EXPECT_MSG_EQ((splits0[2]->send == Bytes{3, 4}), true, "equal parts of 7");
    NS_TEST_EXPECT_MSG_EQ((splits0[2]->receive == Bytes{3, 4}), true, "equal parts of 7 and 9");

    NS_TEST_EXPECT_MSG_EQ(EstimateSplits({&a, &a}, 1).size(), 0, "equal traces, equal parts");
    const auto none = MakeTrace({0, 0, 0});
    NS_TEST_EXPECT_MSG_EQ((EstimateSplits({&a, &none}, 0)[1]->send == Bytes{50, 0}),
                          true,
                          "nothing goes back to a rank that brought nothing");
    const auto dropped = MakeTrace({10, 0});
    const auto other = MakeTrace({11, 0});
    NS_TEST_EXPECT_MSG_EQ((EstimateSplits({&dropped, &other}, 0)[0]->send == Bytes{5, 5}),
                          true,
                          "equal parts if no expert gets anything");
    NS_TEST_EXPECT_MSG_EQ((EstimateSplits({&dropped, &other}, 0)[1] == nullptr),
                          true,
                          "no parts of nothing");
    const auto c = MakeTrace({1, 2});
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                              EstimateSplits({&a, &c}, 0);
                          }),
                          "2 calls: error: expected 3 all-to-alls, spread over the ops as in 3 "
                          "calls of the same group, found 2",
                          "another number of calls");
}

/**
 * @ingroup workload-replay-tests
 * @brief A rank without a trace takes one of its stage and of its index in the expert group.
 */
class RankTraceMissingRanksTestCase : public TestCase
{
  public:
    RankTraceMissingRanksTestCase()
        : TestCase("ranks without a trace")
    {
    }

  private:
    void DoRun() override
    {
        // Four ranks in two expert groups; rank 1 is slower, rank 3 has its index.
        const auto directory = CreateTempDirFilename("experts");
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            WriteExchange(directory, rank, "[500]", rank == 0 ? "20 40" : "30 50");
        }
        RankTraceOptions options;
        options.layout.ep = 2;
        options.layout.dp = 4;
        options.layout.microbatches = 1;
        const auto workload = ReadRankTraces(directory, options);
        NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(2), &workload->GetProgram(0), "index 0");
        NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(3), &workload->GetProgram(1), "index 1");
        NS_TEST_EXPECT_MSG_EQ(
            DescribeProgram(workload->GetProgram(3)),
            "0 compute forward_step forward compute 5000000000 @1 <-\n"
            "1 ep all_to_all forward all-to-all 500 @1 <- 0\n"
            "2 compute forward_step forward compute 5000000000 @1 <- 1\n"
            "3 compute backward_step backward-input compute 30000000000 @3 <- 2\n",
            "program of rank 3");
        const auto& program = workload->GetProgram(3);
        const auto* splits = program.GetSplits(program.GetOps()[1]);
        NS_TEST_ASSERT_MSG_NE(splits, nullptr, "members with different traces have splits");
        NS_TEST_EXPECT_MSG_EQ((splits->send == std::vector<uint64_t>{250, 250}), true, "equal");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A rank that puts nothing into an all-to-all of others takes part in it.
 */
class RankTraceIdleMemberTestCase : public TestCase
{
  public:
    RankTraceIdleMemberTestCase()
        : TestCase("a rank that puts nothing into an all-to-all")
    {
    }

  private:
    void DoRun() override
    {
        const auto directory = CreateTempDirFilename("idle");
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            WriteExchange(directory, rank, rank == 0 ? "[500]" : "[0]", "30 50");
        }
        RankTraceOptions options;
        options.layout.ep = 2;
        options.layout.dp = 2;
        options.layout.microbatches = 1;
        const auto workload = ReadRankTraces(directory, options);
        const auto& program = workload->GetProgram(1);
        NS_TEST_EXPECT_MSG_EQ(
            DescribeProgram(program),
            "0 compute forward_step forward compute 5000000000 @1 <-\n"
            "1 ep all_to_all forward all-to-all 0 @1 <- 0\n"
            "2 compute forward_step forward compute 5000000000 @1 <- 1\n"
            "3 compute backward_step backward-input compute 30000000000 @3 <- 2\n",
            "it waits for what rank 0 has for it");
        const auto* splits = program.GetSplits(program.GetOps()[1]);
        NS_TEST_ASSERT_MSG_NE(splits, nullptr, "parts");
        NS_TEST_EXPECT_MSG_EQ((splits->send == std::vector<uint64_t>{0, 0}),
                              true,
                              "it has nothing");
        NS_TEST_EXPECT_MSG_EQ((splits->receive == std::vector<uint64_t>{250, 0}), true, "half");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief One profile of each stage is good for worlds of any size; files may have any name.
 */
class RankTraceOtherWorldTestCase : public TestCase
{
  public:
    RankTraceOtherWorldTestCase()
        : TestCase("profiles of another world, in files of any name")
    {
    }

  private:
    void DoRun() override
    {
        // Recorded as ranks 0 and 512 of 1024 in two stages.
        const auto directory = CreateTempDirFilename("profiles");
        std::filesystem::create_directories(directory);
        WriteWorkloadFile(directory + "/stage-b.log", MakeProfile(0, 0));
        WriteWorkloadFile(directory + "/stage-a", MakeProfile(512, 1));
        WriteWorkloadFile(directory + "/README", "ranks of which stage");
        RankTraceOptions options;
        options.layout.tp = 2;
        options.layout.pp = 2;
        options.layout.world = 8;
        options.layout.microbatches = 2;
        options.ppBytes = 1000;
        const auto workload = ReadRankTraces(directory, options);
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(workload->GetProgram(rank).GetFile(),
                                  directory + (rank < 4 ? "/stage-b.log" : "/stage-a"),
                                  "by the stage that the lines tell, of rank " << rank);
        }
        // With two of a stage the ranks decide, and do not fit.
        WriteWorkloadFile(directory + "/stage-c", MakeProfile(256, 0));
        const auto error = WorkloadErrorOf([&]() { ReadRankTraces(directory, options); });
        const std::string expected =
            "/stage-c: error: expected a rank below 8, the world, found 256";
        NS_TEST_EXPECT_MSG_EQ(error, directory + expected, "ambiguous");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief bytesScale is a factor of all bytes, and of nothing else but what follows from them.
 */
class RankTraceBytesScaleTestCase : public TestCase
{
  public:
    RankTraceBytesScaleTestCase()
        : TestCase("a factor of all recorded bytes")
    {
    }

  private:
    void DoRun() override
    {
        const auto directory = CreateTempDirFilename("profiles");
        std::filesystem::create_directories(directory);
        WriteWorkloadFile(directory + "/stage-0", MakeProfile(0, 0));
        WriteWorkloadFile(directory + "/stage-1", MakeProfile(4, 1));
        RankTraceOptions options;
        options.layout.tp = 2;
        options.layout.world = 8;
        options.layout.microbatches = 2;
        options.bytesScale = 0.3125;
        const auto workload = ReadRankTraces(directory, options);
        // A profile all-reduces 500 bytes between tensor parallel ranks, as many as a message
        // between stages has, and 4,000,000 bytes of gradients, first read and written at 2 TB/s.
        std::map<std::string, uint64_t> amounts;
        const auto& program = workload->GetProgram(5);
        for (const auto& op : program.GetOps())
        {
            amounts[program.GetName(op) + " " + ToString(op.kind)] = op.amount;
        }
        NS_TEST_EXPECT_MSG_EQ(amounts["allreduce collective"], 157, "156.25, rounded up");
        NS_TEST_EXPECT_MSG_EQ(amounts["send-backward send"], 157, "messages between stages");
        NS_TEST_EXPECT_MSG_EQ(amounts["recv-forward recv"], 157, "which both sides know");
        NS_TEST_EXPECT_MSG_EQ(amounts["dp_allreduce collective"], 1250000, "gradients");
        NS_TEST_EXPECT_MSG_EQ(amounts["dp_allreduce compute"], 1250000, "1.25 us to scale them");
        NS_TEST_EXPECT_MSG_EQ(amounts["loss_func compute"], 2000000000, "2 ms as recorded");
    }
};

std::vector<TestCase*>
MakeRankTraceGroupTestCases()
{
    return {new RankTraceSplitsTestCase,
            new RankTraceMissingRanksTestCase,
            new RankTraceIdleMemberTestCase,
            new RankTraceOtherWorldTestCase,
            new RankTraceBytesScaleTestCase};
}

} // namespace ns3
