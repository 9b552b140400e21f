/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rc-protocol.h"

#include "rdma-rc-receiver.h"
#include "rdma-rc-sender.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRcProtocol);

TypeId
RdmaRcProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaRcProtocol")
                            .SetParent<RdmaProtocol>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaRcProtocol>();
    return tid;
}

std::string
RdmaRcProtocol::GetName() const
{
    return "rdma";
}

bool
RdmaRcProtocol::Reorders() const
{
    return false;
}

std::string
RdmaRcProtocol::GetObstacle(const RdmaCongestionControl& control) const
{
    return control.UsesCredits() ? "receivers of reliable connections grant no credit" : "";
}

std::unique_ptr<RdmaSender>
RdmaRcProtocol::CreateSender(RdmaNic& nic,
                             uint32_t number,
                             uint32_t peer,
                             uint16_t udpSourcePort,
                             uint8_t priority) const
{
    return std::make_unique<RdmaRcSender>(nic, number, peer, udpSourcePort, priority);
}

std::unique_ptr<RdmaReceiver>
RdmaRcProtocol::CreateReceiver(RdmaNic& nic, uint32_t number, const RdmaPacket& packet) const
{
    return std::make_unique<RdmaRcReceiver>(nic, number, packet);
}

} // namespace ns3
