/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-virtual-channels.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>

namespace ns3
{

namespace
{

/// Level of a node that is not reached yet, or has no path to a host.
constexpr uint8_t FAR = UINT8_MAX / 2;

} // namespace

RdmaVirtualChannels::RdmaVirtualChannels(const TopologyGraph& graph,
                                         const std::vector<uint32_t>& switches,
                                         RdmaEgressQueues::Mask priorities)
    : m_graph(graph)
{
    FindLevels();
    m_perPath = CountChannels(switches);
    for (uint8_t priority = 0; priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        if (priorities >> priority & 1U)
        {
            m_priorities.push_back(priority);
        }
    }
    // A detour is two shortest paths.
    if (2 * m_perPath > m_priorities.size())
    {
        throw WorkloadError({"ns3::RdmaDetourRouting::VirtualChannels", 0, 0, ""},
                            "a topology whose shortest paths need at most " +
                                std::to_string(m_priorities.size() / 2) +
                                " virtual channels, as a detour needs twice as many and there are "
                                "no more priorities; or VirtualChannels=false",
                            std::to_string(m_perPath));
    }
    // The highest ones: the lowest is that of other traffic.
    m_priorities.erase(m_priorities.begin(), m_priorities.end() - 2 * m_perPath);
}

RdmaEgressQueues::Mask
RdmaVirtualChannels::GetPriorities() const
{
    RdmaEgressQueues::Mask mask = 0;
    for (const auto priority : m_priorities)
    {
        mask |= static_cast<RdmaEgressQueues::Mask>(1U << priority);
    }
    return mask;
}

void
RdmaVirtualChannels::FindLevels()
{
    m_levels.assign(m_graph.GetNNodes(), FAR);
    std::deque<uint32_t> open;
    for (const uint32_t host : m_graph.GetHosts())
    {
        m_levels[host] = 0;
        open.push_back(host);
    }
    // Breadth first from all hosts at once. NVLinks lead within a server only.
    for (; !open.empty(); open.pop_front())
    {
        const uint32_t node = open.front();
        for (const uint32_t link : m_graph.GetLinksOf(node))
        {
            const uint32_t peer = m_graph.GetPeer(link, node);
            if (m_levels[peer] == FAR && m_levels[node] + 1 < FAR)
            {
                m_levels[peer] = static_cast<uint8_t>(m_levels[node] + 1);
                m_highest = std::max(m_highest, m_levels[peer]);
                open.push_back(peer);
            }
        }
    }
}

uint8_t
RdmaVirtualChannels::GetRank(uint32_t link, uint32_t node) const
{
    const uint8_t from = m_levels[node];
    const uint8_t to = m_levels[m_graph.GetPeer(link, node)];
    if (to == 0)
    {
        return TO_HOST;
    }
    // Up from level 1: 1, from level 2: 2, ...; then links at one level; then down, mirrored.
    const int rank = to > from ? from : (to == from ? m_highest : 2 * m_highest - to);
    return static_cast<uint8_t>(rank);
}

uint32_t
RdmaVirtualChannels::CountChannels(const std::vector<uint32_t>& switches) const
{
    const EcmpRouteTable table(m_graph);
    uint32_t most = 1;
    for (const uint32_t destination : switches)
    {
        // Nodes by distance, so that what follows a link is known before it.
        std::multimap<uint32_t, uint32_t> nodes;
        for (uint32_t node = 0; node < m_graph.GetNNodes(); ++node)
        {
            if (m_levels[node] > 0 && table.GetNextLinks(node, destination).size() > 0)
            {
                nodes.emplace(table.GetHopCount(node, destination), node);
            }
        }
        // By link: channels from there on.
        std::map<uint32_t, uint32_t> needed;
        for (const auto& [hops, node] : nodes)
        {
            for (const uint32_t link : table.GetNextLinks(node, destination))
            {
                uint32_t count = 1;
                const uint32_t peer = m_graph.GetPeer(link, node);
                for (const uint32_t next : table.GetNextLinks(peer, destination))
                {
                    const bool moves = GetRank(next, peer) <= GetRank(link, node);
                    count = std::max(count, needed.at(next) + (moves ? 1 : 0));
                }
                needed[link] = count;
                most = std::max(most, count);
            }
        }
    }
    return most;
}

void
RdmaVirtualChannels::Begin(RdmaPacket& packet, bool isDetour) const
{
    RdmaPathTag& tag = packet.pathTag;
    if (tag.about == RdmaPathTag::NONE)
    {
        // Its own priority comes back on the link to its host.
        tag.about = packet.priority;
    }
    tag.reported = GetBase(isDetour);
    // Of no link yet: the path begins.
    tag.congestion = TO_HOST;
}

void
RdmaVirtualChannels::Move(RdmaPacket& packet, uint32_t link, uint32_t node) const
{
    RdmaPathTag& tag = packet.pathTag;
    const uint8_t rank = GetRank(link, node);
    if (rank == TO_HOST)
    {
        packet.priority = static_cast<uint8_t>(tag.about);
        return;
    }
    // Paths around links that have failed may be longer than any was: those stay on the last one.
    if (rank <= tag.congestion && tag.reported + 1 < m_priorities.size())
    {
        ++tag.reported;
    }
    tag.congestion = rank;
    packet.priority = m_priorities[tag.reported];
}

} // namespace ns3
