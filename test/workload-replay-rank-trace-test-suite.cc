/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-test-cases.h"
#include "rank-trace-test-lines.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/rank-trace-parser.h"
#include "ns3/rank-trace-reader.h"
#include "ns3/test.h"
#include "ns3/workload-text.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief What the lines of a trace mean, however they are written.
 */
class RankTraceParserTestCase : public TestCase
{
  public:
    RankTraceParserTestCase()
        : TestCase("lines of a rank trace")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param content text of a trace
     * @return its ops
     */
    std::vector<RankTraceOp> Parse(const std::string& content);

    /// The fields of a line, in any order, with free text and values of None.
    void CheckFields();

    /// Sub-operations with keys missing, added and in another order.
    void CheckSubOperations();

    /// Ops without a timestamp.
    void CheckNoClock();

    /// Groups, collectives and types by all their names.
    void CheckNames();
};

void
RankTraceParserTestCase::DoRun()
{
    CheckFields();
    CheckSubOperations();
    CheckNoClock();
    CheckNames();
}

std::vector<RankTraceOp>
RankTraceParserTestCase::Parse(const std::string& content)
{
    const auto file = CreateTempDirFilename("trace.txt");
    WriteWorkloadFile(file, content);
    const WorkloadText text(file, {ForeignFile::RANK_TRACE});
    NS_TEST_EXPECT_MSG_EQ(LooksLikeRankTrace(text), true, "known by its content");
    return ParseRankTrace(text);
}

void
RankTraceParserTestCase::CheckFields()
{
    const auto ops =
        Parse("stage:3:forward_step(stage_id=3, batch_id=0, mg_state=warmup)\r\n"
              "\r\n"
              "rank:7:dp_allreduce(stage_id=3,batch_id=None,mg_state=finalize,duration=4.25,"
              "description=finish_grad_sync(), all=1 / reduce: (scatter], x,group_kind=dp,"
              "timestamp=3371168147.09,input__shape=[3, 5, 7],input__dtype=torch.float16,"
              "sub_operations=[])\r\n"
              "rank:7:send_forward(input__dtype=torch.float64, input__shape=[2, 3], group_kind=pp, "
              "timestamp=3371168150, sub_operations=[], duration=1, mg_state=help, batch_id=5, "
              "stage_id=3)\r\n");
    NS_TEST_ASSERT_MSG_EQ(ops.size(), 2, "plan lines and blank lines are no ops");
    const auto& reduce = ops[0];
    NS_TEST_EXPECT_MSG_EQ(reduce.name, "dp_allreduce", "name");
    NS_TEST_EXPECT_MSG_EQ((reduce.action == RankTraceAction::ALL_REDUCE), true, "action");
    NS_TEST_EXPECT_MSG_EQ(reduce.rank, 7, "rank");
    NS_TEST_EXPECT_MSG_EQ(reduce.stage, 3, "stage");
    NS_TEST_EXPECT_MSG_EQ(reduce.line, 3, "line");
    NS_TEST_EXPECT_MSG_EQ(reduce.microbatch.has_value(), false, "batch_id None");
    NS_TEST_EXPECT_MSG_EQ((reduce.state == RankTraceState::FINALIZE), true, "state");
    NS_TEST_EXPECT_MSG_EQ(reduce.end, 3371168147090000, "timestamp is the end, in ns");
    NS_TEST_EXPECT_MSG_EQ(reduce.start, 3371168142840000, "start");
    NS_TEST_ASSERT_MSG_EQ(reduce.collectives.size(), 1, "it is a collective as a whole");
    NS_TEST_EXPECT_MSG_EQ(reduce.collectives[0].bytes, 210, "3 x 5 x 7 elements of 2 bytes");
    NS_TEST_EXPECT_MSG_EQ(ToString(reduce.collectives[0].dimension), "dp", "its group");
    NS_TEST_EXPECT_MSG_EQ(reduce.collectives[0].start, reduce.start, "its start");
    NS_TEST_EXPECT_MSG_EQ(ops[1].bytes, 48, "6 elements of 8 bytes");
    NS_TEST_EXPECT_MSG_EQ(ops[1].microbatch.value_or(0), 5, "batch_id");
}

