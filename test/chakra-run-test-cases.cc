/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-cases.h"
#include "replay-test-job.h"

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Writes traces.
using Trace = ChakraTestTrace;

/// What the jobs below run on: a byte takes a nanosecond, and a path two microseconds.
const DataRate RATE("8Gbps");
const Time DELAY = MicroSeconds(2); //!< delay of every path

/**
 * @ingroup workload-replay-tests
 * @brief Computations run one at a time in the order in which they can, not in that of the file.
 */
class ChakraReadyOrderTestCase : public ChakraTestCase
{
  public:
    ChakraReadyOrderTestCase()
        : ChakraTestCase("computations run as they get ready")
    {
    }

  private:
    void DoRun() override;
};

void
ChakraReadyOrderTestCase::DoRun()
{
    // Rank 0 waits for a message with "late", which stands before "early" and "next". Both receives
    // and the send of rank 1 start at once.
    Trace first;
    first.Node(0, Trace::RECV, "get").With("comm_src", 1).With("comm_size", 10000);
    first.Node(1, Trace::COMP, "late", {0}).Lasts(4);
    first.Node(2, Trace::COMP, "early").Lasts(5);
    first.Node(3, Trace::COMP, "next").Lasts(3);
    first.Node(4, Trace::RECV, "other")
        .With("comm_src", 1)
        .With("comm_size", 5000)
        .With("comm_tag", 7);
    Trace second;
    second.Node(9, Trace::COMP, "before").Lasts(1);
    second.Node(8, Trace::SEND, "put", {9}).With("comm_dst", 0).With("comm_size", 10000);
    second.Node(7, Trace::SEND, "tagged", {9})
        .With("comm_dst", 0)
        .With("comm_size", 5000)
        .With("comm_tag", 7);
    ReplayTestJob job(Read({first, second}));
    job.Run(RATE, DELAY);
    NS_TEST_ASSERT_MSG_EQ(job.waits.empty() && job.faults.empty(), true, "it finishes");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "early").end, MicroSeconds(5), "the first that can");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "next").end, MicroSeconds(8), "the second that can");
    // Messages of a connection go one after another, in the order in which their sends start.
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "get").end, MicroSeconds(1 + 10 + 2), "the first message");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "other").end, MicroSeconds(1 + 15 + 2), "the second one");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "late").end, MicroSeconds(13 + 4), "what waits for it");
}

/**
 * @ingroup workload-replay-tests
 * @brief Kernels of a recorded trace run in the order of their streams, and collectives transfer
 *        for as long as the network takes, whatever was recorded.
 */
class ChakraStreamTestCase : public ChakraTestCase
{
  public:
    ChakraStreamTestCase()
        : ChakraTestCase("streams of PyTorch")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param micros how long the kernel before the collective takes
     * @return a trace
     */
    static Trace MakeTrace(uint64_t micros);
};

ChakraTestTrace
ChakraStreamTestCase::MakeTrace(uint64_t micros)
{
    Trace trace("1.1.1-chakra.0.0.4", true);
    const auto host = [&trace](uint64_t id, const std::string& name, uint64_t before) {
        trace.Node(id, Trace::COMP, name, {before}).Control({id}).Lasts(1);
        trace.With("is_cpu_op", 1, 27).With("tid", 1);
    };
    const auto device = [&trace](uint64_t id, Trace::Type type, const std::string& name) {
        trace.Node(id, type, name, {id - 1}).With("is_cpu_op", 0, 27).With("stream", 7);
        // The number of a stream that the metadata would have to list, which they do not.
        trace.With("wl_stream", 5);
    };
    // Kernels stand in the reverse order of their launches, and nothing depends on them.
    device(6, Trace::COLL, "reduce");
    trace.Lasts(141958).With("comm_type", int64_t{0}).With("comm_size", 10000).With("pg_name", "1");
    device(4, Trace::COMP, "kernel");
    trace.Lasts(micros);
    host(3, "launch kernel", 99);
    host(5, "launch reduce", 3);
    host(7, "cudaDeviceSynchronize", 5);
    host(8, "after", 7);
    return trace;
}

