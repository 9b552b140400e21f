/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-test-cases.h"
#include "nvls-test-job.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/uinteger.h"

#include <numeric>

namespace ns3
{

namespace
{

/// Time of a byte on an NVLink link of the ideal network, ns, at 1 Gb/s.
constexpr uint64_t BYTE = 8;

/// Delay of a link, ns.
constexpr uint64_t DELAY = 300;

/**
 * @param chunkBytes attribute ChunkBytes
 * @param depth attribute PipelineDepth
 * @return the algorithm; it cuts no chunk smaller
 */
Ptr<NvlsCollective>
Create(uint64_t chunkBytes, uint32_t depth = 2)
{
    auto algorithm = CreateObject<NvlsCollective>();
    algorithm->SetAttribute("ChunkBytes", UintegerValue(chunkBytes));
    algorithm->SetAttribute("PipelineDepth", UintegerValue(depth));
    algorithm->SetAttribute("Pieces", UintegerValue(0));
    return algorithm;
}

/**
 * @param size number of ranks
 * @return all of them
 */
std::vector<uint32_t>
All(uint32_t size)
{
    std::vector<uint32_t> ranks(size);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/**
 * @param time a time
 * @return it in ns
 */
double
ToNs(const Time& time)
{
    return static_cast<double>(time.GetNanoSeconds());
}

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases that run one collective of all ranks.
 */
class NvlsRunTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Run a job of one collective, and check that it comes to its end as it should.
     *
     * @param job the job, new
     * @param size number of ranks
     * @param transport ideal, rdma or tcp
     * @param kind the collective
     * @param bytes its bytes
     * @param algorithm carries it out
     * @return when it ends
     */
    Time Run(NvlsTestJob& job,
             uint32_t size,
             const std::string& transport,
             CollectiveKind kind,
             uint64_t bytes,
             Ptr<NvlsCollective> algorithm)
    {
        job.CallAll(job.AddCommunicator(All(size)), kind, bytes, size / 2);
        job.Run(transport, algorithm);
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, ToString(kind) << " hangs");
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, ToString(kind) << " fails");
        NS_TEST_EXPECT_MSG_EQ(job.collectives.size(), size, "each member reports once");
        NS_TEST_EXPECT_MSG_EQ(job.pendingReductions, 0, "the NVSwitches have forgotten it");
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank], job.expectedBytes[rank], "as foretold");
        }
        return job.end;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of shards that are one message each on the ideal network, to the nanosecond.
 *
 * N members, shards of s = S/N bytes, B the rate, D the delay of a link.
 */
