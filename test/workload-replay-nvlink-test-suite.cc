/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"
#include "topology-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/replay-option-table.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// Time that a full packet of the tests takes at 400 Gb/s, a plane of NVL72.
constexpr int64_t PACKET = 81;

/**
 * @param world number of ranks
 * @param parameters servers and links
 * @return them at one switch
 */
TopologyGraph
Build(uint32_t world, const FabricParameters& parameters)
{
    return TopologyBuilder::Build(TopologySpec("single-switch"), world, parameters);
}

/**
 * @return GB200 NVL72: 900 GB/s per GPU and direction, 18 NVSwitches
 */
FabricParameters
MakeNvl72()
{
    FabricParameters parameters;
    parameters.gpusPerServer = 72;
    parameters.nvlinkRate = DataRate("7200Gbps");
    parameters.nvSwitches = 18;
    return parameters;
}

/**
 * @return two servers of DGX H100 in an NVLink Switch System, with 40 Gb/s more to divide evenly
 */
FabricParameters
MakeTwoLevels()
{
    FabricParameters parameters;
    parameters.gpusPerServer = 4;
    parameters.nvlinkRate = DataRate("800Gbps");
    parameters.nvSwitches = 2;
    parameters.nvlinkServers = 2;
    parameters.nvlinkOversubscription = 2;
    return parameters;
}

/**
 * @ingroup workload-replay-tests
 * @brief Nodes, links and routes.
 */
class NvlinkShapeTestCase : public TestCase
{
  public:
    NvlinkShapeTestCase()
        : TestCase("NVLink: planes and levels of NVSwitches")
    {
    }

  private:
    void DoRun() override
    {
        const auto rack = Build(72, MakeNvl72());
        NS_TEST_EXPECT_MSG_EQ(CountNodes(rack, "nvswitch0-"), 18, "two on each of nine trays");
        NS_TEST_EXPECT_MSG_EQ(rack.GetNLinks(), 72 * 18 + 72, "a link to each, and a NIC");
        const auto plane = FindNode(rack, "nvswitch0-17");
        NS_TEST_EXPECT_MSG_EQ(rack.GetLinksOf(plane).size(), 72, "ports of an NVLink switch");
        NS_TEST_EXPECT_MSG_EQ(rack.GetLink(rack.GetLinksOf(plane)[0]).rate,
                              DataRate("400Gbps"),
                              "50 GB/s, fifth generation");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(EcmpRouteTable(rack), 0, 71), 18, "one by each plane");

        const EcmpRouteTable two(Build(8, MakeTwoLevels()));
        const auto& graph = two.GetGraph();
        NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "nvspine0-"), 2, "one for each plane");
        const auto spine = FindNode(graph, "nvspine0-1");
        NS_TEST_EXPECT_MSG_EQ(PeersOf(graph, spine),
                              "nvswitch0-1 nvswitch1-1",
                              "planes stay apart");
        NS_TEST_EXPECT_MSG_EQ(graph.GetLink(graph.GetLinksOf(spine)[0]).rate,
                              DataRate("800Gbps"),
                              "4 ranks x 400 Gb/s / 2");
        NS_TEST_EXPECT_MSG_EQ(two.GetHopCount(0, 4), 4, "NVLink, though the switch is nearer");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(two, 0, 4), 2, "nothing by the switch");
        auto three = MakeTwoLevels();
        three.nvlinkServers = 1;
        NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(Build(8, three)).GetHopCount(0, 4), 2, "no domain");
        NS_TEST_EXPECT_MSG_EQ(CountNodes(Build(12, MakeTwoLevels()), "nvspine"),
                              2,
                              "a domain of one server has no second level");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages over several planes, packet by packet.
 */
class NvlinkRateTestCase : public RdmaTestCase
{
  public:
    NvlinkRateTestCase()
        : RdmaTestCase("NVLink: messages use all planes")
    {
    }

