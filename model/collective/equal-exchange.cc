/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "equal-exchange.h"

#include "ns3/abort.h"

namespace ns3
{

std::string
EqualExchange::FindObstacle(const CollectiveCall& call)
{
    return call.splits ? "its splits are known to senders and receivers only, not to members that "
                         "pass blocks on"
                       : "";
}

EqualExchange::EqualExchange(const CollectiveCall& call)
    : m_buffer{0, call.bytes},
      m_index(call.index),
      m_size(call.size),
      m_grid(call)
{
    const auto obstacle = FindObstacle(call);
    NS_ABORT_MSG_UNLESS(obstacle.empty(),
                        "an all-to-all cannot go along the rails: " << obstacle
                                                                    << "; direct can do it");
}

const RailGrid&
EqualExchange::GetGrid() const
{
    return m_grid;
}

BufferPart
EqualExchange::GetSent(uint32_t to) const
{
    return m_buffer.Cut(m_size, to);
}

BufferPart
EqualExchange::GetReceived(uint32_t from) const
{
    // All that a member receives is cut for its own index, so its blocks are equally long.
    const auto length = GetSent(m_index).bytes;
    return {from * length, length};
}

BufferPart
EqualExchange::GetRelayed(uint32_t from, uint32_t to) const
{
    // As it stands in the sender's buffer, one buffer after another.
    const auto block = GetSent(to);
    const auto buffer = m_buffer.bytes * m_grid.GetRail(from);
    return {CollectiveTransfer::SCRATCH + buffer + block.offset, block.bytes};
}

uint64_t
EqualExchange::CountReceivedBytes() const
{
    const uint32_t server = m_grid.GetServer(m_index);
    const uint32_t members = m_grid.CountMembers(server);
    uint64_t passedOn = 0;
    for (uint32_t other = 0; other < m_grid.CountServers(); ++other)
    {
        const uint32_t rails = other == server ? 0 : m_grid.CountMembers(other);
        for (uint32_t rail = m_grid.GetRail(m_index); rail < rails; rail += members)
        {
            passedOn += (members - 1) * GetSent(m_grid.GetMember(other, rail)).bytes;
        }
    }
    return (m_size - 1) * GetSent(m_index).bytes + passedOn;
}

} // namespace ns3
