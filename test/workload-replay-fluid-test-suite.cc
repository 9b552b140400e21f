/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-deferral-test-cases.h"
#include "rdma-test-case.h"

#include "ns3/double.h"
#include "ns3/fluid-acknowledger.h"
#include "ns3/fluid-share.h"
#include "ns3/rdma-sender.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-spec.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Bytes of a full packet on the wire, and the time that it takes at 100 Gb/s.
/// @{
constexpr uint64_t WIRE = 4050;
const Time PACKET = NanoSeconds(324);

/// @}

/**
 * @ingroup workload-replay-tests
 * @brief Capacities are divided max-min fairly.
 */
class FluidShareTestCase : public TestCase
{
  public:
    FluidShareTestCase()
        : TestCase("fluid: shares")
    {
    }

  private:
    /**
     * @param capacity what there is
     * @param limits what each takes at most
     * @param expected what each gets, found by hand
     */
    void Expect(double capacity, std::vector<double> limits, std::vector<double> expected)
    {
        FluidShare share;
        NS_TEST_EXPECT_MSG_EQ((share.Divide(capacity, limits) == expected), true, capacity);
    }

    void DoRun() override
    {
        Expect(10, {}, {});
        Expect(12, {20, 20, 20}, {4, 4, 4});
        Expect(10, {9, 2, 9}, {4, 2, 4});
        Expect(12, {20, 3, 2}, {7, 3, 2});
        Expect(12, {5, 3, 2}, {5, 3, 2});
        Expect(0, {5, 3}, {0, 0});
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that send messages through a fluid.
 */
class FluidTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Begin a fabric anew.
     *
     * @param protocol TypeId name of the protocol
     * @param control TypeId name of the congestion control
     */
    void Begin(const std::string& protocol, const std::string& control)
    {
        Reset();
        m_fabric->SetProtocol(protocol);
        m_fabric->SetCongestionControl(control);
        if (protocol != "ns3::FluidProtocol")
        {
            m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        }
    }

    /// Run until all is over.
    void Run()
    {
        Simulator::Run();
        ExpectAllDelivered();
    }

    /**
     * @return when the last message has arrived
     */
    Time GetLastArrival() const
    {
        Time last;
        for (const auto& fate : m_fates)
        {
            last = Max(last, fate.arrivedAt);
        }
        return last;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Where nothing is congested messages take as long as packets, and are counted as they are.
 */
class FluidLoneTestCase : public FluidTestCase
{
  public:
    FluidLoneTestCase()
        : FluidTestCase("fluid: messages that meet nobody take as long as packets")
    {
    }

  private:
    /// Messages of one queue pair, of all sizes, at once and one by one.
    void PostAll()
    {
        Post(MicroSeconds(1), 0, 1, 10 * MTU);
        Post(MicroSeconds(1), 0, 1, 0);
        Post(MicroSeconds(1), 0, 1, 1);
        Post(MicroSeconds(1), 0, 1, 3 * MTU + 100);
        Post(MicroSeconds(50), 1, 2, 1000);
        Post(MicroSeconds(100), 2, 0, 100 * MTU);
    }

    void DoRun() override
    {
        std::vector<Fate> packets;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Begin(protocol, "ns3::RdmaNoCongestionControl");
            Install(MakeStar(3, "100Gbps", MicroSeconds(1)));
            PostAll();
            Run();
            if (packets.empty())
            {
                packets = m_fates;
                continue;
            }
            // Two links of 1 us, and the last packet waits at the switch until it has come whole.
            NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                                  MicroSeconds(1) + PACKET * 11 + MicroSeconds(2),
                                  "closed form");
            for (std::size_t i = 0; i < packets.size(); ++i)
            {
                // Sending times of small packets are rounded up at each port.
                const int64_t late = (m_fates[i].arrivedAt - packets[i].arrivedAt).GetNanoSeconds();
                NS_TEST_EXPECT_MSG_EQ((std::abs(late) <= 3), true, i << ": " << late << " ns");
            }
            const auto counters = m_fabric->GetDevice(0, 0)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.packets, 10 + 1 + 1 + 4, "of the port of host 0");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Flows that share ports and links take as long as closed forms say.
 */
class FluidSharingTestCase : public FluidTestCase
{
  public:
    FluidSharingTestCase()
        : FluidTestCase("fluid: ports are shared, queues grow, delay and hold back")
    {
    }

  private:
    void DoRun() override
    {
        ShareSource();
        QueueAtSwitch();
        HoldBack();
        Relay();
    }

    /// Two messages leave one port: each has half of it until the shorter one has gone.
    void ShareSource()
    {
        Begin("ns3::FluidProtocol", "ns3::RdmaNoCongestionControl");
        Install(MakeStar(3, "100Gbps", MicroSeconds(1)));
        Post(Time(0), 0, 1, 100 * MTU);
        Post(Time(0), 0, 2, 50 * MTU);
        Run();
        Expect(0, PACKET * 150);
        Expect(1, PACKET * 100);
    }

    /**
     * @param number a message
     * @param left when its last byte has left its host, or the queue that it stands in
     */
    void Expect(uint32_t number, Time left)
    {
        const Time expected = left + MicroSeconds(2) + PACKET;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[number].arrivedAt.GetNanoSeconds(),
                                  expected.GetNanoSeconds(),
                                  2 + expected.GetNanoSeconds() / 1000,
                                  "message " << number);
    }

    /// A host sends as much as it relays for another one: its link carries both, one after the
    /// other as far as they have come.
    void Relay()
    {
        Begin("ns3::FluidProtocol", "ns3::RdmaNoCongestionControl");
        TopologyGraph graph;
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        graph.AddLink(0, 1, DataRate("100Gbps"), MicroSeconds(1));
        graph.AddLink(1, 2, DataRate("100Gbps"), MicroSeconds(1));
        graph.LetHostsRelay();
        Install(graph);
        Post(Time(0), 0, 2, 1000 * MTU);
        Post(Time(0), 1, 2, 1000 * MTU);
        Run();
        // Host 1 forwards at full rate before it sends anything of its own.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[0].arrivedAt.GetNanoSeconds(),
                                  (PACKET * 1001 + MicroSeconds(2)).GetNanoSeconds(),
                                  6000,
                                  "forwarded");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLastArrival().GetNanoSeconds(),
                                  (PACKET * 2000 + MicroSeconds(2)).GetNanoSeconds(),
                                  6000,
                                  "both over one link");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(1, 1)->GetCounters().packets, 2000, "of it");
    }

    /// Four hosts send to one at once: all have sent when a quarter has left the switch, which
    /// sends the rest for three times as long.
    void QueueAtSwitch()
    {
        Begin("ns3::FluidProtocol", "ns3::RdmaNoCongestionControl");
        Install(MakeStar(5, "100Gbps", MicroSeconds(1)));
        for (uint32_t host = 1; host < 5; ++host)
        {
            Post(Time(0), host, 0, 1000 * MTU);
        }
        Simulator::Schedule(PACKET * 500, [this] {
            const uint32_t direction = m_fabric->GetNetwork()->GetGraph().GetDirection(0, 5);
            NS_TEST_EXPECT_MSG_EQ_TOL(m_fabric->GetProtocol()->GetQueuedBytes(direction),
                                      1500.0 * WIRE,
                                      30 * WIRE,
                                      "half of them have come, and a quarter of these has left");
        });
        Run();
        for (uint32_t i = 0; i < 4; ++i)
        {
            Expect(i, PACKET * 4000);
        }
        const auto counters = m_fabric->GetDevice(0, 5)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.packets, 4000, "of the port to host 0");
        NS_TEST_EXPECT_MSG_EQ_TOL(counters.maxQueue, 3000.0 * WIRE, 30 * WIRE, "three quarters");
    }

    /**
     * Three hosts send to one whose port has little buffer, and one of them to another host.
     *
     * @param protocol TypeId name of the protocol
     */
    void SendPastFullBuffer(const std::string& protocol)
    {
        Begin(protocol, "ns3::RdmaNoCongestionControl");
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(1000000));
        Install(MakeStar(5, "100Gbps", MicroSeconds(1)));
        for (uint32_t host = 1; host < 4; ++host)
        {
            Post(Time(0), host, 0, 2000 * MTU);
        }
        Post(Time(0), 1, 4, 500 * MTU, 1);
        Run();
    }

    /// With a small buffer the hosts are held back: it takes no longer, but a message to another
    /// host waits in the memory of its own, whose port is paused.
    void HoldBack()
    {
        SendPastFullBuffer("ns3::RdmaRcProtocol");
        const Time packets = m_fates[3].arrivedAt;
        const Time paused = m_fabric->GetDevice(2, 2)->GetCounters().paused;
        SendPastFullBuffer("ns3::FluidProtocol");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLastArrival().GetNanoSeconds(),
                                  (PACKET * 6001 + MicroSeconds(2)).GetNanoSeconds(),
                                  2000,
                                  "the link to host 0 never rests");
        // Host 1 sends half of what it sends to host 4: at half of its rate that would take 1000
        // packets.
        NS_TEST_EXPECT_MSG_GT(m_fates[3].arrivedAt, PACKET * 1300, "held back");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[3].arrivedAt.GetSeconds(),
                                  packets.GetSeconds(),
                                  0.06 * packets.GetSeconds(),
                                  "as long as its packets");
        // Host 2 sends a third of what host 0 gets while its port is paused by turns.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fabric->GetDevice(2, 2)->GetCounters().paused.GetSeconds(),
                                  paused.GetSeconds(),
                                  0.1 * paused.GetSeconds(),
                                  "paused as long as with packets");
        // Three ports with alpha (pool - what all three hold) each.
        const auto& buffer = m_fabric->GetSwitch(5)->GetBuffer();
        const double pool = buffer.GetThreshold(3, 0);
        const double alpha = (pool - buffer.GetThreshold(3, 100000)) / 100000;
        const auto room = static_cast<uint64_t>(3 * pool / (1 + 3 * alpha));
        // What comes in the step in which it is found full, from three ports.
        const uint64_t step = 3 * 5000 * WIRE / 324;
        const auto counters = m_fabric->GetDevice(0, 5)->GetCounters();
        NS_TEST_EXPECT_MSG_LT(counters.maxQueue, room + step, "the buffer");
        NS_TEST_EXPECT_MSG_GT(counters.maxQueue, room * 9 / 10, "is used");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief With congestion control the fluid comes out as packets do, and keeps their laws.
 */
