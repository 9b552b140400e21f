/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-run.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @param part a part of a buffer or of scratch memory
 * @return it in words
 */
std::string
DescribePart(const BufferPart& part)
{
    const bool isScratch = part.offset >= CollectiveTransfer::SCRATCH;
    const auto first = part.offset - (isScratch ? CollectiveTransfer::SCRATCH : 0);
    return std::to_string(part.bytes) + " bytes from offset " + std::to_string(first) +
           (isScratch ? " of its scratch memory" : "");
}

/**
 * @param call an all-to-all or a shift
 * @return bytes of the buffer that its receives write to
 */
uint64_t
CountOutput(const CollectiveCall& call)
{
    if (call.splits)
    {
        const auto& parts = call.splits->receive;
        return std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    }
    // Parts of a member are all as long as its own, the longest of which are rounded up.
    return call.bytes + call.size;
}

} // namespace

bool
SymbolicRun::HasPlace(const CollectiveCall& call, const CollectiveTransfer& transfer)
{
    m_hasPlaces = m_hasPlaces && transfer.offset != CollectiveTransfer::SOMEWHERE;
    return m_hasPlaces && call.kind != CollectiveKind::BARRIER;
}

bool
SymbolicRun::HasPlaces() const
{
    return m_hasPlaces;
}

SymbolicRun::SymbolicRun(const CollectiveAlgorithm& algorithm,
                         const std::vector<CollectiveCall>& calls,
                         const CollectiveSlots& slots,
                         bool isReversed)
    : m_calls(calls),
      m_slots(slots),
      m_isReversed(isReversed),
      m_isApart(calls.front().kind == CollectiveKind::ALL_TO_ALL ||
                calls.front().kind == CollectiveKind::SHIFT),
      m_sums(static_cast<uint32_t>(calls.size())),
      m_inputs(calls.size()),
      m_outputs(m_isApart ? calls.size() : 0),
      m_traffic(calls.size()),
      m_progress(calls.size()),
      m_listeners(calls.size()),
      m_blocked(calls.size())
{
    for (const auto& call : calls)
    {
        m_known.push_back(m_sums.Only(call.index));
        for (auto& steps : algorithm.Plan(call))
        {
            const auto pipeline = static_cast<uint32_t>(m_progress[call.index].size());
            Progress progress;
            progress.channel = steps->GetChannel();
            progress.peer = steps->GetPeerPipeline(pipeline);
            progress.steps = std::move(steps);
            m_listeners[call.index][progress.peer].push_back(pipeline);
            m_progress[call.index].push_back(std::move(progress));
            m_ready.emplace_back(call.index, pipeline);
        }
    }
}

SymbolicSums&
SymbolicRun::GetSums()
{
    return m_sums;
}

SymbolicMemory&
SymbolicRun::GetInput(uint32_t member)
{
    return m_inputs[member];
}

SymbolicMemory&
SymbolicRun::GetOutput(uint32_t member)
{
    return m_isApart ? m_outputs[member] : m_inputs[member];
}

uint32_t
SymbolicRun::GetKnown(uint32_t member) const
{
    return m_known[member];
}

const CollectiveTraffic&
SymbolicRun::GetTraffic(uint32_t member) const
{
    return m_traffic[member];
}

void
SymbolicRun::Watch(uint32_t member, uint64_t place)
{
    m_watched = {member, place};
}

const std::string&
SymbolicRun::GetWriter() const
{
    return m_writer;
}

std::optional<CollectiveFault>
SymbolicRun::Run(uint64_t mostMessages)
{
    while (!m_ready.empty() && !m_fault)
    {
        if (m_count >= mostMessages)
        {
            return std::nullopt;
        }
        const auto [member, pipeline] = m_isReversed ? m_ready.back() : m_ready.front();
        m_isReversed ? m_ready.pop_back() : m_ready.pop_front();
        Advance(member, pipeline);
    }
    return m_fault ? m_fault : FindOpen();
}

uint64_t
SymbolicRun::CountMessages() const
{
    return m_count;
}

