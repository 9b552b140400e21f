/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-wire.h"

#include "rdma-flow-control.h"
#include "rdma-link-end.h"
#include "rdma-process-link.h"

#include "ns3/event-impl.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

RdmaPortWire::RdmaPortWire(const RdmaPortClock& clock, RdmaPortMonitor& monitor)
    : m_clock(clock),
      m_monitor(monitor)
{
}

void
RdmaPortWire::Attach(const RdmaLinkEnd& peer, DataRate rate, Time lookAhead)
{
    m_peer = &peer;
    m_bitRate = rate.GetBitRate();
    m_lookAhead = lookAhead.GetTimeStep();
}

void
RdmaPortWire::WriteTelemetry(bool writes)
{
    m_writesTelemetry = writes;
}

void
RdmaPortWire::CountPackets(RdmaFlowControl* flow)
{
    m_counting = flow;
}

void
RdmaPortWire::Launch(RdmaPacketPtr packet,
                     int64_t now,
                     int64_t start,
                     int64_t steps,
                     uint64_t queued)
{
    RdmaPortCounters& counters = m_monitor.counters;
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

void
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

} // namespace ns3
