/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-turns.h"

namespace ns3
{

RdmaPortTurns::RdmaPortTurns(RdmaPortBacklog& backlog)
    : m_backlog(backlog)
{
}

void
RdmaPortTurns::SetSource(RdmaPacketSource* source)
{
    m_source = source;
}

void
RdmaPortTurns::Alternate()
{
    m_alternates = true;
}

RdmaPacketPtr
RdmaPortTurns::Take(RdmaEgressQueues::Mask allowed)
{
    const bool isSourcesTurn = m_alternates && m_deficit <= 0;
    RdmaPacketPtr packet = isSourcesTurn ? Pull(allowed) : nullptr;
    if (packet)
    {
        // A train is as many turns as it has packets.
        m_deficit += packet->train.count;
        return packet;
    }
    packet = m_backlog.Pop(allowed);
    if (packet)
    {
        // Who has nothing to send saves no turns.
        m_deficit = isSourcesTurn ? 0 : m_deficit - packet->train.count;
        return packet;
    }
    m_deficit = 1;
    return Pull(allowed);
}

RdmaPortTurns::Gap
RdmaPortTurns::TakeForGap(RdmaEgressQueues::Mask allowed, bool isOwn)
{
    Gap gap;
    gap.packet = m_backlog.Pop(allowed);
    if (gap.packet)
    {
        // What a host relays, and what it sends itself, take turns.
        gap.trainsTurns = isOwn ? gap.packet->train.count : 0;
        m_deficit -= gap.packet->train.count;
    }
    else
    {
        gap.packet = m_source ? m_source->PullIntoTrain(allowed) : nullptr;
        gap.trainsTurns = gap.packet ? 0 : 1;
    }
    return gap;
}

} // namespace ns3
