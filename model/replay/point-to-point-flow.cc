/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "point-to-point-flow.h"

#include "message-envelope.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PointToPointFlow");

NS_OBJECT_ENSURE_REGISTERED(PointToPointFlow);

namespace
{

/// Parts at most that a message is copied in: grain enough for its end not to wait.
constexpr uint64_t MOST_PARTS = 64;

/**
 * @param bytes bytes to copy
 * @param rate bytes per second; 0 = copies take no time
 * @return the time that it takes
 */
Time
GetCopyTime(uint64_t bytes, double rate)
{
    return Seconds(rate == 0 ? 0 : static_cast<double>(bytes) / rate);
}

} // namespace

TypeId
PointToPointFlow::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PointToPointFlow")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<PointToPointFlow>()
            .AddAttribute("Latency",
                          "Time from the start of a send or receive to the start of its kernel on "
                          "the GPU. 0 = nothing, as for collectives without costs. The named "
                          "fabrics of wl-replay set 8.4 us, the base latency of kernels of "
                          "protocol simple, which carry these messages (NCCL, "
                          "src/graph/tuning.cc).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&PointToPointFlow::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Slots",
                          "Slots of a connection's buffer at the receiver: a send goes no further "
                          "before its receive is posted. 0 = as far as it likes. Alike on all "
                          "ranks. The default is NCCL's (NCCL_STEPS, src/include/device.h).",
                          UintegerValue(8),
                          MakeUintegerAccessor(&PointToPointFlow::m_slots),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SlotBytes",
                          "What a slot holds, bytes; a smaller message takes one for itself. The "
                          "default is that of NCCL_P2P_NET_CHUNKSIZE (NCCL, src/init.cc).",
                          UintegerValue(128 << 10),
                          MakeUintegerAccessor(&PointToPointFlow::m_slotBytes),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

PointToPointFlow::PointToPointFlow()
{
    NS_LOG_FUNCTION(this);
}

PointToPointFlow::~PointToPointFlow()
{
    NS_LOG_FUNCTION(this);
    Stop();
}

void
PointToPointFlow::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Stop();
    m_transport = nullptr;
    m_links.clear();
    m_parts.clear();
    Object::DoDispose();
}

void
PointToPointFlow::SetTransport(Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << transport);
    m_transport = transport;
}

Time
PointToPointFlow::GetLatency() const
{
    return m_latency;
}

void
PointToPointFlow::Send(const Message& message, double rate)
{
    NS_LOG_FUNCTION(this << message.destination << message.bytes << rate);
    Link& link = m_links[{message.destination, message.group, message.channel}];
    if (m_slots == 0)
    {
        StartCopy(link, message, rate);
        return;
    }
    // Receives are matched by tag on the link, so their announcements count by tag, too.
    const auto announced = link.announced.find(MessageEnvelope::Of(message).tag);
    if (announced == link.announced.end())
    {
        Pending pending{message};
        pending.rate = rate;
        link.pending.push_back(pending);
        Fill(link);
        return;
    }
    // Its receive was posted before it: it goes whole and takes no slots.
    if (--announced->second == 0)
    {
        link.announced.erase(announced);
    }
    StartCopy(link, message, rate);
}

void
PointToPointFlow::Announce(Message message)
{
    if (m_slots > 0)
    {
        message.channel = Message::CONTROL_CHANNEL;
        message.bytes = 0;
        message.cookie = NO_COOKIE;
        auto envelope = MessageEnvelope::Of(message);
        // Notifies the sender that the receive is posted.
        envelope.kind = CLEAR_TO_SEND;
        envelope.AttachTo(message);
        m_transport->Send(message);
    }
}

std::optional<Message>
PointToPointFlow::Arrive(const Message& message)
{
    const auto envelope = MessageEnvelope::Of(message);
    if (envelope.kind == CLEAR_TO_SEND)
    {
        Clear(message);
        return std::nullopt;
    }
    if (message.bytes == envelope.total)
    {
        return message;
    }
    const Key key{message.source, {envelope.context, envelope.tag}};
    const auto [found, isNew] = m_parts.try_emplace(key, message);
    // A first part is shorter than the message, so that another one follows.
    if (isNew)
    {
        return std::nullopt;
    }
    found->second.bytes += message.bytes;
    if (found->second.bytes < envelope.total)
    {
        return std::nullopt;
    }
    const Message whole = found->second;
    m_parts.erase(found);
    return whole;
}

