/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-run-test-case.h"
#include "collnet-test-cases.h"

#include "ns3/collective-costs.h"
#include "ns3/collnet-chain-collective.h"
#include "ns3/collnet-direct-collective.h"
#include "ns3/config.h"
#include "ns3/ring-collective.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Time of a byte at 1 Gb/s, ns.
constexpr uint64_t BYTE = 8;

/// Delay of a link, ns.
constexpr uint64_t DELAY = CollnetShape::DELAY;

/**
 * @ingroup workload-replay-tests
 * @brief Times on the ideal network, to the nanosecond. S bytes in chunks of s, B the rate, D the
 *        delay of a link, L levels of switches.
 */
class CollnetExactTimeTestCase : public CollnetRunTestCase
{
  public:
    CollnetExactTimeTestCase()
        : CollnetRunTestCase("exact times of collnet-chain on the ideal network")
    {
    }

  private:
    void DoRun() override
    {
        // One chunk is handed on whole L times up and L times down, however many servers there are.
        for (const uint32_t servers : {2, 3, 8, 32})
        {
            Check({1, servers}, 1000, CreateCollnet(1000), 2 * (1000 * BYTE + DELAY), "one switch");
        }
        for (const uint32_t leaves : {2, 5})
        {
            Check({leaves, 3, 1},
                  1000,
                  CreateCollnet(1000),
                  4 * (1000 * BYTE + DELAY),
                  "two levels");
        }
        // Servers of three add up along the chain first, from NVLink port to NVLink port, and back.
        Check({1, 2, 0, 3},
              1000,
              CreateCollnet(1000),
              4 * (1000 * BYTE + 2 * DELAY) + 2 * (1000 * BYTE + DELAY),
              "chains");
        // S/B to send all chunks, and then the last one goes on.
        Check({1, 4}, 40000, CreateCollnet(1000), 41 * 1000 * BYTE + 2 * DELAY, "pipeline");
        Check({2, 4, 1},
              40000,
              CreateCollnet(1000),
              43 * 1000 * BYTE + 4 * DELAY,
              "pipeline of two");
        // Channels share the port.
        Check({1, 4}, 2000, CreateCollnet(1000, 8, 2), 2 * 2000 * BYTE + 2 * DELAY, "two channels");
        CheckWindow();
        CheckLatencies();
    }

    /**
     * @param shape switches and servers
     * @param bytes S
     * @param algorithm carries it out
     * @param expected when it should end, ns
     * @param what what is checked
     */
    void Check(const CollnetShape& shape,
               uint64_t bytes,
               Ptr<const CollectiveAlgorithm> algorithm,
               uint64_t expected,
               const std::string& what)
    {
        NvlsTestJob job(shape.Build());
        NS_TEST_EXPECT_MSG_EQ(Run(job, "ideal", bytes, algorithm),
                              NanoSeconds(expected),
                              what << ", " << shape.CountRanks() << " ranks");
    }

    /**
     * With k slots k chunks go in a round trip of 2 (s/B + D), if that is longer than k s/B; m
     * round trips make S = m k s, and the last of the k chunks is (k - 1) s/B behind the first.
     */
    void CheckWindow()
    {
        const uint64_t trip = 2 * (1000 * BYTE + DELAY);
        Check({1, 4}, 10000, CreateCollnet(1000, 1), 10 * trip, "one slot");
        Check({1, 4}, 20000, CreateCollnet(1000, 2), 10 * trip + 1000 * BYTE, "two slots");
        // In two levels the trip is twice as long, and holds four chunks and not five.
        Check({2, 2, 1},
              9000,
              CreateCollnet(1000, 3),
              3 * 2 * trip + 2 * 1000 * BYTE,
              "three slots");
        for (const uint32_t window : {1, 2, 3})
        {
            NvlsTestJob job(CollnetShape{2, 2, 1}.Build());
            Run(job, "ideal", 12000, CreateCollnet(1000, window));
            const auto most = *std::max_element(job.heldBytes.begin(), job.heldBytes.end());
            NS_TEST_EXPECT_MSG_EQ(most, 1000 * window, "what a switch holds, window " << window);
        }
    }

