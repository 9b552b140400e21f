/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-test-tools.h"

#include "ns3/background-traffic.h"
#include "ns3/chunk-pipeline.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-ecn-marker.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/rdma-routing.h"
#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/topology-graph.h"
#include "ns3/traffic-pattern.h"
#include "ns3/workload-program.h"
#include "ns3/workload.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A congestion control that is no part of the module, and may be wrong.
 */
class MistakenControl : public RdmaCongestionControl
{
  public:
    /**
     * Register the class when it is needed, so that it is in no list of other suites.
     *
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::MistakenControl")
                                .SetParent<RdmaCongestionControl>()
                                .AddConstructor<MistakenControl>();
        return tid;
    }

    /// Line rate or less, and a pause that may be none.
    class Rate : public RdmaFixedRateControl
    {
      public:
        using RdmaFixedRateControl::RdmaFixedRateControl;

        Time GetPause(Time now [[maybe_unused]], Time usual) override
        {
            return pause.value_or(usual);
        }
    };

    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& /* path */) const override
    {
        return hasRate ? std::make_unique<Rate>(rate, window) : nullptr;
    }

    static std::optional<Time> pause; //!< time between packets; absent = as the rate has it
    static bool hasRate;              //!< whether queue pairs have a rate control
    static double rate;               //!< the rate, bit/s
    static uint64_t window;           //!< the window, bytes
};

std::optional<Time> MistakenControl::pause;
bool MistakenControl::hasRate = true;
double MistakenControl::rate = 0;
uint64_t MistakenControl::window = 0;

/**
 * @ingroup workload-replay-tests
 * @brief Sends packets where it is told to.
 */
class MistakenChoice : public RdmaPathChoice
{
  public:
    /**
     * @param port number of the port
     * @param target node that packets are to go by way of
     */
    MistakenChoice(uint32_t port, uint32_t target)
        : m_port(port),
          m_target(target)
    {
    }

    uint32_t FindTarget(RdmaPacket& /* packet */, const RdmaNetwork& /* network */) override
    {
        return m_target;
    }

    uint32_t Choose(const RdmaPacket& /* packet */, const RdmaNextHops& /* hops */) override
    {
        return m_port;
    }

  private:
    uint32_t m_port;   //!< number of the port
    uint32_t m_target; //!< node that packets are to go by way of
};

/**
 * @ingroup workload-replay-tests
 * @brief A routing that is no part of the module, and may be wrong.
 */
class MistakenRouting : public RdmaRouting
{
  public:
    /// Stands for a choice that is not there.
    static constexpr uint32_t NONE = UINT32_MAX;

    /**
     * Register the class when it is needed.
     *
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::MistakenRouting")
                                .SetParent<RdmaRouting>()
                                .AddConstructor<MistakenRouting>();
        return tid;
    }

    bool Reorders() const override
    {
        return true;
    }

    bool TakesDetours() const override
    {
        return target != NONE;
    }

    std::unique_ptr<RdmaPathChoice> Create(uint32_t /* node */, uint64_t /* salt */) const override
    {
        return port == NONE ? nullptr : std::make_unique<MistakenChoice>(port, target);
    }

    static uint32_t port;   //!< port that all nodes choose; NONE = they have no choice
    static uint32_t target; //!< node that packets go by way of; NONE = by shortest paths
};

uint32_t MistakenRouting::port = 0;
uint32_t MistakenRouting::target = MistakenRouting::NONE;

/// When the last message of a run has arrived.
Time g_arrival;

/// A message has arrived.
void
NoteArrival(const Message& /* message */)
{
    g_arrival = Simulator::Now();
}

/// A message is sent.
void
IgnoreSent(uint64_t /* cookie */)
{
}

/**
 * Send a message from one host to another one over a switch, by links of a byte a nanosecond that
 * are 10 us long; two lead from the switch to the receiver.
 *
 * @param packets packets of 4096 bytes
 * @return when it has arrived
 */
