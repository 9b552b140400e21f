/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flowlet-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"

#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaFlowletRouting");

NS_STRATEGY_ENSURE_REGISTERED(RdmaFlowletRouting, "flowlet", "by burst of a flow", 2);

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

bool
RdmaFlowletRouting::Reorders() const
{
    return false;
}

bool
RdmaFlowletRouting::MovesFlows() const
{
    return true;
}

std::unique_ptr<RdmaPathChoice>
RdmaFlowletRouting::Create(uint32_t node [[maybe_unused]], uint64_t salt) const
{
    return std::make_unique<Choice>(m_gap, salt);
}

RdmaFlowletRouting::Choice::Choice(Time gap, uint64_t salt)
    : m_gap(gap.GetTimeStep()),
      m_salt(salt)
{
}

uint32_t
RdmaFlowletRouting::Choice::Choose(const RdmaPacket& packet, const RdmaNextHops& hops)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const auto found = m_flowlets.find(packet.flowHash);
    uint32_t last = NONE;
    if (found != m_flowlets.end())
    {
        Flowlet& flowlet = found->second;
        // The number may stand for another port since the routes have changed.
        if (flowlet.choice < hops.size() && hops[flowlet.choice] == flowlet.port &&
            flowlet.port->IsLinkUp())
        {
            last = flowlet.choice;
            if (now - flowlet.lastAt <= m_gap)
            {
                flowlet.lastAt = now;
                return last;
            }
        }
    }
    ForgetOld(now);
    const uint32_t choice = ChooseFlowlet(packet, hops, last, now);
    m_flowlets[packet.flowHash] = {now, hops[choice], choice};
    return choice;
}

uint32_t
RdmaFlowletRouting::Choice::ChooseFlowlet(const RdmaPacket& packet,
                                          const RdmaNextHops& hops,
                                          uint32_t last [[maybe_unused]],
                                          int64_t now)
{
    return hops.SkipDown(EcmpChoose(GetHash(packet, now), m_salt, hops.size()));
}

uint64_t
RdmaFlowletRouting::Choice::GetHash(const RdmaPacket& packet, int64_t now)
{
    return packet.flowHash ^ EcmpMix(static_cast<uint64_t>(now));
}

uint32_t
RdmaFlowletRouting::Choice::GetNFlowlets() const
{
    return static_cast<uint32_t>(m_flowlets.size());
}

void
RdmaFlowletRouting::Choice::ForgetOld(int64_t now)
{
    if (now < m_nextForgetAt)
    {
        return;
    }
    m_nextForgetAt = now + m_gap;
    for (auto flowlet = m_flowlets.begin(); flowlet != m_flowlets.end();)
    {
        const bool isOver = now - flowlet->second.lastAt > m_gap;
        flowlet = isOver ? m_flowlets.erase(flowlet) : std::next(flowlet);
    }
}

} // namespace ns3
