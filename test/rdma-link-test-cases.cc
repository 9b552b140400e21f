/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-link-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Default time that a sender waits for an acknowledgement.
const Time TIMEOUT = NanoSeconds(4096 * 1024);

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases in which links are cut and mended.
 */
class LinkTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Cut or mend a link.
     *
     * @param at when
     * @param link its number
     * @param up whether it carries packets from then on
     */
    void SetLink(Time at, uint32_t link, bool up)
    {
        Simulator::Schedule(at, &RdmaNetwork::SetLinkUp, m_fabric->GetNetwork(), link, up);
    }

    /**
     * Begin anew.
     *
     * @param graph the fabric
     * @param selective whether repeat is selective
     */
    void Begin(const TopologyGraph& graph, bool selective)
    {
        Reset();
        m_failures = 0;
        m_fabric->SetCongestionControl(m_control);
        // Ports have headroom of 3 packets, 1250 bytes on their way, and a pause frame.
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(150000));
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(m_maxTrain));
        // Its times are counted in timeouts of 4.2 ms.
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(NanoSeconds(4096 * 1024)));
        Install(graph);
        for (uint32_t rank = 0; rank < graph.GetHosts().size(); ++rank)
        {
            m_fabric->GetNic(rank)->TraceConnectWithoutContext(
                "QueuePairFailed",
                MakeCallback(&LinkTestCase::Fail, this));
        }
    }

    /**
     * @param number a message
     * @param from earliest time of its arrival
     * @param to latest time
     * @param what what has happened to it
     */
    void ExpectArrival(uint32_t number, Time from, Time to, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_GT(m_fates.at(number).arrivedAt, from, what);
        NS_TEST_EXPECT_MSG_LT(m_fates.at(number).arrivedAt, to, what);
    }

    /// Make sure that no switch has anything left.
    void ExpectEmpty()
    {
        for (uint32_t node = 0; node < m_fabric->GetNetwork()->GetGraph().GetNNodes(); ++node)
        {
            if (const auto forwarding = m_fabric->GetSwitch(node))
            {
                NS_TEST_EXPECT_MSG_EQ(forwarding->GetBuffer().GetStored(), 0, "node " << node);
            }
        }
    }

    std::string m_control{"ns3::RdmaNoCongestionControl"}; //!< TypeId name
    uint32_t m_maxTrain{64};                               //!< most packets of a train
    uint32_t m_failures{0};                                //!< queue pairs that have given up

  private:
    /**
     * @param node who has given up
     * @param peer whom it could not reach
     */
    void Fail(uint32_t node [[maybe_unused]], uint32_t peer [[maybe_unused]])
    {
        ++m_failures;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The only path is cut for a while during a message of 324 us, or for good.
 */
class LinkSinglePathTestCase : public LinkTestCase
{
  public:
    LinkSinglePathTestCase()
        : LinkTestCase("links: the only path is cut, and mended")
    {
    }

  private:
    void DoRun() override
    {
        // What is lost is counted in packets.
        m_maxTrain = 1;
        for (const bool selective : {false, true})
        {
            CheckFarLink(selective);
            CheckNearLink(selective);
            CheckForGood(selective);
        }
        for (const auto control : {"NoCongestionControl", "Dcqcn", "Hpcc", "Timely", "Swift"})
        {
            CheckCutBefore(std::string("ns3::Rdma") + control);
        }
    }

    /**
     * A queue pair is made while there is no path, and is told of the mended one by a timeout.
     *
     * @param control TypeId name of the congestion control
     */
    void CheckCutBefore(const std::string& control)
    {
        m_control = control;
        Begin(MakeStar(2, "100Gbps", NanoSeconds(500)), false);
        const uint32_t number = Post(MilliSeconds(1), 0, 1, 1000);
        SetLink(Time(0), 1, false);
        SetLink(MilliSeconds(2), 1, true);
        Simulator::Run();
        // 1082 bytes take 86.56 ns, and 2 x 500 ns.
        ExpectArrival(number,
                      MilliSeconds(1) + TIMEOUT + NanoSeconds(1170),
                      MilliSeconds(1) + TIMEOUT + NanoSeconds(1190),
                      control);
        ExpectAllDelivered();
    }

    /**
     * The sink's link is cut from 100 us to 1100 us. The sender has sent all by then, and nobody
     * tells it: the timeout does, counted from the last acknowledgement.
     *
     * @param selective whether repeat is selective
     */
    void CheckFarLink(bool selective)
    {
        Begin(MakeStar(2, "100Gbps", NanoSeconds(500)), selective);
        const uint32_t number = Post(Time(0), 0, 1, 1000 * MTU);
        SetLink(MicroSeconds(100), 1, false);
        SetLink(MicroSeconds(1100), 1, true);
        Simulator::Run();
        // 690 packets are left, 221 us of the link.
        ExpectArrival(number,
                      MicroSeconds(100 + 219) + TIMEOUT,
                      MicroSeconds(100 + 228) + TIMEOUT,
                      "cut behind the switch");
        ExpectAllDelivered();
        ExpectEmpty();
    }

    /**
     * The sender's own link is cut from 100 us to 1100 us: it goes on when it is mended. What was
     * on the way is missed by the receiver, whose answers have no route before 1200 us.
     *
     * @param selective whether repeat is selective
     */
    void CheckNearLink(bool selective)
    {
        Begin(MakeStar(2, "100Gbps", NanoSeconds(500)), selective);
        const uint32_t number = Post(Time(0), 0, 1, 1000 * MTU);
        SetLink(MicroSeconds(100), 0, false);
        SetLink(MicroSeconds(1100), 0, true);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_fates[number].arrivedAt, MicroSeconds(1324), "690 packets");
        // Selective repeat has it all at once if an answer after 1200 us tells what is missing.
        NS_TEST_EXPECT_MSG_LT(m_fates[number].arrivedAt,
                              MicroSeconds(100 + 330) + TIMEOUT,
                              "at the latest by a timeout");
        ExpectAllDelivered();
        ExpectEmpty();
        NS_TEST_EXPECT_MSG_EQ(m_failures, 0, "nobody gives up");
    }

    /**
     * @param selective whether repeat is selective
     */
    void CheckForGood(bool selective)
    {
        for (const uint32_t link : {0, 1})
        {
            Begin(MakeStar(3, "100Gbps", NanoSeconds(500)), selective);
            const uint32_t number = Post(Time(0), 0, 1, 1000 * MTU);
            Post(Time(0), 2, 0, 100 * MTU);
            Post(Time(0), 1, 2, 100 * MTU);
            SetLink(MicroSeconds(100), link, false);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].arrivals + m_fates[number].sents, 0, "cut off");
            NS_TEST_EXPECT_MSG_EQ(m_failures, 1, "the sender gives up");
            NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(0)->GetSender(0).HasFailed(), true, "it");
            NS_TEST_EXPECT_MSG_EQ(m_fates[1].sents + m_fates[2].sents, 2, "the others had ended");
            ExpectEmpty();
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief One of two paths is cut: the flow takes the other one when the routes have changed.
 */
