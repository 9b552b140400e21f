/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-lane.h"

#include <utility>

namespace ns3
{

NvlsLane::NvlsLane(TreeLane::Way way, Role role, const Share& share)
    : m_way(way),
      m_role(std::move(role)),
      m_share(share)
{
    const uint64_t turns =
        share.pieces > share.first ? (share.pieces - share.first - 1) / share.stride + 1 : 0;
    m_end = turns == 0 ? 0 : turns + 2 * uint64_t{m_role.place.height} + 1;
}

bool
NvlsLane::Next(CollectiveStep& step)
{
    step.clear();
    while (step.empty() && m_beat < m_end)
    {
        // What is finished goes first: others wait for it. And so a head gets its multicast of this
        // beat before the sum, which lacks its own contribution until then.
        if (m_way != TreeLane::UP)
        {
            AddDown(step);
        }
        if (m_way != TreeLane::DOWN)
        {
            AddUp(step);
        }
        ++m_beat;
    }
    return !step.empty();
}

uint32_t
NvlsLane::GetChannel() const
{
    return m_share.channel;
}

BufferPart
NvlsLane::GetPart(uint64_t start) const
{
    if (m_beat < start)
    {
        return {};
    }
    const uint64_t piece = m_share.first + (m_beat - start) * m_share.stride;
    return piece < m_share.pieces ? m_share.part.Cut(m_share.pieces, piece) : BufferPart();
}

void
NvlsLane::AddDown(CollectiveStep& step) const
{
    const auto& place = m_role.place;
    const uint64_t turn = m_way == TreeLane::DOWN ? 0 : place.height + uint64_t{1};
    const auto part = GetPart(turn + place.depth);
    if (m_role.member == m_role.head)
    {
        for (const auto child : place.children)
        {
            Add(step, CollectiveTransfer::SEND, child, part);
        }
        if (place.parent != TreePlace::NO_PARENT)
        {
            Add(step, CollectiveTransfer::RECV_COPY, place.parent, GetPart(turn + place.depth - 1));
        }
        if (!m_role.isAlone)
        {
            Add(step, CollectiveTransfer::SWITCH_MULTICAST, m_role.member, part);
        }
    }
    if (!m_role.isAlone)
    {
        Add(step, CollectiveTransfer::SWITCH_RECV, m_role.head, part);
    }
}

void
NvlsLane::AddUp(CollectiveStep& step) const
{
    const auto& place = m_role.place;
    const uint64_t start = place.height - place.depth;
    const auto part = GetPart(start);
    if (m_role.member == m_role.head && place.parent != TreePlace::NO_PARENT)
    {
        Add(step, CollectiveTransfer::SEND, place.parent, GetPart(start + 1));
    }
    if (!m_role.isAlone)
    {
        Add(step, CollectiveTransfer::SWITCH_REDUCE, m_role.head, part);
    }
    if (m_role.member == m_role.head)
    {
        // The sum takes the place of the head's own bytes, then those of the other heads are added.
        if (!m_role.isAlone)
        {
            Add(step, CollectiveTransfer::SWITCH_RECV, m_role.member, part);
        }
        for (const auto child : place.children)
        {
            Add(step, CollectiveTransfer::RECV_REDUCE, child, part);
        }
    }
}

void
NvlsLane::Add(CollectiveStep& step,
              CollectiveTransfer::Action action,
              uint32_t peer,
              const BufferPart& part)
{
    if (part.bytes > 0)
    {
        step.push_back({action, peer, part.offset, part.bytes});
    }
}

} // namespace ns3
