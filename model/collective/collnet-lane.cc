/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-lane.h"

namespace ns3
{

CollnetLane::CollnetLane(const TreePlace& place,
                         const BufferPart& share,
                         const LaneItems& chunks,
                         uint32_t channel)
    : SlottedLane(share, chunks, 2 * uint64_t{place.height} + 1, channel),
      m_place(place)
{
}

void
CollnetLane::MakeSlot(CollectiveStep& step) const
{
    const bool isHead = m_place.parent == TreePlace::NO_PARENT;
    const uint64_t up = m_place.height - m_place.depth;
    const uint64_t down = uint64_t{m_place.height} + m_place.depth + 1;
    // What is finished goes first: others wait for it.
    for (const auto child : m_place.children)
    {
        AddTransfer(step, CollectiveTransfer::SEND, child, GetPart(down));
    }
    AddTransfer(step,
                isHead ? CollectiveTransfer::NETWORK_REDUCE : CollectiveTransfer::SEND,
                m_place.parent,
                GetPart(up));
    AddTransfer(step,
                isHead ? CollectiveTransfer::NETWORK_RECV : CollectiveTransfer::RECV_COPY,
                m_place.parent,
                GetPart(down - 1));
    for (const auto child : m_place.children)
    {
        AddTransfer(step, CollectiveTransfer::RECV_REDUCE, child, GetPart(up - 1));
    }
}

} // namespace ns3
