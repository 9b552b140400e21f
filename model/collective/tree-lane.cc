/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-lane.h"

#include <utility>

namespace ns3
{

TreeLane::TreeLane(Way way, TreePlace place, const Share& share)
    : m_way(way),
      m_place(std::move(place)),
      m_share(share)
{
    if (m_place.parent != TreePlace::NO_PARENT)
    {
        m_parents.push_back(m_place.parent);
    }
    const uint64_t turns = share.pieces > share.first
                               ? (share.pieces - share.first - 1) / share.stride + 1
                               : 0;
    m_end = turns == 0 ? 0 : turns + 2 * uint64_t{m_place.height};
}

bool
TreeLane::Next(CollectiveStep& step)
{
    step.clear();
    const uint64_t depth = m_place.depth;
    const uint64_t height = m_place.height;
    // Down only, nothing has to come up first.
    const uint64_t turn = m_way == DOWN ? 0 : height;
    while (step.empty() && m_beat < m_end)
    {
        if (m_way != DOWN)
        {
            Add(step, CollectiveTransfer::SEND, height - depth, m_parents);
            // A node on the lowest level has no children, so the number does not matter there.
            const uint64_t start = depth < height ? height - depth - 1 : 0;
            Add(step, CollectiveTransfer::RECV_REDUCE, start, m_place.children);
        }
        if (m_way != UP)
        {
            Add(step, CollectiveTransfer::SEND, turn + depth, m_place.children);
            // The root has no parent.
            const uint64_t start = depth > 0 ? turn + depth - 1 : 0;
            Add(step, CollectiveTransfer::RECV_COPY, start, m_parents);
        }
        ++m_beat;
    }
    return !step.empty();
}

uint32_t
TreeLane::GetChannel() const
{
    return m_share.channel;
}

void
TreeLane::Add(CollectiveStep& step,
              CollectiveTransfer::Action action,
              uint64_t start,
              const std::vector<uint32_t>& peers) const
{
    if (m_beat < start || peers.empty())
    {
        return;
    }
    const uint64_t piece = m_share.first + (m_beat - start) * m_share.stride;
    if (piece >= m_share.pieces)
    {
        return;
    }
    const auto part = m_share.part.Cut(m_share.pieces, piece);
    for (const auto peer : peers)
    {
        if (part.bytes > 0)
        {
            step.push_back({action, peer, part.offset, part.bytes});
        }
    }
}

} // namespace ns3
