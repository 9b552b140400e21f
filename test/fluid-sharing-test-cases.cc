/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-test-cases.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

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
        WaitAtPausedLink();
        ShareBuffer();
        GoOnInQueue();
        Relay();
        PassWithinSteps();
        KeepBytes();
        PassSlower();
    }

    /// What six ports bring to two others waits in one buffer: its thresholds shrink by all of it.
    void ShareBuffer()
    {
        Begin();
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(8000000));
        InstallStar(8);
        for (uint32_t host = 0; host < 6; ++host)
        {
            Post(Time(0), host, 6 + host % 2, 2000 * MTU);
        }
        Run();
        const auto& buffer = m_fabric->GetSwitch(8)->GetBuffer();
        const double pool = buffer.GetThreshold(3, 0);
        const double alpha = (pool - buffer.GetThreshold(3, 100000)) / 100000;
        for (const uint32_t port : {6, 7})
        {
            // Half of six times alpha (pool - what all six hold), and a step's worth of three.
            NS_TEST_EXPECT_MSG_EQ_TOL(m_fabric->GetDevice(port, 8)->GetCounters().maxQueue,
                                      3 * pool / (1 + 6 * alpha),
                                      3.0 * 5000 * WIRE / 324,
                                      "queue of port " << port);
        }
    }

    /// A host sends again while some of what it has sent waits still: the port that all wait for
    /// never rests, and carries no more than it can.
    void GoOnInQueue()
    {
        Begin();
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(1000000000));
        InstallStar(4);
        Post(Time(0), 1, 0, 1000 * MTU);
        Post(Time(0), 2, 0, 6000 * MTU);
        Post(Time(0), 3, 0, 6000 * MTU);
        // Its last byte has come when as much has left as had come when it was sent, 3000 packets.
        Post(PACKET * 3200, 1, 0, 1000 * MTU);
        Run();
        ExpectLast(PACKET * 14001 + MicroSeconds(2), MicroSeconds(2), "fourteen thousand packets");
    }

    /// Two messages leave one port, 0 0 1 0 1 ..., until the shorter one has gone.
    void ShareSource()
    {
        Begin();
        InstallStar(3);
        Post(Time(0), 0, 1, 100 * MTU);
        Post(Time(0), 0, 2, 50 * MTU);
        Run();
        Expect(0, PACKET * 150);
        Expect(1, PACKET * 101);
    }

    /**
     * @param number a message
     * @param left when its last byte has left its host, or the queue that it stands in
     */
    void Expect(uint32_t number, Time left)
    {
        const Time expected = left + MicroSeconds(2) + PACKET;
        ExpectTime(m_fates[number].arrivedAt,
                   expected,
                   NanoSeconds(2) + expected / 1000,
                   "message " + std::to_string(number));
    }

    /// A host sends as much as it relays for another one: its link carries both, one after the
    /// other as far as they have come.
    void Relay()
    {
        Begin();
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
        ExpectTime(m_fates[0].arrivedAt,
                   PACKET * 1001 + MicroSeconds(2),
                   MicroSeconds(6),
                   "forwarded");
        ExpectLast(PACKET * 2000 + MicroSeconds(2), MicroSeconds(6), "both over one link");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(1, 1)->GetCounters().packets, 2000, "of it");
    }

    /// A link is full, and single packets of another host come to it between the looks at its
    /// queue: it never rests, and each packet waits for all those before it.
    void PassWithinSteps()
    {
        constexpr uint32_t count = 50;
        // No multiple of the step of 5 us, so that packets begin and end anywhere in it.
        const Time interval = MicroSeconds(7);
        Begin();
        InstallStar(3);
        Post(Time(0), 1, 0, 2000 * MTU);
        for (uint32_t i = 0; i < count; ++i)
        {
            Post(interval * (i + 1), 2, 0, MTU);
        }
        Run();
        ExpectLast(PACKET * (2000 + count + 1) + MicroSeconds(2),
                   PACKET * 2,
                   "the link to host 0 never rests");
        for (uint32_t i = 0; i < count; ++i)
        {
            // The packet leaves its host, waits for one packet of each message before it, and
            // leaves the switch.
            const Time expected = interval * (i + 1) + PACKET * (2 + i) + MicroSeconds(2);
            ExpectTime(m_fates[1 + i].arrivedAt,
                       expected,
                       PACKET * 2,
                       "packet " + std::to_string(i));
        }
    }

    /// The same past two switches, of which the second is never full: what the first has let
    /// through is what was sent.
    void KeepBytes()
    {
        Begin();
        Install(MakeDumbbell({"100Gbps", "100Gbps"}, {"100Gbps"}, "100Gbps", MicroSeconds(1)));
        Post(Time(0), 0, 2, 2000 * MTU);
        for (uint32_t i = 1; i <= 50; ++i)
        {
            Post(MicroSeconds(7 * i), 1, 2, MTU);
        }
        Run();
        // Bytes of frames that have passed and belong to no message.
        const auto port = m_fabric->GetDevice(2, 4);
        NS_TEST_EXPECT_MSG_EQ_TOL(port->GetSentBytes(),
                                  static_cast<double>(port->GetCounters().bytes),
                                  MTU / 10.0,
                                  "all that has passed was sent");
    }

    /// Two messages wait for each other before links that are slower than what they wait for: each
    /// takes as long as all of it does on its slower link.
    void PassSlower()
    {
        Begin();
        Install(MakeDumbbell({"400Gbps", "400Gbps"},
                             {"100Gbps", "100Gbps"},
                             "400Gbps",
                             MicroSeconds(1)));
        constexpr int count = 100;
        Post(Time(0), 0, 2, count * MTU);
        Post(Time(0), 1, 3, count * MTU);
        Run();
        // The first packet takes a quarter of a packet's time on each faster link.
        const Time least = PACKET * count + MicroSeconds(3);
        for (uint32_t message = 0; message < 2; ++message)
        {
            const Time late = m_fates[message].arrivedAt - least;
            NS_TEST_EXPECT_MSG_GT(late, Time(0), "not faster than its slowest link");
            NS_TEST_EXPECT_MSG_LT(late, PACKET * 3, "nothing else holds it up");
        }
    }

    /// Four hosts send to one at once: all have sent when a quarter has left the switch, which
    /// sends the rest for three times as long.
    void QueueAtSwitch()
    {
        Begin();
        InstallStar(5);
        for (uint32_t host = 1; host < 5; ++host)
        {
            Post(Time(0), host, 0, 1000 * MTU);
        }
        Simulator::Schedule(PACKET * 500, [this] {
            NS_TEST_EXPECT_MSG_EQ_TOL(m_fabric->GetDevice(0, 5)->GetAllQueuedBytes(),
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
        Begin(protocol);
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(1000000));
        InstallStar(5);
        for (uint32_t host = 1; host < 4; ++host)
        {
            Post(Time(0), host, 0, 2000 * MTU);
        }
        Post(Time(0), 1, 4, 500 * MTU, 1);
        Run();
    }

    /**
     * A host sends to one with a slow port, and another one to one beside it: the link between
     * their switches is paused for the first, and the last bytes of the second wait there.
     *
     * @param protocol TypeId name of the protocol
     */
    void SendPastSlowPort(const std::string& protocol)
    {
        Begin(protocol);
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(1000000));
        Install(MakeDumbbell({"100Gbps", "100Gbps"},
                             {"10Gbps", "100Gbps"},
                             "100Gbps",
                             MicroSeconds(1)));
        Post(Time(0), 0, 2, 2000 * MTU);
        Post(MicroSeconds(500), 1, 3, 100 * MTU);
        Run();
    }

    /// What waits at a link that is paused comes when its bytes have: neither as soon as the queue
    /// before them says, nor as late as at the rate of a moment.
    void WaitAtPausedLink()
    {
        SendPastSlowPort("ns3::RdmaRcProtocol");
        const Time packets = m_fates[1].arrivedAt - MicroSeconds(500);
        SendPastSlowPort("ns3::FluidProtocol");
        const Time fluid = m_fates[1].arrivedAt - MicroSeconds(500);
        ExpectTime(fluid, packets, packets * 7 / 100, "as long as its packets");
    }

    /// With a small buffer the hosts are held back: it takes no longer, but a message to another
    /// host waits in the memory of its own, whose port is paused.
    void HoldBack()
    {
        SendPastFullBuffer("ns3::RdmaRcProtocol");
        const Time packets = m_fates[3].arrivedAt;
        const Time paused = m_fabric->GetDevice(2, 2)->GetCounters().paused;
        SendPastFullBuffer("ns3::FluidProtocol");
        ExpectLast(PACKET * 6001 + MicroSeconds(2),
                   MicroSeconds(2),
                   "the link to host 0 never rests");
        // Host 1 sends half of what it sends to host 4: at half of its rate that would take 1000
        // packets.
        NS_TEST_EXPECT_MSG_GT(m_fates[3].arrivedAt, PACKET * 1300, "held back");
        ExpectTime(m_fates[3].arrivedAt, packets, packets * 5 / 100, "as long as its packets");
        // Host 2 sends a third of what host 0 gets while its port is paused by turns.
        ExpectTime(m_fabric->GetDevice(2, 2)->GetCounters().paused,
                   paused,
                   paused / 20,
                   "paused as long as with packets");
        // Three ports with alpha (pool - what all three hold) each.
        const auto& buffer = m_fabric->GetSwitch(5)->GetBuffer();
        const double pool = buffer.GetThreshold(3, 0);
        const double alpha = (pool - buffer.GetThreshold(3, 100000)) / 100000;
        const auto room = static_cast<uint64_t>(3 * pool / (1 + 3 * alpha));
        // What comes in the step in which it is found full, from three ports.
        const uint64_t step = 3 * 4000 * WIRE / 324;
        const auto counters = m_fabric->GetDevice(0, 5)->GetCounters();
        NS_TEST_EXPECT_MSG_LT(counters.maxQueue, room + step, "the buffer");
        NS_TEST_EXPECT_MSG_GT(counters.maxQueue, room * 9 / 10, "is used");
    }
};

} // namespace

std::vector<TestCase*>
MakeFluidSharingTestCases()
{
    return {new FluidSharingTestCase};
}

} // namespace ns3
