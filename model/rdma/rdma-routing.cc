/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRouting);

TypeId
RdmaRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaRouting").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

} // namespace ns3
