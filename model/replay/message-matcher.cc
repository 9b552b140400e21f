/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-matcher.h"

#include "message-envelope.h"

namespace ns3
{

MessageMatcher::Context*
MessageMatcher::Find(uint64_t context)
{
    // A message has its context looked up several times, and so has the next one of its collective.
    if (!m_found || m_latest != context)
    {
        const auto found = m_contexts.find(context);
        if (found == m_contexts.end())
        {
            return nullptr;
        }
        m_latest = context;
        m_found = &found->second;
    }
    return m_found;
}

MessageMatcher::Context&
MessageMatcher::Get(uint64_t context)
{
    Context* const found = Find(context);
    return found ? *found : m_contexts[context];
}

std::optional<CollectiveSignature>
MessageMatcher::FindContradiction(uint64_t context, const CollectiveSignature& signature)
{
    auto& first = Get(context).signature;
    if (!first)
    {
        first = signature;
    }
    return first->Matches(signature) ? std::nullopt : first;
}

bool
MessageMatcher::Knows(uint64_t context)
{
    return Find(context) != nullptr;
}

std::optional<MessageMatcher::Match>
MessageMatcher::Post(uint64_t context, uint32_t source, uint32_t tag, const Receive& receive)
{
    Context& known = Get(context);
    const auto message = known.messages.Take({source, tag});
    if (!message)
    {
        known.receives.Add({source, tag}, receive);
        return std::nullopt;
    }
    return Match{receive, *message};
}

std::optional<MessageMatcher::Match>
MessageMatcher::Arrive(const Message& message)
{
    const auto envelope = MessageEnvelope::Of(message);
    const Key key{message.source, envelope.tag};
    Context& known = Get(envelope.context);
    const auto receive = known.receives.Take(key);
    if (!receive)
    {
        known.messages.Add(key, message);
        return std::nullopt;
    }
    return Match{*receive, message};
}

std::optional<Message>
MessageMatcher::Close(uint64_t context)
{
    const auto found = m_contexts.find(context);
    if (found == m_contexts.end())
    {
        return std::nullopt;
    }
    const auto unreceived = found->second.messages.GetFirst();
    m_contexts.erase(found);
    m_found = nullptr;
    return unreceived;
}

std::vector<MessageMatcher::Key>
MessageMatcher::GetAwaited(uint64_t context) const
{
    const auto found = m_contexts.find(context);
    auto awaited =
        found == m_contexts.end() ? std::vector<Key>() : found->second.receives.GetKeys();
    awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
    return awaited;
}

uint64_t
MessageMatcher::CountUnreceived() const
{
    uint64_t count = 0;
    for (const auto& [number, context] : m_contexts)
    {
        count += context.messages.Count();
    }
    return count;
}

} // namespace ns3
