/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-time-test-cases.h"
#include "replay-message-test-cases.h"
#include "replay-test-job.h"
#include "stream-order-test-cases.h"

#include "ns3/message-envelope.h"
#include "ns3/message-matcher.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"

#include <cstdint>
#include <tuple>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay
 * @brief Ring collectives take 2 (N - 1) (S / N / B + delay + a), and half of it for their halves.
 */
class RingTimeTestCase : public TestCase
{
  public:
    RingTimeTestCase()
        : TestCase("time of ring collectives against the closed form")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t size : {2, 3, 4, 8, 33})
        {
            for (const uint64_t a : {0, 5000})
            {
                Check(CollectiveKind::ALL_REDUCE, 2 * (size - 1), size, a);
                Check(CollectiveKind::ALL_GATHER, size - 1, size, a);
                Check(CollectiveKind::REDUCE_SCATTER, size - 1, size, a);
            }
        }
    }

    /**
     * @param kind the collective
     * @param steps its steps
     * @param size number of members
     * @param a latency of a step, ns
     */
    void Check(CollectiveKind kind, uint64_t steps, uint32_t size, uint64_t a)
    {
        TestProgram program;
        const uint64_t chunk = 12345;
        program.Collective("c", kind, chunk * size);
        ReplayTestJob job(size, Dimension::DP);
        job.SetProgram(program.Build());
        auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("StepLatency", TimeValue(NanoSeconds(a)));
        ring->SetAttribute("LaunchLatency", TimeValue(NanoSeconds(7 * a)));
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(ring);
        job.Run(GIGABIT, NanoSeconds(300), algorithms);
        const Time expected = NanoSeconds(7 * a + steps * (8 * chunk + 300 + a));
        NS_TEST_ASSERT_MSG_EQ(job.end, expected, ToString(kind) << " on " << size);
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_ASSERT_MSG_EQ(job.receivedBytes[rank], steps * chunk, "bytes on the wire");
            NS_TEST_ASSERT_MSG_EQ(job.expectedBytes[rank], steps * chunk, "bytes foretold");
        }
        NS_TEST_ASSERT_MSG_EQ(job.collectives.size(), size, "each member reports once");
        NS_TEST_ASSERT_MSG_EQ(job.collectives[0].end, expected, "end of the collective");
        NS_TEST_ASSERT_MSG_EQ(job.collectives[0].algorithm, "ring", "name of the algorithm");
    }
};

/**
 * @ingroup workload-replay
 * @brief Streams overlap, a blocking collective stops the compute stream, and time adds up.
 *
 * Two ranks: a (10 us), then an all-reduce of 2,000 bytes (16 us) and b (6 us) together, then c
 * (5 us) which waits for the all-reduce; at last an all-reduce of 4,000 bytes (32 us) after c.
 */
