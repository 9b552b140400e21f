/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-targets.h"

#include "ns3/byte-buffer.h"
#include "ns3/rdma-frame.h"
#include "ns3/rdma-packet-bytes.h"
#include "ns3/rdma-telemetry.h"

#include <algorithm>
#include <fuzzer/FuzzedDataProvider.h>

namespace ns3
{

namespace
{

/// Where fields of a frame are: a reader of its own, by RFC 791, RFC 768 and InfiniBand, annex A17.
/// @{
constexpr std::size_t IP_AT = 14;
constexpr std::size_t UDP_AT = IP_AT + 20;
constexpr std::size_t BASE_AT = UDP_AT + 8;
/// @}

/// Largest payload of a packet; frames are at most 64 KiB.
constexpr uint32_t LARGEST_PAYLOAD = 9000;

/**
 * @param bytes a frame
 * @param at where a number begins
 * @param count bytes that it takes
 * @return the number, whose highest byte comes first
 */
uint64_t
GetNumber(const std::vector<uint8_t>& bytes, std::size_t at, std::size_t count)
{
    uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
        value = value << 8 | bytes.at(at + i);
    }
    return value;
}

/**
 * @param data what gives its fields
 * @return a packet of a type that has a frame of its own
 */
RdmaPacketPtr
MakePacket(FuzzedDataProvider& data)
{
    const auto type = data.PickValueInArray({RdmaPacket::DATA,
                                             RdmaPacket::ACK,
                                             RdmaPacket::NACK,
                                             RdmaPacket::CNP,
                                             RdmaPacket::PAUSE,
                                             RdmaPacket::RESUME});
    const bool hasTelemetry = type == RdmaPacket::DATA && data.ConsumeBool();
    const auto payload = data.ConsumeIntegralInRange<uint32_t>(1, LARGEST_PAYLOAD);
    const uint32_t size =
        type == RdmaPacket::DATA  ? RdmaLinkLayer::ETHERNET.GetDataBytes(payload, hasTelemetry)
        : type == RdmaPacket::CNP ? RdmaLinkLayer::ETHERNET.GetCnpBytes()
        : type < RdmaPacket::PAUSE
            ? std::max(RdmaLinkLayer::ETHERNET.GetAckBytes(), RdmaPacket::PFC_BYTES)
            : RdmaPacket::PFC_BYTES;
    RdmaPacketPtr packet(new RdmaPacket(type, size));
    packet->payload = type == RdmaPacket::DATA ? payload : 0;
    packet->priority = data.ConsumeIntegralInRange<uint8_t>(0, 7);
    packet->source = data.ConsumeIntegralInRange<uint32_t>(0, 0xfffffd);
    packet->destination = data.ConsumeIntegralInRange<uint32_t>(0, 0xfffffd);
    packet->marked = data.ConsumeBool();
    packet->isFirst = data.ConsumeBool();
    packet->isLast = data.ConsumeBool();
    packet->udpSourcePort = data.ConsumeIntegral<uint16_t>();
    packet->senderQp = data.ConsumeIntegral<uint32_t>();
    packet->sequence = data.ConsumeIntegral<uint64_t>();
    packet->msn = data.ConsumeIntegral<uint32_t>();
    packet->sentAt = data.ConsumeIntegral<int64_t>();
    packet->train.count = std::max<uint16_t>(data.ConsumeIntegral<uint16_t>(), 1);
    packet->pathTag.path = data.ConsumeIntegral<uint32_t>();
    if (data.ConsumeBool())
    {
        packet->message = std::make_unique<Message>();
    }
    if (hasTelemetry)
    {
        packet->AddTelemetry(std::make_unique<RdmaTelemetry>());
        const auto hops = data.ConsumeIntegralInRange<uint32_t>(0, RdmaTelemetry::MAX_HOPS + 2);
        for (uint32_t hop = 0; hop < hops; ++hop)
        {
            packet->telemetry->Write({static_cast<int64_t>(hop), hop, hop, hop});
        }
    }
    return packet;
}

/**
 * Check the frame of a packet that is no flow control.
 *
 * @param packet the packet
 * @param bytes its frame
 */
void
CheckTransport(const RdmaPacket& packet, std::vector<uint8_t> bytes)
{
    const uint16_t roce = 4791;
    const auto length = GetNumber(bytes, IP_AT + 2, 2);
    Require(IP_AT + length <= bytes.size(), "the datagram is in the frame");
    Require(GetNumber(bytes, UDP_AT + 4, 2) == length - 20, "lengths of IPv4 and UDP agree");
    Require(GetNumber(bytes, UDP_AT + 2, 2) == roce, "it goes to the port of RoCEv2");
    const Ipv4Address from(static_cast<uint32_t>(GetNumber(bytes, IP_AT + 12, 4)));
    const Ipv4Address to(static_cast<uint32_t>(GetNumber(bytes, IP_AT + 16, 4)));
    Require(RdmaFrame::GetNode(from) == packet.source, "it comes from its source");
    Require(RdmaFrame::GetNode(to) == packet.destination, "it goes to its destination");
    const auto number = (packet.senderQp + RdmaFrame::FIRST_PAIR) & 0xffffff;
    Require(GetNumber(bytes, BASE_AT + 5, 3) == number, "it has its queue pair");

    // RFC 791: the sum of a header's 16-bit words, its checksum included, is all ones.
    uint64_t sum = 0;
    for (std::size_t at = IP_AT; at < UDP_AT; at += 2)
    {
        sum += GetNumber(bytes, at, 2);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    Require((sum & 0xffff) + (sum >> 16) == 0xffff, "the checksum of IPv4 is right");

    // The checksum of the lowest byte first, over all before it.
    uint32_t crc = 0;
    for (std::size_t i = 0; i < 4; ++i)
    {
        crc |= static_cast<uint32_t>(bytes.at(IP_AT + length - 4 + i)) << 8 * i;
    }
    bytes.resize(IP_AT + length - 4);
    Require(RdmaFrame::GetInvariantCrc(bytes) == crc, "the invariant CRC is right");
}

} // namespace

void
FuzzFrame(const FuzzInput& input)
{
    FuzzedDataProvider data(input.data, input.size);
    auto packet = MakePacket(data);

    ByteWriter writer;
    WritePacket(*packet, writer);
    ByteReader reader(writer.GetBytes());
    const auto arrived = ReadPacket(reader);
    Require(reader.IsAtEnd(), "all of a packet is read");
    ByteWriter again;
    WritePacket(*arrived, again);
    Require(again.GetBytes() == writer.GetBytes(), "a packet arrives as it left");

    packet->train.count = 1;
    const auto frame = RdmaFrame::Make(*packet, Mac48Address::Allocate(), Mac48Address::Allocate());
    std::vector<uint8_t> bytes(frame->GetSize());
    frame->CopyData(bytes.data(), frame->GetSize());
    Require(bytes.size() + RdmaFrame::CHECK_BYTES == packet->size, "a frame has its packet's size");
    if (packet->type < RdmaPacket::PAUSE)
    {
        CheckTransport(*packet, std::move(bytes));
    }
}

} // namespace ns3