class NvlsExactTimeTestCase : public NvlsRunTestCase
{
  public:
    NvlsExactTimeTestCase()
        : NvlsRunTestCase("exact times of nvls on the ideal network")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t size : {2, 3, 4, 8})
        {
            const uint64_t bytes = 1000 * size;
            const uint64_t all = bytes * BYTE;
            const uint64_t shard = all / size;
            // All contributions have gone up after S/B + D, then the last sum goes down.
            Check(size, CollectiveKind::REDUCE_SCATTER, bytes, all + shard + 2 * DELAY);
            // All blocks go up at the same time, then all go down to each member.
            Check(size, CollectiveKind::ALL_GATHER, bytes, shard + all + 2 * DELAY);
            // Up to the switch, which has all of it before it goes on.
            Check(size, CollectiveKind::BROADCAST, bytes, 2 * all + 2 * DELAY);
            Check(size, CollectiveKind::REDUCE, bytes, 2 * all + 2 * DELAY);
            // The result of the first shard goes up when all contributions have, after S/B, and is
            // at the switch after S/B + s/B + D; from then on all N results go down one after
            // another, as the later ones come in time: S/B more, and D. Of two members the first
            // has to wait for its sum, 2 s/B + 2 D, and the second one's, which comes s/B later,
            // goes up and down after that.
            Check(size,
                  CollectiveKind::ALL_REDUCE,
                  bytes,
                  size == 2 ? 5 * shard + 4 * DELAY : 2 * all + shard + 2 * DELAY);
        }
        CheckLatencies();
        CheckReductionRate();
    }

    /**
     * @param size number of members
     * @param kind the collective
     * @param bytes its bytes
     * @param expected when it should end, ns
     */
    void Check(uint32_t size, CollectiveKind kind, uint64_t bytes, uint64_t expected)
    {
        NvlsTestJob job({{size}, "1Gbps", NanoSeconds(DELAY)});
        const auto time = Run(job, size, "ideal", kind, bytes, Create(0));
        NS_TEST_EXPECT_MSG_EQ(time,
                              NanoSeconds(expected),
                              ToString(kind) << " of " << bytes << " on " << size);
    }

    /// The launch counts, and the one step that a reduce-scatter of one piece has.
    void CheckLatencies()
    {
        auto algorithm = Create(0);
        algorithm->SetAttribute("LaunchLatency", TimeValue(NanoSeconds(7000)));
        algorithm->SetAttribute("StepLatency", TimeValue(NanoSeconds(500)));
        NvlsTestJob job({{2}, "1Gbps", NanoSeconds(DELAY)});
        const auto time = Run(job, 2, "ideal", CollectiveKind::REDUCE_SCATTER, 2000, algorithm);
        NS_TEST_EXPECT_MSG_EQ(time,
                              NanoSeconds(7000 + 500 + 3 * 8000 + 2 * DELAY),
                              "with latencies");
    }

    /**
     * At R = B/2 the contributions of a member are added one after another in 2 s/B each, the first
     * one of which comes after s/B + D.
     */
    void CheckReductionRate()
    {
        Config::SetDefault("ns3::InSwitchReducer::ReductionRate",
                           DataRateValue(DataRate("0.5Gbps")));
        NvlsTestJob job({{4}, "1Gbps", NanoSeconds(DELAY)});
        const auto time = Run(job, 4, "ideal", CollectiveKind::REDUCE_SCATTER, 4000, Create(0));
        Config::SetDefault("ns3::InSwitchReducer::ReductionRate", DataRateValue(DataRate(0)));
        NS_TEST_EXPECT_MSG_EQ(time,
                              NanoSeconds((1 + 4 * 2 + 1) * 8000 + 2 * DELAY),
                              "half of the rate");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of long pipelines on the ideal network.
 */
class NvlsPipelineTimeTestCase : public NvlsRunTestCase
{
  public:
    NvlsPipelineTimeTestCase()
        : NvlsRunTestCase("times of nvls with many pieces on the ideal network")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t size : {2, 3, 4, 8, 13})
        {
            for (const uint32_t depth : {2, 3})
            {
                CheckOneServer(size, depth, 200);
                CheckOneServer(size, depth, 2000);
            }
        }
        // 2 servers of 4. NVLink carries S (1 + 1/4). A NIC carries the two halves of a quarter of
        // the buffer each way, one up and one down a tree: S/4, which takes 2 S/B at B/8.
        CheckServers({4, 4}, "125Mbps", 2.0);
        CheckServers({4, 4}, "1Gbps", 1.25);
        // 4 servers of 2: a server has 3 neighbours in one tree and 1 in the other, or 1 and 1, to
        // each of which its heads send half of a shard of S/2: S/B at most.
        CheckServers({2, 2, 2, 2}, "1Gbps", 1.5);
        // The heads of the larger server are as many as the smaller one has, 2: S (1 + 1/2).
        CheckServers({4, 2}, "1Gbps", 1.5);
        CheckPlanes();
    }

    /**
     * Check S (1 + 1/N) / B + 2 d (N - 1) c / B: of each shard 2 d pieces of c bytes go up before
     * results do, but for the head's own one.
     *
     * @param size number of members N
     * @param depth PipelineDepth d
     * @param pieces pieces of a shard
     */
    void CheckOneServer(uint32_t size, uint32_t depth, uint64_t pieces)
    {
        const uint64_t chunk = 5000;
        const uint64_t shard = pieces * chunk;
        NvlsTestJob job({{size}, "1Gbps", NanoSeconds(DELAY)});
        const auto time =
            Run(job, size, "ideal", CollectiveKind::ALL_REDUCE, shard * size, Create(chunk, depth));
        const double expected = (shard * (size + 1) + 2 * depth * (size - 1) * chunk) * BYTE;
        NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / expected,
                                  1,
                                  0.01,
                                  size << " members, depth " << depth);
    }

    /**
     * @param servers members of each server
     * @param nicRate rate of a NIC
     * @param expected time in S / B
     */
    void CheckServers(const std::vector<uint32_t>& servers,
                      const std::string& nicRate,
                      double expected)
    {
        const auto size = std::accumulate(servers.begin(), servers.end(), 0U);
        const uint64_t bytes = 40000000;
        NvlsTestJob job({servers, "1Gbps", NanoSeconds(DELAY), nicRate});
        const auto time = Run(job, size, "ideal", CollectiveKind::ALL_REDUCE, bytes, Create(5000));
        NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / (bytes * BYTE),
                                  expected,
                                  0.01 * expected,
                                  servers.size() << " servers of " << servers.front());
    }

    /// With two NVSwitches each member has two ports, and all of them are used.
    void CheckPlanes()
    {
        NvlsTestJob job({{4}, "1Gbps", NanoSeconds(DELAY), "1Gbps", 2});
        const uint64_t bytes = 40000000;
        const auto time = Run(job, 4, "ideal", CollectiveKind::ALL_REDUCE, bytes, Create(5000));
        NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / (bytes * BYTE), 0.625, 0.00625, "two NVSwitches");
        NS_TEST_EXPECT_MSG_EQ(job.collectives.front().channels, 2, "a channel each");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Times and bytes on links of the rdma fabric.
 */