class OverlapTestCase : public TestCase
{
  public:
    OverlapTestCase()
        : TestCase("streams overlap, edges hold, and the account adds up")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram program;
        const auto a = program.Compute("a", MicroSeconds(10));
        const auto first = program.Collective("first", CollectiveKind::ALL_REDUCE, 2000);
        program.Compute("b", MicroSeconds(6));
        const auto c = program.Compute("c", MicroSeconds(5));
        const auto last = program.Collective("last", CollectiveKind::ALL_REDUCE, 4000);
        program.builder.AddFinishEdge(a, first);
        program.builder.AddFinishEdge(first, c);
        program.builder.AddFinishEdge(c, last);
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(program.Build());
        job.Run(GIGABIT, Time(0));

        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "first").start, MicroSeconds(10), "after a");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "b").start, MicroSeconds(10), "with first");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "first").end, MicroSeconds(26), "16 us later");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "c").start, MicroSeconds(26), "waits for first");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "last").end, MicroSeconds(63), "31 + 32 us");
        NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 2, "both ranks finish");
        for (const auto& record : job.iterations)
        {
            NS_TEST_ASSERT_MSG_EQ(record.end, MicroSeconds(63), "end of the iteration");
            NS_TEST_ASSERT_MSG_EQ(record.compute, MicroSeconds(21), "10 + 6 + 5 us");
            // c waits from 16 to 26 us; the end waits for the last all-reduce from 31 us on.
            NS_TEST_ASSERT_MSG_EQ(Of(record.exposed, Dimension::DP), MicroSeconds(42), "10 + 32");
            NS_TEST_ASSERT_MSG_EQ(Of(record.hidden, Dimension::DP), MicroSeconds(6), "under b");
            NS_TEST_ASSERT_MSG_EQ(record.bubble, Time(0), "no pipeline");
            NS_TEST_ASSERT_MSG_EQ(Sum(record), record.end - record.start, "parts add up");
            NS_TEST_ASSERT_MSG_EQ(record.longestWaitOp, last, "the last all-reduce cost most");
            NS_TEST_ASSERT_MSG_EQ(record.longestWait, MicroSeconds(32), "32 us");
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief An edge lets an op of another stream go when an op finishes, not when it starts.
 */
class EdgeTestCase : public TestCase
{
  public:
    EdgeTestCase()
        : TestCase("edges between streams")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram program;
        program.Compute("a", MicroSeconds(3));
        const auto b = program.Compute("b", MicroSeconds(4));
        program.Compute("free", MicroSeconds(1), 1);
        const auto onFinish = program.Compute("on finish", MicroSeconds(1), 2);
        program.builder.AddFinishEdge(b, onFinish);
        ReplayTestJob job(1, Dimension::DP);
        job.SetProgram(program.Build());
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(0, "free").start, Time(0), "without an edge");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(0, "on finish").start, MicroSeconds(7), "after b");
    }
};

/**
 * @ingroup workload-replay
 * @brief Compute time below the clock's resolution is carried over, not lost.
 */
class ResolutionTestCase : public TestCase
{
  public:
    ResolutionTestCase()
        : TestCase("compute times below the resolution add up")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram program;
        for (int i = 0; i < 1000; ++i)
        {
            WorkloadOp op;
            op.amount = 1500; // 1.5 ns; tests run with a clock of 1 ns
            program.builder.AddOp(op, "op");
        }
        ReplayTestJob job(1, Dimension::DP);
        job.SetProgram(program.Build());
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.end, NanoSeconds(1500), "1,000 ops of 1.5 ns");
    }
};

/**
 * @ingroup workload-replay
 * @brief Several iterations follow one another; collectives are told apart by their number.
 */
class IterationsTestCase : public TestCase
{
  public:
    IterationsTestCase()
        : TestCase("several iterations")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram program;
        const auto a = program.Compute("a", MicroSeconds(10));
        program.builder.AddFinishEdge(a, program.Collective("r", CollectiveKind::ALL_REDUCE, 2000));
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(program.Build());
        job.Run(GIGABIT, Time(0), nullptr, 3);
        NS_TEST_ASSERT_MSG_EQ(job.end, MicroSeconds(3 * 26), "3 (10 + 16) us");
        NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 6, "3 of each rank");
        NS_TEST_ASSERT_MSG_EQ(job.iterations[5].iteration, 2, "counted from 0");
        NS_TEST_ASSERT_MSG_EQ(job.iterations[5].start, MicroSeconds(52), "after the second");
        NS_TEST_ASSERT_MSG_EQ(job.collectives[5].sequence, 2, "third call");
        NS_TEST_ASSERT_MSG_EQ(job.receivedBytes[0], 6000, "2 (N - 1) / N S, three times");
        NS_TEST_ASSERT_MSG_EQ(job.expectedBytes[0], 6000, "foretold");
    }
};

/**
 * @ingroup workload-replay
 * @brief A collective is over on a member when its own messages are sent, too.
 *
 * Three ranks shift 1,000 bytes (8 us). Rank 0 sends 1,000 bytes to rank 2 at the same time, so its
 * port needs 16 us for both, while what it receives is there after 8 us.
 */
