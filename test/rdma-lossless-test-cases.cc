/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-lossless-test-cases.h"

#include "rdma-test-case.h"
#include "topology-test-graphs.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Frame of a full packet, bytes.
constexpr uint64_t FRAME = 4050 - 20;

/**
 * @param delay propagation delay of a link of 100 Gb/s
 * @return bytes that may still arrive when a pause has become due: the packet that crosses the
 *         threshold, a packet time in which the pause frame waits, the frame itself, the delay, the
 *         packet that the peer has begun, the delay
 */
uint64_t
GetHeadroom(Time delay)
{
    return 3 * 4050 + 64 + 20 + static_cast<uint64_t>(2 * delay.GetNanoSeconds()) * 100 / 8;
}

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases in which nothing may be lost.
 */
class LosslessTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Make sure that nothing was lost or is left, and that there were pauses.
     *
     * @param what the traffic
     */
    void ExpectLossless(const std::string& what)
    {
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        uint64_t pauses = 0;
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                const auto counters = m_fabric->GetDevice(link, node)->GetCounters();
                NS_TEST_EXPECT_MSG_EQ(counters.drops, 0, "drops of link " << link << ", " << what);
                pauses += counters.pauses;
            }
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 0, "pauses, " << what);
        for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
        {
            if (const auto forwarding = m_fabric->GetSwitch(node))
            {
                const auto& buffer = forwarding->GetBuffer();
                NS_TEST_EXPECT_MSG_EQ(buffer.GetStored(), 0, "left at node " << node << what);
                NS_TEST_EXPECT_MSG_EQ(forwarding->GetLosslessDrops(), 0, "no headroom, " << what);
            }
        }
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Incast of 2 to 256 hosts without congestion control: nothing is lost, the sink's link is
 * busy all the time, headroom is used and suffices, with short links and with long ones.
 */
class LosslessIncastTestCase : public LosslessTestCase
{
  public:
    LosslessIncastTestCase()
        : LosslessTestCase("lossless: incast")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t queued : {1, 4})
        {
            Check(2, 2000, NanoSeconds(500), queued);
            Check(8, 800, NanoSeconds(500), queued);
            Check(64, 100, NanoSeconds(500), queued);
            Check(256, 40, NanoSeconds(500), queued);
            Check(2, 4000, MicroSeconds(10), queued);
            Check(8, 1000, MicroSeconds(10), queued);
        }
    }

    /**
     * @param senders number of senders
     * @param packets packets of each
     * @param delay propagation delay of a link
     * @param queued most packets of a train that waits as a whole; the packets of one that a peer
     * has begun come in after a pause
     */
    void Check(uint32_t senders, uint32_t packets, Time delay, uint32_t queued)
    {
        Reset();
        m_fabric->SetNicAttribute("MaxQueuedTrain", UintegerValue(queued));
        const std::string what =
            std::to_string(senders) + " to 1, trains of " + std::to_string(queued);
        m_headroom = GetHeadroom(delay);
        // Beside the headroom, what a link holds twice, so that the sink's link does not run dry.
        const uint64_t pool = senders * 5 * FRAME + 200000 + 12 * GetHeadroom(delay);
        m_fabric->SetSwitchAttribute("BufferSize",
                                     UintegerValue((senders + 1) * m_headroom + pool));
        Install(MakeStar(senders + 1, "100Gbps", delay));
        m_center = m_fabric->GetSwitch(senders + 1);
        m_mostHeadroom = 0;
        m_fabric->GetDevice(senders, senders + 1)
            ->TraceConnectWithoutContext("Enqueue",
                                         MakeCallback(&LosslessIncastTestCase::Store, this));
        for (uint32_t sender = 0; sender < senders; ++sender)
        {
            Post(Time(0), sender, senders, packets * MTU);
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        Time last;
        for (const auto& fate : m_fates)
        {
            last = std::max(last, fate.arrivedAt);
        }
        const Time ideal = NanoSeconds(324) * (senders * packets + 1) + delay * 2;
        NS_TEST_EXPECT_MSG_EQ_TOL(last.GetSeconds() / ideal.GetSeconds(),
                                  1,
                                  0.01,
                                  "time at line rate, " << what);
        NS_TEST_EXPECT_MSG_GT(m_mostHeadroom, 0, "headroom is used, " << what);
        NS_TEST_EXPECT_MSG_LT(m_mostHeadroom,
                              m_headroom + (queued - 1) * FRAME + 1,
                              "headroom suffices, " << what);
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(senders, senders)->GetCounters().marks,
                              0,
                              "hosts do not mark");
        ExpectLossless(what);
        m_center = nullptr;
    }

    /**
     * @param packet packet that was stored
     */
    void Store(const RdmaPacket& packet)
    {
        m_mostHeadroom =
            std::max(m_mostHeadroom,
                     m_center->GetBuffer().GetHeadroomUsed(packet.ingress, packet.priority));
    }

    Ptr<RdmaSwitch> m_center;   //!< the switch
    uint64_t m_headroom{0};     //!< headroom of a port, bytes
    uint64_t m_mostHeadroom{0}; //!< most that was taken of a port's headroom, bytes
};

