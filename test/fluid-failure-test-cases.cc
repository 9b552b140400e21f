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

} // namespace

std::vector<TestCase*>
MakeFluidFailureTestCases()
{
    return {new FluidFailureTestCase};
}

} // namespace ns3