void
RankTraceParserTestCase::CheckSubOperations()
{
    const auto ops =
        Parse("rank:0:forward_step(stage_id=0,batch_id=0,mg_state=None,duration=10,"
              "description=None,group_kind=None,input__shape=None,input__dtype=None,"
              "timestamp=100.5,sub_operations=['trace_src_func=a,duration=0.5,timestamp=95,"
              "input__shape=[8],input__dtype=torch.int64,func_name=gather,group=exp,"
              "comm_func=allgather', \"trace_src_func=b,extra=it's,duration=1,"
              "input__dtype=torch.bool,timestamp=97,input__shape=[2, 3],group=tp,"
              "comm_func=broadcast\"])\n");
    NS_TEST_ASSERT_MSG_EQ(ops.size(), 1, "ops");
    NS_TEST_ASSERT_MSG_EQ(ops[0].collectives.size(), 2, "sub-operations");
    const auto& gather = ops[0].collectives[0];
    NS_TEST_EXPECT_MSG_EQ(gather.name, "gather", "func_name");
    NS_TEST_EXPECT_MSG_EQ(ToString(gather.kind), "all-gather", "kind");
    NS_TEST_EXPECT_MSG_EQ(gather.bytes, 64, "its shard");
    NS_TEST_EXPECT_MSG_EQ(gather.isShard, true, "an all-gather states one member's shard");
    NS_TEST_EXPECT_MSG_EQ(gather.start, 94500000, "start");
    NS_TEST_EXPECT_MSG_EQ(gather.end, 95000000, "end");
    const auto& broadcast = ops[0].collectives[1];
    NS_TEST_EXPECT_MSG_EQ(broadcast.name, "broadcast", "without func_name");
    NS_TEST_EXPECT_MSG_EQ(ToString(broadcast.kind), "broadcast", "as it is called");
    NS_TEST_EXPECT_MSG_EQ(broadcast.bytes, 6, "the whole tensor");
    NS_TEST_EXPECT_MSG_EQ(broadcast.isShard, false, "not a shard of it");
}

void
RankTraceParserTestCase::CheckNoClock()
{
    const RankTraceLines lines{0, 0};
    const auto sub = RankTraceLines::Sub("2 0", "tp", "allreduce", "[4]");
    const auto ops = Parse(lines.Op("forward_step", 0, "None", "10 0", sub + ", " + sub) +
                           lines.Op("backward_step", 0, "None", "None None"));
    NS_TEST_ASSERT_MSG_EQ(ops.size(), 2, "ops");
    NS_TEST_EXPECT_MSG_EQ(ops[0].hasClock, false, "a timestamp of 0 is none");
    NS_TEST_EXPECT_MSG_EQ(ops[0].end - ops[0].start, 10000000, "its duration stays");
    NS_TEST_EXPECT_MSG_EQ(ops[0].collectives[0].start, 6000000, "collectives end the op");
    NS_TEST_EXPECT_MSG_EQ(ops[0].collectives[0].end, 8000000, "one after another");
    NS_TEST_EXPECT_MSG_EQ(ops[0].collectives[1].end, 10000000, "to its end");
    NS_TEST_EXPECT_MSG_EQ(ops[1].end - ops[1].start, 0, "a duration of None is 0");
}

void
RankTraceParserTestCase::CheckNames()
{
    const RankTraceLines lines{0, 0};
    auto parse = [&](const std::string& group, const std::string& kind, const std::string& shape) {
        return Parse(lines.Op("forward_step",
                              0,
                              "None",
                              "10 20",
                              RankTraceLines::Sub("1 15", group, kind, shape)))[0]
            .collectives[0];
    };
    const std::vector<std::pair<std::string, std::string>> groups{{"tp", "tp"},
                                                                  {"dp", "dp"},
                                                                  {"pp", "pp"},
                                                                  {"exp", "ep"},
                                                                  {"ep", "embedding"},
                                                                  {"ep_dp", "edp"},
                                                                  {"exp_dp", "edp"}};
    for (const auto& [name, dimension] : groups)
    {
        const auto collective = parse(name, "alltoall", "[9]");
        NS_TEST_EXPECT_MSG_EQ(ToString(collective.dimension), dimension, name);
        NS_TEST_EXPECT_MSG_EQ(collective.bytes, 9, name);
    }
    NS_TEST_EXPECT_MSG_EQ(parse("pep", "allreduce", "[9]").bytes, 0, "nobody shares positions");
    const std::vector<std::pair<std::string, std::string>> kinds{
        {"allreduce", "all-reduce"},
        {"all_gather", "all-gather"},
        {"reduce_scatter", "reduce-scatter"},
        {"reducescatter", "reduce-scatter"},
        {"all_to_all", "all-to-all"},
        {"alltoall", "all-to-all"}};
    for (const auto& [name, kind] : kinds)
    {
        NS_TEST_EXPECT_MSG_EQ(ToString(parse("tp", name, "[]").kind), kind, name);
    }
    NS_TEST_EXPECT_MSG_EQ(parse("tp", "allreduce", "[]").bytes, 1, "a scalar");
    NS_TEST_EXPECT_MSG_EQ(parse("tp", "allreduce", "[0, 5]").bytes, 0, "an empty tensor");
}

