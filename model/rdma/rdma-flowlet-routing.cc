/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flowlet-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaFlowletRouting");

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowletRouting);

TypeId
RdmaFlowletRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaFlowletRouting")
            .SetParent<RdmaRouting>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaFlowletRouting>()
            .AddAttribute("FlowletGap",
                          "Pause after which a flow may take another path. It should be "
                          "longer than the delays of the paths can differ (LetFlow, NSDI "
                          "2017). The default is the longest queue that ECN "
                          "leaves standing: Kmax of RdmaEcnMarker. 0 = any pause will do.",
                          TimeValue(MicroSeconds(128)),
                          MakeTimeAccessor(&RdmaFlowletRouting::m_gap),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaFlowletRouting::RdmaFlowletRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaFlowletRouting::~RdmaFlowletRouting()
{
    NS_LOG_FUNCTION(this);
}

std::string
RdmaFlowletRouting::GetName() const
{
    return "flowlet";
}

bool
RdmaFlowletRouting::Reorders() const
{
    return false;
}

uint32_t
RdmaFlowletRouting::Choose(uint32_t node [[maybe_unused]],
                           uint64_t salt,
                           const RdmaPacket& packet,
                           const RdmaNextHops& hops)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const uint64_t key = packet.flowHash ^ salt;
    const auto found = m_flowlets.find(key);
    if (found != m_flowlets.end())
    {
        Flowlet& flowlet = found->second;
        if (now - flowlet.lastAt <= m_gap.GetTimeStep() && flowlet.choice < hops.size() &&
            hops[flowlet.choice] == flowlet.port && flowlet.port->IsLinkUp())
        {
            flowlet.lastAt = now;
            return flowlet.choice;
        }
    }
    ForgetOld(now);
    const uint64_t hash = packet.flowHash ^ EcmpMix(static_cast<uint64_t>(now));
    const uint32_t choice = hops.SkipDown(EcmpChoose(hash, salt, hops.size()));
    m_flowlets[key] = {now, hops[choice], choice};
    return choice;
}

uint32_t
RdmaFlowletRouting::GetNFlowlets() const
{
    return static_cast<uint32_t>(m_flowlets.size());
}

void
RdmaFlowletRouting::ForgetOld(int64_t now)
{
    const int64_t gap = m_gap.GetTimeStep();
    if (now < m_nextForgetAt)
    {
        return;
    }
    m_nextForgetAt = now + gap;
    for (auto flowlet = m_flowlets.begin(); flowlet != m_flowlets.end();)
    {
        const bool isOver = now - flowlet->second.lastAt > gap;
        flowlet = isOver ? m_flowlets.erase(flowlet) : std::next(flowlet);
    }
}

} // namespace ns3
