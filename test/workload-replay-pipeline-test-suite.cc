/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-layout-test-cases.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/parallel-groups.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/stage-program.h"
#include "ns3/test.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Schedules against orders written by hand.
 */
class PipelineScheduleTestCase : public TestCase
{
  public:
    PipelineScheduleTestCase()
        : TestCase("orders of pipeline schedules")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param name name of a schedule
     * @param shape shape of a pipeline
     * @param stage a stage
     * @param expected passes: F or B, microbatch, and with several chunks a letter for the chunk
     */
    void Check(const std::string& name,
               const PipelineShape& shape,
               uint32_t stage,
               const std::string& expected);
};

void
PipelineScheduleTestCase::Check(const std::string& name,
                                const PipelineShape& shape,
                                uint32_t stage,
                                const std::string& expected)
{
    const auto schedule = PipelineSchedule::Create(name);
    NS_TEST_EXPECT_MSG_EQ(schedule->GetName(), name, "name");
    NS_TEST_EXPECT_MSG_EQ(schedule->GetUnsupportedReason(shape), "", "it is supported");
    std::string order;
    for (const auto& pass : schedule->GetPasses(shape, stage))
    {
        order += (order.empty() ? "" : " ");
        order += (pass.kind == PassKind::FORWARD ? "F" : "B") + std::to_string(pass.microbatch);
        order += shape.chunks > 1 ? std::string(1, static_cast<char>('a' + pass.chunk)) : "";
    }
    NS_TEST_EXPECT_MSG_EQ(order, expected, name << ", stage " << stage);
}

