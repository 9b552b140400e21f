/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-placement.h"

#include "ns3/assert.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

std::size_t
ReductionTree::Place::FindChild(uint32_t address) const
{
    const auto child = std::lower_bound(children.begin(), children.end(), address);
    NS_ASSERT_MSG(child != children.end() && *child == address, "it is no child of this switch");
    return static_cast<std::size_t>(child - children.begin());
}

RankPlacement::RankPlacement(std::shared_ptr<const Workload> workload,
                             std::vector<uint32_t> servers,
                             std::vector<uint32_t> nics)
    : m_workload(std::move(workload)),
      m_servers(std::move(servers)),
      m_nics(std::move(nics)),
      m_trees(m_workload->GetCommunicators().size()),
      m_placements(m_workload->GetCommunicators().size())
{
    NS_ASSERT_MSG(m_servers.size() >= m_workload->GetLayout().world,
                  "a server is known of " << m_servers.size() << " ranks only");
    NS_ASSERT_MSG(m_nics.empty() || m_nics.size() >= m_workload->GetLayout().world,
                  "a NIC is known of " << m_nics.size() << " ranks only");
}

void
RankPlacement::SetSwitches(std::vector<Switches> switches)
{
    m_switches = std::move(switches);
}

void
RankPlacement::SetChannels(std::shared_ptr<const ServerChannels> channels,
                           std::vector<uint32_t> devices)
{
    m_channels = std::move(channels);
    m_devices = std::move(devices);
}

void
RankPlacement::SetTorus(std::vector<uint32_t> sizes,
                        std::vector<bool> wraps,
                        std::vector<uint32_t> rates)
{
    m_torus = std::move(sizes);
    m_wraps = std::move(wraps);
    m_rates = std::move(rates);
}

void
RankPlacement::SetRankLinks(LinkNeighbours neighbours)
{
    m_links = std::move(neighbours);
}

LinkNeighbours
RankPlacement::FindNeighbours(uint32_t communicator) const
{
    const auto& ranks = m_workload->GetCommunicators()[communicator].ranks;
    std::map<uint32_t, uint32_t> members;
    for (uint32_t member = 0; member < ranks.size(); ++member)
    {
        members[ranks[member]] = member;
    }
    LinkNeighbours neighbours(ranks.size());
    for (uint32_t member = 0; member < ranks.size(); ++member)
    {
        for (const auto rank : m_links[ranks[member]])
        {
            const auto found = members.find(rank);
            if (found != members.end())
            {
                neighbours[member].push_back(found->second);
            }
        }
    }
    return neighbours;
}

void
RankPlacement::SetReductionTrees(TreeFinder finder, uint32_t first)
{
    m_treeFinder = std::move(finder);
    m_firstNetworkSwitch = first;
}

bool
RankPlacement::IsNetworkSwitch(uint32_t address) const
{
    return address >= m_firstNetworkSwitch;
}

const RankPlacement::ReductionTrees&
RankPlacement::GetReductionTrees(uint32_t communicator) const
{
    return m_trees[communicator];
}

const ReductionTree&
RankPlacement::GetReductionTree(uint32_t communicator, uint32_t channel) const
{
    auto& trees = m_trees[communicator];
    const auto found = trees.find(channel);
    if (found != trees.end())
    {
        return found->second;
    }
    return trees.emplace(channel, FindTree(communicator, Get(communicator), channel)).first->second;
}

std::vector<uint32_t>
RankPlacement::GetAwaitedInTrees(uint32_t communicator, uint64_t context) const
{
    std::set<uint32_t> ranks;
    for (const auto& [channel, tree] : GetReductionTrees(communicator))
    {
        for (const auto& [address, place] : tree.switches)
        {
            const auto found = m_awaited.find(address);
            const auto awaited =
                found != m_awaited.end() ? found->second(context) : std::vector<uint32_t>();
            ranks.insert(awaited.begin(), awaited.end());
        }
    }
    return {ranks.begin(), ranks.end()};
}

