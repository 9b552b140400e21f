/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rail-grid.h"

namespace ns3
{

RailGrid::RailGrid(const CollectiveCall& call)
    : m_placement(call.placement),
      m_size(call.size),
      m_rails(call.placement ? call.placement->GetLargestServer() : 1)
{
    if (m_placement && m_placement->GetChannels())
    {
        m_channels.emplace(*m_placement);
    }
}

uint32_t
RailGrid::CountServers() const
{
    return m_placement ? static_cast<uint32_t>(m_placement->GetServers().size()) : m_size;
}

uint32_t
RailGrid::CountRails() const
{
    return m_rails;
}

uint32_t
RailGrid::CountMembers(uint32_t server) const
{
    // Without a placement each member counts as a server of its own, with a single rail.
    return m_placement ? static_cast<uint32_t>(m_placement->GetServers()[server].size()) : 1;
}

uint32_t
RailGrid::GetMember(uint32_t server, uint32_t rail) const
{
    // In a server with fewer members than rails a member serves several of them.
    return m_placement ? m_placement->GetServers()[server][rail % CountMembers(server)] : server;
}

uint32_t
RailGrid::GetServer(uint32_t member) const
{
    return m_placement ? m_placement->GetPlace(member).server : member;
}

uint32_t
RailGrid::GetRail(uint32_t member) const
{
    return m_placement ? m_placement->GetPlace(member).rail : 0;
}

uint32_t
RailGrid::FindRelay(uint32_t from, uint32_t to) const
{
    if (m_channels)
    {
        return m_channels->FindSender(from, to);
    }
    const uint32_t server = GetServer(from);
    return server == GetServer(to) ? from : GetMember(server, GetRail(to));
}

std::string
RailExchange::FindUnsupportedReason(const CollectiveCall& call)
{
    return call.splits ? "its splits are known to senders and receivers only, not to members that "
                         "pass blocks on"
                       : "";
}

RailExchange::RailExchange(const CollectiveCall& theCall)
    : call(theCall),
      grid(theCall)
{
}

BufferPart
RailExchange::GetSent(uint32_t to) const
{
    return BufferPart{0, call.bytes}.Cut(call.size, to);
}

BufferPart
RailExchange::GetReceived(uint32_t from) const
{
    // All that a member receives is cut for its own index, so its blocks are equally long.
    const auto length = GetSent(call.index).bytes;
    return {from * length, length};
}

BufferPart
RailExchange::GetRelayed(uint32_t from, uint32_t to) const
{
    // As it stands in the sender's buffer, one buffer after another.
    const auto block = GetSent(to);
    const auto buffer = call.bytes * grid.GetRail(from);
    return {CollectiveTransfer::SCRATCH + buffer + block.offset, block.bytes};
}

} // namespace ns3
