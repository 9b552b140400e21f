/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-flow-test-cases.h"

#include "replay-test-job.h"
#include "server-test-tools.h"
#include "topology-test-graphs.h"

#include "ns3/chain-collective.h"
#include "ns3/collective-costs.h"
#include "ns3/collective-selection.h"
#include "ns3/config.h"
#include "ns3/direct-collective.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Rate of the ports: a byte takes 1 ns.
const DataRate BYTE_PER_NS("8Gbps");

/// Delay of all paths.
const Time DELAY = MicroSeconds(1);

/// Bytes of a connection's slots: 8 of 512 KiB, and 8 of 128 KiB in an exchange.
/// @{
constexpr uint32_t BUFFER = 8 * 524288;
constexpr uint32_t EXCHANGE_BUFFER = 8 * 131072;

/// @}

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases in which rank 0 is the root and rank 1 comes late.
 */
class LateMemberTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @param begun when rank 1 begins
     * @param kind a collective with a root
     * @param sizes bytes of the collectives, one after another
     * @return the job
     */
    static ReplayTestJob RunPair(Time begun,
                                 CollectiveKind kind,
                                 const std::vector<uint64_t>& sizes)
    {
        ReplayTestJob job(2, Dimension::DP);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            TestProgram program;
            if (rank == 1)
            {
                const auto late = program.Compute("late", begun);
                const auto first = Call(program, kind, sizes);
                program.builder.AddFinishEdge(late, first);
            }
            else
            {
                Call(program, kind, sizes);
            }
            job.SetProgram(rank, program.Build());
        }
        job.Run(BYTE_PER_NS, DELAY, MakeAlgorithms());
        return job;
    }

    /**
     * @return algorithms that send all that goes to a member as one message
     */
    static Ptr<CollectiveSelection> MakeAlgorithms()
    {
        auto chain = CreateObject<ChainCollective>();
        chain->SetAttribute("ChunkBytes", UintegerValue(0));
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(chain);
        algorithms->Add(CreateObject<DirectCollective>());
        return algorithms;
    }

  private:
    /**
     * @param program program to add collectives c0, c1, ... to
     * @param kind their kind
     * @param sizes their bytes
     * @return the first of them
     */
    static TestProgram::OpIndex Call(TestProgram& program,
                                     CollectiveKind kind,
                                     const std::vector<uint64_t>& sizes)
    {
        const auto first = program.Collective("c0", kind, sizes.front());
        for (std::size_t i = 1; i < sizes.size(); ++i)
        {
            program.Collective("c" + std::to_string(i), kind, sizes[i]);
        }
        return first;
    }

    void DoTeardown() override
    {
        Config::Reset();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What there are no slots for waits until the receiver has begun.
 */
class LateReceiverTestCase : public LateMemberTestCase
{
  public:
    LateReceiverTestCase()
        : LateMemberTestCase("collectives: the root waits for a late receiver")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 10000000;
        const Time begun = MilliSeconds(20);
        const auto broadcast = CollectiveKind::BROADCAST;
        // The announcement takes the delay, then goes what had no room.
        Check(broadcast, bytes, begun, begun + DELAY + NanoSeconds(bytes - BUFFER));
        Check(broadcast, BUFFER, begun, NanoSeconds(BUFFER));
        Check(broadcast, BUFFER + 1, begun, begun + DELAY + NanoSeconds(1));
        // Begun while the first slots are sent, or before: nothing stops.
        Check(broadcast, bytes, MilliSeconds(4), NanoSeconds(bytes));
        Check(broadcast, bytes, Time(0), NanoSeconds(bytes));
        // A scatter keeps half of it.
        const auto half = bytes / 2;
        const auto scatter = CollectiveKind::SCATTER;
        Check(scatter, bytes, begun, begun + DELAY + NanoSeconds(half - EXCHANGE_BUFFER));
        Config::SetDefault("ns3::CollectiveFlow::Slots", UintegerValue(0));
        Check(broadcast, bytes, begun, NanoSeconds(bytes));
    }

    /**
     * @param kind a collective with a root
     * @param bytes its bytes
     * @param begun when the receiver begins
     * @param sent when the root is to have sent all
     */
    void Check(CollectiveKind kind, uint64_t bytes, Time begun, Time sent)
    {
        const auto job = RunPair(begun, kind, {bytes});
        const auto what = ToString(kind) + " of " + std::to_string(bytes);
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "the parts make up the message");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "c0").end, sent, what << " sent");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "c0").end, std::max(sent + DELAY, begun), what);
        NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[1], job.expectedBytes[1], "all of them");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Collectives of a communicator share the slots of its connections.
 */
class SharedSlotsTestCase : public LateMemberTestCase
{
  public:
    SharedSlotsTestCase()
        : LateMemberTestCase("collectives: those that follow share the slots")
    {
    }

  private:
    void DoRun() override
    {
        const Time begun = MilliSeconds(50);
        const std::vector<uint64_t> sizes = {1000, 3000000, 2000000};
        const auto job = RunPair(begun, CollectiveKind::BROADCAST, sizes);
        // One slot, then six; of the third only what goes into the last one.
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "c0").end, NanoSeconds(1000), "the first");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "c1").end, NanoSeconds(3001000), "the second");
        // The receiver has the first two, begins the third at once and says so.
        const Time sent = begun + DELAY + NanoSeconds(2000000 - 524288);
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "c2").end, sent, "the third");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "c1").end, begun, "it was there");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "c2").end, sent + DELAY, "the rest");
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "nothing is left");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A receiver that begins a collective empties its slots for the next one.
 */
class EmptiedSlotsTestCase : public LateMemberTestCase
{
  public:
    EmptiedSlotsTestCase()
        : LateMemberTestCase("collectives: a receiver that begins gives slots back")
    {
    }