ReductionTree
RankPlacement::FindTree(uint32_t communicator,
                        const CollectivePlacement& placement,
                        uint32_t channel) const
{
    const auto& ranks = m_workload->GetCommunicators()[communicator].ranks;
    std::vector<uint32_t> heads;
    for (uint32_t server = 0; server < placement.GetServers().size(); ++server)
    {
        heads.push_back(ranks[placement.GetNetworkHead(server, channel)]);
    }
    std::sort(heads.begin(), heads.end());
    // Communicators of one channel each are not all to have the same root.
    return m_treeFinder(heads, communicator + channel);
}

std::string
RankPlacement::FindUnsupportedReason(uint32_t communicator,
                                     const CollectivePlacement& placement) const
{
    for (uint32_t channel = 0; channel < placement.CountNetworkHeads(); ++channel)
    {
        const auto tree = FindTree(communicator, placement, channel);
        if (!tree.reason.empty())
        {
            return tree.reason;
        }
    }
    return "";
}

void
RankPlacement::SetAwaitedCallback(uint32_t address, AwaitedCallback awaited)
{
    m_awaited[address] = awaited;
}

uint32_t
RankPlacement::GetSwitch(uint32_t rank, uint32_t channel) const
{
    const auto& switches = m_switches.at(rank);
    NS_ASSERT_MSG(switches.count > 0, "rank " << rank << " has no NVSwitch that takes part");
    return switches.first + channel % switches.count;
}

std::vector<uint32_t>
RankPlacement::GetAwaitedAtSwitches(uint32_t rank, uint64_t context) const
{
    std::vector<uint32_t> ranks;
    const auto switches = m_switches.empty() ? Switches() : m_switches[rank];
    const auto end = m_awaited.lower_bound(switches.first + switches.count);
    for (auto i = m_awaited.lower_bound(switches.first); i != end; ++i)
    {
        const auto more = i->second(context);
        ranks.insert(ranks.end(), more.begin(), more.end());
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

const CollectivePlacement&
RankPlacement::Get(uint32_t communicator) const
{
    auto& placement = m_placements.at(communicator);
    if (!placement)
    {
        std::vector<uint32_t> servers;
        std::vector<uint32_t> nics;
        for (const auto rank : m_workload->GetCommunicators()[communicator].ranks)
        {
            servers.push_back(m_servers[rank]);
            if (!m_nics.empty())
            {
                nics.push_back(m_nics[rank]);
            }
        }
        placement =
            std::make_unique<CollectivePlacement>(servers, CountSwitches(communicator), nics);
        if (!m_torus.empty())
        {
            const auto& ranks = m_workload->GetCommunicators()[communicator].ranks;
            placement->SetGrid(TorusGrid::Make(m_torus, m_wraps, m_rates, ranks));
        }
        if (!m_links.empty())
        {
            placement->SetNeighbours(FindNeighbours(communicator));
        }
        if (m_channels)
        {
            std::vector<uint32_t> devices;
            for (const auto rank : m_workload->GetCommunicators()[communicator].ranks)
            {
                devices.push_back(m_devices[rank]);
            }
            placement->SetChannels(m_channels, devices);
        }
        if (m_treeFinder && placement->GetServers().size() > 1)
        {
            placement->SetReductionUnsupportedReason(
                FindUnsupportedReason(communicator, *placement));
        }
    }
    return *placement;
}

uint32_t
RankPlacement::CountSwitches(uint32_t communicator) const
{
    if (m_switches.empty())
    {
        return 0;
    }
    // The first member of each server; servers that more than one stand in.
    std::map<uint32_t, uint32_t> first;
    std::set<uint32_t> shared;
    for (const auto rank : m_workload->GetCommunicators()[communicator].ranks)
    {
        if (m_servers[rank] != CollectivePlacement::NO_SERVER &&
            !first.insert({m_servers[rank], rank}).second)
        {
            shared.insert(m_servers[rank]);
        }
    }
    uint32_t count = shared.empty() ? 0 : UINT32_MAX;
    // Channels are dealt out over as many as all of the servers have.
    for (const auto server : shared)
    {
        count = std::min(count, m_switches[first.at(server)].count);
    }
    return count;
}

} // namespace ns3
