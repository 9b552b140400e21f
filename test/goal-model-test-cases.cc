/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-test-cases.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Ends of ranks, ns.
using Ends = std::vector<int64_t>;

/**
 * @param costs the parameters
 * @param bytes size of a message
 * @return time for which it keeps the receiver's CPU
 */
int64_t
GetReceiveTime(const GoalTestCosts& costs, uint64_t bytes)
{
    const auto more = static_cast<double>(bytes - 1);
    return static_cast<int64_t>(costs.overhead +
                                std::max(more * costs.byteGap, more * costs.byteOverhead));
}

/**
 * @ingroup workload-replay-tests
 * @brief Results that follow from the model by hand, or were published with LogGOPSim.
 */
class GoalClosedFormTestCase : public GoalTestCase
{
  public:
    GoalClosedFormTestCase()
        : GoalTestCase("closed forms of the LogGOPS model")
    {
    }

  private:
    void DoRun() override;

    /// One message, eager and not.
    void CheckMessage();

    /// Many ranks that send to one at once.
    void CheckIncast();

    /// Dissemination and trees of a byte.
    void CheckPatterns();

    /// Ring all-reduce.
    void CheckRing();
};

void
GoalClosedFormTestCase::DoRun()
{
    CheckMessage();
    CheckIncast();
    CheckPatterns();
    CheckRing();
}

void
GoalClosedFormTestCase::CheckMessage()
{
    for (const uint64_t bytes : {1, 1000, 65535, 65536, 80000000})
    {
        GoalTestSchedule schedule(2);
        schedule.Send(0, bytes, 1);
        schedule.Receive(1, bytes, 0);
        // L + 2 o + (s - 1) G; a large message's sender waits until it meets the receive.
        const auto end = static_cast<int64_t>(2500 + 2 * 1500 + (bytes - 1) * 6);
        const Ends expected{bytes > 65535 ? 4000 : 1500, end};
        NS_TEST_EXPECT_MSG_EQ((FindEnds(schedule) == expected), true, bytes << " bytes");
    }
    GoalTestSchedule empty(2);
    empty.Send(0, 0, 1);
    empty.Receive(1, 0, 0);
    NS_TEST_EXPECT_MSG_EQ(FindEnds(empty)[1], 5500, "an empty message, like one of a byte");
    // O counts at both ends, beside a smaller G.
    GoalTestSchedule schedule(2);
    schedule.Send(0, 101, 1);
    schedule.Receive(1, 101, 0);
    const GoalTestCosts costs{2500, 1500, 1000, 2.5, 4, 65535};
    const Ends expected{1500 + 400, 1500 + 2500 + 1500 + 400};
    NS_TEST_EXPECT_MSG_EQ((FindEnds(schedule, costs) == expected), true, "O above G");
}

void
GoalClosedFormTestCase::CheckIncast()
{
    const GoalTestCosts costs;
    for (const uint32_t senders : {2, 4, 100})
    {
        GoalTestSchedule schedule(senders + 1);
        for (uint32_t i = 1; i <= senders; ++i)
        {
            schedule.Send(i, 1000, 0);
            schedule.Receive(0, 1000, i);
        }
        // The receiver deals with one after another.
        const auto each = GetReceiveTime(costs, 1000);
        NS_TEST_EXPECT_MSG_EQ(FindEnds(schedule)[0],
                              2500 + 1500 + senders * each,
                              senders << " to one");
    }
    NS_TEST_EXPECT_MSG_EQ(4000 + 4 * GetReceiveTime(costs, 1000), 33976, "as found elsewhere");
    // With a gap above the overhead it is the NIC that they wait for.
    GoalTestSchedule schedule(3);
    for (uint32_t i = 1; i <= 2; ++i)
    {
        schedule.Send(i, 1000, 0);
        schedule.Receive(0, 1000, i);
    }
    const GoalTestCosts slow{2500, 1500, 5000, 6, 0, 65535};
    NS_TEST_EXPECT_MSG_EQ(FindEnds(schedule, slow)[0],
                          4000 + (5000 + 999 * 6) + (1500 + 999 * 6),
                          "a wide gap");
}

