/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-partition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Nodes that stay together.
struct Unit
{
    std::vector<uint32_t> nodes;      //!< ascending
    uint32_t hosts{0};                //!< how many of them are hosts
    uint32_t firstSwitch{UINT32_MAX}; //!< the first switch beside it; UINT32_MAX = there is none
};

/**
 * @param link a link
 * @return whether both of its ends stay together
 */
bool
IsUncuttable(const TopologyGraph::Link& link)
{
    // The look-ahead of the engine is the delay of the links that are cut: NVLink's is so short
    // that processes would wait for each other at almost every event.
    return link.nvlink || link.delay.IsZero();
}

/**
 * @param graph the fabric
 * @return by node the first node of its unit
 */
std::vector<uint32_t>
FindUnits(const TopologyGraph& graph)
{
    std::map<uint32_t, std::vector<uint32_t>> servers;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        servers[graph.GetNode(node).server].push_back(node);
    }
    std::vector<uint32_t> unit(graph.GetNNodes(), UINT32_MAX);
    for (uint32_t first = 0; first < graph.GetNNodes(); ++first)
    {
        if (unit[first] != UINT32_MAX)
        {
            continue;
        }
        std::queue<uint32_t> reached;
        const auto reach = [&](uint32_t node) {
            if (unit[node] == UINT32_MAX)
            {
                unit[node] = first;
                reached.push(node);
            }
        };
        // Breadth first over the nodes of a server and over links that must not be cut: across one
        // without delay there would be no look-ahead.
        for (reach(first); !reached.empty(); reached.pop())
        {
            const uint32_t node = reached.front();
            const uint32_t server = graph.GetNode(node).server;
            if (server != TopologyGraph::NO_SERVER)
            {
                std::for_each(servers[server].begin(), servers[server].end(), reach);
            }
            for (const auto link : graph.GetLinksOf(node))
            {
                if (IsUncuttable(graph.GetLink(link)))
                {
                    reach(graph.GetPeer(link, node));
                }
            }
        }
    }
    return unit;
}

/**
 * @param graph the fabric
 * @param unitOf by node the first node of its unit
 * @return the units with hosts, neighbours together
 */
std::vector<Unit>
ListHostUnits(const TopologyGraph& graph, const std::vector<uint32_t>& unitOf)
{
    std::map<uint32_t, Unit> units;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        auto& unit = units[unitOf[node]];
        unit.nodes.push_back(node);
        unit.hosts += graph.GetNode(node).kind == TopologyGraph::HOST ? 1 : 0;
        for (const auto link : graph.GetLinksOf(node))
        {
            const uint32_t peer = graph.GetPeer(link, node);
            if (unitOf[peer] != unitOf[node] && graph.GetNode(peer).kind == TopologyGraph::SWITCH)
            {
                unit.firstSwitch = std::min(unit.firstSwitch, peer);
            }
        }
    }
    std::vector<Unit> withHosts;
    for (const auto& [first, unit] : units)
    {
        if (unit.hosts > 0)
        {
            withHosts.push_back(unit);
        }
    }
    // Units at one switch stand together, so that they mostly come to one part.
    std::stable_sort(withHosts.begin(), withHosts.end(), [](const Unit& a, const Unit& b) {
        return a.firstSwitch < b.firstSwitch;
    });
    return withHosts;
}

/**
 * @param graph the fabric
 * @return by node its distance from the nearest host, hops
 */
std::vector<uint32_t>
FindTiers(const TopologyGraph& graph)
{
    std::vector<uint32_t> tier(graph.GetNNodes(), UINT32_MAX);
    std::queue<uint32_t> reached;
    for (const auto host : graph.GetHosts())
    {
        tier[host] = 0;
        reached.push(host);
    }
    for (; !reached.empty(); reached.pop())
    {
        const uint32_t node = reached.front();
        for (const auto link : graph.GetLinksOf(node))
        {
            const uint32_t peer = graph.GetPeer(link, node);
            if (tier[peer] == UINT32_MAX)
            {
                tier[peer] = tier[node] + 1;
                reached.push(peer);
            }
        }
    }
    return tier;
}

/// No part yet.
constexpr uint32_t NO_PART = UINT32_MAX;