class FluidControlTestCase : public FluidTestCase
{
  public:
    FluidControlTestCase()
        : FluidTestCase("fluid: congestion control costs what it costs packets")
    {
    }

  private:
    void DoRun() override
    {
        // How far single runs of packets and fluid may differ, per cent.
        const std::pair<std::string, double> controls[]{{"RdmaNoCongestionControl", 10},
                                                        {"RdmaSwift", 10},
                                                        {"RdmaHpcc", 15},
                                                        {"RdmaDcqcn", 15}};
        for (const auto& [control, limit] : controls)
        {
            const Time packets = SendToAll("ns3::RdmaRcProtocol", "ns3::" + control);
            const double marks = CountMarks();
            const Time fluid = SendToAll("ns3::FluidProtocol", "ns3::" + control);
            NS_TEST_EXPECT_MSG_EQ_TOL(CountMarks(), marks, 100 + 0.5 * marks, control << ": marks");
            const double error =
                100 * (fluid.GetSeconds() - packets.GetSeconds()) / packets.GetSeconds();
            NS_TEST_EXPECT_MSG_LT(std::fabs(error), limit, control << ": " << error << " %");
            // 15 messages leave each port, and nothing is faster than its wire.
            NS_TEST_EXPECT_MSG_GT(fluid, PACKET * 15 * 400, control);
        }
    }