void
GoalClosedFormTestCase::CheckPatterns()
{
    for (const uint32_t rounds : {4, 5})
    {
        const uint32_t world = 1U << rounds;
        GoalTestSchedule dissemination(world);
        GoalTestSchedule tree(world);
        std::vector<int64_t> last(world, -1);
        for (uint32_t round = 0; round < rounds; ++round)
        {
            const uint32_t step = 1U << round;
            for (uint32_t rank = 0; rank < world; ++rank)
            {
                dissemination.Send(rank, 1, (rank + step) % world, round, last[rank]);
                last[rank] = dissemination.Receive(rank,
                                                   1,
                                                   (rank + world - step) % world,
                                                   round,
                                                   last[rank]);
            }
        }
        std::vector<int64_t> received(world, -1);
        for (uint32_t step = world / 2; step > 0; step /= 2)
        {
            for (uint32_t rank = 0; rank < world; rank += 2 * step)
            {
                tree.Send(rank, 1, rank + step, 0, received[rank]);
                received[rank + step] = tree.Receive(rank + step, 1, rank);
            }
        }
        // Each round is a message of a byte: 22,000 and 27,500 ns, the figures of LogGOPSim.
        const int64_t expected = rounds * 5500;
        for (const auto* schedule : {&dissemination, &tree})
        {
            const auto ends = FindEnds(*schedule);
            NS_TEST_EXPECT_MSG_EQ(*std::max_element(ends.begin(), ends.end()),
                                  expected,
                                  world << " ranks");
        }
    }
    // Binomial reduction of a kilobyte, the example of LogGOPSim's README.
    GoalTestSchedule reduce(8);
    std::vector<int64_t> last(8, -1);
    for (uint32_t step = 1; step < 8; step *= 2)
    {
        for (uint32_t rank = 0; rank < 8; rank += 2 * step)
        {
            reduce.Send(rank + step, 1024, rank, 0, last[rank + step]);
            last[rank] = reduce.Receive(rank, 1024, rank + step, 0, last[rank]);
        }
    }
    const Ends expected{34914, 1500, 13138, 1500, 24776, 1500, 13138, 1500};
    NS_TEST_EXPECT_MSG_EQ((FindEnds(reduce) == expected), true, "a reduction");
}

void
GoalClosedFormTestCase::CheckRing()
{
    constexpr uint32_t world = 4;
    GoalTestSchedule ring(world);
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        int64_t last = -1;
        for (uint32_t step = 0; step < 2 * (world - 1); ++step)
        {
            ring.Send(rank, 1024, (rank + 1) % world, step, last);
            last = ring.Receive(rank, 1024, (rank + world - 1) % world, step);
        }
    }
    // 2 (N - 1) messages, one after another.
    NS_TEST_EXPECT_MSG_EQ((FindEnds(ring) == Ends(world, 6 * (5500 + 1023 * 6))),
                          true,
                          "all ranks end at 69,828 ns");
}

/**
 * @ingroup workload-replay-tests
 * @brief What CPUs, NICs, dependencies and receives mean.
 */
class GoalResourceTestCase : public GoalTestCase
{
  public:
    GoalResourceTestCase()
        : GoalTestCase("CPUs, NICs and their order")
    {
    }

  private:
    void DoRun() override;

    /// Computations and what they wait for.
    void CheckComputations();

    /// Messages and NICs.
    void CheckNics();

    /// Messages that come before their receive is posted.
    void CheckUnexpected();

    /// Who is first of those that wait for a CPU.
    void CheckTurns();
};

void
GoalResourceTestCase::DoRun()
{
    CheckComputations();
    CheckNics();
    CheckUnexpected();
    CheckTurns();
}

