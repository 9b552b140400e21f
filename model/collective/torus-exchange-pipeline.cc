/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "torus-exchange-pipeline.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

TorusExchangePipeline::TorusExchangePipeline(const CollectiveCall& call,
                                             uint32_t part,
                                             const StageBarrier& barrier)
    : ChunkPipeline(part),
      m_call(call),
      m_grid(*call.placement->GetGrid()),
      m_order(m_grid.GetSizes().size()),
      m_barrier(barrier)
{
    std::iota(m_order.begin(), m_order.end(), 0);
    std::rotate(m_order.begin(), m_order.begin() + part, m_order.end());
}

bool
TorusExchangePipeline::IsBlocked() const
{
    return m_level < m_order.size() && m_barrier.IsBlocked(GetChannel(), m_level);
}

bool
TorusExchangePipeline::Next(CollectiveStep& step)
{
    step.clear();
    if (m_level == m_order.size())
    {
        return false;
    }
    m_isSent ? PassOn(step) : SendOn(step);
    m_isSent = !m_isSent && HasRelays();
    m_level += m_isSent ? 0 : 1;
    return true;
}

bool
TorusExchangePipeline::HasRelays() const
{
    const auto dimension = m_order[m_level];
    const auto size = m_grid.GetSizes()[dimension];
    const auto& neighbours = m_call.placement->GetNeighbours();
    if (neighbours.empty() || m_grid.CountWays(dimension) == 1 || size % 2 == 1)
    {
        return false;
    }
    // A row that all members look at, so that they agree.
    const auto isLinked = [this, dimension, &neighbours](uint32_t place) {
        const auto& first = neighbours[m_grid.GetInRow(0, dimension, 0)];
        return std::find(first.begin(), first.end(), m_grid.GetInRow(0, dimension, place)) !=
               first.end();
    };
    return isLinked(1) && !isLinked(size / 2);
}

uint32_t
TorusExchangePipeline::GetPlaceAfter(uint32_t distance) const
{
    const auto dimension = m_order[m_level];
    const auto size = m_grid.GetSizes()[dimension];
    return (m_grid.GetPlace(m_call.index, dimension) + distance) % size;
}

void
TorusExchangePipeline::SendOn(CollectiveStep& step) const
{
    const auto dimension = m_order[m_level];
    const auto size = m_grid.GetSizes()[dimension];
    const auto own = GetPlaceAfter(0);
    const auto opposite = GetPlaceAfter(size / 2);
    const bool hasRelays = HasRelays();
    // All members of the row at once: routing takes the shorter direction of the ring, so that the
    // links of both directions are in use.
    for (uint32_t distance = 1; distance < size; ++distance)
    {
        if (hasRelays && distance == size / 2)
        {
            continue;
        }
        const auto to = GetPlaceAfter(distance);
        const auto fromPlace = GetPlaceAfter(size - distance);
        const auto from = m_grid.GetInRow(m_call.index, dimension, fromPlace);
        std::vector<BufferPart> sent;
        for (const auto& route : ListBlocks(m_call.index, to))
        {
            sent.push_back(GetHeld(route));
        }
        std::vector<BufferPart> received;
        for (const auto& route : ListBlocks(from, own))
        {
            received.push_back(GetReceived(route));
        }
        if (hasRelays && (distance == 1 || distance == size - 1))
        {
            // The first half goes forward.
            const uint32_t half = distance == 1 ? 0 : 1;
            for (const auto& route : ListBlocks(m_call.index, opposite))
            {
                sent.push_back(GetHeld(route).Cut(2, half));
            }
            for (const auto& route : ListBlocks(from, (fromPlace + size / 2) % size))
            {
                received.push_back(GetScratch(route).Cut(2, half));
            }
        }
        AddTransfer(step,
                    CollectiveTransfer::SEND,
                    m_grid.GetInRow(m_call.index, dimension, to),
                    sent);
        AddTransfer(step, CollectiveTransfer::RECV_COPY, from, received);
    }
}