/**
 * @ingroup workload-replay-tests
 * @brief All-to-all on a leaf-spine fabric with hardly any buffer: pauses, but no deadlock.
 */
class LosslessAllToAllTestCase : public LosslessTestCase
{
  public:
    LosslessAllToAllTestCase()
        : LosslessTestCase("lossless: all-to-all on leaf and spine, no deadlock")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        TopologyGraph graph;
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        for (uint32_t leaf = 0; leaf < 4; ++leaf)
        {
            graph.AddSwitch("leaf" + std::to_string(leaf));
        }
        for (uint32_t spine = 0; spine < 2; ++spine)
        {
            graph.AddSwitch("spine" + std::to_string(spine));
        }
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddLink(host, HOSTS + host / 4, DataRate("100Gbps"), NanoSeconds(500));
        }
        for (uint32_t leaf = 0; leaf < 4; ++leaf)
        {
            graph.AddLink(HOSTS + leaf, HOSTS + 4, DataRate("100Gbps"), NanoSeconds(500));
            graph.AddLink(HOSTS + leaf, HOSTS + 5, DataRate("100Gbps"), NanoSeconds(500));
        }
        // Leaves have 6 ports, spines 4: the headroom of 6 and 5 packets.
        m_fabric->SetSwitchAttribute("BufferSize",
                                     UintegerValue(6 * GetHeadroom(NanoSeconds(500)) + 5 * FRAME));
        Install(graph);
        for (uint32_t turn = 1; turn < HOSTS; ++turn)
        {
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                Post(Time(0), host, (host + turn) % HOSTS, 100000);
            }
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        ExpectLossless("all-to-all");
    }

    static constexpr uint32_t HOSTS = 16; //!< hosts, 4 at a leaf
};

/**
 * @ingroup workload-replay-tests
 * @brief A victim behind the same link as traffic to a congested sink.
 *
 * Rank 0 (A) and rank 1 (V) are at the first switch; rank 2 is the congested sink, rank 3 the idle
 * one and the others send into the congested one, all at the second switch. With n of those, the
 * link between the switches is one of n + 1 ports that share the sink under flow control, so A gets
 * 1 / (n + 1) of it. In the first switch's queue A and V alternate, as both their ports are paused
 * in turn: V gets no more than A. Without flow control A and V share the link by halves. With a
 * priority of its own below that of A, V gets what A leaves.
 */
class LosslessVictimTestCase : public LosslessTestCase
{
  public:
    LosslessVictimTestCase()
        : LosslessTestCase("lossless: head-of-line blocking of a victim")
    {
    }

