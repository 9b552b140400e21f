/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-frame-test-tools.h"

#include "ns3/rdma-frame.h"
#include "ns3/test.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param hex hexadecimal digits, two for each byte; blanks are passed over
 * @return the bytes
 */
std::vector<uint8_t>
FromHex(const std::string& hex)
{
    std::string digits;
    std::vector<uint8_t> bytes;
    for (const char character : hex)
    {
        if (character != ' ')
        {
            digits += character;
        }
    }
    for (std::size_t i = 0; i < digits.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/**
 * @param packet a packet of the fabric
 * @return its frame from port 00:00:00:00:00:01 to port 00:00:00:00:00:02
 */
std::vector<uint8_t>
MakeFrame(const RdmaPacket& packet)
{
    return GetBytes(RdmaFrame::Make(packet,
                                    Mac48Address("00:00:00:00:00:01"),
                                    Mac48Address("00:00:00:00:00:02")));
}

/**
 * @param type what it is
 * @param frameBytes size of its frame
 * @return a packet between the nodes 0 and 256, of channel 0 and the sender's queue pair 5
 */
RdmaPacketPtr
MakePacket(RdmaPacket::Type type, uint32_t frameBytes)
{
    RdmaPacketPtr packet(new RdmaPacket(type, frameBytes));
    const bool isData = type == RdmaPacket::DATA;
    packet->source = isData ? 0 : 256;
    packet->destination = isData ? 256 : 0;
    packet->priority = isData ? 3 : 7;
    packet->udpSourcePort = 0xc000;
    packet->senderQp = 5;
    return packet;
}

/**
 * @ingroup workload-replay
 * @brief Frames, byte by byte.
 *
 * They are written out by the specifications. The checksums of IPv4 are sums by hand; the invariant
 * CRCs are by zlib, over bytes masked as the next case checks against hardware.
 */
class RdmaFrameBytesTestCase : public TestCase
{
  public:
    RdmaFrameBytesTestCase()
        : TestCase("bytes of each kind of frame")
    {
    }

  private:
    /**
     * @param what what the frame is
     * @param packet the packet
     * @param hex its frame
     */
    void Expect(const std::string& what, const RdmaPacket& packet, const std::string& hex)
    {
        NS_TEST_EXPECT_MSG_EQ(ToHex(MakeFrame(packet)), ToHex(FromHex(hex)), what);
    }

    void DoRun() override
    {
        // Class selector 3 and ECT(0) are 0x62; 28 + 12 + 8 + 4 bytes follow Ethernet. 4562 + 0034
        // + 4000 + 4011 + 0a00 + 0001 + 0a00 + 0101 = daa9, whose complement is 2556. The payload
        // of 6 bytes has 2 of padding.
        auto first = MakePacket(RdmaPacket::DATA, RdmaLinkLayer::ETHERNET.GetDataBytes(6));
        first->payload = 6;
        first->isFirst = true;
        first->sequence = 7;
        Expect("first packet of a message",
               *first,
               "000000000002 000000000001 0800"
               "45 62 0034 0000 4000 40 11 2556 0a000001 0a000101"
               "c000 12b7 0020 0000"
               "00 20 ffff 00 000007 00 000007"
               "0000000000000000 6b0ca438");

        // 4563 + 002c + ... + 0a00 + 0101 = daa2. Ethernet fills it up from 58 bytes to 60.
        auto only = MakePacket(RdmaPacket::DATA, 64);
        only->isFirst = true;
        only->isLast = true;
        only->marked = true;
        only->udpSourcePort = 0xc001;
        only->senderQp = 0;
        Expect("empty message that is marked",
               *only,
               "000000000002 000000000001 0800"
               "45 63 002c 0000 4000 40 11 255d 0a000001 0a000101"
               "c001 12b7 0018 0000"
               "04 00 ffff 00 000002 80 000000"
               "98e18e95 0000");

        // Class selector 7, not ECT. 45e0 + 0030 + 4000 + 4011 + 0a00 + 0101 + 0a00 + 0001 = db23.
        auto ack = MakePacket(RdmaPacket::ACK, RdmaLinkLayer::ETHERNET.GetAckBytes());
        ack->sequence = 8;
        ack->msn = 2;
        ack->marked = true;
        Expect("acknowledgement of all up to number 7",
               *ack,
               "000000000002 000000000001 0800"
               "45 e0 0030 0000 4000 40 11 24dc 0a000101 0a000001"
               "c000 12b7 001c 0000"
               "11 00 ffff 00 000007 00 000007"
               "1f 000002 9def20cd");
        ack->type = RdmaPacket::NACK;
        Expect("number 8 is missing",
               *ack,
               "000000000002 000000000001 0800"
               "45 e0 0030 0000 4000 40 11 24dc 0a000101 0a000001"
               "c000 12b7 001c 0000"
               "11 00 ffff 00 000007 00 000008"
               "60 000002 86c82c7c");

        // 45e0 + 003c + ... = db2f.
        Expect("congestion notification",
               *MakePacket(RdmaPacket::CNP, RdmaLinkLayer::ETHERNET.GetCnpBytes()),
               "000000000002 000000000001 0800"
               "45 e0 003c 0000 4000 40 11 24d0 0a000101 0a000001"
               "c000 12b7 0028 0000"
               "81 00 ffff 40 000007 00 000000"
               "00000000000000000000000000000000 3d414660");

        auto pause = MakePacket(RdmaPacket::PAUSE, RdmaPacket::PFC_BYTES);
        pause->priority = 3;
        const std::string zeros(52, '0');
        Expect("pause",
               *pause,
               "0180c2000001 000000000001 8808 0101 0008"
               "0000 0000 0000 ffff 0000 0000 0000 0000" +
                   zeros);
        pause->type = RdmaPacket::RESUME;
        pause->priority = 0;
        Expect("resume",
               *pause,
               "0180c2000001 000000000001 8808 0101 0001"
               "0000 0000 0000 0000 0000 0000 0000 0000" +
                   zeros);
    }
};

/**
 * @ingroup workload-replay
 * @brief Invariant CRC of a frame of real hardware.
 *
 * A congestion notification packet that a ConnectX-4 Lx has sent; scapy has it among its tests,
 * test/contrib/roce.uts, with this CRC.
 */
class RdmaFrameCrcTestCase : public TestCase
{
  public:
    RdmaFrameCrcTestCase()
        : TestCase("invariant CRC of a frame sent by hardware")
    {
    }

  private:
    void DoRun() override
    {
        auto frame = FromHex("e41d2dab2bc2 7cfe90643b32 0800"
                             "45c2003c718c400040119161 0a001101 0a001201"
                             "000012b700280000"
                             "8100ffff4000011800000000"
                             "00000000000000000000000000000000");
        const uint32_t crc = 0x2a00fd82; // on the wire 82 fd 00 2a
        NS_TEST_EXPECT_MSG_EQ(RdmaFrame::GetInvariantCrc(frame), crc, "as captured");
        // Type of service, time to live, both checksums, and notification bits may change.
        for (const std::size_t at : {15, 22, 24, 25, 40, 41, 46})
        {
            frame[at] ^= 0x55;
        }
        NS_TEST_EXPECT_MSG_EQ(RdmaFrame::GetInvariantCrc(frame), crc, "as it may be on its way");
        for (const std::size_t at : {14, 19, 26, 33, 34, 38, 42, 45, 47, 53, 69})
        {
            frame[at] ^= 0x01;
            NS_TEST_EXPECT_MSG_NE(RdmaFrame::GetInvariantCrc(frame), crc, "byte " << at);
            frame[at] ^= 0x01;
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief Numbers that do not fit into a frame, operation codes, addresses, and sizes.
 */
class RdmaFrameFieldsTestCase : public TestCase
{
  public:
    RdmaFrameFieldsTestCase()
        : TestCase("fields and sizes of frames")
    {
    }

  private:
    /**
     * @param packet a packet
     * @param at where the field begins
     * @return its three bytes
     */
    static uint32_t Get24(const RdmaPacket& packet, std::size_t at)
    {
        const auto frame = MakeFrame(packet);
        return frame[at] << 16 | frame[at + 1] << 8 | frame[at + 2];
    }

    /**
     * @param sequence number of a data packet
     * @param ack sequence of an acknowledgement
     * @param data number that the data packet is to show
     * @param acked number that the acknowledgement is to show
     */
    void ExpectNumbers(uint64_t sequence, uint64_t ack, uint32_t data, uint32_t acked)
    {
        const std::size_t at = 14 + 20 + 8 + 9;
        auto packet = MakePacket(RdmaPacket::DATA, 64);
        packet->sequence = sequence;
        NS_TEST_EXPECT_MSG_EQ(Get24(*packet, at), data, "data " << sequence);
        packet = MakePacket(RdmaPacket::ACK, RdmaLinkLayer::ETHERNET.GetAckBytes());
        packet->sequence = ack;
        NS_TEST_EXPECT_MSG_EQ(Get24(*packet, at), acked, "acknowledgement " << ack);
    }

    /**
     * @param packet a packet
     */
    void ExpectSize(const RdmaPacket& packet)
    {
        NS_TEST_EXPECT_MSG_EQ(MakeFrame(packet).size() + RdmaFrame::CHECK_BYTES,
                              packet.size,
                              "size with " << packet.payload << " bytes of payload");
    }

    void DoRun() override
    {
        // Numbers of packets have 24 bits. Before number 0 comes the highest of them.
        ExpectNumbers(0x1000003, 0x1000000, 3, 0xffffff);
        ExpectNumbers(0xffffff, 0, 0xffffff, 0xffffff);
        ExpectNumbers(0xabcdef0123, 0xabcdef0123, 0xef0123, 0xef0122);

        const std::vector<std::tuple<bool, bool, int>> opcodes{{true, false, 0},
                                                               {false, false, 1},
                                                               {false, true, 2},
                                                               {true, true, 4}};
        for (const auto& [isFirst, isLast, opcode] : opcodes)
        {
            auto packet = MakePacket(RdmaPacket::DATA, 64);
            packet->isFirst = isFirst;
            packet->isLast = isLast;
            NS_TEST_EXPECT_MSG_EQ(+MakeFrame(*packet)[42], opcode, "operation code");
        }
        NS_TEST_EXPECT_MSG_EQ(RdmaFrame::GetIpv4Address(0), Ipv4Address("10.0.0.1"), "address");
        NS_TEST_EXPECT_MSG_EQ(RdmaFrame::GetIpv4Address(65534), Ipv4Address("10.0.255.255"), "it");
        NS_TEST_EXPECT_MSG_EQ(RdmaFrame::GetIpv4Address(65535), Ipv4Address("10.1.0.0"), "it");

        // 14 + 20 + 8 + 12 + 4 + 4 of headers, payload in words of 4, at least 64; 42 of telemetry.
        NS_TEST_EXPECT_MSG_EQ(RdmaLinkLayer::ETHERNET.GetDataBytes(0), 64, "no payload");
        NS_TEST_EXPECT_MSG_EQ(RdmaLinkLayer::ETHERNET.GetDataBytes(1), 66, "one byte");
        NS_TEST_EXPECT_MSG_EQ(RdmaLinkLayer::ETHERNET.GetDataBytes(4096), 4158, "full packet");
        NS_TEST_EXPECT_MSG_EQ(RdmaLinkLayer::ETHERNET.GetDataBytes(0, true),
                              104,
                              "telemetry alone");
        for (const bool telemetry : {false, true})
        {
            for (const uint32_t payload : {0, 1, 2, 3, 4, 5, 1023, 4096, 65000})
            {
                auto packet = MakePacket(RdmaPacket::DATA,
                                         RdmaLinkLayer::ETHERNET.GetDataBytes(payload, telemetry));
                packet->payload = payload;
                packet->telemetry = telemetry ? std::make_unique<RdmaTelemetry>() : nullptr;
                ExpectSize(*packet);
            }
        }
        auto ack = MakePacket(RdmaPacket::ACK,
                              RdmaLinkLayer::ETHERNET.GetAckBytes() + RdmaTelemetry::BYTES);
        ack->telemetry = std::make_unique<RdmaTelemetry>();
        ExpectSize(*ack);
    }
};

/**
 * @ingroup workload-replay
 * @brief Frames of the rdma fabric and files of them.
 */
class RdmaFrameTestSuite : public TestSuite
{
  public:
    RdmaFrameTestSuite()
        : TestSuite("workload-replay-rdma-frame", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaFrameBytesTestCase);
        AddTestCase(new RdmaFrameCrcTestCase);
        AddTestCase(new RdmaFrameFieldsTestCase);
        AddTestCase(MakeRdmaPcapTestCase());
    }
};

RdmaFrameTestSuite g_rdmaFrameTestSuite; //!< the suite

} // namespace