void
ChakraStreamTestCase::DoRun()
{
    ReplayTestJob job(Read({MakeTrace(10), MakeTrace(100)}));
    job.Run(RATE, DELAY);
    NS_TEST_ASSERT_MSG_EQ(job.waits.empty() && job.faults.empty(), true, "it finishes");
    // The kernel starts when its launch is over, and the collective after it.
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "kernel").start, MicroSeconds(1), "the kernel starts");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "reduce").start, MicroSeconds(11), "on the fast rank");
    NS_TEST_EXPECT_MSG_EQ(job.GetOp(1, "reduce").start, MicroSeconds(101), "on the slow rank");
    // A ring of two ranks, of which the fast one has sent its first half long before. So the slow
    // one sends both halves at once, and the fast one its second half when it has had the first.
    const Time ends[]{MicroSeconds(101 + 5 + 5) + DELAY,
                      MicroSeconds(101) + 2 * (MicroSeconds(5) + DELAY)};
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(rank, "reduce").end, ends[rank], "transfer");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(rank, "cudaDeviceSynchronize").end,
                              ends[rank],
                              "the host waits");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(rank, "after").end,
                              ends[rank] + MicroSeconds(1),
                              "and goes on");
        // The host's 1 us before and after its kernel is none of communication.
        const auto& record = job.iterations.at(rank);
        NS_TEST_EXPECT_MSG_EQ(record.compute, MicroSeconds(record.rank == 0 ? 10 : 100), "compute");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief A graph whose ranks wait for each other ends with nodes by name and id.
 */
class ChakraDeadlockTestCase : public ChakraTestCase
{
  public:
    ChakraDeadlockTestCase()
        : ChakraTestCase("a deadlock names nodes")
    {
    }

  private:
    void DoRun() override;
};

void
ChakraDeadlockTestCase::DoRun()
{
    std::vector<Trace> traces;
    for (int64_t peer : {1, 0})
    {
        Trace trace;
        trace.Node(40, Trace::RECV, "get").With("comm_src", peer).With("comm_size", 10);
        trace.Node(41, Trace::SEND, "put", {40}).With("comm_dst", peer).With("comm_size", 10);
        traces.push_back(trace);
    }
    ReplayTestJob job(Read(traces));
    job.Run(RATE, DELAY);
    NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 3, "two ranks and the cycle");
    NS_TEST_EXPECT_MSG_EQ(CutFolders(job.waits[0]),
                          "t.0.et, node 40: rank 0 waits in get (receive of 10 bytes) for rank 1",
                          "the first rank");
    NS_TEST_EXPECT_MSG_EQ(job.waits[2], "ranks that wait for each other: 0 -> 1 -> 0", "the cycle");
}

/**
 * @ingroup workload-replay-tests
 * @brief Ring all-reduce made of sends and receives takes as long as the built-in one.
 */
class ChakraCustomRingTestCase : public ChakraTestCase
{
  public:
    ChakraCustomRingTestCase()
        : ChakraTestCase("a ring of sends and receives")
    {
    }

  private:
    void DoRun() override;
};

void
ChakraCustomRingTestCase::DoRun()
{
    constexpr uint32_t ranks = 4;
    std::vector<Trace> custom(ranks);
    std::vector<Trace> builtIn(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (uint32_t step = 0; step < 2 * (ranks - 1); ++step)
        {
            const auto before =
                step > 0 ? std::vector<uint64_t>{2 * step - 1} : std::vector<uint64_t>{};
            custom[rank].Node(2 * step, Trace::SEND, "s" + std::to_string(step), before);
            custom[rank].With("comm_dst", (rank + 1) % ranks).With("comm_size", 1000);
            custom[rank].Node(2 * step + 1, Trace::RECV, "r" + std::to_string(step), before);
            custom[rank].With("comm_src", (rank + ranks - 1) % ranks).With("comm_size", 1000);
        }
        builtIn[rank]
            .Node(0, Trace::COLL, "c")
            .With("comm_type", int64_t{0})
            .With("comm_size", 4000);
    }
    const Time expected = 6 * (MicroSeconds(1) + DELAY);
    for (const auto& traces : {custom, builtIn})
    {
        ReplayTestJob job(Read(traces));
        job.Run(RATE, DELAY);
        NS_TEST_EXPECT_MSG_EQ(job.iterations.size(), ranks, "all ranks finish");
        NS_TEST_EXPECT_MSG_EQ(job.iterations.back().end, expected, "six steps of a kilobyte");
    }
}

} // namespace

std::vector<TestCase*>
MakeChakraRunTestCases()
{
    return {new ChakraReadyOrderTestCase,
            new ChakraStreamTestCase,
            new ChakraDeadlockTestCase,
            new ChakraCustomRingTestCase};
}

} // namespace ns3
