/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-test-job.h"

#include "ns3/test.h"
#include "ns3/wait-report.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// 1 Gb/s: a byte takes 8 ns, 1,000 bytes take 8 us.
const DataRate GIGABIT("1Gbps");

} // namespace

/**
 * @ingroup workload-replay
 * @brief Ranks that contradict each other are named with their origins.
 */
class FaultTestCase : public TestCase
{
  public:
    FaultTestCase()
        : TestCase("contradictions between ranks")
    {
    }

  private:
    void DoRun() override
    {
        using Kind = CollectiveKind;
        Check(MakeCollective("a", Kind::ALL_REDUCE, 80),
              MakeCollective("b", Kind::ALL_GATHER, 80),
              "rank 0 (a:1) calls all-reduce of 80 bytes, but rank 1 (b:1) calls all-gather of 80 "
              "bytes at the same place in all");
        Check(MakeCollective("a", Kind::ALL_REDUCE, 80),
              MakeCollective("b", Kind::ALL_REDUCE, 84),
              "rank 0 (a:1) calls all-reduce of 80 bytes, but rank 1 (b:1) calls all-reduce of 84 "
              "bytes at the same place in all");
        TestProgram late("b");
        const auto work = late.Compute("work", Seconds(1));
        late.builder.AddFinishEdge(work, late.Collective("c", Kind::ALL_GATHER, 80));
        Check(MakeCollective("a", Kind::ALL_REDUCE, 80),
              late.Build(),
              "rank 1 (b:2) calls all-gather of 80 bytes as call 1 in all, but rank 0 (a:1) calls "
              "all-reduce of 80 bytes");
        TestProgram sender("a");
        sender.Send("s", 1, 1000);
        TestProgram receiver("b");
        receiver.Receive("r", 0, 1001);
        Check(sender.Build(),
              receiver.Build(),
              "rank 1 (b:1) expects 1001 bytes, but rank 0 (a:1) sends 1000 bytes");
    }

    /**
     * @param file name of the program's file
     * @param kind a collective
     * @param bytes its bytes
     * @return a program of this collective alone
     */
    static std::shared_ptr<const WorkloadProgram> MakeCollective(const std::string& file,
                                                                 CollectiveKind kind,
                                                                 uint64_t bytes)
    {
        TestProgram program(file);
        program.Collective("c", kind, bytes);
        return program.Build();
    }

    /**
     * @param first program of rank 0
     * @param second program of rank 1
     * @param expected the message
     */
    void Check(std::shared_ptr<const WorkloadProgram> first,
               std::shared_ptr<const WorkloadProgram> second,
               const std::string& expected)
    {
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(0, first);
        job.SetProgram(1, second);
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_GT_OR_EQ(job.faults.size(), 1, "no contradiction was found");
        const bool found =
            std::find(job.faults.begin(), job.faults.end(), expected) != job.faults.end();
        NS_TEST_ASSERT_MSG_EQ(found, true, job.faults[0] << " instead of " << expected);
    }
};

/**
 * @ingroup workload-replay
 * @brief Applications that are stopped do nothing more, whatever is still under way.
 */
class StopTestCase : public TestCase
{
  public:
    StopTestCase()
        : TestCase("stopping in the midst of a collective and a message")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram first;
        first.Collective("sum", CollectiveKind::ALL_REDUCE, 20000);
        first.Send("s", 1, 1000);
        TestProgram second;
        second.Collective("sum", CollectiveKind::ALL_REDUCE, 20000);
        second.Receive("r", 0, 1000);
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(0, first.Build());
        job.SetProgram(1, second.Build());
        job.stop = MicroSeconds(5);
        job.Run(GIGABIT, MicroSeconds(1));
        NS_TEST_ASSERT_MSG_EQ(job.ops.size(), 0, "nothing was over after 5 us");
        NS_TEST_ASSERT_MSG_EQ(job.receivedBytes[1], 0, "nothing is received after the stop");
        NS_TEST_ASSERT_MSG_GT(job.end, MicroSeconds(5), "the network went on");
    }
};

/**
 * @ingroup workload-replay
 * @brief A replay that cannot end says who waits for whom.
 */
class WaitTestCase : public TestCase
{
  public:
    WaitTestCase()
        : TestCase("waiting report")
    {
    }

  private:
    void DoRun() override
    {
        CheckCycle();
        CheckMissingMember();
        CheckMissingMessage();
    }

