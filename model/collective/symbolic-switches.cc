/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-switches.h"

#include "collective-placement.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

SymbolicSwitches::Outcome
SymbolicSwitches::AddUp(SwitchSum& sum, SymbolicSums& sums)
{
    std::shared_ptr<SymbolicMessage> total;
    for (auto& queue : sum.given)
    {
        const auto message = queue.front();
        queue.pop_front();
        if (!total)
        {
            total = std::make_shared<SymbolicMessage>(*message);
            // Nobody waits for it to go: switches have no slots.
            total->hasLeft = true;
            continue;
        }
        std::pair<SymbolicPiece, SymbolicPiece> bad;
        const auto pieces = AddSymbolicPieces(total->pieces, message->pieces, sums, bad);
        if (total->bytes != message->bytes || !pieces)
        {
            return {nullptr,
                    {},
                    CollectiveFault{
                        message->sender,
                        "",
                        {},
                        "contributions to a switch that are of the same bytes, each member's once",
                        std::to_string(total->bytes) + " and " + std::to_string(message->bytes) +
                            " bytes, of " + sums.Describe(bad.first.sum, "rank") + " and " +
                            sums.Describe(bad.second.sum, "rank"),
                        ""}};
        }
        total->pieces = *pieces;
    }
    return {total, {}, std::nullopt};
}

SymbolicSwitches::Outcome
SymbolicSwitches::AddInServer(const std::shared_ptr<SymbolicMessage>& message,
                              const SymbolicConnections::Route& route,
                              const CollectivePlacement& placement,
                              SymbolicSums& sums)
{
    const auto& place = placement.GetPlace(message->sender);
    const SymbolicConnections::Route key{place.server, std::get<1>(route), std::get<2>(route)};
    const auto sum = m_sums.try_emplace(key).first;
    auto& given = sum->second.given;
    given.resize(placement.GetServers()[place.server].size());
    given[place.rail].push_back(message);
    const auto isEmpty = [](const auto& queue) { return queue.empty(); };
    if (std::any_of(given.begin(), given.end(), isEmpty))
    {
        return {};
    }
    auto outcome = AddUp(sum->second, sums);
    outcome.routes = {route};
    if (std::all_of(given.begin(), given.end(), isEmpty))
    {
        m_sums.erase(sum);
    }
    return outcome;
}

SymbolicSwitches::Outcome
SymbolicSwitches::AddInNetwork(const std::shared_ptr<SymbolicMessage>& message,
                               const CollectivePlacement& placement,
                               SymbolicSums& sums)
{
    constexpr auto NETWORK = SymbolicConnections::NETWORK;
    const auto server = placement.GetPlace(message->sender).server;
    const SymbolicConnections::Route key{NETWORK, NETWORK, message->pipeline};
    auto& sum = m_sums[key];
    sum.given.resize(placement.GetServers().size());
    auto& heads = m_heads[message->pipeline];
    heads.insert(message->sender);
    if (heads.size() > sum.given.size() || !sum.given[server].empty())
    {
        return {nullptr,
                {},
                CollectiveFault{
                    message->sender,
                    "",
                    {},
                    "one member of each server that sends to the network, one chunk at a time",
                    "more",
                    ""}};
    }
    sum.given[server].push_back(message);
    const auto isEmpty = [](const auto& queue) { return queue.empty(); };
    if (std::any_of(sum.given.begin(), sum.given.end(), isEmpty))
    {
        return {};
    }
    auto outcome = AddUp(sum, sums);
    m_sums.erase(key);
    for (const auto head : heads)
    {
        outcome.routes.emplace_back(NETWORK, head, message->pipeline);
    }
    return outcome;
}

std::optional<CollectiveFault>
SymbolicSwitches::FindLeft() const
{
    for (const auto& [key, sum] : m_sums)
    {
        for (const auto& queue : sum.given)
        {
            if (!queue.empty())
            {
                const auto& message = *queue.front();
                return CollectiveFault{message.sender,
                                       DescribeSymbolicStep(message.pipeline, message.step),
                                       {},
                                       "contributions of all to the sum of a switch",
                                       "fewer",
                                       ""};
            }
        }
    }
    return std::nullopt;
}

} // namespace ns3
