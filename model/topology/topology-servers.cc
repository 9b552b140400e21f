/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-servers.h"

#include <algorithm>
#include <map>
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
 * @param parameters size of a server and its NICs, fewer than ranks
 * @param local a rank, counted within its server
 * @return index of its NIC
 */
uint32_t
GetSharedNic(const FabricParameters& parameters, uint32_t local)
{
    // Neighbouring ranks share a NIC; each NIC has as many as any other, or one more.
    const auto nic = uint64_t{local} * GetNicsPerServer(parameters) / parameters.gpusPerServer;
    return static_cast<uint32_t>(nic);
}

/**
 * @param parameters size of a server and its NICs, no fewer than ranks
 * @param ranks number of ranks of a server
 * @return NICs of so many of its ranks, from the first one on
 */
uint32_t
CountOwnNics(const FabricParameters& parameters, uint32_t ranks)
{
    // Rounded up, so that each rank has a NIC of its own.
    const auto product = uint64_t{ranks} * GetNicsPerServer(parameters);
    const uint32_t rest = product % parameters.gpusPerServer != 0 ? 1 : 0;
    return static_cast<uint32_t>(product / parameters.gpusPerServer) + rest;
}

/**
 * @param graph a graph
 * @param nic a node
 * @return whether it is a NIC that ranks of one server share, see FindNics()
 */
bool
IsSharedNic(const TopologyGraph& graph, uint32_t nic)
{
    if (graph.GetNode(nic).kind != TopologyGraph::SWITCH)
    {
        return false;
    }
    uint32_t hosts = 0;
    uint32_t server = TopologyGraph::NO_SERVER;
    uint64_t slowest = UINT64_MAX;
    double uplinks = 0;
    for (const auto link : graph.GetLinksOf(nic))
    {
        const auto rate = graph.GetLink(link).rate.GetBitRate();
        const auto& peer = graph.GetNode(graph.GetPeer(link, nic));
        if (peer.kind != TopologyGraph::HOST)
        {
            uplinks += static_cast<double>(rate);
            continue;
        }
        if (peer.server == TopologyGraph::NO_SERVER || (hosts > 0 && peer.server != server))
        {
            return false;
        }
        server = peer.server;
        slowest = std::min(slowest, rate);
        ++hosts;
    }
    // A NIC has several ranks, and no more uplink than each of them could use alone: else it is a
    // switch.
    return hosts > 1 && uplinks <= static_cast<double>(slowest);
}

/**
 * @param graph servers that are described
 * @param parameters what they are like
 * @return their NICs
 */
std::vector<ServerNic>
ListDescribedNics(const TopologyGraph& graph, const FabricParameters& parameters)
{
    std::vector<ServerNic> nics;
    for (uint32_t rank = 0; rank < graph.GetHosts().size(); ++rank)
    {
        const auto gpu = rank % parameters.gpusPerServer;
        // A GPU without a NIC beside it reaches the nearest one through host memory, which limits
        // its rate.
        const bool hasNic = parameters.server.FindNic(gpu).has_value();
        nics.push_back({graph.GetHosts()[rank],
                        rank / parameters.gpusPerServer,
                        parameters.server.FindNearestNic(gpu),
                        hasNic ? parameters.nicRate
                               : std::min(parameters.nicRate, parameters.hostMemoryRate)});
    }
    return nics;
}

/**
 * Join the ranks of servers by NVSwitches, and these by NVSwitches of a second level.
 *
 * @param [in,out] graph hosts
 * @param parameters size of a server, NVSwitches, rate and delay of NVLink
 */
void
AddNvlink(TopologyGraph& graph, const FabricParameters& parameters)
{
    const auto world = static_cast<uint32_t>(graph.GetHosts().size());
    const auto planes = parameters.nvSwitches;
    const auto rate = parameters.nvlinkRate.GetBitRate() / planes;
    const auto name = [planes](const std::string& kind, uint32_t index, uint32_t plane) {
        return kind + std::to_string(index) + (planes > 1 ? "-" + std::to_string(plane) : "");
    };
    // NVSwitches of each domain, those of one plane together.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> leaves;
    for (uint32_t server = 0; server < CountServers(world, parameters); ++server)
    {
        const auto first = server * parameters.gpusPerServer;
        const auto ranks = std::min(parameters.gpusPerServer, world - first);
        for (uint32_t plane = 0; plane < planes; ++plane)
        {
            // A rank alone needs no NVSwitch, unless that leads to other servers.
            if (ranks == 1 && parameters.nvlinkServers == 1)
            {
                continue;
            }
            const auto nvswitch = graph.AddNvswitch(name("nvswitch", server, plane), server);
            leaves[{server / parameters.nvlinkServers, plane}].push_back(nvswitch);
            for (uint32_t rank = first; rank < first + ranks; ++rank)
            {
                graph.AddLink(rank, nvswitch, rate, parameters.nvlinkDelay, true);
            }
        }
    }
    // Bit/s of a full server, also where one is partial: all have the same uplink.
    const auto uplink =
        static_cast<double>(rate) * parameters.gpusPerServer / parameters.nvlinkOversubscription;
    for (const auto& [key, nvswitches] : leaves)
    {
        if (nvswitches.size() == 1)
        {
            continue;
        }
        const auto spine =
            graph.AddNvswitch(name("nvspine", key.first, key.second), TopologyGraph::NO_SERVER);
        for (const auto nvswitch : nvswitches)
        {
            graph.AddLink(nvswitch,
                          spine,
                          DataRate(static_cast<uint64_t>(uplink)),
                          parameters.nvlinkDelay,
                          true);
        }
    }
}

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

