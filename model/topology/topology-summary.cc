/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-summary.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>

namespace ns3
{

namespace
{

/// Links that the searches for the diameter may look at: about a second.
constexpr uint64_t MAX_LOOKS = 200000000;

/**
 * Choose hosts that stand for all others: hosts linked to the same nodes are equally far from the
 * rest.
 *
 * @param graph a graph
 * @return hosts, by rank
 */
std::vector<uint32_t>
ChooseHosts(const TopologyGraph& graph)
{
    std::set<std::vector<uint32_t>> seen;
    std::vector<uint32_t> chosen;
    for (const auto host : graph.GetHosts())
    {
        std::vector<uint32_t> peers;
        for (const auto link : graph.GetLinksOf(host))
        {
            peers.push_back(graph.GetPeer(link, host));
        }
        std::sort(peers.begin(), peers.end());
        peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
        if (seen.insert(peers).second)
        {
            chosen.push_back(host);
        }
    }
    return chosen;
}

/**
 * @param graph a graph
 * @param source a host
 * @return most links on a shortest path from it to a host
 */
uint32_t
FindEccentricity(const TopologyGraph& graph, uint32_t source)
{
    std::vector<uint32_t> distance(graph.GetNNodes(), UINT32_MAX);
    distance[source] = 0;
    std::vector<uint32_t> queue{source};
    uint32_t farthest = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        const auto node = queue[i];
        const bool isHost = graph.GetNode(node).kind == TopologyGraph::HOST;
        // Breadth first, so that the last host reached is the farthest.
        farthest = isHost ? distance[node] : farthest;
        // A path ends at a host that does not relay.
        if (isHost && node != source && !graph.HostsRelay())
        {
            continue;
        }
        for (const auto link : graph.GetLinksOf(node))
        {
            const auto peer = graph.GetPeer(link, node);
            if (distance[peer] == UINT32_MAX)
            {
                distance[peer] = distance[node] + 1;
                queue.push_back(peer);
            }
        }
    }
    return farthest;
}

} // namespace

TopologySummary::TopologySummary(const TopologyGraph& graph)
    : bisection(BisectTopology(graph))
{
    CountNodes(graph);
    CountLinks(graph);
    FindDiameter(graph);
}

void
TopologySummary::CountNodes(const TopologyGraph& graph)
{
    std::map<uint32_t, uint32_t> hostsOf;
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const auto& node = graph.GetNode(i);
        const auto ports = static_cast<uint32_t>(graph.GetLinksOf(i).size());
        switch (node.kind)
        {
        case TopologyGraph::HOST:
            ++hosts;
            if (node.server != TopologyGraph::NO_SERVER)
            {
                ++hostsOf[node.server];
            }
            break;
        case TopologyGraph::SWITCH:
            ++switches;
            ++switchSizes[ports];
            switchPorts += ports;
            break;
        case TopologyGraph::NVSWITCH:
            ++nvswitches;
            ++nvswitchSizes[ports];
            nvswitchPorts += ports;
            break;
        }
    }
    servers = static_cast<uint32_t>(hostsOf.size());
    for (const auto& [server, size] : hostsOf)
    {
        ++serverSizes[size];
    }
}

void
TopologySummary::CountLinks(const TopologyGraph& graph)
{
    using Kind = TopologyGraph::NodeKind;
    // Rates are counted down, so that the highest comes first.
    std::map<std::tuple<Kind, Kind, bool, uint64_t>, uint32_t> counts;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto a = graph.GetNode(link.a).kind;
        const auto b = graph.GetNode(link.b).kind;
        ++counts[{std::min(a, b), std::max(a, b), link.nvlink, ~link.rate.GetBitRate()}];
        lossyLinks += link.lossRate > 0 ? 1 : 0;
        for (const auto kind : {a, b})
        {
            nicPorts += kind == TopologyGraph::HOST && !link.nvlink ? 1 : 0;
        }
    }
    for (const auto& [key, count] : counts)
    {
        const auto& [low, high, nvlink, rate] = key;
        links.push_back({low, high, nvlink, DataRate(~rate), count});
    }
}

void
TopologySummary::FindDiameter(const TopologyGraph& graph)
{
    const auto sources = ChooseHosts(graph);
    // A search looks at each link from both ends. Of too many sources every step-th is taken.
    const auto looks = 2 * static_cast<uint64_t>(std::max(1U, graph.GetNLinks()));
    const auto most = std::max<std::size_t>(1, MAX_LOOKS / looks);
    const auto step = (sources.size() + most - 1) / most;
    isDiameterExact = step <= 1;
    for (std::size_t i = 0; i < sources.size(); i += step)
    {
        diameter = std::max(diameter, FindEccentricity(graph, sources[i]));
    }
}

} // namespace ns3