    /// A launch, and the step of the one message that a member sends.
    void CheckLatencies()
    {
        auto algorithm = CreateCollnet(1000);
        algorithm->SetAttribute("LaunchLatency", TimeValue(NanoSeconds(7000)));
        algorithm->SetAttribute("StepLatency", TimeValue(NanoSeconds(500)));
        Check({1, 4}, 1000, algorithm, 7000 + 500 + 2 * (1000 * BYTE + DELAY), "latencies");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What each link carries, byte by byte, and how long that takes.
 */
class CollnetTrafficTestCase : public CollnetRunTestCase
{
  public:
    CollnetTrafficTestCase()
        : CollnetRunTestCase("traffic of collnet-chain")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t bytes = 4000003;
        Check({2, 4, 1}, bytes, 1);
        Check({3, 2, 2}, bytes, 2);
        Check({2, 2, 3, 2}, bytes, 2);
        CheckRate();
        CheckTrains();
    }

    /**
     * Each server sends every byte of a channel once and receives it once by the head's NIC; so
     * does each leaf, by the spine that the channel has.
     *
     * @param shape switches and servers
     * @param bytes bytes of the all-reduce
     * @param channels attribute Channels
     */
    void Check(const CollnetShape& shape, uint64_t bytes, uint32_t channels)
    {
        NvlsTestJob job(shape.Build());
        Run(job, "rdma", bytes, CreateCollnet(20000, 8, channels));
        const BufferPart buffer{0, bytes};
        const uint32_t ranks = shape.CountRanks();
        for (uint32_t link = 0; link < ranks + shape.leaves * shape.spines; ++link)
        {
            // Ranks of a server are heads in turn; channels take the spines in turn.
            const bool isHost = link < ranks;
            const uint32_t place = isHost ? link % shape.ranks : (link - ranks) % shape.spines;
            uint64_t expected = 0;
            for (uint32_t channel = 0; channel < channels; ++channel)
            {
                const auto of = channel % (isHost ? shape.ranks : shape.spines);
                expected += of == place ? buffer.Cut(channels, channel).bytes : 0;
            }
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[link], expected, "link " << link << " up");
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[link], expected, "link " << link << " down");
        }
    }

    /// S by each port, where a ring of N would send 2 S (N - 1) / N.
    void CheckRate()
    {
        const CollnetShape shape{2, 8, 8, 1, "100Gbps"};
        const uint64_t bytes = 16 << 20;
        NvlsTestJob job(shape.Build());
        const double time = Run(job, "rdma", bytes, CreateCollnet(32768)).GetSeconds();
        // Of 4050 bytes 3968 are payload; acknowledgements of results share the port.
        const double least = 8e-9 / 100 * static_cast<double>(bytes) * 4050 / NvlsTestJob::MTU;
        NS_TEST_EXPECT_MSG_GT(time, least, "not faster than the port");
        NS_TEST_EXPECT_MSG_LT(time, 1.06 * least, "S/B and a few chunks");
        NvlsTestJob ring(shape.Build());
        // Timers of the job before run out long after its end.
        const Time start = Simulator::Now();
        const Time end = Run(ring, "rdma", bytes, CreateObject<RingCollective>());
        const double ratio = (end - start).GetSeconds() / time;
        NS_TEST_EXPECT_MSG_GT(ratio, 1.7, "a ring sends 2 (N - 1) / N times as much, 1.875");
        NS_TEST_EXPECT_MSG_LT(ratio, 2, "but no more");
    }

    /// Trains carry the same, in much the same time, and a run is the same when it is repeated.
    void CheckTrains()
    {
        const CollnetShape shape{2, 4, 2, 1, "100Gbps"};
        std::vector<double> times;
        for (const uint32_t train : {1, 16, 1})
        {
            Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(train));
            NvlsTestJob job(shape.Build());
            times.push_back(Run(job, "rdma", 8 << 20, CreateCollnet(65536)).GetSeconds());
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[0], 8U << 20, "bytes up with trains of " << train);
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[0], 8U << 20, "down with trains of " << train);
        }
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(times[0], times[2], "repeated");
        NS_TEST_EXPECT_MSG_EQ_TOL(times[1] / times[0], 1, 0.02, "with trains");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What collnet-direct does otherwise than collnet-chain: inside the servers.
 */
class CollnetDirectTestCase : public CollnetRunTestCase
{
  public:
    CollnetDirectTestCase()
        : CollnetRunTestCase("times and traffic of collnet-direct")
    {
    }