    /**
     * @return packets that all ports have marked
     */
    double CountMarks() const
    {
        double marks = 0;
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                marks += m_fabric->GetDevice(link, node)->GetCounters().marks;
            }
        }
        return marks;
    }

    /**
     * All hosts send to all others, at twice the rate of the links between leaves and spines.
     *
     * @param protocol TypeId name of the protocol
     * @param control TypeId name of the congestion control
     * @return when the last message has arrived
     */
    Time SendToAll(const std::string& protocol, const std::string& control)
    {
        Begin(protocol, control);
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        parameters.nicRate = DataRate("100Gbps");
        parameters.linkDelay = NanoSeconds(500);
        Install(TopologyBuilder::Build(TopologySpec("clos:leaves=4,oversubscription=2"),
                                       16,
                                       parameters));
        for (uint32_t distance = 1; distance < 16; ++distance)
        {
            for (uint32_t host = 0; host < 16; ++host)
            {
                Post(Time(0), host, (host + distance) % 16, 400 * MTU);
            }
        }
        Run();
        return GetLastArrival();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Congestion control hears in a fluid what it hears with packets, and when it does.
 */
class FluidFeedbackTestCase : public FluidTestCase
{
  public:
    FluidFeedbackTestCase()
        : FluidTestCase("fluid: senders hear of what arrives, recover, and know of full links")
    {
    }

  private:
    void DoRun() override
    {
        // Rates fall below what the port carries while the queue of the beginning empties: who is
        // told of it before it has arrived loses nothing.
        Compare("ns3::RdmaDcqcn", 8, Time(0), 8);
        // Windows that have become small grow in round trips, not messages.
        Compare("ns3::RdmaHpcc", 8, MilliSeconds(5), 8);
        // HPCC leaves 5 % of a link that nobody else uses.
        const Time alone = Compare("ns3::RdmaHpcc", 0, MilliSeconds(5), 2);
        NS_TEST_EXPECT_MSG_GT(alone, PACKET * 2000 * 103 / 100, "not all of it");
    }

    /**
     * Compare a fluid with packets: hosts that send to one at once, and one of them once more.
     *
     * @param control TypeId name of the congestion control
     * @param senders how many send at once
     * @param again when the first sends again; 0 = never
     * @param limit how much the last message may differ, per cent
     * @return how long it takes as a fluid
     */
    Time Compare(const std::string& control, uint32_t senders, Time again, double limit)
    {
        std::vector<Time> times;
        std::vector<double> queues;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Begin(protocol, control);
            Install(MakeStar(9, "100Gbps", NanoSeconds(250)));
            for (uint32_t host = 1; host <= senders; ++host)
            {
                Post(Time(0), host, 0, 1000 * MTU);
            }
            if (again.IsStrictlyPositive())
            {
                Post(again, 1, 0, 2000 * MTU);
            }
            Run();
            times.push_back(GetLastArrival() - again);
            queues.push_back(m_fabric->GetDevice(0, 9)->GetCounters().maxQueue);
        }
        // Windows, or the first notifications, end what comes into the first queue.
        NS_TEST_EXPECT_MSG_EQ_TOL(queues[1],
                                  queues[0],
                                  0.2 * queues[0] + 10 * WIRE,
                                  control << ": largest queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(times[1].GetSeconds(),
                                  times[0].GetSeconds(),
                                  limit / 100 * times[0].GetSeconds(),
                                  control << ", " << senders << " senders");
        return times[1];
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What links that go down cost: closed forms, and what packets take.
 */
class FluidFailureTestCase : public FluidTestCase
{
  public:
    FluidFailureTestCase()
        : FluidTestCase("fluid: links that go down lose what is there, and senders go back")
    {
    }

  private:
    /// A message, how the link on its way fails, and what the sender has.
    struct Failure
    {
        std::string name;     //!< for messages
        Time posted;          //!< when the message is posted
        uint64_t packets;     //!< its packets
        Time mended;          //!< when the link comes up again; 0 = never
        double inFlightLimit; //!< window, in bandwidth-delay products; 0 = none
        Time lost;            //!< what the failure costs
        int64_t repeated;     //!< packets sent again
        int64_t timeouts;     //!< timeouts
    };

    /// When the link goes down, when routes follow, and when senders give up to wait.
    /// @{
    const Time CUT = MicroSeconds(300);
    const Time CONVERGENCE = MicroSeconds(100);
    const Time TIMEOUT = MilliSeconds(1);

    /// @}

    /// Number of the leaf of host 0, see InstallDiamond().
    static constexpr uint32_t FIRST_LEAF = 3;

    void DoRun() override
    {
        // There and back over four links, and a packet waits at three switches.
        const Time roundTrip = PACKET * 4 + MicroSeconds(8);
        const Time whole = CONVERGENCE + roundTrip;
        const Time mended = CUT + MicroSeconds(50);
        const auto packets = [](Time time) { return time.GetTimeStep() / PACKET.GetTimeStep(); };
        // What follows on another way tells of what is missing.
        Fail({"a long message", Time(0), 4000, Time(0), 0, whole, packets(whole), 0});
        const Time repaired = mended - CUT + roundTrip;
        Fail({"mended", Time(0), 4000, mended, 0, repaired, packets(repaired), 0});
        // The routes return to the link long after it was mended: nothing more is lost.
        const Time returned = MicroSeconds(600);
        Fail({"returned to", Time(0), 4000, returned, 0, whole, packets(whole), 0});
        // Nothing follows: a message that is lost whole, and a window that is full.
        const Time posted = CUT + MicroSeconds(10);
        Fail({"a short message", posted, 200, Time(0), 0, TIMEOUT, 200, 1});
        Fail({"a window", Time(0), 4000, Time(0), 2, TIMEOUT, packets(roundTrip * 2), 1});
        GiveUp();
        ReturnWhileSlow();
        ChangeElsewhere();
    }

    /// A message that congestion has slowed down takes another path, and goes on recovering there.
    void ReturnWhileSlow()
    {
        const uint32_t cut = FindLinkInUse();
        std::vector<Time> times;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Begin(protocol, "ns3::RdmaDcqcn");
            InstallDiamond();
            Change(CUT, cut, false);
            Change(MilliSeconds(1), cut, true);
            Post(Time(0), 0, 1, 20000 * MTU);
            Post(Time(0), 2, 1, 500 * MTU);
            Run();
            times.push_back(GetLastArrival());
        }
        NS_TEST_EXPECT_MSG_GT(times[0], PACKET * 21000, "congestion costs something");
        NS_TEST_EXPECT_MSG_EQ_TOL(times[1].GetSeconds(),
                                  times[0].GetSeconds(),
                                  0.05 * times[0].GetSeconds(),
                                  "as long as its packets");
    }

    /// Links that a message does not take change nothing, be it slowed down or not.
    void ChangeElsewhere()
    {
        std::vector<Time> times;
        for (const bool isCut : {false, true})
        {
            Begin("ns3::FluidProtocol", "ns3::RdmaDcqcn");
            Install(MakeStar(4, "100Gbps", MicroSeconds(1)));
            if (isCut)
            {
                Change(CUT, 3, false);
                Change(MilliSeconds(1), 3, true);
            }
            Post(Time(0), 1, 0, 5000 * MTU);
            Post(Time(0), 2, 0, 500 * MTU);
            Run();
            times.push_back(GetLastArrival());
        }
        NS_TEST_EXPECT_MSG_EQ(times[1], times[0], "the same");
    }

    /**
     * @param failure what fails; it costs the same with packets
     */
    void Fail(const Failure& failure)
    {
        const uint32_t cut = FindLinkInUse();
        const Time alone =
            PACKET * static_cast<int64_t>(failure.packets + 3) + MicroSeconds(4) + failure.posted;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            const auto name = failure.name + ", " + protocol;
            Begin(protocol, "ns3::RdmaNoCongestionControl");
            m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(TIMEOUT));
            m_fabric->SetNicAttribute("InFlightLimit", DoubleValue(failure.inFlightLimit));
            InstallDiamond();
            Change(CUT, cut, false);
            if (failure.mended.IsStrictlyPositive())
            {
                Change(failure.mended, cut, true);
            }
            Post(failure.posted, 0, 1, failure.packets * MTU);
            Run();
            NS_TEST_EXPECT_MSG_EQ_TOL(GetLastArrival().GetNanoSeconds(),
                                      (alone + failure.lost).GetNanoSeconds(),
                                      15000,
                                      name);
            NS_TEST_EXPECT_MSG_EQ_TOL(m_repeated, failure.repeated, 30, name << ": sent again");
            NS_TEST_EXPECT_MSG_EQ(m_timeouts, failure.timeouts, name << ": timeouts");
            const auto port = m_fabric->GetNetwork()->GetPort(cut, FIRST_LEAF);
            NS_TEST_EXPECT_MSG_GT(port->GetCounters().drops, 0, name << ": told at the port");
        }
    }

    /// Hosts 0 and 2 at one leaf, host 1 at another one, and two spines.
    void InstallDiamond()
    {
        TopologyGraph graph;
        const uint32_t from = graph.AddHost("h0");
        const uint32_t to = graph.AddHost("h1");
        const uint32_t beside = graph.AddHost("h2");
        const uint32_t leaves[] = {graph.AddSwitch("leaf0"), graph.AddSwitch("leaf1")};
        graph.AddLink(from, leaves[0], DataRate("100Gbps"), MicroSeconds(1));
        graph.AddLink(to, leaves[1], DataRate("100Gbps"), MicroSeconds(1));
        graph.AddLink(beside, leaves[0], DataRate("100Gbps"), MicroSeconds(1));
        for (const std::string name : {"spine0", "spine1"})
        {
            const uint32_t spine = graph.AddSwitch(name);
            graph.AddLink(leaves[0], spine, DataRate("100Gbps"), MicroSeconds(1));
            graph.AddLink(leaves[1], spine, DataRate("100Gbps"), MicroSeconds(1));
        }
        Install(graph);
        Listen();
    }

    /// Count what the NIC of host 0 tells of.
    void Listen()
    {
        m_repeated = 0;
        m_timeouts = 0;
        m_failedAt = Time(0);
        const auto nic = m_fabric->GetNic(0);
        nic->TraceConnectWithoutContext("Retransmission",
                                        MakeCallback(&FluidFailureTestCase::Repeated, this));
        nic->TraceConnectWithoutContext("TimedOut",
                                        MakeCallback(&FluidFailureTestCase::TimedOut, this));
        nic->TraceConnectWithoutContext("QueuePairFailed",
                                        MakeCallback(&FluidFailureTestCase::Failed, this));
    }

    /**
     * @param packet a packet, or several, that are sent again
     */
    void Repeated(const RdmaPacket& packet)
    {
        m_repeated += packet.train.count;
    }

    /**
     * @param sender a queue pair
     * @param waited how long it has waited in vain
     */
    void TimedOut(const RdmaSender& sender [[maybe_unused]], Time waited [[maybe_unused]])
    {
        ++m_timeouts;
    }

    /**
     * @param source node of a queue pair that has given up
     * @param destination node that it sends to
     */
    void Failed(uint32_t source [[maybe_unused]], uint32_t destination [[maybe_unused]])
    {
        m_failedAt = Simulator::Now();
    }

    /**
     * @return link from the first leaf to the spine that messages take
     */
    uint32_t FindLinkInUse()
    {
        Begin("ns3::FluidProtocol", "ns3::RdmaNoCongestionControl");
        InstallDiamond();
        Post(Time(0), 0, 1, MTU);
        Run();
        const uint32_t first = 3;
        const uint32_t other = 5;
        const auto port = m_fabric->GetNetwork()->GetPort(first, FIRST_LEAF);
        return port->GetCounters().packets > 0 ? first : other;
    }

    /**
     * @param time when a link changes
     * @param link number of the link
     * @param up whether it comes up
     */
    void Change(Time time, uint32_t link, bool up)
    {
        Simulator::Schedule(time, &RdmaNetwork::SetLinkUp, m_fabric->GetNetwork(), link, up);
    }

    /// A host that is cut off for good: timeouts double, and after as many as there may be the
    /// queue pair ends.
    void GiveUp()
    {
        Begin("ns3::FluidProtocol", "ns3::RdmaNoCongestionControl");
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(TIMEOUT));
        m_fabric->SetNicAttribute("RetryLimit", UintegerValue(2));
        Install(MakeStar(2, "100Gbps", MicroSeconds(1)));
        Listen();
        Change(CUT, 1, false);
        Post(Time(0), 0, 1, 4000 * MTU);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_timeouts, 3, "two retries");
        NS_TEST_EXPECT_MSG_EQ(m_failedAt, CUT + TIMEOUT * 7, "1 + 2 + 4 timeouts");
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt.IsStrictlyPositive(), false, "it never comes");
    }

    int64_t m_repeated{0}; //!< packets sent again
    int64_t m_timeouts{0}; //!< timeouts
    Time m_failedAt;       //!< when a queue pair has given up; 0 = never
};

