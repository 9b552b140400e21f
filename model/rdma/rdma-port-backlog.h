/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_BACKLOG_H
#define RDMA_PORT_BACKLOG_H

#include "rdma-ecn-marker.h"
#include "rdma-egress-queues.h"
#include "rdma-link-end.h"
#include "rdma-packet.h"
#include "rdma-port-monitor.h"
#include "rdma-port-owner.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What waits at a port: packets come into its queues, and are marked and reported when they
 * leave them.
 */
class RdmaPortBacklog
{
  public:
    /**
     * @param end the port; must outlive this object
     * @param monitor what the port counts and traces; must outlive this object
     */
    RdmaPortBacklog(const RdmaLinkEnd& end, RdmaPortMonitor& monitor);

    /**
     * @param owner hears of what leaves; must outlive this object
     */
    void SetOwner(RdmaPortOwner* owner);

    /**
     * @param marker marks what waits; null = nothing is marked
     * @param rate rate of the port
     * @param shortQueue sending time of a queue that counts as short
     */
    void SetMarker(Ptr<RdmaEcnMarker> marker, DataRate rate, Time shortQueue);

    /// @return what marks
    RdmaPortMarking& GetMarking()
    {
        return m_marking;
    }

    /// @return what marks
    const RdmaPortMarking& GetMarking() const
    {
        return m_marking;
    }

    /// @return the queues
    RdmaEgressQueues& GetQueues()
    {
        return m_queues;
    }

    /// @return the queues
    const RdmaEgressQueues& GetQueues() const
    {
        return m_queues;
    }

    /**
     * @param packet packet that has to wait
     * @param now time step
     */
    void Push(RdmaPacketPtr packet, int64_t now);

    /**
     * @param allowed priorities that may send
     * @return the packet that leaves the queues next; null = none may be sent
     */
    RdmaPacketPtr Pop(RdmaEgressQueues::Mask allowed);

    /**
     * Drop what waits.
     *
     * @param priorities of these priorities
     * @param cause counter of the cause
     */
    void Flush(RdmaEgressQueues::Mask priorities, uint64_t PortCounters::*cause);

    /**
     * Drop a packet that was to leave by the port.
     *
     * @param packet the packet
     * @param cause counter of the cause
     */
    void Drop(const RdmaPacket& packet, uint64_t PortCounters::*cause);

    /// @return bytes of all priorities that wait
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// @return whether so little waits that trains may wait as a whole
    bool IsShort() const
    {
        return m_bytes <= m_shortBytes;
    }

  private:
    /**
     * Notify sinks of the queue traces.
     *
     * @param priority priority whose queue has changed
     * @param before bytes of all priorities that had waited before
     */
    void TraceQueue(uint8_t priority, uint64_t before)
    {
        if (!m_monitor.queueTrace.IsEmpty())
        {
            m_monitor.queueTrace(priority, m_queues.GetBytes(priority));
        }
        if (!m_monitor.bytesTrace.IsEmpty())
        {
            m_monitor.bytesTrace(Saturate(before), Saturate(m_bytes));
        }
    }

    /**
     * @param bytes any number
     * @return it, or the largest one that probes of ns-3 can take
     */
    static uint32_t Saturate(uint64_t bytes)
    {
        return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
    }

    /**
     * Mark the packet if too much waits.
     *
     * @param packet packet that has left its queue
     */
    void MarkIfCongested(RdmaPacket& packet);

    const RdmaLinkEnd& m_end;        //!< the port
    RdmaPortMonitor& m_monitor;      //!< what it counts and traces
    RdmaPortOwner* m_owner{nullptr}; //!< hears of what leaves
    uint64_t m_bytes{0};             //!< bytes that wait
    uint64_t m_shortBytes{0};        //!< see IsShort()
    RdmaPortMarking m_marking;       //!< marks what waits
    RdmaEgressQueues m_queues;       //!< the queues
};

// Inline: every packet that has to wait comes by here.

inline void
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
        // The receiver's news is of the train: one that holds a marked packet reports congestion.
        packet.marked = true;
        m_monitor.counters.marks += marks;
        m_monitor.markTrace(packet);
    }
}

inline void
RdmaPortBacklog::Push(RdmaPacketPtr packet, int64_t now)
{
    m_monitor.enqueueTrace(*packet);
    m_bytes += packet->size;
    m_monitor.counters.maxQueue = std::max(m_monitor.counters.maxQueue, m_bytes);
    const uint8_t priority = packet->priority;
    if (packet->train.count == 1)
    {
        // A train knows when it has come in; a single packet is notified, for RdmaTrainService and
        // RdmaPfcWatchdog.
        packet->train.head = now;
    }
    const uint32_t size = packet->size;
    m_queues.Push(std::move(packet));
    TraceQueue(priority, m_bytes - size);
}

inline RdmaPacketPtr
RdmaPortBacklog::Pop(RdmaEgressQueues::Mask allowed)
{
    RdmaPacketPtr packet = m_queues.Pop(allowed);
    if (packet)
    {
        m_bytes -= packet->size;
        m_monitor.dequeueTrace(*packet);
        TraceQueue(packet->priority, m_bytes + packet->size);
        MarkIfCongested(*packet);
        m_owner->Dequeued(*m_end.port, *packet);
    }
    return packet;
}

} // namespace ns3

#endif /* RDMA_PORT_BACKLOG_H */