class LinkTwoPathsTestCase : public LinkTestCase
{
  public:
    LinkTwoPathsTestCase()
        : LinkTestCase("links: one of two paths is cut")
    {
    }

  private:
    void DoRun() override
    {
        m_maxTrain = 1;
        for (const bool selective : {false, true})
        {
            CheckSpines(selective);
            for (const bool isFar : {false, true})
            {
                CheckTwoPorts(selective, isFar);
            }
        }
    }

    /**
     * Two leaves and two spines: the switches find another path after 100 us, within which 309
     * packets are lost; the receiver asks for them at once.
     *
     * @param selective whether repeat is selective
     */
    void CheckSpines(bool selective)
    {
        TopologyGraph graph;
        graph.AddHost("h0");
        graph.AddHost("h1");
        for (const auto name : {"leaf0", "leaf1", "spine0", "spine1"})
        {
            graph.AddSwitch(name);
        }
        for (const auto& [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 2},
                                                                             {1, 3},
                                                                             {2, 4},
                                                                             {4, 3},
                                                                             {2, 5},
                                                                             {5, 3}})
        {
            graph.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(500));
        }
        for (const uint32_t hop : {0, 1})
        {
            Begin(graph, selective);
            const uint32_t number = Post(Time(0), 0, 1, 1000 * MTU);
            Simulator::Stop(MicroSeconds(100));
            Simulator::Run();
            const bool usesFirst = m_fabric->GetDevice(2, 2)->GetCounters().packets > 0;
            m_fabric->GetNetwork()->SetLinkUp((usesFirst ? 2 : 4) + hop, false);
            Simulator::Run();
            // 1000 packets and the 309 lost, 424 us; four links, and the acknowledgement's way
            // back.
            ExpectArrival(number, MicroSeconds(424), MicroSeconds(437), "re-routed");
            ExpectAllDelivered();
            ExpectEmpty();
        }
    }

    /**
     * A host with two ports: its sender takes the other one when the routes have followed the cut,
     * after 100 us. What is posted after that does, be it to the same peer or to another one.
     *
     * @param selective whether repeat is selective
     * @param isFar whether the cut is behind the switch rather than at the port
     */
    void CheckTwoPorts(bool selective, bool isFar)
    {
        TopologyGraph graph;
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t planes[] = {graph.AddSwitch("s0"), graph.AddSwitch("s1")};
        for (const uint32_t plane : planes)
        {
            for (uint32_t host = 0; host < 3; ++host)
            {
                graph.AddLink(host, plane, DataRate("100Gbps"), NanoSeconds(500));
            }
        }
        // A message by one port, so that all of it has to go by the other.
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("queue-pair"));
        Begin(graph, selective);
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("split"));
        // More than is sent until the routes have followed.
        const uint32_t number = Post(Time(0), 0, 1, 20000 * MTU);
        const uint32_t same = Post(MilliSeconds(100), 0, 1, MTU);
        const uint32_t other = Post(MilliSeconds(101), 0, 2, MTU);
        // The queue pairs of rank 1 have not been used since the cut.
        Post(Time(0), 1, 0, MTU);
        const uint32_t idle = Post(MilliSeconds(102), 1, 0, MTU);
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        const bool usesFirst = m_fabric->GetDevice(0, 0)->GetCounters().packets > 100;
        m_fabric->GetNetwork()->SetLinkUp((usesFirst ? 0 : 3) + (isFar ? 1 : 0), false);
        Simulator::Run();
        // The time of 20000 packets, 6.48 ms, and 100 us in which nothing comes, or is sent; a part
        // of a packet, links, and what the receiver misses asked for a round trip later.
        ExpectArrival(number,
                      MicroSeconds(100 + 6470),
                      MicroSeconds(100 + 6490),
                      "takes the other port");
        const Time alone = NanoSeconds(2 * (324 + 500));
        NS_TEST_EXPECT_MSG_EQ(m_fates[same].arrivedAt, MilliSeconds(100) + alone, "same peer");
        NS_TEST_EXPECT_MSG_EQ(m_fates[other].arrivedAt, MilliSeconds(101) + alone, "other peer");
        NS_TEST_EXPECT_MSG_EQ(m_fates[idle].arrivedAt, MilliSeconds(102) + alone, "idle pair");
        ExpectAllDelivered();
        ExpectEmpty();
        NS_TEST_EXPECT_MSG_EQ(m_failures, 0, "nobody gives up");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Links of a fabric under flow control come and go while all send to all: nothing is lost in
 * the accounts, no pause outlives its link.
 */