void
SymbolicRun::Advance(uint32_t member, uint32_t pipeline)
{
    auto& own = m_progress[member][pipeline];
    while (own.steps && !m_fault)
    {
        for (; own.received < own.awaited.size(); ++own.received)
        {
            if (!Receive(member, pipeline, own.awaited[own.received]))
            {
                return;
            }
        }
        for (; !own.sent.empty(); own.sent.pop_back())
        {
            if (!own.sent.back()->hasLeft)
            {
                return;
            }
        }
        if (!BeginStep(member, pipeline))
        {
            return;
        }
        // Others of the member may have waited for what is over now.
        for (const auto other : std::exchange(m_blocked[member], {}))
        {
            m_ready.emplace_back(member, other);
        }
    }
}

bool
SymbolicRun::BeginStep(uint32_t member, uint32_t pipeline)
{
    auto& own = m_progress[member][pipeline];
    if (own.steps->IsBlocked())
    {
        m_blocked[member].insert(pipeline);
        return false;
    }
    own.awaited.clear();
    own.received = 0;
    CollectiveStep step;
    if (!own.steps->Next(step))
    {
        own.steps.reset();
        return true;
    }
    ++own.count;
    ++m_traffic[member].steps;
    for (const auto& transfer : step)
    {
        if (transfer.IsSend())
        {
            Send(member, pipeline, transfer);
        }
        else
        {
            own.awaited.push_back(transfer);
        }
    }
    for (const auto& transfer : own.awaited)
    {
        const auto route = GetRoute(member, pipeline, transfer);
        ++m_messages[route].posted;
        Release(route);
    }
    return true;
}

std::vector<BufferPart>
SymbolicRun::FindParts(uint32_t member,
                       uint32_t pipeline,
                       const CollectiveTransfer& transfer,
                       uint64_t length)
{
    auto parts = transfer.parts;
    if (parts.empty())
    {
        parts.push_back({transfer.offset, transfer.bytes});
    }
    uint64_t bytes = 0;
    for (const auto& part : parts)
    {
        bytes += part.bytes;
        if (part.offset < CollectiveTransfer::SCRATCH && part.offset + part.bytes > length)
        {
            Fail(member,
                 pipeline,
                 part,
                 "bytes of a buffer of " + std::to_string(length),
                 DescribePart(part));
            return {};
        }
    }
    if (bytes != transfer.bytes || bytes == 0)
    {
        Fail(member,
             pipeline,
             {transfer.offset, transfer.bytes},
             "a transfer of bytes, as many as its parts have",
             std::to_string(transfer.bytes) + ", with parts of " + std::to_string(bytes));
        return {};
    }
    return parts;
}

void
SymbolicRun::Send(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    const auto& call = m_calls[member];
    auto& own = m_progress[member][pipeline];
    auto message = std::make_shared<Message>();
    message->bytes = transfer.bytes;
    message->known = m_known[member];
    message->step = GetStep(member, pipeline);
    message->sender = member;
    message->pipeline = pipeline;
    message->channel = own.channel;
    if (HasPlace(call, transfer))
    {
        const auto length =
            call.splits
                ? std::accumulate(call.splits->send.begin(), call.splits->send.end(), uint64_t{0})
                : call.bytes;
        for (const auto& part : FindParts(member, pipeline, transfer, length))
        {
            for (const auto& piece : m_inputs[member].Read(part.offset, part.bytes))
            {
                message->pieces.push_back(piece);
                if (piece.sum == SymbolicSums::NONE)
                {
                    Fail(member,
                         pipeline,
                         {piece.origin, piece.length},
                         "bytes to send that have come before",
                         DescribePart({piece.origin, piece.length}) + ", where nothing has");
                }
            }
        }
    }
    ++m_count;
    auto& traffic = m_traffic[member];
    traffic.sentBytes += transfer.bytes;
    traffic.largestMessage = std::max(traffic.largestMessage, transfer.bytes);
    switch (transfer.action)
    {
    case CollectiveTransfer::SWITCH_REDUCE:
        AddInServer(message, transfer.peer);
        break;
    case CollectiveTransfer::NETWORK_REDUCE:
        AddInNetwork(message);
        break;
    case CollectiveTransfer::SWITCH_MULTICAST:
        // Switches have no slots.
        message->hasLeft = true;
        for (const auto other :
             call.placement->GetServers()[call.placement->GetPlace(member).server])
        {
            Deliver({member, other, pipeline}, message);
        }
        break;
    default:
        ++traffic.sentTo[transfer.peer].messages;
        traffic.sentTo[transfer.peer].bytes += transfer.bytes;
        own.sent.push_back(message);
        Deliver({member, transfer.peer, own.peer}, message);
    }
}

