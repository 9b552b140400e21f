/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-test-cases.h"
#include "nvls-test-job.h"
#include "rdma-test-case.h"

#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Delay of a link, ns.
constexpr uint64_t DELAY = 300;

/**
 * @return the algorithm with chunks of 5000 bytes
 */
Ptr<NvlsCollective>
Create()
{
    auto algorithm = CreateObject<NvlsCollective>();
    algorithm->SetAttribute("ChunkBytes", UintegerValue(5000));
    algorithm->SetAttribute("Pieces", UintegerValue(0));
    return algorithm;
}

/**
 * @ingroup workload-replay-tests
 * @brief Several collectives on one NVSwitch at the same time.
 */
class NvlsConcurrencyTestCase : public TestCase
{
  public:
    NvlsConcurrencyTestCase()
        : TestCase("communicators that share an NVSwitch")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string transport : {"ideal", "rdma"})
        {
            const auto alone = Run(transport, {{0, 1, 2, 3}});
            // Other ports: they do not meet.
            const auto apart = Run(transport, {{0, 1, 2, 3}, {7, 5, 6, 4}});
            NS_TEST_EXPECT_MSG_EQ_TOL(apart / alone, 1, 0.001, "apart, " << transport);
            // The same ports, twice as many bytes.
            const auto same = Run(transport, {{0, 1, 2, 3}, {0, 1, 2, 3}});
            NS_TEST_EXPECT_MSG_EQ_TOL(same / alone, 2, 0.04, "same, " << transport);
            // Two ports of each are those of the other one, too.
            const auto partly = Run(transport, {{0, 1, 2, 3}, {2, 3, 4, 5}});
            NS_TEST_EXPECT_MSG_EQ_TOL(partly / alone, 2, 0.04, "partly, " << transport);
        }
    }

    /**
     * Have each communicator call an all-reduce twice, and then an all-gather.
     *
     * @param transport ideal or rdma
     * @param communicators ranks of each communicator
     * @return when all have ended, s
     */
    double Run(const std::string& transport,
               const std::vector<std::vector<uint32_t>>& communicators)
    {
        NvlsTestJob job({{8}, "10Gbps", NanoSeconds(DELAY)});
        std::size_t calls = 0;
        for (const auto& ranks : communicators)
        {
            const auto communicator = job.AddCommunicator(ranks);
            job.CallAll(communicator, CollectiveKind::ALL_REDUCE, 4000000);
            job.CallAll(communicator, CollectiveKind::ALL_REDUCE, 2000003);
            job.CallAll(communicator, CollectiveKind::ALL_GATHER, 2000003);
            calls += 3 * ranks.size();
        }
        job.Run(transport, Create());
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "hangs");
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "fails");
        NS_TEST_EXPECT_MSG_EQ(job.collectives.size(), calls, "each member reports each call");
        NS_TEST_EXPECT_MSG_EQ(job.pendingReductions, 0, "the NVSwitch has forgotten them");
        NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == job.expectedBytes), true, "as foretold");
        return job.end.GetSeconds();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief When a member does not come, the others name it.
 */
