/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-frame.h"

#include "ns3/assert.h"
#include "ns3/crc32.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// A frame, or a part of one.
using Bytes = std::vector<uint8_t>;

/// Bytes of headers, and of the checksum behind the payload.
/// @{
constexpr std::size_t ETHERNET = 14;
constexpr std::size_t IPV4 = 20;
constexpr std::size_t UDP = 8;
constexpr std::size_t BASE = 12;
constexpr std::size_t INVARIANT_CRC = 4;
/// @}

/// EtherType of IPv4.
constexpr uint16_t IPV4_TYPE = 0x0800;

/// Address of node 0; the others follow.
constexpr uint32_t FIRST_ADDRESS = 0x0a000001;

/// Numbers of 24 bits.
constexpr uint64_t MASK_24 = 0xffffff;

/// Operation codes of the base transport header (InfiniBand, section 9.2; annex A17).
enum Opcode : uint8_t
{
    SEND_FIRST = 0x00,
    SEND_MIDDLE = 0x01,
    SEND_LAST = 0x02,
    SEND_ONLY = 0x04,
    ACKNOWLEDGE = 0x11,
    CONGESTION_NOTIFICATION = 0x81,
    OF_MANUFACTURER = 0xc0
};

/**
 * Append a number, its highest byte first.
 *
 * @param bytes what to append to
 * @param value the number
 * @param count bytes that it takes
 */
void
Put(Bytes& bytes, uint64_t value, uint32_t count)
{
    while (count > 0)
    {
        --count;
        bytes.push_back(static_cast<uint8_t>(value >> 8 * count));
    }
}

/**
 * @param bytes what to append the header to
 * @param from source
 * @param to destination
 * @param type EtherType
 */
void
PutEthernet(Bytes& bytes, Mac48Address from, Mac48Address to, uint16_t type)
{
    bytes.resize(12);
    to.CopyTo(bytes.data());
    from.CopyTo(bytes.data() + 6);
    Put(bytes, type, 2);
}

/**
 * @param header a header of IPv4 whose checksum is 0
 * @return its checksum (RFC 791)
 */
