/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packet-header.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPacketHeader");

NS_OBJECT_ENSURE_REGISTERED(RdmaPacketHeader);

namespace
{

/// What a packet has beside its fixed fields, one bit each.
enum Extra : uint8_t
{
    HAS_MESSAGE = 1,  //!< a message
    HAS_TELEMETRY = 2 //!< telemetry
};

/**
 * @ingroup workload-replay
 * @brief Counts the bytes of numbers.
 */
class Counter
{
  public:
    /**
     * @param number a number
     */
    template <typename T>
    void operator()(const T& number [[maybe_unused]])
    {
        m_bytes += sizeof(T);
    }

    /// @return the bytes
    uint32_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    uint32_t m_bytes{0}; //!< bytes so far
};

/**
 * @ingroup workload-replay
 * @brief Writes numbers into a buffer, lowest byte first.
 */
class Writer
{
  public:
    /**
     * @param to where to
     */
    explicit Writer(Buffer::Iterator to)
        : m_to(to)
    {
    }

    /**
     * @param number a number
     */
    template <typename T>
    void operator()(const T& number)
    {
        auto bits = static_cast<uint64_t>(number);
        for (std::size_t i = 0; i < sizeof(T); ++i, bits >>= 8)
        {
            m_to.WriteU8(static_cast<uint8_t>(bits));
        }
    }

  private:
    Buffer::Iterator m_to; //!< where to
};

/**
 * @ingroup workload-replay
 * @brief Reads what Writer has written.
 */
class Reader
{
  public:
    /**
     * @param from where from
     */
    explicit Reader(Buffer::Iterator from)
        : m_from(from)
    {
    }

    /**
     * @param [out] number a number
     */
    template <typename T>
    void operator()(T& number)
    {
        uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
        {
            bits |= static_cast<uint64_t>(m_from.ReadU8()) << 8 * i;
        }
        number = static_cast<T>(bits);
    }

  private:
    Buffer::Iterator m_from; //!< where from
};

/**
 * Visit all numbers of a packet that travel with it, so that they are counted, written and read in
 * one order.
 *
 * @param packet the packet, const or not
 * @param visit what to do with each
 */
template <typename P, typename V>
void
VisitFields(P& packet, V& visit)
{
    visit(packet.size);
    visit(packet.destination);
    visit(packet.type);
    visit(packet.priority);
    visit(packet.marked);
    visit(packet.delayed);
    visit(packet.flowHash);
    visit(packet.train.count);
    visit(packet.train.head);
    visit(packet.train.tail);
    visit(packet.train.interval);
    visit(packet.source);
    visit(packet.payload);
    visit(packet.senderQp);
    visit(packet.receiverQp);
    visit(packet.sequence);
    visit(packet.sentAt);
    visit(packet.udpSourcePort);
    visit(packet.isFirst);
    visit(packet.isLast);
    visit(packet.isTrainRest);
    visit(packet.isInTrain);
    visit(packet.ackedCount);
    visit(packet.msn);
    visit(packet.ackedSequence);
    visit(packet.sack);
}

/**
 * Visit all numbers of a message that are carried; its time of posting is apart.
 *
 * @param message the message, const or not
 * @param visit what to do with each
 */
template <typename M, typename V>
void
VisitMessage(M& message, V& visit)
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
VisitTelemetry(T& telemetry, V& visit)
{
    visit(telemetry.count);
    for (uint32_t hop = 0; hop < telemetry.count; ++hop)
    {
        visit(telemetry.hops[hop].at);
        visit(telemetry.hops[hop].sentBytes);
        visit(telemetry.hops[hop].queue);
        visit(telemetry.hops[hop].rate);
    }
}

/**
 * Visit all that is to be written of a packet.
 *
 * @param packet the packet
 * @param visit what to do with each number
 */
template <typename V>
void
VisitAll(const RdmaPacket& packet, V& visit)
{
    visit(static_cast<uint8_t>((packet.message ? HAS_MESSAGE : 0) |
                               (packet.telemetry ? HAS_TELEMETRY : 0)));
    VisitFields(packet, visit);
    if (packet.message)
    {
        visit(packet.message->postedAt.GetTimeStep());
        VisitMessage(*packet.message, visit);
    }
    if (packet.telemetry)
    {
        VisitTelemetry(std::as_const(*packet.telemetry), visit);
    }
}

/**
 * @param read reads a message, its time of posting first
 * @return the message
 */
std::unique_ptr<const Message>
ReadMessage(Reader& read)
{
    auto message = std::make_unique<Message>();
    int64_t postedAt = 0;
    read(postedAt);
    message->postedAt = TimeStep(postedAt);
    VisitMessage(*message, read);
    return message;
}

} // namespace

TypeId
RdmaPacketHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPacketHeader")
                            .SetParent<Header>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaPacketHeader>();
    return tid;
}

RdmaPacketHeader::RdmaPacketHeader() = default;

RdmaPacketHeader::RdmaPacketHeader(const RdmaPacket& packet)
    : m_packet(&packet)
{
}

RdmaPacketPtr
RdmaPacketHeader::Release()
{
    m_packet = nullptr;
    return std::move(m_read);
}

TypeId
RdmaPacketHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RdmaPacketHeader::Print(std::ostream& os) const
{
    os << "type " << +m_packet->type << " from " << m_packet->source << " to "
       << m_packet->destination << " sequence " << m_packet->sequence;
}

uint32_t
RdmaPacketHeader::GetSerializedSize() const
{
    Counter count;
    VisitAll(*m_packet, count);
    return count.GetBytes();
}

void
RdmaPacketHeader::Serialize(Buffer::Iterator start) const
{
    Writer write(start);
    VisitAll(*m_packet, write);
}

uint32_t
RdmaPacketHeader::Deserialize(Buffer::Iterator start)
{
    Reader read(start);
    uint8_t extras = 0;
    read(extras);
    m_read.reset(new RdmaPacket(RdmaPacket::DATA, 0));
    VisitFields(*m_read, read);
    if (extras & HAS_MESSAGE)
    {
        m_read->message = ReadMessage(read);
    }
    if (extras & HAS_TELEMETRY)
    {
        m_read->AddTelemetry(std::make_unique<RdmaTelemetry>());
        VisitTelemetry(*m_read->telemetry, read);
        NS_ASSERT_MSG(m_read->telemetry->count <= RdmaTelemetry::MAX_HOPS, "more hops than room");
    }
    m_packet = m_read.get();
    return GetSerializedSize();
}

} // namespace ns3