    /// Each of three ranks receives before it sends.
    void CheckCycle()
    {
        ReplayTestJob job(3, Dimension::PP);
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            TestProgram program("rank" + std::to_string(rank));
            const auto receive = program.Receive("get", (rank + 1) % 3, 10);
            program.builder.AddFinishEdge(receive, program.Send("put", (rank + 2) % 3, 10));
            job.SetProgram(rank, program.Build());
        }
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 4, "three ranks and the cycle");
        NS_TEST_ASSERT_MSG_EQ(job.waits[1],
                              "rank1:1: rank 1 waits in get (receive of 10 bytes) for rank 2",
                              "line of rank 1");
        NS_TEST_ASSERT_MSG_EQ(job.waits[3],
                              "ranks that wait for each other: 0 -> 1 -> 2 -> 0",
                              "the cycle");
    }

    /// One member of three never calls the collective.
    void CheckMissingMember()
    {
        ReplayTestJob job(3, Dimension::DP);
        TestProgram program("f");
        program.Collective("sum", CollectiveKind::ALL_REDUCE, 30);
        job.SetProgram(program.Build());
        TestProgram absent("g");
        absent.Compute("work", MicroSeconds(1));
        job.SetProgram(2, absent.Build());
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 2, "two ranks wait, in no circle");
        NS_TEST_ASSERT_MSG_EQ(
            job.waits[0],
            "f:1: rank 0 waits in sum (all-reduce of 30 bytes in all, call 1) for rank 2",
            "line of rank 0");
        NS_TEST_ASSERT_MSG_EQ(
            job.waits[1],
            "f:1: rank 1 waits in sum (all-reduce of 30 bytes in all, call 1) for rank 0",
            "line of rank 1");
        NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 1, "rank 2 is done");
    }

    /// A receive whose message is never sent.
    void CheckMissingMessage()
    {
        ReplayTestJob job(2, Dimension::PP);
        TestProgram receiver("f");
        receiver.Receive("get", 1, 10);
        job.SetProgram(0, receiver.Build());
        TestProgram idle("g");
        idle.Compute("work", MicroSeconds(1));
        job.SetProgram(1, idle.Build());
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 1, "one rank waits");
        NS_TEST_ASSERT_MSG_EQ(job.waits[0],
                              "f:1: rank 0 waits in get (receive of 10 bytes) for rank 1",
                              "line of rank 0");
    }
};

/**
 * @ingroup workload-replay
 * @brief Cycles are found wherever they are, and only where there is one.
 */
class WaitCycleTestCase : public TestCase
{
  public:
    WaitCycleTestCase()
        : TestCase("cycles among waiting ranks")
    {
    }

  private:
    void DoRun() override
    {
        // 0 waits for 1 and 3; 1 for 2; 2 for nobody; 3 for 4; 4 for 3.
        const std::vector<WaitRecord> cycle{{0, "", "", "", {1, 3}},
                                            {1, "", "", "", {2}},
                                            {3, "", "", "", {4}},
                                            {4, "", "", "", {3}}};
        const std::vector<uint32_t> expected{3, 4};
        NS_TEST_ASSERT_MSG_EQ((FindWaitCycle(cycle) == expected), true, "3 -> 4 -> 3");
        // A diamond is no cycle.
        const std::vector<WaitRecord> diamond{{0, "", "", "", {1, 2}},
                                              {1, "", "", "", {3}},
                                              {2, "", "", "", {3}}};
        NS_TEST_ASSERT_MSG_EQ(FindWaitCycle(diamond).size(), 0, "no cycle");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Many ranks that wait in one op share a line, which names eight of them.
 */
class ManyWaitsTestCase : public TestCase
{
  public:
    ManyWaitsTestCase()
        : TestCase("the waiting report has a line for each op, and no more than asked")
    {
    }

  private:
    void DoRun() override
    {
        const std::string reduce = "all-reduce of 8 bytes in dp";
        std::vector<WaitRecord> waits;
        for (uint32_t rank = 0; rank < 12; ++rank)
        {
            waits.push_back({rank, "reduce", "f:7", reduce, {12, 13}, false, nullptr});
        }
        waits.push_back({12, "get", "f:9", "receive of 10 bytes", {13}, false, nullptr});
        waits.push_back({13, "put", "f:8", "send of 20 bytes", {}, false, nullptr});
        const auto all = SummarizeWaits(waits, 14);
        NS_TEST_ASSERT_MSG_EQ(all.size(), 14, "each has a line if there are not more");
        NS_TEST_EXPECT_MSG_EQ(
            all[3],
            "f:7: rank 3 waits in reduce (all-reduce of 8 bytes in dp) for rank 12, 13",
            "a line of one rank");
        const auto some = SummarizeWaits(waits, 13);
        NS_TEST_ASSERT_MSG_EQ(some.size(), 3, "a line for each op");
        NS_TEST_EXPECT_MSG_EQ(some[0],
                              "f:7: ranks 0, 1, 2, 3, 4, 5, 6, 7, ... (12 in all) wait in reduce "
                              "(all-reduce of 8 bytes in dp) for ranks 12, 13",
                              "ranks of one op");
        NS_TEST_EXPECT_MSG_EQ(some[1],
                              "f:9: rank 12 waits in get (receive of 10 bytes) for rank 13",
                              "an op of one rank");
        NS_TEST_EXPECT_MSG_EQ(some[2],
                              "f:8: rank 13 waits in put (send of 20 bytes)",
                              "for nobody");
        const auto few = SummarizeWaits(waits, 1);
        NS_TEST_ASSERT_MSG_EQ(few.size(), 2, "what is left out has a line");
        NS_TEST_EXPECT_MSG_EQ(few[1],
                              "and ranks in 2 other places; waits.csv in outputDir has all",
                              "how many");
    }
};

/**
 * @ingroup workload-replay
 * @brief Replays that cannot end, or are ended: what is said, and that nothing breaks.
 */
class WorkloadReplayFaultTestSuite : public TestSuite
{
  public:
    WorkloadReplayFaultTestSuite()
        : TestSuite("workload-replay-fault", TestSuite::Type::UNIT)
    {
        AddTestCase(new FaultTestCase);
        AddTestCase(new StopTestCase);
        AddTestCase(new WaitTestCase);
        AddTestCase(new ManyWaitsTestCase);
        AddTestCase(new WaitCycleTestCase);
    }
};

/// Registers the suite.
static WorkloadReplayFaultTestSuite g_workloadReplayFaultTestSuite;
