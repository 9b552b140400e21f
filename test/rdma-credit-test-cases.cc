/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-lossless-test-cases.h"
#include "rdma-test-case.h"
#include "topology-test-graphs.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Blocks of a full packet: 3994 bytes of frame.
constexpr uint32_t FRAME_BLOCKS = 63;

/// Time of a full packet at 100 Gb/s, s.
constexpr double PACKET = 3994 * 8 / 100e9;

/// Bytes of its blocks.
constexpr uint32_t FRAME_BYTES = FRAME_BLOCKS * 64;

/// Priority, and virtual lane, of data.
constexpr uint8_t DATA_LANE = 3;

/**
 * @ingroup workload-replay-tests
 * @brief The accounts of a port with room for four frames, by hand.
 */
class CreditAccountTestCase : public TestCase
{
  public:
    CreditAccountTestCase()
        : TestCase("credits: accounts")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(RdmaCredits::GetBlocks(64), 1, "a block");
        NS_TEST_EXPECT_MSG_EQ(RdmaCredits::GetBlocks(65), 2, "one byte more");
        // Four frames of 10 blocks; news takes as long as 2 blocks.
        RdmaCredits sender(40, 10, 2);
        RdmaCredits receiver(40, 10, 2);
        NS_TEST_EXPECT_MSG_EQ(sender.Send(3, 10), true, "the second may follow");
        NS_TEST_EXPECT_MSG_EQ(sender.Send(3, 20), true, "the fourth may follow");
        NS_TEST_EXPECT_MSG_EQ(sender.Send(3, 1), false, "9 blocks are not enough");
        NS_TEST_EXPECT_MSG_EQ(sender.Send(4, 0), true, "the next lane has its own");
        // 9 blocks left, 31 taken by what has come, of which some leave.
        receiver.Receive(3, 31);
        receiver.Store(3, 31, true);
        NS_TEST_EXPECT_MSG_EQ(receiver.IsNews(3), false, "nothing is free");
        receiver.Store(3, 1, false);
        NS_TEST_EXPECT_MSG_EQ(receiver.IsNews(3), true, "it waits for that block alone");
        NS_TEST_EXPECT_MSG_EQ(sender.Grant(3, receiver.Announce(3)), true, "a full frame");
        NS_TEST_EXPECT_MSG_EQ(receiver.IsNews(3), false, "it has been told");
        NS_TEST_EXPECT_MSG_EQ(sender.Send(3, 10), false, "and no more");
        receiver.Receive(3, 10);
        receiver.Store(3, 10, true);
        NS_TEST_EXPECT_MSG_EQ(receiver.GetStored(3), 40, "full");
        // On lane 4 packets pass: told when the sender has half left, and 2 blocks.
        receiver.Receive(4, 10);
        NS_TEST_EXPECT_MSG_EQ(receiver.IsNews(4), false, "30 of 40 are left");
        receiver.Receive(4, 10);
        NS_TEST_EXPECT_MSG_EQ(receiver.IsNews(4), true, "20 are left");
        // The link comes up again, while lane 3 is full.
        sender.Reset();
        receiver.Reset();
        NS_TEST_EXPECT_MSG_EQ(sender.Send(4, 0), false, "nothing until the far end tells");
        NS_TEST_EXPECT_MSG_EQ(receiver.IsNews(3), false, "lane 3 is full");
        receiver.Store(3, 40, false);
        NS_TEST_EXPECT_MSG_EQ(receiver.Announce(3), 40, "all is free");
        NS_TEST_EXPECT_MSG_EQ(receiver.Announce(4), 40, "so it is there");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases with flow control by credits.
 */
class CreditTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Begin anew.
     *
     * @param frames full frames that a receive buffer holds; 0 = the default
     */
    void Begin(uint32_t frames)
    {
        Reset();
        m_fabric->SetDeviceAttribute("FlowControl", StringValue("credits"));
        if (frames > 0)
        {
            m_fabric->SetDeviceAttribute("LaneBuffer", UintegerValue(frames * FRAME_BYTES));
        }
    }

    /**
     * Make sure that nothing was lost or is left in a buffer.
     *
     * @param what the traffic
     */
    void ExpectLossless(const std::string& what)
    {
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                const auto port = m_fabric->GetDevice(link, node);
                NS_TEST_EXPECT_MSG_EQ(port->GetCounters().drops, 0, "drops, " << what);
                NS_TEST_EXPECT_MSG_EQ(port->GetCounters().pauses, 0, "pauses, " << what);
                for (uint8_t lane = 0; lane < RdmaEgressQueues::PRIORITIES; ++lane)
                {
                    NS_TEST_EXPECT_MSG_EQ(port->GetCredits()->GetStored(lane),
                                          0,
                                          "left at link " << link << ", " << what);
                }
            }
        }
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The throughput of a link is its rate, or the buffer over the round trip if that is less.
 *
 * A round trip at 100 Gb/s is that of a packet, of a flow control packet, 6 bytes or 0.48 ns, and
 * twice the delay. An acknowledgement that goes the other way may be before that packet.
 */
