/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-monitor.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPortMonitor");

void
RdmaPortMonitor::Drop(const RdmaPacket& packet, uint64_t PortCounters::*cause)
{
    NS_LOG_LOGIC("a packet from " << packet.source << " to " << packet.destination << " is lost");
    counters.drops += packet.train.count;
    if (cause)
    {
        counters.*cause += packet.train.count;
    }
    dropTrace(packet);
}

} // namespace ns3
