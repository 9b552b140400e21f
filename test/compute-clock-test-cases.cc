/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-time-test-cases.h"
#include "replay-test-job.h"
#include "server-test-tools.h"
#include "topology-test-graphs.h"

#include "ns3/double.h"
#include "ns3/replay-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// 1 Gb/s: a byte takes 8 ns, and an all-reduce between two ranks 8 ns a byte.
const DataRate GIGABIT("1Gbps");

/// Bytes whose all-reduce between two ranks, or whose message, takes 0.5 ms.
constexpr uint64_t HALF_MS = 62500;

/// Stream of collectives of TestProgram.
constexpr uint16_t DP = 1;

/// What the ranks of a job are like.
struct Setting
{
    double serverShare{0};              //!< attribute ServerShare
    double networkShare{0};             //!< attribute NetworkShare
    std::vector<uint32_t> servers{};    //!< by rank; empty = all in one
    uint32_t iterations{1};             //!< iterations
    double scale{1};                    //!< attribute ComputeScale
    Dimension dimension{Dimension::DP}; //!< dimension of the communicator
    uint32_t multiprocessors{0};        //!< attribute Multiprocessors
    bool isDescribed{false};            //!< each rank has a server, whose channels are known
};

/**
 * @param programs what each rank does
 * @param setting what the ranks are like
 * @return the job, which has run
 */
std::unique_ptr<ReplayTestJob>
RunJob(const std::vector<std::shared_ptr<const WorkloadProgram>>& programs, const Setting& setting)
{
    const auto world = static_cast<uint32_t>(programs.size());
    auto job = std::make_unique<ReplayTestJob>(world, setting.dimension);
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        job->SetProgram(rank, programs[rank]);
    }
    job->configure = [&setting, world](ReplayHelper& helper) {
        helper.SetAttribute("ServerShare", DoubleValue(setting.serverShare));
        helper.SetAttribute("NetworkShare", DoubleValue(setting.networkShare));
        helper.SetAttribute("Multiprocessors", UintegerValue(setting.multiprocessors));
        helper.SetAttribute("ComputeScale", DoubleValue(setting.scale));
        if (!setting.servers.empty())
        {
            helper.SetServers(setting.servers);
        }
        if (setting.isDescribed)
        {
            helper.SetServerChannels(DescribeServer(REPORTED_SERVER, 8));
            helper.SetServers(BuildTestTopology("single-switch", world, 1));
        }
    };
    job->Run(GIGABIT, Time(0), nullptr, setting.iterations);
    return job;
}

/**
 * @ingroup workload-replay-tests
 * @brief Computations of 1 ms beside 0.5 ms of communication.
 */
class SlowedComputeTestCase : public TestCase
{
  public:
    SlowedComputeTestCase()
        : TestCase("computations are slower beside communication")
    {
    }

  private:
    void DoRun() override
    {
        const Time slowed = MicroSeconds(1100);
        const Time alone = MilliSeconds(1);
        CheckCollective({0.2, 0}, slowed, "0.5 ms at 0.8 leave 0.6 ms to do");
        CheckCollective({0.2, 0.9}, slowed, "all in one server");
        CheckCollective({0.9, 0.2, {0, 1}}, slowed, "two servers");
        CheckCollective({0, 0.2}, alone, "a share of the network in a server");
        CheckCollective({0.2, 0, {0, 1}}, alone, "a share of the server between two");
        CheckCollective({}, alone, "no share");
        CheckCollective({0.5, 0}, MicroSeconds(1250), "0.5 ms at 0.5 leave 0.75 ms");
        CheckCollective({0.2, 0, {}, 3}, slowed, "three iterations");
        CheckCollective({0.2, 0, {}, 1, 2}, MicroSeconds(2100), "2 ms of work");
        CheckMessage({0.2, 0.9});
        CheckMessage({0.9, 0.2, {0, 1}});
        CheckHost();
        CheckCopy();
    }