  private:
    /**
     * @param graph the fabric
     */
    void Start(const TopologyGraph& graph)
    {
        Reset();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(200)));
        Install(graph);
    }

    /**
     * Run, and check when the last message has arrived.
     *
     * @param expected when, without acknowledgements in the way
     * @param what which messages
     */
    void ExpectEnd(Time expected, const std::string& what)
    {
        Simulator::Run();
        ExpectAllDelivered();
        const auto end = m_fates[m_order.back()].arrivedAt;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(end, expected, what);
        NS_TEST_EXPECT_MSG_LT(end, expected * 1.06, what);
    }

    void DoRun() override
    {
        // A packet is stored once on its way, at the NVSwitch, between two links of 250 ns.
        const auto oneWay = NanoSeconds(PACKET + 2 * 250);
        Start(Build(72, MakeNvl72()));
        Post(Time(0), 0, 71, 18 * 100 * MTU);
        ExpectEnd(NanoSeconds(100 * PACKET) + oneWay, "one pair has the rate of 18 links");
        CheckSpread(100);
        CheckPaths();

        Start(Build(72, MakeNvl72()));
        for (uint32_t shift = 1; shift < 72; ++shift)
        {
            for (uint32_t rank = 0; rank < 72; ++rank)
            {
                Post(Time(0), rank, (rank + shift) % 72, 18 * MTU);
            }
        }
        ExpectEnd(NanoSeconds(71 * PACKET) + oneWay, "all-to-all of 72 at 71/72 of the buffer");

        // Two links of 400 Gb/s each per rank; four ranks share two of 800 Gb/s to the next server.
        Start(Build(8, MakeTwoLevels()));
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            Post(Time(0), rank, rank + 4, 2 * 200 * MTU);
        }
        ExpectEnd(NanoSeconds(200 * PACKET * 2 + 2 * PACKET + 4 * 250), "half the rate");
        CheckUnequal(oneWay);
        CheckFailure();
    }

    /**
     * @param packets packets that each plane was to carry from rank 0
     */
    void CheckSpread(uint64_t packets)
    {
        const auto& graph = m_fabric->GetNetwork()->GetGraph();
        for (const auto link : graph.GetLinksOf(0))
        {
            const auto counters = m_fabric->GetDevice(link, 0)->GetCounters();
            const uint64_t expected = graph.GetLink(link).nvlink ? packets : 0;
            NS_TEST_EXPECT_MSG_EQ(counters.packets, expected, "link " << link);
        }
    }

    /**
     * Two hosts at NVSwitches of 400 and 200 Gb/s: two packets in three take the first.
     *
     * @param oneWay how long a packet takes by the first
     */
    void CheckUnequal(Time oneWay)
    {
        TopologyGraph graph;
        graph.AddHost("h0", 0);
        graph.AddHost("h1", 0);
        for (const auto* rate : {"400Gbps", "200Gbps"})
        {
            const auto plane = graph.AddNvswitch(rate, 0);
            graph.AddLink(0, plane, DataRate(rate), NanoSeconds(250), true);
            graph.AddLink(1, plane, DataRate(rate), NanoSeconds(250), true);
        }
        Start(graph);
        // The second message begins with the other plane.
        Post(Time(0), 0, 1, 150 * MTU);
        Post(Time(0), 0, 1, 150 * MTU);
        ExpectEnd(NanoSeconds(200 * PACKET) + oneWay, "the rate of both planes");
        const uint64_t expected[] = {200, 100};
        for (const auto link : {0, 2})
        {
            NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(link, 0)->GetCounters().packets,
                                  expected[link / 2],
                                  "packets by rate, link " << link);
        }
    }

    /// From rank 0 to rank 71 there is a path by each of the 18 planes.
    void CheckPaths()
    {
        const auto network = m_fabric->GetNetwork();
        const auto& graph = network->GetGraph();
        std::set<uint32_t> planes;
        for (const auto& path : network->GetPlanePaths(0, 71, 0, true))
        {
            NS_TEST_ASSERT_MSG_EQ(path.size(), 2, "links of a path");
            const auto plane = graph.GetPeer(path[0], 0);
            NS_TEST_EXPECT_MSG_EQ(graph.GetPeer(path[1], 71), plane, "where its links meet");
            planes.insert(plane);
        }
        NS_TEST_EXPECT_MSG_EQ(planes.size(), 18, "planes");
    }

    /// A plane fails in mid-message and comes back: its part goes by another one after 100 us, when
    /// routes have followed.
    void CheckFailure()
    {
        auto parameters = MakeNvl72();
        parameters.gpusPerServer = 4;
        Start(Build(4, parameters));
        Post(Time(0), 0, 1, 18 * 1000 * MTU);
        Post(Time(0), 0, 1, 5);
        Post(Time(0), 0, 1, 0);
        const auto network = m_fabric->GetNetwork();
        Simulator::Schedule(MicroSeconds(20), &RdmaNetwork::SetLinkUp, network, 4, false);
        Simulator::Schedule(MicroSeconds(400), &RdmaNetwork::SetLinkUp, network, 4, true);
        Simulator::Run();
        ExpectAllDelivered();
        // Of the part's 1000 packets, 246 have left by then, or up to 64 more with their train.
        const Time first = MicroSeconds(120) + NanoSeconds((1000 - 246 - 64) * PACKET);
        const Time last = MicroSeconds(120) + NanoSeconds((1000 - 246 + 10) * PACKET);
        NS_TEST_EXPECT_MSG_GT(m_fates[0].arrivedAt, first, "not before the routes");
        NS_TEST_EXPECT_MSG_LT(m_fates[0].arrivedAt, last, "without a timeout");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Three packets at a time for one link, of which two wait, at switches that mark whatever
 * waits.
 */
class NvlinkMarkTestCase : public RdmaTestCase
{
  public:
    NvlinkMarkTestCase()
        : RdmaTestCase("NVLink: marks only if asked for")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::RdmaEcnMarker::Kmin", TimeValue(Time(0)));
        Config::SetDefault("ns3::RdmaEcnMarker::Kmax", TimeValue(Time(0)));
        ExpectMarks(0, "NVLink has no marks");
        Config::SetDefault("ns3::RdmaEcnMarker::NvlinkMarks", BooleanValue(true));
        ExpectMarks(2, "NVLink is to have marks");
        Config::Reset();
    }

    /**
     * @param expected marks of packets that stay in a server
     * @param what what is being looked at
     */
    void ExpectMarks(uint64_t expected, const std::string& what)
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 4;
        Reset();
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        Install(Build(8, parameters));
        for (const uint32_t sender : {1, 2, 3, 4, 5, 6})
        {
            Post(Time(0), sender, 0, MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        uint64_t inside = 0;
        uint64_t outside = 0;
        const auto& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                auto& marks = graph.GetLink(link).nvlink ? inside : outside;
                marks += m_fabric->GetDevice(link, node)->GetCounters().marks;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(inside, expected, what);
        NS_TEST_EXPECT_MSG_EQ(outside, 2, "the switch of the network marks, " << what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The perfect core: NVLinks of a rank are one port.
 */
class NvlinkIdealTestCase : public TransportTestCase
{
  public:
    NvlinkIdealTestCase()
        : TransportTestCase("NVLink: planes are one port of the perfect core")
    {
    }

  private:
    void DoRun() override
    {
        const auto graph = Build(72, MakeNvl72());
        const auto network = IdealFabricHelper().Install(graph);
        for (uint32_t rank = 0; rank < 72; ++rank)
        {
            auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(network, rank);
            AddRank(transport);
        }
        Post(Time(0), 0, 1, 900000);
        Simulator::Run();
        ExpectTimes(0, MicroSeconds(1), NanoSeconds(1000 + 2 * 250));
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What is refused.
 */
class NvlinkErrorTestCase : public TestCase
{
  public:
    NvlinkErrorTestCase()
        : TestCase("NVLink: what NVSwitches cannot be")
    {
    }

  private:
    /**
     * @param arguments a command line, without the world
     * @param expected what is wrong with it
     */
    void Expect(std::vector<std::string> arguments, const std::string& expected)
    {
        arguments.insert(arguments.end(), {"--world=16", "--dryRun"});
        const auto error =
            WorkloadErrorOf([&arguments] { CheckReplayOptions(ParseReplayOptions(arguments)); });
        NS_TEST_EXPECT_MSG_EQ(error, expected, arguments.front());
    }

    void DoRun() override
    {
        Expect({"--nvSwitches=4", "--transport=tcp"},
               "--nvSwitches: error: expected 1 with the transport tcp, which sends a connection "
               "over one link, found 4");
        Expect({"--nvlinkServers=2", "--fabric=h100"},
               "--nvlinkServers: error: expected 1 with a fabric, whose costs of collectives know "
               "no NVLink between servers, found 2");
        Expect({"--nvlinkOversubscription=2"},
               "--nvlinkOversubscription: error: expected no nvlinkOversubscription without "
               "nvlinkServers above 1, found one");
        FabricParameters parameters;
        parameters.nvlinkServers = 2;
        const auto build = [&parameters](const std::string& name) {
            return WorkloadErrorOf(
                [&] { TopologyBuilder::Build(TopologySpec(name), 16, parameters); });
        };
        NS_TEST_EXPECT_MSG_EQ(build("ring"),
                              "--topology: error: expected nvlinkServers of 1 for a ring, in which "
                              "ranks relay, found 2",
                              "ranks relay");
        parameters = MakeNvl72();
        parameters.gpusPerServer = 1;
        NS_TEST_EXPECT_MSG_EQ(build("clos"),
                              "--topology: error: expected one NVSwitch where there is no NVLink, "
                              "found nvSwitches 18",
                              "no NVLink");
        const auto set = ParseReplayOptions({"--fabric=gb200-nvl72"}).fabric;
        NS_TEST_EXPECT_MSG_EQ(set.gpusPerServer, 72, "GPUs of the set");
        NS_TEST_EXPECT_MSG_EQ(set.nvSwitches, 18, "NVSwitches of the set");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief NVLink domains.
 */
class WorkloadReplayNvlinkTestSuite : public TestSuite
{
  public:
    WorkloadReplayNvlinkTestSuite()
        : TestSuite("workload-replay-nvlink", TestSuite::Type::UNIT)
    {
        AddTestCase(new NvlinkShapeTestCase);
        AddTestCase(new NvlinkRateTestCase);
        AddTestCase(new NvlinkMarkTestCase);
        AddTestCase(new NvlinkIdealTestCase);
        AddTestCase(new NvlinkErrorTestCase);
    }
};

/// The suite registers itself.
WorkloadReplayNvlinkTestSuite g_workloadReplayNvlinkTestSuite;

} // namespace
