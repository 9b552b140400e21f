/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pcie-servers.h"

#include <algorithm>
#include <map>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param server a server
 * @param kind what stands in it
 * @param index which of its kind
 * @return name of it
 */
std::string
NameInServer(uint32_t server, const std::string& kind, uint32_t index)
{
    return "server" + std::to_string(server) + "-" + kind + std::to_string(index);
}

} // namespace

void
AddPcie(TopologyGraph& graph, const FabricParameters& parameters)
{
    const auto world = static_cast<uint32_t>(graph.GetHosts().size());
    const auto& layout = parameters.server;
    std::map<uint32_t, uint32_t> cpuOf;
    for (const auto* places : {&layout.gpus, &layout.nics})
    {
        for (const auto& place : *places)
        {
            cpuOf[place.bridge] = place.cpu;
        }
    }
    for (uint32_t server = 0; server < CountServers(world, parameters); ++server)
    {
        const auto add = [&](const std::string& kind, uint32_t index) {
            return graph.AddSwitch(NameInServer(server, kind, index));
        };
        const auto connect = [&](uint32_t a, uint32_t b, DataRate rate) {
            graph.AddLink(a, b, rate, parameters.nvlinkDelay);
        };
        std::map<uint32_t, uint32_t> bridges;
        std::map<uint32_t, uint32_t> cpus;
        for (const auto& [bridge, cpu] : cpuOf)
        {
            bridges[bridge] = add("pcie", bridge);
        }
        for (const auto& [bridge, cpu] : cpuOf)
        {
            if (cpus.count(cpu) == 0)
            {
                const auto node = add("cpu", cpu);
                // CPUs of a server are linked each to each.
                for (const auto& [other, otherNode] : cpus)
                {
                    connect(otherNode, node, parameters.socketRate);
                }
                cpus[cpu] = node;
            }
            connect(bridges[bridge], cpus[cpu], parameters.pcieRate);
        }
        const auto first = server * parameters.gpusPerServer;
        const auto end = std::min(first + parameters.gpusPerServer, world);
        for (uint32_t rank = first; rank < end; ++rank)
        {
            connect(rank, bridges[layout.gpus[rank - first].bridge], parameters.pcieRate);
        }
    }
}

std::vector<ServerNic>
AddPcieNics(TopologyGraph& graph, const FabricParameters& parameters)
{
    const auto world = static_cast<uint32_t>(graph.GetHosts().size());
    // PCIe switches are found by the names that AddPcie() has given them.
    std::map<std::string, uint32_t> nodes;
    for (uint32_t node = world; node < graph.GetNNodes(); ++node)
    {
        nodes[graph.GetNode(node).name] = node;
    }
    std::vector<ServerNic> nics;
    const auto& places = parameters.server.nics;
    for (uint32_t server = 0; server < CountServers(world, parameters); ++server)
    {
        for (uint32_t index = 0; index < places.size(); ++index)
        {
            const auto nic = graph.AddSwitch(NameInServer(server, "nic", index));
            graph.AddLink(nic,
                          nodes.at(NameInServer(server, "pcie", places[index].bridge)),
                          parameters.pcieRate,
                          parameters.nvlinkDelay);
            nics.push_back({nic, server, index, parameters.nicRate});
        }
    }
    return nics;
}

} // namespace ns3
