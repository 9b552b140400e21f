/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rail-ring.h"

#include "ns3/assert.h"

namespace ns3
{

namespace
{

/// How a ring passes through a server.
struct Passage
{
    uint32_t entry{0}; //!< rail on which it enters
    uint32_t exit{0};  //!< rail on which it leaves
};

/**
 * @param channel the channel
 * @param entry the rail on which the ring has entered
 * @param nRails number of rails of the server
 * @return the first rail from that of the channel on that is not the entry, if there are several
 */
uint32_t
ChooseExit(uint32_t channel, uint32_t entry, uint32_t nRails)
{
    const uint32_t rail = channel % nRails;
    return rail == entry ? (rail + 1) % nRails : rail;
}

/**
 * @param last passage through the last server
 * @param nLastRails number of rails of the last server
 * @param firstExit the rail on which the ring leaves the first server
 * @param nFirstRails number of rails of the first server
 * @return the first rail from the exit of the last server on that is not its entry and does not
 *         lead back to the exit of the first server; the exit as it is if there is none
 */
uint32_t
ChooseLastExit(const Passage& last, uint32_t nLastRails, uint32_t firstExit, uint32_t nFirstRails)
{
    for (uint32_t i = 0; i < nLastRails; ++i)
    {
        const uint32_t rail = (last.exit + i) % nLastRails;
        if (rail != last.entry && rail % nFirstRails != firstExit)
        {
            return rail;
        }
    }
    return last.exit;
}

/**
 * @param servers two servers or more
 * @param channel the channel
 * @return how its ring passes through each server
 */
std::vector<Passage>
ChoosePassages(const RailRing::Servers& servers, uint32_t channel)
{
    const auto nServers = static_cast<uint32_t>(servers.size());
    auto getRails = [&servers](uint32_t server) {
        return static_cast<uint32_t>(servers[server].size());
    };
    std::vector<Passage> passages(nServers);
    passages[0].exit = channel % getRails(0);
    for (uint32_t server = 1; server < nServers; ++server)
    {
        const uint32_t nRails = getRails(server);
        auto& passage = passages[server];
        passage.entry = passages[server - 1].exit % nRails;
        passage.exit = ChooseExit(channel, passage.entry, nRails);
    }
    auto& first = passages.front();
    auto& last = passages.back();
    last.exit = ChooseLastExit(last, getRails(nServers - 1), first.exit, getRails(0));
    first.entry = last.exit % getRails(0);
    return passages;
}

} // namespace

RailRing::RailRing(const Servers& servers, uint32_t channel)
{
    const auto passages =
        servers.size() == 1
            ? std::vector<Passage>{{0, static_cast<uint32_t>(servers[0].size()) - 1}}
            : ChoosePassages(servers, channel);
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
    m_positions.resize(m_members.size());
    for (uint32_t position = 0; position < m_members.size(); ++position)
    {
        m_positions[m_members[position]] = position;
    }
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
