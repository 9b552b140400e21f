/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-backlog.h"

#include "rdma-link-end.h"
#include "rdma-port-owner.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaPortBacklog::RdmaPortBacklog(const RdmaLinkEnd& end, RdmaPortMonitor& monitor)
    : m_end(end),
      m_monitor(monitor)
{
}

void
RdmaPortBacklog::SetOwner(RdmaPortOwner* owner)
{
    m_owner = owner;
}

void
RdmaPortBacklog::SetMarker(Ptr<RdmaEcnMarker> marker, DataRate rate, Time shortQueue)
{
    m_marking.Set(marker, rate);
    const double byteRate = static_cast<double>(rate.GetBitRate()) / 8;
    const auto bytes = static_cast<uint64_t>(shortQueue.GetSeconds() * byteRate);
    // Trains wait as a whole only well below where marks begin, so that those come by the packet.
    m_shortBytes = std::min(bytes, m_marking.GetKmin() / 4);
}

void
RdmaPortBacklog::Push(RdmaPacketPtr packet, int64_t now)
{
    m_monitor.enqueueTrace(*packet);
    m_bytes += packet->size;
    m_monitor.counters.maxQueue = std::max(m_monitor.counters.maxQueue, m_bytes);
    const uint8_t priority = packet->priority;
    if (packet->train.count == 1)
    {
        // A train knows when it has come in; a single packet is told, for RdmaTrainService and
        // RdmaPfcWatchdog.
        packet->train.head = now;
    }
    m_queues.Push(std::move(packet));
    TraceQueue(priority);
}

RdmaPacketPtr
RdmaPortBacklog::Pop(RdmaEgressQueues::Mask allowed)
{
    RdmaPacketPtr packet = m_queues.Pop(allowed);
    if (packet)
    {
        m_bytes -= packet->size;
        m_monitor.dequeueTrace(*packet);
        TraceQueue(packet->priority);
        MarkIfCongested(*packet);
        m_owner->Dequeued(*m_end.port, *packet);
    }
    return packet;
}

void
RdmaPortBacklog::Flush(RdmaEgressQueues::Mask priorities)
{
    while (RdmaPacketPtr packet = m_queues.Pop(priorities))
    {
        m_bytes -= packet->size;
        TraceQueue(packet->priority);
        Drop(*packet);
    }
}

void
RdmaPortBacklog::Drop(const RdmaPacket& packet)
{
    m_monitor.Drop(packet);
    // The owner has stored it, and gives its room back.
    m_owner->Dequeued(*m_end.port, packet);
}

void
RdmaPortBacklog::MarkIfCongested(RdmaPacket& packet)
{
    if (packet.type != RdmaPacket::DATA || packet.marked)
    {
        return;
    }
    const uint32_t one = packet.size / packet.train.count;
    const uint64_t behind = m_queues.GetBytes(packet.priority, packet.ingress);
    if (const uint16_t marks = m_marking.CountMarks(packet.train, one, behind))
    {
        // The receiver's news is of the train: one that holds a marked packet tells of congestion.
        packet.marked = true;
        m_monitor.counters.marks += marks;
        m_monitor.markTrace(packet);
    }
}

} // namespace ns3
