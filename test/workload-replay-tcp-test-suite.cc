/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transport-test-case.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc-container.h"
#include "ns3/queue-disc.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-message-header.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Ranks on two hosts with a link between them.
 */
class TcpTestCase : public TransportTestCase
{
  public:
    using TransportTestCase::TransportTestCase;

  protected:
    void DoSetup() override
    {
        m_factory.SetTypeId(TcpMessageTransport::GetTypeId());
    }

    /**
     * @param rate rate of the link
     * @param delay delay of the link
     */
    void MakeHosts(const std::string& rate = "10Gbps", Time delay = MicroSeconds(1))
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue(rate));
        link.SetDeviceAttribute("Mtu", UintegerValue(m_mtu));
        link.SetChannelAttribute("Delay", TimeValue(delay));
        // Too short for the device to hold what RED is to see, or too long to drop anything.
        link.SetQueue("ns3::DropTailQueue<Packet>",
                      "MaxSize",
                      StringValue(m_redThreshold > 0 ? "2p" : "100000p"));
        m_nodes.Create(2);
        m_devices = link.Install(m_nodes);
        InternetStackHelper internet;
        internet.SetIpv6StackInstall(false);
        internet.Install(m_nodes);
        if (m_redThreshold > 0)
        {
            TrafficControlHelper red;
            red.SetRootQueueDisc("ns3::RedQueueDisc",
                                 "UseEcn",
                                 BooleanValue(true),
                                 "UseHardDrop",
                                 BooleanValue(false),
                                 "MinTh",
                                 DoubleValue(m_redThreshold),
                                 "MaxTh",
                                 DoubleValue(m_redThreshold),
                                 "QW",
                                 DoubleValue(1),
                                 "MaxSize",
                                 StringValue("1000p"));
            m_queueDiscs = red.Install(m_devices);
        }
        m_interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(m_devices);
    }

    /**
     * Put ranks on the hosts in turn.
     *
     * @param ranks number of ranks
     */
    void MakeRanks(uint32_t ranks)
    {
        auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            addresses->emplace_back(m_interfaces.GetAddress(rank % 2), 5000 + rank);
        }
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            auto transport = m_factory.Create<TcpMessageTransport>();
            transport->Install(m_nodes.Get(rank % 2), rank, addresses);
            transport->TraceConnectWithoutContext("ConnectionFailed",
                                                  MakeCallback(&TcpTestCase::Fail, this));
            transport->TraceConnectWithoutContext("Retransmission",
                                                  MakeCallback(&TcpTestCase::Retransmit, this));
            AddRank(transport);
        }
    }

    /**
     * Have each host lose packets that reach it.
     *
     * @param share share of packets lost
     */
    void LosePackets(double share)
    {
        for (uint32_t host = 0; host < 2; host++)
        {
            auto errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            errors->SetRate(share);
            errors->AssignStreams(host);
            m_devices.Get(host)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
    }

    void DoTeardown() override
    {
        TransportTestCase::DoTeardown();
        m_nodes = NodeContainer();
        m_devices = NetDeviceContainer();
        m_queueDiscs = QueueDiscContainer();
    }

    ObjectFactory m_factory;      //!< makes the transports
    uint16_t m_mtu{9000};         //!< MTU of the link
    double m_redThreshold{0};     //!< queue length where RED marks, packets; 0 = a long plain queue
    NodeContainer m_nodes;        //!< the hosts
    NetDeviceContainer m_devices; //!< their devices
    QueueDiscContainer m_queueDiscs;     //!< RED of the devices, if any
    Ipv4InterfaceContainer m_interfaces; //!< their addresses
    std::vector<std::string> m_failures; //!< failed connections, as "rank-peer: reason"
    uint32_t m_retransmissions{0};       //!< segments retransmitted
    uint64_t m_retransmittedBytes{0};    //!< data in them

  private:
    /**
     * Trace sink.
     *
     * @param rank a rank
     * @param peer whom it sends to
     * @param reason why the connection has failed
     */
    void Fail(uint32_t rank, uint32_t peer, const std::string& reason)
    {
        m_failures.push_back(std::to_string(rank) + "-" + std::to_string(peer) + ": " + reason);
    }

    /**
     * Trace sink.
     *
     * @param rank a rank
     * @param peer whom it sends to
     * @param bytes data in the segment
     */
    void Retransmit(uint32_t rank [[maybe_unused]], uint32_t peer [[maybe_unused]], uint32_t bytes)
    {
        m_retransmissions++;
        m_retransmittedBytes += bytes;
    }
};

/**
 * @ingroup workload-replay
 * @brief Messages of odd sizes on several channels, both ways, arrive as sent and in order.
 */
class TcpOrderTestCase : public TcpTestCase
{
  public:
    TcpOrderTestCase()
        : TcpTestCase("tcp: channels, sizes and order")
    {
    }

