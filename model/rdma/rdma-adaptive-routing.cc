/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-adaptive-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaAdaptiveRouting");

NS_OBJECT_ENSURE_REGISTERED(RdmaAdaptiveRouting);

TypeId
RdmaAdaptiveRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaAdaptiveRouting")
                            .SetParent<RdmaRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaAdaptiveRouting>();
    return tid;
}

RdmaAdaptiveRouting::RdmaAdaptiveRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaAdaptiveRouting::~RdmaAdaptiveRouting()
{
    NS_LOG_FUNCTION(this);
}

std::string
RdmaAdaptiveRouting::GetName() const
{
    return "adaptive";
}

bool
RdmaAdaptiveRouting::Reorders() const
{
    return true;
}

uint32_t
RdmaAdaptiveRouting::Choose(uint32_t node [[maybe_unused]],
                            uint64_t salt,
                            const RdmaPacket& packet,
                            const RdmaNextHops& hops)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    std::tuple<bool, bool, int64_t> least;
    m_best.clear();
    for (uint32_t i = 0; i < hops.size(); ++i)
    {
        const RdmaNetDevice& port = *hops[i];
        const std::tuple<bool, bool, int64_t> rank(!port.IsLinkUp(),
                                                   port.IsPaused(packet.priority),
                                                   port.GetBacklogSteps(now));
        if (m_best.empty() || rank < least)
        {
            least = rank;
            m_best.assign(1, i);
        }
        else if (rank == least)
        {
            m_best.push_back(i);
        }
    }
    // A queue pair never sends two packets at the same time.
    const uint64_t hash = packet.flowHash ^ EcmpMix(static_cast<uint64_t>(packet.sentAt));
    return m_best[EcmpChoose(hash, salt, static_cast<uint32_t>(m_best.size()))];
}

} // namespace ns3
