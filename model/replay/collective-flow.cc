/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-flow.h"

#include "collective-signature.h"
#include "message-context.h"
#include "message-envelope.h"
#include "point-to-point-flow.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveFlow");

NS_OBJECT_ENSURE_REGISTERED(CollectiveFlow);

TypeId
CollectiveFlow::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveFlow")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<CollectiveFlow>()
            .AddAttribute("Slots",
                          "Slots of a connection's buffer at the receiver: a member goes no "
                          "further before the receiver has begun the collective. 0 = as far as it "
                          "likes. Alike on all ranks. The default is NCCL's (NCCL_STEPS, "
                          "src/include/device.h).",
                          UintegerValue(8),
                          MakeUintegerAccessor(&CollectiveFlow::m_slots),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SlotBytes",
                          "What a slot holds, bytes; a smaller message takes one for itself. The "
                          "default is an eighth of NCCL_BUFFSIZE (DEFAULT_BUFFSIZE of NCCL, "
                          "src/init.cc, over NCCL_STEPS).",
                          UintegerValue(512 << 10),
                          MakeUintegerAccessor(&CollectiveFlow::m_slotBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("ExchangeSlotBytes",
                          "The same for collectives that NCCL makes of sends and receives: "
                          "all-to-all, gather, scatter, shift. The default is that of "
                          "NCCL_P2P_NET_CHUNKSIZE (NCCL, src/init.cc).",
                          UintegerValue(128 << 10),
                          MakeUintegerAccessor(&CollectiveFlow::m_exchangeSlotBytes),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

CollectiveFlow::CollectiveFlow()
{
    NS_LOG_FUNCTION(this);
}

CollectiveFlow::~CollectiveFlow()
{
    NS_LOG_FUNCTION(this);
}

void
CollectiveFlow::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_transport = nullptr;
    m_peerTable.Clear();
    m_peers.clear();
    m_parts.clear();
    Object::DoDispose();
}

void
CollectiveFlow::Setup(uint32_t rank, Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << rank << transport);
    m_rank = rank;
    m_transport = transport;
}

CollectiveFlow::Peer&
CollectiveFlow::FindPeer(uint32_t rank, uint32_t communicator)
{
    // State per peer of a communicator, made on first use: no table of all pairs.
    Peer*& peer = m_peerTable[static_cast<uint64_t>(communicator) << 32 | rank];
    if (!peer)
    {
        // A deque: pointers to peers stay valid as others are added.
        peer = &m_peers.emplace_back();
    }
    return *peer;
}

void
CollectiveFlow::Expect(uint32_t peer, uint64_t context)
{
    const auto [communicator, sequence] = MessageContext::Unpack(context);
    Peer& sender = FindPeer(peer, communicator);
    if (m_slots == 0 || sequence < sender.announced)
    {
        return;
    }
    // One announcement per call and peer, and it holds for all earlier calls.
    sender.announced = sequence + 1;
    Message message;
    message.source = m_rank;
    message.destination = peer;
    message.group = communicator;
    // Control messages have a connection of their own: payload does not delay them.
    message.channel = Message::CONTROL_CHANNEL;
    message.cookie = PointToPointFlow::NO_COOKIE;
    MessageEnvelope{context, 0, CLEAR_TO_SEND}.AttachTo(message);
    m_transport->Send(message);
}

void
CollectiveFlow::Send(const Message& message)
{
    Peer& peer = FindPeer(message.destination, message.group);
    const uint32_t sequence = MessageContext::Of(message).sequence;
    if (m_slots == 0 || (sequence < peer.clear && peer.channels.empty()))
    {
        // The receiver has begun the call, and nothing waits that must go before.
        m_transport->Send(message);
        return;
    }
    NS_LOG_LOGIC("rank " << message.destination << " has not begun collective " << sequence);
    // Also where the receiver has begun: messages that wait on the channel go first.
    Channel& channel = peer.channels[message.channel];
    channel.waiting.push_back(message);
    Fill(peer, channel);
    if (channel.IsEmpty())
    {
        peer.channels.erase(message.channel);
    }
}

std::optional<Message>
CollectiveFlow::Arrive(const Message& message)
{
    if (IsAnnouncement(message))
    {
        Peer& peer = FindPeer(message.source, message.group);
        peer.clear = MessageContext::Of(message).sequence + 1;
        for (auto channel = peer.channels.begin(); channel != peer.channels.end();)
        {
            auto& used = channel->second.used;
            // The receiver's kernel has emptied the slots of what came before its beginning.
            used.erase(used.begin(), used.lower_bound(peer.clear));
            Fill(peer, channel->second);
            channel = channel->second.IsEmpty() ? peer.channels.erase(channel) : std::next(channel);
        }
        return std::nullopt;
    }
    const auto envelope = MessageEnvelope::Of(message);
    const bool isPart = envelope.kind & MORE;
    if (!isPart && m_parts.empty())
    {
        return message;
    }
    // The parts of a message follow each other on its connection.
    const uint64_t from = static_cast<uint64_t>(message.source) << 32 | message.channel;
    const auto part = m_parts.try_emplace({from, {envelope.context, envelope.tag}}, 0).first;
    part->second += message.bytes;
    if (isPart)
    {
        return std::nullopt;
    }
    Message whole = message;
    whole.bytes = part->second;
    m_parts.erase(part);
    return whole;
}

bool
CollectiveFlow::IsAnnouncement(const Message& message)
{
    return MessageEnvelope::Of(message).kind & CLEAR_TO_SEND;
}

void
CollectiveFlow::Fill(const Peer& peer, Channel& channel)
{
    while (!channel.waiting.empty())
    {
        Message& next = channel.waiting.front();
        const uint32_t sequence = MessageContext::Of(next).sequence;
        Message part = next;
        if (sequence >= peer.clear)
        {
            // Slots of all collectives that the receiver has not begun: the connection has one
            // buffer.
            const uint64_t used = std::accumulate(
                channel.used.begin(),
                channel.used.end(),
                uint64_t{0},
                [](uint64_t sum, const auto& collective) { return sum + collective.second; });
            const uint64_t slotBytes = GetSlotBytes(MessageEnvelope::Of(next).kind);
            const uint64_t needed = std::max<uint64_t>((next.bytes + slotBytes - 1) / slotBytes, 1);
            const uint64_t given = std::min(needed, m_slots - used);
            if (given == 0)
            {
                return;
            }
            // By call, as the receiver frees the slots of a call when it begins it.
            channel.used[sequence] += given;
            // Only what the slots hold goes now; the rest waits for the announcement.
            part.bytes = std::min(next.bytes, given * slotBytes);
        }
        next.bytes -= part.bytes;
        const bool isWhole = next.bytes == 0;
        if (isWhole)
        {
            channel.waiting.pop_front();
        }
        else
        {
            // The sender counts the message as sent with its last part.
            auto envelope = MessageEnvelope::Of(part);
            envelope.kind |= MORE;
            envelope.AttachTo(part);
            part.cookie = PointToPointFlow::NO_COOKIE;
        }
        m_transport->Send(part);
    }
}

uint64_t
CollectiveFlow::GetSlotBytes(uint32_t kind) const
{
    switch (CollectiveSignature::GetKind(kind))
    {
    case CollectiveKind::ALL_TO_ALL:
    case CollectiveKind::GATHER:
    case CollectiveKind::SCATTER:
    case CollectiveKind::SHIFT:
        return m_exchangeSlotBytes;
    default:
        return m_slotBytes;
    }
}

std::vector<uint32_t>
CollectiveFlow::GetAwaited(uint64_t context) const
{
    std::vector<uint32_t> awaited;
    const auto waits = [context](const auto& channel) {
        const auto& waiting = channel.second.waiting;
        return std::any_of(waiting.begin(), waiting.end(), [context](const Message& message) {
            return MessageEnvelope::Of(message).context == context;
        });
    };
    m_peerTable.ForEach([&awaited, &waits](uint64_t key, const Peer& peer) {
        if (std::any_of(peer.channels.begin(), peer.channels.end(), waits))
        {
            awaited.push_back(static_cast<uint32_t>(key));
        }
    });
    // Ordered: reports must not depend on the table's order.
    std::sort(awaited.begin(), awaited.end());
    return awaited;
}

} // namespace ns3
