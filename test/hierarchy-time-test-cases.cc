/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchy-time-test-cases.h"

#include "replay-test-job.h"

#include "ns3/direct-collective.h"
#include "ns3/hierarchical-collective.h"
#include "ns3/pat-collective.h"
#include "ns3/pxn-collective.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Time of a byte on NVLink, at 10 Gb/s, in tenths of a nanosecond.
constexpr uint64_t NVLINK_BYTE = 8;

/// Time of a byte through a NIC, at 1 Gb/s, in tenths of a nanosecond.
constexpr uint64_t NIC_BYTE = 80;

/// Delay of NVLink, tenths of a nanosecond.
constexpr uint64_t NVLINK_DELAY = 2000;

/// Delay between NICs, tenths of a nanosecond.
constexpr uint64_t NIC_DELAY = 13000;

/**
 * @param servers the server of each rank
 * @param source a rank
 * @param destination another rank
 * @return the path: each rank has a port for its NIC and then one for NVLink
 */
IdealPath
FindPath(std::vector<uint32_t> servers, uint32_t source, uint32_t destination)
{
    const bool isInside = servers[source] == servers[destination];
    const uint32_t port = isInside ? 1 : 0;
    return {2 * source + port,
            2 * destination + port,
            NanoSeconds((isInside ? NVLINK_DELAY : NIC_DELAY) / 10)};
}

/**
 * @param nServers number of servers
 * @param nRails members of each
 * @return the server of each member, server after server
 */
std::vector<uint32_t>
Spread(uint32_t nServers, uint32_t nRails)
{
    std::vector<uint32_t> servers;
    for (uint32_t server = 0; server < nServers; ++server)
    {
        servers.insert(servers.end(), nRails, server);
    }
    return servers;
}

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases about members with a NIC and a port to NVLink each.
 *
 * S is the number of servers, L that of members of each, b a block, a the latency of a step.
 */
class HierarchyTimeTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Run a collective and check that all goes as it should.
     *
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param servers the server of each member
     * @return when it ends, tenths of a nanosecond
     */
    uint64_t Run(Ptr<CollectiveAlgorithm> algorithm,
                 CollectiveKind kind,
                 uint64_t bytes,
                 const std::vector<uint32_t>& servers)
    {
        const auto size = static_cast<uint32_t>(servers.size());
        TestProgram program;
        program.Collective("c", kind, bytes);
        ReplayTestJob job(size, Dimension::EP);
        job.SetProgram(program.Build());
        job.configure = [&](ReplayHelper& helper) { helper.SetServers(servers); };
        auto network = CreateObject<IdealNetwork>();
        network->SetPathFinder(MakeBoundCallback(&FindPath, servers));
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            network->AddPort(DataRate("1Gbps"));
            network->AddPort(DataRate("10Gbps"));
        }
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(algorithm);
        job.Run(network, algorithms);
        const auto what = algorithm->GetName() + ", " + ToString(kind);
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, what << " hangs");
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, what);
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank],
                                  job.expectedBytes[rank],
                                  what << ": bytes foretold for " << rank);
        }
        return static_cast<uint64_t>(job.end.GetNanoSeconds()) * 10;
    }

    /**
     * Check when a collective ends, to a nanosecond for each step.
     *
     * @param algorithm the algorithm
     * @param kind the collective
     * @param bytes its bytes
     * @param servers the server of each member
     * @param a latency of a step, tenths of a nanosecond
     * @param expected when it should end, tenths of a nanosecond
     */
    void Check(Ptr<CollectiveAlgorithm> algorithm,
               CollectiveKind kind,
               uint64_t bytes,
               const std::vector<uint32_t>& servers,
               uint64_t a,
               uint64_t expected)
    {
        algorithm->SetAttribute("StepLatency", TimeValue(NanoSeconds(a / 10)));
        const auto time = static_cast<double>(Run(algorithm, kind, bytes, servers));
        // Fluid rates end between the steps of the clock.
        const double rounding = 10.0 * (2 * servers.size() + 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(time,
                                  static_cast<double>(expected),
                                  std::min(rounding, 0.01 * static_cast<double>(expected)),
                                  algorithm->GetName()
                                      << ", " << ToString(kind) << " of " << bytes << " bytes on "
                                      << servers.size() << ", a = " << a / 10 << " ns");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of the hierarchical algorithm.
 */
class HierarchicalTimeTestCase : public HierarchyTimeTestCase
{
  public:
    HierarchicalTimeTestCase()
        : HierarchyTimeTestCase("time of hierarchical collectives")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t a : {0, 50000})
        {
            CheckEqual(1, 8, a);
            CheckEqual(4, 1, a);
            CheckEqual(2, 4, a);
            CheckEqual(4, 8, a);
            CheckEqual(3, 2, a);
        }
        CheckUnequal();
        CheckPipelined();
    }

    /**
     * In equal servers a phase begins for all at once, and all ports are busy alike.
     *
     * @param nServers S
     * @param nRails L
     * @param a latency of a step, tenths of a nanosecond
     */
    void CheckEqual(uint64_t nServers, uint64_t nRails, uint64_t a)
    {
        const uint64_t block = 2000;
        const auto servers = Spread(nServers, nRails);
        const uint64_t bytes = block * nServers * nRails;
        // One exchange inside: L - 1 messages with a block for each server, at once.
        const uint64_t inside =
            nRails == 1 ? 0 : (nRails - 1) * nServers * block * NVLINK_BYTE + NVLINK_DELAY + a;
        // One round along the rails: S - 1 messages of a block, one after another.
        const uint64_t across = (nServers - 1) * (block * NIC_BYTE + NIC_DELAY + a);
        auto algorithm = CreateObject<HierarchicalCollective>();
        const auto check = [&](CollectiveKind kind, uint64_t expected) {
            Check(algorithm, kind, bytes, servers, a, expected);
        };
        check(CollectiveKind::ALL_REDUCE, 2 * (inside + across));
        check(CollectiveKind::ALL_GATHER, across + inside);
        check(CollectiveKind::REDUCE_SCATTER, inside + across);
        // One exchange inside, then S - 1 messages of L blocks, one after another.
        const uint64_t joined = nRails * block * NIC_BYTE + NIC_DELAY + a;
        algorithm->SetAttribute("Concurrency", UintegerValue(1));
        check(CollectiveKind::ALL_TO_ALL, inside + (nServers - 1) * joined);
        if (nServers == 1 || nRails == 1)
        {
            return;
        }
        // All servers at once: what goes to the next one is there after two blocks from each other
        // member, one of them for the receiver itself, and the NIC is busy from then on.
        algorithm->SetAttribute("Concurrency", UintegerValue(8));
        check(CollectiveKind::ALL_TO_ALL,
              2 * (nRails - 1) * block * NVLINK_BYTE + NVLINK_DELAY + a +
                  (nServers - 1) * nRails * block * NIC_BYTE + NIC_DELAY + a);
    }

    /**
     * Two servers, of two members and of one. Of an all-reduce both rails carry a half, in parts of
     * a quarter, and both go through the one NIC of the second server. That has nothing to collect
     * and sends its first two quarters at once, which are there first to go (10 times slower than
     * NVLink). It gets two quarters as soon as the first server has collected its halves, and gives
     * the sum back; that is there when the first server has all of it, which spreads it.
     */
    void CheckUnequal()
    {
        const uint64_t bytes = 40000;
        const uint64_t inside = bytes / 2 * NVLINK_BYTE + NVLINK_DELAY;
        const uint64_t across = 2 * (bytes / 4) * NIC_BYTE + NIC_DELAY;
        Check(CreateObject<HierarchicalCollective>(),
              CollectiveKind::ALL_REDUCE,
              bytes,
              {7, 7, 3},
              0,
              inside + 2 * across + inside);
    }

    /**
     * With many pieces the phases overlap, and the slowest remains: the NICs, which carry
     * 2 (S - 1) / S of a rail's share each way.
     */
    void CheckPipelined()
    {
        auto algorithm = CreateObject<HierarchicalCollective>();
        algorithm->SetAttribute("ChunkBytes", UintegerValue(20000));
        algorithm->SetAttribute("PipelineDepth", UintegerValue(8));
        const uint64_t share = 16000000;
        const double time = Run(algorithm, CollectiveKind::ALL_REDUCE, 4 * share, Spread(4, 4));
        const double expected = 2 * 0.75 * share * NIC_BYTE;
        NS_TEST_EXPECT_MSG_EQ_TOL(time / expected, 1, 0.01, "phases that overlap");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of the all-to-all along rails.
 */
class PxnTimeTestCase : public HierarchyTimeTestCase
{
  public:
    PxnTimeTestCase()
        : HierarchyTimeTestCase("time of all-to-all along rails")
    {
    }

  private:
    void DoRun() override
    {
        auto pxn = CreateObject<PxnCollective>();
        const uint64_t block = 2000;
        for (const uint64_t a : {0, 50000})
        {
            // Two servers of two, one distance after another. With 1: members 1 and 3 hand their
            // block to 0 and 2, who also send to them and then pass it on. With 2: all send along
            // their rail. With 3: 0 and 2 hand their block to 1 and 3, who pass it on. Members 0
            // and 2 are late by a NIC at distance 2, and so is what they hand over then.
            const uint64_t inside = block * NVLINK_BYTE + NVLINK_DELAY + a;
            const uint64_t across = block * NIC_BYTE + NIC_DELAY + a;
            pxn->SetAttribute("Concurrency", UintegerValue(1));
            Check(pxn,
                  CollectiveKind::ALL_TO_ALL,
                  4 * block,
                  Spread(2, 2),
                  a,
                  2 * inside + 3 * across);
            // All at once: the NICs, which never wait, carry (S - 1) L blocks each.
            pxn->SetAttribute("Concurrency", UintegerValue(100));
            for (const auto& [s, l] : std::vector<std::pair<uint64_t, uint64_t>>{{2, 4}, {4, 8}})
            {
                Check(pxn,
                      CollectiveKind::ALL_TO_ALL,
                      s * l * block,
                      Spread(s, l),
                      a,
                      a + (s - 1) * l * block * NIC_BYTE + NIC_DELAY);
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of all-gather and reduce-scatter straight and by aggregated trees, among N members
 *        that each stand alone.
 */
class FlatTimeTestCase : public HierarchyTimeTestCase
{
  public:
    FlatTimeTestCase()
        : HierarchyTimeTestCase("time of all-gather and reduce-scatter by pat and direct")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t a : {0, 50000})
        {
            for (const uint64_t size : {2, 3, 5, 8, 13, 32})
            {
                CheckSize(size, a);
            }
        }
    }

    /**
     * @param size number of members
     * @param a latency of a step, tenths of a nanosecond
     */
    void CheckSize(uint64_t size, uint64_t a)
    {
        const uint64_t block = 2000;
        const uint64_t hop = NIC_DELAY + a;
        // Every algorithm sends N - 1 blocks through each NIC; they differ in their steps.
        const uint64_t sent = (size - 1) * block * NIC_BYTE;
        uint64_t rounds = 0;
        while ((uint64_t{1} << rounds) < size)
        {
            ++rounds;
        }
        auto pat = CreateObject<PatCollective>();
        CheckBoth(pat, block, size, a, sent + rounds * hop);
        // Messages of up to 4 blocks: log2 4 + 2^k / 4 - 1 steps, if that is less than all.
        pat->SetAttribute("AggregationBytes", UintegerValue(5 * block));
        CheckBoth(pat,
                  block,
                  size,
                  a,
                  sent + (size > 4 ? 2 + (uint64_t{1} << rounds) / 4 - 1 : rounds) * hop);
        // Blocks in 4 pieces, one after another: N - 1 steps for each.
        pat->SetAttribute("AggregationBytes", UintegerValue(block / 4));
        pat->SetAttribute("PipelineDepth", UintegerValue(1));
        CheckBoth(pat, block, size, a, sent + 4 * (size - 1) * hop);

        auto direct = CreateObject<DirectCollective>();
        direct->SetAttribute("Concurrency", UintegerValue(1));
        CheckBoth(direct, block, size, a, sent + (size - 1) * hop);
        direct->SetAttribute("Concurrency", UintegerValue(100));
        CheckBoth(direct, block, size, a, sent + hop);
    }

    /**
     * @param algorithm the algorithm
     * @param block length of a block, bytes
     * @param size number of members
     * @param a latency of a step, tenths of a nanosecond
     * @param expected when all-gather and reduce-scatter should end, tenths of a nanosecond
     */
    void CheckBoth(Ptr<CollectiveAlgorithm> algorithm,
                   uint64_t block,
                   uint64_t size,
                   uint64_t a,
                   uint64_t expected)
    {
        const auto servers = Spread(static_cast<uint32_t>(size), 1);
        Check(algorithm, CollectiveKind::ALL_GATHER, block * size, servers, a, expected);
        Check(algorithm, CollectiveKind::REDUCE_SCATTER, block * size, servers, a, expected);
    }
};

} // namespace

std::vector<TestCase*>
MakeHierarchyTimeTestCases()
{
    return {new HierarchicalTimeTestCase, new PxnTimeTestCase, new FlatTimeTestCase};
}

} // namespace ns3
