/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-selection-test-cases.h"

#include "layer-file-test-case.h"
#include "rank-trace-test-lines.h"
#include "replay-test-job.h"

#include "ns3/rank-trace-reader.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// 1 Gb/s.
const DataRate GIGABIT("1Gbps");

/**
 * @ingroup workload-replay-tests
 * @brief Members that mean different roots are both named.
 */
class RootTestCase : public TestCase
{
  public:
    RootTestCase()
        : TestCase("members that disagree about the root")
    {
    }

  private:
    void DoRun() override
    {
        using Kind = CollectiveKind;
        // Each sends, and is done before it hears of the other one.
        CheckFault(Call("a", Kind::BROADCAST, 0),
                   Call("b", Kind::BROADCAST, 1),
                   "rank 0 (a:1) calls broadcast of 80 bytes with member 0 as the root and sends "
                   "80 bytes to rank 1, which has completed call 1 in all without them");
        CheckFault(Call("a", Kind::GATHER, 1),
                   Call("b", Kind::GATHER, 0),
                   "rank 0 (a:1) calls gather of 80 bytes with member 1 as the root and sends 40 "
                   "bytes to rank 1, which has completed call 1 in all without them");
        // The message is there before the call.
        CheckFault(Call("a", Kind::REDUCE, 1),
                   Call("b", Kind::REDUCE, 0, Seconds(1)),
                   "rank 1 (b:2) calls reduce of 80 bytes with member 0 as the root as call 1 in "
                   "all, but rank 0 (a:1) calls reduce of 80 bytes with member 1 as the root");
        // Rank 1 still waits when it hears.
        CheckFault(Call("a", Kind::SCATTER, 0),
                   Call("b", Kind::ALL_GATHER, 0),
                   "rank 0 (a:1) calls scatter of 80 bytes with member 0 as the root, but rank 1 "
                   "(b:1) calls all-gather of 80 bytes at the same place in all");
        CheckThree();
        CheckNobodySends();
        CheckAgreement();
    }

    /**
     * @param file name of the program's file
     * @param kind a collective
     * @param root its root
     * @param work time that it is called after; 0 = at once
     * @return a program of this collective of 80 bytes
     */
    static std::shared_ptr<const WorkloadProgram> Call(const std::string& file,
                                                       CollectiveKind kind,
                                                       uint32_t root,
                                                       Time work = Time(0))
    {
        TestProgram program(file);
        WorkloadOp op;
        op.kind = OpKind::COLLECTIVE;
        op.collective = kind;
        op.amount = 80;
        op.peer = root;
        op.stream = 1;
        op.origin = 1;
        if (work.IsStrictlyPositive())
        {
            const auto before = program.Compute("work", work);
            op.origin = 2;
            program.builder.AddFinishEdge(before, program.builder.AddOp(op, "c"));
        }
        else
        {
            program.builder.AddOp(op, "c");
        }
        return program.Build();
    }

    /**
     * @param first program of rank 0
     * @param second program of rank 1
     * @param expected the message
     */
    void CheckFault(std::shared_ptr<const WorkloadProgram> first,
                    std::shared_ptr<const WorkloadProgram> second,
                    const std::string& expected)
    {
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(0, first);
        job.SetProgram(1, second);
        job.Run(GIGABIT, Time(0));
        NS_TEST_EXPECT_MSG_EQ(GetFault(job), expected, "the first contradiction");
    }

    /**
     * @param job a job that has run; it ends at the first contradiction
     * @return what it said, or "none"
     */
    static std::string GetFault(const ReplayTestJob& job)
    {
        return job.faults.empty() ? "none" : job.faults[0];
    }

    /// Ranks 0 and 1 take rank 0 for the root of a broadcast, rank 2 takes rank 1 for it.
    void CheckThree()
    {
        ReplayTestJob job(3, Dimension::DP);
        job.SetProgram(0, Call("a", CollectiveKind::BROADCAST, 0));
        job.SetProgram(1, Call("b", CollectiveKind::BROADCAST, 0));
        job.SetProgram(2, Call("c", CollectiveKind::BROADCAST, 1));
        job.Run(GIGABIT, Time(0));
        const std::string expected =
            "rank 0 (a:1) calls broadcast of 80 bytes with member 0 as the root, but rank 2 (c:1) "
            "calls broadcast of 80 bytes with member 1 as the root at the same place in all";
        NS_TEST_EXPECT_MSG_EQ(GetFault(job), expected, "three members");
    }