class CreditThroughputTestCase : public CreditTestCase
{
  public:
    CreditThroughputTestCase()
        : CreditTestCase("credits: buffer over round trip")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t frames : {1, 2, 4, 8, 12, 16, 32})
        {
            Check(frames, MicroSeconds(2));
        }
        // 32 frames are the most that a receiver may give credit for.
        Check(0, MicroSeconds(2));
        Check(0, MicroSeconds(20));
    }

    /**
     * @param frames full frames that a receive buffer holds; 0 = the default
     * @param delay propagation delay of a link
     */
    void Check(uint32_t frames, Time delay)
    {
        Begin(frames);
        Install(MakeStar(2, "100Gbps", delay));
        constexpr uint32_t packets = 3200;
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        const double send = PACKET;
        const double roundTrip = send + 0.48e-9 + 2 * delay.GetSeconds();
        const double perPacket = std::max(send, roundTrip / (frames > 0 ? frames : 32));
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates.front().arrivedAt.GetSeconds() / packets / perPacket,
                                  1,
                                  0.02,
                                  frames << " frames, " << delay);
        ExpectLossless("one message");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Incast: nothing is lost though buffers hold a few frames, and the sink's link is busy.
 */
class CreditIncastTestCase : public CreditTestCase
{
  public:
    CreditIncastTestCase()
        : CreditTestCase("credits: incast")
    {
    }

  private:
    void DoRun() override
    {
        Check(2, 500, 6);
        Check(8, 200, 6);
        Check(64, 40, 6);
        Check(8, 200, 0);
    }

    /**
     * @param senders number of senders
     * @param packets packets of each
     * @param frames full frames that a receive buffer holds; 0 = the default
     */
    void Check(uint32_t senders, uint32_t packets, uint32_t frames)
    {
        Begin(frames);
        m_most = 0;
        Install(MakeStar(senders + 1, "100Gbps", NanoSeconds(500)));
        m_fabric->GetDevice(senders, senders + 1)
            ->TraceConnectWithoutContext("Enqueue",
                                         MakeCallback(&CreditIncastTestCase::Store, this));
        for (uint32_t sender = 0; sender < senders; ++sender)
        {
            Post(Time(0), sender, senders, packets * MTU);
        }
        Simulator::Run();
        Time last;
        for (const auto& fate : m_fates)
        {
            last = std::max(last, fate.arrivedAt);
        }
        const std::string what = std::to_string(senders) + " to 1";
        const double ideal = PACKET * (senders * packets + 1) + 1e-6;
        NS_TEST_EXPECT_MSG_EQ_TOL(last.GetSeconds() / ideal, 1, 0.01, what);
        // With eight and more a sender's turn comes after the round trip, 1.3 us: its buffer is
        // full.
        const uint32_t buffer = (frames > 0 ? frames : 32) * FRAME_BLOCKS;
        NS_TEST_EXPECT_MSG_LT(m_most, buffer + 1, "most that is stored, " << what);
        NS_TEST_EXPECT_MSG_EQ((m_most == buffer), (senders >= 8), "full, " << what);
        ExpectLossless(what);
    }

    /**
     * @param packet packet that is stored
     */
    void Store(const RdmaPacket& packet)
    {
        const auto sender = m_fabric->GetNetwork()->GetGraph().GetLinksOf(
            m_fabric->GetHosts().GetN())[packet.ingress];
        const auto port = m_fabric->GetDevice(sender, m_fabric->GetHosts().GetN());
        m_most = std::max(m_most, port->GetCredits()->GetStored(packet.priority));
    }

    uint32_t m_most{0}; //!< most blocks that were taken of a buffer
};

/**
 * @ingroup workload-replay-tests
 * @brief Rank 0 (A) and rank 1 (V) share the link between two switches, A to a sink with four more
 * senders at the second switch, V to an idle one. On A's virtual lane V gets no more than A, a
 * fifth; on its own what A leaves, though the lane of A has no credit most of the time.
 */