class UnsentTestCase : public TestCase
{
  public:
    UnsentTestCase()
        : TestCase("a collective waits for its own sends")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram first;
        first.Collective("shift", CollectiveKind::SHIFT, 1000);
        first.Send("extra", 2, 1000);
        TestProgram last;
        last.Collective("shift", CollectiveKind::SHIFT, 1000);
        last.Receive("extra", 0, 1000);
        TestProgram other;
        other.Collective("shift", CollectiveKind::SHIFT, 1000);
        ReplayTestJob job(3, Dimension::DP);
        job.SetProgram(0, first.Build());
        job.SetProgram(1, other.Build());
        job.SetProgram(2, last.Build());
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(0, "shift").end, MicroSeconds(16), "its send is slow");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(2, "shift").end, MicroSeconds(16), "its receive is slow");
    }
};

/**
 * @ingroup workload-replay
 * @brief Members of an all-to-all with splits send and receive what theirs say.
 *
 * Rank 0 sends 1,000 bytes to rank 1 and 3,000 to rank 2, which together take its port 32 us; the
 * first ones, at half the rate, 16 us. Rank 2 sends 2,000 bytes to rank 0, rank 1 nothing.
 */
class SplitTimeTestCase : public TestCase
{
  public:
    SplitTimeTestCase()
        : TestCase("all-to-all with splits")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<AllToAllSplits> splits{{{500, 1000, 3000}, {500, 0, 2000}},
                                                 {{0, 0, 0}, {1000, 0, 0}},
                                                 {{2000, 0, 0}, {3000, 0, 0}}};
        const std::vector<uint64_t> amounts{4500, 0, 2000};
        ReplayTestJob job(3, Dimension::EP);
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            TestProgram program;
            WorkloadOp op;
            op.kind = OpKind::COLLECTIVE;
            op.collective = CollectiveKind::ALL_TO_ALL;
            op.amount = amounts[rank];
            op.stream = 1;
            op.splits = program.builder.AddSplits(splits[rank]);
            NS_TEST_EXPECT_MSG_EQ(program.builder.AddSplits(splits[rank]), op.splits, "kept once");
            program.builder.AddOp(op, "exchange");
            job.SetProgram(rank, program.Build());
        }
        job.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 0, "different totals are right");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "exchange").end, MicroSeconds(32), "4,000 bytes out");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "exchange").end, MicroSeconds(16), "1,000 bytes in");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(2, "exchange").end, MicroSeconds(32), "3,000 bytes in");
        const std::vector<uint64_t> received{2000, 1000, 3000};
        NS_TEST_EXPECT_MSG_EQ((job.expectedBytes == received), true, "bytes foretold");
        NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == received), true, "bytes received");
    }
};

/**
 * @ingroup workload-replay
 * @brief One rank alone, and collectives of no bytes, need no network.
 */
class NothingToMoveTestCase : public TestCase
{
  public:
    NothingToMoveTestCase()
        : TestCase("collectives with nothing to move")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram alone;
        alone.Collective("c", CollectiveKind::ALL_REDUCE, 1000000);
        ReplayTestJob job(1, Dimension::DP);
        job.SetProgram(alone.Build());
        job.Run(GIGABIT, MicroSeconds(1));
        NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 1, "one member is done at once");
        NS_TEST_ASSERT_MSG_EQ(job.end, Time(0), "and takes no time");

        TestProgram tiny;
        tiny.Collective("one byte", CollectiveKind::ALL_REDUCE, 1);
        ReplayTestJob ring(8, Dimension::DP);
        ring.SetProgram(tiny.Build());
        ring.Run(GIGABIT, Time(0));
        NS_TEST_ASSERT_MSG_EQ(ring.iterations.size(), 8, "a byte among 8 members does not hang");
        // It goes round once to be added up and once to be spread, except for the last hop.
        NS_TEST_ASSERT_MSG_EQ(ring.end, NanoSeconds(14 * 8), "14 hops of 8 ns");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief MessageMatcher pairs the first message with the first receive of a source and tag.
 */