Time
SendOverSwitch(uint64_t packets)
{
    TopologyGraph graph;
    const auto a = graph.AddHost("a");
    const auto b = graph.AddHost("b");
    const auto s = graph.AddSwitch("s");
    graph.AddLink(a, s, DataRate("8Gbps"), MicroSeconds(10));
    graph.AddLink(s, b, DataRate("8Gbps"), MicroSeconds(10));
    graph.AddLink(s, b, DataRate("8Gbps"), MicroSeconds(10));
    RdmaFabricHelper fabric;
    fabric.SetCongestionControl(MistakenControl::GetTypeId().GetName());
    fabric.SetRouting(MistakenRouting::GetTypeId().GetName());
    g_arrival = Time();
    fabric.Install(graph);
    for (const auto& transport : fabric.GetTransports())
    {
        transport->SetCallbacks(MakeCallback(&NoteArrival), MakeCallback(&IgnoreSent));
    }
    Message message;
    message.destination = 1;
    message.bytes = packets * 4096;
    fabric.GetTransports()[0]->Send(message);
    Simulator::Run();
    return g_arrival;
}

/**
 * @return what is said of a message over the switch that cannot be sent
 */
std::string
FindMistake()
{
    const auto error = WorkloadErrorOf([] { SendOverSwitch(1); });
    Simulator::Destroy();
    return error;
}

/**
 * @ingroup workload-replay-tests
 * @brief Windows of fewer packets than an acknowledgement stands for do not stall.
 *
 * A packet of 4096 bytes has 4178 on the wire, its acknowledgement 86: as many nanoseconds at 8
 * Gb/s. A round trip over two links each way is 40 us, two packet times and two of the
 * acknowledgement.
 */
class SmallWindowTestCase : public TestCase
{
  public:
    SmallWindowTestCase()
        : TestCase("strategies of others: small windows")
    {
    }

  private:
    void DoRun() override
    {
        MistakenControl::hasRate = true;
        MistakenControl::rate = 1e12;
        MistakenRouting::port = 0;
        MistakenRouting::target = MistakenRouting::NONE;
        const auto packet = NanoSeconds(4178);
        const auto roundTrip = MicroSeconds(40) + packet * 2 + NanoSeconds(86) * 2;
        const auto oneWay = MicroSeconds(20) + packet * 2;
        for (const uint64_t window : {1, 100, 4096})
        {
            MistakenControl::window = window;
            NS_TEST_EXPECT_MSG_EQ(SendOverSwitch(100),
                                  roundTrip * 99 + oneWay,
                                  "a packet a round trip, window " << window);
            Simulator::Destroy();
        }
        for (const uint64_t packets : {2, 3})
        {
            MistakenControl::window = packets * 4096;
            NS_TEST_EXPECT_MSG_EQ(SendOverSwitch(packets * 20),
                                  roundTrip * 19 + oneWay + packet * (packets - 1),
                                  packets << " packets a round trip");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Congestion controls that say what none may.
 */
class MistakenControlTestCase : public TestCase
{
  public:
    MistakenControlTestCase()
        : TestCase("strategies of others: congestion controls that are wrong")
    {
    }

  private:
    void DoRun() override
    {
        const std::string start = "ns3::MistakenControl: error: expected ";
        MistakenRouting::port = 0;
        MistakenRouting::target = MistakenRouting::NONE;
        MistakenControl::hasRate = true;
        MistakenControl::window = RdmaRateControl::NO_WINDOW;
        const std::string rate = start + "a rate above 0 from GetRate(), found ";
        MistakenControl::rate = 0;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(), rate + "0 bit/s", "no rate");
        MistakenControl::rate = -5e9;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(), rate + "-5e+09 bit/s", "a negative one");
        MistakenControl::rate = std::numeric_limits<double>::quiet_NaN();
        NS_TEST_EXPECT_MSG_EQ(FindMistake(), rate + "nan bit/s", "no number");
        MistakenControl::rate = 1e9;
        const std::string pause =
            start +
            "a pause of 0 or more, which simulations see the end of, from GetPause(), found ";
        MistakenControl::pause = MicroSeconds(-2);
        NS_TEST_EXPECT_MSG_EQ(FindMistake(), pause + "-2e-06s", "before now");
        MistakenControl::pause = Time::Max();
        NS_TEST_EXPECT_MSG_EQ(FindMistake().substr(0, pause.size()), pause, "never");
        MistakenControl::pause.reset();
        NS_TEST_EXPECT_MSG_EQ(FindMistake(), "no error", "as the rate has it");
        MistakenControl::window = 0;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(),
                              start + "a window of at least 1 byte from GetWindow(), found 0",
                              "nothing may be sent");
        MistakenControl::hasRate = false;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(),
                              start + "an RdmaRateControl from Create(), found none",
                              "no control");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Routings that name ports and nodes that are not there.
 */
class MistakenRoutingTestCase : public TestCase
{
  public:
    MistakenRoutingTestCase()
        : TestCase("strategies of others: routings that are wrong")
    {
    }

