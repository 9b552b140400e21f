/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-order-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/packet.h"
#include "ns3/rdma-packet-bytes.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Propagation delay of all links, ns.
constexpr int64_t DELAY = 500;

/// A full packet on a link of 100 Gb/s, ns.
constexpr int64_t PACKET = 324;

/**
 * @ingroup workload-replay-tests
 * @brief Nodes of the simulation that do not belong to the fabric change nothing: packets are
 * addressed by the numbers of the graph.
 */
class OrderForeignNodeTestCase : public RdmaTestCase
{
  public:
    OrderForeignNodeTestCase()
        : RdmaTestCase("rdma: nodes that do not belong to the fabric")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isChain : {true, false})
        {
            const Time alone = Run(isChain, 0);
            const double wire = static_cast<double>(BYTES) / MTU * PACKET;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(alone.GetNanoSeconds()),
                                      wire,
                                      wire * 0.01,
                                      "one message at the rate of the links");
            for (const uint32_t foreign : {1, 2, 7})
            {
                NS_TEST_EXPECT_MSG_EQ(Run(isChain, foreign), alone, foreign << " foreign nodes");
            }
        }
    }

    /**
     * @param isChain a chain of four hosts, which relay, or a star of four
     * @param foreign nodes that are made before the fabric
     * @return when a message of rank 0 has arrived at rank 3
     */
    Time Run(bool isChain, uint32_t foreign)
    {
        Reset();
        NodeContainer others;
        others.Create(foreign);
        TopologyGraph chain;
        for (uint32_t host = 0; host < 4; ++host)
        {
            chain.AddHost("h" + std::to_string(host));
        }
        for (uint32_t host = 0; host < 3; ++host)
        {
            chain.AddLink(host, host + 1, DataRate("100Gbps"), NanoSeconds(DELAY));
        }
        Install(isChain ? chain : MakeStar(4, "100Gbps", NanoSeconds(DELAY)));
        m_retransmissions = 0;
        m_fabric->GetNic(0)->TraceConnectWithoutContext(
            "Retransmission",
            MakeCallback(&OrderForeignNodeTestCase::CountRetransmission, this));
        Post(Time(0), 0, 3, BYTES);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is lost");
        return m_fates[0].arrivedAt;
    }

    /**
     * @param packet what is sent again
     */
    void CountRetransmission(const RdmaPacket& packet [[maybe_unused]])
    {
        ++m_retransmissions;
    }

    static constexpr uint64_t BYTES = 20000000; //!< size of the message
    uint32_t m_retransmissions{0};              //!< packets sent again
};

/**
 * @ingroup workload-replay-tests
 * @brief Packets that come in at one time step are served by ingress port, whoever has sent first.
 */
class OrderWithinTickTestCase : public RdmaTestCase
{
  public:
    OrderWithinTickTestCase()
        : RdmaTestCase("rdma: order of packets that come in at once")
    {
    }

