/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-exchange-lane.h"

#include "scattered-transfer.h"

namespace ns3
{

HierarchicalExchangeLane::HierarchicalExchangeLane(const CollectiveCall& call,
                                                   uint32_t first,
                                                   uint32_t stride)
    : m_exchange(call),
      m_grid(m_exchange.GetGrid()),
      m_index(call.index),
      m_server(m_grid.GetServer(call.index)),
      m_first(first),
      m_stride(stride)
{
}

bool
HierarchicalExchangeLane::Next(CollectiveStep& step)
{
    step.clear();
    const uint32_t turn = m_step++;
    if (turn == 0)
    {
        HandOver(step);
        return true;
    }
    const uint64_t distance = m_first + uint64_t{m_stride} * (turn - 1);
    if (distance >= m_grid.CountServers())
    {
        return false;
    }
    Cross(step, static_cast<uint32_t>(distance));
    return true;
}

uint32_t
HierarchicalExchangeLane::GetChannel() const
{
    return 0;
}

void
HierarchicalExchangeLane::HandOver(CollectiveStep& step) const
{
    const uint32_t members = m_grid.CountMembers(m_server);
    const uint32_t servers = m_grid.CountServers();
    const uint32_t rail = m_grid.GetRail(m_index);
    for (uint32_t turn = 1; turn < members; ++turn)
    {
        const uint32_t to = m_grid.GetMember(m_server, rail + turn);
        const uint32_t from = m_grid.GetMember(m_server, rail + members - turn);
        std::vector<BufferPart> sent;
        std::vector<BufferPart> received;
        if (m_first == 1)
        {
            sent.push_back(m_exchange.GetSent(to));
            received.push_back(m_exchange.GetReceived(from));
        }
        for (uint64_t distance = m_first; distance < servers; distance += m_stride)
        {
            const uint32_t server = Turn(static_cast<uint32_t>(distance));
            for (const auto member : GetServed(to, server))
            {
                sent.push_back(m_exchange.GetSent(member));
            }
            for (const auto member : GetServed(m_index, server))
            {
                received.push_back(m_exchange.GetRelayed(from, member));
            }
        }
        AddScatteredTransfer(step, CollectiveTransfer::SEND, to, sent);
        AddScatteredTransfer(step, CollectiveTransfer::RECV_COPY, from, received);
    }
}

void
HierarchicalExchangeLane::Cross(CollectiveStep& step, uint32_t distance) const
{
    const uint32_t members = m_grid.CountMembers(m_server);
    for (const auto to : GetServed(m_index, Turn(distance)))
    {
        std::vector<BufferPart> sent;
        for (uint32_t rail = 0; rail < members; ++rail)
        {
            const uint32_t from = m_grid.GetMember(m_server, rail);
            sent.push_back(from == m_index ? m_exchange.GetSent(to)
                                           : m_exchange.GetRelayed(from, to));
        }
        AddScatteredTransfer(step, CollectiveTransfer::SEND, to, sent);
    }
    const uint32_t before = Turn(m_grid.CountServers() - distance);
    std::vector<BufferPart> received;
    for (uint32_t rail = 0; rail < m_grid.CountMembers(before); ++rail)
    {
        received.push_back(m_exchange.GetReceived(m_grid.GetMember(before, rail)));
    }
    const uint32_t relay = m_grid.GetMember(before, m_grid.GetRail(m_index));
    AddScatteredTransfer(step, CollectiveTransfer::RECV_COPY, relay, received);
}

uint32_t
HierarchicalExchangeLane::Turn(uint32_t distance) const
{
    return static_cast<uint32_t>((uint64_t{m_server} + distance) % m_grid.CountServers());
}

std::vector<uint32_t>
HierarchicalExchangeLane::GetServed(uint32_t relay, uint32_t server) const
{
    std::vector<uint32_t> served;
    const uint32_t members = m_grid.CountMembers(m_server);
    for (uint32_t rail = m_grid.GetRail(relay); rail < m_grid.CountMembers(server); rail += members)
    {
        served.push_back(m_grid.GetMember(server, rail));
    }
    return served;
}

} // namespace ns3