  private:
    void DoRun() override
    {
        const std::string start = "ns3::MistakenRouting: error: expected ";
        MistakenControl::hasRate = true;
        MistakenControl::rate = 1e11;
        MistakenControl::window = RdmaRateControl::NO_WINDOW;
        MistakenRouting::target = MistakenRouting::NONE;
        MistakenRouting::port = 1;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(), "no error", "the second of two ports");
        MistakenRouting::port = 2;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(),
                              start + "from Choose() at node 2 a port from 0 to 1, found 2",
                              "a third one");
        MistakenRouting::port = 0;
        MistakenRouting::target = 3;
        const std::string target = "another node, from 0 to 2, found ";
        NS_TEST_EXPECT_MSG_EQ(FindMistake(),
                              start + "from FindTarget() at node 0 " + target + "3",
                              "a node that is not there");
        MistakenRouting::target = 2;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(),
                              start + "from FindTarget() at node 2 " + target + "2",
                              "the switch, when a packet is there");
        MistakenRouting::port = MistakenRouting::NONE;
        NS_TEST_EXPECT_MSG_EQ(FindMistake(),
                              start + "an RdmaPathChoice from Create(), found none",
                              "no choice");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Background flows that are none.
 */
class MistakenFlowTestCase : public TestCase
{
  public:
    MistakenFlowTestCase()
        : TestCase("strategies of others: background flows that are wrong")
    {
    }

  private:
    void DoRun() override
    {
        const std::string expected =
            "TrafficPattern::Next(): error: expected a byte or more from one to another of the "
            "hosts 0 to 1, not before the flow before it, found ";
        Check({{Time(0), 1, 1, 8}}, expected + "8 bytes from host 1 to host 1 at +0us");
        Check({{Time(0), 0, 2, 8}}, expected + "8 bytes from host 0 to host 2 at +0us");
        Check({{Time(0), 2, 0, 8}}, expected + "8 bytes from host 2 to host 0 at +0us");
        Check({{MicroSeconds(3), 0, 1, 0}}, expected + "0 bytes from host 0 to host 1 at +3us");
        Check({{MicroSeconds(-3), 0, 1, 8}}, expected + "8 bytes from host 0 to host 1 at -3us");
        Check({{MicroSeconds(3), 0, 1, 8}, {MicroSeconds(2), 1, 0, 8}},
              expected + "8 bytes from host 1 to host 0 at +2us");
        Check({{MicroSeconds(3), 0, 1, 8}, {MicroSeconds(3), 1, 0, 8}}, "no error");
    }