class NvlsWaitTestCase : public TestCase
{
  public:
    NvlsWaitTestCase()
        : TestCase("a member of nvls that does not come")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string transport : {"ideal", "rdma"})
        {
            Check(transport, {4}, 3, {3, 3, 3});
            Check(transport, {3}, 0, {0, 0});
            // In the other server the head of each rail waits for that of rank 5's server.
            Check(transport, {4, 4}, 5, {4, 5, 6, 7, 5, 5, 5});
            // Ranks 2 and 3 are no heads and wait for their heads.
            CheckUneven(transport);
        }
    }

    /**
     * @param transport ideal or rdma
     * @param servers ranks of each server
     * @param absent the rank that does not call
     * @param awaited for whom each other rank should wait
     */
    void Check(const std::string& transport,
               const std::vector<uint32_t>& servers,
               uint32_t absent,
               const std::vector<uint32_t>& awaited)
    {
        NvlsTestJob job({servers, "100Gbps", NanoSeconds(DELAY), "100Gbps"});
        Call(job, static_cast<uint32_t>(awaited.size() + 1), absent);
        job.Run(transport, Create());
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), awaited.size(), "a line each, no cycle");
        for (uint32_t i = 0; i < awaited.size(); ++i)
        {
            const auto rank = std::to_string(i < absent ? i : i + 1);
            NS_TEST_EXPECT_MSG_EQ(job.waits[i],
                                  "rank" + rank + ":1: rank " + rank +
                                      " waits in op (all-reduce of 80000 bytes in all0, call 1) "
                                      "for rank " +
                                      std::to_string(awaited[i]),
                                  "what rank " << rank << " says");
        }
    }

    /**
     * Check servers of 4 and 2, where rank 5 does not come.
     *
     * @param transport ideal or rdma
     */
    void CheckUneven(const std::string& transport)
    {
        NvlsTestJob job({{4, 2}, "100Gbps", NanoSeconds(DELAY), "100Gbps"});
        Call(job, 6, 5);
        job.Run(transport, Create());
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 5, "a line each, no cycle");
        const std::vector<std::string> awaited{"4", "5", "0, 1", "0, 1", "5"};
        for (uint32_t rank = 0; rank < 5; ++rank)
        {
            const auto& line = job.waits[rank];
            NS_TEST_EXPECT_MSG_EQ(line.substr(line.find(" for rank ") + 10), awaited[rank], line);
        }
    }

    /**
     * @param job the job
     * @param size number of ranks
     * @param absent the rank that does not call
     */
    static void Call(NvlsTestJob& job, uint32_t size, uint32_t absent)
    {
        std::vector<uint32_t> ranks;
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            ranks.push_back(rank);
        }
        const auto communicator = job.AddCommunicator(ranks);
        for (const auto rank : ranks)
        {
            if (rank != absent)
            {
                job.Call(rank, communicator, CollectiveKind::ALL_REDUCE, 80000);
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Members that call different things are named with their lines.
 */
class NvlsContradictionTestCase : public TestCase
{
  public:
    NvlsContradictionTestCase()
        : TestCase("contradictions between members of nvls")
    {
    }

  private:
    void DoRun() override
    {
        // Found by the NVSwitch: the shorter message is there first, of ranks 0, 1 and 3.
        Check(CollectiveKind::ALL_REDUCE,
              9000,
              "rank 2 (rank2:1) calls all-reduce of 9000 bytes, but rank 0 (rank0:1) calls "
              "all-reduce of 8000 bytes at the same place in all0");
        // Its block is shorter still, and the NVSwitch sends it on: found by the member that gets
        // it.
        Check(CollectiveKind::ALL_GATHER,
              4000,
              "rank 2 (rank2:1) calls all-gather of 4000 bytes, but rank 0 (rank0:1) calls "
              "all-reduce of 8000 bytes at the same place in all0");
        // A root that the others do not know of.
        Check(CollectiveKind::REDUCE,
              8000,
              "rank 2 (rank2:1) calls reduce of 8000 bytes with member 0 as the root, but rank 0 "
              "(rank0:1) calls all-reduce of 8000 bytes at the same place in all0");
    }

    /**
     * Have three ranks call an all-reduce of 8000 bytes.
     *
     * @param kind what rank 2 calls
     * @param bytes and how many bytes of it
     * @param expected what is found
     */
    void Check(CollectiveKind kind, uint64_t bytes, const std::string& expected)
    {
        NvlsTestJob job({{4}, "1Gbps", NanoSeconds(DELAY)});
        const auto communicator = job.AddCommunicator({0, 1, 2, 3});
        for (const uint32_t rank : {0, 1, 3})
        {
            job.Call(rank, communicator, CollectiveKind::ALL_REDUCE, 8000);
        }
        job.Call(2, communicator, kind, bytes);
        job.Run("ideal", Create());
        NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 1, "found once");
        NS_TEST_EXPECT_MSG_EQ(job.faults.front(), expected, "what is found");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What an NVSwitch sends itself and what it forwards share a port alike.
 */
class NvlsSharedPortTestCase : public RdmaTestCase
{
  public:
    NvlsSharedPortTestCase()
        : RdmaTestCase("an NVSwitch sends and forwards in turns")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        TopologyGraph graph;
        graph.AddHost("h0", 0);
        graph.AddHost("h1", 0);
        const auto nvswitch = graph.AddNvswitch("n", 0);
        graph.AddLink(0, nvswitch, DataRate("100Gbps"), NanoSeconds(DELAY), true);
        graph.AddLink(1, nvswitch, DataRate("100Gbps"), NanoSeconds(DELAY), true);
        m_fabric->Install(graph, FabricEndpoints(graph, true));
        AddRank(m_fabric->GetTransports()[0]);
        AddRank(m_fabric->GetTransports()[1]);
        AddRank(m_fabric->GetSwitchTransports()[0]);
        const auto forwarded = Post(Time(0), 0, 1, 1000 * MTU);
        const auto own = Post(Time(0), 2, 1, 500 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        // Each has half of the port until the shorter one is through, after 1000 packets, and the
        // longer one ends after 1500.
        const auto end = [this](uint32_t number) {
            return static_cast<double>(m_fates[number].arrivedAt.GetNanoSeconds()) / 324;
        };
        NS_TEST_EXPECT_MSG_EQ_TOL(end(own), 1000, 10, "what it sends itself");
        NS_TEST_EXPECT_MSG_EQ_TOL(end(forwarded), 1500, 15, "what it forwards");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Whose turn it is at the port of an NVSwitch to a host, packet by packet: of 324 ns each.
 *
 * What two hosts send comes in pairs from 624 ns after that on, faster than it can leave.
 */
class NvlsTurnsTestCase : public RdmaTestCase
{
  public:
    NvlsTurnsTestCase()
        : RdmaTestCase("packets that an NVSwitch sends and forwards take turns")
    {
    }

  private:
    void DoRun() override
    {
        // The sixth of its own packets begins to be sent at 1620 ns; hosts come in at 1624 ns.
        Check(0, 20, 1000, 3, "oooooofofofofofofooooooooo");
        // Its own ones come when the fourth, or the fifth, is being sent, from 1596 or 1920 ns on.
        Check(1700, 3, 0, 5, "ffffofofoffff");
        Check(2000, 3, 0, 5, "fffffofofofff");
    }

    /**
     * @param own when the NVSwitch sends, ns
     * @param ownPackets packets that it sends
     * @param others when the two hosts send, ns
     * @param otherPackets packets that each of them sends
     * @param expected packets that leave by the port, in order: o = own, f = forwarded
     */
    void Check(int64_t own,
               uint64_t ownPackets,
               int64_t others,
               uint64_t otherPackets,
               const std::string& expected)
    {
        Reset();
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        TopologyGraph graph;
        for (const auto* const name : {"h0", "h1", "h2"})
        {
            graph.AddHost(name, 0);
        }
        const auto nvswitch = graph.AddNvswitch("n", 0);
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddLink(host, nvswitch, DataRate("100Gbps"), NanoSeconds(DELAY), true);
        }
        m_fabric->Install(graph, FabricEndpoints(graph, true));
        for (const auto& transport : m_fabric->GetTransports())
        {
            AddRank(transport);
        }
        AddRank(m_fabric->GetSwitchTransports()[0]);
        m_sent.clear();
        m_fabric->GetDevice(2, nvswitch)
            ->TraceConnectWithoutContext("PhyTxBegin",
                                         MakeCallback(&NvlsTurnsTestCase::Note, this));
        Post(NanoSeconds(own), 3, 2, ownPackets * MTU);
        Post(NanoSeconds(others), 0, 2, otherPackets * MTU);
        Post(NanoSeconds(others), 1, 2, otherPackets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_sent, expected, "its own ones from " << own << " ns on");
    }

    /**
     * @param packet what leaves by the port
     */
    void Note(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            m_sent += packet.source < 3 ? 'f' : 'o';
        }
    }

    std::string m_sent; //!< packets that have left, in order
};

} // namespace

std::vector<TestCase*>
MakeNvlsEngineTestCases()
{
    return {new NvlsConcurrencyTestCase,
            new NvlsWaitTestCase,
            new NvlsContradictionTestCase,
            new NvlsSharedPortTestCase,
            new NvlsTurnsTestCase};
}

} // namespace ns3
