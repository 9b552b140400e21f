/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-connections.h"

#include <algorithm>

namespace ns3
{

std::string
DescribeSymbolicStep(uint32_t pipeline, uint64_t step)
{
    return "step " + std::to_string(step) + " of pipeline " + std::to_string(pipeline);
}

std::string
SymbolicMessage::DescribeSender() const
{
    return "rank " + std::to_string(sender) + " sends in " + DescribeSymbolicStep(pipeline, step);
}

SymbolicConnections::SymbolicConnections(uint32_t size, const CollectiveSlots& slots)
    : m_slots(slots),
      m_listeners(size)
{
}

const CollectiveSlots&
SymbolicConnections::GetSlots() const
{
    return m_slots;
}

void
SymbolicConnections::Listen(uint32_t member, uint32_t pipeline, uint32_t peer)
{
    m_listeners[member][peer].push_back(pipeline);
}

SymbolicConnections::Pipelines
SymbolicConnections::Deliver(const Route& route, const std::shared_ptr<SymbolicMessage>& message)
{
    const auto& [source, receiver, peer] = route;
    m_messages[route].messages.push_back(message);
    auto ready = Release(route);
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
        ready.emplace_back(receiver, pipeline);
    }
    return ready;
}

SymbolicConnections::Pipelines
SymbolicConnections::Post(const Route& route)
{
    ++m_messages[route].posted;
    return Release(route);
}

std::shared_ptr<SymbolicMessage>
SymbolicConnections::Take(const Route& route)
{
    auto& traffic = m_messages[route];
    if (traffic.messages.empty())
    {
        return nullptr;
    }
    // It needs no slots any more: these were given back when its receive was posted.
    const auto message = traffic.messages.front();
    traffic.messages.pop_front();
    --traffic.posted;
    return message;
}

bool
SymbolicConnections::TakeSlots(Room& room, SymbolicMessage& message) const
{
    // A message without bytes fills a slot, too.
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

SymbolicConnections::Pipelines
SymbolicConnections::Release(const Route& route)
{
    Pipelines ready;
    auto& traffic = m_messages[route];
    auto posted = traffic.posted;
    for (auto next = traffic.messages.begin(); posted > 0 && next != traffic.messages.end(); ++next)
    {
        --posted;
        auto& message = **next;
        // Nobody waits for it: it came through a switch, or was let go of before.
        if (message.hasLeft && message.slots == 0)
        {
            continue;
        }
        message.hasLeft = true;
        ready.emplace_back(message.sender, message.pipeline);
        auto& room = m_rooms[{std::get<0>(route), std::get<1>(route), message.channel}];
        room.used -= std::exchange(message.slots, 0);
        // Slots are free again for those that wait, in their order.
        while (!room.waiting.empty())
        {
            auto& first = *room.waiting.front().second;
            if (!first.hasLeft && !TakeSlots(room, first))
            {
                break;
            }
            ready.emplace_back(first.sender, first.pipeline);
            room.waiting.pop_front();
        }
    }
    return ready;
}

std::optional<CollectiveFault>
SymbolicConnections::FindLeft() const
{
    for (const auto& [route, traffic] : m_messages)
    {
        if (!traffic.messages.empty())
        {
            const auto& message = *traffic.messages.front();
            const auto receiver = "rank " + std::to_string(std::get<1>(route));
            return CollectiveFault{message.sender,
                                   DescribeSymbolicStep(message.pipeline, message.step),
                                   {},
                                   "a receive of " + receiver + " for what it sends",
                                   "none",
                                   "the steps of " + receiver};
        }
    }
    return std::nullopt;
}

} // namespace ns3
