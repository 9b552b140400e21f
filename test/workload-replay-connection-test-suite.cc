/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/boolean.h"
#include "ns3/collective-bench-options.h"
#include "ns3/collective-bench.h"
#include "ns3/config.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/string.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Ranks at a switch.
constexpr uint32_t RANKS = 4;

/// Rate of their links.
const std::string RATE = "100Gbps";
/// What they take for a byte, ns.
constexpr double NS_PER_BYTE = 0.08;

/// Propagation delay of a link.
const Time DELAY = NanoSeconds(500);

/**
 * @ingroup workload-replay-tests
 * @brief An all-to-all under rings of another communicator: blocks to the ring's neighbour are as
 * fast as the others.
 *
 * Every port sends and receives by four connections that always have something to send, so that
 * each has a fourth of its rate.
 */
class ConnectionSharingTestCase : public RdmaTestCase
{
  public:
    /**
     * @param kind transport to use
     * @param bytesOnWire bytes that a block has there
     * @param tolerance share by which its time may be longer than that of these bytes at a fourth
     *                  of the rate; none may be shorter by more than a hundredth
     */
    ConnectionSharingTestCase(const std::string& kind, double bytesOnWire, double tolerance)
        : RdmaTestCase("connection: an all-to-all under rings over " + kind),
          m_kind(kind),
          m_expected(RANKS * bytesOnWire * NS_PER_BYTE),
          m_tolerance(tolerance)
    {
    }

    /// Bytes of a block: a fourth of an all-to-all of 1 MB.
    static constexpr uint32_t BLOCK = 256 << 10;

  private:
    void DoRun() override
    {
        Reset();
        const auto graph = MakeStar(RANKS, RATE, DELAY);
        if (m_kind == "rdma")
        {
            // Who has sent a train leaves turns to the others, who then have more than a fourth.
            m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
            Install(graph);
        }
        else if (m_kind == "ideal")
        {
            InstallIdeal(graph);
        }
        else
        {
            InstallTcp(graph);
        }
        PostMessages();
        Simulator::Run();
        ExpectAllDelivered();
        for (uint32_t number = RANKS; number < m_fates.size(); ++number)
        {
            const Fate& fate = m_fates[number];
            const double time = (fate.arrivedAt - fate.message.postedAt).ToDouble(Time::NS);
            const auto who = "block of rank " + std::to_string(fate.message.source) + " to rank " +
                             std::to_string(fate.message.destination);
            NS_TEST_EXPECT_MSG_GT(time, 0.99 * m_expected, who << " does not share");
            NS_TEST_EXPECT_MSG_LT(time, (1 + m_tolerance) * m_expected, who << " waits");
        }
    }

    void DoTeardown() override
    {
        RdmaTestCase::DoTeardown();
        m_tcp.reset();
    }

    /**
     * @param graph the fabric
     */
    void InstallIdeal(const TopologyGraph& graph)
    {
        const auto network = IdealFabricHelper().Install(graph);
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(network, rank);
            AddRank(transport);
        }
    }

    /**
     * @param graph the fabric
     */
    void InstallTcp(const TopologyGraph& graph)
    {
        m_tcp = std::make_unique<TcpFabricHelper>();
        m_tcp->Install(graph, FabricParameters());
        m_tcp->AssignStreams(1);
        auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            addresses->emplace_back(m_tcp->GetAddress(rank), 5000);
        }
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            auto transport = CreateObject<TcpMessageTransport>();
            transport->Install(m_tcp->GetHosts().Get(rank), rank, addresses);
            AddRank(transport);
        }
    }

    /// Rings of communicator 1, whose messages take 1.3 ms alone; blocks of communicator 2 in the
    /// midst of them.
    void PostMessages()
    {
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            Post(Time(0), rank, (rank + 1) % RANKS, 16 << 20, 0, 1);
        }
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            for (uint32_t distance = 1; distance < RANKS; ++distance)
            {
                Post(MicroSeconds(400), rank, (rank + distance) % RANKS, BLOCK, 0, 2);
            }
        }
    }

    std::string m_kind;                     //!< transport to use
    double m_expected;                      //!< time of a block, ns
    double m_tolerance;                     //!< share by which a block may take longer
    std::unique_ptr<TcpFabricHelper> m_tcp; //!< the fabric of TCP
};

/**
 * @ingroup workload-replay-tests
 * @brief A connection of several queue pairs: its messages take turns on them or are split over
 * them, and arrive in order, each when all of it has come.
 */
class ConnectionQueuePairsTestCase : public RdmaTestCase
{
  public:
    ConnectionQueuePairsTestCase()
        : RdmaTestCase("connection: several queue pairs")
    {
    }

