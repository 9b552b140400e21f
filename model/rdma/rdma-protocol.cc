/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-protocol.h"

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

RdmaProtocol::SwitchSettings
RdmaProtocol::GetSwitchSettings(Time networkRtt [[maybe_unused]]) const
{
    return {};
}

} // namespace ns3
