/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_WIRE_H
#define RDMA_PORT_WIRE_H

#include "rdma-flow-control.h"
#include "rdma-link-end.h"
#include "rdma-packet.h"
#include "rdma-port-clock.h"
#include "rdma-port-monitor.h"
#include "rdma-process-link.h"

#include "ns3/data-rate.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How packets get from a port to the far end of its cable.
 */
class RdmaPortWire
{
  public:
    /**
     * @param clock times of the port; must outlive this object
     * @param monitor what the port counts and traces; must outlive this object
     */
    RdmaPortWire(const RdmaPortClock& clock, RdmaPortMonitor& monitor);

    /**
     * Plug in the cable.
     *
     * @param peer port at the far end; must outlive this object
     * @param rate rate of the port
     * @param lookAhead how far processes at its ends may run ahead of each other
     */
    void Attach(const RdmaLinkEnd& peer, DataRate rate, Time lookAhead);

    /// @return port at the far end; null = there is no cable
    const RdmaLinkEnd* GetPeer() const
    {
        return m_peer;
    }

    /**
     * @param writes whether to write into packets that have room for telemetry
     */
    void WriteTelemetry(bool writes);

    /**
     * @param flow hears of every packet that is sent; null = nothing does
     */
    void CountPackets(RdmaFlowControl* flow);

    /// @return what hears of every packet that is sent; null = nothing does
    RdmaFlowControl* GetCounting() const
    {
        return m_counting;
    }

    /**
     * Count a packet, and find when it comes to the far end.
     *
     * @param packet the packet
     * @param now time step
     * @param start time step at which it begins to be sent
     * @param steps time steps that one of its packets takes
     * @param queued bytes that wait at the port
     */
    void Launch(RdmaPacketPtr packet, int64_t now, int64_t start, int64_t steps, uint64_t queued);

  private:
    /**
     * Hand a packet over to the far end: the one place at which packets go from node to node.
     *
     * @param packet the packet
     * @param now time step
     * @param arrival time step at which it has come in there
     */
    void HandOver(RdmaPacketPtr packet, int64_t now, int64_t arrival);

    const RdmaPortClock& m_clock;         //!< times of the port
    RdmaPortMonitor& m_monitor;           //!< what it counts and traces
    const RdmaLinkEnd* m_peer{nullptr};   //!< port at the far end
    RdmaFlowControl* m_counting{nullptr}; //!< hears of all packets
    bool m_writesTelemetry{false};        //!< writes into packets that have room for it
    uint64_t m_bitRate{0};                //!< rate, bit/s
    int64_t m_lookAhead{0};               //!< of a cable between processes, time steps
};

// Inline: every packet that is sent comes by here.

inline void
RdmaPortWire::HandOver(RdmaPacketPtr packet, int64_t now, int64_t arrival)
{
    packet->receiver = m_peer->port;
    // Read now, and not when the cable is plugged in: ports get their numbers after that.
    packet->ingress = static_cast<uint16_t>(m_peer->index);
    packet->isTrainRest = false;
    if (m_peer->remote)
    {
        m_peer->remote->Send(std::move(packet),
                             m_peer->context,
                             m_peer->index,
                             arrival,
                             m_lookAhead);
        return;
    }
    // The packet is its own event: the simulator owns it from here on.
    Simulator::ScheduleWithContext(m_peer->context,
                                   TimeStep(arrival - now),
                                   static_cast<EventImpl*>(packet.release()));
}

inline void
RdmaPortWire::Launch(RdmaPacketPtr packet,
                     int64_t now,
                     int64_t start,
                     int64_t steps,
                     uint64_t queued)
{
    PortCounters& counters = m_monitor.counters;
    if (packet->hasTelemetry && m_writesTelemetry && packet->type == RdmaPacket::DATA)
    {
        // In-band telemetry as HPCC reads it, of the time at which the packet begins to be sent.
        packet->telemetry->Write({start, counters.wireBytes, queued, m_bitRate});
    }
    m_monitor.txTrace(*packet);
    counters.wireBytes += packet->GetWireBytes();
    if (packet->type < RdmaPacket::PAUSE)
    {
        counters.packets += packet->train.count;
        counters.bytes += packet->size;
        if (m_counting)
        {
            m_counting->Sent(*packet);
        }
    }
    // A cut-through peer has enough of a packet before its end: GetHeadSteps().
    int64_t arrival = start + m_clock.GetHeadSteps(steps) + m_clock.GetDelay();
    if (packet->train.count > 1)
    {
        // Where it ends its way it comes as a whole: nobody looks at its packets one by one.
        const bool isEnd = packet->destination == m_peer->address;
        packet->train.CutThrough(start, steps, arrival - start - steps, isEnd);
        arrival = packet->train.head;
    }
    HandOver(std::move(packet), now, arrival);
}

} // namespace ns3

#endif /* RDMA_PORT_WIRE_H */