    /// Each of two takes the other one for the root, so no message tells them; they must not hang
    /// in silence.
    void CheckNobodySends()
    {
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(0, Call("a", CollectiveKind::BROADCAST, 1));
        job.SetProgram(1, Call("b", CollectiveKind::BROADCAST, 0));
        job.Run(GIGABIT, Time(0));
        const std::vector<std::string> expected{
            "a:1: rank 0 waits in c (broadcast of 80 bytes in all, call 1) for rank 1",
            "b:1: rank 1 waits in c (broadcast of 80 bytes in all, call 1) for rank 0",
            "ranks that wait for each other: 0 -> 1 -> 0"};
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), expected.size(), "two ranks and the circle");
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(job.waits[i], expected[i], "line " << i);
        }
    }

    /// The same root, not the first member: it alone receives nothing of a broadcast.
    void CheckAgreement()
    {
        ReplayTestJob job(3, Dimension::DP);
        job.SetProgram(Call("a", CollectiveKind::BROADCAST, 2));
        job.Run(GIGABIT, Time(0));
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "they agree");
        NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == std::vector<uint64_t>{80, 80, 0}),
                              true,
                              "bytes received");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Broadcasts of workload files are replayed as such, the first member being the root.
 */
class BroadcastFileTestCase : public LayerFileTestCase
{
  public:
    BroadcastFileTestCase()
        : LayerFileTestCase("broadcasts of a layer file and of a rank trace")
    {
    }

  private:
    void DoRun() override
    {
        CheckLayerFile();
        CheckRankTrace();
    }

    /// Forward and backward passes broadcast in groups of 4 successive ranks, gradients in pairs.
    void CheckLayerFile()
    {
        const auto workload = Read("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 all_gpus: 8\n1\n"
                                   "att -1 1 BROADCAST 1000 2 BROADCAST 300 3 BROADCAST 50 0\n");
        const uint64_t both = 1000 + 300;
        CheckReplay(workload,
                    {0, both, both, both, 50, both + 50, both + 50, both + 50},
                    "layer file");
    }

    /// A profile of one GPU stands for 2 microbatches of 3 ranks.
    void CheckRankTrace()
    {
        const RankTraceLines lines{0, 0};
        const auto file =
            WriteTrace(CreateTempDirFilename("broadcast"),
                       0,
                       lines.Op("forward_step",
                                0,
                                "None",
                                "10 20",
                                RankTraceLines::Sub("1 15", "tp", "broadcast", "[7, 100]")) +
                           lines.Op("loss_func", 0, "None", "2 22") +
                           lines.Op("backward_step", 0, "None", "20 42"));
        RankTraceOptions options;
        options.layout.tp = 3;
        options.layout.world = 3;
        options.layout.microbatches = 2;
        CheckReplay(ReadRankTraces(file, options), {0, 1400, 1400}, "rank trace");
    }

    /**
     * @param workload a job in which all collectives are broadcasts
     * @param expected bytes that each rank is to receive
     * @param what the file, for messages
     */
    void CheckReplay(std::shared_ptr<const Workload> workload,
                     const std::vector<uint64_t>& expected,
                     const std::string& what)
    {
        ReplayTestJob job(workload);
        job.Run(GIGABIT, Time(0));
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, what);
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, what);
        NS_TEST_ASSERT_MSG_EQ(job.receivedBytes.size(), expected.size(), what);
        for (uint32_t rank = 0; rank < expected.size(); ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank],
                                  expected[rank],
                                  what << ", bytes received by rank " << rank);
        }
        NS_TEST_EXPECT_MSG_GT(job.collectives.size(), 0, what);
        for (const auto& record : job.collectives)
        {
            NS_TEST_EXPECT_MSG_EQ(ToString(record.kind), "broadcast", what);
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeCollectiveSelectionTestCases()
{
    return {new RootTestCase, new BroadcastFileTestCase};
}

} // namespace ns3
