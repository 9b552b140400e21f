/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reorder-buffer.h"

#include <utility>

namespace ns3
{

bool
RdmaReorderBuffer::Keep(RdmaPacket& packet)
{
    const uint64_t last = packet.sequence + packet.train.count - 1;
    bool isNew = false;
    for (uint64_t number = packet.sequence; number <= last; ++number)
    {
        isNew = m_packets.Add(number);
    }
    if (packet.isLast && isNew)
    {
        m_ends[last] = std::move(packet.message);
    }
    return isNew;
}

uint64_t
RdmaReorderBuffer::Advance(uint64_t expected)
{
    m_packets.MoveTo(expected);
    return m_packets.Advance();
}

std::unique_ptr<const Message>
RdmaReorderBuffer::TakeMessage(uint64_t expected)
{
    if (m_ends.empty() || m_ends.begin()->first >= expected)
    {
        return nullptr;
    }
    auto message = std::move(m_ends.begin()->second);
    m_ends.erase(m_ends.begin());
    return message;
}

} // namespace ns3