void
PipelineScheduleTestCase::DoRun()
{
    Check("1f1b", {4, 8, 1}, 0, "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
    Check("1f1b", {4, 8, 1}, 1, "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7");
    Check("1f1b", {4, 8, 1}, 2, "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7");
    Check("1f1b", {4, 8, 1}, 3, "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7");
    Check("1f1b", {4, 2, 1}, 0, "F0 F1 B0 B1");
    Check("1f1b", {4, 2, 1}, 2, "F0 F1 B0 B1");
    Check("1f1b", {1, 2, 1}, 0, "F0 B0 F1 B1");
    Check("gpipe", {2, 3, 1}, 0, "F0 F1 F2 B2 B1 B0");
    Check("gpipe", {2, 3, 1}, 1, "F0 F1 F2 B2 B1 B0");
    // Megatron-LM: 2 (p - 1 - stage) + (v - 1) p passes ahead, groups of p microbatches.
    Check("interleaved",
          {2, 4, 2},
          0,
          "F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a");
    Check("interleaved",
          {2, 4, 2},
          1,
          "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a");
    // With as many microbatches as stages Megatron-LM runs all passes ahead.
    Check("interleaved", {2, 2, 2}, 1, "F0a F1a F0b F1b B0b B1b B0a B1a");

    NS_TEST_EXPECT_MSG_EQ(PipelineSchedule::Create("1f1b")->GetUnsupportedReason({4, 8, 2}),
                          "1f1b has no use for 2 model chunks per stage",
                          "chunks");
    NS_TEST_EXPECT_MSG_EQ(PipelineSchedule::Create("gpipe")->GetUnsupportedReason({4, 8, 2}),
                          "gpipe has no use for 2 model chunks per stage",
                          "chunks");
    NS_TEST_EXPECT_MSG_EQ(PipelineSchedule::Create("interleaved")->GetUnsupportedReason({4, 8, 1}),
                          "interleaved needs at least 2 model chunks per stage (vpp), not 1",
                          "no chunks");
    NS_TEST_EXPECT_MSG_EQ(PipelineSchedule::Create("interleaved")->GetUnsupportedReason({1, 8, 2}),
                          "interleaved needs at least 2 stages, not 1",
                          "no pipeline");
    NS_TEST_EXPECT_MSG_EQ(PipelineSchedule::Create("interleaved")->GetUnsupportedReason({4, 6, 2}),
                          "interleaved needs a multiple of 4 (the stages) as microbatches, not 6",
                          "microbatches");
    NS_TEST_EXPECT_MSG_EQ(
        WorkloadErrorOf([] { PipelineSchedule::Create("gpip"); }),
        "--schedule: error: expected 1f1b, gpipe, interleaved, zb-h1, zb-h2, zb-v, "
        "v-half, v-min, dualpipe or dualpipev, found 'gpip'; did you mean gpipe?",
        "no such schedule");
}

/**
 * @ingroup workload-replay-tests
 * @brief Replayed pipelines of equal stages, against the closed forms.
 *
 * p stages, m microbatches, f and b the times of a stage's forward and backward pass, v chunks:
 * (m + p - 1)(f + b), and m (f + b) + (p - 1)(f + b) / v if the chunks are interleaved (Narayanan
 * et al., SC 2021, section 2.2).
 */
class PipelineTimeTestCase : public TestCase
{
  public:
    PipelineTimeTestCase()
        : TestCase("time of pipelines against the closed forms")
    {
    }

  private:
    void DoRun() override;

    /**
     * Replay a pipeline.
     *
     * @param name name of a schedule
     * @param shape shape of the pipeline
     * @param forward forward time of a stage and microbatch
     * @param backward backward time of a stage and microbatch
     * @param bytes bytes of a message
     * @return time of the iteration
     */
    Time Run(const std::string& name,
             const PipelineShape& shape,
             Time forward,
             Time backward,
             uint64_t bytes);
};

Time
PipelineTimeTestCase::Run(const std::string& name,
                          const PipelineShape& shape,
                          Time forward,
                          Time backward,
                          uint64_t bytes)
{
    const ParallelLayout layout{shape.stages, 1, 1, 1, 1, shape.stages, shape.microbatches};
    auto workload = std::make_shared<Workload>("test", "test", layout);
    StageItem item;
    auto pass = std::make_shared<StagePass>();
    item.op.amount = static_cast<uint64_t>(forward.GetPicoSeconds()) / shape.chunks;
    pass->forward = {item};
    item.op.amount = static_cast<uint64_t>(backward.GetPicoSeconds()) / shape.chunks;
    pass->backward = {item};
    StageWork work;
    work.passes.assign(shape.chunks, {shape.microbatches, pass});
    work.messageBytes = bytes;
    const auto slots = ParallelGroups(layout).AddTo(*workload);
    for (uint32_t stage = 0; stage < shape.stages; ++stage)
    {
        workload->SetRank(stage,
                          LowerStage(work, *PipelineSchedule::Create(name), shape, stage),
                          slots[stage]);
    }
    ReplayTestJob job(workload);
    job.Run(DataRate("8Gbps"), Time(0));
    NS_TEST_EXPECT_MSG_EQ(job.iterations.size(), shape.stages, "all stages finish");
    return job.end;
}

void
PipelineTimeTestCase::DoRun()
{
    const auto f = MilliSeconds(1);
    const auto b = MilliSeconds(2);
    // Messages of one byte take 1 ns.
    for (const auto& name : {"1f1b", "gpipe"})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(name, {4, 8, 1}, f, b, 1),
                                  MilliSeconds((8 + 3) * 3),
                                  MicroSeconds(33),
                                  name);
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(name, {16, 16, 1}, f, b, 1),
                                  MilliSeconds((16 + 15) * 3),
                                  MicroSeconds(93),
                                  name);
        NS_TEST_EXPECT_MSG_EQ(Run(name, {1, 4, 1}, f, b, 1), MilliSeconds(4 * 3), name);
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(Run("interleaved", {4, 8, 2}, f, b, 1),
                              MicroSeconds(8 * 3000 + 3 * 3000 / 2),
                              MicroSeconds(28),
                              "half the bubble");
    NS_TEST_EXPECT_MSG_EQ_TOL(Run("interleaved", {4, 8, 4}, f, b, 1),
                              MicroSeconds(8 * 3000 + 3 * 3000 / 4),
                              MicroSeconds(26),
                              "a quarter of the bubble");
    NS_TEST_EXPECT_MSG_EQ_TOL(Run("interleaved", {2, 2, 2}, f, b, 1),
                              MicroSeconds(2 * 3000 + 3000 / 2),
                              MicroSeconds(8),
                              "as many microbatches as stages");
    // One microbatch waits for each message, 500,000 bytes or 0.5 ms, both ways.
    NS_TEST_EXPECT_MSG_EQ(Run("1f1b", {3, 1, 1}, f, b, 500000),
                          MilliSeconds(3 * 3) + 4 * MicroSeconds(500),
                          "messages are waited for");
    // The first stage sends microbatch 0 while it computes microbatch 1; only the way of the first
    // one forward, and of the last one back, is seen.
    NS_TEST_EXPECT_MSG_EQ(Run("gpipe", {2, 4, 1}, f, b, 500000),
                          MilliSeconds((4 + 1) * 3) + 2 * MicroSeconds(500),
                          "messages do not hold up computing");
}

/**
 * @ingroup workload-replay-tests
 * @brief What waits for collectives of all kinds, and messages that find their receivers.
 */
class StageProgramTestCase : public TestCase
{
  public:
    StageProgramTestCase()
        : TestCase("programs of pipeline stages")
    {
    }