void
SymbolicRun::Deliver(const Route& route, const std::shared_ptr<Message>& message)
{
    const auto& [source, receiver, peer] = route;
    if (receiver >= m_calls.size())
    {
        Fail(message->sender,
             message->pipeline,
             {},
             "a receiver, of " + std::to_string(m_calls.size()) + " members",
             std::to_string(receiver));
        return;
    }
    m_messages[route].messages.push_back(message);
    Release(route);
    if (!message->hasLeft)
    {
        auto& room = m_rooms[{source, receiver, message->channel}];
        // In order: what there is room for does not pass what waits.
        if (!room.waiting.empty() || !TakeSlots(room, *message))
        {
            room.waiting.emplace_back(route, message);
        }
    }
    for (const auto pipeline : m_listeners[receiver][peer])
    {
        m_ready.emplace_back(receiver, pipeline);
    }
}

bool
SymbolicRun::TakeSlots(Room& room, Message& message) const
{
    const auto needed = std::max<uint64_t>(1, (message.bytes + m_slots.bytes - 1) / m_slots.bytes);
    if (m_slots.count > 0 && room.used + needed > m_slots.count)
    {
        return false;
    }
    room.used += needed;
    message.slots = needed;
    message.hasLeft = true;
    return true;
}

void
SymbolicRun::Release(const Route& route)
{
    auto& traffic = m_messages[route];
    const auto count = std::min<uint64_t>(traffic.posted, traffic.messages.size());
    for (uint64_t i = 0; i < count; ++i)
    {
        auto& message = *traffic.messages[i];
        if (message.hasLeft && message.slots == 0)
        {
            continue;
        }
        message.hasLeft = true;
        m_ready.emplace_back(message.sender, message.pipeline);
        auto& room = m_rooms[{std::get<0>(route), std::get<1>(route), message.channel}];
        room.used -= std::exchange(message.slots, 0);
        // Slots are free again for those that wait, in their order.
        while (!room.waiting.empty())
        {
            auto& next = *room.waiting.front().second;
            if (!next.hasLeft && !TakeSlots(room, next))
            {
                break;
            }
            m_ready.emplace_back(next.sender, next.pipeline);
            room.waiting.pop_front();
        }
    }
}

std::shared_ptr<SymbolicRun::Message>
SymbolicRun::AddUp(SwitchSum& sum)
{
    std::shared_ptr<Message> total;
    for (auto& queue : sum.given)
    {
        const auto message = queue.front();
        queue.pop_front();
        if (!total)
        {
            total = std::make_shared<Message>(*message);
            total->hasLeft = true;
            continue;
        }
        std::pair<SymbolicPiece, SymbolicPiece> bad;
        const auto pieces = AddSymbolicPieces(total->pieces, message->pieces, m_sums, bad);
        if (total->bytes != message->bytes || !pieces)
        {
            Fail(message->sender,
                 message->pipeline,
                 {},
                 "contributions to a switch that are of the same bytes, each member's once",
                 std::to_string(total->bytes) + " and " + std::to_string(message->bytes) +
                     " bytes, of " + m_sums.Describe(bad.first.sum, "rank") + " and " +
                     m_sums.Describe(bad.second.sum, "rank"));
            return nullptr;
        }
        total->pieces = *pieces;
    }
    return total;
}

void
SymbolicRun::AddInServer(const std::shared_ptr<Message>& message, uint32_t peer)
{
    const auto& placement = *m_calls[message->sender].placement;
    const auto& place = placement.GetPlace(message->sender);
    const auto sum = m_switchSums.try_emplace({place.server, peer, message->pipeline}).first;
    auto& given = sum->second.given;
    given.resize(placement.GetServers()[place.server].size());
    given[place.rail].push_back(message);
    const auto isEmpty = [](const auto& queue) { return queue.empty(); };
    if (std::any_of(given.begin(), given.end(), isEmpty))
    {
        return;
    }
    if (const auto total = AddUp(sum->second))
    {
        Deliver({peer, peer, message->pipeline}, total);
    }
    if (std::all_of(given.begin(), given.end(), isEmpty))
    {
        m_switchSums.erase(sum);
    }
}

