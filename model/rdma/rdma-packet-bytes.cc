/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packet-bytes.h"

#include "ns3/nstime.h"

#include <memory>
#include <string>
#include <type_traits>
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
 * @param packet a packet
 * @return what it has and is
 */
uint16_t
GetFlags(const RdmaPacket& packet)
{
    uint16_t flags = 0;
    const std::pair<bool, Flag> all[] = {
        {packet.marked, MARKED},
        {packet.delayed, DELAYED},
        {packet.isInTrain, IN_TRAIN},
        {packet.isFirst, FIRST},
        {packet.isLast, LAST},
        {packet.train.count > 1, TRAIN},
        {packet.message != nullptr, MESSAGE},
        {packet.hasTelemetry, TELEMETRY},
        {packet.ip != nullptr, INTERNET},
        {packet.pathTag.path != RdmaPathTag::NONE || packet.pathTag.about != RdmaPathTag::NONE,
         PATH_TAG},
        {packet.isTrimmable, TRIMMABLE},
        {packet.isTrimmed, TRIMMED},
        {packet.asksForAck, ASKS_FOR_ACK},
        {packet.type == RdmaPacket::DATA && (packet.demand > 0 || packet.messageEnd > 0), DEMAND}};
    for (const auto& [isSet, flag] : all)
    {
        flags = static_cast<uint16_t>(flags | (isSet ? flag : 0));
    }
    return flags;
}

/**
 * Visit the numbers of a packet, so that they are written and read in one order.
 *
 * @param packet the packet, const or not; its type is known
 * @param visit what to do with each
 */
template <typename P, typename V>
void
VisitFields(P& packet, const V& visit)
{
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
}

/**
 * @param train a train, const or not
 * @param visit what to do with each of its numbers
 */
template <typename T, typename V>
void
VisitTrain(T& train, const V& visit)
{
    visit(train.count);
    visit(train.shared);
    visit(train.queued);
    visit(train.head);
    visit(train.tail);
    visit(train.interval);
}

/**
 * @param tag what switches have written, const or not
 * @param visit what to do with each of its numbers
 */
template <typename T, typename V>
void
VisitPathTag(T& tag, const V& visit)
{
    visit(tag.path);
    visit(tag.about);
    visit(tag.told);
    visit(tag.congestion);
}

/**
 * @param message a message, const or not
 * @param visit what to do with each of its numbers but the time of posting
 */
template <typename M, typename V>
void
VisitMessage(M& message, const V& visit)
{
    visit(message.source);
    visit(message.destination);
    visit(message.communicator);
    visit(message.channel);
    visit(message.bytes);
    visit(message.number);
    visit(message.parts);
    visit(message.cookie);
    visit(message.envelope.context);
    visit(message.envelope.tag);
    visit(message.envelope.kind);
    visit(message.envelope.total);
    visit(message.envelope.origin);
}

/**
 * @param telemetry telemetry, const or not
 * @param visit what to do with each number of the hops that are written
 */
template <typename T, typename V>
void
VisitTelemetry(T& telemetry, const V& visit)
{
    visit(telemetry.count);
    NS_ASSERT_MSG(telemetry.count <= RdmaTelemetry::MAX_HOPS, "more hops than room");
    for (uint32_t hop = 0; hop < telemetry.count; ++hop)
    {
        visit(telemetry.hops[hop].at);
        visit(telemetry.hops[hop].sentBytes);
        visit(telemetry.hops[hop].queue);
        visit(telemetry.hops[hop].rate);
    }
}

} // namespace

void
WritePacket(const RdmaPacket& packet, ByteWriter& writer)
{
    const auto put = [&writer](auto number) { writer.Put(number); };
    put(packet.type);
    put(packet.size);
    const uint16_t flags = GetFlags(packet);
    put(flags);
    VisitFields(packet, put);
    if (packet.train.count > 1)
    {
        VisitTrain(packet.train, put);
    }
    if (flags & PATH_TAG)
    {
        VisitPathTag(packet.pathTag, put);
    }
    if (flags & DEMAND)
    {
        put(packet.demand);
        put(packet.messageEnd);
    }
    if (packet.message)
    {
        put(packet.message->postedAt.GetTimeStep());
        VisitMessage(*packet.message, put);
    }
    if (packet.hasTelemetry)
    {
        VisitTelemetry(std::as_const(*packet.telemetry), put);
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
    const auto get = [&reader](auto& number) {
        number = reader.Get<std::remove_reference_t<decltype(number)>>();
    };
    const auto type = reader.Get<RdmaPacket::Type>();
    RdmaPacketPtr packet(new RdmaPacket(type, reader.Get<uint32_t>()));
    const auto flags = reader.Get<uint16_t>();
    packet->marked = flags & MARKED;
    packet->delayed = flags & DELAYED;
    packet->isInTrain = flags & IN_TRAIN;
    packet->isFirst = flags & FIRST;
    packet->isLast = flags & LAST;
    packet->isTrimmable = flags & TRIMMABLE;
    packet->isTrimmed = flags & TRIMMED;
    packet->asksForAck = flags & ASKS_FOR_ACK;
    VisitFields(*packet, get);
    if (flags & TRAIN)
    {
        VisitTrain(packet->train, get);
    }
    if (flags & PATH_TAG)
    {
        VisitPathTag(packet->pathTag, get);
    }
    if (flags & DEMAND)
    {
        get(packet->demand);
        get(packet->messageEnd);
    }
    if (flags & MESSAGE)
    {
        auto message = std::make_unique<Message>();
        message->postedAt = TimeStep(reader.Get<int64_t>());
        VisitMessage(*message, get);
        packet->message = std::move(message);
    }
    if (flags & TELEMETRY)
    {
        packet->AddTelemetry(std::make_unique<RdmaTelemetry>());
        VisitTelemetry(*packet->telemetry, get);
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