void
TorusExchangePipeline::PassOn(CollectiveStep& step) const
{
    const auto dimension = m_order[m_level];
    const auto size = m_grid.GetSizes()[dimension];
    const auto own = GetPlaceAfter(0);
    const auto getMember = [this, dimension](uint32_t place) {
        return m_grid.GetInRow(m_call.index, dimension, place);
    };
    for (const uint32_t half : {0U, 1U})
    {
        // Forward, or backward, by one place less than to the opposite member.
        const uint32_t rest = half == 0 ? size / 2 - 1 : size / 2 + 1;
        const auto to = GetPlaceAfter(rest);
        const auto source = getMember(GetPlaceAfter(half == 0 ? size - 1 : 1));
        std::vector<BufferPart> sent;
        for (const auto& route : ListBlocks(source, to))
        {
            sent.push_back(GetScratch(route).Cut(2, half));
        }
        const auto opposite = getMember(GetPlaceAfter(size / 2));
        std::vector<BufferPart> received;
        for (const auto& route : ListBlocks(opposite, own))
        {
            received.push_back(GetReceived(route).Cut(2, half));
        }
        AddTransfer(step, CollectiveTransfer::SEND, getMember(to), sent);
        AddTransfer(step,
                    CollectiveTransfer::RECV_COPY,
                    getMember(GetPlaceAfter(size - rest)),
                    received);
    }
}

std::vector<TorusExchangePipeline::Route>
TorusExchangePipeline::ListBlocks(uint32_t holder, uint32_t place) const
{
    // They have come from members that differ in dimensions that are done, and go to those that
    // differ in others.
    std::vector<uint32_t> sources{holder};
    for (std::size_t i = 0; i < m_level; ++i)
    {
        sources = Widen(sources, m_order[i]);
    }
    std::vector<uint32_t> destinations{m_grid.GetInRow(holder, m_order[m_level], place)};
    for (std::size_t i = m_level + 1; i < m_order.size(); ++i)
    {
        destinations = Widen(destinations, m_order[i]);
    }
    std::vector<Route> routes;
    for (const auto source : sources)
    {
        for (const auto destination : destinations)
        {
            routes.emplace_back(source, destination);
        }
    }
    std::sort(routes.begin(), routes.end());
    return routes;
}

std::vector<uint32_t>
TorusExchangePipeline::Widen(const std::vector<uint32_t>& members, uint32_t dimension) const
{
    std::vector<uint32_t> wide;
    for (const auto member : members)
    {
        for (uint32_t place = 0; place < m_grid.GetSizes()[dimension]; ++place)
        {
            wide.push_back(m_grid.GetInRow(member, dimension, place));
        }
    }
    return wide;
}

BufferPart
TorusExchangePipeline::GetHeld(const Route& route) const
{
    // Own blocks stand in the buffer of the call, those on their way through this member in scratch
    // memory.
    if (route.first != m_call.index)
    {
        return GetScratch(route);
    }
    return BufferPart{0, m_call.bytes}
        .Cut(m_call.size, route.second)
        .Cut(m_order.size(), GetChannel());
}

BufferPart
TorusExchangePipeline::GetReceived(const Route& route) const
{
    if (route.second != m_call.index)
    {
        return GetScratch(route);
    }
    const auto bytes = BufferPart{0, m_call.bytes}.Cut(m_call.size, m_call.index).bytes;
    return BufferPart{route.first * bytes, bytes}.Cut(m_order.size(), GetChannel());
}

BufferPart
TorusExchangePipeline::GetScratch(const Route& route) const
{
    auto part = BufferPart{0, m_call.bytes}
                    .Cut(m_call.size, route.second)
                    .Cut(m_order.size(), GetChannel());
    // A buffer's length for each source keeps blocks on their way apart.
    part.offset |= CollectiveTransfer::SCRATCH;
    part.offset += route.first * m_call.bytes;
    return part;
}

} // namespace ns3
