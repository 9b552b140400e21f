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
    const Key key{source, tag};
    Context& known = m_contexts[context];
    const auto first = known.messages.lower_bound(key);
    if (first == known.messages.end() || first->first != key)
    {
        known.receives.emplace(key, receive);
        return std::nullopt;
    }
    Match match{receive, first->second};
    known.messages.erase(first);
    return match;
}

std::optional<MessageMatcher::Match>
MessageMatcher::Arrive(const Message& message)
{
    const Key key{message.source, message.envelope.tag};
    Context& known = m_contexts[message.envelope.context];
    const auto first = known.receives.lower_bound(key);
    if (first == known.receives.end() || first->first != key)
    {
        known.messages.emplace(key, message);
        return std::nullopt;
    }
    Match match{first->second, message};
    known.receives.erase(first);
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
    if (!found->second.messages.empty())
    {
        unreceived = found->second.messages.begin()->second;
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
    for (const auto& [key, receive] : found->second.receives)
    {
        if (awaited.empty() || awaited.back() != key)
        {
            awaited.push_back(key);
        }
    }
    return awaited;
}

} // namespace ns3