  private:
    void DoRun() override;

    /// What the items of a pass wait for.
    void CheckEdges();

    /// Messages between two stages of two chunks each.
    void CheckMessages();
};

void
StageProgramTestCase::DoRun()
{
    CheckEdges();
    CheckMessages();
}

void
StageProgramTestCase::CheckMessages()
{
    const PipelineShape shape{2, 2, 2};
    StageWork work;
    work.passes.assign(2, {2, std::make_shared<StagePass>()});
    work.messageBytes = 1;
    const auto list = [&](uint32_t stage, OpKind kind) {
        const auto program =
            LowerStage(work, *PipelineSchedule::Create("interleaved"), shape, stage);
        std::multiset<uint32_t> tags;
        for (const auto& op : program->GetOps())
        {
            if (op.kind == kind)
            {
                NS_TEST_EXPECT_MSG_EQ(op.peer, 1 - stage, "the other stage");
                tags.insert(op.tag);
            }
        }
        return tags;
    };
    // Chunks stand in the model in the order 0a 1a 0b 1b. Of each of two microbatches stage 0 sends
    // two messages forward, from 0a and 0b, and one backward, from 0b.
    const auto sent = list(0, OpKind::SEND);
    NS_TEST_EXPECT_MSG_EQ(sent.size(), 6, "messages of the first stage");
    NS_TEST_EXPECT_MSG_EQ(std::set<uint32_t>(sent.begin(), sent.end()).size(), 6, "their tags");
    NS_TEST_EXPECT_MSG_EQ((list(1, OpKind::RECV) == sent), true, "the second stage expects them");
    NS_TEST_EXPECT_MSG_EQ((list(0, OpKind::RECV) == list(1, OpKind::SEND)), true, "and replies");
}

void
StageProgramTestCase::CheckEdges()
{
    const auto compute = [](const std::string& name) {
        StageItem item;
        item.name = name;
        item.op.amount = 1;
        item.op.origin = 1;
        return item;
    };
    const auto collective = [&compute](const std::string& name, Dimension dimension) {
        auto item = compute(name);
        item.op.kind = OpKind::COLLECTIVE;
        item.op.communicator = static_cast<uint32_t>(dimension);
        return item;
    };
    auto overlapping = collective("overlapping", Dimension::TP);
    overlapping.produces.number = 1;
    auto open = collective("open", Dimension::DP);
    open.blocking = false;
    open.updatePs = 7;
    auto nothing = compute("nothing");
    nothing.op.amount = 0;
    auto endless = collective("endless", Dimension::TP);
    endless.produces.number = 1;
    auto consumer = compute("c");
    consumer.consumes.number = 1;
    auto pass = std::make_shared<StagePass>();
    pass->forward = {compute("a"), overlapping, nothing, compute("b"), consumer, open};
    pass->backward = {compute("d"), endless};
    StageWork work;
    work.after = {compute("after")};
    work.passes = {{pass}};
    const auto program = LowerStage(work, *PipelineSchedule::Create("gpipe"), PipelineShape(), 0);
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(*program),
                          "0 compute a forward compute 1 @1 <-\n"
                          "1 tp overlapping forward all-reduce 1 @1 <- 0\n"
                          "2 compute b forward compute 1 @1 <- 0\n"
                          "3 compute c forward compute 1 @1 <- 1 2\n"
                          "4 dp open forward all-reduce 1 @1 <- 3\n"
                          "5 dp open_update forward compute 7 @1 <- 4\n"
                          "6 compute d forward compute 1 @1 <- 3\n"
                          "7 tp endless forward all-reduce 1 @1 <- 6\n"
                          "8 compute after forward compute 1 @1 <- 5 6 7\n",
                          "edges");
    NS_TEST_EXPECT_MSG_EQ(program->GetOps()[0].microbatch, 0, "in the first microbatch");
    NS_TEST_EXPECT_MSG_EQ(program->GetOps()[8].microbatch, -1, "after the last microbatch");
}

/**
 * @ingroup workload-replay-tests
 * @brief Layouts, groups, schedules and programs of pipeline stages.
 */
class WorkloadReplayPipelineTestSuite : public TestSuite
{
  public:
    WorkloadReplayPipelineTestSuite()
        : TestSuite("workload-replay-pipeline", TestSuite::Type::UNIT)
    {
        for (auto* testCase : MakeParallelLayoutTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new PipelineScheduleTestCase);
        AddTestCase(new StageProgramTestCase);
        AddTestCase(new PipelineTimeTestCase);
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayPipelineTestSuite g_workloadReplayPipelineTestSuite;
