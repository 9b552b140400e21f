/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-backlog.h"

#include <algorithm>
#include <cmath>

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
    const auto bytes = static_cast<uint64_t>(std::llround(shortQueue.GetSeconds() * byteRate));
    // Trains wait as a whole only well below where marks begin, so that those come by the packet.
    m_shortBytes = std::min(bytes, m_marking.GetKmin() / 4);
}

void
RdmaPortBacklog::Flush(RdmaEgressQueues::Mask priorities, uint64_t PortCounters::*cause)
{
    while (RdmaPacketPtr packet = m_queues.Pop(priorities))
    {
        m_bytes -= packet->size;
        TraceQueue(packet->priority, m_bytes + packet->size);
        Drop(*packet, cause);
    }
}

void
RdmaPortBacklog::Drop(const RdmaPacket& packet, uint64_t PortCounters::*cause)
{
    m_monitor.Drop(packet, cause);
    // The owner has stored it, and gives its room back.
    m_owner->Dequeued(*m_end.port, packet);
}

} // namespace ns3
