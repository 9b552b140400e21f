/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"
#include "topology-servers.h"

#include <string>
#include <vector>

namespace ns3
{

TopologyGraph
BuildRingTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    spec.CheckUnusedKeys();
    if (parameters.nicsPerServer != 0 && parameters.nicsPerServer < parameters.gpusPerServer)
    {
        throw spec.MakeError("a NIC per rank for a ring, in which ranks relay",
                             "nicsPerServer " + std::to_string(parameters.nicsPerServer) +
                                 " with gpusPerServer " + std::to_string(parameters.gpusPerServer));
    }
    auto graph = MakeServers(world, parameters);
    std::vector<std::vector<uint32_t>> rings;
    for (const auto& nic : AddNics(graph, parameters))
    {
        if (nic.index >= rings.size())
        {
            rings.resize(nic.index + 1);
        }
        rings[nic.index].push_back(nic.node);
    }
    for (const auto& ring : rings)
    {
        // Around a ring of two, the second link would double the first.
        const auto links = ring.size() > 2 ? ring.size() : ring.size() - 1;
        for (std::size_t i = 0; i < links; ++i)
        {
            graph.AddLink(ring[i],
                          ring[(i + 1) % ring.size()],
                          parameters.nicRate,
                          parameters.GetDirectDelay());
        }
    }
    return graph;
}

/// See BuildRingTopology().
DEFINE_TOPOLOGY_GENERATOR(
    RingTopology,
    BuildRingTopology,
    bool HasRelayingRanks() const override { return true; });

NS_STRATEGY_ENSURE_REGISTERED(RingTopology,
                              "ring",
                              "NIC i of every server linked to NIC i of the next, no switches "
                              "but the servers' own",
                              9);

} // namespace ns3