    /**
     * Compute beside an all-reduce that starts at once, and beside one that starts later.
     *
     * @param setting what the ranks are like
     * @param end when the computation is to end
     * @param what what it is about
     */
    void CheckCollective(const Setting& setting, Time end, const std::string& what)
    {
        const auto all = NanoSeconds(end.GetNanoSeconds() * setting.iterations);
        for (const auto& gap : {MicroSeconds(0), MicroSeconds(250), NanoSeconds(123457)})
        {
            TestProgram program;
            program.Compute("work", MilliSeconds(1));
            program.Compute("gap", gap, DP);
            program.Collective("reduce", CollectiveKind::ALL_REDUCE, HALF_MS);
            const auto built = program.Build();
            const auto job = RunJob({built, built}, setting);
            NS_TEST_EXPECT_MSG_EQ(job->GetOp(0, "work").end, end, what << ", after " << gap);
            NS_TEST_EXPECT_MSG_EQ(job->GetOp(1, "work").end, end, what << ", the other rank");
            NS_TEST_EXPECT_MSG_EQ(job->iterations.back().end, all, what << ": all iterations");
            NS_TEST_EXPECT_MSG_EQ(job->iterations.front().compute, end, what << ": the account");
        }
    }

    /**
     * A message occupies its sender and, from when it posts the receive, its receiver.
     *
     * @param setting what the ranks are like; the share that counts is 0.2
     */
    void CheckMessage(const Setting& setting)
    {
        TestProgram sender;
        sender.Compute("work", MilliSeconds(1));
        const auto wait = sender.Compute("wait", MicroSeconds(250), DP);
        sender.builder.AddFinishEdge(wait, sender.Send("send", 1, HALF_MS));
        TestProgram receiver;
        receiver.Compute("work", MilliSeconds(1));
        receiver.Receive("receive", 0, HALF_MS);
        const auto job = RunJob({sender.Build(), receiver.Build()}, setting);
        NS_TEST_EXPECT_MSG_EQ(job->GetOp(0, "work").end, MicroSeconds(1100), "it sends 0.5 ms");
        NS_TEST_EXPECT_MSG_EQ(job->GetOp(1, "receive").end, MicroSeconds(750), "a wait of 0.25 ms");
        NS_TEST_EXPECT_MSG_EQ(job->GetOp(1, "work").end, MicroSeconds(1150), "0.75 ms at 0.8");
    }

    /// Work of the host is not the accelerator's.
    void CheckHost()
    {
        TestProgram program;
        program.builder.AddStream({"host", false, Dimension::DP, StreamOrder::IN_ORDER, true});
        program.Compute("work", MilliSeconds(1), 4);
        program.Collective("reduce", CollectiveKind::ALL_REDUCE, HALF_MS);
        const auto built = program.Build();
        const auto job = RunJob({built, built}, {0.2, 0});
        NS_TEST_EXPECT_MSG_EQ(job->GetOp(0, "work").end, MilliSeconds(1), "not slowed");
    }