void
GoalResourceTestCase::CheckComputations()
{
    for (const bool isStart : {false, true})
    {
        GoalTestSchedule schedule(1);
        const auto before = schedule.Calc(0, 300);
        const auto first = schedule.Calc(0, 1000, before);
        const auto second = schedule.Calc(0, 1500, -1, 1);
        schedule.Require(0, second, first, isStart);
        // On two CPUs: after the end of the first at 1,300 ns, or with its start at 300 ns.
        NS_TEST_EXPECT_MSG_EQ(FindEnds(schedule)[0],
                              (isStart ? 1800 : 2800),
                              "requires, irequires");
    }
    GoalTestSchedule one(1);
    one.Calc(0, 300);
    one.Calc(0, 400);
    NS_TEST_EXPECT_MSG_EQ(FindEnds(one)[0], 700, "one CPU");
    ReplayTestJob job(Read(one.GetText()));
    RunGoalModel(job, 1, {}, 3);
    NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 3, "iterations");
    NS_TEST_EXPECT_MSG_EQ(job.iterations.back().end, NanoSeconds(2100), "the third one");
    NS_TEST_EXPECT_MSG_EQ(job.iterations.back().compute, NanoSeconds(700), "its computations");
}

void
GoalResourceTestCase::CheckNics()
{
    for (const uint32_t nic : {0, 1})
    {
        GoalTestSchedule schedule(3);
        for (uint32_t i = 0; i < 2; ++i)
        {
            schedule.Add(0, 1, 1000, i + 1, 0, i, i * nic);
            schedule.Receive(i + 1, 1000, 0);
        }
        // The second message starts when the NIC has sent the first, or with it from another NIC.
        const int64_t start = nic == 1 ? 0 : 1000 + 999 * 6;
        NS_TEST_EXPECT_MSG_EQ(FindEnds(schedule)[2], start + 5500 + 999 * 6, "NIC " << nic);
    }
    // A NIC sends and receives at once, the CPU does not.
    GoalTestSchedule both(2);
    for (const uint32_t rank : {0, 1})
    {
        both.Add(rank, 1, 2000, 1 - rank, 0, 0);
        both.Add(rank, 2, 2000, 1 - rank, 0, 1);
    }
    NS_TEST_EXPECT_MSG_EQ(FindEnds(both)[0], 5500 + 1999 * 6, "both directions");
}

void
GoalResourceTestCase::CheckUnexpected()
{
    // The message of rank 0 is there at 4,000 ns and dealt with at once, though its receive is
    // posted when that of rank 2 is complete: at 20,000 + 1,500 + 2,500 + 1,500.
    GoalTestSchedule schedule(3);
    schedule.Send(0, 1000, 1);
    const auto first = schedule.Receive(1, 1, 2);
    schedule.Receive(1, 1000, 0, 0, first);
    schedule.Send(2, 1, 1, 0, schedule.Calc(2, 20000));
    NS_TEST_EXPECT_MSG_EQ(FindEnds(schedule)[1], 25500, "an eager message");
    // Without room for it the sender goes on when they meet.
    GoalTestCosts costs;
    costs.eagerLimit = 999;
    const Ends expected{25500, 25500, 21500};
    NS_TEST_EXPECT_MSG_EQ((FindEnds(schedule, costs) == expected), true, "a rendezvous");
}

void
GoalResourceTestCase::CheckTurns()
{
    // A computation and a send are freed by the same op: the send goes first, whatever the order of
    // the file. So the message is there 5,000 ns earlier.
    GoalTestSchedule kinds(2);
    const auto before = kinds.Calc(0, 100);
    kinds.Calc(0, 5000, before);
    kinds.Send(0, 1, 1, 0, before);
    kinds.Receive(1, 1, 0);
    NS_TEST_EXPECT_MSG_EQ(FindEnds(kinds)[1], 100 + 5500, "a send before a computation");
    // Of ops that are freed in turn, the first one freed: n3 is freed at 100 ns, n2 at 200 ns by
    // another CPU, while CPU 0 is busy.
    GoalTestSchedule turns(2);
    turns.Calc(0, 1000);
    const auto late = turns.Calc(0, 200, -1, 1);
    turns.Calc(0, 7000, late);
    const auto early = turns.Calc(0, 100, -1, 2);
    const auto next = turns.Calc(0, 50, early);
    turns.Send(0, 1, 1, 0, next);
    turns.Receive(1, 1, 0);
    // n1 frees n2 as it starts at 0, before n3 frees n4.
    NS_TEST_EXPECT_MSG_EQ(FindEnds(turns)[1], 1000 + 7000 + 50 + 5500, "first come, first served");
}

/**
 * @ingroup workload-replay-tests
 * @brief Which message a receive takes.
 */