  private:
    void DoRun() override
    {
        MakeHosts();
        MakeRanks(2);
        const std::vector<uint64_t> sizes{0, 1, 51, 52, 53, 8908, 8960, 8961, 3000000, 0};
        for (uint64_t bytes : sizes)
        {
            for (uint32_t channel : {0, 1, 7})
            {
                Post(MicroSeconds(0), 0, 1, bytes, channel);
                Post(MicroSeconds(0), 1, 0, bytes, channel);
            }
        }
        for (int i = 0; i < 2000; i++)
        {
            Post(MicroSeconds(1), 0, 1, 100);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "no packet was lost");
    }
};

/**
 * @ingroup workload-replay
 * @brief Headers that come in pieces, and buffers that hold less than a message, do no harm.
 */
class TcpSplitHeaderTestCase : public TcpTestCase
{
  public:
    /**
     * @param segmentSize data per segment, bytes
     */
    TcpSplitHeaderTestCase(uint32_t segmentSize)
        : TcpTestCase("tcp: headers split, segments of " + std::to_string(segmentSize) + " bytes"),
          m_segmentSize(segmentSize)
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_LT(m_segmentSize, +TcpMessageHeader::SIZE, "segments split headers");
        m_factory.Set("SegmentSize", UintegerValue(m_segmentSize));
        m_factory.Set("SndBuf", UintegerValue(1024));
        m_factory.Set("RcvBuf", UintegerValue(1024));
        MakeHosts();
        MakeRanks(2);
        for (uint32_t bytes = 0; bytes < 200; bytes++)
        {
            Post(MicroSeconds(0), 0, 1, bytes);
        }
        Post(MicroSeconds(0), 0, 1, 10000);
        Simulator::Run();
        ExpectAllDelivered();
    }

    uint32_t m_segmentSize; //!< data per segment, bytes
};

/**
 * @ingroup workload-replay
 * @brief A large message takes its bytes over the rate less headers, alone and with traffic the
 *        other way.
 *
 * A full packet has 8960 bytes of data behind 20 bytes of TCP, 20 of IPv4 and 2 of PPP. With
 * traffic the other way, each data packet shares the link with an acknowledgement of 42 bytes,
 * and acknowledgements that queue behind data come in bursts, which costs up to half the rate
 * (L. Zhang, S. Shenker and D. Clark, "Observations on the dynamics of a congestion control
 * algorithm: the effects of two-way traffic", SIGCOMM 1991).
 */
class TcpThroughputTestCase : public TcpTestCase
{
  public:
    TcpThroughputTestCase()
        : TcpTestCase("tcp: time of a large message")
    {
    }

  private:
    void DoRun() override
    {
        MakeHosts("10Gbps");
        MakeRanks(2);
        m_devices.Get(0)->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&TcpThroughputTestCase::NotePacket, this));
        constexpr uint64_t bytes = 50000000;
        const uint32_t alone = Post(Seconds(0), 0, 1, bytes);
        const uint32_t there = Post(Seconds(1), 0, 1, bytes);
        const uint32_t back = Post(Seconds(1), 1, 0, bytes);
        Simulator::Run();
        ExpectAllDelivered();
        const double ideal = bytes * 8 / 10e9;
        Expect(alone, ideal * 9002 / 8960, 1.01);
        Expect(there, ideal * (9002 + 42) / 8960, 2);
        Expect(back, ideal * (9002 + 42) / 8960, 2);
        NS_TEST_EXPECT_MSG_EQ(m_largest, 9002, "the MTU and PPP's header");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "no packet was lost");
    }

    /**
     * Check the time of a message.
     *
     * @param number the message
     * @param seconds least time that it can take
     * @param limit how many times that it may take
     */
    void Expect(uint32_t number, double seconds, double limit)
    {
        const Fate& fate = m_fates.at(number);
        const double taken = (fate.arrivedAt - fate.message.postedAt).GetSeconds();
        NS_TEST_EXPECT_MSG_GT(taken, seconds * 0.9999, "message " << number << " is too fast");
        NS_TEST_EXPECT_MSG_LT(taken, seconds * limit, "message " << number << " is too slow");
    }

    /**
     * Trace sink.
     *
     * @param packet a packet that leaves the first host
     */
    void NotePacket(Ptr<const Packet> packet)
    {
        m_largest = std::max(m_largest, packet->GetSize());
    }

    uint32_t m_largest{0}; //!< size of the largest packet, bytes
};

/**
 * @ingroup workload-replay
 * @brief A message is sent when its last acknowledgement is back.
 */
class TcpSentTestCase : public TcpTestCase
{
  public:
    TcpSentTestCase()
        : TcpTestCase("tcp: sent when acknowledged")
    {
    }

