/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-placement.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param a members of a server
 * @param b members of another one
 * @return true if the first has fewer
 */
bool
IsSmaller(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    return a.size() < b.size();
}

/**
 * @param members members of a server
 * @param nics the NIC of each member of the communicator; empty = each has its own
 * @return rails of the server in the order in which channels use them
 */
std::vector<uint32_t>
OrderRails(const std::vector<uint32_t>& members, const std::vector<uint32_t>& nics)
{
    std::vector<uint32_t> rails(members.size());
    std::iota(rails.begin(), rails.end(), 0);
    if (nics.empty())
    {
        return rails;
    }
    // The first rail of each NIC, and how many share the NIC.
    std::vector<uint32_t> first;
    std::map<uint32_t, uint32_t> sharing;
    for (const auto rail : rails)
    {
        if (++sharing[nics[members[rail]]] == 1)
        {
            first.push_back(rail);
        }
    }
    const auto isEven = [&sharing](const auto& nic) {
        return nic.second == sharing.begin()->second;
    };
    // Where some NICs are shared by more ranks than others, each NIC counts once, so that all carry
    // as much.
    return std::all_of(sharing.begin(), sharing.end(), isEven) ? rails : first;
}

} // namespace

CollectivePlacement::CollectivePlacement(const std::vector<uint32_t>& servers,
                                         uint32_t nSwitches,
                                         const std::vector<uint32_t>& nics)
    : m_nSwitches(nSwitches)
{
    NS_ASSERT_MSG(!servers.empty(), "a communicator without members");
    std::map<uint32_t, std::size_t> places;
    for (uint32_t member = 0; member < servers.size(); ++member)
    {
        auto place = m_servers.size();
        // A member without a server counts as one in a server of its own.
        if (servers[member] != NO_SERVER)
        {
            place = places.insert({servers[member], place}).first->second;
        }
        if (place == m_servers.size())
        {
            m_servers.emplace_back();
        }
        m_servers[place].push_back(member);
    }
    m_places.resize(servers.size());
    m_order.reserve(servers.size());
    for (uint32_t server = 0; server < m_servers.size(); ++server)
    {
        for (uint32_t rail = 0; rail < m_servers[server].size(); ++rail)
        {
            const auto member = m_servers[server][rail];
            m_places[member] = {server, rail, static_cast<uint32_t>(m_order.size())};
            m_order.push_back(member);
        }
        m_networkRails.push_back(OrderRails(m_servers[server], nics));
    }
    const auto [smallest, largest] =
        std::minmax_element(m_servers.begin(), m_servers.end(), &IsSmaller);
    m_smallestServer = static_cast<uint32_t>(smallest->size());
    m_largestServer = static_cast<uint32_t>(largest->size());
}

const CollectivePlacement::Place&
CollectivePlacement::GetPlace(uint32_t member) const
{
    return m_places[member];
}

const std::vector<uint32_t>&
CollectivePlacement::GetOrder() const
{
    return m_order;
}

const RailRing::Servers&
CollectivePlacement::GetServers() const
{
    return m_servers;
}

uint32_t
CollectivePlacement::GetLargestServer() const
{
    return m_largestServer;
}

uint32_t
CollectivePlacement::GetSmallestServer() const
{
    return m_smallestServer;
}

uint32_t
CollectivePlacement::GetNSwitches() const
{
    return m_nSwitches;
}

const RailRing::Rails&
CollectivePlacement::GetNetworkRails() const
{
    return m_networkRails;
}

uint32_t
CollectivePlacement::GetNetworkRail(uint32_t server, uint32_t index) const
{
    const auto& rails = m_networkRails[server];
    return rails[index % rails.size()];
}

uint32_t
CollectivePlacement::CountNetworkHeads() const
{
    const auto fewest =
        std::min_element(m_networkRails.begin(),
                         m_networkRails.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return static_cast<uint32_t>(fewest->size());
}

uint32_t
CollectivePlacement::GetNetworkHead(uint32_t server, uint32_t channel) const
{
    // The server with the fewest NICs sets the number, so that each channel has a head in every
    // server.
    return m_servers[server][GetNetworkRail(server, channel % CountNetworkHeads())];
}

void
CollectivePlacement::SetReductionUnsupportedReason(const std::string& reason)
{
    m_reductionUnsupportedReason = reason;
}

const std::string&
CollectivePlacement::GetReductionUnsupportedReason() const
{
    return m_reductionUnsupportedReason;
}

void
CollectivePlacement::SetChannels(std::shared_ptr<const ServerChannels> channels,
                                 const std::vector<uint32_t>& devices)
{
    if (m_order.size() > 1)
    {
        m_serverChannels = channels;
        m_channels = std::make_unique<const CommunicatorChannels>(*channels, m_servers, devices);
    }
}

const CommunicatorChannels*
CollectivePlacement::GetChannels() const
{
    return m_channels.get();
}

void
CollectivePlacement::SetGrid(std::unique_ptr<const TorusGrid> grid)
{
    m_grid = std::move(grid);
}

const TorusGrid*
CollectivePlacement::GetGrid() const
{
    return m_grid.get();
}

void
CollectivePlacement::SetNeighbours(LinkNeighbours neighbours)
{
    m_neighbours = std::move(neighbours);
}

const LinkNeighbours&
CollectivePlacement::GetNeighbours() const
{
    return m_neighbours;
}

const std::vector<std::vector<uint32_t>>&
CollectivePlacement::GetLinkRings() const
{
    if (!m_linkRings)
    {
        const bool isKnown = m_grid && m_grid->HasClosedRing();
        m_linkRings = isKnown ? std::vector<std::vector<uint32_t>>() : FindLinkRings(m_neighbours);
    }
    return *m_linkRings;
}

uint32_t
CollectivePlacement::CountNvlsHeads() const
{
    // NCCL has a head for each channel of NVLS that its search finds; without a description of the
    // servers every member of the smallest one is a head.
    const auto heads = m_channels ? m_channels->GetNvls().channels : 0;
    return heads > 0 ? heads : m_smallestServer;
}

uint32_t
CollectivePlacement::GetNvlsHead(uint32_t server, uint32_t shard) const
{
    const bool isFound = m_channels && m_channels->GetNvls().channels > 0;
    return isFound ? m_channels->GetNvlsHead(server, shard) : m_servers[server][shard];
}

const RailRing&
CollectivePlacement::GetRing(uint32_t channel) const
{
    if (m_channels)
    {
        return m_channels->FindRing(channel);
    }
    // Made on first use: most communicators of a large job use few channels.
    if (channel >= m_rings.size())
    {
        m_rings.resize(channel + std::size_t{1});
    }
    auto& ring = m_rings[channel];
    if (!ring && (m_grid || !GetLinkRings().empty()))
    {
        const auto& found = GetLinkRings();
        auto members = found.empty() ? m_grid->GetRing() : found[channel / 2 % found.size()];
        // Rings go round in both directions, since each link of a torus carries data both ways.
        if (channel % 2 == 1)
        {
            std::reverse(members.begin(), members.end());
        }
        ring = std::make_unique<const RailRing>(std::move(members), std::vector<uint32_t>());
    }
    if (!ring)
    {
        ring = std::make_unique<const RailRing>(m_servers, m_networkRails, channel);
    }
    return *ring;
}

} // namespace ns3