class GoalMatchTestCase : public GoalTestCase
{
  public:
    GoalMatchTestCase()
        : GoalTestCase("tags, wildcards and sizes")
    {
    }

  private:
    void DoRun() override;

    /// Receives from any rank and of any tag.
    void CheckWildcards();

    /// Messages and receives of different sizes.
    void CheckSizes();
};

void
GoalMatchTestCase::DoRun()
{
    CheckWildcards();
    CheckSizes();
    // 2^32 + 7 and 7 differ; the binary form would not tell them apart.
    const auto workload = Read("num_ranks 2 rank 0 { send 10b to 1 tag 4294967303\n"
                               "send 20b to 1 tag 7 }\n"
                               "rank 1 { recv 20b from 0 tag 7 recv 10b from 0 tag 4294967303 }");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 1, "it is said that they are long");
    NS_TEST_EXPECT_MSG_EQ((workload->GetWarnings()[0].rfind("2 tags do not fit 32 bits", 0)),
                          0,
                          workload->GetWarnings()[0]);
    NS_TEST_EXPECT_MSG_EQ(FindGoalEnds(workload)[1],
                          4000 + 1500 + 9 * 6 + 1500 + 19 * 6,
                          "both meet their receives");
    const std::string longest = "num_ranks 2 rank 0 { send 10b to 1 tag ";
    NS_TEST_EXPECT_MSG_EQ(Read(longest + "4294967295 }")->GetWarnings().size(), 0, "2^32 - 1 fits");
    NS_TEST_EXPECT_MSG_EQ(Read(longest + "4294967296 }")->GetWarnings().size(), 1, "2^32 does not");
}

void
GoalMatchTestCase::CheckWildcards()
{
    // Sizes are checked, so that each receive must take the message meant for it.
    for (const bool isLate : {false, true})
    {
        GoalTestSchedule schedule(3);
        schedule.Send(0, 10, 2, 5);
        const auto calc = schedule.Calc(1, 5000);
        const auto send = schedule.Send(1, 20, 2, 5, calc);
        schedule.Send(1, 30, 2, 6, send);
        const int64_t wait = isLate ? int64_t{schedule.Calc(2, 100000)} : -1;
        const auto any = schedule.Receive(2, 10, GoalTestSchedule::ANY, 5, wait);
        const auto other = schedule.Receive(2, 20, 1, GoalTestSchedule::ANY, any);
        const auto rest =
            schedule.Receive(2, 30, GoalTestSchedule::ANY, GoalTestSchedule::ANY, other);
        schedule.Calc(2, 1, rest);
        NS_TEST_EXPECT_MSG_NE(FindEnds(schedule)[2], -1, "receives of any, late " << isLate);
    }
    // A tag that is any on the send's side.
    GoalTestSchedule schedule(2);
    schedule.Send(0, 10, 1, GoalTestSchedule::ANY);
    schedule.Receive(1, 10, 0, 5);
    NS_TEST_EXPECT_MSG_EQ(FindEnds(schedule)[1], 5500 + 9 * 6, "a send of any tag");
}

void
GoalMatchTestCase::CheckSizes()
{
    GoalTestSchedule schedule(2);
    schedule.Send(0, 8000, 1);
    schedule.Receive(1, 400000, 0);
    ReplayTestJob strict(Read(schedule.GetText()));
    RunGoalModel(strict, 2);
    NS_TEST_ASSERT_MSG_EQ(strict.faults.size(), 1, "a contradiction");
    NS_TEST_EXPECT_MSG_EQ(CutFile(strict.faults[0]),
                          "rank 1 (FILE:6) expects 400000 bytes, but rank 0 (FILE:3) sends 8000 "
                          "bytes; --sizes=lenient takes what is sent",
                          "it names both");
    Config::SetDefault("ns3::LogGopsHost::MatchSizes", BooleanValue(false));
    const auto ends = FindEnds(schedule);
    Config::Reset();
    NS_TEST_EXPECT_MSG_EQ(ends[1], 5500 + 7999 * 6, "what is sent counts");
}

} // namespace

std::vector<TestCase*>
MakeGoalModelTestCases()
{
    return {new GoalClosedFormTestCase, new GoalResourceTestCase, new GoalMatchTestCase};
}

} // namespace ns3
