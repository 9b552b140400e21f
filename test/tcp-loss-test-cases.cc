/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-test-case.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-message-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

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

} // namespace

std::vector<TestCase*>
MakeTcpLossTestCases()
{
    return {new TcpLossTestCase,
            new TcpShortSegmentTestCase,
            new TcpStandingQueueTestCase,
            new TcpDctcpTestCase,
            new TcpFailureTestCase};
}

} // namespace ns3