  private:
    void DoRun() override
    {
        MakeHosts("10Gbps", MicroSeconds(100));
        MakeRanks(2);
        const std::vector<uint32_t> numbers{Post(Seconds(0), 0, 1, 1000000),
                                            Post(Seconds(1), 0, 1, 0),
                                            Post(Seconds(2), 0, 1, 100)};
        Simulator::Run();
        ExpectAllDelivered();
        for (uint32_t number : numbers)
        {
            // The acknowledgement has 42 bytes with PPP: 33.6 ns at 10 Gbit/s.
            NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[number].sentAt - m_fates[number].arrivedAt,
                                      MicroSeconds(100) + NanoSeconds(34),
                                      NanoSeconds(1),
                                      "way back of the last acknowledgement");
        }
        // The connection is open: one packet with 42 bytes of headers and a message header of 56.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[numbers[1]].arrivedAt,
                                  Seconds(1) + MicroSeconds(100) + NanoSeconds(78),
                                  NanoSeconds(2),
                                  "arrival of an empty message");
    }
};

/**
 * @ingroup workload-replay
 * @brief Ranks of one node talk with each other and with those of another node.
 */
class TcpSharedNodeTestCase : public TcpTestCase
{
  public:
    TcpSharedNodeTestCase()
        : TcpTestCase("tcp: several ranks on a node")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t ranks = 6;
        MakeHosts();
        MakeRanks(ranks);
        for (uint32_t source = 0; source < ranks; source++)
        {
            for (uint32_t destination = 0; destination < ranks; destination++)
            {
                if (source != destination)
                {
                    Post(Seconds(0), source, destination, 100000);
                    Post(Seconds(0), source, destination, 10);
                }
            }
        }
        // Passed on within one call, each of its segments would take room on the stack.
        Post(MilliSeconds(100), 0, 2, 50000000);
        Simulator::Run();
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay
 * @brief Over a link that loses packets every message arrives once and in order.
 */
class TcpLossTestCase : public TcpTestCase
{
  public:
    TcpLossTestCase()
        : TcpTestCase("tcp: packet loss")
    {
    }

  private:
    void DoRun() override
    {
        MakeHosts();
        MakeRanks(2);
        LosePackets(0.01);
        for (uint32_t i = 0; i < 300; i++)
        {
            Post(MicroSeconds(100 * i), 0, 1, 50000 + i, i % 3);
            Post(MicroSeconds(100 * i), 1, 0, 1000 + i, i % 3);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_GT(m_retransmissions, 0, "packets were lost");
    }
};

/**
 * @ingroup workload-replay
 * @brief A lost segment counts as sent again however short it is; what has no data never does.
 */
class TcpShortSegmentTestCase : public TcpTestCase
{
  public:
    TcpShortSegmentTestCase()
        : TcpTestCase("tcp: a segment of one byte is lost")
    {
    }

  private:
    void DoRun() override
    {
        MakeHosts();
        MakeRanks(2);
        auto errors = CreateObject<ReceiveListErrorModel>();
        // Behind the two packets that open the connection, and a full one.
        errors->SetList({3});
        m_devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        Post(Seconds(0), 0, 1, 8960 - TcpMessageHeader::SIZE + 1);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 1, "segments sent again");
        NS_TEST_EXPECT_MSG_EQ(m_retransmittedBytes, 1, "data sent again");
    }
};

/**
 * @ingroup workload-replay
 * @brief The defaults see no loss in a queue that windows of several connections fill.
 *
 * Eight windows of 2 MiB at 40 Gbit/s make a queue of up to 3.4 ms, where the round trip was 6 us.
 */
class TcpStandingQueueTestCase : public TcpTestCase
{
  public:
    TcpStandingQueueTestCase()
        : TcpTestCase("tcp: no spurious retransmission in a standing queue")
    {
    }

  private:
    void DoRun() override
    {
        // Unlike TcpCubic it goes on until the window is full.
        m_factory.Set("CongestionControl", TypeIdValue(TcpNewReno::GetTypeId()));
        MakeHosts("40Gbps");
        MakeRanks(2);
        const uint32_t before = Post(Seconds(0), 0, 1, 1000, 100);
        for (uint32_t channel = 0; channel < 8; channel++)
        {
            Post(MilliSeconds(1), 0, 1, 6000000, channel);
        }
        const uint32_t during = Post(MilliSeconds(7), 0, 1, 1000, 100);
        Simulator::Run();
        ExpectAllDelivered();
        const Time usual = m_fates[before].arrivedAt - m_fates[before].message.postedAt;
        const Time queued = m_fates[during].arrivedAt - m_fates[during].message.postedAt;
        NS_TEST_EXPECT_MSG_LT(usual, MicroSeconds(10), "round trip without a queue");
        NS_TEST_EXPECT_MSG_GT(queued, MicroSeconds(2500), "wait in the queue");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "no packet was lost");
    }
};