uint16_t
GetIpv4Checksum(const uint8_t* header)
{
    uint32_t sum = 0;
    for (std::size_t i = 0; i < IPV4; i += 2)
    {
        sum += static_cast<uint32_t>(header[i]) << 8 | header[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~(sum + (sum >> 16)));
}

/**
 * @param bytes what to append the headers of IPv4 and UDP to
 * @param packet the packet
 * @param length bytes that follow them
 */
void
PutDatagram(Bytes& bytes, const RdmaPacket& packet, std::size_t length)
{
    const uint8_t versionAndLength = 0x45;
    const uint16_t dontFragment = 0x4000;
    const uint8_t timeToLive = 64;
    const uint8_t udp = 17;
    const uint16_t roce = 4791;
    // RFC 3168: data is ECT(0), or CE once it is marked; nothing else is marked in this fabric.
    // RFC 2474: class selector n is the code point n << 3, above the two bits of ECN.
    const bool isData = packet.type == RdmaPacket::DATA;
    const uint8_t ecn = isData ? (packet.marked ? 3 : 2) : 0;

    const std::size_t start = bytes.size();
    Put(bytes, versionAndLength, 1);
    Put(bytes, packet.priority << 5 | ecn, 1);
    Put(bytes, IPV4 + UDP + length, 2);
    Put(bytes, 0, 2);
    Put(bytes, dontFragment, 2);
    Put(bytes, timeToLive, 1);
    Put(bytes, udp, 1);
    Put(bytes, 0, 2);
    Put(bytes, RdmaFrame::GetIpv4Address(packet.source).Get(), 4);
    Put(bytes, RdmaFrame::GetIpv4Address(packet.destination).Get(), 4);
    const uint16_t checksum = GetIpv4Checksum(bytes.data() + start);
    bytes[start + 10] = static_cast<uint8_t>(checksum >> 8);
    bytes[start + 11] = static_cast<uint8_t>(checksum);

    Put(bytes, packet.udpSourcePort, 2);
    Put(bytes, roce, 2);
    Put(bytes, UDP + length, 2);
    Put(bytes, 0, 2);
}

/**
 * @param packet a packet, not of flow control
 * @return operation code
 */
Opcode
GetOpcode(const RdmaPacket& packet)
{
    if (packet.type == RdmaPacket::CNP)
    {
        return CONGESTION_NOTIFICATION;
    }
    if (packet.type == RdmaPacket::PATH)
    {
        return OF_MANUFACTURER;
    }
    if (packet.type != RdmaPacket::DATA)
    {
        return ACKNOWLEDGE;
    }
    if (packet.isFirst)
    {
        return packet.isLast ? SEND_ONLY : SEND_FIRST;
    }
    return packet.isLast ? SEND_LAST : SEND_MIDDLE;
}

/**
 * @param packet a packet, not of flow control
 * @return packet sequence number
 */
uint64_t
GetSequenceNumber(const RdmaPacket& packet)
{
    switch (packet.type)
    {
    case RdmaPacket::ACK:
        // InfiniBand, section 9.7: that of the last packet acknowledged.
        return (packet.sequence - 1) & MASK_24;
    case RdmaPacket::CNP:
        return 0;
    default:
        // A NAK has that of the packet that is missing.
        return packet.sequence & MASK_24;
    }
}

/**
 * @param bytes what to append the base transport header to
 * @param packet the packet
 * @param padding bytes that fill up its payload, 0 to 3
 */
void
PutBase(Bytes& bytes, const RdmaPacket& packet, uint32_t padding)
{
    const uint16_t defaultPartition = 0xffff;
    const uint8_t congested = packet.type == RdmaPacket::CNP ? 0x40 : 0;
    const uint8_t wantsAck = packet.type == RdmaPacket::DATA && packet.isLast ? 0x80 : 0;
    Put(bytes, GetOpcode(packet), 1);
    Put(bytes, padding << 4, 1);
    Put(bytes, defaultPartition, 2);
    Put(bytes, congested, 1);
    Put(bytes, (packet.senderQp + RdmaFrame::FIRST_PAIR) & MASK_24, 3);
    Put(bytes, wantsAck, 1);
    Put(bytes, GetSequenceNumber(packet), 3);
}

/**
 * Append what stands between the base transport header and the telemetry.
 *
 * @param bytes what to append to
 * @param packet the packet
 * @param padding bytes that fill up its payload
 */
void
PutContent(Bytes& bytes, const RdmaPacket& packet, uint32_t padding)
{
    // InfiniBand, section 9.3: ACK with credits that are not counted, NAK for a sequence error.
    const uint8_t acknowledged = 0x1f;
    const uint8_t sequenceError = 0x60;
    switch (packet.type)
    {
    case RdmaPacket::DATA:
        bytes.resize(bytes.size() + packet.payload + padding);
        break;
    case RdmaPacket::CNP:
        bytes.resize(bytes.size() + RdmaLinkLayer::ETHERNET.GetCnpBytes() -
                     RdmaLinkLayer::ETHERNET.headers);
        break;
    case RdmaPacket::PATH:
        break;
    default:
        Put(bytes, packet.type == RdmaPacket::ACK ? acknowledged : sequenceError, 1);
        Put(bytes, packet.msn & MASK_24, 3);
    }
}

/**
 * @param packet a packet, not of flow control
 * @param from source
 * @param to destination
 * @return its frame, which may be shorter than Ethernet allows
 */
Bytes
MakeTransport(const RdmaPacket& packet, Mac48Address from, Mac48Address to)
{
    const uint32_t padding = packet.type == RdmaPacket::DATA ? -packet.payload & 3 : 0;
    Bytes content;
    PutContent(content, packet, padding);
    content.resize(content.size() + (packet.telemetry ? RdmaTelemetry::BYTES : 0));

    Bytes bytes;
    bytes.reserve(packet.size);
    PutEthernet(bytes, from, to, IPV4_TYPE);
    PutDatagram(bytes, packet, BASE + content.size() + INVARIANT_CRC);
    PutBase(bytes, packet, padding);
    bytes.insert(bytes.end(), content.begin(), content.end());
    uint32_t crc = RdmaFrame::GetInvariantCrc(bytes);
    for (std::size_t i = 0; i < INVARIANT_CRC; ++i)
    {
        bytes.push_back(static_cast<uint8_t>(crc));
        crc >>= 8;
    }
    return bytes;
}

/**
 * @param packet a packet of flow control
 * @param from source
 * @return its frame, which is shorter than Ethernet allows
 */
Bytes
MakePause(const RdmaPacket& packet, Mac48Address from)
{
    // IEEE 802.1Qbb, and 802.3, annex 31D: which priorities, and for how many quanta of 512 bits.
    const uint16_t macControl = 0x8808;
    const uint16_t priorityPause = 0x0101;
    const auto asked = static_cast<uint16_t>(packet.sequence > 0 ? packet.sequence : 0xffff);
    const uint16_t quanta = packet.type == RdmaPacket::PAUSE ? asked : 0;
    Bytes bytes;
    PutEthernet(bytes, from, Mac48Address("01:80:c2:00:00:01"), macControl);
    Put(bytes, priorityPause, 2);
    Put(bytes, 1U << packet.priority, 2);
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        Put(bytes, priority == packet.priority ? quanta : 0, 2);
    }
    return bytes;
}

} // namespace