  private:
    void DoRun() override
    {
        const Time first = NanoSeconds(2 * (PACKET + DELAY));
        for (const auto& [one, other] : {std::make_pair(0, 1), std::make_pair(1, 0)})
        {
            Reset();
            Simulator::SetScheduler(ObjectFactory("ns3::RadixHeapScheduler"));
            Install(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
            const uint32_t messages[] = {Post(Time(0), one, 2, MTU), Post(Time(0), other, 2, MTU)};
            Simulator::Run();
            ExpectAllDelivered();
            // Rank 0 is behind port 0 of the switch.
            NS_TEST_EXPECT_MSG_EQ(m_fates[messages[one]].arrivedAt, first, one << " sends first");
            NS_TEST_EXPECT_MSG_EQ(m_fates[messages[other]].arrivedAt,
                                  first + NanoSeconds(PACKET),
                                  one << " sends first");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A port draws from a stream of its own: which packets it marks does not depend on others.
 */
class OrderMarksTestCase : public RdmaTestCase
{
  public:
    OrderMarksTestCase()
        : RdmaTestCase("rdma: marks of a port do not depend on other ports")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint64_t> alone = Run(false);
        NS_TEST_EXPECT_MSG_GT(alone.size(), 10, "some are marked");
        NS_TEST_EXPECT_MSG_EQ((Run(true) == alone), true, "the same with traffic elsewhere");
    }

    /**
     * Two switches, on each of which ranks 0 and 1, or 3 and 4, send to rank 2 or 5.
     *
     * @param isBusy whether the second switch has traffic as well
     * @return numbers of the packets that the first one has marked
     */
    std::vector<uint64_t> Run(bool isBusy)
    {
        Reset();
        m_marked.clear();
        const std::vector<std::string> three(3, "100Gbps");
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(50000000));
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        Install(MakeDumbbell(three, three, "100Gbps", NanoSeconds(DELAY)));
        m_fabric->GetDevice(2, 6)->TraceConnectWithoutContext(
            "Mark",
            MakeCallback(&OrderMarksTestCase::NoteMark, this));
        for (uint32_t rank = 0; rank < (isBusy ? 6 : 3); ++rank)
        {
            if (rank % 3 < 2)
            {
                Post(Time(0), rank, rank < 3 ? 2 : 5, 2000000);
            }
        }
        Simulator::Run();
        ExpectAllDelivered();
        return m_marked;
    }

    /**
     * @param packet a packet that is marked
     */
    void NoteMark(const RdmaPacket& packet)
    {
        m_marked.push_back(packet.sequence << 1 | packet.source);
    }

    std::vector<uint64_t> m_marked; //!< packets that were marked
};

/**
 * @ingroup workload-replay-tests
 * @brief A packet can be written to bytes and read again, whole.
 */
class OrderPacketBytesTestCase : public TestCase
{
  public:
    OrderPacketBytesTestCase()
        : TestCase("rdma: packets as bytes")
    {
    }

  private:
    void DoRun() override
    {
        RdmaPacket::Type types[] = {RdmaPacket::DATA, RdmaPacket::NACK, RdmaPacket::PAUSE};
        for (const auto type : types)
        {
            for (const uint32_t hops : {0U, 1U, RdmaTelemetry::MAX_HOPS})
            {
                Check(*Fill(type, hops));
            }
        }
        CheckFlags();
        const RdmaPacketPtr plain(new RdmaPacket(RdmaPacket::CNP, 74));
        const RdmaPacketPtr read = WriteAndRead(*plain);
        NS_TEST_EXPECT_MSG_EQ((read->message == nullptr), true, "no message");
        NS_TEST_EXPECT_MSG_EQ((read->telemetry == nullptr), true, "no telemetry");
        NS_TEST_EXPECT_MSG_EQ(read->receiverQp, RdmaPacket::UNKNOWN, "not known");
    }

    /**
     * @param type what it is
     * @param hops hops whose telemetry it has
     * @return a packet no two fields of which are alike
     */
    static RdmaPacketPtr Fill(RdmaPacket::Type type, uint32_t hops)
    {
        RdmaPacketPtr packet(new RdmaPacket(type, 0x01020304));
        packet->destination = 0x11121314;
        packet->priority = 5;
        packet->marked = true;
        packet->flowHash = 0xf1f2f3f4f5f6f7f8;
        packet->train.count = 0x2122;
        packet->train.shared = 0x2324;
        packet->train.head = INT64_MAX - 1;
        packet->train.tail = INT64_MAX - 2;
        packet->train.interval = -3;
        packet->source = 0x31323334;
        packet->payload = 0x41424344;
        packet->senderQp = 0x51525354;
        packet->receiverQp = 0x61626364;
        packet->sequence = 0x7172737475767778;
        packet->sentAt = 0x0102030405060708;
        packet->udpSourcePort = 0xc123;
        packet->isLast = true;
        packet->ackedCount = 0x8182;
        packet->msn = 0x91929394;
        packet->ackedSequence = 0xa1a2a3a4a5a6a7a8;
        packet->sack = 0xb1b2b3b4b5b6b7b8;
        auto message = std::make_unique<Message>();
        message->source = 1;
        message->destination = 2;
        message->channel = 3;
        message->bytes = uint64_t{1} << 40;
        message->postedAt = NanoSeconds(12345678);
        message->cookie = UINT64_MAX;
        message->attachment = {0xc1c2c3c4, 0xc5c6c7c8, 6, 7, UINT32_MAX, 8, 9};
        packet->message = std::move(message);
        packet->AddTelemetry(std::make_unique<RdmaTelemetry>());
        for (uint32_t hop = 0; hop < hops; ++hop)
        {
            packet->telemetry->Write({hop, hop + 1U, hop + 2U, uint64_t{400000000000} + hop});
        }
        return packet;
    }

    /**
     * @param packet a packet
     * @return what is read of its bytes
     */
    RdmaPacketPtr WriteAndRead(const RdmaPacket& packet)
    {
        ByteWriter writer;
        WritePacket(packet, writer);
        ByteReader reader(writer.GetBytes());
        RdmaPacketPtr read = ReadPacket(reader);
        NS_TEST_EXPECT_MSG_EQ(reader.IsAtEnd(), true, "nothing is left");
        return read;
    }

    /// What a packet is or is not, and numbers that most do not have: each by itself.
    void CheckFlags()
    {
        for (uint32_t set = 0; set <= 10; ++set)
        {
            const RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, 4160));
            packet->isTrimmable = set == 0;
            packet->isTrimmed = set == 1;
            packet->asksForAck = set == 2;
            packet->demand = set == 3 ? 0xd1d2d3d4d5d6d7d8 : 0;
            packet->messageEnd = set == 4 ? 0xe1e2e3e4e5e6e7e8 : 0;
            packet->marked = set == 5;
            packet->delayed = set == 6;
            packet->isInTrain = set == 7;
            packet->isFirst = set == 8;
            packet->isLast = set == 9;
            const RdmaPacketPtr read = WriteAndRead(*packet);
            NS_TEST_EXPECT_MSG_EQ(read->isTrimmable, (set == 0), "may be trimmed");
            NS_TEST_EXPECT_MSG_EQ(read->isTrimmed, (set == 1), "trimmed");
            NS_TEST_EXPECT_MSG_EQ(read->asksForAck, (set == 2), "asks for an acknowledgement");
            NS_TEST_EXPECT_MSG_EQ(read->demand, packet->demand, "demand");
            NS_TEST_EXPECT_MSG_EQ(read->messageEnd, packet->messageEnd, "end of the message");
            NS_TEST_EXPECT_MSG_EQ(read->marked, (set == 5), "marked");
            NS_TEST_EXPECT_MSG_EQ(read->delayed, (set == 6), "delayed");
            NS_TEST_EXPECT_MSG_EQ(read->isInTrain, (set == 7), "in a train");
            NS_TEST_EXPECT_MSG_EQ(read->isFirst, (set == 8), "first");
            NS_TEST_EXPECT_MSG_EQ(read->isLast, (set == 9), "last");
        }
    }

