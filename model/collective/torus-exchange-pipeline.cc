/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "torus-exchange-pipeline.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

TorusExchangePipeline::TorusExchangePipeline(const CollectiveCall& call, uint32_t part)
    : ChunkPipeline(part),
      m_call(call),
      m_grid(*call.placement->GetGrid()),
      m_order(m_grid.GetSizes().size())
{
    std::iota(m_order.begin(), m_order.end(), 0);
    std::rotate(m_order.begin(), m_order.begin() + part, m_order.end());
}

bool
TorusExchangePipeline::Next(CollectiveStep& step)
{
    step.clear();
    if (m_level == m_order.size())
    {
        return false;
    }
    const auto dimension = m_order[m_level];
    const auto size = m_grid.GetSizes()[dimension];
    const auto own = m_grid.GetPlace(m_call.index, dimension);
    // All members of the row at once: routing takes the shorter direction of the ring, so that the
    // links of both directions are in use.
    for (uint32_t distance = 1; distance < size; ++distance)
    {
        const auto to = (own + distance) % size;
        const auto from = m_grid.GetInRow(m_call.index, dimension, (own + size - distance) % size);
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
        AddTransfer(step,
                    CollectiveTransfer::SEND,
                    m_grid.GetInRow(m_call.index, dimension, to),
                    sent);
        AddTransfer(step, CollectiveTransfer::RECV_COPY, from, received);
    }
    ++m_level;
    return true;
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
