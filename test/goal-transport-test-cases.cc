/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-test-cases.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// What the jobs below run on: a byte takes a nanosecond, and a path two microseconds.
const DataRate RATE("8Gbps");
const Time DELAY = MicroSeconds(2); //!< delay of every path

/**
 * @ingroup workload-replay-tests
 * @brief Messages of a transport, with and without costs of the CPUs.
 */
class GoalTransportTestCase : public GoalTestCase
{
  public:
    GoalTransportTestCase()
        : GoalTestCase("messages of a transport")
    {
    }

  private:
    void DoRun() override;

    /**
     * Run a message, and computations that require its ends.
     *
     * @param expected when the computations of sender and receiver start, ns
     * @param what the costs
     */
    void Check(const std::vector<int64_t>& expected, const std::string& what);
};

void
GoalTransportTestCase::Check(const std::vector<int64_t>& expected, const std::string& what)
{
    GoalTestSchedule schedule(2);
    schedule.Calc(0, 7, schedule.Send(0, 10000, 1));
    schedule.Calc(1, 7, schedule.Receive(1, 10000, 0));
    ReplayTestJob job(Read(schedule.GetText()));
    job.Run(RATE, DELAY);
    NS_TEST_ASSERT_MSG_EQ(job.waits.empty() && job.faults.empty(), true, what);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(rank, "n1").start, NanoSeconds(expected[rank]), what);
    }
    NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[1], 10000, what);
}

void
GoalTransportTestCase::DoRun()
{
    Check({10000, 12000}, "nothing but the transport");
    Config::SetDefault("ns3::LogGopsCosts::Overhead", TimeValue(NanoSeconds(1000)));
    // It leaves after the overhead, and costs the receiver the same when it is there.
    Check({11000, 14000}, "overhead, and a sender that waits");
    Config::SetDefault("ns3::LogGopsCosts::EagerLimit", UintegerValue(10000));
    Check({1000, 14000}, "overhead, and a sender that does not");
    // What the network does is not taken twice.
    Config::SetDefault("ns3::LogGopsCosts::Latency", TimeValue(NanoSeconds(5000)));
    Config::SetDefault("ns3::LogGopsCosts::Gap", TimeValue(NanoSeconds(5000)));
    Check({1000, 14000}, "no latency and no gap");
    Config::Reset();
}

/**
 * @ingroup workload-replay-tests
 * @brief Messages of one NIC follow each other, those of different ones share the port.
 */
class GoalConnectionTestCase : public GoalTestCase
{
  public:
    GoalConnectionTestCase()
        : GoalTestCase("messages of different NICs")
    {
    }

  private:
    void DoRun() override;
};

void
GoalConnectionTestCase::DoRun()
{
    for (const uint32_t nic : {0, 1})
    {
        GoalTestSchedule schedule(2);
        for (uint32_t tag = 0; tag < 2; ++tag)
        {
            schedule.Add(0, 1, 10000, 1, tag, tag, tag * nic);
            schedule.Receive(1, 10000, 0, tag);
        }
        ReplayTestJob job(Read(schedule.GetText()));
        job.Run(RATE, DELAY);
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "n0").end,
                              MicroSeconds(nic == 0 ? 10 : 20),
                              "the first message, NIC " << nic);
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "n1").end, MicroSeconds(20), "the second one");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief A message that comes early costs the CPU when it meets its receive; a CPU that computes
 *        lets messages wait.
 */
class GoalBusyCpuTestCase : public GoalTestCase
{
  public:
    GoalBusyCpuTestCase()
        : GoalTestCase("messages and busy CPUs")
    {
    }

  private:
    void DoRun() override;
};

void
GoalBusyCpuTestCase::DoRun()
{
    GoalTestSchedule schedule(2);
    schedule.Calc(0, 3000);
    schedule.Send(0, 1000, 1);
    const auto calc = schedule.Calc(1, 20000);
    schedule.Receive(1, 1000, 0, 0, calc);
    Config::SetDefault("ns3::LogGopsCosts::Overhead", TimeValue(NanoSeconds(500)));
    ReplayTestJob job(Read(schedule.GetText()));
    job.Run(RATE, DELAY);
    Config::Reset();
    // Sends go before computations, so that the computation waits for the overhead.
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "n0").start, NanoSeconds(500), "the computation");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "n1").end, NanoSeconds(1500), "the send");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "n1").start, NanoSeconds(20000), "the receive is posted");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "n1").end, NanoSeconds(20500), "and pays then");
}

/**
 * @ingroup workload-replay-tests
 * @brief A schedule that cannot end names the ops that wait.
 */
class GoalDeadlockTestCase : public GoalTestCase
{
  public:
    GoalDeadlockTestCase()
        : GoalTestCase("deadlocks")
    {
    }

  private:
    void DoRun() override;
};

void
GoalDeadlockTestCase::DoRun()
{
    GoalTestSchedule schedule(3);
    schedule.Send(0, 10, 1, 4, schedule.Receive(0, 10, 1, 3));
    schedule.Send(1, 10, 0, 3, schedule.Receive(1, 10, 0, 4));
    schedule.Receive(2, 8, GoalTestSchedule::ANY, GoalTestSchedule::ANY);
    const std::vector<std::string> expected{
        "FILE:3: rank 0 waits in n0 (receive of 10 bytes with tag 3) for rank 1",
        "FILE:8: rank 1 waits in n0 (receive of 10 bytes with tag 4) for rank 0",
        "FILE:13: rank 2 waits in n0 (receive of 8 bytes with any tag from any rank)",
        "ranks that wait for each other: 0 -> 1 -> 0"};
    for (const bool isModel : {false, true})
    {
        ReplayTestJob job(Read(schedule.GetText()));
        if (isModel)
        {
            RunGoalModel(job, 3);
        }
        else
        {
            job.Run(RATE, DELAY);
        }
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), expected.size(), "three ranks and a cycle");
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(CutFile(job.waits[i]), expected[i], "a wait");
        }
    }
    // A sender that nobody receives from: it waits only if the message is too large.
    GoalTestSchedule lonely(2);
    lonely.Send(0, 100000, 1);
    ReplayTestJob job(Read(lonely.GetText()));
    RunGoalModel(job, 2);
    NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 1, "a sender");
    NS_TEST_EXPECT_MSG_EQ(CutFile(job.waits[0]),
                          "FILE:3: rank 0 waits in n0 (send of 100000 bytes with tag 0) for rank 1",
                          "it waits");
}

} // namespace

std::vector<TestCase*>
MakeGoalTransportTestCases()
{
    return {new GoalTransportTestCase,
            new GoalConnectionTestCase,
            new GoalBusyCpuTestCase,
            new GoalDeadlockTestCase};
}

} // namespace ns3
