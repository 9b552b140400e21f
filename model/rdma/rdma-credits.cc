/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-credits.h"

#include "ns3/assert.h"

namespace ns3
{

RdmaCredits::RdmaCredits(uint32_t buffer, uint32_t frame, uint32_t flying)
    : m_buffer(buffer),
      m_frame(frame),
      m_flying(flying)
{
    // Both ends have announced their buffers before the simulation begins.
    m_senders.fill({0, buffer});
    m_receivers.fill({0, buffer, 0});
}

void
RdmaCredits::Store(uint8_t virtualLane, uint32_t blocks, bool isStored)
{
    uint32_t& stored = m_receivers[virtualLane].stored;
    stored = isStored ? stored + blocks : stored - blocks;
    NS_ASSERT_MSG(stored <= m_buffer, "more has come in than there is room for");
}

bool
RdmaCredits::IsNews(uint8_t virtualLane) const
{
    const Receiver& receiver = m_receivers[virtualLane];
    const uint64_t left = receiver.announced - receiver.received;
    const uint64_t free = m_buffer - receiver.stored;
    if (left < m_frame)
    {
        // The far end waits, for whatever lets it send a full frame.
        return free >= m_frame;
    }
    return free >= left + m_frame && 2 * left <= free + m_flying;
}

uint64_t
RdmaCredits::Announce(uint8_t virtualLane)
{
    Receiver& receiver = m_receivers[virtualLane];
    receiver.announced = receiver.received + m_buffer - receiver.stored;
    return receiver.announced;
}

void
RdmaCredits::Reset()
{
    m_senders.fill({});
    for (Receiver& receiver : m_receivers)
    {
        receiver.received = 0;
        receiver.announced = 0;
    }
}

} // namespace ns3
