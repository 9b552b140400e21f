/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "torus-shape.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Two ranks that are linked, the lower one first.
using RankPair = std::pair<uint32_t, uint32_t>;

/**
 * @param sizes lengths of the dimensions of a torus
 * @return its links
 */
std::set<RankPair>
ListTorusLinks(const std::vector<uint32_t>& sizes)
{
    uint32_t world = 1;
    for (const auto size : sizes)
    {
        world *= size;
    }
    std::set<RankPair> links;
    uint32_t stride = 1;
    for (const auto size : sizes)
    {
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            const auto place = rank / stride % size;
            const auto next = rank - stride * place + stride * ((place + 1) % size);
            // In a dimension of 2 both ends name the same link, which the set keeps once.
            links.insert(std::minmax(rank, next));
        }
        stride *= size;
    }
    return links;
}

/**
 * Find the dimensions from one on.
 *
 * @param links links of the fabric
 * @param world hosts of the fabric
 * @param stride from a host to the next one in the dimension
 * @param sizes [in,out] lengths of the dimensions
 * @return whether they have been found
 */
bool
FindDimensionsFrom(const std::set<RankPair>& links,
                   uint32_t world,
                   uint32_t stride,
                   std::vector<uint32_t>& sizes)
{
    if (stride == world)
    {
        return ListTorusLinks(sizes) == links;
    }
    for (uint32_t size = 2; size <= world / stride && links.count({0, stride}) > 0; ++size)
    {
        // The first host has links to the next one and to the last one.
        if (world / stride % size == 0 && links.count({0, stride * (size - 1)}) > 0)
        {
            // Several lengths may fit here; the links of the whole torus decide.
            sizes.push_back(size);
            if (FindDimensionsFrom(links, world, stride * size, sizes))
            {
                return true;
            }
            sizes.pop_back();
        }
    }
    return false;
}

} // namespace

std::vector<uint32_t>
FindTorusSizes(const TopologyGraph& graph)
{
    const auto world = static_cast<uint32_t>(graph.GetHosts().size());
    if (!graph.HostsRelay() || world != graph.GetNNodes() || world < 2)
    {
        return {};
    }
    std::set<RankPair> links;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        links.insert(std::minmax(graph.GetNode(link.a).rank, graph.GetNode(link.b).rank));
    }
    std::vector<uint32_t> sizes;
    // Parallel links would be one of these.
    if (links.size() == graph.GetNLinks())
    {
        FindDimensionsFrom(links, world, 1, sizes);
    }
    return sizes;
}

} // namespace ns3
