/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/test.h"
#include "ns3/workload-program.h"
#include "ns3/workload.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Programs: streams, edges, shared names, and cycles.
 */
class WorkloadProgramTestCase : public TestCase
{
  public:
    WorkloadProgramTestCase()
        : TestCase("program builder")
    {
    }

  private:
    void DoRun() override;

    /// Ops that wait for themselves.
    void CheckCycle();
};

void
WorkloadProgramTestCase::DoRun()
{
    WorkloadProgramBuilder builder("f");
    const auto first = builder.AddStream({"compute", true, Dimension::WORLD});
    const auto second = builder.AddStream({"dp", false, Dimension::DP});
    auto add = [&builder](uint16_t stream, uint32_t line, const std::string& name) {
        WorkloadOp op;
        op.stream = stream;
        op.origin = line;
        return builder.AddOp(op, name);
    };
    const auto a = add(first, 11, "a");
    const auto b = add(second, 12, "b");
    const auto c = add(first, 13, "a");
    builder.AddFinishEdge(b, c);
    builder.AddFinishEdge(a, b);
    builder.AddFinishEdge(a, c);
    const auto program = builder.Build();

    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(*program),
                          "0 compute a forward compute 0 @11 <-\n"
                          "1 dp b forward compute 0 @12 <- 0\n"
                          "2 compute a forward compute 0 @13 <- 0 1\n",
                          "ops and edges");
    NS_TEST_EXPECT_MSG_EQ((program->GetStreamOps(first) == std::vector<uint32_t>{a, c}),
                          true,
                          "order within a stream");
    const auto successors = program->GetFinishSuccessors(a);
    NS_TEST_EXPECT_MSG_EQ((std::vector<uint32_t>(successors.begin(), successors.end()) ==
                           std::vector<uint32_t>{b, c}),
                          true,
                          "successors in the order of the edges");
    NS_TEST_EXPECT_MSG_EQ(program->GetPredecessorCount(a), 0, "edges into the first op");
    NS_TEST_EXPECT_MSG_EQ(program->GetPredecessorCount(c), 2, "edges into the last op");
    NS_TEST_EXPECT_MSG_EQ(program->GetOps()[a].name, program->GetOps()[c].name, "names are shared");
    NS_TEST_EXPECT_MSG_EQ(program->GetOrigin(program->GetOps()[c]), "f:13", "origin");
    CheckCycle();
}

void
WorkloadProgramTestCase::CheckCycle()
{
    // The second op of a stream before its first, by way of another stream.
    WorkloadProgramBuilder circular("f");
    circular.AddStream({"compute", true, Dimension::WORLD});
    circular.AddStream({"dp", false, Dimension::DP});
    WorkloadOp op;
    op.origin = 20;
    const auto free = circular.AddOp(op, "free");
    op.origin = 21;
    const auto early = circular.AddOp(op, "early");
    const auto late = circular.AddOp(op, "late");
    op.stream = 1;
    const auto between = circular.AddOp(op, "between");
    circular.AddFinishEdge(free, between);
    circular.AddFinishEdge(late, between);
    circular.AddFinishEdge(between, early);
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&circular]() { circular.Build(); }),
                          "f:21: error: expected ops that can be put in an order, found 'early', "
                          "which waits for itself through its dependencies",
                          "cycle");
}

/**
 * @ingroup workload-replay-tests
 * @brief Communicators of a workload stand once.
 */
class WorkloadCommunicatorTestCase : public TestCase
{
  public:
    WorkloadCommunicatorTestCase()
        : TestCase("communicators")
    {
    }

  private:
    void DoRun() override;
};

void
WorkloadCommunicatorTestCase::DoRun()
{
    ParallelLayout layout;
    layout.world = 4;
    Workload workload("test", "f", layout);
    const auto dp = workload.AddCommunicator({"dp0", Dimension::DP, {0, 2}});
    const auto tp = workload.AddCommunicator({"tp0", Dimension::TP, {0, 2}});
    const auto reversed = workload.AddCommunicator({"dp1", Dimension::DP, {2, 0}});
    const auto again = workload.AddCommunicator({"dp2", Dimension::DP, {0, 2}});
    NS_TEST_EXPECT_MSG_EQ(again, dp, "same dimension and ranks");
    NS_TEST_EXPECT_MSG_NE(tp, dp, "another dimension is another communicator");
    NS_TEST_EXPECT_MSG_NE(reversed, dp, "another order is another ring");
    NS_TEST_ASSERT_MSG_EQ(workload.GetCommunicators().size(), 3, "each stands once");
    NS_TEST_EXPECT_MSG_EQ(workload.GetCommunicators()[dp].name, "dp0", "the first name stays");
    NS_TEST_EXPECT_MSG_EQ(workload.GetCommunicators()[reversed].IndexOf(0), 1, "place in the ring");
    NS_TEST_EXPECT_MSG_EQ(workload.GetCommunicators()[dp].IndexOf(3), 2, "no member");
}