    /// Copy engines shift what tensor parallel ranks of a server work on, kernels all else.
    void CheckCopy()
    {
        const auto check = [this](Setting setting, Dimension dimension, Time end) {
            setting.dimension = dimension;
            TestProgram program;
            program.Compute("work", MilliSeconds(1));
            program.Collective("shift", CollectiveKind::SHIFT, HALF_MS);
            const auto built = program.Build();
            const auto job = RunJob({built, built}, setting);
            NS_TEST_EXPECT_MSG_EQ(job->GetOp(0, "work").end, end, ToString(dimension));
            NS_TEST_EXPECT_MSG_EQ(job->GetOp(0, "shift").end, MicroSeconds(500), "as long");
        };
        check({0.2, 0.9}, Dimension::TP, MilliSeconds(1));
        check({0.2, 0.9}, Dimension::CP, MicroSeconds(1100));
        check({0.9, 0.2, {0, 1}}, Dimension::TP, MicroSeconds(1100));
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Of communication within a server and beyond it at once the larger share counts, whichever
 *        starts first and ends first.
 */
class TwoSharesTestCase : public TestCase
{
  public:
    TwoSharesTestCase()
        : TestCase("the larger of two shares counts")
    {
    }

  private:
    void DoRun() override
    {
        // Ranks 0 and 1 share a server. Rank 0 awaits a message of rank 1 for 0.4 ms, and rank 2,
        // in another server, joins the all-reduce after 0.1 ms.
        Check(MicroSeconds(400), MicroSeconds(100), 0.2, 0.5);
        Check(MicroSeconds(400), MicroSeconds(100), 0.5, 0.2);
        Check(MicroSeconds(100), MicroSeconds(400), 0.2, 0.5);
        Check(MicroSeconds(100), MicroSeconds(400), 0.5, 0.2);
    }

    /**
     * @param sent when rank 1 sends its message
     * @param joined when rank 2 joins the all-reduce
     * @param server attribute ServerShare
     * @param network attribute NetworkShare
     */
    void Check(Time sent, Time joined, double server, double network)
    {
        TestProgram first;
        first.Compute("work", MilliSeconds(1));
        first.Receive("receive", 1, 1000);
        first.Collective("reduce", CollectiveKind::ALL_REDUCE, 3000);
        TestProgram second;
        const auto wait = second.Compute("wait", sent);
        second.builder.AddFinishEdge(wait, second.Send("send", 0, 1000));
        second.Collective("reduce", CollectiveKind::ALL_REDUCE, 3000);
        TestProgram third;
        third.Compute("wait", joined, DP);
        third.Collective("reduce", CollectiveKind::ALL_REDUCE, 3000);
        const auto job =
            RunJob({first.Build(), second.Build(), third.Build()}, {server, network, {0, 0, 1}});
        const Time received = job->GetOp(0, "receive").end;
        const Time reduced = job->GetOp(0, "reduce").end;
        NS_TEST_ASSERT_MSG_EQ((received > sent && reduced > joined), true, "both have run");
        // Both start at 0; the one that lasts longer has the computation for itself in the end.
        const Time both = std::min(received, reduced);
        const Time one = std::max(received, reduced) - both;
        const double last = received > reduced ? server : network;
        const double lost =
            std::max(server, network) * both.ToDouble(Time::NS) + last * one.ToDouble(Time::NS);
        NS_TEST_EXPECT_MSG_EQ_TOL(job->GetOp(0, "work").end.ToDouble(Time::NS),
                                  1e6 + lost,
                                  1,
                                  "work of 1 ms and what was lost, whole ns");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Kernels take the multiprocessors that they occupy, all of them together.
 */
class OccupiedTestCase : public TestCase
{
  public:
    OccupiedTestCase()
        : TestCase("kernels take the multiprocessors that they occupy")
    {
    }

  private:
    void DoRun() override
    {
        Setting setting;
        setting.serverShare = 0.9;
        setting.multiprocessors = 100;
        CheckCollective(setting, 20, MicroSeconds(1100), "0.5 ms with 80 of 100 left");
        CheckCollective(setting, 200, MicroSeconds(1495), "0.5 ms with one left");
        setting.serverShare = 0.2;
        CheckCollective(setting, 0, MicroSeconds(1100), "their share, as nobody knows how many");
        setting.multiprocessors = 0;
        CheckCollective(setting, 90, MicroSeconds(1100), "the accelerator has no number");
        CheckTwo();
        CheckMessage();
    }

    /**
     * @param occupied multiprocessors that the kernels occupy; 0 = those of NCCL
     * @param stream stream of the collective
     * @param [in,out] program receives an all-reduce
     */
    static void AddCollective(uint16_t occupied, uint16_t stream, TestProgram& program)
    {
        WorkloadOp op;
        op.kind = OpKind::COLLECTIVE;
        op.amount = HALF_MS;
        op.stream = stream;
        op.multiprocessors = occupied;
        program.builder.AddOp(op, "reduce" + std::to_string(stream));
    }

    /**
     * Compute 1 ms beside an all-reduce.
     *
     * @param setting what the ranks are like
     * @param occupied multiprocessors that its kernels occupy; 0 = those of NCCL
     * @param end when the computation is to end
     * @param what what it is about
     */
    void CheckCollective(const Setting& setting,
                         uint16_t occupied,
                         Time end,
                         const std::string& what)
    {
        TestProgram program;
        program.Compute("work", MilliSeconds(1));
        AddCollective(occupied, DP, program);
        const auto built = program.Build();
        const auto job = RunJob({built, built}, setting);
        NS_TEST_EXPECT_MSG_EQ(job->GetOp(0, "work").end, end, what);
        NS_TEST_EXPECT_MSG_EQ(job->GetOp(1, "work").end, end, what << ", the other rank");
    }

    /// Two all-reduces at once, of which one has a fifth and the other a tenth.
    void CheckTwo()
    {
        TestProgram program;
        program.Compute("work", MilliSeconds(2));
        AddCollective(20, DP, program);
        AddCollective(10, 2, program);
        const auto built = program.Build();
        Setting setting;
        setting.multiprocessors = 100;
        const auto job = RunJob({built, built}, setting);
        const auto first = job->GetOp(0, "reduce1").end.ToDouble(Time::NS);
        const auto second = job->GetOp(0, "reduce2").end.ToDouble(Time::NS);
        NS_TEST_EXPECT_MSG_EQ_TOL(job->GetOp(0, "work").end.ToDouble(Time::NS),
                                  2e6 + 0.2 * first + 0.1 * second,
                                  1,
                                  "2 ms and what both take, whole ns");
    }

    /// NCCL spreads a message to another server over two channels (NCHANNELS_PER_NET_PEER).
    void CheckMessage()
    {
        TestProgram sender;
        sender.Compute("work", MilliSeconds(1));
        sender.Send("send", 1, HALF_MS);
        TestProgram receiver;
        receiver.Compute("work", MilliSeconds(1));
        receiver.Receive("receive", 0, HALF_MS);
        Setting setting{0, 0.9};
        setting.multiprocessors = 10;
        setting.isDescribed = true;
        const auto job = RunJob({sender.Build(), receiver.Build()}, setting);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            const auto message = job->GetOp(rank, rank == 0 ? "send" : "receive").end;
            // Its channels write it before it goes, at 19.35 GB/s each.
            NS_TEST_EXPECT_MSG_EQ(message, NanoSeconds(500000 + 1615), "0.5 ms, written before");
            NS_TEST_EXPECT_MSG_EQ_TOL(job->GetOp(rank, "work").end.ToDouble(Time::NS),
                                      1e6 + 0.2 * message.ToDouble(Time::NS),
                                      1,
                                      "two of ten, rank " << rank);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Nothing is lost to rounding, neither by many computations nor by many changes of the rate.
 */
class SlowedExactlyTestCase : public TestCase
{
  public:
    SlowedExactlyTestCase()
        : TestCase("slowed computations lose no picosecond")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram small;
        for (uint32_t i = 0; i < 19999; ++i)
        {
            small.Compute("op", NanoSeconds(1));
        }
        small.Compute("last", NanoSeconds(1));
        small.Collective("reduce", CollectiveKind::ALL_REDUCE, HALF_MS);
        const auto ops = small.Build();
        const auto many = RunJob({ops, ops}, {0.123456789, 0});
        NS_TEST_EXPECT_MSG_EQ(many->GetOp(0, "last").end,
                              NanoSeconds(22816),
                              "20,000 ops of 1 / 0.876543211 ns, 22,816.9 ns");

        // 100 all-reduces of 2 bytes, 16 ns each, with 7 ns between: 1.6 us at 0.7.
        TestProgram changing;
        changing.Compute("work", MicroSeconds(100));
        for (uint32_t i = 0; i < 100; ++i)
        {
            changing.Compute("gap", NanoSeconds(7), DP);
            changing.Collective("reduce", CollectiveKind::ALL_REDUCE, 2);
        }
        const auto changes = changing.Build();
        const auto often = RunJob({changes, changes}, {0.3, 0});
        NS_TEST_EXPECT_MSG_EQ(often->collectives.back().end,
                              NanoSeconds(2300),
                              "100 x (7 + 16) ns");
        NS_TEST_EXPECT_MSG_EQ(often->GetOp(0, "work").end, NanoSeconds(100480), "100 us + 0.48 us");
    }
};

} // namespace

std::vector<TestCase*>
MakeComputeClockTestCases()
{
    return {new SlowedComputeTestCase,
            new TwoSharesTestCase,
            new OccupiedTestCase,
            new SlowedExactlyTestCase};
}

} // namespace ns3