class MatcherTestCase : public TestCase
{
  public:
    MatcherTestCase()
        : TestCase("messages meet the receives of their source and tag in order")
    {
    }

  private:
    /**
     * @param source the sender
     * @param tag the tag
     * @param bytes tells messages apart
     * @return a message of context 7
     */
    static Message MakeMessage(uint32_t source, uint32_t tag, uint64_t bytes)
    {
        Message message;
        message.source = source;
        message.bytes = bytes;
        MessageEnvelope{7, tag}.AttachTo(message);
        return message;
    }

    void DoRun() override
    {
        MessageMatcher matcher;
        using Key = MessageMatcher::Key;
        NS_TEST_EXPECT_MSG_EQ(matcher.Knows(7), false, "nothing has come");
        for (const auto& [source, tag, pipeline] :
             std::vector<std::tuple<uint32_t, uint32_t, uint32_t>>{{3, 1, 0},
                                                                   {2, 5, 1},
                                                                   {3, 1, 2},
                                                                   {2, 4, 3}})
        {
            const auto match = matcher.Post(7, source, tag, {0, pipeline, 0, 0, 0});
            NS_TEST_EXPECT_MSG_EQ(match.has_value(), false, "no message is there");
        }
        const std::vector<Key> awaited{{2, 4}, {2, 5}, {3, 1}};
        NS_TEST_EXPECT_MSG_EQ((matcher.GetAwaited(7) == awaited), true, "ascending, each once");
        NS_TEST_EXPECT_MSG_EQ(matcher.GetAwaited(8).empty(), true, "of another context");
        NS_TEST_EXPECT_MSG_EQ(matcher.Arrive(MakeMessage(3, 1, 10))->receive.pipeline,
                              0,
                              "the first");
        NS_TEST_EXPECT_MSG_EQ(matcher.Arrive(MakeMessage(3, 1, 11))->receive.pipeline,
                              2,
                              "the second");
        NS_TEST_EXPECT_MSG_EQ(matcher.Arrive(MakeMessage(2, 5, 12))->receive.pipeline, 1, "by tag");
        // Two messages come before their receives, and one stays without.
        for (const uint64_t bytes : {20, 21, 22})
        {
            const auto match = matcher.Arrive(MakeMessage(3, 1, bytes));
            NS_TEST_EXPECT_MSG_EQ(match.has_value(), false, "no receive is posted");
        }
        for (const uint64_t bytes : {20, 21})
        {
            NS_TEST_EXPECT_MSG_EQ(matcher.Post(7, 3, 1, {})->message.bytes, bytes, "in order");
        }
        NS_TEST_EXPECT_MSG_EQ(matcher.Close(7)->bytes, 22, "what nobody has received");
        NS_TEST_EXPECT_MSG_EQ(matcher.Knows(7), false, "forgotten");
        NS_TEST_EXPECT_MSG_EQ(matcher.Close(7).has_value(), false, "nothing is left");
    }
};

/**
 * @ingroup workload-replay
 * @brief The replay application of the workload-replay module.
 */
class WorkloadReplayReplayTestSuite : public TestSuite
{
  public:
    WorkloadReplayReplayTestSuite()
        : TestSuite("workload-replay-replay", TestSuite::Type::UNIT)
    {
        AddTestCase(new RingTimeTestCase);
        AddTestCase(new OverlapTestCase);
        AddTestCase(new EdgeTestCase);
        AddTestCase(new ResolutionTestCase);
        for (auto* testCase : MakeReplayMessageTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new IterationsTestCase);
        AddTestCase(new UnsentTestCase);
        AddTestCase(new SplitTimeTestCase);
        AddTestCase(new NothingToMoveTestCase);
        AddTestCase(new MatcherTestCase);
        for (const auto& cases :
             {MakeComputeTimeTestCases(), MakeComputeClockTestCases(), MakeStreamOrderTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// Registers the suite.
static WorkloadReplayReplayTestSuite g_workloadReplayReplayTestSuite;