/**
 * @ingroup workload-replay-tests
 * @brief Mistakes of a reader that a replay would stumble over.
 */
class WorkloadValidationTestCase : public TestCase
{
  public:
    WorkloadValidationTestCase()
        : TestCase("incomplete workloads")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param op an op of rank 0, which has two communicators of ranks 0 and 2
     * @return the error, as WorkloadErrorOf() gives it
     */
    static std::string Try(WorkloadOp op);
};

std::string
WorkloadValidationTestCase::Try(WorkloadOp op)
{
    ParallelLayout layout;
    layout.world = 3;
    Workload workload("test", "f", layout);
    const auto first = workload.AddCommunicator({"dp0", Dimension::DP, {0, 2}});
    const auto second = workload.AddCommunicator({"tp0", Dimension::TP, {2, 0}});
    WorkloadProgramBuilder builder("f");
    op.stream = builder.AddStream({"net", false, Dimension::DP});
    op.origin = 7;
    builder.AddOp(op, "a");
    workload.SetRank(0, builder.Build(), {first, second});
    const auto idle = builder.Build();
    workload.SetRank(1, idle, {});
    workload.SetRank(2, idle, {second});
    return WorkloadErrorOf([&workload]() { workload.Validate(); });
}

void
WorkloadValidationTestCase::DoRun()
{
    WorkloadOp op;
    op.communicator = 9;
    op.peer = 9;
    NS_TEST_EXPECT_MSG_EQ(Try(op), "no error", "a computation is of no communicator");
    op.kind = OpKind::COLLECTIVE;
    NS_TEST_EXPECT_MSG_EQ(Try(op),
                          "f:7: error: expected one of the 2 communicators of rank 0, found "
                          "number 9, counted from 0",
                          "no such communicator");
    op.communicator = 1;
    NS_TEST_EXPECT_MSG_EQ(Try(op), "no error", "an all-reduce has no root");
    for (const auto kind : {OpKind::SEND, OpKind::RECV})
    {
        op.kind = kind;
        op.peer = 1;
        NS_TEST_EXPECT_MSG_EQ(Try(op), "no error", "a member");
        op.peer = WorkloadOp::ANY_PEER;
        NS_TEST_EXPECT_MSG_EQ(Try(op), "no error", "any member");
        op.peer = 2;
        NS_TEST_EXPECT_MSG_EQ(Try(op),
                              "f:7: error: expected a peer by its index in 'tp0', below 2, found 2",
                              "ranks are no indices");
    }
    op.kind = OpKind::COLLECTIVE;
    op.collective = CollectiveKind::BROADCAST;
    NS_TEST_EXPECT_MSG_NE(Try(op), "no error", "no such root");

    ParallelLayout layout;
    layout.world = 2;
    Workload workload("test", "f", layout);
    const auto one = workload.AddCommunicator({"one", Dimension::DP, {1}});
    const auto idle = WorkloadProgramBuilder("f").Build();
    workload.SetRank(0, idle, {});
    const auto validate = [&workload]() { workload.Validate(); };
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(validate),
                          "f: error: expected a program for each of 2 ranks, found none for rank 1",
                          "forgotten rank");
    workload.SetRank(1, idle, {one});
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(validate), "no error", "complete");
    workload.SetRank(0, idle, {one});
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(validate),
                          "f: error: expected communicators that rank 0 is a member of, found "
                          "number 0, counted from 0",
                          "another's communicator");
}

/**
 * @ingroup workload-replay-tests
 * @brief What all readers of workloads share, and what they make.
 */
class WorkloadReplayWorkloadTestSuite : public TestSuite
{
  public:
    WorkloadReplayWorkloadTestSuite()
        : TestSuite("workload-replay-workload", TestSuite::Type::UNIT)
    {
        for (auto* testCase : MakeInputTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new WorkloadProgramTestCase);
        AddTestCase(new WorkloadCommunicatorTestCase);
        AddTestCase(new WorkloadValidationTestCase);
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayWorkloadTestSuite g_workloadReplayWorkloadTestSuite;
