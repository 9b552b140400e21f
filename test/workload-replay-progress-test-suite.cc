/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/collective-message-count.h"
#include "ns3/direct-collective.h"
#include "ns3/level-costs.h"
#include "ns3/program-guards.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-progress.h"
#include "ns3/replay-work.h"
#include "ns3/ring-collective.h"
#include "ns3/run-log.h"
#include "ns3/uinteger.h"
#include "ns3/wall-clock-poll.h"

#include <chrono>
#include <csignal>
#include <iostream>
#include <sstream>
#include <thread>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief What is shown of the progress, and when, by a made-up clock.
 */
class ProgressTestCase : public TestCase
{
  public:
    ProgressTestCase()
        : TestCase("progress: what is shown, and when")
    {
    }

  private:
    void DoRun() override
    {
        using State = ReplayProgress::State;
        NS_TEST_EXPECT_MSG_EQ(ReplayProgress::Format(State{0.0099, 2, 5000000}),
                              "0.99 % done in 2 s, 2.50 million events/s",
                              "too early to tell what is left");
        NS_TEST_EXPECT_MSG_EQ(ReplayProgress::Format(State{0.25, 10, 10000000}),
                              "25.0 % done in 10 s, about 30 s left, 1.00 million events/s",
                              "a quarter: three times as much is left");
        NS_TEST_EXPECT_MSG_EQ(ReplayProgress::Format(State{0.02, 60, 0}),
                              "2.0 % done in 60 s, about 49 min left, 0.00 million events/s",
                              "49 times a minute is left");
        NS_TEST_EXPECT_MSG_EQ(ReplayProgress::Format(State{0.002, 60, 60000000}),
                              "0.20 % done in 60 s, about 8.3 h left, 1.00 million events/s",
                              "499 times a minute is left");
        NS_TEST_EXPECT_MSG_EQ(ReplayProgress::Format(State{0, 60, 60000000}),
                              "0.00 % done in 60 s, 1.00 million events/s",
                              "nobody knows");
        NS_TEST_EXPECT_MSG_EQ(FormatRealTime(99.4), "99 s", "seconds");
        NS_TEST_EXPECT_MSG_EQ(FormatRealTime(100), "1.7 min", "minutes");
        NS_TEST_EXPECT_MSG_EQ(FormatRealTime(5999), "100 min", "many minutes");
        NS_TEST_EXPECT_MSG_EQ(FormatRealTime(6000), "1.7 h", "hours");
        NS_TEST_EXPECT_MSG_EQ(FormatTimeRange(0.5), "below 1 s", "too short to choose");
        NS_TEST_EXPECT_MSG_EQ(FormatTimeRange(60), "30 to 110 s", "33.3 to 108 s");
        NS_TEST_EXPECT_MSG_EQ(FormatTimeRange(400), "4 to 12 min", "222 to 720 s");
        NS_TEST_EXPECT_MSG_EQ(FormatTimeRange(10000), "1.5 to 5 h", "5556 to 18000 s");

        std::ostringstream console;
        auto* const before = std::cerr.rdbuf(console.rdbuf());
        RunLog::EnableConsole(RunLog::INFO);
        ReplayProgress log(ReplayProgress::LOG);
        const bool early = log.IsDue(4.9);
        const bool first = log.IsDue(5);
        log.Show({0.5, 100, 100000000});
        const bool again = log.IsDue(109.9);
        const bool later = log.IsDue(110.1);
        log.Finish();
        RunLog::Disable();
        ReplayProgress terminal(ReplayProgress::TERMINAL, "there is a faster way");
        terminal.Show({0.5, 1, 1000000});
        const bool soon = terminal.IsDue(1.5);
        terminal.Finish();
        const auto lines = console.str();
        console.str("");
        terminal.Show({0.1, 66, 66000000});
        RunLog::EnableConsole(RunLog::INFO);
        terminal.Show({0.1, 67, 67000000});
        terminal.Show({0.1, 68, 68000000});
        RunLog::Disable();
        terminal.Finish();
        std::cerr.rdbuf(before);
        const std::string hint = "there is a faster way";
        const auto said = console.str().find(hint);
        NS_TEST_EXPECT_MSG_EQ((said != std::string::npos), true, "603 s are left");
        NS_TEST_EXPECT_MSG_GT(said, console.str().find("66 s"), "not with 594 s");
        NS_TEST_EXPECT_MSG_EQ((console.str().rfind(hint) == said), true, "once");
        NS_TEST_EXPECT_MSG_EQ((!early && first), true, "a log has a line after 5 s");
        NS_TEST_EXPECT_MSG_EQ((!again && later), true, "and after a tenth of the time more");
        NS_TEST_EXPECT_MSG_EQ(soon, true, "a terminal is brought up to date twice a second");
        NS_TEST_EXPECT_MSG_EQ(
            lines,
            "[0.000 ms] 50.0 % done in 1.7 min, about 1.7 min left, 1.00 million events/s\n"
            "\r\033[K[0.000 ms] 50.0 % done in 1 s, about 1 s left, 1.00 million events/s\r\033[K",
            "a line of its own, and one that is taken away");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages of a run are printed only when asked for.
 */
class RunLogTestCase : public TestCase
{
  public:
    RunLogTestCase()
        : TestCase("messages to the operator")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream console;
        auto* const before = std::cerr.rdbuf(console.rdbuf());
        RunLog::Write(RunLog::WARNING, "nobody listens");
        RunLog::EnableConsole(RunLog::WARNING);
        RunLog::Write(RunLog::INFO, "not loud enough");
        RunLog::Write(RunLog::WARNING, "loud enough");
        RunLog::EnableConsole(RunLog::INFO);
        RunLog::Write(RunLog::INFO, "once");
        RunLog::Disable();
        RunLog::Write(RunLog::WARNING, "nobody listens any more");
        std::cerr.rdbuf(before);
        NS_TEST_EXPECT_MSG_EQ(console.str(),
                              "[0.000 ms] warning: loud enough\n[0.000 ms] once\n",
                              "what was printed");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages of collectives, counted by hand.
 */
class MessageCountTestCase : public TestCase
{
  public:
    MessageCountTestCase()
        : TestCase("progress: messages of a collective")
    {
    }

  private:
    void DoRun() override
    {
        const auto ring = CreateObject<RingCollective>();
        const auto cut = CreateObject<RingCollective>();
        cut->SetAttribute("Channels", UintegerValue(2));
        cut->SetAttribute("ChunkBytes", UintegerValue(100));
        const auto direct = CreateObject<DirectCollective>();
        CollectiveMessageCount counts;
        const CollectiveCall reduce{CollectiveKind::ALL_REDUCE, 4000, 1, 4};
        const CollectiveCall gather{CollectiveKind::ALL_GATHER, 4000, 1, 4};
        const CollectiveCall exchange{CollectiveKind::ALL_TO_ALL, 4000, 1, 5};
        const CollectiveCall alone{CollectiveKind::ALL_REDUCE, 4000, 0, 1};
        for (const auto time : {"first", "second"})
        {
            NS_TEST_EXPECT_MSG_EQ(counts.Get(*ring, reduce), 6, "2 (N - 1), " << time);
            NS_TEST_EXPECT_MSG_EQ(counts.Get(*ring, gather), 3, "N - 1, " << time);
            NS_TEST_EXPECT_MSG_EQ(counts.Get(*direct, exchange), 4, "N - 1, " << time);
            NS_TEST_EXPECT_MSG_EQ(counts.Get(*ring, alone), 0, "nobody else, " << time);
            // A fourth of 4000 is 500 for each channel, which is 5 pieces.
            NS_TEST_EXPECT_MSG_EQ(counts.Get(*cut, reduce), 2 * 5 * 6, "in pieces, " << time);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The share of work done, by hand, in a replay of two ranks that compute and all-reduce.
 */
class WorkTestCase : public RdmaTestCase
{
  public:
    WorkTestCase()
        : RdmaTestCase("progress: share of the work")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(ReplayWork::GetCost({7, 5, 8000}, 100), 7 + 2 * 5 + 80, "packets");
        NS_TEST_EXPECT_MSG_EQ(ReplayWork::GetCost({7, 5, 8000}, 0), 7 + 2 * 5, "no packets");

        Reset();
        m_fabric->Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
        const auto workload = MakeJob();
        ReplayHelper helper(workload);
        helper.SetAttribute("Iterations", UintegerValue(2));
        const auto ranks = helper.Install(m_fabric->GetHosts(), m_fabric->GetTransports());
        const auto statistics = std::make_shared<ReplayStatistics>(workload);
        statistics->ConnectApplications(ranks);
        statistics->ConnectTransports(m_fabric->GetTransports());
        FabricDescription fabric;
        fabric.mtu = 500;
        fabric.maxTrain = 2;
        const ReplayWork work(ranks, m_fabric->GetTransports(), statistics, fabric);

        // In each of two iterations two ranks have two ops, receive two messages, and 1 MB in them.
        const double expected = 2 * 2 * (2 + 2 * 2 + 1000);
        const auto runUntil = [](Time time) {
            Simulator::Stop(time - Simulator::Now());
            Simulator::Run();
        };
        runUntil(MicroSeconds(500));
        NS_TEST_EXPECT_MSG_EQ(work.GetShare(), 0, "nothing has finished");
        runUntil(NanoSeconds(1000001));
        NS_TEST_EXPECT_MSG_EQ_TOL(work.GetShare(), 2 / expected, 1e-9, "both have computed");
        // The first message of 500000 bytes takes 126 packets of 324 ns: 40.8 us. After 30 us 92
        // packets have left, and all but those of the last 3 us or so are acknowledged.
        runUntil(MicroSeconds(1030));
        NS_TEST_EXPECT_MSG_EQ(statistics->GetRankMessages().count, 0, "no message has arrived");
        NS_TEST_EXPECT_MSG_GT(work.GetShare(), 2.0 * 65 * MTU / 1000 / expected, "under way");
        NS_TEST_EXPECT_MSG_LT(work.GetShare(), 2.0 * 92 * MTU / 1000 / expected, "under way");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(work.GetShare(), 1, "all is done");
    }

    /**
     * @return a job of two ranks that compute for 1 ms, then all-reduce 1 MB
     */
    static std::shared_ptr<const Workload> MakeJob()
    {
        ParallelLayout layout;
        layout.world = 2;
        auto workload = std::make_shared<Workload>("test", "test", layout);
        WorkloadProgramBuilder builder("test");
        WorkloadOp compute;
        compute.stream = builder.AddStream({"compute", true, Dimension::WORLD});
        compute.amount = 1000000000;
        const auto first = builder.AddOp(compute, "layer");
        WorkloadOp reduce;
        reduce.stream = builder.AddStream({"dp", false, Dimension::DP});
        reduce.kind = OpKind::COLLECTIVE;
        reduce.amount = 1000000;
        const auto second = builder.AddOp(reduce, "grad");
        builder.AddFinishEdge(first, second);
        const auto program = builder.Build();
        const auto all = workload->AddCommunicator({"dp0", Dimension::DP, {0, 1}});
        workload->SetRank(0, program, {all});
        workload->SetRank(1, program, {all});
        return workload;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A poll by the wall clock is made while the simulation runs, and leaves it as it is.
 */
class PollTestCase : public TestCase
{
  public:
    PollTestCase()
        : TestCase("progress: a poll by the wall clock")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t calls = 0;
        bool isOwnThread = true;
        const auto thread = std::this_thread::get_id();
        const uint64_t before = Simulator::GetEventCount();
        {
            const WallClockPoll poll(std::chrono::milliseconds(20), [&] {
                ++calls;
                isOwnThread = isOwnThread && std::this_thread::get_id() == thread;
            });
            Simulator::Schedule(Time(), &PollTestCase::Step, this, 99);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(poll.GetCalls(), calls, "calls are counted");
            NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount() - before,
                                  100 + calls,
                                  "each is an event");
        }
        // 100 steps of 2 ms or more; a busy machine makes fewer calls, or takes longer.
        NS_TEST_EXPECT_MSG_GT(calls, 0, "calls were made");
        NS_TEST_EXPECT_MSG_EQ(isOwnThread, true, "by the thread of the simulation");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), Seconds(99), "the last step is the end");

        bool isStopped = false;
        {
            const WallClockPoll poll(std::chrono::milliseconds(20), [&] {
                isStopped = true;
                Simulator::Stop();
            });
            Simulator::Schedule(Time(), &PollTestCase::Step, this, 5000);
            Simulator::Run();
        }
        NS_TEST_EXPECT_MSG_EQ(isStopped, true, "a poll can stop the simulation");
        NS_TEST_EXPECT_MSG_LT(Simulator::Now(), Seconds(5000), "before its end");
        Simulator::Destroy();
    }

    /**
     * Take 2 ms of real time.
     *
     * @param left steps left, one in each second
     */
    void Step(uint32_t left)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (left > 0)
        {
            Simulator::Schedule(Seconds(1), &PollTestCase::Step, this, left - 1);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The first signal is noted, the next one is the system's; what was ignored stays ignored.
 */
class InterruptTestCase : public TestCase
{
  public:
    InterruptTestCase()
        : TestCase("progress: interrupts")
    {
    }

  private:
    void DoRun() override
    {
        const auto oldInterrupt = std::signal(SIGINT, SIG_DFL);
        const auto oldTerminate = std::signal(SIGTERM, SIG_IGN);
        NS_TEST_EXPECT_MSG_EQ(Interrupt::HasCome(), false, "nothing has come");
        Interrupt::Listen();
        NS_TEST_EXPECT_MSG_EQ((std::signal(SIGTERM, SIG_IGN) == SIG_IGN), true, "still ignored");
        std::raise(SIGINT);
        NS_TEST_EXPECT_MSG_EQ(Interrupt::HasCome(), true, "noted");
        NS_TEST_EXPECT_MSG_EQ((std::signal(SIGINT, oldInterrupt) == SIG_DFL),
                              true,
                              "the next one ends the process");
        std::signal(SIGTERM, oldTerminate);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Progress and the end of long runs.
 */
class WorkloadReplayProgressTestSuite : public TestSuite
{
  public:
    WorkloadReplayProgressTestSuite()
        : TestSuite("workload-replay-progress", TestSuite::Type::UNIT)
    {
        AddTestCase(new ProgressTestCase);
        AddTestCase(new RunLogTestCase);
        AddTestCase(new MessageCountTestCase);
        AddTestCase(new WorkTestCase);
        AddTestCase(new PollTestCase);
        AddTestCase(new InterruptTestCase);
    }
};

/// The suite, found by test-runner.
WorkloadReplayProgressTestSuite g_workloadReplayProgressTestSuite;

} // namespace