/**
 * @ingroup workload-replay
 * @brief DCTCP with a queue disc that marks keeps the queue short and loses nothing.
 */
class TcpDctcpTestCase : public TcpTestCase
{
  public:
    TcpDctcpTestCase()
        : TcpTestCase("tcp: DCTCP with RED")
    {
    }

  private:
    void DoRun() override
    {
        m_redThreshold = 20;
        m_factory.Set("CongestionControl", TypeIdValue(TcpDctcp::GetTypeId()));
        MakeHosts("10Gbps", MicroSeconds(10));
        MakeRanks(2);
        m_queueDiscs.Get(0)->TraceConnectWithoutContext(
            "PacketsInQueue",
            MakeCallback(&TcpDctcpTestCase::NoteQueue, this));
        const uint32_t number = Post(Seconds(0), 0, 1, 20000000);
        Simulator::Run();
        ExpectAllDelivered();
        const auto& stats = m_queueDiscs.Get(0)->GetStats();
        NS_TEST_EXPECT_MSG_GT(stats.nTotalMarkedPackets, 0, "marks");
        NS_TEST_EXPECT_MSG_EQ(stats.nTotalDroppedPackets, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "retransmissions");
        // Without marks the queue would hold the window of 2 MiB, 234 packets.
        NS_TEST_EXPECT_MSG_LT(m_longest, 100, "longest queue");
        NS_TEST_EXPECT_MSG_LT(m_fates[number].arrivedAt,
                              Seconds(20e6 * 8 / 10e9 * 9002 / 8960 * 1.05),
                              "time of the message");
    }

    /**
     * Trace sink.
     *
     * @param before packets in the queue before
     * @param after packets in the queue after
     */
    void NoteQueue(uint32_t before [[maybe_unused]], uint32_t after)
    {
        m_longest = std::max(m_longest, after);
    }

    uint32_t m_longest{0}; //!< most packets in the queue
};

/**
 * @ingroup workload-replay
 * @brief Connections that fail are reported with rank, peer and reason; messages stay unsent.
 */
class TcpFailureTestCase : public TcpTestCase
{
  public:
    TcpFailureTestCase()
        : TcpTestCase("tcp: failing connections")
    {
    }

  private:
    void DoRun() override
    {
        m_factory.Set("ConnTimeout", TimeValue(MilliSeconds(1)));
        m_factory.Set("DataRetries", UintegerValue(2));
        MakeHosts();
        MakeRanks(4);
        const uint32_t good = Post(Seconds(0), 0, 1, 1000);
        // Rank 3 is gone, with its listening socket. A reset would answer, but ns-3's TCP takes
        // no notice of it while it waits for a connection.
        Simulator::Schedule(Seconds(1), &MessageTransport::Dispose, m_transports[3]);
        const uint32_t absent = Post(Seconds(2), 0, 3, 1000);
        Simulator::Schedule(Seconds(3), &TcpFailureTestCase::LosePackets, this, 1.0);
        const uint32_t broken = Post(Seconds(4), 0, 1, 1000);
        const uint32_t unanswered = Post(Seconds(5), 2, 1, 1000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_fates[good].sents, 1, "sent while the connection was good");
        for (uint32_t number : {absent, broken, unanswered})
        {
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].arrivals, 0, "message " << number);
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].sents, 0, "message " << number);
        }
        const std::vector<std::string> expected{"0-3: the peer does not answer",
                                                "0-1: retransmissions used up or protocol error",
                                                "2-1: the peer does not answer"};
        NS_TEST_ASSERT_MSG_EQ(m_failures.size(), expected.size(), "failures");
        for (std::size_t i = 0; i < expected.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_failures[i], expected[i], "failure " << i);
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief Messages over TCP, against closed forms.
 */
class WorkloadReplayTcpTestSuite : public TestSuite
{
  public:
    WorkloadReplayTcpTestSuite()
        : TestSuite("workload-replay-tcp", TestSuite::Type::UNIT)
    {
        AddTestCase(new TcpOrderTestCase);
        AddTestCase(new TcpSplitHeaderTestCase(7));
        AddTestCase(new TcpSplitHeaderTestCase(50));
        AddTestCase(new TcpThroughputTestCase);
        AddTestCase(new TcpSentTestCase);
        AddTestCase(new TcpSharedNodeTestCase);
        AddTestCase(new TcpLossTestCase);
        AddTestCase(new TcpShortSegmentTestCase);
        AddTestCase(new TcpStandingQueueTestCase);
        AddTestCase(new TcpDctcpTestCase);
        AddTestCase(new TcpFailureTestCase);
    }
};

/// Registers the suite.
WorkloadReplayTcpTestSuite g_workloadReplayTcpTestSuite;

} // namespace
