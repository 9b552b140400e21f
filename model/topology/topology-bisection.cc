/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-bisection.h"

#include "max-flow.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Vertex of all hosts of the first half; that of the second half follows.
constexpr uint32_t FIRST = 0;

/// Vertex of all hosts of the second half.
constexpr uint32_t SECOND = 1;

/**
 * Choose how many ranks the first half has.
 *
 * @param graph a graph of at least two hosts
 * @param [out] bisection the halves
 */
void
CutHosts(const TopologyGraph& graph, TopologyBisection& bisection)
{
    const auto& hosts = graph.GetHosts();
    const auto n = static_cast<uint32_t>(hosts.size());
    std::map<uint32_t, uint32_t> lastRank;
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        lastRank[graph.GetNode(hosts[rank]).server] = rank;
    }
    // Twice the distance from the middle, so that an odd number of ranks needs no fractions.
    const auto distance = [n](uint32_t cut) { return 2 * cut > n ? 2 * cut - n : n - 2 * cut; };
    // No cut yet: the distance of 0 is the largest.
    uint32_t best = 0;
    uint32_t last = 0;
    for (uint32_t cut = 1; cut < n; ++cut)
    {
        const auto server = graph.GetNode(hosts[cut - 1]).server;
        last = std::max(last, server == TopologyGraph::NO_SERVER ? cut - 1 : lastRank[server]);
        // No server that has begun before the cut goes on behind it.
        if (last < cut && distance(cut) < distance(best))
        {
            best = cut;
        }
    }
    // One server, or servers whose ranks alternate: only a cut through servers is left.
    bisection.splitsServer = best == 0;
    bisection.firstHosts = best == 0 ? n / 2 : best;
    bisection.secondHosts = n - bisection.firstHosts;
}

/**
 * @param graph a graph
 * @param firstHosts hosts of the first half
 * @return vertex of each node: FIRST or SECOND of a host, one of its own of any other
 */
std::vector<uint32_t>
NumberVertices(const TopologyGraph& graph, uint32_t firstHosts)
{
    std::vector<uint32_t> vertexOf(graph.GetNNodes());
    uint32_t next = SECOND + 1;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        // All hosts of a half are one vertex, so that paths between hosts of the same half cost
        // nothing.
        const auto rank = graph.GetNode(node).rank;
        const auto half = rank < firstHosts ? FIRST : SECOND;
        vertexOf[node] = rank == TopologyGraph::NO_RANK ? next++ : half;
    }
    return vertexOf;
}

/**
 * @param graph a graph
 * @param vertexOf vertex of each node
 * @return by node: whether it is an NVSwitch that only hosts of one half are linked to
 */
std::vector<bool>
FindInner(const TopologyGraph& graph, const std::vector<uint32_t>& vertexOf)
{
    std::vector<bool> isInner(graph.GetNNodes());
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto& links = graph.GetLinksOf(node);
        if (graph.GetNode(node).kind != TopologyGraph::NVSWITCH || links.empty())
        {
            continue;
        }
        const auto half = vertexOf[graph.GetPeer(links.front(), node)];
        isInner[node] = half <= SECOND && std::all_of(links.begin(), links.end(), [&](auto link) {
                            return vertexOf[graph.GetPeer(link, node)] == half;
                        });
    }
    return isInner;
}

} // namespace

TopologyBisection
BisectTopology(const TopologyGraph& graph)
{
    TopologyBisection bisection;
    bisection.firstHosts = static_cast<uint32_t>(graph.GetHosts().size());
    if (bisection.firstHosts < 2)
    {
        return bisection;
    }
    CutHosts(graph, bisection);
    const auto vertexOf = NumberVertices(graph, bisection.firstHosts);
    const auto isInner = FindInner(graph, vertexOf);
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> edges;
    std::array<uint64_t, 2> sent{};
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        // NVLink inside a half adds to what hosts can send, but nothing to what crosses.
        if (isInner[link.a] || isInner[link.b])
        {
            continue;
        }
        // A link that has its slot counts by its share of the time.
        const auto slots = link.slot == TopologyGraph::ALWAYS ? 1 : graph.GetSlotCycle().count;
        const auto rate = link.rate.GetBitRate() / slots;
        const auto ends = std::minmax(vertexOf[link.a], vertexOf[link.b]);
        // At most what the hosts of the weaker half can send crosses.
        for (const auto vertex : {ends.first, ends.second})
        {
            if (vertex <= SECOND)
            {
                sent[vertex] += rate;
            }
        }
        if (ends.first != ends.second)
        {
            edges[ends] += rate;
        }
    }
    MaxFlow network(SECOND + 1 + graph.GetNNodes());
    for (const auto& [ends, rate] : edges)
    {
        network.AddEdge(ends.first, ends.second, rate);
    }
    bisection.rate = network.Solve(FIRST, SECOND);
    bisection.fullRate = std::min(sent[FIRST], sent[SECOND]);
    return bisection;
}

} // namespace ns3