/**
 * Deal out the units with hosts, in their order: a part gets the next ones until it has its share.
 *
 * @param units the units, at least as many as parts
 * @param count number of parts
 * @param [in,out] parts part by node; receives those of the units
 */
void
DealOutHosts(const std::vector<Unit>& units, uint32_t count, std::vector<uint32_t>& parts)
{
    uint64_t total = 0;
    for (const auto& unit : units)
    {
        total += unit.hosts;
    }
    uint64_t before = 0;
    uint32_t part = 0;
    for (std::size_t i = 0; i < units.size(); ++i)
    {
        // The middle of a unit decides; no part stays empty.
        const uint64_t share = (2 * before + units[i].hosts) * count / (2 * total);
        // Only as many units are left as parts that have none.
        const bool isNeeded = count - part > units.size() - i;
        if (i > 0 && (isNeeded || share > part) && part + 1 < count)
        {
            ++part;
        }
        for (const auto node : units[i].nodes)
        {
            parts[node] = part;
        }
        before += units[i].hosts;
    }
}

/**
 * Deal out the switches, those next to the hosts first.
 *
 * @param graph the fabric
 * @param unitOf by node the first node of its unit
 * @param count number of parts
 * @param [in,out] parts part by node; receives those of switches
 */
void
DealOutSwitches(const TopologyGraph& graph,
                const std::vector<uint32_t>& unitOf,
                uint32_t count,
                std::vector<uint32_t>& parts)
{
    const auto tier = FindTiers(graph);
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> units;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        if (parts[node] == NO_PART)
        {
            // The tier comes first in the key: when a switch is dealt out, those below it are.
            units[{tier[unitOf[node]], unitOf[node]}].push_back(node);
        }
    }
    std::vector<uint64_t> load(count, 0);
    for (const auto& [key, nodes] : units)
    {
        std::vector<uint64_t> pull(count, 0);
        uint64_t rate = 0;
        for (const auto node : nodes)
        {
            for (const auto link : graph.GetLinksOf(node))
            {
                const uint32_t part = parts[graph.GetPeer(link, node)];
                rate += graph.GetLink(link).rate.GetBitRate();
                // Bit/s that a part has to it, so that fast links are not cut.
                if (part != NO_PART)
                {
                    pull[part] += graph.GetLink(link).rate.GetBitRate();
                }
            }
        }
        uint32_t best = 0;
        for (uint32_t part = 1; part < count; ++part)
        {
            // The most pull; among equals the least load, hence crosswise.
            if (std::make_tuple(pull[part], load[best]) > std::make_tuple(pull[best], load[part]))
            {
                best = part;
            }
        }
        load[best] += rate;
        for (const auto node : nodes)
        {
            parts[node] = best;
        }
    }
}

} // namespace

TopologyPartition::TopologyPartition(const TopologyGraph& graph,
                                     uint32_t parts,
                                     const SourceLocation& where)
    : m_count(parts),
      m_parts(graph.GetNNodes(), parts == 1 ? 0 : NO_PART)
{
    if (parts == 1)
    {
        return;
    }
    const auto unitOf = FindUnits(graph);
    const auto units = ListHostUnits(graph, unitOf);
    if (units.size() < parts)
    {
        throw WorkloadError(where,
                            "at most " + std::to_string(units.size()) +
                                " processes, one for each server of the topology (neither NVLink "
                                "nor a link without delay can be cut)",
                            std::to_string(parts));
    }
    DealOutHosts(units, parts, m_parts);
    DealOutSwitches(graph, unitOf, parts, m_parts);
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        const auto& properties = graph.GetLink(link);
        if (m_parts[properties.a] != m_parts[properties.b])
        {
            m_cutLinks.push_back(link);
            m_largestDelay = Max(m_largestDelay, properties.delay);
        }
    }
}

uint32_t
TopologyPartition::GetNParts() const
{
    return m_count;
}

uint32_t
TopologyPartition::GetPart(uint32_t node) const
{
    return m_parts.at(node);
}

const std::vector<uint32_t>&
TopologyPartition::GetCutLinks() const
{
    return m_cutLinks;
}

Time
TopologyPartition::GetLargestDelay() const
{
    return m_largestDelay;
}

} // namespace ns3