    /**
     * @param packet a packet that Fill() has made
     */
    void Check(const RdmaPacket& packet)
    {
        const RdmaPacketPtr read = WriteAndRead(packet);
        NS_TEST_EXPECT_MSG_EQ(+read->type, +packet.type, "type");
        NS_TEST_EXPECT_MSG_EQ(read->size, 0x01020304, "size");
        NS_TEST_EXPECT_MSG_EQ(read->destination, 0x11121314, "destination");
        NS_TEST_EXPECT_MSG_EQ(+read->priority, 5, "priority");
        NS_TEST_EXPECT_MSG_EQ(read->marked, true, "marked");
        NS_TEST_EXPECT_MSG_EQ(read->delayed, false, "delayed");
        NS_TEST_EXPECT_MSG_EQ(read->flowHash, 0xf1f2f3f4f5f6f7f8, "hash of the flow");
        NS_TEST_EXPECT_MSG_EQ(read->train.count, 0x2122, "packets");
        NS_TEST_EXPECT_MSG_EQ(read->train.shared, 0x2324, "packets beside others");
        NS_TEST_EXPECT_MSG_EQ(read->train.head, INT64_MAX - 1, "head");
        NS_TEST_EXPECT_MSG_EQ(read->train.tail, INT64_MAX - 2, "tail");
        NS_TEST_EXPECT_MSG_EQ(read->train.interval, -3, "interval");
        NS_TEST_EXPECT_MSG_EQ(read->source, 0x31323334, "source");
        NS_TEST_EXPECT_MSG_EQ(read->payload, 0x41424344, "payload");
        NS_TEST_EXPECT_MSG_EQ(read->senderQp, 0x51525354, "queue pair of the sender");
        NS_TEST_EXPECT_MSG_EQ(read->receiverQp, 0x61626364, "queue pair of the receiver");
        NS_TEST_EXPECT_MSG_EQ(read->sequence, 0x7172737475767778, "sequence");
        NS_TEST_EXPECT_MSG_EQ(read->sentAt, 0x0102030405060708, "time of sending");
        NS_TEST_EXPECT_MSG_EQ(read->udpSourcePort, 0xc123, "UDP source port");
        NS_TEST_EXPECT_MSG_EQ(read->isFirst, false, "first");
        NS_TEST_EXPECT_MSG_EQ(read->isLast, true, "last");
        NS_TEST_EXPECT_MSG_EQ(read->isTrainRest, false, "rest of a train");
        if (packet.type == RdmaPacket::NACK)
        {
            NS_TEST_EXPECT_MSG_EQ(read->ackedCount, 0x8182, "packets acknowledged");
            NS_TEST_EXPECT_MSG_EQ(read->msn, 0x91929394, "message sequence number");
            NS_TEST_EXPECT_MSG_EQ(read->ackedSequence, 0xa1a2a3a4a5a6a7a8, "packet acknowledged");
            NS_TEST_EXPECT_MSG_EQ(read->sack, 0xb1b2b3b4b5b6b7b8, "selective acknowledgement");
        }
        CheckMessage(*read->message);
        NS_TEST_EXPECT_MSG_EQ(read->telemetry->count, packet.telemetry->count, "hops");
        for (uint32_t hop = 0; hop < packet.telemetry->count; ++hop)
        {
            const RdmaTelemetry::Hop& one = read->telemetry->hops[hop];
            NS_TEST_EXPECT_MSG_EQ(one.at, hop, "time of a hop");
            NS_TEST_EXPECT_MSG_EQ(one.sentBytes, hop + 1, "bytes sent");
            NS_TEST_EXPECT_MSG_EQ(one.queue, hop + 2, "queue");
            NS_TEST_EXPECT_MSG_EQ(one.rate, uint64_t{400000000000} + hop, "rate");
        }
    }

    /**
     * @param message the message of a packet that Fill() has made
     */
    void CheckMessage(const Message& message)
    {
        NS_TEST_EXPECT_MSG_EQ(message.source, 1, "source");
        NS_TEST_EXPECT_MSG_EQ(message.destination, 2, "destination");
        NS_TEST_EXPECT_MSG_EQ(message.channel, 3, "channel");
        NS_TEST_EXPECT_MSG_EQ(message.bytes, uint64_t{1} << 40, "bytes");
        NS_TEST_EXPECT_MSG_EQ(message.postedAt, NanoSeconds(12345678), "time of posting");
        NS_TEST_EXPECT_MSG_EQ(message.cookie, UINT64_MAX, "cookie");
        const MessageAttachment attachment{0xc1c2c3c4, 0xc5c6c7c8, 6, 7, UINT32_MAX, 8, 9};
        NS_TEST_EXPECT_MSG_EQ((message.attachment == attachment), true, "attachment");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaOrderTestCases()
{
    return {new OrderForeignNodeTestCase,
            new OrderWithinTickTestCase,
            new OrderMarksTestCase,
            new OrderPacketBytesTestCase};
}

} // namespace ns3