/**
 * Join the ranks of servers without NVLink by the PCIe switches and CPUs that are described.
 *
 * The PCIe switches and CPUs of every server are all there, whether ranks fill it or not.
 *
 * @param [in,out] graph hosts
 * @param parameters servers, with a description
 */
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

/**
 * Add the NICs of servers that AddPcie() has joined, each as a switch behind its PCIe
 * switch.
 *
 * @param [in,out] graph the servers
 * @param parameters servers, with a description
 * @return their NICs, server after server
 */
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
CountRails(uint32_t world, const FabricParameters& parameters)
{
    const auto ranks = std::min(parameters.gpusPerServer, world);
    if (parameters.pcie)
    {
        return std::max(1U, static_cast<uint32_t>(parameters.server.nics.size()));
    }
    if (parameters.server.IsEmpty())
    {
        return CountNics(ranks, parameters);
    }
    // A NIC that is nearest to no rank carries nothing and makes no rail.
    uint32_t rails = 1;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        rails = std::max(rails, parameters.server.FindNearestNic(rank) + 1);
    }
    return rails;
}

uint32_t
CountNics(uint32_t ranks, const FabricParameters& parameters)
{
    if (parameters.pcie)
    {
        const auto nics = static_cast<uint32_t>(parameters.server.nics.size());
        return CountServers(ranks, parameters) * nics;
    }
    if (!parameters.server.IsEmpty())
    {
        return ranks;
    }
    const auto full = ranks / parameters.gpusPerServer * GetNicsPerServer(parameters);
    const auto rest = ranks % parameters.gpusPerServer;
    if (GetNicsPerServer(parameters) >= parameters.gpusPerServer)
    {
        return full + CountOwnNics(parameters, rest);
    }
    // The last NIC of a partial server is that of its last rank.
    return rest == 0 ? full : full + GetSharedNic(parameters, rest - 1) + 1;
}

TopologyGraph
MakeServers(uint32_t world, const FabricParameters& parameters)
{
    TopologyGraph graph;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        graph.AddHost("host" + std::to_string(rank), rank / parameters.gpusPerServer);
    }
    parameters.pcie ? AddPcie(graph, parameters) : AddNvlink(graph, parameters);
    return graph;
}

std::vector<ServerNic>
AddNics(TopologyGraph& graph, const FabricParameters& parameters)
{
    if (parameters.pcie)
    {
        return AddPcieNics(graph, parameters);
    }
    const auto gpus = parameters.gpusPerServer;
    const bool hasOwn = GetNicsPerServer(parameters) >= gpus;
    const auto world = static_cast<uint32_t>(graph.GetHosts().size());
    if (!parameters.server.IsEmpty())
    {
        return ListDescribedNics(graph, parameters);
    }
    std::vector<ServerNic> nics;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        const auto host = graph.GetHosts()[rank];
        const auto server = rank / gpus;
        const auto local = rank % gpus;
        if (hasOwn)
        {
            // The NICs of the ranks up to this one, but for those of the ranks before it.
            const auto end = CountOwnNics(parameters, local + 1);
            for (auto index = CountOwnNics(parameters, local); index < end; ++index)
            {
                nics.push_back({host, server, index, parameters.nicRate});
            }
            continue;
        }
        const auto index = GetSharedNic(parameters, local);
        const bool isFirst = local == 0 || GetSharedNic(parameters, local - 1) != index;
        const bool isLast = local + 1 == gpus || GetSharedNic(parameters, local + 1) != index;
        // A NIC of one rank alone is a port of the host, one of several is a node.
        if (isFirst)
        {
            const auto name = "server" + std::to_string(server) + "-nic" + std::to_string(index);
            nics.push_back(
                {isLast ? host : graph.AddSwitch(name), server, index, parameters.nicRate});
        }
        if (!(isFirst && isLast))
        {
            graph.AddLink(host, nics.back().node, parameters.nicRate, parameters.nvlinkDelay);
        }
    }
    return nics;
}

std::vector<uint32_t>
FindNics(const TopologyGraph& graph)
{
    std::vector<uint32_t> nics;
    std::map<uint32_t, bool> isShared;
    for (const auto host : graph.GetHosts())
    {
        nics.push_back(host);
        for (const auto link : graph.GetLinksOf(host))
        {
            const auto peer = graph.GetPeer(link, host);
            // A switch or NIC of many hosts is looked at once.
            const auto [found, isNew] = isShared.insert({peer, false});
            if (isNew)
            {
                found->second = IsSharedNic(graph, peer);
            }
            if (found->second)
            {
                nics.back() = peer;
            }
        }
    }
    return nics;
}

} // namespace ns3
