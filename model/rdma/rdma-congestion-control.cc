/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-control.h"

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

void
RdmaCongestionControl::CheckParameters() const
{
}

bool
RdmaCongestionControl::UsesCnp() const
{
    return false;
}

bool
RdmaCongestionControl::UsesTelemetry() const
{
    return false;
}

bool
RdmaCongestionControl::NeedsEveryAck() const
{
    return false;
}

} // namespace ns3
