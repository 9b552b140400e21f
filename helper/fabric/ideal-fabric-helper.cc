/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-fabric-helper.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/ecmp-hash.h"
#include "ns3/port-groups.h"
#include "ns3/topology-servers.h"

#include <map>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param graph the fabric
 * @param host a host
 * @return rate of all its NVLinks together, bit/s; 0 = it has none
 */
uint64_t
GetNvlinkRate(const TopologyGraph& graph, uint32_t host)
{
    uint64_t rate = 0;
    for (const auto link : graph.GetLinksOf(host))
    {
        rate += graph.GetLink(link).nvlink ? graph.GetLink(link).rate.GetBitRate() : 0;
    }
    return rate;
}

/**
 * @param graph the fabric
 * @param network its ideal network
 * @return the port of each link at a host that shares one with others, by link
 */
std::map<uint32_t, uint32_t>
AddPortGroups(const TopologyGraph& graph, IdealNetwork& network)
{
    std::map<uint32_t, uint32_t> ports;
    for (const auto& group : ListPortGroups(graph))
    {
        uint64_t rate = 0;
        for (const auto link : group)
        {
            rate += graph.GetLink(link).rate.GetBitRate();
        }
        const auto port = network.AddPort(DataRate(rate));
        for (const auto link : group)
        {
            ports[link] = port;
        }
    }
    return ports;
}

} // namespace

IdealFabricHelper::Paths::Paths(const TopologyGraph& graph, const FabricEndpoints& endpoints)
    : table(graph),
      nodes(endpoints.GetNodes()),
      ports(2UL * graph.GetNLinks(), 0)
{
}

Ptr<IdealNetwork>
IdealFabricHelper::Install(const TopologyGraph& graph)
{
    return Install(graph, FabricEndpoints(graph, false));
}

Ptr<IdealNetwork>
IdealFabricHelper::Install(const TopologyGraph& graph, const FabricEndpoints& endpoints)
{
    auto network = CreateObject<IdealNetwork>();
    auto paths = Create<Paths>(graph, endpoints);
    const auto nics = FindNics(graph);
    const auto groupPorts = AddPortGroups(graph, *network);
    // NVLinks are one port at the host, and one at the NVSwitches; hosts may share a NIC.
    std::map<std::pair<uint32_t, bool>, uint32_t> nvlinkPorts;
    std::map<uint32_t, uint32_t> nicPorts;
    const auto find = [&network](auto& known, const auto& key, uint64_t rate) {
        const auto [found, isNew] = known.insert({key, 0});
        found->second = isNew ? network->AddPort(DataRate(rate)) : found->second;
        return found->second;
    };
    for (const auto node : endpoints.GetNodes())
    {
        const auto rank = graph.GetNode(node).rank;
        const bool isSwitch = rank == TopologyGraph::NO_RANK;
        const auto nic = isSwitch ? node : nics[rank];
        for (const auto link : graph.GetLinksOf(node))
        {
            auto& port = paths->ports[graph.GetDirection(link, node)];
            const auto rate = graph.GetLink(link).rate;
            const auto peer = graph.GetPeer(link, node);
            const auto host = isSwitch ? peer : node;
            if (graph.GetLink(link).nvlink && graph.GetNode(host).rank != TopologyGraph::NO_RANK)
            {
                // All NVLinks of a host are one port of their total rate: a message is spread over
                // them.
                port = find(nvlinkPorts, std::pair(host, isSwitch), GetNvlinkRate(graph, host));
            }
            else if (const auto group = groupPorts.find(link); group != groupPorts.end())
            {
                port = group->second;
            }
            else if (peer == nic)
            {
                port = find(nicPorts, nic, rate.GetBitRate());
            }
            else
            {
                port = network->AddPort(rate);
            }
        }
    }
    network->SetPathFinder(MakeBoundCallback(&IdealFabricHelper::FindPath, paths));
    m_paths = paths;
    return network;
}

uint32_t
IdealFabricHelper::GetPort(uint32_t link, uint32_t node) const
{
    return m_paths->ports.at(m_paths->table.GetGraph().GetDirection(link, node));
}

IdealPath
IdealFabricHelper::FindPath(Ptr<Paths> paths, uint32_t source, uint32_t destination)
{
    const auto& graph = paths->table.GetGraph();
    const auto from = paths->nodes.at(source);
    const auto to = paths->nodes.at(destination);
    const auto links = paths->table.GetPath(from, to, EcmpFlowHash(source, destination), 0);
    NS_ABORT_MSG_IF(links.empty(), "no path from rank " << source << " to rank " << destination);
    // Only the ports at both ends are shared; all that lies between is a delay.
    IdealPath path;
    path.sendPort = paths->ports[graph.GetDirection(links.front(), from)];
    path.receivePort = paths->ports[graph.GetDirection(links.back(), to)];
    path.delay = paths->table.GetDelay(links);
    return path;
}

} // namespace ns3
