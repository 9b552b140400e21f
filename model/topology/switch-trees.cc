/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "switch-trees.h"

#include "topology-servers.h"

#include <algorithm>
#include <set>

namespace ns3
{

SwitchTrees::SwitchTrees(const TopologyGraph& graph)
    : m_graph(graph),
      m_neighbours(graph.GetNNodes()),
      m_distances(graph.GetNNodes())
{
    const auto nicOf = FindNics(graph);
    const std::set<uint32_t> nics(nicOf.begin(), nicOf.end());
    const auto isSwitch = [&](uint32_t node) {
        return graph.GetNode(node).kind == TopologyGraph::SWITCH && nics.count(node) == 0;
    };
    const auto list = [&](uint32_t node, std::vector<uint32_t>& switches) {
        for (const auto link : graph.GetLinksOf(node))
        {
            const auto peer = graph.GetPeer(link, node);
            if (isSwitch(peer))
            {
                switches.push_back(peer);
            }
        }
        std::sort(switches.begin(), switches.end());
        switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
    };
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        if (isSwitch(node))
        {
            m_switches.push_back(node);
        }
        const auto rank = graph.GetNode(node).rank;
        // A host behind a NIC that is a node stands next to the switches of the NIC.
        const bool hasSharedNic = rank != TopologyGraph::NO_RANK && nicOf[rank] != node;
        list(hasSharedNic ? nicOf[rank] : node, m_neighbours[node]);
    }
}

const std::vector<uint32_t>&
SwitchTrees::GetSwitches() const
{
    return m_switches;
}

const std::vector<uint16_t>&
SwitchTrees::GetDistances(uint32_t root) const
{
    // Made on first use: only roots that are tried need a table, which has an entry for each node.
    auto& distances = m_distances[root];
    if (!distances.empty())
    {
        return distances;
    }
    distances.assign(m_graph.GetNNodes(), UNREACHABLE);
    distances[root] = 0;
    std::vector<uint32_t> found{root};
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        for (const auto next : m_neighbours[found[i]])
        {
            if (distances[next] == UNREACHABLE)
            {
                distances[next] = static_cast<uint16_t>(distances[found[i]] + 1);
                found.push_back(next);
            }
        }
    }
    return distances;
}

std::vector<uint32_t>
SwitchTrees::FindRoots(const std::vector<uint32_t>& hosts) const
{
    // Hosts at the same switches are equally far from everywhere.
    std::set<std::vector<uint32_t>> places;
    for (const auto host : hosts)
    {
        places.insert(m_neighbours[host]);
    }
    std::vector<uint32_t> roots;
    // What does not reach all hosts is no root.
    uint16_t least = UNREACHABLE - 1;
    for (const auto root : m_switches)
    {
        const auto& distances = GetDistances(root);
        uint16_t farthest = 0;
        for (const auto& switches : places)
        {
            uint16_t nearest = UNREACHABLE;
            for (const auto next : switches)
            {
                nearest = std::min(nearest, distances[next]);
            }
            farthest = std::max(farthest, nearest);
        }
        if (farthest < least)
        {
            roots.clear();
            least = farthest;
        }
        if (farthest == least)
        {
            roots.push_back(root);
        }
    }
    return roots;
}

uint32_t
SwitchTrees::ChooseNearest(const std::vector<uint32_t>& switches,
                           uint32_t root,
                           uint32_t index) const
{
    const auto& distances = GetDistances(root);
    std::vector<uint32_t> nearest;
    for (const auto next : switches)
    {
        if (!nearest.empty() && distances[next] < distances[nearest.front()])
        {
            nearest.clear();
        }
        if (nearest.empty() || distances[next] == distances[nearest.front()])
        {
            nearest.push_back(next);
        }
    }
    // The index decides among switches that are as near, so that trees of different channels use
    // different links.
    return nearest[index % nearest.size()];
}

SwitchTree
SwitchTrees::Find(const std::vector<uint32_t>& hosts, uint32_t index) const
{
    SwitchTree tree;
    if (m_graph.HostsRelay())
    {
        tree.reason = "the hosts of this topology relay packets, and there are no switches "
                      "above them that could add";
        return tree;
    }
    for (const auto host : hosts)
    {
        if (m_neighbours[host].empty())
        {
            tree.reason = m_graph.GetNode(host).name + " is linked to no switch of the network";
            return tree;
        }
    }
    const auto roots = FindRoots(hosts);
    if (roots.empty())
    {
        tree.reason = "no switch of the network reaches all of its servers by way of switches";
        return tree;
    }
    const auto root = roots[index % roots.size()];
    // In the tree from the start, so that every climb below ends here at the latest.
    tree.switches[root];
    for (const auto host : hosts)
    {
        // Climb until a switch is met that the tree has: from there to the root the path is known.
        uint32_t below = host;
        uint32_t above = ChooseNearest(m_neighbours[host], root, index);
        tree.above[host] = above;
        bool isNew = true;
        while (isNew)
        {
            isNew = tree.switches.count(above) == 0;
            tree.switches[above].children.push_back(below);
            if (isNew)
            {
                below = above;
                above = ChooseNearest(m_neighbours[below], root, index);
                tree.switches[below].parent = above;
            }
        }
    }
    for (auto& [number, node] : tree.switches)
    {
        // Ascending, whatever order the members have.
        std::sort(node.children.begin(), node.children.end());
    }
    return tree;
}

} // namespace ns3
