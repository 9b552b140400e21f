/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ecmp-routing.h"

#include "ns3/ecmp-hash.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaEcmpRouting);

TypeId
RdmaEcmpRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaEcmpRouting")
                            .SetParent<RdmaRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaEcmpRouting>();
    return tid;
}

std::string
RdmaEcmpRouting::GetName() const
{
    return "ecmp";
}

bool
RdmaEcmpRouting::Reorders() const
{
    return false;
}

uint32_t
RdmaEcmpRouting::Choose(uint32_t node [[maybe_unused]],
                        uint64_t salt,
                        const RdmaPacket& packet,
                        const RdmaNextHops& hops)
{
    return EcmpChoose(packet.flowHash, salt, hops.size());
}

} // namespace ns3
