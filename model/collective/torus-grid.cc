/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "torus-grid.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param used places that members have in a dimension
 * @param size length of the dimension
 * @param wraps whether its rows are closed
 * @return whether they are a ring of links: all of them, or two neighbours; in a mesh, whether they
 *         are a chain
 */
bool
IsRow(const std::set<uint32_t>& used, uint32_t size, bool wraps)
{
    const auto distance = *used.rbegin() - *used.begin();
    if (!wraps)
    {
        return used.size() == distance + 1;
    }
    // The first and the last place are neighbours as well, by the link that closes the ring.
    return used.size() == size || (used.size() == 2 && (distance == 1 || distance == size - 1));
}

/**
 * @param sizes lengths of the dimensions of a torus
 * @param ranks ranks of the members
 * @return places that they have in each dimension
 */
std::vector<std::set<uint32_t>>
ListPlaces(const std::vector<uint32_t>& sizes, const std::vector<uint32_t>& ranks)
{
    std::vector<std::set<uint32_t>> places(sizes.size());
    for (auto rank : ranks)
    {
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            // Ranks count the first dimension fastest.
            places[i].insert(rank % sizes[i]);
            rank /= sizes[i];
        }
    }
    return places;
}

/**
 * @param sizes lengths of the dimensions of a torus
 * @param places places that members have in each dimension
 * @param rank a rank
 * @return which of these it has, counted from 0, in each dimension in which there are several
 */
std::vector<uint32_t>
FindPlace(const std::vector<uint32_t>& sizes,
          const std::vector<std::set<uint32_t>>& places,
          uint32_t rank)
{
    std::vector<uint32_t> own;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        if (places[i].size() > 1)
        {
            const auto place = places[i].find(rank % sizes[i]);
            own.push_back(static_cast<uint32_t>(std::distance(places[i].begin(), place)));
        }
        rank /= sizes[i];
    }
    return own;
}

} // namespace

std::unique_ptr<const TorusGrid>
TorusGrid::Make(const std::vector<uint32_t>& sizes,
                const std::vector<bool>& wraps,
                const std::vector<uint32_t>& rates,
                const std::vector<uint32_t>& ranks)
{
    const auto places = ListPlaces(sizes, ranks);
    auto grid = std::make_unique<TorusGrid>();
    uint64_t cells = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        cells *= places[i].size();
        if (places[i].size() > 1)
        {
            grid->m_sizes.push_back(static_cast<uint32_t>(places[i].size()));
            grid->m_areClosed.push_back(wraps[i]);
            grid->m_rates.push_back(rates[i]);
        }
        if (places[i].size() > 1 && !IsRow(places[i], sizes[i], wraps[i]))
        {
            return nullptr;
        }
    }
    // As many members as cells of the box that they span: rows are complete in each dimension.
    if (cells != ranks.size() || cells < 2)
    {
        return nullptr;
    }
    grid->m_members.assign(ranks.size(), UINT32_MAX);
    for (uint32_t member = 0; member < ranks.size(); ++member)
    {
        grid->m_cells.push_back(grid->GetCell(FindPlace(sizes, places, ranks[member])));
        grid->m_members[grid->m_cells.back()] = member;
    }
    const auto& members = grid->m_members;
    // A rank beyond the torus is folded onto one of its cells, so that one cell may be taken twice
    // and another not at all.
    const bool isFull = std::find(members.begin(), members.end(), UINT32_MAX) == members.end();
    return isFull ? std::move(grid) : nullptr;
}

uint32_t
TorusGrid::CountWays(uint32_t dimension) const
{
    return m_areClosed[dimension] && m_sizes[dimension] > 2 ? 2 : 1;
}

bool
TorusGrid::HasClosedRing() const
{
    const auto ring = GetRing();
    uint32_t hops = 0;
    for (uint32_t i = 0; i < m_sizes.size(); ++i)
    {
        const auto [low, high] = std::minmax({GetPlace(ring.back(), i), GetPlace(ring.front(), i)});
        hops += m_areClosed[i] ? std::min(high - low, low + m_sizes[i] - high) : high - low;
    }
    return hops == 1;
}

uint32_t
TorusGrid::GetCell(const std::vector<uint32_t>& places) const
{
    uint32_t cell = 0;
    for (std::size_t i = m_sizes.size(); i > 0; --i)
    {
        cell = cell * m_sizes[i - 1] + places[i - 1];
    }
    return cell;
}

uint32_t
TorusGrid::GetPlace(uint32_t member, uint32_t dimension) const
{
    uint32_t cell = m_cells[member];
    for (uint32_t i = 0; i < dimension; ++i)
    {
        cell /= m_sizes[i];
    }
    return cell % m_sizes[dimension];
}

uint32_t
TorusGrid::GetInRow(uint32_t member, uint32_t dimension, uint32_t place) const
{
    uint32_t stride = 1;
    for (uint32_t i = 0; i < dimension; ++i)
    {
        stride *= m_sizes[i];
    }
    return m_members[m_cells[member] + stride * place - stride * GetPlace(member, dimension)];
}

std::vector<uint32_t>
TorusGrid::GetRing() const
{
    // Dimensions in the order in which their places change, the slowest last.
    std::vector<std::size_t> order(m_sizes.size());
    std::iota(order.begin(), order.end(), 0);
    // Neighbours in the ring differ in one place by 1, as in a Gray code. A reflected code closes
    // if the base of its slowest digit is even, so the even dimensions come last.
    std::stable_partition(order.begin(), order.end(), [this](std::size_t i) {
        return m_sizes[i] % 2 == 1;
    });
    const bool areEqual = std::all_of(m_sizes.begin(), m_sizes.end(), [this](auto size) {
        return size == m_sizes[0];
    });
    // Of odd sizes only, a modular Gray code closes if they are equal. For others, and in a mesh,
    // the last hop of the ring is longer than one link.
    const bool areClosed =
        std::all_of(m_areClosed.begin(), m_areClosed.end(), [](bool closed) { return closed; });
    const bool isModular = areEqual && areClosed && m_sizes[0] % 2 == 1 && m_sizes.size() > 1;
    std::vector<uint32_t> ring;
    for (uint32_t position = 0; position < m_members.size(); ++position)
    {
        std::vector<uint32_t> places(m_sizes.size());
        uint32_t rest = position;
        for (const auto i : order)
        {
            const auto size = m_sizes[i];
            const auto digit = rest % size;
            rest /= size;
            const auto reflected = rest % 2 == 0 ? digit : size - 1 - digit;
            places[i] = isModular ? (digit + size - rest % size) % size : reflected;
        }
        ring.push_back(m_members[GetCell(places)]);
    }
    return ring;
}

} // namespace ns3