Ptr<Packet>
RdmaFrame::Make(const RdmaPacket& packet, Mac48Address from, Mac48Address to)
{
    const std::size_t least = RdmaPacket::PFC_BYTES - CHECK_BYTES;
    Bytes bytes;
    if (packet.type == RdmaPacket::IP)
    {
        PutEthernet(bytes, from, to, IPV4_TYPE);
        bytes.resize(bytes.size() + packet.ip->GetSize());
        packet.ip->CopyData(bytes.data() + ETHERNET, packet.ip->GetSize());
    }
    else
    {
        bytes = packet.type >= RdmaPacket::PAUSE ? MakePause(packet, from)
                                                 : MakeTransport(packet, from, to);
    }
    bytes.resize(std::max(bytes.size(), least));
    NS_ASSERT_MSG(bytes.size() + CHECK_BYTES == packet.size,
                  "a frame has " << bytes.size() + CHECK_BYTES << " bytes, its packet "
                                 << packet.size);
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

Ipv4Address
RdmaFrame::GetIpv4Address(uint32_t node)
{
    NS_ASSERT_MSG(node + 1 < MASK_24, "there are no more addresses in 10.0.0.0/8");
    return Ipv4Address(FIRST_ADDRESS + node);
}

uint32_t
RdmaFrame::GetNode(Ipv4Address address)
{
    return address.Get() - FIRST_ADDRESS;
}

uint32_t
RdmaFrame::GetInvariantCrc(const std::vector<uint8_t>& frame)
{
    NS_ASSERT_MSG(frame.size() >= ETHERNET + IPV4 + UDP + BASE, "not a whole frame");
    // Eight bytes stand for the header that InfiniBand has before that of IP. They and all that
    // may change on the way count as ones.
    const std::size_t ip = 8;
    const std::size_t udp = ip + IPV4;
    const std::size_t base = udp + UDP;
    Bytes masked(ip + frame.size() - ETHERNET, 0xff);
    std::copy(frame.begin() + ETHERNET, frame.end(), masked.begin() + ip);
    const std::size_t typeOfService = ip + 1;
    const std::size_t timeToLive = ip + 8;
    const std::size_t ipChecksum = ip + 10;
    const std::size_t udpChecksum = udp + 6;
    const std::size_t congestion = base + 4;
    for (const std::size_t at : {typeOfService,
                                 timeToLive,
                                 ipChecksum,
                                 ipChecksum + 1,
                                 udpChecksum,
                                 udpChecksum + 1,
                                 congestion})
    {
        masked[at] = 0xff;
    }
    return CRC32Calculate(masked.data(), static_cast<int>(masked.size()));
}

} // namespace ns3
