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

namespace ns3
{

namespace
{

/// Time of a byte, ns, at 1 Gb/s.
constexpr uint64_t BYTE = 8;

/// Delay of each path, ns.
constexpr uint64_t DELAY = 300;

/**
 * @ingroup workload-replay-tests
 * @brief Times on a port of 1 Gb/s for each member, against closed forms.
 *
 * S is the buffer, B the rate, D the delay of a path and a the latency of a step.
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
            for (const uint32_t size : {2, 3, 5, 8})
            {
                CheckAnySize(size, a);
            }
        }
        CheckPipelinedTree();
        CheckChainInServers();
    }

    /**
     * @param k logarithm of the number of members
     * @param a latency of a step, ns
     */
    void CheckPowerOfTwo(uint32_t k, uint64_t a)
    {
        const uint32_t size = 1U << k;
        const uint64_t bytes = 1000 * size;
        const uint64_t hop = DELAY + a;
        auto halving = CreateObject<HalvingDoublingCollective>();
        // 2 (N - 1) / N S / B + 2 k (D + a).
        Check(halving,
              CollectiveKind::ALL_REDUCE,
              bytes,
              size,
              a,
              2 * (size - 1) * 1000 * BYTE + 2 * k * hop);
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
     * @param size number of members
     * @param a latency of a step, ns
     */
    void CheckAnySize(uint32_t size, uint64_t a)
    {
        const uint64_t block = 7001;
        const uint64_t hop = DELAY + a;
        uint32_t rounds = 0;
        while ((1U << rounds) < size)
        {
            ++rounds;
        }
        const uint64_t others = (size - 1) * block * BYTE;
        auto halving = CreateObject<HalvingDoublingCollective>();
        const uint64_t expected = others + rounds * hop;
        Check(halving, CollectiveKind::ALL_GATHER, block * size, size, a, expected);
        Check(halving, CollectiveKind::REDUCE_SCATTER, block * size, size, a, expected);
        Check(halving, CollectiveKind::BARRIER, 0, size, a, rounds * hop);
        auto direct = CreateObject<DirectCollective>();
        Check(direct, CollectiveKind::GATHER, block * size, size, a, others + hop);
        Check(direct, CollectiveKind::SCATTER, block * size, size, a, others + hop);

        // 12 pieces, the last of which ends after all others have left the root and N - 1 edges.
        auto chain = CreateObject<ChainCollective>();
        chain->SetAttribute("ChunkBytes", UintegerValue(1000));
        const uint64_t piped = (size - 1) * (1000 * BYTE + hop) + 11 * 1000 * BYTE;
        Check(chain, CollectiveKind::BROADCAST, 12000, size, a, piped);
        Check(chain, CollectiveKind::REDUCE, 12000, size, a, piped);
    }

    /**
     * With many pieces all-reduce by the double tree tends to 2 S / B: all ports are busy both ways.
     */
    void CheckPipelinedTree()
    {
        for (const uint32_t size : {4, 8, 13})
        {
            auto tree = CreateObject<TreeCollective>();
            tree->SetAttribute("ChunkBytes", UintegerValue(1000));
            const uint64_t bytes = 4000000;
            const auto time = Run(tree, CollectiveKind::ALL_REDUCE, bytes, size, {}).GetSeconds();
            NS_TEST_EXPECT_MSG_EQ_TOL(time / (2 * bytes * BYTE * 1e-9), 1, 0.01, size << " members");
        }
    }

    /**
     * On 4 servers of 2 members the tree of channel 0 is rooted at member 0 and that of channel 1 at
     * member 1, and a piece crosses 2 (2 + 1) edges: of each half of each channel's half of the
     * buffer to and from the other member of the server one at a time, two at a time to the inner
     * server of its tree, and one to the root. All ports are alike here. The first edge is busy in
     * both directions at first: no member receives more than one quarter per tree.
     */
    void CheckChainInServers()
    {
        auto tree = CreateObject<TreeCollective>();
        tree->SetAttribute("ChunkBytes", UintegerValue(0));
        const std::vector<uint32_t> servers{0, 0, 1, 1, 2, 2, 3, 3};
        const uint64_t quarter = 1000;
        const uint64_t hop = DELAY;
        // Inside: each member receives the quarters of both trees of one channel: 2 quarters, and
        // as much on the way down. Across: (2 * 2 - 1) * 2 quarters as among 4 members.
        const auto time =
            Run(tree, CollectiveKind::ALL_REDUCE, 4 * quarter, 8, servers).GetNanoSeconds();
        NS_TEST_EXPECT_MSG_EQ(time,
                              static_cast<int64_t>((2 + 6 + 2) * quarter * BYTE + 6 * hop),
                              "4 servers of 2");
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
        return job.end;
    }

    /**
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param size number of members
     * @param a latency of a step, ns; that of the launch is 7 times as long
     * @param expected when it should end after the launch, ns
     */
    void Check(Ptr<CollectiveAlgorithm> algorithm,
               CollectiveKind kind,
               uint64_t bytes,
               uint32_t size,
               uint64_t a,
               uint64_t expected)
    {
        algorithm->SetAttribute("StepLatency", TimeValue(NanoSeconds(a)));
        algorithm->SetAttribute("LaunchLatency", TimeValue(NanoSeconds(7 * a)));
        NS_TEST_EXPECT_MSG_EQ(Run(algorithm, kind, bytes, size, {}),
                              NanoSeconds(7 * a + expected),
                              algorithm->GetName() << ", " << ToString(kind) << " on " << size
                                                   << ", a = " << a);
    }
};

} // namespace

std::vector<TestCase*>
MakeCollectiveTimeTestCases()
{
    return {new CollectiveTimeTestCase};
}

} // namespace ns3