  private:
    void DoRun() override
    {
        // Servers of one or two have the same tree, whatever the algorithm.
        for (const uint32_t ranks : {1, 2})
        {
            const CollnetShape shape{2, 3, 1, ranks};
            const auto direct = Run<CollnetDirectCollective>(shape, 40003, ranks);
            NS_TEST_EXPECT_MSG_EQ(direct,
                                  Run<CollnetChainCollective>(shape, 40003, ranks),
                                  "servers of " << ranks);
        }
        // The port of the head takes in what all others send, and sends as much down; in between
        // the sum goes to the switch and back. NVLinks are two delays from port to port.
        for (const uint32_t ranks : {3, 8})
        {
            NS_TEST_EXPECT_MSG_EQ(Run<CollnetDirectCollective>({1, 2, 0, ranks}, 1000, 1),
                                  NanoSeconds(2 * ((ranks - 1) * 1000 * BYTE + 2 * DELAY) +
                                              2 * (1000 * BYTE + DELAY)),
                                  "servers of " << ranks);
        }
        CheckTraffic({3, 2, 2, 2}, 1);
        CheckTraffic({3, 2, 2, 4}, 4);
        CheckTraffic({2, 2, 3, 3}, 5);
        CheckLatency();
    }

    /**
     * @tparam A class of the algorithm
     * @param shape switches and servers
     * @param bytes bytes of the all-reduce
     * @param channels attribute Channels
     * @return when it ends
     */
    template <typename A>
    Time Run(const CollnetShape& shape, uint64_t bytes, uint32_t channels)
    {
        NvlsTestJob job(shape.Build());
        return CollnetRunTestCase::Run(job, "ideal", bytes, CreateCollnet<A>(1000, 8, channels));
    }

    /**
     * To the network a rank sends the shares that it is the head of, and gets them back. In its
     * server it sends all others to their heads and hands those out to the others, and so the other
     * direction.
     *
     * @param shape switches and servers
     * @param channels attribute Channels
     */
    void CheckTraffic(const CollnetShape& shape, uint32_t channels)
    {
        const uint64_t bytes = 400003;
        NvlsTestJob job(shape.Build());
        CollnetRunTestCase::Run(job,
                                "rdma",
                                bytes,
                                CreateCollnet<CollnetDirectCollective>(20000, 8, channels));
        const uint32_t ranks = shape.CountRanks();
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            uint64_t network = 0;
            for (uint32_t channel = rank % shape.ranks; channel < channels; channel += shape.ranks)
            {
                network += BufferPart{0, bytes}.Cut(channels, channel).bytes;
            }
            const uint64_t server = (shape.ranks - 1) * network + (bytes - network);
            const uint32_t nvlink = ranks + shape.leaves * shape.spines + rank;
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[rank], network, "NIC of " << rank << ", up");
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[rank], network, "NIC of " << rank << ", down");
            NS_TEST_EXPECT_MSG_EQ(job.upPayload[nvlink], server, "NVLink of " << rank << ", up");
            NS_TEST_EXPECT_MSG_EQ(job.downPayload[nvlink], server, "NVLink of " << rank);
        }
    }

    /// NCCL's estimate: 31 us for the network, 3.7 us over NVLink, 0.4 us more for each other rank.
    void CheckLatency()
    {
        const auto costs = CreateObject<CollectiveCosts>();
        const auto wait = [&costs](uint32_t perServer) {
            return CreateObject<CollnetDirectCollective>()->GetTerms(CollectiveProtocol::SIMPLE,
                                                                     {4, perServer},
                                                                     *costs);
        };
        const auto terms = wait(8);
        NS_TEST_EXPECT_MSG_EQ(terms.launch - wait(1).launch, NanoSeconds(2 * 7 * 400), "arity");
        NS_TEST_EXPECT_MSG_EQ(terms.serverLatency, NanoSeconds(3700), "NVLink");
        NS_TEST_EXPECT_MSG_EQ(terms.networkLatency, Time(0), "the network, once for all chunks");
        const auto chain =
            CreateObject<CollnetChainCollective>()->GetTerms(CollectiveProtocol::SIMPLE,
                                                             {4, 1},
                                                             *costs);
        NS_TEST_EXPECT_MSG_EQ(wait(1).launch - chain.launch, MicroSeconds(1), "31 us, not 30");
    }
};

} // namespace

std::vector<TestCase*>
MakeCollnetRunTestCases()
{
    return {new CollnetExactTimeTestCase, new CollnetDirectTestCase, new CollnetTrafficTestCase};
}

} // namespace ns3
