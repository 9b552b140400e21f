/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param world number of ranks
 * @return sizes of the dimensions of its most cubic shape, longest first
 */
std::vector<uint32_t>
FindDimensions(uint32_t world)
{
    // Both sides grow, so the first shape found is the first one in order; its last side may be 1.
    for (uint32_t longest = 1; longest < world; ++longest)
    {
        const auto rest = world / longest;
        for (uint32_t middle = 1; world % longest == 0 && middle <= longest; ++middle)
        {
            // longest >= middle >= shortest
            if (rest % middle == 0 && rest / middle <= middle)
            {
                return {longest, middle, rest / middle};
            }
        }
    }
    return {world};
}

/**
 * @param spec the keys
 * @param world number of ranks
 * @return sizes of the dimensions
 */
std::vector<uint32_t>
PlanTorus(const TopologySpec& spec, uint32_t world)
{
    const auto sizes = spec.Has("dims") ? spec.GetShape("dims") : FindDimensions(world);
    uint64_t product = 1;
    std::string text;
    for (const auto size : sizes)
    {
        // A product beyond the world is as wrong as any, and may not fit into a number.
        product = product > world ? product : product * size;
        text += (text.empty() ? "" : " x ") + std::to_string(size);
    }
    if (product != world)
    {
        throw spec.MakeError("dims whose product is the world of " + std::to_string(world),
                             text + (product > world ? ", which is more" : ", which is less"));
    }
    return sizes;
}

/// How the rows of a torus end.
enum Edges
{
    CLOSED, //!< the last place is linked to the first one
    OPEN,   //!< not at all: a mesh
    TWISTED //!< to the first one of another row
};

/**
 * @param spec the keys
 * @param sizes sizes of the dimensions
 * @return how rows end
 */
Edges
PlanEdges(const TopologySpec& spec, const std::vector<uint32_t>& sizes)
{
    const std::vector<std::string> words{"closed", "open", "twisted"};
    const auto field = spec.GetField("edges", words[CLOSED]);
    const auto edges = static_cast<Edges>(FindWord(field, words, "closed, open or twisted"));
    const auto least = *std::min_element(sizes.begin(), sizes.end());
    const auto most = *std::max_element(sizes.begin(), sizes.end());
    const bool isOblong =
        least > 1 && most == 2 * least && std::all_of(sizes.begin(), sizes.end(), [&](auto size) {
            return size == least || size == most;
        });
    if (edges == TWISTED && !isOblong)
    {
        throw spec.MakeError("dims of n and 2n, n at least 2, with edges=twisted, such as 4x4x8",
                             std::to_string(least) + " to " + std::to_string(most));
    }
    return edges;
}

/**
 * @param sizes sizes of the dimensions, of which some are twice the others
 * @param rank first place of a row in one of the short dimensions
 * @return the place that the end of that row is linked to in a twisted torus: half of the way on in
 *         each long dimension
 */
uint32_t
Twist(const std::vector<uint32_t>& sizes, uint32_t rank)
{
    const auto least = *std::min_element(sizes.begin(), sizes.end());
    uint32_t stride = 1;
    for (const auto size : sizes)
    {
        const auto place = rank / stride % size;
        const auto next = size > least ? (place + least) % size : place;
        rank = rank - place * stride + next * stride;
        stride *= size;
    }
    return rank;
}

} // namespace

TopologyGraph
BuildTorusTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto sizes = PlanTorus(spec, world);
    const auto edges = PlanEdges(spec, sizes);
    spec.CheckUnusedKeys();
    if (parameters.nicsPerServer != 0 && parameters.nicsPerServer != parameters.gpusPerServer)
    {
        throw spec.MakeError("one NIC per rank for a torus, which has links from rank to rank",
                             "nicsPerServer " + std::to_string(parameters.nicsPerServer) +
                                 " with gpusPerServer " + std::to_string(parameters.gpusPerServer));
    }

    TopologyGraph graph;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        graph.AddHost("host" + std::to_string(rank));
    }
    const auto least = *std::min_element(sizes.begin(), sizes.end());
    uint32_t stride = 1;
    for (const auto size : sizes)
    {
        const bool isTwisted = edges == TWISTED && size == least;
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            const auto position = rank / stride % size;
            const bool isLast = position + 1 == size;
            // Around a dimension of two, the second link would double the first.
            if (isLast && (edges == OPEN || (size <= 2 && !isTwisted)))
            {
                continue;
            }
            // The last place of a row is linked to the first one, which closes the ring.
            const auto first = rank - position * stride;
            const auto next = !isLast ? rank + stride : isTwisted ? Twist(sizes, first) : first;
            graph.AddLink(graph.GetHosts()[rank],
                          graph.GetHosts()[next],
                          parameters.nicRate,
                          parameters.GetDirectDelay());
        }
        stride *= size;
    }
    return graph;
}

/// See BuildTorusTopology().
DEFINE_TOPOLOGY_GENERATOR(
    TorusTopology,
    BuildTorusTopology,
    bool HasServers() const override { return false; }

    bool HasRelayingRanks() const override { return true; });

NS_STRATEGY_ENSURE_REGISTERED(TorusTopology,
                              "torus",
                              "ranks linked to ranks, no switches and no NVLink: dims such as "
                              "4x4x4 (the most cubic shape of up to three dimensions), edges "
                              "closed (default), open = a mesh, or twisted",
                              8);

} // namespace ns3
