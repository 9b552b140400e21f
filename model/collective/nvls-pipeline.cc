/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-pipeline.h"

#include <utility>

namespace ns3
{

NvlsPipeline::NvlsPipeline(TreeDirection direction,
                           NvlsRole role,
                           const BufferPart& share,
                           const PipelineItems& pieces,
                           uint32_t channel)
    : StagedPipeline(share, pieces, 2 * uint64_t{role.place.height} + 1, channel),
      m_direction(direction),
      m_role(std::move(role))
{
}

void
NvlsPipeline::MakeRound(CollectiveStep& step) const
{
    // What is finished goes first: others wait for it. And so a head gets its multicast of this
    // round before the sum, which lacks its own contribution until then.
    if (m_direction != TreeDirection::UP)
    {
        AddDown(step);
    }
    if (m_direction != TreeDirection::DOWN)
    {
        AddUp(step);
    }
}

void
NvlsPipeline::AddDown(CollectiveStep& step) const
{
    const auto& place = m_role.place;
    // In an all-reduce a piece comes down from round height + 1 on, when the root has its sum.
    const uint64_t turn = m_direction == TreeDirection::DOWN ? 0 : place.height + uint64_t{1};
    const auto part = GetPart(turn + place.depth);
    if (m_role.IsHead())
    {
        for (const auto child : place.children)
        {
            AddTransfer(step, CollectiveTransfer::SEND, child, part);
        }
        if (place.parent != TreePlace::NO_PARENT)
        {
            // The parent sends a piece one round before this server passes it on.
            const auto next = GetPart(turn + place.depth - 1);
            AddTransfer(step, CollectiveTransfer::RECV_COPY, place.parent, next);
        }
        if (!m_role.isAlone)
        {
            AddTransfer(step, CollectiveTransfer::SWITCH_MULTICAST, m_role.member, part);
        }
    }
    if (!m_role.isAlone)
    {
        AddTransfer(step, CollectiveTransfer::SWITCH_RECV, m_role.head, part);
    }
}

void
NvlsPipeline::AddUp(CollectiveStep& step) const
{
    const auto& place = m_role.place;
    // Servers deeper in the tree begin earlier, so that a sum arrives when its parent has its own.
    const uint64_t start = place.height - place.depth;
    const auto part = GetPart(start);
    if (m_role.IsHead() && place.parent != TreePlace::NO_PARENT)
    {
        // The sum of the round before: it is complete only at the end of the round that adds it up.
        AddTransfer(step, CollectiveTransfer::SEND, place.parent, GetPart(start + 1));
    }
    if (!m_role.isAlone)
    {
        AddTransfer(step, CollectiveTransfer::SWITCH_REDUCE, m_role.head, part);
    }
    if (!m_role.IsHead())
    {
        return;
    }
    // The sum takes the place of the head's own bytes, then those of the other heads are added.
    if (!m_role.isAlone)
    {
        AddTransfer(step, CollectiveTransfer::SWITCH_RECV_SUM, m_role.member, part);
    }
    for (const auto child : place.children)
    {
        AddTransfer(step, CollectiveTransfer::RECV_REDUCE, child, part);
    }
}

} // namespace ns3