void
SymbolicRun::AddInNetwork(const std::shared_ptr<Message>& message)
{
    const auto& placement = *m_calls[message->sender].placement;
    const auto server = placement.GetPlace(message->sender).server;
    const Route key{NETWORK, NETWORK, message->pipeline};
    auto& sum = m_switchSums[key];
    sum.given.resize(placement.GetServers().size());
    auto& heads = m_heads[message->pipeline];
    heads.insert(message->sender);
    if (heads.size() > sum.given.size() || !sum.given[server].empty())
    {
        Fail(message->sender,
             message->pipeline,
             {},
             "one member of each server that sends to the network, one chunk at a time",
             "more");
        return;
    }
    sum.given[server].push_back(message);
    const auto isEmpty = [](const auto& queue) { return queue.empty(); };
    if (std::any_of(sum.given.begin(), sum.given.end(), isEmpty))
    {
        return;
    }
    const auto total = AddUp(sum);
    m_switchSums.erase(key);
    for (const auto head : heads)
    {
        if (total)
        {
            Deliver({NETWORK, head, message->pipeline}, total);
        }
    }
}

SymbolicRun::Route
SymbolicRun::GetRoute(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer) const
{
    const bool isNetwork = transfer.action == CollectiveTransfer::NETWORK_RECV;
    return {isNetwork ? NETWORK : transfer.peer, member, m_progress[member][pipeline].peer};
}

bool
SymbolicRun::Receive(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    auto& traffic = m_messages[GetRoute(member, pipeline, transfer)];
    if (traffic.messages.empty())
    {
        return false;
    }
    const auto message = traffic.messages.front();
    traffic.messages.pop_front();
    --traffic.posted;
    m_traffic[member].receivedBytes += message->bytes;
    if (m_calls[member].kind == CollectiveKind::BARRIER)
    {
        m_known[member] = m_sums.Unite(m_known[member], message->known);
    }
    if (message->bytes != transfer.bytes)
    {
        Fail(member,
             pipeline,
             {},
             "a message of " + std::to_string(transfer.bytes) + " bytes",
             std::to_string(message->bytes) + ", which " + DescribeSender(*message));
    }
    else if (HasPlace(m_calls[member], transfer))
    {
        Store(member, pipeline, transfer, *message);
    }
    return true;
}

void
SymbolicRun::Store(uint32_t member,
                   uint32_t pipeline,
                   const CollectiveTransfer& transfer,
                   const Message& message)
{
    const auto& call = m_calls[member];
    auto left = message.pieces;
    std::reverse(left.begin(), left.end());
    for (const auto& part :
         FindParts(member, pipeline, transfer, m_isApart ? CountOutput(call) : call.bytes))
    {
        // What is passed on stands beside what is sent.
        auto& memory =
            part.offset >= CollectiveTransfer::SCRATCH ? GetInput(member) : GetOutput(member);
        SymbolicPieces pieces;
        for (uint64_t bytes = 0; bytes < part.bytes; bytes += pieces.back().length)
        {
            auto& next = left.back();
            const auto length = std::min(next.length, part.bytes - bytes);
            pieces.push_back({length, next.origin, next.sum});
            next.origin += length;
            next.length -= length;
            if (next.length == 0)
            {
                left.pop_back();
            }
        }
        if (transfer.action == CollectiveTransfer::RECV_REDUCE)
        {
            std::pair<SymbolicPiece, SymbolicPiece> bad;
            const auto old = memory.Read(part.offset, part.bytes);
            const auto sum = AddSymbolicPieces(old, pieces, m_sums, bad);
            if (!sum)
            {
                const auto describe = [this](const SymbolicPiece& piece) {
                    return piece.sum == SymbolicSums::NONE
                               ? "bytes that have never come"
                               : DescribePart({piece.origin, piece.length}) + " of " +
                                     m_sums.Describe(piece.sum, "rank");
                };
                Fail(member,
                     pipeline,
                     {bad.first.origin, bad.first.length},
                     "sums of the same bytes in which each rank stands once",
                     describe(bad.first) + ", and to it " + describe(bad.second) + ", which " +
                         DescribeSender(message));
                return;
            }
            pieces = *sum;
        }
        memory.Write(part.offset, pieces);
        const bool isWatched = m_watched && m_watched->first == member &&
                               part.offset <= m_watched->second &&
                               m_watched->second < part.offset + part.bytes;
        if (isWatched)
        {
            m_writer = DescribeStep(pipeline, GetStep(member, pipeline)) + ", with what " +
                       DescribeSender(message);
        }
    }
}

