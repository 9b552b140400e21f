/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-protocol.h"

#include "rdma-congestion-control.h"
#include "rdma-routing.h"

#include "ns3/strategy-registry.h"
#include "ns3/workload-error.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaProtocol);

TypeId
RdmaProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaProtocol").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

std::string
RdmaProtocol::GetName() const
{
    return StrategyRegistry::GetName(GetInstanceTypeId());
}

std::string
RdmaProtocol::GetDefaultCongestionControl() const
{
    return "dcqcn";
}

bool
RdmaProtocol::ServesServers() const
{
    return false;
}

std::string
RdmaProtocol::FindUnsupportedReason(Feature feature [[maybe_unused]]) const
{
    return "";
}

std::string
RdmaProtocol::FindReplacement(const std::string& attribute [[maybe_unused]]) const
{
    return "";
}

std::string
RdmaProtocol::FindUnusedReason(const std::string& attribute [[maybe_unused]]) const
{
    return "";
}

std::string
RdmaProtocol::DescribeDeparture(const RdmaRouting& routing [[maybe_unused]]) const
{
    return "";
}

std::string
RdmaProtocol::GetRoutingUnsupportedReason(const RdmaRouting& routing [[maybe_unused]]) const
{
    return "";
}

bool
RdmaProtocol::SeparatesHosts() const
{
    return true;
}

bool
RdmaProtocol::HasPackets() const
{
    return true;
}

bool
RdmaProtocol::IsAtRest(uint32_t direction [[maybe_unused]]) const
{
    return true;
}

std::vector<uint32_t>
RdmaProtocol::ListAwaited(uint32_t direction [[maybe_unused]]) const
{
    return {};
}

std::string
RdmaProtocol::GetTimeoutAttribute() const
{
    return "ns3::RdmaNic::RetransmissionTimeout";
}

std::string
RdmaProtocol::GetAllPortsOption() const
{
    return "";
}

bool
RdmaProtocol::SplitsOverPorts() const
{
    return !Reorders();
}

RdmaProtocol::SwitchSettings
RdmaProtocol::GetSwitchSettings(Time networkRtt [[maybe_unused]]) const
{
    return {};
}

void
RdmaProtocol::CheckControl(const RdmaCongestionControl& control, const RdmaRouting& routing) const
{
    control.CheckParameters();
    const SourceLocation where{"congestion control " + control.GetName(), 0, 0, ""};
    const std::string refusal = GetUnsupportedReason(control);
    if (!refusal.empty())
    {
        throw WorkloadError(where,
                            "another one with the transport " + GetName() + " (" + refusal + ")",
                            control.GetName());
    }
    const std::string detour = GetRoutingUnsupportedReason(routing);
    if (!detour.empty())
    {
        throw WorkloadError({"routing " + routing.GetName(), 0, 0, ""},
                            "another one with the transport " + GetName() + " (" + detour + ")",
                            routing.GetName());
    }
    const std::string reason = control.GetSprayingUnsupportedReason();
    if (routing.Reorders() && !reason.empty())
    {
        throw WorkloadError(where,
                            "a routing that keeps the packets of a queue pair on one path (" +
                                reason + ")",
                            "routing " + routing.GetName());
    }
}

} // namespace ns3
