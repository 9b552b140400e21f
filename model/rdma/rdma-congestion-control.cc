/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-control.h"

#include "ns3/strategy-registry.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionControl);

TypeId
RdmaCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongestionControl").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

std::string
RdmaCongestionControl::GetName() const
{
    return StrategyRegistry::GetName(GetInstanceTypeId());
}

void
RdmaCongestionControl::CheckParameters() const
{
}

bool
RdmaCongestionControl::UsesCnp() const
{
    return false;
}

Time
RdmaCongestionControl::GetCnpInterval() const
{
    return Time(0);
}

bool
RdmaCongestionControl::UsesTelemetry() const
{
    return false;
}

bool
RdmaCongestionControl::UsesCredits() const
{
    return false;
}

bool
RdmaCongestionControl::GrantsShortestFirst() const
{
    return false;
}

const RdmaMessagePriorities*
RdmaCongestionControl::GetMessagePriorities() const
{
    return nullptr;
}

bool
RdmaCongestionControl::NeedsNetworkRtt() const
{
    return false;
}

bool
RdmaCongestionControl::NeedsEveryAck() const
{
    return false;
}

std::string
RdmaCongestionControl::GetSprayingUnsupportedReason() const
{
    return "";
}

std::string
RdmaCongestionControl::GetFluidUnsupportedReason() const
{
    return "";
}

} // namespace ns3
