/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "clos-topology.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

uint32_t
ClosShape::GetLeaf(const ServerNic& nic, uint32_t position) const
{
    return interleaved ? nic.server % leaves : position / hostsPerLeaf;
}

ClosShape
PlanClos(const TopologySpec& spec,
         uint32_t world,
         const FabricParameters& parameters,
         DataRate portRate)
{
    ClosShape shape;
    shape.interleaved = spec.GetWord("placement", {"block", "interleaved"}) == "interleaved";
    const auto servers = CountServers(world, parameters);
    const auto nics = CountNics(world, parameters);
    // A world smaller than a server has a single, partial server.
    const auto perServer = CountNics(std::min(parameters.gpusPerServer, world), parameters);
    auto serversPerLeaf = std::max(1U, CLOS_HOSTS_PER_LEAF / perServer);
    if (spec.Has("leaves"))
    {
        serversPerLeaf = DivideUp(servers, spec.GetCount("leaves", 1));
    }
    shape.hostsPerLeaf = spec.GetCount("hostsPerLeaf", serversPerLeaf * perServer);
    const auto needed = shape.interleaved
                            ? DivideUp(servers, std::max(1U, shape.hostsPerLeaf / perServer))
                            : DivideUp(nics, shape.hostsPerLeaf);
    shape.leaves = spec.GetCount("leaves", needed);

    const auto capacity = static_cast<uint64_t>(shape.leaves) * shape.hostsPerLeaf;
    if (capacity < nics)
    {
        throw spec.MakeError("room for " + std::to_string(nics) + " NICs",
                             std::to_string(shape.leaves) + " leaves x " +
                                 std::to_string(shape.hostsPerLeaf) +
                                 " NICs per leaf = " + std::to_string(capacity));
    }
    const auto fullest = DivideUp(servers, shape.leaves) * perServer;
    if (shape.interleaved && fullest > shape.hostsPerLeaf)
    {
        throw spec.MakeError("at least " + std::to_string(fullest) + " NICs per leaf for " +
                                 std::to_string(servers) + " servers of " +
                                 std::to_string(perServer) + " interleaved over " +
                                 std::to_string(shape.leaves) + " leaves",
                             std::to_string(shape.hostsPerLeaf));
    }
    shape.uplinks = PlanUplinks(spec, {shape.leaves, shape.hostsPerLeaf, portRate}, 0);
    return shape;
}

TopologyGraph
BuildClosTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto shape = PlanClos(spec, world, parameters, parameters.nicRate);
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    const auto nics = AddNics(graph, parameters);
    std::vector<uint32_t> leaves;
    for (uint32_t leaf = 0; leaf < shape.leaves; ++leaf)
    {
        leaves.push_back(graph.AddSwitch("leaf" + std::to_string(leaf)));
    }
    for (uint32_t i = 0; i < nics.size(); ++i)
    {
        graph.AddLink(nics[i].node,
                      leaves[shape.GetLeaf(nics[i], i)],
                      parameters.nicRate,
                      parameters.linkDelay);
    }
    AddSpines(graph, leaves, shape.uplinks, parameters.linkDelay);
    return graph;
}

} // namespace ns3