class LinkFlapTestCase : public LinkTestCase
{
  public:
    LinkFlapTestCase()
        : LinkTestCase("links: flaps under congestion")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto control :
             {"ns3::RdmaNoCongestionControl", "ns3::RdmaHpcc", "ns3::RdmaTimely"})
        {
            for (const bool selective : {false, true})
            {
                for (const auto& duration : {NanoSeconds(100), MicroSeconds(5), MicroSeconds(150)})
                {
                    Check(control, selective, duration);
                }
            }
        }
    }

    /**
     * Ranks 1 to 5 send to rank 0 through a small buffer, and now and then to others. Each of their
     * links is cut twice.
     *
     * @param control TypeId name of the congestion control
     * @param selective whether repeat is selective
     * @param duration for how long a link is down
     */
    void Check(const std::string& control, bool selective, Time duration)
    {
        m_control = control;
        Begin(MakeStar(6, "100Gbps", NanoSeconds(500)), selective);
        for (uint32_t number = 0; number < 500; ++number)
        {
            const uint32_t source = 1 + number % 5;
            const bool isOther = number % 25 / 5 == 4;
            Post(MicroSeconds(number), source, isOther ? source % 5 + 1 : 0, 40000);
        }
        for (uint32_t flap = 0; flap < 10; ++flap)
        {
            const Time at = NanoSeconds(20100 + 70300 * flap);
            SetLink(at, 1 + flap % 5, false);
            SetLink(at + duration, 1 + flap % 5, true);
        }
        // Without flaps it takes 1.3 ms, and each sender may have to wait for a few timeouts.
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
        ExpectAllDelivered();
        ExpectEmpty();
        NS_TEST_EXPECT_MSG_EQ(m_failures, 0, "nobody gives up");
        // A link that is back while the buffer is still full of what came by it may overrun it.
        if (duration > MicroSeconds(1))
        {
            NS_TEST_EXPECT_MSG_EQ(m_fabric->GetSwitch(6)->GetLosslessDrops(), 0, "headroom");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A link keeps its rate: another one is refused while the simulation runs, by packets and as
 * a fluid, and changes nothing.
 */
class LinkRateTestCase : public LinkTestCase
{
  public:
    LinkRateTestCase()
        : LinkTestCase("links: a rate that changes is refused")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Reset();
            m_fabric->SetProtocol(protocol);
            Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
            const uint32_t number = Post(Time(0), 0, 1, 1000 * MTU);
            m_refusals.clear();
            for (const std::string rate : {"100Gbps", "10Gbps"})
            {
                Simulator::Schedule(MicroSeconds(100), &LinkRateTestCase::SetRate, this, rate);
            }
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(m_refusals.size(), 2, "both ports of the other rate");
            NS_TEST_EXPECT_MSG_EQ(m_refusals[0].find("ns3::RdmaNetDevice::DataRate: error: "
                                                     "expected 100Gbps, "),
                                  0,
                                  m_refusals[0]);
            DataRateValue rate;
            m_fabric->GetDevice(0, 0)->GetAttribute("DataRate", rate);
            NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("100Gbps"), "as before");
            // 1000 packets of 324 ns, one more time of the last one at the switch, and two links.
            ExpectArrival(number, MicroSeconds(324), MicroSeconds(326), protocol);
        }
    }

    /**
     * Set the rate of the only sender's port and of that to the receiver, as a script would.
     *
     * @param rate the rate
     */
    void SetRate(const std::string& rate)
    {
        for (const auto& port : {m_fabric->GetDevice(0, 0), m_fabric->GetDevice(1, 2)})
        {
            try
            {
                port->SetAttribute("DataRate", StringValue(rate));
            }
            catch (const WorkloadError& error)
            {
                m_refusals.emplace_back(error.what());
            }
        }
    }

    std::vector<std::string> m_refusals; //!< what was said
};

} // namespace

std::vector<TestCase*>
MakeRdmaLinkTestCases()
{
    return {new LinkSinglePathTestCase,
            new LinkTwoPathsTestCase,
            new LinkFlapTestCase,
            new LinkRateTestCase};
}

} // namespace ns3
