/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rail-ring.h"

#include "ns3/assert.h"

#include <utility>

namespace ns3
{

namespace
{

/// How a ring passes through a server.
struct Passage
{
    uint32_t entry{0}; //!< place of the rail on which it enters, then the rail
    uint32_t exit{0};  //!< the same of the rail on which it leaves
};

/**
 * @param rails the rails of a server
 * @param place a place in their order, or any number
 * @return the rail
 */
uint32_t
GetRail(const std::vector<uint32_t>& rails, uint32_t place)
{
    return rails[place % rails.size()];
}

/**
 * @param channel the channel
 * @param entry place of the rail on which the ring has entered
 * @param rails the rails of the server
 * @return the first place from that of the channel on whose rail is not the entry, if there is one
 */
uint32_t
ChooseExit(uint32_t channel, uint32_t entry, const std::vector<uint32_t>& rails)
{
    const auto nPlaces = static_cast<uint32_t>(rails.size());
    // In by one NIC and out by another, so that a ring loads both directions of different NICs; by
    // the same one only where the server has no other.
    const uint32_t place = channel % nPlaces;
    return rails[place] == rails[entry] ? (place + 1) % nPlaces : place;
}

/**
 * @param last passage through the last server
 * @param lastRails rails of the last server
 * @param firstExit place of the rail on which the ring leaves the first server
 * @param firstRails rails of the first server
 * @return the first place from the exit of the last server on whose rail is not its entry and does
 *         not lead back to the exit of the first server; the exit as it is if there is none
 */
uint32_t
ChooseLastExit(const Passage& last,
               const std::vector<uint32_t>& lastRails,
               uint32_t firstExit,
               const std::vector<uint32_t>& firstRails)
{
    const auto nPlaces = static_cast<uint32_t>(lastRails.size());
    for (uint32_t i = 0; i < nPlaces; ++i)
    {
        const uint32_t place = (last.exit + i) % nPlaces;
        if (lastRails[place] != lastRails[last.entry] &&
            GetRail(firstRails, place) != firstRails[firstExit])
        {
            return place;
        }
    }
    return last.exit;
}

/**
 * @param rails rails of two servers or more
 * @param channel the channel
 * @return on which rails its ring passes through each server
 */
std::vector<Passage>
ChoosePassages(const RailRing::Rails& rails, uint32_t channel)
{
    const auto nServers = rails.size();
    auto countPlaces = [&rails](std::size_t server) {
        return static_cast<uint32_t>(rails[server].size());
    };
    std::vector<Passage> passages(nServers);
    passages[0].exit = channel % countPlaces(0);
    for (std::size_t server = 1; server < nServers; ++server)
    {
        auto& passage = passages[server];
        // A rail joins the servers: the ring enters on that on which it has left the one before.
        passage.entry = passages[server - 1].exit % countPlaces(server);
        passage.exit = ChooseExit(channel, passage.entry, rails[server]);
    }
    auto& first = passages.front();
    auto& last = passages.back();
    // It closes on the last exit, which must not lead to where the ring has left the first server.
    last.exit = ChooseLastExit(last, rails.back(), first.exit, rails.front());
    first.entry = last.exit % countPlaces(0);
    for (std::size_t server = 0; server < nServers; ++server)
    {
        passages[server] = {rails[server][passages[server].entry],
                            rails[server][passages[server].exit]};
    }
    return passages;
}

} // namespace

RailRing::RailRing(const Servers& servers, const Rails& rails, uint32_t channel)
{
    const auto passages =
        servers.size() == 1
            ? std::vector<Passage>{{0, static_cast<uint32_t>(servers[0].size()) - 1}}
            : ChoosePassages(rails, channel);
    for (std::size_t i = 0; i < servers.size(); ++i)
    {
        const auto& server = servers[i];
        NS_ASSERT_MSG(!server.empty(), "server " << i << " of a ring has no members");
        const auto& passage = passages[i];
        // A ring that would have to enter where it leaves enters on the next rail.
        for (std::size_t j = 0; j < server.size(); ++j)
        {
            const std::size_t rail = (passage.entry + j) % server.size();
            if (rail != passage.exit)
            {
                m_members.push_back(server[rail]);
            }
        }
        m_members.push_back(server[passage.exit]);
    }
    FindPositions();
}

RailRing::RailRing(std::vector<uint32_t> members, std::vector<uint32_t> relays)
    : m_members(std::move(members)),
      m_relays(std::move(relays))
{
    FindPositions();
}

void
RailRing::FindPositions()
{
    m_positions.resize(m_members.size());
    for (uint32_t position = 0; position < m_members.size(); ++position)
    {
        m_positions[m_members[position]] = position;
    }
}

uint32_t
RailRing::GetRelay(uint32_t position) const
{
    return m_relays.empty() ? m_members[position] : m_relays[position];
}

std::vector<uint32_t>
RailRing::GetServed(uint32_t member) const
{
    std::vector<uint32_t> served;
    for (uint32_t position = 0; position < m_relays.size(); ++position)
    {
        if (m_relays[position] == member && m_members[position] != member)
        {
            served.push_back(position);
        }
    }
    return served;
}

uint32_t
RailRing::GetMember(uint32_t position) const
{
    return m_members[position];
}

uint32_t
RailRing::GetPosition(uint32_t member) const
{
    return m_positions[member];
}

} // namespace ns3