/**
 * @ingroup workload-replay-tests
 * @brief A recorded run of two stages: order, gaps, exchange, scaling, and messages that meet.
 */
class RankTraceLoweringTestCase : public TestCase
{
  public:
    RankTraceLoweringTestCase()
        : TestCase("programs of a recorded run")
    {
    }

  private:
    void DoRun() override;
};

void
RankTraceLoweringTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("recorded");
    const auto first = WriteTrace(directory, 0, MakeFirstStageTrace(0));
    WriteTrace(directory, 3, MakeLastStageTrace(3));
    RankTraceOptions options;
    options.layout.dp = 2;
    const auto workload = ReadRankTraces(directory, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetFormat(), "megatron", "format");
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "1f1b", "schedule");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 4, "world");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().pp, 2, "stages shown by the loss");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().microbatches, 2, "microbatches shown");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 1, "warnings");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings()[0],
                          "2 of 4 ranks have no trace and do what another one of their stage does",
                          "missing ranks");
    const auto& program = workload->GetProgram(0);
    NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(1), &program, "rank 1 has rank 0's program");
    NS_TEST_EXPECT_MSG_EQ(program.GetFile(), first, "file of the origins");
    // The second forward pass begins with a collective that overlaps the send by 0.01 ms. Line 10
    // scales 4,000,000 bytes: read and written at 2 TB/s.
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(program),
                          "0 compute get_batch forward compute 500000000 @1 <-\n"
                          "1 compute forward_step forward compute 4500000000 @2 <- 0\n"
                          "2 dp allreduce forward all-reduce 1000 @2 <- 1\n"
                          "3 compute forward_step forward compute 4000000000 @2 <- 2\n"
                          "4 compute send_forward forward compute 500000000 @3 <- 3\n"
                          "5 pp-send-forward send_forward forward send 2000 @3 <- 4\n"
                          "6 dp allgather forward all-gather 60 @4 <- 5\n"
                          "7 compute forward_step forward compute 8990000000 @4 <- 6\n"
                          "8 compute send_forward forward compute 510000000 @5 <- 7\n"
                          "9 pp-send-forward send_forward forward send 2000 @5 <- 8\n"
                          "10 pp-recv-backward recv_backward backward-input recv 2000 @6 <- 8\n"
                          "11 compute backward_step backward-input compute 20000000000 @7 <- 9 10\n"
                          "12 pp-recv-backward recv_backward backward-input recv 2000 @8 <- 11\n"
                          "13 compute backward_step backward-input compute 20250000000 @9 <- 12\n"
                          "14 compute dp_allreduce grad-sync compute 250000000 @10 <- 13\n"
                          "15 compute dp_allreduce grad-sync compute 4000000 @10 <- 14\n"
                          "16 dp dp_allreduce grad-sync all-reduce 4000000 @10 <- 15\n"
                          "17 compute optimizer_step optimizer compute 7500000000 @11 <- 16\n",
                          "program of stage 0");
    const auto& exchange = program.GetOps()[9];
    NS_TEST_EXPECT_MSG_EQ(exchange.peer, 1, "index in the pipeline group");
    NS_TEST_EXPECT_MSG_EQ(exchange.microbatch, 1, "microbatch");
    NS_TEST_EXPECT_MSG_EQ(exchange.tag, 6, "(receiving stage 1 x 2 + microbatch 1) x 2");

    ReplayTestJob job(workload);
    job.Run(DataRate("100Gbps"), Time(0));
    NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "the ranks agree");
    NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "and finish");
    NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == job.expectedBytes), true, "all bytes arrive");
}

/**
 * @ingroup workload-replay-tests
 * @brief Profiles of one microbatch become a pipeline of several.
 */
class RankTraceExpansionTestCase : public TestCase
{
  public:
    RankTraceExpansionTestCase()
        : TestCase("programs from profiles of one GPU")
    {
    }

  private:
    void DoRun() override;

    /// Ops without timestamps have no gaps between them.
    void CheckNoClock();
};

