/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-test-cases.h"

#include "ns3/double.h"
#include "ns3/rdma-sender.h"
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
        CountExactly();
        FailBehind();
        FailAgain();
        LoseFromQueue();
        TimeOutEarly();
        TakeOtherPort();
        GiveUp();
        ReturnWhileSlow();
        ChangeElsewhere();
        FollowAtOnce();
    }

    /// Routes that follow at once lose nothing of what begins when a link goes down, if there is
    /// another path.
    void FollowAtOnce()
    {
        for (const bool isFirst : {true, false})
        {
            const uint32_t cut = FindLinkInUse();
            Begin();
            InstallDiamond();
            m_fabric->GetNetwork()->SetAttribute("ConvergenceTime", TimeValue(Time(0)));
            // Whatever comes first of what happens at a moment.
            if (isFirst)
            {
                Change(CUT, cut, false);
            }
            Post(CUT, 0, 1, 100 * MTU);
            if (!isFirst)
            {
                Change(CUT, cut, false);
            }
            Run();
            NS_TEST_EXPECT_MSG_EQ(m_repeated, 0, "nothing is sent again");
            NS_TEST_EXPECT_MSG_EQ(m_timeouts, 0, "nor is anything waited for");
            ExpectLast(CUT + PACKET * 103 + MicroSeconds(4),
                       NanoSeconds(2),
                       "a packet waits at three switches");
        }
        // Where there is no other path a message is lost whole, and goes when a timeout is over
        // and the link is up.
        Begin();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(TIMEOUT));
        InstallStar(2);
        m_fabric->GetNetwork()->SetAttribute("ConvergenceTime", TimeValue(Time(0)));
        Listen();
        Change(CUT, 1, false);
        Post(CUT, 0, 1, 100 * MTU);
        Change(CUT + TIMEOUT / 2, 1, true);
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_timeouts, 1, "a timeout");
        NS_TEST_EXPECT_MSG_EQ(m_repeated, 100, "all of it");
        ExpectLast(CUT + TIMEOUT + PACKET * 101 + MicroSeconds(2),
                   NanoSeconds(2),
                   "after the timeout");
    }

    /// Time of a packet and its acknowledgement, which takes 84 bytes on the wire, over a star.
    const Time STAR_ROUND_TRIP = PACKET * 2 + MicroSeconds(4) + NanoSeconds(2 * 84 * 8 / 100);

    /// A link goes down between two packets: what is lost and when is known to the nanosecond.
    void CountExactly()
    {
        const Time cut = PACKET * 1000;
        const Time mended = PACKET * 1100;
        Begin();
        InstallStar(2);
        Listen();
        Change(cut, 1, false);
        Change(mended, 1, true);
        Post(Time(0), 0, 1, 4000 * MTU);
        Run();
        const Time heard = mended + STAR_ROUND_TRIP;
        ExpectLast(heard + PACKET * 3001 + MicroSeconds(2),
                   NanoSeconds(2),
                   "three thousand packets after it has heard");
        NS_TEST_EXPECT_MSG_EQ(m_repeated,
                              (heard - cut).GetTimeStep() / PACKET.GetTimeStep(),
                              "those that have left whole since");
        const auto counters = m_fabric->GetDevice(1, 2)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(counters.drops), m_repeated, "dropped");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(counters.linkDrops), m_repeated, "by the link");
    }

    /// What has passed a link when it goes down arrives, but not what follows it.
    void FailBehind()
    {
        Begin();
        InstallStar(2);
        Change(PACKET * 100 + NanoSeconds(1400), 0, false);
        Post(Time(0), 0, 1, 100 * MTU);
        Post(Time(0), 0, 1, 100 * MTU);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt, PACKET * 101 + MicroSeconds(2), "it is behind");
        NS_TEST_EXPECT_MSG_EQ(m_fates[1].arrivals, 0, "it is not");
    }

    /// A link goes down again before the sender has heard of the first time: what was lost then is
    /// lost still.
    void FailAgain()
    {
        Begin();
        InstallStar(2);
        const Time mended = CUT + MicroSeconds(50);
        Change(CUT, 1, false);
        Change(CUT + MicroSeconds(1), 1, true);
        Change(CUT + MicroSeconds(2), 1, false);
        Change(mended, 1, true);
        Post(Time(0), 0, 1, 4000 * MTU);
        Run();
        const Time lost = mended + STAR_ROUND_TRIP - CUT;
        ExpectLast(PACKET * 4001 + MicroSeconds(2) + lost,
                   NanoSeconds(2),
                   "from the first time on");
    }

    /// Two hosts fill a queue, and its link goes down, twice: what waits there is lost of messages
    /// that have left long ago, and no message comes twice.
    void LoseFromQueue()
    {
        Begin();
        InstallStar(3);
        Listen();
        const Time again = CUT + MicroSeconds(50);
        for (const auto& cut : {CUT, again})
        {
            Change(cut, 2, false);
            Change(cut + MicroSeconds(1), 2, true);
        }
        for (uint32_t message = 0; message < 4; ++message)
        {
            Post(Time(0), 0, 2, 500 * MTU);
            Post(Time(0), 1, 2, 500 * MTU);
        }
        Run();
        // Each time nothing comes for 1 us, and what both send in vain until they hear is carried.
        const Time lost = (MicroSeconds(1) + STAR_ROUND_TRIP * 2) * 2;
        ExpectLast(PACKET * 4001 + MicroSeconds(2) + lost, MicroSeconds(6), "two failures");
        // Half of what had left had come; then what has left since the first time.
        const Time first = CUT / 2 + MicroSeconds(1) + STAR_ROUND_TRIP;
        const Time second = (again - CUT) / 2 + MicroSeconds(1) + STAR_ROUND_TRIP;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_repeated,
                                  (first + second).GetTimeStep() / PACKET.GetTimeStep(),
                                  15,
                                  "sent again");
    }

    /// Where little is on its way a short timeout counts, also one below a round trip.
    void TimeOutEarly()
    {
        const Time early = MicroSeconds(150);
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            const uint32_t cut = FindLinkInUse();
            Begin(protocol);
            m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(TIMEOUT));
            m_fabric->SetNicAttribute("ShortTimeout", TimeValue(early));
            m_fabric->SetNicAttribute("ShortTimeoutPackets", UintegerValue(10));
            InstallDiamond();
            Change(CUT, cut, false);
            Post(Time(0), 0, 1, 100 * MTU);
            Post(CUT + MicroSeconds(10), 0, 1, 4 * MTU);
            Run();
            const Time alone = PACKET * 7 + MicroSeconds(4);
            ExpectLast(CUT + MicroSeconds(10) + early + alone,
                       MicroSeconds(2),
                       protocol + ": after the short timeout");
            NS_TEST_EXPECT_MSG_EQ(m_waited, early, protocol << ": as it is reported");
        }
        Begin();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(3)));
        m_fabric->SetNicAttribute("InFlightLimit", DoubleValue(2));
        InstallStar(2);
        Change(CUT, 1, false);
        Change(CUT + MicroSeconds(1), 1, true);
        Post(Time(0), 0, 1, 4000 * MTU);
        Run();
        const Time whole = PACKET * 4001 + MicroSeconds(2);
        ExpectLast(whole + MicroSeconds(3),
                   NanoSeconds(500),
                   "it does not wait for a window that is lost no more");
    }

    /// A host that loses the link of one of two ports, over which a message is split, sends what
    /// is left by the other one.
    void TakeOtherPort()
    {
        Begin();
        TopologyGraph graph;
        const uint32_t from = graph.AddHost("h0");
        const uint32_t to = graph.AddHost("h1");
        const uint32_t center = graph.AddSwitch("s");
        for (const std::string name : {"leaf0", "leaf1"})
        {
            const uint32_t leaf = graph.AddSwitch(name);
            graph.AddLink(from, leaf, DataRate("100Gbps"), MicroSeconds(1));
            graph.AddLink(leaf, center, DataRate("100Gbps"), MicroSeconds(1));
        }
        graph.AddLink(to, center, DataRate("200Gbps"), MicroSeconds(1));
        Install(graph);
        Change(CUT, 0, false);
        Post(Time(0), 0, 1, 4000 * MTU);
        Run();
        // The other port never rests, until it has sent its half and what is left of this one.
        const Time rest = PACKET * 2000 + PACKET * 2000 - CUT;
        ExpectLast(rest + PACKET * 2 + MicroSeconds(3), MicroSeconds(15), "by the other port");
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
        ExpectTime(times[1], times[0], times[0] / 20, "as long as its packets");
    }

    /// Links that a message does not take change nothing, be it slowed down or not.
    void ChangeElsewhere()
    {
        std::vector<Time> times;
        for (const bool isCut : {false, true})
        {
            Begin("ns3::FluidProtocol", "ns3::RdmaDcqcn");
            InstallStar(4);
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
            Begin(protocol);
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
            ExpectLast(alone + failure.lost, MicroSeconds(15), name);
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
        m_waited = Time(0);
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
    void TimedOut(const RdmaSender& sender [[maybe_unused]], Time waited)
    {
        ++m_timeouts;
        m_waited += waited;
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
        Begin();
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
    /// queue pair ends, and leaves the port to others.
    void GiveUp()
    {
        Begin();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(TIMEOUT));
        m_fabric->SetNicAttribute("RetryLimit", UintegerValue(2));
        InstallStar(3);
        Listen();
        Change(CUT, 1, false);
        Post(Time(0), 0, 1, 40000 * MTU);
        const Time after = CUT + TIMEOUT * 8;
        Post(after, 0, 2, 1000 * MTU);
        Simulator::Run();
        ExpectTime(m_fates[1].arrivedAt,
                   after + PACKET * 1001 + MicroSeconds(2),
                   NanoSeconds(2),
                   "at full rate");
        NS_TEST_EXPECT_MSG_EQ(m_timeouts, 3, "two retries");
        NS_TEST_EXPECT_MSG_EQ(m_failedAt, CUT + TIMEOUT * 7, "1 + 2 + 4 timeouts");
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt.IsStrictlyPositive(), false, "it never comes");
    }

    int64_t m_repeated{0}; //!< packets sent again
    int64_t m_timeouts{0}; //!< timeouts
    Time m_waited;         //!< how long these were, all together
    Time m_failedAt;       //!< when a queue pair has given up; 0 = never
};

} // namespace

std::vector<TestCase*>
MakeFluidFailureTestCases()
{
    return {new FluidFailureTestCase};
}

} // namespace ns3