    /**
     * @param flows flows between two hosts
     * @param expected what is said of them
     */
    void Check(const std::vector<BackgroundFlow>& flows, const std::string& expected)
    {
        const LossAllowed lossAllowed;
        const auto error = WorkloadErrorOf([&flows] {
            TopologyGraph graph;
            const auto a = graph.AddHost("a");
            graph.AddLink(a, graph.AddHost("b"), DataRate("100Gbps"), MicroSeconds(1));
            RdmaFabricHelper fabric;
            fabric.Install(graph);
            BackgroundTraffic background(fabric.GetHosts(), fabric.GetTransports(), 0);
            background.Add(std::make_unique<ListedTraffic>(flows), {});
            Simulator::Run();
        });
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(error, expected, "flows");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief An ECN marker that is no part of the module.
 */
class MistakenMarker : public RdmaEcnMarker
{
  public:
    /**
     * @param probability what it gives for any queue
     */
    explicit MistakenMarker(double probability)
        : m_probability(probability)
    {
    }

    double GetProbability(uint64_t /* queue */, DataRate /* rate */) const override
    {
        return m_probability;
    }

  private:
    double m_probability; //!< what it gives for any queue
};

/**
 * @ingroup workload-replay-tests
 * @brief Probabilities that are none.
 */
class MistakenMarkerTestCase : public TestCase
{
  public:
    MistakenMarkerTestCase()
        : TestCase("strategies of others: ECN markers that are wrong")
    {
    }

  private:
    void DoRun() override
    {
        const std::string start = "ns3::RdmaEcnMarker: error: expected a probability from 0 to 1 "
                                  "from GetProbability(), found ";
        NS_TEST_EXPECT_MSG_EQ(Ask(0), "no error", "never");
        NS_TEST_EXPECT_MSG_EQ(Ask(1), "no error", "always");
        NS_TEST_EXPECT_MSG_EQ(Ask(1.5), start + "1.5", "above 1");
        NS_TEST_EXPECT_MSG_EQ(Ask(-1), start + "-1", "below 0");
        NS_TEST_EXPECT_MSG_EQ(Ask(std::numeric_limits<double>::quiet_NaN()), start + "nan", "none");
    }

    /**
     * @param probability a probability
     * @return what is said of a marker that gives it
     */
    static std::string Ask(double probability)
    {
        return WorkloadErrorOf([probability] {
            const auto random = CreateObject<UniformRandomVariable>();
            CreateObject<MistakenMarker>(probability)->Mark(1000, DataRate("1Gbps"), *random);
        });
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Graphs, plans and jobs that cannot be, as a generator, an algorithm or a reader may make
 *        them.
 */
class MistakenPartsTestCase : public TestCase
{
  public:
    MistakenPartsTestCase()
        : TestCase("strategies of others: graphs, plans and jobs that are wrong")
    {
    }

  private:
    void DoRun() override
    {
        const std::string link = "TopologyGraph::AddLink(): error: expected ";
        const std::string nodes = link + "two nodes below 2, which have been added before, found ";
        NS_TEST_EXPECT_MSG_EQ(Link(0, 2, 1, 0), nodes + "0 and 2", "a node that is not there");
        NS_TEST_EXPECT_MSG_EQ(Link(1, 1, 1, 0), nodes + "1 and 1", "itself");
        const std::string values =
            link + "a rate above 0 and a delay of at least 0 from a to b, found ";
        NS_TEST_EXPECT_MSG_EQ(Link(0, 1, 0, 5), values + "0 bit/s and 5000 ps", "no rate");
        NS_TEST_EXPECT_MSG_EQ(Link(0, 1, 8, -5), values + "8 bit/s and -5000 ps", "no delay");
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([] { MakePair().SetLossRate(0, 1.5); }),
            "TopologyGraph::SetLossRate(): error: expected a link below 1 and a share from 0 to 1, "
            "found 0 and 1.500000",
            "more than all packets lost");
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([] {
                BufferPart{0, 8}.Cut(2, 2);
            }),
            "BufferPart::Cut(): error: expected a part below the number of parts, 2, found 2",
            "a part that is not there");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([] {
                                  BufferPart{0, 8}.Cut(0, 4);
                              }).empty(),
                              false,
                              "no parts");
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([] { Workload("mine", "job", {}).SetRank(1, nullptr, {}); }),
            "job: error: expected ranks below 1, the size of the world, found "
            "rank 1",
            "a rank that is not there");
    }

