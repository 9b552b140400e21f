/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packet-bytes.h"

#include "ns3/byte-record.h"

#include <memory>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// What a packet has or is, one bit each.
enum Flag : uint16_t
{
    MARKED = 1 << 0,
    DELAYED = 1 << 1,
    IN_TRAIN = 1 << 2,
    FIRST = 1 << 3,
    LAST = 1 << 4,
    TRAIN = 1 << 5,
    MESSAGE = 1 << 6,
    TELEMETRY = 1 << 7,
    INTERNET = 1 << 8,
    PATH_TAG = 1 << 9,
    TRIMMABLE = 1 << 10,
    TRIMMED = 1 << 11,
    ASKS_FOR_ACK = 1 << 12,
    DEMAND = 1 << 13
};

/**
 * Visit what a packet is, but for what follows from its other members.
 *
 * @param packet the packet, const or not
 * @param visit is given each member, and the flag that stands for it
 */
template <typename P, typename V>
void
VisitFlags(P& packet, const V& visit)
{
    visit(packet.marked, MARKED);
    visit(packet.delayed, DELAYED);
    visit(packet.isInTrain, IN_TRAIN);
    visit(packet.isFirst, FIRST);
    visit(packet.isLast, LAST);
    visit(packet.isTrimmable, TRIMMABLE);
    visit(packet.isTrimmed, TRIMMED);
    visit(packet.asksForAck, ASKS_FOR_ACK);
}

/**
 * @param packet a packet
 * @return what it has and is
 */
uint16_t
GetFlags(const RdmaPacket& packet)
{
    uint16_t flags = 0;
    const auto add = [&flags](bool isSet, Flag flag) {
        flags = static_cast<uint16_t>(flags | (isSet ? flag : 0));
    };
    VisitFlags(packet, add);
    add(packet.train.count > 1, TRAIN);
    add(packet.message != nullptr, MESSAGE);
    add(packet.hasTelemetry, TELEMETRY);
    add(packet.ip != nullptr, INTERNET);
    add(packet.pathTag.path != RdmaPathTag::NONE || packet.pathTag.about != RdmaPathTag::NONE,
        PATH_TAG);
    add(packet.type == RdmaPacket::DATA && (packet.demand > 0 || packet.messageEnd > 0), DEMAND);
    return flags;
}

/**
 * Visit the members of a packet that are part of it.
 *
 * @param packet the packet, const or not; its type is known
 * @param flags what it has; other members are not visited
 * @param visit is given each member
 */
template <typename P, typename V>
void
VisitPacket(P& packet, uint16_t flags, const V& visit)
{
    visit(packet.gap);
    visit(packet.priority);
    visit(packet.destination);
    visit(packet.source);
    visit(packet.payload);
    visit(packet.flowHash);
    visit(packet.udpSourcePort);
    visit(packet.senderQp);
    visit(packet.receiverQp);
    visit(packet.sequence);
    visit(packet.sentAt);
    // In data the same memory is demand and messageEnd, which have a flag of their own.
    if (packet.type == RdmaPacket::ACK || packet.type == RdmaPacket::NACK)
    {
        visit(packet.ackedCount);
        visit(packet.msn);
        visit(packet.ackedSequence);
        visit(packet.sack);
    }
    if (packet.type == RdmaPacket::CREDIT)
    {
        visit(packet.grantedPriority);
    }
    if (flags & TRAIN)
    {
        visit(packet.train);
    }
    if (flags & PATH_TAG)
    {
        visit(packet.pathTag);
    }
    if (flags & DEMAND)
    {
        visit(packet.demand);
        visit(packet.messageEnd);
    }
}

} // namespace

void
WritePacket(const RdmaPacket& packet, ByteWriter& writer)
{
    const RecordWriter write{writer};
    write(packet.type);
    write(packet.size);
    const uint16_t flags = GetFlags(packet);
    write(flags);
    VisitPacket(packet, flags, write);
    if (packet.message)
    {
        write(*packet.message);
    }
    if (packet.hasTelemetry)
    {
        write(*packet.telemetry);
    }
    if (packet.ip)
    {
        std::string bytes(packet.ip->GetSerializedSize(), '\0');
        packet.ip->Serialize(reinterpret_cast<uint8_t*>(bytes.data()),
                             static_cast<uint32_t>(bytes.size()));
        writer.PutText(bytes);
    }
}

RdmaPacketPtr
ReadPacket(ByteReader& reader)
{
    const RecordReader read{reader};
    const auto type = reader.Get<RdmaPacket::Type>();
    RdmaPacketPtr packet(new RdmaPacket(type, reader.Get<uint32_t>()));
    const auto flags = reader.Get<uint16_t>();
    VisitFlags(*packet, [flags](bool& isSet, Flag flag) { isSet = (flags & flag) != 0; });
    VisitPacket(*packet, flags, read);
    if (flags & MESSAGE)
    {
        auto message = std::make_unique<Message>();
        read(*message);
        packet->message = std::move(message);
    }
    if (flags & TELEMETRY)
    {
        packet->AddTelemetry(std::make_unique<RdmaTelemetry>());
        read(*packet->telemetry);
    }
    if (flags & INTERNET)
    {
        const auto bytes = reader.GetText();
        packet->ip = Create<Packet>(reinterpret_cast<const uint8_t*>(bytes.data()),
                                    static_cast<uint32_t>(bytes.size()),
                                    true);
    }
    return packet;
}

} // namespace ns3
