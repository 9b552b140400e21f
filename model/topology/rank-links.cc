/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-links.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param graph a fabric
 * @return the rank that each node stands for: that of a host, or of the one host at a switch;
 *         none = some node stands for none
 */
std::vector<uint32_t>
FindRanks(const TopologyGraph& graph)
{
    std::vector<uint32_t> ranks;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        ranks.push_back(graph.GetNode(node).rank);
    }
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto& a = graph.GetNode(link.a);
        const auto& b = graph.GetNode(link.b);
        const bool isAttached = (a.kind == TopologyGraph::HOST) != (b.kind == TopologyGraph::HOST);
        const auto rank = a.kind == TopologyGraph::HOST ? a.rank : b.rank;
        auto& own = ranks[a.kind == TopologyGraph::HOST ? link.b : link.a];
        // Two hosts at one switch are no neighbours by a link of their own.
        if (isAttached && own != TopologyGraph::NO_RANK && own != rank)
        {
            return {};
        }
        own = isAttached ? rank : own;
    }
    const bool areAll =
        std::find(ranks.begin(), ranks.end(), TopologyGraph::NO_RANK) == ranks.end();
    return areAll ? ranks : std::vector<uint32_t>();
}

} // namespace

RankLinks
FindRankLinks(const TopologyGraph& graph)
{
    const auto ranks = FindRanks(graph);
    if (ranks.empty() || graph.GetSlotCycle().count > 0)
    {
        return {};
    }
    RankLinks neighbours(graph.GetHosts().size());
    // Switches that a rank has beside those of others: with two of them it has no place of its own.
    std::vector<uint32_t> switches(neighbours.size());
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        switches[ranks[node]] += graph.GetNode(node).kind == TopologyGraph::HOST ? 0 : 1;
    }
    const bool isAttached = switches.front() > 0;
    if (std::any_of(switches.begin(), switches.end(), [isAttached](auto count) {
            return count != (isAttached ? 1U : 0U);
        }))
    {
        return {};
    }
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto a = ranks[link.a];
        const auto b = ranks[link.b];
        if (a != b)
        {
            neighbours[a].push_back(b);
            neighbours[b].push_back(a);
        }
    }
    for (auto& own : neighbours)
    {
        std::sort(own.begin(), own.end());
    }
    return neighbours;
}

} // namespace ns3