void
PointToPointFlow::Clear(const Message& announcement)
{
    const uint32_t tag = MessageEnvelope::Of(announcement).tag;
    NS_LOG_FUNCTION(this << announcement.source << tag);
    Link& link = m_links[{announcement.source, announcement.group, 0}];
    const auto pending =
        std::find_if(link.pending.begin(), link.pending.end(), [tag](const Pending& other) {
            return MessageEnvelope::Of(other.message).tag == tag;
        });
    if (pending == link.pending.end())
    {
        // The receive came first; Send() finds it here.
        ++link.announced[tag];
        return;
    }
    // Posting the receive empties its slots, and the rest needs none.
    link.used -= pending->slots;
    if (!pending->isWhole)
    {
        SendPart(link, *pending, pending->message.bytes);
    }
    link.pending.erase(pending);
    Fill(link);
}

void
PointToPointFlow::Fill(Link& link)
{
    for (Pending& pending : link.pending)
    {
        // All of it is in slots; it waits only for its receive to empty them.
        if (pending.isWhole)
        {
            continue;
        }
        // The buffer is full. Later sends of the link wait as well: it keeps its order.
        if (link.used == m_slots)
        {
            return;
        }
        const uint64_t left = pending.message.bytes - pending.sent;
        const uint64_t needed = std::max<uint64_t>((left + m_slotBytes - 1) / m_slotBytes, 1);
        const uint64_t given = std::min(needed, m_slots - link.used);
        link.used += given;
        pending.slots += given;
        SendPart(link, pending, given * m_slotBytes);
    }
}

void
PointToPointFlow::SendPart(Link& link, Pending& pending, uint64_t bytes)
{
    Message part = pending.message;
    part.bytes = std::min(bytes, pending.message.bytes - pending.sent);
    pending.sent += part.bytes;
    pending.isWhole = pending.sent == pending.message.bytes;
    if (!pending.isWhole)
    {
        part.cookie = NO_COOKIE;
    }
    StartCopy(link, part, pending.rate);
}

void
PointToPointFlow::StartCopy(Link& link, const Message& message, double rate)
{
    // Without a rate, too, it waits behind what is being copied: a connection keeps its order.
    if (rate == 0 && link.copies.empty())
    {
        m_transport->Send(message);
        return;
    }
    // Bytes per part: at most MOST_PARTS parts, and no part below a slot.
    const uint64_t share = (message.bytes + MOST_PARTS - 1) / MOST_PARTS;
    const uint64_t grain = std::max(share, m_slotBytes);
    link.copies.push_back({message, rate, grain, GetCopyTime(grain, rate)});
    if (link.copies.size() == 1)
    {
        Continue(link);
    }
}

void
PointToPointFlow::Continue(Link& link)
{
    Copy& copy = link.copies.front();
    Time delay = copy.GetInterval();
    if (copy.message.bytes > copy.grain)
    {
        PacedMessage paced{copy.message, copy.grain, delay};
        paced.message.cookie = NO_COOKIE;
        const uint64_t parts = paced.CountFullParts();
        if (m_transport->TakeParts(paced, [this, &link](uint64_t bytes, Time first) {
                Resume(link, bytes, first);
            }))
        {
            copy.message.bytes -= parts * copy.grain;
            // Only the last part is left here, due an interval of its own after those that were
            // taken.
            // All parts have the same interval.
            delay = TimeStep(delay.GetTimeStep() * parts) + copy.GetInterval();
        }
    }
    link.copied = Simulator::Schedule(delay, &PointToPointFlow::Copied, this, &link);
}

void
PointToPointFlow::Resume(Link& link, uint64_t bytes, Time delay)
{
    NS_LOG_FUNCTION(this << bytes << delay);
    link.copied.Cancel();
    // The transport hands back what it has not sent yet, bytes.
    link.copies.front().message.bytes += bytes;
    link.copied = Simulator::Schedule(delay, &PointToPointFlow::Copied, this, &link);
}

Time
PointToPointFlow::Copy::GetInterval() const
{
    return message.bytes < grain ? GetCopyTime(message.bytes, rate) : interval;
}

void
PointToPointFlow::Copied(Link* link)
{
    Copy& copy = link->copies.front();
    Message part = copy.message;
    part.bytes = std::min(copy.grain, copy.message.bytes);
    copy.message.bytes -= part.bytes;
    if (copy.message.bytes > 0)
    {
        // Only the last part reports that the message was sent.
        part.cookie = NO_COOKIE;
    }
    else
    {
        link->copies.pop_front();
    }
    if (!link->copies.empty())
    {
        // Before the message is sent: its owner may post the next one from within.
        Continue(*link);
    }
    m_transport->Send(part);
}

void
PointToPointFlow::Stop()
{
    for (auto& [connection, link] : m_links)
    {
        link.copied.Cancel();
    }
}

} // namespace ns3