void
RankTraceExpansionTestCase::CheckNoClock()
{
    const RankTraceLines lines{0, 0};
    const auto file = WriteTrace(CreateTempDirFilename("no-clock"),
                                 0,
                                 lines.Op("forward_step", 0, "None", "10 0") +
                                     lines.Op("loss_func", 0, "None", "2 0") +
                                     lines.Op("backward_step", 0, "None", "20 100"));
    RankTraceOptions options;
    options.layout.microbatches = 1;
    const auto workload = ReadRankTraces(file, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 1, "one rank is a job of its own");
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(workload->GetProgram(0)),
                          "0 compute forward_step forward compute 10000000000 @1 <-\n"
                          "1 compute loss_func forward compute 2000000000 @2 <- 0\n"
                          "2 compute backward_step backward-input compute 20000000000 @3 <- 1\n",
                          "durations only");
}

void
RankTraceExpansionTestCase::DoRun()
{
    CheckNoClock();
    const auto directory = CreateTempDirFilename("profiles");
    WriteTrace(directory, 0, MakeProfile(0, 0));
    WriteTrace(directory, 4, MakeProfile(4, 1));
    RankTraceOptions options;
    options.layout.tp = 2;
    options.layout.world = 8;
    options.layout.microbatches = 2;
    const auto workload = ReadRankTraces(directory, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().dp, 2, "dp");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().pp, 2, "stages shown by the loss");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 2, "warnings");
    NS_TEST_EXPECT_MSG_EQ(
        workload->GetWarnings()[0],
        "no message between stages was recorded; they are taken to have 500 bytes, as the largest "
        "tensor-parallel transfer of a forward pass has; --ppBytes sets it",
        "size of messages");
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(rank),
                              &workload->GetProgram(rank / 4 * 4),
                              "one program per stage");
    }
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(workload->GetProgram(5)),
                          "0 pp-recv-forward recv-forward forward recv 500 @0 <-\n"
                          "1 compute get_batch forward compute 1000000000 @1 <- 0\n"
                          "2 compute forward_step forward compute 4000000000 @2 <- 1\n"
                          "3 tp allreduce forward all-reduce 500 @2 <- 2\n"
                          "4 compute forward_step forward compute 6000000000 @2 <- 3\n"
                          "5 compute loss_func forward compute 2000000000 @3 <- 4\n"
                          "6 compute backward_step backward-input compute 21000000000 @4 <- 5\n"
                          "7 pp-send-backward send-backward backward-input send 500 @0 <- 6\n"
                          "8 pp-recv-forward recv-forward forward recv 500 @0 <-\n"
                          "9 compute get_batch forward compute 1000000000 @1 <- 6 8\n"
                          "10 compute forward_step forward compute 4000000000 @2 <- 9\n"
                          "11 tp allreduce forward all-reduce 500 @2 <- 10\n"
                          "12 compute forward_step forward compute 6000000000 @2 <- 11\n"
                          "13 compute loss_func forward compute 2000000000 @3 <- 12\n"
                          "14 compute backward_step backward-input compute 21000000000 @4 <- 13\n"
                          "15 pp-send-backward send-backward backward-input send 500 @0 <- 14\n"
                          "16 compute dp_allreduce grad-sync compute 500000000 @5 <- 14\n"
                          "17 compute dp_allreduce grad-sync compute 4000000 @5 <- 16\n"
                          "18 dp dp_allreduce grad-sync all-reduce 4000000 @5 <- 17\n"
                          "19 compute optimizer_step optimizer compute 6000000000 @6 <- 18\n",
                          "program of stage 1");

    options.ppBytes = 777;
    NS_TEST_EXPECT_MSG_EQ(ReadRankTraces(directory, options)->GetProgram(5).GetOps()[0].amount,
                          777,
                          "--ppBytes");
    options.schedule = "gpipe";
    const auto gpipe = ReadRankTraces(directory, options);
    NS_TEST_EXPECT_MSG_EQ(gpipe->GetScheduleName(), "gpipe", "schedule");
    NS_TEST_EXPECT_MSG_EQ(gpipe->GetProgram(5).GetOps()[8].microbatch, 1, "forward first");
}

/**
 * @ingroup workload-replay-tests
 * @brief The reader of rank traces.
 */
class WorkloadReplayRankTraceTestSuite : public TestSuite
{
  public:
    WorkloadReplayRankTraceTestSuite()
        : TestSuite("workload-replay-rank-trace", TestSuite::Type::UNIT)
    {
        AddTestCase(new RankTraceParserTestCase);
        AddTestCase(new RankTraceLoweringTestCase);
        AddTestCase(new RankTraceExpansionTestCase);
        for (auto* testCase : MakeRankTraceOutlierTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeRankTraceGroupTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeRankTraceLayoutErrorTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeRankTraceErrorTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeRankTraceRunTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayRankTraceTestSuite g_workloadReplayRankTraceTestSuite;