  private:
    void DoRun() override
    {
        const Time begun = MilliSeconds(20);
        ReplayTestJob job(2, Dimension::DP);
        TestProgram root;
        root.Collective("c0", CollectiveKind::BROADCAST, BUFFER);
        root.Collective("c1", CollectiveKind::BROADCAST, BUFFER);
        job.SetProgram(0, root.Build());
        TestProgram other;
        const auto late = other.Compute("late", begun);
        const auto busy = other.Compute("busy", begun);
        const auto first = other.Collective("c0", CollectiveKind::BROADCAST, BUFFER);
        const auto second = other.Collective("c1", CollectiveKind::BROADCAST, BUFFER);
        other.builder.AddFinishEdge(late, first);
        other.builder.AddFinishEdge(busy, second);
        job.SetProgram(1, other.Build());
        job.Run(BYTE_PER_NS, DELAY, MakeAlgorithms());
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "c0").end, NanoSeconds(BUFFER), "into the slots");
        // The receiver computes until 40 ms: the second broadcast goes into the slots, too.
        const Time sent = begun + DELAY + NanoSeconds(BUFFER);
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "c1").end, sent, "into the slots again");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "c1").end, 2 * begun, "it was there");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A member that never begins is told of.
 */
class AbsentReceiverTestCase : public LateMemberTestCase
{
  public:
    AbsentReceiverTestCase()
        : LateMemberTestCase("collectives: a receiver that never begins")
    {
    }

  private:
    void DoRun() override
    {
        ReplayTestJob job(2, Dimension::DP);
        TestProgram root;
        root.Collective("c", CollectiveKind::BROADCAST, BUFFER + 1);
        job.SetProgram(0, root.Build());
        TestProgram other;
        other.Compute("late", MicroSeconds(1));
        job.SetProgram(1, other.Build());
        job.Run(BYTE_PER_NS, DELAY, MakeAlgorithms());
        NS_TEST_ASSERT_MSG_EQ(job.waits.empty(), false, "the root waits");
        const auto& wait = job.waits.front();
        NS_TEST_EXPECT_MSG_EQ((wait.find("broadcast of 4194305 bytes") != std::string::npos),
                              true,
                              wait);
        NS_TEST_EXPECT_MSG_EQ((wait.find("rank 1") != std::string::npos), true, wait);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The first part of a message tells what its sender believes.
 */
class ContradictoryPartTestCase : public LateMemberTestCase
{
  public:
    ContradictoryPartTestCase()
        : LateMemberTestCase("collectives: a part of a message contradicts")
    {
    }

  private:
    void DoRun() override
    {
        ReplayTestJob job(2, Dimension::DP);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            TestProgram program;
            program.Collective("c", CollectiveKind::BROADCAST, rank == 0 ? 2 * BUFFER : BUFFER);
            job.SetProgram(rank, program.Build());
        }
        job.Run(BYTE_PER_NS, DELAY, MakeAlgorithms());
        NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 1, "they contradict each other");
        const auto& fault = job.faults.front();
        NS_TEST_EXPECT_MSG_EQ((fault.find("broadcast of 8388608 bytes") != std::string::npos),
                              true,
                              fault);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A kernel writes a message before it goes, at 38.7 GB/s. Of two pieces of a broadcast the
 *        second one, a byte shorter, is written a nanosecond sooner where that byte makes one full,
 *        as in one of any 39 lengths: it goes after the first one all the same.
 */
class PieceOrderTestCase : public TestCase
{
  public:
    PieceOrderTestCase()
        : TestCase("collectives: pieces go in their order, however fast they are written")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t piece = 10000; piece < 10039; ++piece)
        {
            Check(piece);
        }
    }

    /**
     * @param piece bytes of the first piece
     */
    void Check(uint64_t piece)
    {
        auto chain = CreateObject<ChainCollective>();
        chain->SetAttribute("Channels", UintegerValue(1));
        chain->SetAttribute("ChunkBytes", UintegerValue(piece));
        chain->SetAttribute("PipelineDepth", UintegerValue(1));
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(chain);
        algorithms->SetCosts(CreateObject<CollectiveCosts>());
        algorithms->Choose(CollectiveKind::BROADCAST,
                           std::nullopt,
                           "chain",
                           CollectiveProtocol::SIMPLE);
        TestProgram program;
        program.Collective("c", CollectiveKind::BROADCAST, 2 * piece - 1);
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [](ReplayHelper& helper) {
            helper.SetServerChannels(DescribeServer(REPORTED_SERVER, 8));
            helper.SetServers(BuildTestTopology("single-switch", 2, 1));
        };
        job.Run(BYTE_PER_NS, DELAY, algorithms);
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "pieces of " << piece << " bytes");
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "pieces of " << piece << " bytes");
        NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[1], 2 * piece - 1, "all of them");
        // The base of a call and the latency of a message, tuning.cc; a byte takes 1 ns.
        const auto written = NanoSeconds(8400 + 14000 + 10 * piece / 387);
        NS_TEST_EXPECT_MSG_EQ_TOL(job.GetOp(1, "c").end,
                                  written + NanoSeconds(2 * piece - 1) + DELAY,
                                  NanoSeconds(2),
                                  "written, sent and under way");
    }
};

} // namespace

std::vector<TestCase*>
MakeCollectiveFlowTestCases()
{
    return {new LateReceiverTestCase,
            new SharedSlotsTestCase,
            new EmptiedSlotsTestCase,
            new AbsentReceiverTestCase,
            new ContradictoryPartTestCase,
            new PieceOrderTestCase};
}

} // namespace ns3