class CreditVictimTestCase : public CreditTestCase
{
  public:
    CreditVictimTestCase()
        : CreditTestCase("credits: a victim on its own virtual lane")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(DATA_LANE), 0.2, 0.03, "A's lane");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(2), 0.8, 0.03, "its own lane");
    }

    /**
     * @param lane virtual lane of the victim
     * @return share of the link between the switches that the victim gets
     */
    double Run(uint8_t lane)
    {
        Begin(16);
        Install(MakeTwoSwitches(8));
        m_transports[1]->SetAttribute("Priority", UintegerValue(lane));
        m_bytes = 0;
        m_fabric->GetDevice(1 + 3, 3)->TraceConnectWithoutContext(
            "PhyRxEnd",
            MakeCallback(&CreditVictimTestCase::Receive, this));
        for (const uint32_t sender : {0, 4, 5, 6, 7})
        {
            Post(Time(0), sender, 2, 1ULL << 40);
        }
        Post(Time(0), 1, 3, 1ULL << 40);
        Simulator::Stop(MilliSeconds(4));
        Simulator::Run();
        return static_cast<double>(m_bytes) * 8 / 100e9 / 3e-3;
    }

    /**
     * @param packet packet that the idle sink has got
     */
    void Receive(const RdmaPacket& packet)
    {
        m_bytes += Simulator::Now() > MilliSeconds(1) ? packet.GetWireBytes() : 0;
    }

    uint64_t m_bytes{0}; //!< bytes of the victim on the wire since 1 ms
};

/**
 * @ingroup workload-replay-tests
 * @brief A link is cut and mended while messages wait for credit: all bytes arrive, and the link
 * then carries as much as before.
 */
class CreditFailureTestCase : public CreditTestCase
{
  public:
    CreditFailureTestCase()
        : CreditTestCase("credits: a link that fails")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t cut : {0, 2})
        {
            Begin(6);
            m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(500)));
            Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
            for (const bool up : {false, true})
            {
                Simulator::Schedule(MicroSeconds(up ? 200 : 100),
                                    &RdmaNetwork::SetLinkUp,
                                    m_fabric->GetNetwork(),
                                    cut,
                                    up);
            }
            Post(Time(0), 0, 2, 1000 * MTU);
            Post(Time(0), 1, 2, 1000 * MTU);
            // Long after: alone, at line rate.
            const auto last = Post(MilliSeconds(10), 0, 2, 1000 * MTU, 1);
            Simulator::Run();
            ExpectAllDelivered();
            const Time time = m_fates.at(last).arrivedAt - MilliSeconds(10);
            NS_TEST_EXPECT_MSG_EQ_TOL(time.GetSeconds(),
                                      1001 * PACKET + 1e-6,
                                      5e-6,
                                      "after link " << cut << " has failed");
            for (uint32_t link = 0; link < 3; ++link)
            {
                for (uint8_t lane = 0; lane < RdmaEgressQueues::PRIORITIES; ++lane)
                {
                    const auto* credits = m_fabric->GetDevice(link, 3)->GetCredits();
                    NS_TEST_EXPECT_MSG_EQ(credits->GetStored(lane), 0, "left at link " << link);
                }
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What does not go together is refused.
 */
class CreditErrorTestCase : public CreditTestCase
{
  public:
    CreditErrorTestCase()
        : CreditTestCase("credits: what is refused")
    {
    }

  private:
    void DoRun() override
    {
        Begin(0);
        m_fabric->SetDeviceAttribute("LaneBuffer", UintegerValue(FRAME_BYTES - 1));
        Expect("ns3::RdmaNetDevice::LaneBuffer", "at least 4032 bytes");
        Begin(0);
        m_fabric->SetDeviceAttribute("PauseQuanta", UintegerValue(100));
        Expect("ns3::RdmaNetDevice::PauseQuanta", "0 with flow control by credits");
        for (const std::string name : {"BufferSize", "LosslessPriorities"})
        {
            Begin(0);
            m_fabric->SetSwitchAttribute(name, UintegerValue(1));
            Expect("ns3::RdmaSwitch::" + name, "its default");
        }
        Begin(0);
        m_fabric->SetSwitchAttribute("Watchdog", StringValue("drop"));
        Expect("ns3::RdmaSwitch::Watchdog", "its default");
    }

    /**
     * @param where what the error is to name
     * @param expected what it is to expect
     */
    void Expect(const std::string& where, const std::string& expected)
    {
        std::string message;
        try
        {
            Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(message.find(where), std::string::npos, where << ": " << message);
        NS_TEST_EXPECT_MSG_NE(message.find(expected), std::string::npos, message);
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaCreditTestCases()
{
    return {new CreditAccountTestCase,
            new CreditThroughputTestCase,
            new CreditIncastTestCase,
            new CreditVictimTestCase,
            new CreditFailureTestCase,
            new CreditErrorTestCase};
}

} // namespace ns3
