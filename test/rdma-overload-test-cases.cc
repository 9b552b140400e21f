/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-overload-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Two hosts that nothing slows down send to a third over a named topology of its default
 * size, until senders are paused: packets have been marked before.
 */
class OverloadTestCase : public RdmaTestCase
{
  public:
    /**
     * @param topology its name
     */
    explicit OverloadTestCase(const std::string& topology)
        : RdmaTestCase("overload: " + topology + " marks before it pauses"),
          m_topology(topology)
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        FabricParameters parameters;
        // The first ranks of servers, which all have their NIC at the same place.
        const uint32_t perServer = parameters.gpusPerServer;
        const auto graph = TopologyBuilder::Build(TopologySpec(m_topology), 32, parameters);
        Install(graph);
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetWarnings().size(), 0, "nothing to warn of");
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                const auto port = m_fabric->GetDevice(link, node);
                port->TraceConnectWithoutContext("Mark",
                                                 MakeCallback(&OverloadTestCase::Mark, this));
                port->TraceConnectWithoutContext("Pause",
                                                 MakeCallback(&OverloadTestCase::Pause, this));
            }
        }
        // Hosts with several ports use them by channel.
        for (uint32_t channel = 0; channel < 8; ++channel)
        {
            Post(Time(0), 0, 2 * perServer, 25000000, channel);
            Post(Time(0), perServer, 2 * perServer, 25000000, channel);
        }
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        // In a ring what is relayed goes before a host's own packets, so that it never waits.
        NS_TEST_EXPECT_MSG_EQ((m_marks > 0), (m_topology != "ring"), "marks");
        NS_TEST_EXPECT_MSG_EQ(m_pausedUnmarked, false, "a pause before any mark");
    }

    /**
     * @param packet packet that was marked
     */
    void Mark(const RdmaPacket& packet [[maybe_unused]])
    {
        ++m_marks;
    }

    /**
     * @param priority priority that was paused
     */
    void Pause(uint8_t priority [[maybe_unused]])
    {
        m_pausedUnmarked = m_pausedUnmarked || m_marks == 0;
    }

    std::string m_topology;       //!< its name
    uint64_t m_marks{0};          //!< packets marked
    bool m_pausedUnmarked{false}; //!< somebody was paused before any packet was marked
};

/**
 * @ingroup workload-replay-tests
 * @brief Senders that are paused for long send nothing twice: no packet is lost.
 */
class LongPauseTestCase : public RdmaTestCase
{
  public:
    LongPauseTestCase()
        : RdmaTestCase("overload: 127 to 1 without loss, nothing is sent again")
    {
    }

  private:
    void DoRun() override
    {
        // 11 ms of the sink's link, of which the buffer alone holds 6.6.
        constexpr uint32_t SENDERS = 127;
        Reset();
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        Install(MakeStar(SENDERS + 1, "400Gbps", NanoSeconds(500)));
        for (uint32_t sender = 1; sender <= SENDERS; ++sender)
        {
            m_fabric->GetNic(sender)->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&LongPauseTestCase::CountRetransmission, this));
            Post(Time(0), sender, 0, 4 * 1024 * 1024);
        }
        Simulator::Run();
        const auto counters = m_fabric->GetDevice(0, SENDERS + 1)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "packets sent again");
        ExpectAllDelivered();
    }

    /**
     * @param packet packet that is sent again
     */
    void CountRetransmission(const RdmaPacket& packet [[maybe_unused]])
    {
        ++m_retransmissions;
    }

    uint64_t m_retransmissions{0}; //!< packets sent again
};

/**
 * @ingroup workload-replay-tests
 * @brief Whether packets leave switches late, several per event, or each by its own because
 * somebody listens, changes nothing but the number of events: under ECN alone, and where senders
 * are paused.
 */
class DeferralTestCase : public RdmaTestCase
{
  public:
    DeferralTestCase()
        : RdmaTestCase("overload: late departures change nothing but the number of events")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t buffer : {0, 300000, 400000, 600000, 1000000})
        {
            const auto late = Run(buffer, false);
            const uint64_t events = Simulator::GetEventCount();
            const auto prompt = Run(buffer, true);
            NS_TEST_EXPECT_MSG_EQ((late == prompt), true, "buffer of " << buffer);
            NS_TEST_EXPECT_MSG_LT(events, Simulator::GetEventCount(), "buffer of " << buffer);
        }
    }

    /**
     * @param buffer memory of the switch, bytes; 0 = the default, which nobody fills
     * @param isObserved whether somebody listens to all ports
     * @return when each message has arrived
     */
    std::vector<Time> Run(uint64_t buffer, bool isObserved)
    {
        constexpr uint32_t HOSTS = 8;
        Reset();
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(buffer));
        Install(MakeStar(HOSTS, "100Gbps", NanoSeconds(500)));
        for (uint32_t host = 0; isObserved && host < HOSTS; ++host)
        {
            m_fabric->GetDevice(host, HOSTS)
                ->TraceConnectWithoutContext("Dequeue",
                                             MakeCallback(&DeferralTestCase::Ignore, this));
        }
        for (uint32_t source = 0; source < HOSTS; ++source)
        {
            Post(NanoSeconds(100 * source), source, (source + 1) % HOSTS, 50 * MTU);
            Post(NanoSeconds(100 * source),
                 source,
                 source < 2 ? 7 - source : source % 2,
                 100 * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        std::vector<Time> times;
        for (const auto& fate : m_fates)
        {
            times.push_back(fate.arrivedAt);
        }
        return times;
    }

    /**
     * @param packet a packet that has waited
     */
    void Ignore(const RdmaPacket& packet [[maybe_unused]])
    {
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Whose buffer pauses before it marks is warned, with the name of the port.
 */
class EarlyPauseWarningTestCase : public RdmaTestCase
{
  public:
    EarlyPauseWarningTestCase()
        : RdmaTestCase("overload: a small buffer is warned of")
    {
    }

  private:
    void DoRun() override
    {
        // Of 900 kB less headroom, one port may take a ninth; marks begin at 32 us, 400 kB.
        Reset();
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(900000));
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        const auto warnings = m_fabric->GetWarnings();
        NS_TEST_ASSERT_MSG_EQ(warnings.size(), 1, "one line");
        NS_TEST_EXPECT_MSG_EQ(warnings.front().rfind("the port from s to h0 and 2 more marks", 0),
                              0,
                              warnings.front());
        // 400 kB are a ninth of 3.6 MB; the headroom comes on top.
        Reset();
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(3700000));
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetWarnings().size(), 0, "large enough");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaOverloadTestCases()
{
    std::vector<TestCase*> cases;
    for (const auto& topology : TopologyBuilder::GetNames())
    {
        cases.push_back(new OverloadTestCase(topology));
    }
    cases.push_back(new LongPauseTestCase);
    cases.push_back(new DeferralTestCase);
    cases.push_back(new EarlyPauseWarningTestCase);
    return cases;
}

} // namespace ns3
