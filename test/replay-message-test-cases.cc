/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-message-test-cases.h"

#include "replay-test-job.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

Time
Of(const std::array<Time, N_DIMENSIONS>& times, Dimension dimension)
{
    return times[static_cast<std::size_t>(dimension)];
}

Time
Sum(const IterationRecord& record)
{
    Time sum = record.compute + record.bubble;
    for (const auto& exposed : record.exposed)
    {
        sum += exposed;
    }
    return sum;
}

namespace
{

/**
 * @ingroup workload-replay
 * @brief Messages of one pair and tag meet receives in order; early messages and receives wait.
 */
class MatchingTestCase : public TestCase
{
  public:
    MatchingTestCase()
        : TestCase("matching is first in, first out per source and tag")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram sender;
        sender.Send("s1", 1, 1000, 5);
        sender.Send("s2", 1, 2000, 5);
        sender.Send("s3", 1, 3000, 6);
        TestProgram receiver;
        // Posted at 100 us, in another order of tags than sent: all three messages wait for it.
        const auto late = receiver.Compute("late", MicroSeconds(100));
        const auto r3 = receiver.Receive("r3", 0, 3000, 6);
        receiver.Receive("r1", 0, 1000, 5);
        receiver.Receive("r2", 0, 2000, 5);
        receiver.builder.AddFinishEdge(late, r3);
        ReplayTestJob job(2, Dimension::PP);
        job.SetProgram(0, sender.Build());
        job.SetProgram(1, receiver.Build());
        job.Run(GIGABIT, MicroSeconds(1));
        NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 0, "sizes agree when matched in order");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(0, "s1").end, MicroSeconds(8), "1,000 bytes");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(0, "s2").start, MicroSeconds(8), "a stream is serial");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "r3").end, MicroSeconds(100), "was there already");
        NS_TEST_ASSERT_MSG_EQ(job.GetOp(1, "r2").end, MicroSeconds(100), "so were the others");
        NS_TEST_ASSERT_MSG_EQ(job.end, MicroSeconds(101), "the sender hears of the receives");
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 0, "nothing is left");
    }
};

/**
 * @ingroup workload-replay
 * @brief A wait for a pipeline neighbour is bubble until it sends, exposed communication after.
 */
class BubbleTestCase : public TestCase
{
  public:
    BubbleTestCase()
        : TestCase("bubble ends when the neighbour sends")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram sender;
        const auto work = sender.Compute("work", MicroSeconds(30));
        sender.builder.AddFinishEdge(work, sender.Send("s", 1, 1000));
        TestProgram receiver;
        receiver.Compute("first", MicroSeconds(10));
        const auto receive = receiver.Receive("r", 0, 1000);
        receiver.builder.AddFinishEdge(receive, receiver.Compute("next", MicroSeconds(7)));
        ReplayTestJob job(2, Dimension::PP);
        job.SetProgram(0, sender.Build());
        job.SetProgram(1, receiver.Build());
        job.Run(GIGABIT, MicroSeconds(2));
        const auto& record = job.iterations.back();
        NS_TEST_ASSERT_MSG_EQ(record.rank, 1, "the receiver ends last");
        NS_TEST_ASSERT_MSG_EQ(Of(record.hidden, Dimension::PP),
                              Time(0),
                              "nothing was under way during the first computation");
        NS_TEST_ASSERT_MSG_EQ(record.end, MicroSeconds(47), "30 + 8 + 2 + 7 us");
        NS_TEST_ASSERT_MSG_EQ(record.bubble, MicroSeconds(20), "from 10 to 30 us");
        NS_TEST_ASSERT_MSG_EQ(Of(record.exposed, Dimension::PP), MicroSeconds(10), "8 + 2 us");
        NS_TEST_ASSERT_MSG_EQ(Sum(record), record.end - record.start, "parts add up");
    }
};

/**
 * @ingroup workload-replay
 * @brief A message is hidden as long as the receiver works while it is under way.
 *
 * It is posted at 3 us and takes 8 us; the receiver works from 0 to 4 us and from 4 to 6 us.
 */
class HiddenMessageTestCase : public TestCase
{
  public:
    HiddenMessageTestCase()
        : TestCase("a message is hidden behind the receiver's work")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram sender;
        const auto work = sender.Compute("work", MicroSeconds(3));
        sender.builder.AddFinishEdge(work, sender.Send("s", 1, 1000));
        TestProgram receiver;
        receiver.Compute("first", MicroSeconds(4));
        receiver.Compute("second", MicroSeconds(2));
        receiver.Receive("r", 0, 1000);
        ReplayTestJob job(2, Dimension::PP);
        job.SetProgram(0, sender.Build());
        job.SetProgram(1, receiver.Build());
        job.Run(GIGABIT, Time(0));
        const auto& record = job.iterations.back();
        NS_TEST_ASSERT_MSG_EQ(record.rank, 1, "the receiver ends last");
        NS_TEST_ASSERT_MSG_EQ(Of(record.hidden, Dimension::PP), MicroSeconds(3), "3 to 6 us");
        NS_TEST_ASSERT_MSG_EQ(Of(record.exposed, Dimension::PP), MicroSeconds(5), "6 to 11 us");
    }
};

/**
 * @ingroup workload-replay
 * @brief A long message is hidden behind all work of the receiver while it is under way, however
 *        many pieces that is in.
 *
 * It is posted at 1 us and takes 80 us; the receiver works 20 times for 2 us with 1 us between,
 * which is from 0 to 2 us, from 3 to 5 us and so on to 59 us.
 */
class LongHiddenMessageTestCase : public TestCase
{
  public:
    LongHiddenMessageTestCase()
        : TestCase("a long message is hidden behind many pieces of work")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram sender;
        const auto before = sender.Compute("before", MicroSeconds(1));
        sender.builder.AddFinishEdge(before, sender.Send("s", 1, 10000));
        TestProgram receiver;
        receiver.Receive("r", 0, 10000);
        auto work = receiver.Compute("work", MicroSeconds(2));
        for (uint32_t i = 1; i < 20; ++i)
        {
            const auto pause = receiver.Compute("pause", MicroSeconds(1), 1);
            receiver.builder.AddFinishEdge(work, pause);
            work = receiver.Compute("work", MicroSeconds(2));
            receiver.builder.AddFinishEdge(pause, work);
        }
        ReplayTestJob job(2, Dimension::PP);
        job.SetProgram(0, sender.Build());
        job.SetProgram(1, receiver.Build());
        job.Run(GIGABIT, Time(0), nullptr, 2);
        for (const auto& record : job.iterations)
        {
            if (record.rank == 1)
            {
                NS_TEST_EXPECT_MSG_EQ(record.end - record.start, MicroSeconds(81), "1 + 80 us");
                NS_TEST_EXPECT_MSG_EQ(Of(record.hidden, Dimension::PP),
                                      MicroSeconds(1 + 19 * 2),
                                      "all work but the first microsecond");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(job.iterations.size(), 4, "two of each rank");
    }
};

} // namespace

std::vector<TestCase*>
MakeReplayMessageTestCases()
{
    return {new MatchingTestCase,
            new BubbleTestCase,
            new HiddenMessageTestCase,
            new LongHiddenMessageTestCase};
}

} // namespace ns3
