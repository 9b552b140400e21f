/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-flow-test-cases.h"
#include "replay-test-job.h"

#include "ns3/config.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>

using namespace ns3;

namespace
{

/// Rate of the ports: a byte takes 1 ns.
const DataRate BYTE_PER_NS("8Gbps");

/// Delay of all paths.
const Time DELAY = MicroSeconds(1);

/// Bytes of a connection's slots: 8 of 128 KiB.
constexpr uint32_t BUFFER = 8 * 131072;

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases in which rank 0 sends to rank 1.
 */
class PointToPointTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Run both programs.
     *
     * @param sender program of rank 0
     * @param receiver program of rank 1
     * @return the job
     */
    static ReplayTestJob RunPair(TestProgram& sender, TestProgram& receiver)
    {
        ReplayTestJob job(2, Dimension::PP);
        job.SetProgram(0, sender.Build());
        job.SetProgram(1, receiver.Build());
        job.Run(BYTE_PER_NS, DELAY);
        return job;
    }

  private:
    void DoTeardown() override
    {
        Config::Reset();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A long message fills the receiver's slots and goes on when its receive is posted.
 */
class LongMessageTestCase : public PointToPointTestCase
{
  public:
    LongMessageTestCase()
        : PointToPointTestCase("point-to-point: a long message waits for its receive")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t bytes = 2000000;
        const Time posted = MilliSeconds(5);
        // The announcement takes the delay, then goes what had no room.
        Check(bytes, posted, posted + DELAY + NanoSeconds(bytes - BUFFER));
        Check(BUFFER, posted, NanoSeconds(BUFFER));
        Check(BUFFER + 1, posted, posted + DELAY + NanoSeconds(1));
        // Posted while the first slots are sent, or before: nothing stops.
        Check(bytes, MicroSeconds(500), NanoSeconds(bytes));
        Check(bytes, Time(0), NanoSeconds(bytes));
        Config::SetDefault("ns3::PointToPointFlow::Slots", UintegerValue(0));
        Check(bytes, posted, NanoSeconds(bytes));
    }

    /**
     * @param bytes bytes of the message
     * @param posted when its receive is posted
     * @param sent when it is to be sent
     */
    void Check(uint32_t bytes, Time posted, Time sent)
    {
        TestProgram sender;
        sender.Send("s", 1, bytes);
        TestProgram receiver;
        const auto late = receiver.Compute("late", posted);
        receiver.builder.AddFinishEdge(late, receiver.Receive("r", 0, bytes));
        const auto job = RunPair(sender, receiver);
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "the parts make up the message");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "s").end, sent, bytes << " bytes sent");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "r").end,
                              std::max(sent + DELAY, posted),
                              bytes << " bytes received");
        NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[1], bytes, "all of them");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Short messages take a slot each; a receive frees the one of its message.
 */
class ShortMessagesTestCase : public PointToPointTestCase
{
  public:
    ShortMessagesTestCase()
        : PointToPointTestCase("point-to-point: eight messages and no more")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram sender;
        TestProgram receiver;
        TestProgram::OpIndex previous = 0;
        for (uint32_t i = 0; i < 10; ++i)
        {
            sender.Send("s" + std::to_string(i), 1, 1000, i);
            // One receive after another, 100 us apart; in another order than the messages.
            const auto pause = receiver.Compute("pause", MicroSeconds(100));
            const auto receive = receiver.Receive("r", 0, 1000, i < 8 ? 7 - i : i);
            receiver.builder.AddFinishEdge(pause, receive);
            if (i > 0)
            {
                receiver.builder.AddFinishEdge(previous, pause);
            }
            previous = receive;
        }
        const auto job = RunPair(sender, receiver);
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "s7").end, MicroSeconds(8), "eight slots");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "s8").end, MicroSeconds(100 + 1 + 1), "a slot is free");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "s9").end, MicroSeconds(200 + 1 + 1), "and another");
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "nothing is left");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A send that nobody receives is told of.
 */
class UnreceivedMessageTestCase : public PointToPointTestCase
{
  public:
    UnreceivedMessageTestCase()
        : PointToPointTestCase("point-to-point: a send without a receive")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram sender;
        sender.Send("s", 1, BUFFER + 1);
        TestProgram receiver;
        receiver.Compute("c", MicroSeconds(1));
        const auto job = RunPair(sender, receiver);
        NS_TEST_ASSERT_MSG_EQ(job.waits.empty(), false, "it waits");
        const auto what = "send of " + std::to_string(BUFFER + 1) + " bytes";
        NS_TEST_EXPECT_MSG_EQ((job.waits.front().find(what) != std::string::npos),
                              true,
                              job.waits.front());
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Sends and receives begin when their kernels do.
 */
class LaunchTestCase : public PointToPointTestCase
{
  public:
    LaunchTestCase()
        : PointToPointTestCase("point-to-point: launch latency")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::PointToPointFlow::Latency", StringValue("5us"));
        TestProgram sender;
        sender.Send("s1", 1, 1000, 1);
        sender.Send("s2", 1, 1000, 2);
        TestProgram receiver;
        receiver.Receive("r1", 0, 1000, 1);
        const auto late = receiver.Compute("late", MicroSeconds(50));
        receiver.builder.AddFinishEdge(late, receiver.Receive("r2", 0, 1000, 2));
        const auto job = RunPair(sender, receiver);
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "s1").end, MicroSeconds(6), "5 + 1 us");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "r1").end, MicroSeconds(7), "posted at 5 us");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "s2").end, MicroSeconds(12), "6 + 5 + 1 us");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "r2").end, MicroSeconds(55), "its message is there");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Flow control of what ranks send each other: point-to-point messages and collectives.
 */
class WorkloadReplayPointToPointTestSuite : public TestSuite
{
  public:
    WorkloadReplayPointToPointTestSuite()
        : TestSuite("workload-replay-point-to-point", TestSuite::Type::UNIT)
    {
        AddTestCase(new LongMessageTestCase);
        AddTestCase(new ShortMessagesTestCase);
        AddTestCase(new UnreceivedMessageTestCase);
        AddTestCase(new LaunchTestCase);
        for (auto testCase : MakeCollectiveFlowTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// Registers the suite.
WorkloadReplayPointToPointTestSuite g_workloadReplayPointToPointTestSuite;

} // namespace
