/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-servers.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param parameters size of a server and its NICs
 * @return number of NICs of a full server
 */
uint32_t
GetNicsPerServer(const FabricParameters& parameters)
{
    return parameters.nicsPerServer == 0 ? parameters.gpusPerServer : parameters.nicsPerServer;
}

/**
 * @param parameters size of a server and its NICs
 * @return ranks that share a NIC; 1 = every rank has one or several NICs of its own
 */
uint32_t
GetRanksPerNic(const FabricParameters& parameters)
{
    return std::max(1U, parameters.gpusPerServer / GetNicsPerServer(parameters));
}

/**
 * @param parameters size of a server and its NICs
 * @return NICs of a rank; 1 = a NIC of its own, or one that it shares
 */
uint32_t
GetNicsPerRank(const FabricParameters& parameters)
{
    return std::max(1U, GetNicsPerServer(parameters) / parameters.gpusPerServer);
}

} // namespace

uint32_t
DivideUp(uint32_t dividend, uint32_t divisor)
{
    return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

uint32_t
CountServers(uint32_t world, const FabricParameters& parameters)
{
    return DivideUp(world, parameters.gpusPerServer);
}

uint32_t
CountNics(uint32_t ranks, const FabricParameters& parameters)
{
    const auto full = ranks / parameters.gpusPerServer;
    const auto rest = ranks % parameters.gpusPerServer;
    return full * GetNicsPerServer(parameters) +
           DivideUp(rest, GetRanksPerNic(parameters)) * GetNicsPerRank(parameters);
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

std::vector<ServerNic>
AddNics(TopologyGraph& graph, const FabricParameters& parameters)
{
    const auto sharing = GetRanksPerNic(parameters);
    const auto own = GetNicsPerRank(parameters);
    const auto world = static_cast<uint32_t>(graph.GetHosts().size());
    std::vector<ServerNic> nics;
    uint32_t shared = 0;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        const auto host = graph.GetHosts()[rank];
        const auto server = rank / parameters.gpusPerServer;
        const auto local = rank % parameters.gpusPerServer;
        if (sharing == 1)
        {
            for (uint32_t i = 0; i < own; ++i)
            {
                nics.push_back({host, server, local * own + i});
            }
            continue;
        }
        const auto index = local / sharing;
        if (local % sharing == 0)
        {
            shared =
                graph.AddSwitch("server" + std::to_string(server) + "-nic" + std::to_string(index));
            nics.push_back({shared, server, index});
        }
        graph.AddLink(host, shared, parameters.nicRate, parameters.nvlinkDelay);
    }
    return nics;
}

} // namespace ns3