  private:
    void DoRun() override
    {
        const double share = 1.0 / (OTHERS + 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(3, 1U << 3), share, share * 0.1, "flow control: as A");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(3, 0), 0.5, 0.05, "no flow control: half of the link");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(2, 0b1100), 1 - share, 0.05, "own priority: what A leaves");
    }

    /**
     * @param priority priority of the victim
     * @param lossless priorities under flow control
     * @return share of the link between the switches that the victim gets
     */
    double Run(uint8_t priority, uint32_t lossless)
    {
        Reset();
        m_received.clear();
        m_fabric->SetSwitchAttribute("LosslessPriorities", UintegerValue(lossless));
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(2000000));
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(lossless == 0 ? "selective-repeat" : "go-back-n"));
        const uint32_t hosts = 4 + OTHERS;
        Install(MakeTwoSwitches(hosts));
        m_transports[1]->SetAttribute("Priority", UintegerValue(priority));
        m_fabric->GetDevice(1 + 3, 3)->TraceConnectWithoutContext(
            "PhyRxEnd",
            MakeCallback(&LosslessVictimTestCase::Receive, this));
        // Messages of random sizes keep packets of the two senders from always meeting the queue in
        // the same order.
        for (uint32_t number = 0; number < 2000; ++number)
        {
            Post(Time(0), 0, 2, 1 + m_random() % 60000);
            Post(Time(0), 1, 3, 1 + m_random() % 60000);
        }
        for (uint32_t other = 4; other < hosts; ++other)
        {
            Post(Time(0), other, 2, 1ULL << 40);
        }
        Simulator::Schedule(MilliSeconds(1), &LosslessVictimTestCase::Clear, this);
        Simulator::Stop(MilliSeconds(4));
        Simulator::Run();
        return static_cast<double>(m_bytes) * 8 / 100e9 / 3e-3;
    }

    /// The measurement begins.
    void Clear()
    {
        m_bytes = 0;
    }

    /**
     * @param packet packet that the idle sink has got
     */
    void Receive(const RdmaPacket& packet)
    {
        // What is sent again counts once.
        m_bytes += m_received.insert(packet.sequence).second ? packet.GetWireBytes() : 0;
    }

    static constexpr uint32_t OTHERS = 4; //!< senders into the congested sink at its own switch
    std::set<uint64_t> m_received;        //!< packets of the victim
    uint64_t m_bytes{0};                  //!< bytes of them on the wire since Clear()
    std::mt19937 m_random{1};             //!< source of sizes
};

/**
 * @ingroup workload-replay-tests
 * @brief An incast whose link fails for 500 ns when it has just been paused: pauses end with the
 * link, at both ends, so that the host is paused anew before the buffer overflows.
 */
class LosslessLinkTestCase : public RdmaTestCase
{
  public:
    LosslessLinkTestCase()
        : RdmaTestCase("lossless: a link fails while it is paused")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(400000));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
            "Pause",
            MakeCallback(&LosslessLinkTestCase::CutLink, this));
        Post(Time(0), 0, 2, 500 * MTU);
        Post(Time(0), 1, 2, 500 * MTU);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_cuts, 1, "the link has failed");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetSwitch(3)->GetLosslessDrops(), 0, "drops");
        ExpectAllDelivered();
    }

    /**
     * @param priority priority that is paused
     */
    void CutLink(uint8_t priority [[maybe_unused]])
    {
        const auto network = m_fabric->GetNetwork();
        if (m_cuts == 0)
        {
            Simulator::Schedule(NanoSeconds(1), &RdmaNetwork::SetLinkUp, network, 0, false);
            Simulator::Schedule(NanoSeconds(501), &RdmaNetwork::SetLinkUp, network, 0, true);
        }
        m_cuts = 1;
    }

    uint32_t m_cuts{0}; //!< how often the link has failed
};

} // namespace

std::vector<TestCase*>
MakeRdmaLosslessTestCases()
{
    return {new LosslessIncastTestCase,
            new LosslessAllToAllTestCase,
            new LosslessVictimTestCase,
            new LosslessLinkTestCase};
}

} // namespace ns3
