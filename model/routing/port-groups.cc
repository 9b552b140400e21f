/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-groups.h"

#include "ecmp-hash.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief How far all hosts are from a switch, as one number: equal for switches that are as far
 * from each of them.
 */
class DistanceSignatures
{
  public:
    /**
     * @param graph a fabric whose hosts do not relay
     */
    explicit DistanceSignatures(const TopologyGraph& graph);

    /**
     * @param node a switch
     * @return its number, the same for switches that are alike
     */
    uint64_t Get(uint32_t node);

  private:
    /**
     * @param node a switch
     * @return hops to each node over switches; UINT32_MAX = there is no path
     */
    std::vector<uint32_t> FindDistances(uint32_t node) const;

    const TopologyGraph& m_graph;                 //!< the fabric
    std::set<std::vector<uint32_t>> m_neighbours; //!< switches that hosts are linked to
    std::map<uint32_t, uint64_t> m_known;         //!< numbers by switch
};

DistanceSignatures::DistanceSignatures(const TopologyGraph& graph)
    : m_graph(graph)
{
    // A set: hosts at the same switches are equally far from all, and count once.
    for (const auto host : graph.GetHosts())
    {
        std::vector<uint32_t> switches;
        for (const auto link : graph.GetLinksOf(host))
        {
            switches.push_back(graph.GetPeer(link, host));
        }
        std::sort(switches.begin(), switches.end());
        m_neighbours.insert(std::move(switches));
    }
}

std::vector<uint32_t>
DistanceSignatures::FindDistances(uint32_t node) const
{
    std::vector<uint32_t> hops(m_graph.GetNNodes(), UINT32_MAX);
    std::vector<uint32_t> reached{node};
    hops[node] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        for (const auto link : m_graph.GetLinksOf(reached[i]))
        {
            const auto next = m_graph.GetPeer(link, reached[i]);
            if (hops[next] == UINT32_MAX && m_graph.GetNode(next).kind != TopologyGraph::HOST)
            {
                hops[next] = hops[reached[i]] + 1;
                reached.push_back(next);
            }
        }
    }
    return hops;
}

uint64_t
DistanceSignatures::Get(uint32_t node)
{
    const auto [found, isNew] = m_known.insert({node, 0});
    if (!isNew)
    {
        return found->second;
    }
    const auto hops = FindDistances(node);
    for (const auto& switches : m_neighbours)
    {
        uint32_t nearest = UINT32_MAX;
        for (const auto neighbour : switches)
        {
            nearest = std::min(nearest, hops[neighbour]);
        }
        // Equal sequences of distances give equal numbers. Different ones collide with a
        // probability of 2^-64 for each pair.
        found->second = EcmpMix(found->second ^ nearest);
    }
    return found->second;
}

} // namespace

std::vector<std::vector<uint32_t>>
ListPortGroups(const TopologyGraph& graph)
{
    std::vector<std::vector<uint32_t>> groups;
    // Where hosts relay, distances over switches do not show which ports are alike; ports of a
    // rotor differ by their slots.
    if (graph.HostsRelay() || graph.GetSlotCycle().count > 0)
    {
        return groups;
    }
    DistanceSignatures signatures(graph);
    for (const auto host : graph.GetHosts())
    {
        std::vector<uint32_t> ports;
        for (const auto link : graph.GetLinksOf(host))
        {
            if (!graph.GetLink(link).nvlink)
            {
                ports.push_back(link);
            }
        }
        std::map<uint64_t, std::vector<uint32_t>> alike;
        // A host with one port has no choice between ports.
        for (std::size_t i = 0; ports.size() > 1 && i < ports.size(); ++i)
        {
            alike[signatures.Get(graph.GetPeer(ports[i], host))].push_back(ports[i]);
        }
        std::vector<std::vector<uint32_t>> own;
        for (const auto& [signature, links] : alike)
        {
            if (links.size() > 1)
            {
                own.push_back(links);
            }
        }
        // In the order of the ports: the order of the signatures is that of a hash.
        std::sort(own.begin(), own.end());
        groups.insert(groups.end(), own.begin(), own.end());
    }
    return groups;
}

} // namespace ns3