  private:
    void DoRun() override
    {
        // A message of 100 packets at 10 Gb/s a queue pair: 3240 ns a packet.
        const uint32_t bytes = 100 * MTU;
        CheckTimes(1, false, {bytes, bytes}, {100, 200});
        // The second one goes by the other queue pair; a third one would be behind the first.
        CheckTimes(2, false, {bytes, bytes, bytes}, {100, 100, 200});
        CheckTimes(2, true, {bytes, bytes}, {50, 100});
        // A short message that has come early waits for the one before it.
        CheckTimes(2, false, {bytes, MTU}, {100, 100});
        // 128 bytes are not divided: the other parts are empty, and nothing waits for more.
        CheckTimes(4, true, {128, bytes}, {1, 26});
        CheckRandom(4, true);
        CheckRandom(4, false);
    }

    void DoTeardown() override
    {
        RdmaTestCase::DoTeardown();
        Config::Reset();
    }

    /**
     * Make two hosts.
     *
     * @param pairs queue pairs per connection
     * @param isSplit whether messages are split over them
     */
    void MakePair(uint32_t pairs, bool isSplit)
    {
        Reset();
        Config::SetDefault("ns3::RdmaMessageTransport::QpsPerConnection", UintegerValue(pairs));
        Config::SetDefault("ns3::RdmaMessageTransport::SplitDataOnQps", BooleanValue(isSplit));
        m_fabric->SetNicAttribute("PairRate", StringValue("10Gbps"));
        Install(MakeStar(2, RATE, DELAY));
    }