class NvlsRdmaTestCase : public NvlsRunTestCase
{
  public:
    NvlsRdmaTestCase()
        : NvlsRunTestCase("nvls on the rdma fabric")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t size : {2, 4, 8})
        {
            // A packet of MTU bytes takes 324 ns at 100 Gb/s.
            const uint64_t chunk = 8 * NvlsTestJob::MTU;
            const uint64_t pieces = 100;
            const uint64_t shard = pieces * chunk;
            NvlsTestJob job({{size}, "100Gbps", NanoSeconds(DELAY)});
            const auto time =
                Run(job, size, "rdma", CollectiveKind::ALL_REDUCE, shard * size, Create(chunk));
            const double packets = 8.0 * (pieces * (size + 1) + 2 * 2 * (size - 1));
            NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / (packets * 324), 1, 0.03, size << " members");
            for (uint32_t rank = 0; rank < size; ++rank)
            {
                NS_TEST_EXPECT_MSG_EQ(job.upPayload[rank], shard * (size + 1), "up " << rank);
                NS_TEST_EXPECT_MSG_EQ(job.downPayload[rank], shard * (size + 1), "down " << rank);
            }
        }
        CheckServers();
        CheckManyServers();
    }

    /// Two servers of 4, NICs slow enough to matter.
    void CheckServers()
    {
        const uint64_t bytes = 4 * 1000 * NvlsTestJob::MTU;
        NvlsTestJob job({{4, 4}, "100Gbps", NanoSeconds(DELAY), "12.5Gbps"});
        const auto time =
            Run(job, 8, "rdma", CollectiveKind::ALL_REDUCE, bytes, Create(4 * NvlsTestJob::MTU));
        // Each way a NIC carries a shard of 1000 packets at an eighth of the rate.
        NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / (1000 * 8 * 324), 1, 0.03, "two servers");
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[rank], bytes + bytes / 4, "up " << rank);
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[rank], bytes + bytes / 4, "down " << rank);
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[8 + rank], bytes / 4, "NIC " << rank);
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[8 + rank], bytes / 4, "NIC " << rank);
        }
    }

    /**
     * Four servers of 2: in the first tree server 2 has 3 neighbours and the others one, in the
     * second one so has server 1; to each neighbour goes half of a shard of S/2.
     */
    void CheckManyServers()
    {
        const uint64_t bytes = 4 * 2000 * NvlsTestJob::MTU;
        NvlsTestJob job({{2, 2, 2, 2}, "100Gbps", NanoSeconds(DELAY), "25Gbps"});
        const auto time =
            Run(job, 8, "rdma", CollectiveKind::ALL_REDUCE, bytes, Create(4 * NvlsTestJob::MTU));
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            const bool isInner = rank / 2 == 1 || rank / 2 == 2;
            const uint64_t expected = bytes / 4 * (isInner ? 3 + 1 : 1 + 1);
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[8 + rank], expected, "NIC " << rank);
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[8 + rank], expected, "NIC " << rank);
        }
        // The NICs of the inner servers carry S at a quarter of the rate.
        NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / (8000 * 4 * 324), 1, 0.03, "four servers");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The same over TCP: all kinds end, and all-reduce within 5 % of what the headers leave.
 */
class NvlsTcpTestCase : public NvlsRunTestCase
{
  public:
    NvlsTcpTestCase()
        : NvlsRunTestCase("nvls over tcp")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto kind : {CollectiveKind::REDUCE_SCATTER,
                                CollectiveKind::ALL_GATHER,
                                CollectiveKind::BROADCAST,
                                CollectiveKind::REDUCE})
        {
            NvlsTestJob job({{3}, "100Gbps", NanoSeconds(DELAY)});
            Run(job, 3, "tcp", kind, 300001, Create(50000));
        }
        NvlsTestJob job({{4}, "100Gbps", NanoSeconds(DELAY)});
        const uint64_t bytes = 20000000;
        const auto time = Run(job, 4, "tcp", CollectiveKind::ALL_REDUCE, bytes, Create(50000));
        const double share = TcpFabricHelper::GetGoodputShare(FabricParameters().mtu);
        const double expected = (bytes * 1.25 + 2 * 2 * 3 * 50000) * 8 / 100 / share;
        NS_TEST_EXPECT_MSG_EQ_TOL(ToNs(time) / expected, 1, 0.05, "4 members");
    }
};

} // namespace

std::vector<TestCase*>
MakeNvlsTimeTestCases()
{
    return {new NvlsExactTimeTestCase,
            new NvlsPipelineTimeTestCase,
            new NvlsRdmaTestCase,
            new NvlsTcpTestCase};
}

} // namespace ns3
