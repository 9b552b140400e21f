/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-wire.h"

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

} // namespace ns3