uint64_t
SymbolicRun::GetStep(uint32_t member, uint32_t pipeline) const
{
    const auto count = m_progress[member][pipeline].count;
    return count - std::min<uint64_t>(count, 1);
}

std::string
SymbolicRun::DescribeStep(uint32_t pipeline, uint64_t step)
{
    return "step " + std::to_string(step) + " of pipeline " + std::to_string(pipeline);
}

std::string
SymbolicRun::DescribeSender(const Message& message)
{
    return "rank " + std::to_string(message.sender) + " sends in " +
           DescribeStep(message.pipeline, message.step);
}

void
SymbolicRun::Fail(uint32_t member,
                  uint32_t pipeline,
                  const BufferPart& part,
                  const std::string& expected,
                  const std::string& found)
{
    if (!m_fault)
    {
        const auto step = DescribeStep(pipeline, GetStep(member, pipeline));
        m_fault = CollectiveFault{member, step, part, expected, found, ""};
    }
}

std::pair<CollectiveFault, bool>
SymbolicRun::DescribeWait(uint32_t member, uint32_t pipeline) const
{
    const auto& own = m_progress[member][pipeline];
    CollectiveFault fault{member,
                          DescribeStep(pipeline, GetStep(member, pipeline)),
                          {},
                          "steps that come to an end"};
    if (own.received < own.awaited.size())
    {
        const auto& transfer = own.awaited[own.received];
        const auto from = std::get<0>(GetRoute(member, pipeline, transfer));
        fault.found = "one that waits for " + std::to_string(transfer.bytes) + " bytes of " +
                      (from == NETWORK ? "the network" : "rank " + std::to_string(from));
        // To blame is who waits for somebody that has nothing left to do.
        bool isOver = from < m_progress.size();
        for (uint32_t i = 0; isOver && i < m_progress[from].size(); ++i)
        {
            const bool isPeer = m_progress[from][i].peer == own.peer;
            isOver = !isPeer || !m_progress[from][i].steps;
        }
        fault.found += isOver ? ", which has no step left that sends them" : ", which waits, too";
        fault.advice = isOver ? "the steps of rank " + std::to_string(from)
                              : "which of the two should send first";
        return {fault, isOver};
    }
    const auto waits = std::find_if(own.sent.begin(), own.sent.end(), [](const auto& message) {
        return !message->hasLeft;
    });
    if (waits != own.sent.end())
    {
        fault.found = "one whose " + std::to_string((*waits)->bytes) + " bytes have no room: the " +
                      std::to_string(m_slots.count) + " slots of " + std::to_string(m_slots.bytes) +
                      " bytes of their connection are full, and their receive is never posted";
        fault.advice = "receives that its peer should post before it sends more";
        return {fault, true};
    }
    fault.found = "one that waits for another pipeline of the rank";
    return {fault, false};
}

std::optional<CollectiveFault>
SymbolicRun::FindOpen() const
{
    std::optional<CollectiveFault> first;
    for (uint32_t member = 0; member < m_progress.size(); ++member)
    {
        for (uint32_t pipeline = 0; pipeline < m_progress[member].size(); ++pipeline)
        {
            if (m_progress[member][pipeline].steps)
            {
                const auto [fault, isToBlame] = DescribeWait(member, pipeline);
                if (isToBlame)
                {
                    return fault;
                }
                first = first ? first : fault;
            }
        }
    }
    for (const auto& [route, traffic] : m_messages)
    {
        if (!first && !traffic.messages.empty())
        {
            const auto& message = *traffic.messages.front();
            first = CollectiveFault{message.sender,
                                    DescribeStep(message.pipeline, message.step),
                                    {},
                                    "a receive of rank " + std::to_string(std::get<1>(route)) +
                                        " for what it sends",
                                    "none",
                                    "the steps of rank " + std::to_string(std::get<1>(route))};
        }
    }
    for (const auto& [key, sum] : m_switchSums)
    {
        for (const auto& queue : sum.given)
        {
            if (!first && !queue.empty())
            {
                const auto& message = *queue.front();
                first = CollectiveFault{message.sender,
                                        DescribeStep(message.pipeline, message.step),
                                        {},
                                        "contributions of all to the sum of a switch",
                                        "fewer"};
            }
        }
    }
    return first;
}

} // namespace ns3