    /**
     * Send messages at once.
     *
     * @param pairs queue pairs per connection
     * @param isSplit whether messages are split over them
     * @param bytes bytes of the messages
     * @param packets how many packets after the beginning each is to arrive, by the clock of a
     *                queue pair
     */
    void CheckTimes(uint32_t pairs,
                    bool isSplit,
                    const std::vector<uint32_t>& bytes,
                    const std::vector<uint32_t>& packets)
    {
        MakePair(pairs, isSplit);
        for (const auto size : bytes)
        {
            Post(Time(0), 0, 1, size);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(0)->GetNSenders(), pairs, "one connection");
        for (std::size_t i = 0; i < packets.size(); ++i)
        {
            // The last packet leaves a packet earlier; it takes 324 ns twice, and the delays. Parts
            // of 128 bytes add one packet to a queue pair at most.
            const double end = 3240.0 * (packets[i] - 1) + 2 * 324 + 2 * 500;
            NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[i].arrivedAt.ToDouble(Time::NS),
                                      end,
                                      2 * 3240.0,
                                      "message " << i << " on " << pairs << " queue pairs");
        }
    }

    /**
     * Many messages of all sizes, in order on each connection.
     *
     * @param pairs queue pairs per connection
     * @param isSplit whether messages are split over them
     */
    void CheckRandom(uint32_t pairs, bool isSplit)
    {
        MakePair(pairs, isSplit);
        for (uint32_t number = 0; number < 1000; ++number)
        {
            Post(NanoSeconds(number / 3 * 100), 0, 1, number * 7919ULL % 50000, 0, number % 2);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(0)->GetNSenders(), 2 * pairs, "two connections");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Two hosts with a port in each of two planes: a message takes both, in half the time.
 */
class ConnectionPlanesTestCase : public RdmaTestCase
{
  public:
    ConnectionPlanesTestCase()
        : RdmaTestCase("connection: both ports of a NIC")
    {
    }

  private:
    void DoRun() override
    {
        CheckTimes("split", 1, 50, {50, 50});
        CheckTimes("queue-pair", 1, 100, {100, 0});
        CheckTimes("packet", 1, 50, {50, 50});
        // Two on each port; the messages take them in turn.
        CheckTimes("split", 2, 100, {100, 100});
    }

    void DoTeardown() override
    {
        RdmaTestCase::DoTeardown();
        Config::Reset();
    }

    /**
     * Send messages of 100 packets, one for each queue pair of a port.
     *
     * @param spraying the attribute PortSpraying
     * @param pairs the attribute QpsPerConnection
     * @param packets packets that the last one to come waits for, by the clock of a port
     * @param sent packets that the ports of the sender have sent, the one that sends more first
     */
    void CheckTimes(const std::string& spraying,
                    uint32_t pairs,
                    uint32_t packets,
                    const std::vector<uint64_t>& sent)
    {
        Reset();
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue(spraying));
        Config::SetDefault("ns3::RdmaMessageTransport::QpsPerConnection", UintegerValue(pairs));
        TopologyGraph graph;
        graph.AddHost("a");
        graph.AddHost("b");
        for (const auto* plane : {"p", "q"})
        {
            const uint32_t node = graph.AddSwitch(plane);
            graph.AddLink(0, node, DataRate(RATE), DELAY);
            graph.AddLink(1, node, DataRate(RATE), DELAY);
        }
        Install(graph);
        for (uint32_t message = 0; message < pairs; ++message)
        {
            Post(Time(0), 0, 1, 100 * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        // A packet takes 324 ns; the last one takes them twice, and the delays.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[pairs - 1].arrivedAt.ToDouble(Time::NS),
                                  324.0 * (packets + 1) + 2 * 500,
                                  2 * 324.0,
                                  spraying << ", " << pairs << " queue pairs a port");
        std::vector<uint64_t> counts{m_fabric->GetDevice(0, 0)->GetCounters().packets,
                                     m_fabric->GetDevice(2, 0)->GetCounters().packets};
        std::sort(counts.rbegin(), counts.rend());
        NS_TEST_EXPECT_MSG_EQ((counts == sent), true, spraying << ": packets by port");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Queue pairs that differ in anything have UDP source ports that differ, as far as there are
 * ports, and the dynamic ones.
 */
class ConnectionPortTestCase : public TestCase
{
  public:
    ConnectionPortTestCase()
        : TestCase("connection: UDP source ports")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<uint16_t> ports;
        for (uint32_t communicator = 0; communicator < 8; ++communicator)
        {
            for (uint32_t channel = 0; channel < 32; ++channel)
            {
                for (uint32_t index = 0; index < 4; ++index)
                {
                    ports.push_back(RdmaUdpSourcePort(communicator, channel, index));
                }
            }
        }
        std::sort(ports.begin(), ports.end());
        NS_TEST_EXPECT_MSG_GT_OR_EQ(ports.front(), 49152, "RFC 6335");
        const auto different = std::unique(ports.begin(), ports.end()) - ports.begin();
        // 1,024 of 16,384 ports drawn at random are 993 different ones on average.
        NS_TEST_EXPECT_MSG_GT(different, 960, "as good as drawn at random");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Where nothing but the ports is busy, no collective ends earlier over rdma than on the
 * ideal network, nor much later than the bytes of its headers explain.
 */
class IdealBoundTestCase : public TestCase
{
  public:
    IdealBoundTestCase()
        : TestCase("connection: the ideal network bounds rdma")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::vector<std::string>> rows{
            {"--ranks=8", "--gpusPerServer=1", "--collective=ring"},
            {"--ranks=8", "--gpusPerServer=1", "--collective=tree"},
            {"--ranks=8", "--gpusPerServer=1", "--collective=halving-doubling"},
            {"--ranks=8", "--gpusPerServer=1", "--kind=all-to-all"},
            {"--ranks=8", "--kind=all-to-all"},
            {"--ranks=16", "--collective=ring"},
            {"--ranks=16", "--topology=dual-plane", "--gpusPerServer=1", "--collective=ring"},
            {"--ranks=16", "--gpusPerServer=1", "--topology=torus:dims=4x4", "--collective=bucket"},
        };
        for (const auto& row : rows)
        {
            const double ideal = GetTime(row, "ideal");
            const double rdma = GetTime(row, "rdma");
            // 82 bytes of headers and gap with each 4096 of payload; a twentieth for filling the
            // switches, packet by packet.
            const double headers =
                (4096 + RdmaLinkLayer::ETHERNET.headers + RdmaLinkLayer::ETHERNET.gap) /
                static_cast<double>(4096);
            NS_TEST_EXPECT_MSG_LT(ideal, rdma, row.back() << ": not a bound");
            NS_TEST_EXPECT_MSG_LT(rdma, ideal * headers * 1.05, row.back() << ": not a close one");
        }
    }

    void DoTeardown() override
    {
        Config::Reset();
    }

    /**
     * @param row arguments of wl-collective
     * @param transport transport to use
     * @return time of a collective of 4 MiB, us
     */
    static double GetTime(std::vector<std::string> row, const std::string& transport)
    {
        row.insert(row.end(),
                   {"--transport=" + transport, "--minBytes=4MiB", "--maxBytes=4MiB", "--csv"});
        std::ostringstream table;
        CollectiveBench(ParseCollectiveBenchOptions(row)).Run(table, table);
        const auto text = table.str();
        // The header, then size_bytes, count, time_us and others.
        auto begin = text.find('\n');
        for (int column = 0; column < 2; ++column)
        {
            begin = text.find(',', begin + 1);
        }
        return std::stod(text.substr(begin + 1));
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Connections of all transports.
 */
class WorkloadReplayConnectionTestSuite : public TestSuite
{
  public:
    WorkloadReplayConnectionTestSuite()
        : TestSuite("workload-replay-connection", TestSuite::Type::UNIT)
    {
        constexpr double block = ConnectionSharingTestCase::BLOCK;
        AddTestCase(new ConnectionSharingTestCase("ideal", block, 0.02));
        // Packets of 4050 bytes with 3968 of payload.
        AddTestCase(new ConnectionSharingTestCase("rdma", block * 4050 / 3968, 0.05));
        AddTestCase(new ConnectionSharingTestCase("tcp", block * 1500 / 1460, 1));
        AddTestCase(new ConnectionQueuePairsTestCase);
        AddTestCase(new ConnectionPlanesTestCase);
        AddTestCase(new ConnectionPortTestCase);
        AddTestCase(new IdealBoundTestCase);
    }
};

/// Registers the suite.
WorkloadReplayConnectionTestSuite g_workloadReplayConnectionTestSuite;

} // namespace
