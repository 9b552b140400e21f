/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair-host.h"

namespace ns3
{

RdmaQueuePairHost::~RdmaQueuePairHost() = default;

RdmaNetDevice*
RdmaQueuePairHost::ChoosePort(uint32_t peer, uint64_t flowHash, uint32_t pair) const
{
    const RdmaNextHops planes = GetPlanes(peer);
    if (planes.size() > 0)
    {
        return planes[planes.SkipDown(pair % planes.size())];
    }
    const RdmaPacketPtr probe(new RdmaPacket(RdmaPacket::DATA, 0));
    probe->destination = peer;
    probe->flowHash = flowHash;
    RdmaNetDevice* port = m_network->Route(m_address, *probe);
    return port ? port : PeekPointer(m_ports.front());
}

RdmaNetDevice*
RdmaQueuePairHost::GetPortInTurn(uint32_t peer, uint32_t turn) const
{
    const RdmaNextHops hops = m_network->GetNextHops(m_address, peer);
    return hops.size() == 0 ? PeekPointer(m_ports.front())
                            : hops[hops.SkipDown(turn % hops.size())];
}

} // namespace ns3
