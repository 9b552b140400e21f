/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-time-test-cases.h"

#include "replay-test-job.h"

#include "ns3/chain-collective.h"
#include "ns3/direct-collective.h"
#include "ns3/halving-doubling-collective.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Time of a byte, ns, at 1 Gb/s.
constexpr uint64_t BYTE = 8;

/// Delay of each path, ns.
constexpr uint64_t DELAY = 300;

/// Largest piece of pipelined collectives, bytes.
constexpr uint64_t PIECE = 1000;

/// Time of a piece that has the ports for itself, ns.
constexpr uint64_t T = PIECE * BYTE;

/**
 * @param size number of members, at least 1
 * @return the ceiling of its logarithm to base 2
 */
uint64_t
GetLogarithm(uint32_t size)
{
    uint64_t bits = 0;
    while ((uint64_t{1} << bits) < size)
    {
        ++bits;
    }
    return bits;
}

/**
 * @param size number of members of a binomial tree
 * @return number of members in the subtree of each child of the root, from the smallest one on
 */
std::vector<uint32_t>
GetSubtrees(uint32_t size)
{
    std::vector<uint32_t> subtrees;
    for (uint32_t first = 1; first < size; first *= 2)
    {
        subtrees.push_back(std::min(first, size - first));
    }
    return subtrees;
}

/**
 * A member sends to all its children at once, which share its port, and each of them goes on when
 * it has the piece.
 *
 * @param size number of members
 * @param hop delay of a path and latency of a step, ns
 * @return time of a broadcast of one piece by a binomial tree, ns
 */
uint64_t
GetBroadcastTime(uint32_t size, uint64_t hop)
{
    const auto subtrees = GetSubtrees(size);
    uint64_t below = 0;
    for (const auto subtree : subtrees)
    {
        below = std::max(below, GetBroadcastTime(subtree, hop));
    }
    return subtrees.empty() ? 0 : subtrees.size() * T + hop + below;
}

/**
 * A child sends when it has the pieces of all its children. The port of the parent is never idle
 * while there is something to receive, so if the children are ready at r_0 <= r_1 <= ... it has
 * received all when the latest of r_j + (pieces that are ready at r_j or later) T is over.
 *
 * @param size number of members
 * @param hop delay of a path and latency of a step, ns
 * @return time of a reduce of one piece by a binomial tree, ns
 */
uint64_t
GetReduceTime(uint32_t size, uint64_t hop)
{
    std::vector<uint64_t> ready;
    for (const auto subtree : GetSubtrees(size))
    {
        ready.push_back(GetReduceTime(subtree, hop));
    }
    std::sort(ready.begin(), ready.end());
    uint64_t end = 0;
    for (std::size_t j = 0; j < ready.size(); ++j)
    {
        end = std::max(end, ready[j] + (ready.size() - j) * T + hop);
    }
    return end;
}

/**
 * @ingroup workload-replay-tests
 * @brief Times on a port of 1 Gb/s for each member, against closed forms.
 *
 * S is the buffer, B the rate, D the delay of a path, a the latency of a step, N the number of
 * members and H the ceiling of its logarithm to base 2; P is the number of pieces and T the time of
 * one.
 */
