/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-endpoints.h"

#include "switch-trees.h"

#include "ns3/assert.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param graph the fabric
 * @param node an NVSwitch
 * @param hosts hosts of its server
 * @return true if it is linked to all of them
 */
bool
LinksAll(const TopologyGraph& graph, uint32_t node, const std::vector<uint32_t>& hosts)
{
    std::set<uint32_t> linked;
    for (const auto link : graph.GetLinksOf(node))
    {
        linked.insert(graph.GetPeer(link, node));
    }
    return std::all_of(hosts.begin(), hosts.end(), [&linked](uint32_t host) {
        return linked.count(host) > 0;
    });
}

} // namespace

FabricEndpoints::FabricEndpoints(const TopologyGraph& graph, bool withSwitches, bool withNetwork)
    : m_nodes(graph.GetHosts()),
      m_switches(graph.GetHosts().size())
{
    NS_ASSERT_MSG(withSwitches || !withNetwork, "addresses are those of NVSwitches first");
    if (withSwitches)
    {
        AddNvswitches(graph);
    }
    m_firstNetworkSwitch = static_cast<uint32_t>(m_nodes.size());
    if (withNetwork)
    {
        const auto switches = SwitchTrees(graph).GetSwitches();
        m_nodes.insert(m_nodes.end(), switches.begin(), switches.end());
    }
}

void
FabricEndpoints::AddNvswitches(const TopologyGraph& graph)
{
    std::map<uint32_t, std::vector<uint32_t>> hosts;
    for (const auto host : graph.GetHosts())
    {
        hosts[graph.GetNode(host).server].push_back(host);
    }
    std::map<uint32_t, std::vector<uint32_t>> switches;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto& properties = graph.GetNode(node);
        if (properties.kind == TopologyGraph::NVSWITCH &&
            properties.server != TopologyGraph::NO_SERVER)
        {
            switches[properties.server].push_back(node);
        }
    }
    for (const auto& [server, nodes] : switches)
    {
        const auto& members = hosts[server];
        const auto first = static_cast<uint32_t>(m_nodes.size());
        // Addresses of a server's NVSwitches stand in a row. One that does not link all hosts
        // cannot add up for all.
        std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(m_nodes), [&](uint32_t node) {
            return members.size() > 1 && LinksAll(graph, node, members);
        });
        for (const auto host : members)
        {
            m_switches[graph.GetNode(host).rank] = {first,
                                                    static_cast<uint32_t>(m_nodes.size()) - first};
        }
    }
}

const std::vector<uint32_t>&
FabricEndpoints::GetNodes() const
{
    return m_nodes;
}

uint32_t
FabricEndpoints::GetNHosts() const
{
    return static_cast<uint32_t>(m_switches.size());
}

uint32_t
FabricEndpoints::GetFirstNetworkSwitch() const
{
    return m_firstNetworkSwitch;
}

const std::vector<FabricEndpoints::Range>&
FabricEndpoints::GetSwitches() const
{
    return m_switches;
}

std::string
FabricEndpoints::Describe(const TopologyGraph& graph, uint32_t address) const
{
    return address < GetNHosts() ? "rank " + std::to_string(address)
                                 : graph.GetNode(m_nodes.at(address)).name;
}

} // namespace ns3
