/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ip-queue.h"

#include <utility>

namespace ns3
{

RdmaIpQueue::RdmaIpQueue(RdmaPacketSource& pairs, const RdmaEgressQueues& shares, uint8_t priority)
    : m_pairs(pairs),
      m_shares(shares),
      m_priority(priority)
{
}

void
RdmaIpQueue::Push(RdmaPacketPtr packet)
{
    ++m_count;
    m_packets.Push(std::move(packet));
}

RdmaPacketPtr
RdmaIpQueue::Pull(RdmaEgressQueues::Mask allowed)
{
    if (!HasPacket(allowed))
    {
        m_deficit = 0;
        return m_pairs.Pull(allowed);
    }
    const auto own = static_cast<RdmaEgressQueues::Mask>(1U << m_priority);
    const auto weighted = m_shares.GetWeighted();
    // Before it: strict priorities above its own, and all of them if it has a weight.
    const bool isStrict = m_shares.IsStrict(m_priority);
    const auto above = static_cast<RdmaEgressQueues::Mask>(
        allowed & ~weighted & (isStrict ? ~(2U * own - 1) : RdmaEgressQueues::ALL));
    auto packet = m_pairs.Pull(above);
    if (packet)
    {
        return packet;
    }
    // In turn with it: its own priority or, of those with a weight, all others, too.
    const auto beside = static_cast<RdmaEgressQueues::Mask>(allowed & (isStrict ? own : weighted));
    const bool isPairsTurn = m_deficit <= 0;
    packet = isPairsTurn ? m_pairs.Pull(beside) : nullptr;
    if (packet)
    {
        m_deficit += packet->size;
        return packet;
    }
    packet = m_packets.Pop();
    --m_count;
    m_deficit = isPairsTurn ? 0 : m_deficit - static_cast<int64_t>(packet->size);
    return packet;
}

bool
RdmaIpQueue::CanPull(RdmaEgressQueues::Mask allowed) const
{
    return m_pairs.CanPull(allowed) || HasPacket(allowed);
}

RdmaPacketPtr
RdmaIpQueue::PullIntoTrain(RdmaEgressQueues::Mask allowed)
{
    // Packets of IP wait until a train has been sent: their turn among single packets is not known.
    return m_pairs.PullIntoTrain(allowed);
}

bool
RdmaIpQueue::CanPullIntoTrain(RdmaEgressQueues::Mask allowed) const
{
    return m_pairs.CanPullIntoTrain(allowed);
}

} // namespace ns3
