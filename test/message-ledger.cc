/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-ledger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param lengths messages, payload and what goes over the wire
 * @return the first ones of them, for people
 */
std::string
Spell(const std::vector<std::pair<uint64_t, uint64_t>>& lengths)
{
    constexpr std::size_t most = 4;
    std::ostringstream text;
    text << lengths.size() << " messages:";
    for (std::size_t i = 0; i < std::min(most, lengths.size()); ++i)
    {
        text << " " << lengths[i].first << " bytes as " << lengths[i].second;
    }
    return text.str();
}

/**
 * @param route where something goes
 * @return the same for people
 */
std::string
SpellRoute(const std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>& route)
{
    const auto& [from, to, channel, pipeline] = route;
    std::ostringstream text;
    text << from << " to " << to << ", channel " << channel << ", pipeline " << pipeline << ": ";
    return text.str();
}

} // namespace

uint64_t
MessageLedger::Add(const CollectivePlan& plan, const CollectiveCall& call)
{
    uint64_t received = 0;
    const auto pipelines = plan.algorithm->Plan(plan.Complete(call));
    CollectiveStep step;
    for (uint32_t number = 0; number < pipelines.size(); ++number)
    {
        const auto channel = pipelines[number]->GetChannel();
        const auto pipeline = pipelines[number]->GetPeerPipeline(number);
        while (pipelines[number]->Next(step))
        {
            for (const auto& transfer : step)
            {
                const Length length{transfer.bytes, plan.GetWireBytes(call, transfer)};
                received += transfer.IsSend() ? 0 : transfer.bytes;
                if (transfer.UsesSwitch() || transfer.UsesNetworkSwitch())
                {
                    AddSwitched(call, channel, number, transfer, length);
                }
                else if (transfer.IsSend())
                {
                    m_sent[{call.index, transfer.peer, channel, pipeline}].push_back(length);
                }
                else
                {
                    m_awaited[{transfer.peer, call.index, channel, pipeline}].push_back(length);
                }
            }
        }
    }
    return received;
}

void
MessageLedger::AddSwitched(const CollectiveCall& call,
                           uint32_t channel,
                           uint32_t pipeline,
                           const CollectiveTransfer& transfer,
                           const Length& length)
{
    const auto server =
        transfer.UsesNetworkSwitch() ? NETWORK : call.placement->GetPlace(call.index).server;
    const auto head = transfer.UsesNetworkSwitch()                              ? NETWORK
                      : transfer.action == CollectiveTransfer::SWITCH_MULTICAST ? call.index
                                                                                : transfer.peer;
    auto& switched = m_switched[{server, head, channel, pipeline}];
    if (server != NETWORK)
    {
        switched.members = static_cast<uint32_t>(call.placement->GetServers()[server].size());
    }
    if (transfer.action == CollectiveTransfer::SWITCH_MULTICAST)
    {
        switched.cast.push_back(length);
    }
    else
    {
        (transfer.IsSend() ? switched.added : switched.got)[call.index].push_back(length);
    }
}

std::string
MessageLedger::FindDifference() const
{
    auto routes = m_sent;
    routes.insert(m_awaited.begin(), m_awaited.end());
    for (const auto& [route, any] : routes)
    {
        const auto sent = m_sent.find(route);
        const auto awaited = m_awaited.find(route);
        const auto& atSender = sent == m_sent.end() ? Lengths() : sent->second;
        const auto& atReceiver = awaited == m_awaited.end() ? Lengths() : awaited->second;
        if (atSender != atReceiver)
        {
            return SpellRoute(route) + "sent " + Spell(atSender) + "; awaited " + Spell(atReceiver);
        }
    }
    for (const auto& [route, switched] : m_switched)
    {
        const auto difference = FindDifference(route, switched);
        if (!difference.empty())
        {
            return difference;
        }
    }
    return "";
}

std::string
MessageLedger::FindDifference(const SwitchRoute& route, const Switched& switched)
{
    for (const auto& [member, lengths] : switched.added)
    {
        const auto& first = switched.added.begin()->second;
        if (lengths != first)
        {
            return SpellRoute(route) + "member " + std::to_string(member) + " adds " +
                   Spell(lengths) + "; the first one " + Spell(first);
        }
    }
    const auto adding = switched.added.size();
    if (switched.members > 0 && adding > 0 && adding != switched.members)
    {
        return SpellRoute(route) + std::to_string(adding) + " members add";
    }
    const auto head = std::get<1>(route);
    const auto sums = switched.added.empty() ? Lengths() : switched.added.begin()->second;
    for (const auto& [member, lengths] : switched.got)
    {
        auto expected = switched.cast;
        if (head == NETWORK || member == head)
        {
            expected.insert(expected.end(), sums.begin(), sums.end());
        }
        auto got = lengths;
        std::sort(expected.begin(), expected.end());
        std::sort(got.begin(), got.end());
        if (got != expected)
        {
            return SpellRoute(route) + "member " + std::to_string(member) + " awaits " +
                   Spell(got) + "; the switch sends " + Spell(expected);
        }
    }
    return "";
}

} // namespace ns3