    /**
     * @return two hosts and a link between them
     */
    static TopologyGraph MakePair()
    {
        TopologyGraph graph;
        const auto a = graph.AddHost("a");
        graph.AddLink(a, graph.AddHost("b"), DataRate(8), NanoSeconds(5));
        return graph;
    }

    /**
     * @param a a node
     * @param b another one
     * @param rate rate of a link between them, bit/s
     * @param delay its delay, ns
     * @return what is said of the link, added to two hosts and one link
     */
    static std::string Link(uint32_t a, uint32_t b, uint64_t rate, int64_t delay)
    {
        return WorkloadErrorOf(
            [&] { MakePair().AddLink(a, b, DataRate(rate), NanoSeconds(delay)); });
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Transports in another order than that of hosts.
 */
class MistakenPlacesTestCase : public TestCase
{
  public:
    MistakenPlacesTestCase()
        : TestCase("scripts: transports of other ranks")
    {
    }

  private:
    void DoRun() override
    {
        const auto job = std::make_shared<Workload>("mine", "job", MakeLayout());
        const auto program = WorkloadProgramBuilder("job").Build();
        job->SetRank(0, program, {});
        job->SetRank(1, program, {});
        TopologyGraph graph;
        const auto a = graph.AddHost("a");
        graph.AddLink(a, graph.AddHost("b"), DataRate("8Gbps"), NanoSeconds(500));
        RdmaFabricHelper fabric;
        fabric.Install(graph);
        const auto& inOrder = fabric.GetTransports();
        const std::vector<Ptr<MessageTransport>> reversed(inOrder.rbegin(), inOrder.rend());
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([&] { ReplayHelper(job).Install(fabric.GetHosts(), reversed); }),
            "ReplayHelper::Install(): error: expected the transports in the order of the fabric's "
            "hosts (MergeJobs() places ranks on any of them), found another host's for rank 0",
            "reversed");
        NS_TEST_EXPECT_MSG_EQ(ReplayHelper(job).Install(fabric.GetHosts(), inOrder).GetN(),
                              2,
                              "in order");
        Simulator::Destroy();
    }

    /**
     * @return two ranks
     */
    static ParallelLayout MakeLayout()
    {
        ParallelLayout layout;
        layout.world = layout.dp = 2;
        return layout;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A script that sends a message and wants no upcalls.
 *
 * A packet of 4096 bytes has 4178 on the wire: as many nanoseconds at 8 Gb/s.
 */
class NoCallbacksTestCase : public TestCase
{
  public:
    NoCallbacksTestCase()
        : TestCase("scripts: messages without callbacks")
    {
    }

  private:
    void DoRun() override
    {
        TopologyGraph graph;
        const auto a = graph.AddHost("a");
        graph.AddLink(a, graph.AddHost("b"), DataRate("8Gbps"), NanoSeconds(500));
        RdmaFabricHelper fabric;
        fabric.Install(graph);
        g_arrival = Time();
        fabric.GetTransports()[1]->TraceConnectWithoutContext("Arrived",
                                                              MakeCallback(&NoteArrival));
        Message message;
        message.destination = 1;
        message.bytes = 4096;
        fabric.GetTransports()[0]->Send(message);
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(g_arrival, NanoSeconds(4678), "it arrives all the same");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What a class of a user of the module may get wrong is reported, by its name.
 */
class WorkloadReplayMistakeTestSuite : public TestSuite
{
  public:
    WorkloadReplayMistakeTestSuite()
        : TestSuite("workload-replay-mistake", Type::UNIT)
    {
        AddTestCase(new MistakenMarkerTestCase);
        AddTestCase(new MistakenPartsTestCase);
        AddTestCase(new MistakenPlacesTestCase);
        AddTestCase(new NoCallbacksTestCase);
        AddTestCase(new SmallWindowTestCase);
        AddTestCase(new MistakenControlTestCase);
        AddTestCase(new MistakenRoutingTestCase);
        AddTestCase(new MistakenFlowTestCase);
    }
};

/// Registers the suite.
WorkloadReplayMistakeTestSuite g_workloadReplayMistakeTestSuite;

} // namespace
