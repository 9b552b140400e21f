/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-matcher.h"

namespace ns3
{

std::optional<CollectiveSignature>
MessageMatcher::FindContradiction(uint64_t context, const CollectiveSignature& signature)
{
    auto& first = m_contexts[context].signature;
    if (!first)
    {
        first = signature;
    }
    return first->Matches(signature) ? std::nullopt : first;
}

bool
MessageMatcher::Knows(uint64_t context) const
{
    return m_contexts.count(context) > 0;
}

std::optional<MessageMatcher::Match>
MessageMatcher::Post(uint64_t context, uint32_t source, uint32_t tag, const Receive& receive)
{
    auto& queues = m_contexts[context].queues;
    const auto found = queues.try_emplace({source, tag}).first;
    auto& queue = found->second;
    if (queue.messages.empty())
    {
        queue.receives.push_back(receive);
        return std::nullopt;
    }
    Match match{receive, queue.messages.front()};
    queue.messages.pop_front();
    if (queue.messages.empty())
    {
        queues.erase(found);
    }
    return match;
}

std::optional<MessageMatcher::Match>
MessageMatcher::Arrive(const Message& message)
{
    auto& queues = m_contexts[message.envelope.context].queues;
    const auto found = queues.try_emplace({message.source, message.envelope.tag}).first;
    auto& queue = found->second;
    if (queue.receives.empty())
    {
        queue.messages.push_back(message);
        return std::nullopt;
    }
    Match match{queue.receives.front(), message};
    queue.receives.pop_front();
    if (queue.receives.empty())
    {
        queues.erase(found);
    }
    return match;
}

std::optional<Message>
MessageMatcher::Close(uint64_t context)
{
    const auto found = m_contexts.find(context);
    if (found == m_contexts.end())
    {
        return std::nullopt;
    }
    std::optional<Message> unreceived;
    if (!found->second.queues.empty())
    {
        unreceived = found->second.queues.begin()->second.messages.front();
    }
    m_contexts.erase(found);
    return unreceived;
}

std::vector<MessageMatcher::Key>
MessageMatcher::GetAwaited(uint64_t context) const
{
    std::vector<Key> awaited;
    const auto found = m_contexts.find(context);
    if (found == m_contexts.end())
    {
        return awaited;
    }
    for (const auto& [key, queue] : found->second.queues)
    {
        if (!queue.receives.empty())
        {
            awaited.push_back(key);
        }
    }
    return awaited;
}

} // namespace ns3
