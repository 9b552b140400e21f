/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-lane.h"

#include <utility>

namespace ns3
{

std::vector<TreeLane::Act>
TreeLane::MakeActs(Way way, const TreePlace& place)
{
    std::vector<uint32_t> parents;
    if (place.parent != TreePlace::NO_PARENT)
    {
        parents.push_back(place.parent);
    }
    std::vector<Act> acts;
    auto add = [&acts](CollectiveTransfer::Action action, const std::vector<uint32_t>& peers) {
        if (!peers.empty())
        {
            acts.push_back({action, peers});
        }
    };
    if (way != DOWN)
    {
        add(CollectiveTransfer::RECV_REDUCE, place.children);
        add(CollectiveTransfer::SEND, parents);
    }
    if (way != UP)
    {
        add(CollectiveTransfer::RECV_COPY, parents);
        add(CollectiveTransfer::SEND, place.children);
    }
    return acts;
}

TreeLane::TreeLane(std::shared_ptr<const std::vector<Act>> acts, const Share& share, uint64_t first)
    : m_acts(std::move(acts)),
      m_share(share),
      m_piece(first)
{
}

bool
TreeLane::Next(CollectiveStep& step)
{
    step.clear();
    while (m_piece < m_share.pieces)
    {
        const auto& act = (*m_acts)[m_next];
        const auto part = m_share.part.Cut(m_share.pieces, m_piece);
        for (const auto peer : act.peers)
        {
            step.push_back({act.action, peer, part.offset, part.bytes});
        }
        if (++m_next == m_acts->size())
        {
            m_next = 0;
            m_piece += m_share.stride;
        }
        // What comes next needs what is received, but not what is sent. A member that only sends
        // makes a step for each piece, so that a step is never long.
        if (act.action != CollectiveTransfer::SEND || m_acts->size() == 1)
        {
            break;
        }
    }
    return !step.empty();
}

uint32_t
TreeLane::GetChannel() const
{
    return m_share.channel;
}

} // namespace ns3
