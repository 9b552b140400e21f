/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-servers.h"

#include <algorithm>
#include <string>

namespace ns3
{

uint32_t
CountServers(uint32_t world, const FabricParameters& parameters)
{
    return world / parameters.gpusPerServer + (world % parameters.gpusPerServer != 0 ? 1 : 0);
}

TopologyGraph
MakeServers(uint32_t world, const FabricParameters& parameters)
{
    TopologyGraph graph;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        graph.AddHost("host" + std::to_string(rank), rank / parameters.gpusPerServer);
    }
    const auto servers = CountServers(world, parameters);
    for (uint32_t server = 0; server < servers; ++server)
    {
        const auto first = server * parameters.gpusPerServer;
        const auto ranks = std::min(parameters.gpusPerServer, world - first);
        if (ranks == 1)
        {
            continue;
        }
        const auto nvswitch = graph.AddNvswitch("nvswitch" + std::to_string(server), server);
        for (uint32_t rank = first; rank < first + ranks; ++rank)
        {
            graph.AddLink(rank, nvswitch, parameters.nvlinkRate, parameters.nvlinkDelay, true);
        }
    }
    return graph;
}

} // namespace ns3
