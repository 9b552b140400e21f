/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-tools.h"

#include "ns3/fabric-parameters.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-spec.h"

#include <algorithm>

namespace ns3
{

TopologyGraph
BuildTopology(const std::string& text,
              uint32_t world,
              uint32_t gpusPerServer,
              uint32_t nicsPerServer)
{
    FabricParameters parameters;
    parameters.gpusPerServer = gpusPerServer;
    parameters.nicsPerServer = nicsPerServer;
    return TopologyBuilder::Build(TopologySpec(text), world, parameters);
}

uint32_t
CountNodes(const TopologyGraph& graph, const std::string& part)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        count += graph.GetNode(node).name.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
}

uint32_t
FindNode(const TopologyGraph& graph, const std::string& name)
{
    uint32_t node = 0;
    while (graph.GetNode(node).name != name)
    {
        ++node;
    }
    return node;
}

std::string
PeersOf(const TopologyGraph& graph, uint32_t node)
{
    std::string names;
    for (const auto link : graph.GetLinksOf(node))
    {
        names += (names.empty() ? "" : " ") + graph.GetNode(graph.GetPeer(link, node)).name;
    }
    return names;
}

uint32_t
CountPaths(const EcmpRouteTable& table, uint32_t from, uint32_t to)
{
    uint32_t paths = from == to ? 1 : 0;
    for (const auto link : table.GetNextLinks(from, to))
    {
        paths += CountPaths(table, table.GetGraph().GetPeer(link, from), to);
    }
    return paths;
}

uint32_t
GetDiameter(const EcmpRouteTable& table)
{
    uint32_t most = 0;
    for (const auto from : table.GetGraph().GetHosts())
    {
        for (const auto to : table.GetGraph().GetHosts())
        {
            most = std::max(most, table.GetHopCount(from, to));
        }
    }
    return most;
}

double
GetOversubscription(const TopologyGraph& graph, uint32_t node)
{
    double down = 0;
    double up = 0;
    for (const auto link : graph.GetLinksOf(node))
    {
        const bool isHost = graph.GetNode(graph.GetPeer(link, node)).kind == TopologyGraph::HOST;
        (isHost ? down : up) += static_cast<double>(graph.GetLink(link).rate.GetBitRate());
    }
    return down / up;
}

} // namespace ns3