class CollectiveTimeTestCase : public TestCase
{
  public:
    CollectiveTimeTestCase()
        : TestCase("time of tree, chain, halving-doubling, gather and scatter")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t a : {0, 5000})
        {
            for (uint32_t k = 1; k <= 5; ++k)
            {
                CheckPowerOfTwo(k, a);
            }
            for (uint32_t size = 2; size <= 33; ++size)
            {
                CheckBlocks(size, a);
                CheckOnePiece(size, a);
            }
        }
        for (uint32_t size = 2; size <= 33; ++size)
        {
            CheckPieces(size, 200, 1000);
        }
        CheckPieces(13, 1000, 5000);
        CheckServers();
    }

    /**
     * Trees are full and alike then, so that there are closed forms for buffers in one piece.
     *
     * @param k logarithm of the number of members
     * @param a latency of a step, ns
     */
    void CheckPowerOfTwo(uint32_t k, uint64_t a)
    {
        const uint32_t size = 1U << k;
        const uint64_t bytes = 1000 * size;
        const uint64_t hop = DELAY + a;
        auto tree = CreateObject<TreeCollective>();
        tree->SetAttribute("ChunkBytes", UintegerValue(0));
        // Up, halves of the buffer go over k edges; over all but the last one two share a port.
        // Down is the same. The two trees are in each other's way nowhere.
        Check(tree,
              CollectiveKind::ALL_REDUCE,
              bytes,
              size,
              a,
              (2 * k - 1) * bytes * BYTE + 2 * k * hop);
        // The root sends to k children at once, the largest subtree's to k - 1, and so on.
        Check(tree,
              CollectiveKind::BROADCAST,
              bytes,
              size,
              a,
              k * (k + 1) / 2 * bytes * BYTE + k * hop);
        // A smaller subtree has sent before a larger one is ready.
        Check(tree, CollectiveKind::REDUCE, bytes, size, a, k * (bytes * BYTE + hop));
    }

    /**
     * Check what moves blocks of the buffer, one for each member.
     *
     * @param size number of members
     * @param a latency of a step, ns
     */
    void CheckBlocks(uint32_t size, uint64_t a)
    {
        const uint64_t block = 7001;
        const uint64_t hop = DELAY + a;
        const uint64_t rounds = GetLogarithm(size);
        const uint64_t others = (size - 1) * block * BYTE;
        auto halving = CreateObject<HalvingDoublingCollective>();
        // (N - 1) / N S / B + H (D + a), and twice that.
        const uint64_t expected = others + rounds * hop;
        Check(halving, CollectiveKind::ALL_GATHER, block * size, size, a, expected);
        Check(halving, CollectiveKind::REDUCE_SCATTER, block * size, size, a, expected);
        Check(halving, CollectiveKind::ALL_REDUCE, block * size, size, a, 2 * expected);
        Check(halving, CollectiveKind::BARRIER, 0, size, a, rounds * hop);
        auto direct = CreateObject<DirectCollective>();
        // 8 exchanges at a time end together, and then the next ones begin.
        const uint64_t steps = (size + 6) / 8;
        Check(direct, CollectiveKind::ALL_TO_ALL, block * size, size, a, others + steps * hop);
        Check(direct, CollectiveKind::SHIFT, block, size, a, block * BYTE + hop);
        // All messages share the port and arrive together; the latency of a step delays what is
        // sent, and the root only receives.
        Check(direct, CollectiveKind::GATHER, block * size, size, a, others + hop);
        Check(direct, CollectiveKind::SCATTER, block * size, size, a, others + hop);
    }

    /**
     * Check buffers of one piece, of any number of members.
     *
     * @param size number of members
     * @param a latency of a step, ns
     */
    void CheckOnePiece(uint32_t size, uint64_t a)
    {
        const uint64_t hop = DELAY + a;
        auto tree = CreateObject<TreeCollective>();
        Check(tree, CollectiveKind::BROADCAST, PIECE, size, a, GetBroadcastTime(size, hop));
        Check(tree, CollectiveKind::REDUCE, PIECE, size, a, GetReduceTime(size, hop));
        auto chain = CreateObject<ChainCollective>();
        Check(chain, CollectiveKind::BROADCAST, PIECE, size, a, (size - 1) * (T + hop));
        Check(chain, CollectiveKind::REDUCE, PIECE, size, a, (size - 1) * (T + hop));
        // A byte for each tree is nearly all delay: H edges up and H down.
        const uint64_t edges = 2 * GetLogarithm(size);
        const auto time = Run(tree, CollectiveKind::ALL_REDUCE, 2, size, {}).GetNanoSeconds();
        const auto expected = static_cast<int64_t>(8 * a + (edges - 1) * hop + DELAY);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(time - expected, 0, "2 bytes on " << size);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(time - expected,
                                    static_cast<int64_t>(2 * edges * BYTE),
                                    "2 bytes on " << size);
    }

    /**
     * Check buffers of many pieces.
     *
     * @param size number of members
     * @param pieces number of pieces, P
     * @param a latency of a step, ns
     */
    void CheckPieces(uint32_t size, uint64_t pieces, uint64_t a)
    {
        const uint64_t hop = DELAY + a;
        const uint64_t bytes = pieces * PIECE;
        const uint64_t height = GetLogarithm(size);
        auto tree = MakePipelined<TreeCollective>();
        // A member within one tree receives each piece of that tree from two children and from its
        // parent, and a piece of the other tree as a leaf: 4 T, so P pieces of each tree take
        // 4 P T = 2 S / B. Of 3 members nobody has two children, of 2 nobody has both a child and
        // a parent.
        const uint64_t load = std::min<uint64_t>(size, 4);
        // To that comes the time in which the pipeline fills: the first pieces are alone on their
        // way, see CheckPowerOfTwo(), and the others follow 4 T apart. That is a little too much,
        // as ports near the leaves are busy before the first pieces are back.
        const uint64_t first = load < 4 ? 2 * height : 4 * height - 2;
        CheckWithinPercent(tree,
                           CollectiveKind::ALL_REDUCE,
                           2 * bytes,
                           size,
                           a,
                           (load * (pieces - 1) + first) * T + 2 * height * hop);
        // The root sends all pieces to its H children one after another; the last one goes its way
        // alone, as each other member has fewer children.
        CheckWithinPercent(tree,
                           CollectiveKind::BROADCAST,
                           bytes,
                           size,
                           a,
                           (pieces - 1) * height * T + GetBroadcastTime(size, hop));
        // The root is busy from the first piece on, as its first child is a leaf.
        CheckWithinPercent(tree, CollectiveKind::REDUCE, bytes, size, a, pieces * height * T + hop);
        // The last piece leaves the root after all others and goes over N - 1 edges.
        auto chain = MakePipelined<ChainCollective>();
        const uint64_t piped = (pieces - 1) * T + (size - 1) * (T + hop);
        CheckWithinPercent(chain, CollectiveKind::BROADCAST, bytes, size, a, piped);
        CheckWithinPercent(chain, CollectiveKind::REDUCE, bytes, size, a, piped);
    }

    /**
     * Check all-reduce by trees on 4 servers of 2 members: 4 channels, two trees on each rail. Each
     * member stands in the trees of its own rail and at the end of a chain in the other two.
     *
     * The first pieces go up the chain in 2 T, as both trees of a rail do it at the same time; up
     * two edges between servers in 2 T, with two children, and T; down from the root in 2 T, as it
     * serves its chain as well; from there in 3 T, to two servers and the chain; and down the last
     * chain in T: 11 T and 6 (D + a).
     *
     * Each port receives 8 T for a piece of each tree: of its own rail 2 T from the chain and 4 T
     * from the servers, as on 4 members alone, and 2 T at the end of its chain. That is 2 S / B.
     */
    void CheckServers()
    {
        const std::vector<uint32_t> servers{0, 0, 1, 1, 2, 2, 3, 3};
        auto tree = MakePipelined<TreeCollective>();
        const auto kind = CollectiveKind::ALL_REDUCE;
        NS_TEST_EXPECT_MSG_EQ(Run(tree, kind, 4 * PIECE, 8, servers),
                              NanoSeconds(11 * T + 6 * DELAY),
                              "one piece");
        const uint64_t pieces = 200;
        const auto time = Run(tree, kind, 4 * pieces * PIECE, 8, servers).GetNanoSeconds();
        const auto expected = static_cast<double>((8 * (pieces - 1) + 11) * T + 6 * DELAY);
        NS_TEST_EXPECT_MSG_EQ_TOL(time / expected, 1, 0.01, "many pieces");
    }

    /**
     * @return an algorithm that sends in pieces
     */
    template <class Algorithm>
    static Ptr<CollectiveAlgorithm> MakePipelined()
    {
        auto algorithm = CreateObject<Algorithm>();
        algorithm->SetAttribute("ChunkBytes", UintegerValue(PIECE));
        return algorithm;
    }

    /**
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param size number of members
     * @param servers the server of each member; empty = not known
     * @return when it ends
     */
    Time Run(Ptr<CollectiveAlgorithm> algorithm,
             CollectiveKind kind,
             uint64_t bytes,
             uint32_t size,
             const std::vector<uint32_t>& servers)
    {
        TestProgram program;
        program.Collective("c", kind, bytes);
        ReplayTestJob job(size, Dimension::DP);
        job.SetProgram(program.Build());
        if (!servers.empty())
        {
            job.configure = [&](ReplayHelper& helper) { helper.SetServers(servers); };
        }
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(algorithm);
        job.Run(DataRate("1Gbps"), NanoSeconds(DELAY), algorithms);
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, ToString(kind) << " on " << size << " hangs");
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, ToString(kind) << " on " << size);
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank], job.expectedBytes[rank], "as foretold");
        }
        NS_TEST_EXPECT_MSG_EQ(job.collectives.size(), size, "each member reports once");
        NS_TEST_EXPECT_MSG_EQ(job.collectives.at(0).algorithm, algorithm->GetName(), "as it ran");
        return std::max_element(job.ops.begin(),
                                job.ops.end(),
                                [](const auto& a, const auto& b) { return a.end < b.end; })
            ->end;
    }

    /**
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param size number of members
     * @param a latency of a step, ns; that of the launch is 7 times as long
     * @return when it ends after the launch, ns
     */
    int64_t RunWith(Ptr<CollectiveAlgorithm> algorithm,
                    CollectiveKind kind,
                    uint64_t bytes,
                    uint32_t size,
                    uint64_t a)
    {
        algorithm->SetAttribute("StepLatency", TimeValue(NanoSeconds(a)));
        algorithm->SetAttribute("LaunchLatency", TimeValue(NanoSeconds(7 * a)));
        return (Run(algorithm, kind, bytes, size, {}) - NanoSeconds(7 * a)).GetNanoSeconds();
    }

    /**
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param size number of members
     * @param a latency of a step, ns
     * @param expected when it should end after the launch, ns
     */
    void Check(Ptr<CollectiveAlgorithm> algorithm,
               CollectiveKind kind,
               uint64_t bytes,
               uint32_t size,
               uint64_t a,
               uint64_t expected)
    {
        // The end of a message is rounded up to a nanosecond where shares of the rate do not
        // divide.
        NS_TEST_EXPECT_MSG_EQ_TOL(RunWith(algorithm, kind, bytes, size, a),
                                  static_cast<int64_t>(expected),
                                  2,
                                  algorithm->GetName()
                                      << ", " << ToString(kind) << " on " << size << ", a = " << a);
    }

    /**
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param size number of members
     * @param a latency of a step, ns
     * @param expected when it should about end after the launch, ns
     */
    void CheckWithinPercent(Ptr<CollectiveAlgorithm> algorithm,
                            CollectiveKind kind,
                            uint64_t bytes,
                            uint32_t size,
                            uint64_t a,
                            uint64_t expected)
    {
        const auto time = static_cast<double>(RunWith(algorithm, kind, bytes, size, a));
        NS_TEST_EXPECT_MSG_EQ_TOL(time / static_cast<double>(expected),
                                  1,
                                  0.01,
                                  algorithm->GetName()
                                      << ", " << ToString(kind) << " on " << size << ", a = " << a);
    }
};

} // namespace

std::vector<TestCase*>
MakeCollectiveTimeTestCases()
{
    return {new CollectiveTimeTestCase};
}

} // namespace ns3
