/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "torus-shape.h"

#include "rank-links.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @param links neighbours by rank
 * @param a a rank
 * @param b another one
 * @return whether they are neighbours
 */
bool
AreLinked(const RankLinks& links, uint32_t a, uint32_t b)
{
    return std::binary_search(links[a].begin(), links[a].end(), b);
}

/**
 * @param links neighbours by rank
 * @param stride from a rank to the next one in a dimension
 * @return how many ranks follow each other by links from the first one on
 */
uint32_t
CountRow(const RankLinks& links, uint32_t stride)
{
    uint32_t size = 1;
    while (size < links.size() / stride && AreLinked(links, (size - 1) * stride, size * stride))
    {
        ++size;
    }
    return size;
}

/**
 * @param links neighbours by rank
 * @param stride from a rank to the next one in a dimension
 * @param size length of the dimension
 * @return whether its first row is closed; both ends of a row of two name the same link
 */
bool
IsClosed(const RankLinks& links, uint32_t stride, uint32_t size)
{
    return size == 2 || AreLinked(links, 0, (size - 1) * stride);
}

/**
 * @param shape dimensions
 * @return neighbours by rank of a torus or a mesh with these, without parallel links
 */
RankLinks
MakeLinks(const TorusShape& shape)
{
    const auto world =
        std::accumulate(shape.sizes.begin(), shape.sizes.end(), 1U, std::multiplies<>());
    RankLinks links(world);
    uint32_t stride = 1;
    for (std::size_t i = 0; i < shape.sizes.size(); ++i)
    {
        const auto size = shape.sizes[i];
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            const auto place = rank / stride % size;
            const bool isLast = place + 1 == size;
            if (isLast && (size == 2 || !shape.wraps[i]))
            {
                continue;
            }
            const auto next = isLast ? rank - place * stride : rank + stride;
            links[rank].push_back(next);
            links[next].push_back(rank);
        }
        stride *= size;
    }
    for (auto& own : links)
    {
        std::sort(own.begin(), own.end());
    }
    return links;
}

/**
 * @param sizes dimensions that the fabric says
 * @param links neighbours by rank; none = other nodes join them
 * @return the same with what links say of their rows
 */
TorusShape
CloseRows(const std::vector<uint32_t>& sizes, const RankLinks& links)
{
    TorusShape shape;
    uint32_t stride = 1;
    for (const auto size : sizes)
    {
        if (size > 1)
        {
            const bool isOpen =
                !links.empty() && CountRow(links, stride) >= size && !IsClosed(links, stride, size);
            shape.sizes.push_back(size);
            shape.wraps.push_back(!isOpen);
        }
        stride *= size;
    }
    return shape;
}

/**
 * @param graph a fabric in which each switch, if there are any, has a host of its own
 * @return rank of each node
 */
std::vector<uint32_t>
ListOwners(const TopologyGraph& graph)
{
    std::vector<uint32_t> owners(graph.GetNNodes(), TopologyGraph::NO_RANK);
    for (const auto host : graph.GetHosts())
    {
        owners[host] = graph.GetNode(host).rank;
        for (const auto link : graph.GetLinksOf(host))
        {
            const auto peer = graph.GetPeer(link, host);
            if (graph.GetNode(peer).kind == TopologyGraph::SWITCH)
            {
                owners[peer] = owners[host];
            }
        }
    }
    return owners;
}

/**
 * @param sizes lengths of dimensions
 * @param a a rank
 * @param b another one
 * @return the dimension in which they differ; the number of dimensions = in none, or in several
 */
std::size_t
FindDimension(const std::vector<uint32_t>& sizes, uint32_t a, uint32_t b)
{
    std::size_t found = sizes.size();
    uint32_t count = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        if (a % sizes[i] != b % sizes[i])
        {
            found = i;
            ++count;
        }
        a /= sizes[i];
        b /= sizes[i];
    }
    return count == 1 ? found : sizes.size();
}

/**
 * @param graph a fabric that has links from rank to rank
 * @param sizes lengths of its dimensions
 * @return see TorusShape::rates
 */
std::vector<uint32_t>
FindRates(const TopologyGraph& graph, const std::vector<uint32_t>& sizes)
{
    const auto owners = ListOwners(graph);
    std::vector<uint64_t> slowest(sizes.size(), UINT64_MAX);
    uint64_t fastest = 0;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto dimension = FindDimension(sizes, owners[link.a], owners[link.b]);
        if (dimension < sizes.size())
        {
            slowest[dimension] = std::min(slowest[dimension], link.rate.GetBitRate());
        }
    }
    for (const auto rate : slowest)
    {
        fastest = rate == UINT64_MAX ? fastest : std::max(fastest, rate);
    }
    std::vector<uint32_t> rates;
    for (const auto rate : slowest)
    {
        // Of a dimension without links nothing is known.
        const double share = rate == UINT64_MAX ? 1 : static_cast<double>(rate) / fastest;
        rates.push_back(std::max(1U, static_cast<uint32_t>(TorusShape::FASTEST * share + 0.5)));
    }
    return rates;
}

/**
 * @param links neighbours by rank
 * @return dimensions that links make, without rates
 */
TorusShape
FindRows(const RankLinks& links)
{
    TorusShape shape;
    // A row ends where the next rank is no neighbour any more, so that there is but one shape.
    for (uint32_t stride = 1; stride < links.size(); stride *= shape.sizes.back())
    {
        const auto size = CountRow(links, stride);
        if (size < 2 || links.size() / stride % size != 0)
        {
            return {};
        }
        shape.sizes.push_back(size);
        shape.wraps.push_back(IsClosed(links, stride, size));
    }
    return MakeLinks(shape) == links ? shape : TorusShape();
}

} // namespace

TorusShape
FindTorusShape(const TopologyGraph& graph)
{
    const auto links = FindRankLinks(graph);
    const auto& dimensions = graph.GetDimensions();
    auto shape = dimensions.empty() ? FindRows(links) : CloseRows(dimensions, links);
    shape.rates.assign(shape.sizes.size(), TorusShape::FASTEST);
    if (!links.empty())
    {
        shape.rates = FindRates(graph, shape.sizes);
    }
    return shape;
}

} // namespace ns3
