/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dual-port-topology.h"

#include "clos-topology.h"
#include "topology-servers.h"
#include "topology-uplinks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Ports of a NIC.
constexpr uint32_t PORTS = 2;

/**
 * Build the servers and, for either port of their NICs, the leaves that it leads to and their
 * spines.
 *
 * @param spec the keys
 * @param world number of ranks
 * @param parameters servers and links
 * @param apart whether either port has spines of its own
 * @return the graph
 */
TopologyGraph
BuildDualPort(const TopologySpec& spec,
              uint32_t world,
              const FabricParameters& parameters,
              bool apart)
{
    const DataRate half(std::max<uint64_t>(1, parameters.nicRate.GetBitRate() / PORTS));
    const auto portRate = spec.GetRate("portRate", half);
    const auto shape = PlanClos(spec, world, parameters, portRate);
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    const auto nics = AddNics(graph, parameters);
    std::vector<uint32_t> leaves;
    for (uint32_t port = 0; port < PORTS; ++port)
    {
        const auto number = std::to_string(port);
        const auto first = leaves.size();
        for (uint32_t i = 0; i < shape.leaves; ++i)
        {
            const auto leaf = "leaf" + std::to_string(i);
            leaves.push_back(
                graph.AddSwitch(apart ? "plane" + number + "-" + leaf : leaf + "-tor" + number));
        }
        for (uint32_t i = 0; i < nics.size(); ++i)
        {
            const auto leaf = leaves[first + shape.GetLeaf(nics[i], i)];
            graph.AddLink(nics[i].node, leaf, portRate, parameters.linkDelay);
        }
        if (apart)
        {
            AddSpines(graph, leaves, shape.uplinks, parameters.linkDelay, "plane" + number + "-");
            leaves.clear();
        }
    }
    if (!apart)
    {
        AddSpines(graph, leaves, shape.uplinks, parameters.linkDelay);
    }
    return graph;
}

} // namespace

TopologyGraph
BuildDualPlaneTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    return BuildDualPort(spec, world, parameters, true);
}

TopologyGraph
BuildDualTorTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    return BuildDualPort(spec, world, parameters, false);
}

} // namespace ns3
