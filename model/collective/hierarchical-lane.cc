/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-lane.h"

#include "scattered-transfer.h"

namespace ns3
{

HierarchicalLane::HierarchicalLane(const CollectiveCall& call, const Share& share)
    : m_call(call),
      m_grid(call),
      m_share(share),
      m_server(m_grid.GetServer(call.index)),
      m_owner(m_grid.GetMember(m_server, share.rail)),
      m_reduces(call.kind != CollectiveKind::ALL_GATHER),
      m_gathers(call.kind != CollectiveKind::REDUCE_SCATTER),
      m_piece(share.first)
{
}

bool
HierarchicalLane::Next(CollectiveStep& step)
{
    step.clear();
    const uint32_t crossings = m_owner == m_call.index ? m_grid.CountServers() - 1 : 0;
    const uint32_t reducing = m_reduces ? 1 + crossings : 0;
    const uint32_t gathering = m_gathers ? crossings + 1 : 0;
    if (m_step == reducing + gathering)
    {
        m_piece += m_share.depth;
        m_step = 0;
    }
    if (m_piece >= m_share.pieces)
    {
        return false;
    }
    const uint32_t turn = m_step++;
    if (m_reduces && turn == 0)
    {
        Collect(step);
    }
    else if (m_gathers && turn == reducing + crossings)
    {
        Spread(step);
    }
    else
    {
        const bool reduces = turn < reducing;
        Cross(step, reduces, reduces ? turn - 1 : turn - reducing);
    }
    return true;
}

uint32_t
HierarchicalLane::GetChannel() const
{
    return m_share.rail;
}

BufferPart
HierarchicalLane::FindPart(const CollectiveCall& call,
                           const RailGrid& grid,
                           uint32_t rail,
                           uint32_t server)
{
    const BufferPart buffer{0, call.bytes};
    if (call.kind == CollectiveKind::ALL_REDUCE)
    {
        return buffer.Cut(grid.CountRails(), rail).Cut(grid.CountServers(), server);
    }
    const uint32_t members = grid.CountMembers(server);
    const uint32_t railsOfMember = (grid.CountRails() - 1 - rail % members) / members + 1;
    return buffer.Cut(call.size, grid.GetMember(server, rail)).Cut(railsOfMember, rail / members);
}

void
HierarchicalLane::Collect(CollectiveStep& step) const
{
    if (m_owner == m_call.index)
    {
        AddOthers(step, CollectiveTransfer::RECV_REDUCE);
    }
    else
    {
        AddScatteredTransfer(step, CollectiveTransfer::SEND, m_owner, GetPieces());
    }
}

void
HierarchicalLane::Spread(CollectiveStep& step) const
{
    if (m_owner == m_call.index)
    {
        AddOthers(step, CollectiveTransfer::SEND);
    }
    else
    {
        AddScatteredTransfer(step, CollectiveTransfer::RECV_COPY, m_owner, GetPieces());
    }
}

void
HierarchicalLane::Cross(CollectiveStep& step, bool reduces, uint32_t turn) const
{
    const uint32_t servers = m_grid.CountServers();
    // Reduce-scatter ends with the part of the own server; all-gather begins from there.
    const uint32_t sent = m_server + servers - turn - (reduces ? 1 : 0);
    const uint32_t received = sent - 1;
    AddScatteredTransfer(step,
                         CollectiveTransfer::SEND,
                         m_grid.GetMember((m_server + 1) % servers, m_share.rail),
                         {GetPiece(sent % servers)});
    AddScatteredTransfer(step,
                         reduces ? CollectiveTransfer::RECV_REDUCE : CollectiveTransfer::RECV_COPY,
                         m_grid.GetMember((m_server + servers - 1) % servers, m_share.rail),
                         {GetPiece(received % servers)});
}

void
HierarchicalLane::AddOthers(CollectiveStep& step, CollectiveTransfer::Action action) const
{
    const uint32_t members = m_grid.CountMembers(m_server);
    if (members == 1)
    {
        return;
    }
    const auto pieces = GetPieces();
    for (uint32_t distance = 1; distance < members; ++distance)
    {
        const uint32_t peer = m_grid.GetMember(m_server, m_share.rail % members + distance);
        AddScatteredTransfer(step, action, peer, pieces);
    }
}

BufferPart
HierarchicalLane::GetPiece(uint32_t server) const
{
    return FindPart(m_call, m_grid, m_share.rail, server).Cut(m_share.pieces, m_piece);
}

std::vector<BufferPart>
HierarchicalLane::GetPieces() const
{
    std::vector<BufferPart> pieces;
    for (uint32_t server = 0; server < m_grid.CountServers(); ++server)
    {
        pieces.push_back(GetPiece(server));
    }
    return pieces;
}

} // namespace ns3