/**
 * @ingroup workload-replay-tests
 * @brief Congestion control that writes down when it hears of what.
 */
class FluidTestControl : public RdmaRateControl
{
  public:
    double GetRate(Time now [[maybe_unused]]) override
    {
        return 0;
    }

    void AckReceived(const RdmaAck& ack) override
    {
        acks.push_back(ack.now);
    }

    void CnpReceived(Time now) override
    {
        notifications.push_back(now);
    }

    std::vector<Time> acks;          //!< when acknowledgements have come
    std::vector<Time> notifications; //!< when notifications have
};

/**
 * @ingroup workload-replay-tests
 * @brief Where every packet is marked, notifications come at the least interval between two, the
 *        first at once, and acknowledgements as many and as evenly as packets do.
 */
class FluidAcknowledgerTestCase : public TestCase
{
  public:
    FluidAcknowledgerTestCase()
        : TestCase("fluid: acknowledgements and notifications")
    {
    }

  private:
    void DoRun() override
    {
        RdmaQueuePairConfig config;
        config.mtu = 4096;
        config.usesCnp = true;
        config.cnpInterval = MicroSeconds(50);
        FluidTestControl control;
        FluidAcknowledger acknowledger(config, control, 0);
        const Time step = MicroSeconds(5);
        for (int count = 1; count <= 200; ++count)
        {
            FluidFeedback feedback;
            feedback.now = (step * count).GetTimeStep();
            feedback.passed = static_cast<double>(step.GetTimeStep());
            feedback.arrived = 10 * 4000.0;
            feedback.marked = 1;
            // Ten packets of 4,000 bytes on the wire come in each step.
            acknowledger.Report(feedback, {feedback.passed, 0, 4000, false});
        }
        // At 5, 55, ..., 955 us of the millisecond.
        NS_TEST_ASSERT_MSG_EQ(control.notifications.size(), 20, "one in 50 us");
        for (std::size_t i = 0; i < control.notifications.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(control.notifications[i],
                                  MicroSeconds(5 + 50 * static_cast<int64_t>(i)),
                                  "notification " << i);
        }
        NS_TEST_ASSERT_MSG_EQ(control.acks.size(), 2000, "one for each packet");
        for (std::size_t i = 0; i < control.acks.size(); ++i)
        {
            // A packet each half microsecond, from the beginning on.
            const Time error = control.acks[i] - NanoSeconds(500 * (static_cast<int64_t>(i) + 1));
            NS_TEST_EXPECT_MSG_LT(Abs(error), NanoSeconds(2), "acknowledgement " << i);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages that move as a fluid.
 */
class WorkloadReplayFluidTestSuite : public TestSuite
{
  public:
    WorkloadReplayFluidTestSuite()
        : TestSuite("workload-replay-fluid", TestSuite::Type::UNIT)
    {
        AddTestCase(new FluidQueueHistoryTestCase);
        AddTestCase(new FluidDeferralTestCase);
        AddTestCase(new FluidShareTestCase);
        AddTestCase(new FluidAcknowledgerTestCase);
        AddTestCase(new FluidLoneTestCase);
        AddTestCase(new FluidSharingTestCase);
        AddTestCase(new FluidControlTestCase);
        AddTestCase(new FluidFeedbackTestCase);
        AddTestCase(new FluidFailureTestCase);
    }
};

WorkloadReplayFluidTestSuite g_workloadReplayFluidTestSuite; //!< the suite

} // namespace
