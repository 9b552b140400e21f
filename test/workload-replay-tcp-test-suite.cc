/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-test-case.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-message-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

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
        for (auto* testCase : MakeTcpLossTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// Registers the suite.
WorkloadReplayTcpTestSuite g_workloadReplayTcpTestSuite;

} // namespace
