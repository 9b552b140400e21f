/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"
#include "topology-servers.h"

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Largest k of a fat-tree. Its 4 million hosts are beyond what a simulation holds.
constexpr uint32_t FAT_TREE_MAX_K = 256;

/**
 * @ingroup workload-replay
 * @brief The numbers of a fat-tree.
 */
struct FatTreeShape
{
    uint32_t k{0};         //!< pods, and ports of a switch
    double nicsPerEdge{0}; //!< NICs that an edge takes; usable if it is a whole number
    bool whole{false};     //!< whether it is one
    double capacity{0};    //!< NICs that all edges take
};

/**
 * @param k pods, and ports of a switch
 * @param oversubscription NICs of an edge / its uplinks
 * @return the numbers
 */
FatTreeShape
MakeShape(uint32_t k, double oversubscription)
{
    FatTreeShape shape;
    shape.k = k;
    const auto exact = oversubscription * k / 2;
    // A ratio such as 1.2 has no exact binary form, so the product may miss a whole number.
    const auto rounded = std::round(exact);
    shape.whole = rounded >= 1 && rounded <= UINT32_MAX && std::abs(exact - rounded) < 1e-6;
    shape.nicsPerEdge = shape.whole ? rounded : exact;
    // k pods of k / 2 edges each.
    shape.capacity = shape.nicsPerEdge * k * k / 2;
    return shape;
}

/**
 * @param spec the keys
 * @param nics number of NICs
 * @return a shape that holds them
 */
FatTreeShape
PlanFatTree(const TopologySpec& spec, uint32_t nics)
{
    const auto oversubscription = spec.GetRatio("oversubscription", 1);
    auto k = spec.GetCount("k", 2);
    if (k % 2 != 0 || k > FAT_TREE_MAX_K)
    {
        throw spec.MakeError("k to be an even number from 2 to " + std::to_string(FAT_TREE_MAX_K),
                             std::to_string(k));
    }
    auto shape = MakeShape(k, oversubscription);
    // The smallest k that has room and a whole number of NICs at each edge.
    while (!spec.Has("k") && k < FAT_TREE_MAX_K && (!shape.whole || shape.capacity < nics))
    {
        k += 2;
        shape = MakeShape(k, oversubscription);
    }
    std::ostringstream edge;
    edge << "k/2 x oversubscription = " << k / 2 << " x " << oversubscription << " = "
         << shape.nicsPerEdge;
    if (!shape.whole)
    {
        throw spec.MakeError("a whole number of NICs per edge switch", edge.str());
    }
    if (shape.capacity < nics)
    {
        std::ostringstream sum;
        sum << k << " pods x " << k / 2 << " edge switches x " << shape.nicsPerEdge
            << " NICs = " << shape.capacity;
        throw spec.MakeError("room for " + std::to_string(nics) + " NICs", sum.str());
    }
    return shape;
}

/**
 * Add the edge and aggregation switches of a pod, and link them.
 *
 * @param [in,out] graph the graph
 * @param pod number of the pod
 * @param half edges, and aggregation switches, of the pod
 * @param parameters links
 * @return nodes of the edges, then of the aggregation switches
 */
std::vector<uint32_t>
AddPod(TopologyGraph& graph, uint32_t pod, uint32_t half, const FabricParameters& parameters)
{
    const auto name = "pod" + std::to_string(pod);
    std::vector<uint32_t> nodes;
    for (const auto level : {"-edge", "-agg"})
    {
        for (uint32_t i = 0; i < half; ++i)
        {
            nodes.push_back(graph.AddSwitch(name + level + std::to_string(i)));
        }
    }
    for (uint32_t edge = 0; edge < half; ++edge)
    {
        for (uint32_t agg = 0; agg < half; ++agg)
        {
            graph.AddLink(nodes[edge],
                          nodes[half + agg],
                          parameters.nicRate,
                          parameters.GetCoreDelay());
        }
    }
    return nodes;
}

} // namespace

TopologyGraph
BuildFatTreeTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto shape = PlanFatTree(spec, CountNics(world, parameters));
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    const auto nics = AddNics(graph, parameters);
    const auto half = shape.k / 2;
    std::vector<uint32_t> edges;
    std::vector<uint32_t> aggs;
    for (uint32_t pod = 0; pod < shape.k; ++pod)
    {
        const auto nodes = AddPod(graph, pod, half, parameters);
        edges.insert(edges.end(), nodes.begin(), nodes.begin() + half);
        aggs.insert(aggs.end(), nodes.begin() + half, nodes.end());
    }
    for (uint32_t i = 0; i < nics.size(); ++i)
    {
        graph.AddLink(nics[i].node,
                      edges[i / static_cast<uint32_t>(shape.nicsPerEdge)],
                      nics[i].rate,
                      parameters.GetEdgeDelay());
    }
    for (uint32_t i = 0; i < half * half; ++i)
    {
        // A core is linked to one aggregation switch of each pod, the same in all.
        const auto core = graph.AddSwitch("core" + std::to_string(i));
        for (uint32_t pod = 0; pod < shape.k; ++pod)
        {
            graph.AddLink(aggs[pod * half + i / half],
                          core,
                          parameters.nicRate,
                          parameters.GetCoreDelay());
        }
    }
    return graph;
}

DEFINE_TOPOLOGY_GENERATOR(FatTreeTopology, BuildFatTreeTopology);
NS_STRATEGY_ENSURE_REGISTERED(FatTreeTopology,
                              "fat-tree",
                              "three levels of switches of k ports: k (smallest even one that "
                              "holds the world), oversubscription at the edge (1)",
                              3);

} // namespace ns3
