/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "spare-paths.h"

#include "ns3/ecmp-route-table.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/// Sets of links that shortest paths may take next, each once.
using NextLinks = std::set<std::vector<uint32_t>>;

/**
 * @param graph the fabric
 * @return links from each node to the nearest host, by node; UINT32_MAX = none leads there
 */
std::vector<uint32_t>
FindLevels(const TopologyGraph& graph)
{
    auto reached = graph.GetHosts();
    std::vector<uint32_t> levels(graph.GetNNodes(), UINT32_MAX);
    for (const auto host : reached)
    {
        levels[host] = 0;
    }
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        const auto node = reached[i];
        for (const auto link : graph.GetLinksOf(node))
        {
            const auto peer = graph.GetPeer(link, node);
            if (levels[peer] == UINT32_MAX)
            {
                levels[peer] = levels[node] + 1;
                reached.push_back(peer);
            }
        }
    }
    return levels;
}

/**
 * @param graph the fabric
 * @param host a host
 * @return what it is linked to, but NVSwitches unless there is nothing else
 */
std::vector<uint32_t>
ListSwitches(const TopologyGraph& graph, uint32_t host)
{
    std::vector<uint32_t> ofNetwork;
    std::vector<uint32_t> ofServer;
    for (const auto link : graph.GetLinksOf(host))
    {
        (graph.GetLink(link).nvlink ? ofServer : ofNetwork).push_back(graph.GetPeer(link, host));
    }
    return ofNetwork.empty() ? ofServer : ofNetwork;
}

/**
 * @param graph the fabric
 * @return links that shortest paths to hosts may take next, by node, but for hosts that do not
 *         relay
 */
std::map<uint32_t, NextLinks>
ListNextLinks(const TopologyGraph& graph)
{
    const EcmpRouteTable routes(graph);
    std::set<std::vector<uint32_t>> places;
    std::map<uint32_t, NextLinks> next;
    for (const auto host : graph.GetHosts())
    {
        // Paths of the network to hosts of the same switches are alike: of a large fabric there are
        // far fewer places than hosts.
        if (!places.insert(ListSwitches(graph, host)).second)
        {
            continue;
        }
        for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
        {
            const bool forwards =
                graph.HostsRelay() || graph.GetNode(node).kind != TopologyGraph::HOST;
            const auto links = routes.GetNextLinks(node, host);
            if (node != host && forwards && links.size() > 0)
            {
                next[node].emplace(links.begin(), links.end());
            }
        }
    }
    return next;
}

} // namespace

bool
HasDetours(const TopologyGraph& graph)
{
    const auto levels = FindLevels(graph);
    std::set<uint32_t> joined;
    std::size_t links = 0;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto isSwitch = graph.GetNode(link.a).kind == TopologyGraph::SWITCH;
        if (isSwitch && levels[link.a] == levels[link.b])
        {
            joined.insert({link.a, link.b});
            ++links;
        }
    }
    // Fewer links than nodes join them in chains and trees.
    return links > 0 && links >= joined.size();
}

bool
HasEqualPaths(const TopologyGraph& graph)
{
    const auto all = ListNextLinks(graph);
    return std::any_of(all.begin(), all.end(), [](const auto& of) {
        return std::any_of(of.second.begin(), of.second.end(), [](const auto& links) {
            return links.size() > 1;
        });
    });
}

EqualLinks
ListEqualLinks(const TopologyGraph& graph)
{
    EqualLinks equal;
    if (graph.HostsRelay())
    {
        return equal;
    }
    for (const auto& [node, sets] : ListNextLinks(graph))
    {
        // In how many sets each link is.
        std::map<uint32_t, uint32_t> uses;
        for (const auto& links : sets)
        {
            for (const auto link : links)
            {
                ++uses[link];
            }
        }
        for (const auto& links : sets)
        {
            // What goes to other hosts by some of the links alone is not spread over all.
            if (links.size() > 1 && std::all_of(links.begin(), links.end(), [&uses](uint32_t link) {
                    return uses[link] == 1;
                }))
            {
                equal.emplace_back();
                for (const auto link : links)
                {
                    equal.back().push_back(graph.GetDirection(link, node));
                }
            }
        }
    }
    return equal;
}

} // namespace ns3
