/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rc-protocol.h"

#include "rdma-enum-attribute.h"
#include "rdma-rc-receiver.h"

#include "ns3/strategy-registry.h"

namespace ns3
{

NS_STRATEGY_ENSURE_REGISTERED(RdmaRcProtocol, "rdma", "lossless Ethernet and queue pairs", 0);

TypeId
RdmaRcProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaRcProtocol")
            .SetParent<RdmaProtocol>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaRcProtocol>()
            .AddAttribute(
                "PortSpraying",
                "How queue pairs share the ports of a host that lead to their peer: split "
                "= a connection has QpsPerConnection queue pairs on each, in turn, and "
                "each message is split over one on each, as by NCCL over the ports of a "
                "NIC (2.30, src/transport/net_ib/connect.cc, nqps and nDataQps; "
                "NCCL_IB_MERGE_NICS=1); queue-pair = each stays on one, by the hash of "
                "its flow; message, packet = each message or packet takes the next port "
                "(multi-plane NICs: C. Zhao et al., Insights into DeepSeek-V3, ISCA "
                "2025, section 5.1). What comes out of order waits at the receiver; "
                "losses are sent again selectively.",
                EnumValue(SPLIT),
                MakeRdmaEnumAccessor(&RdmaRcProtocol::m_spraying),
                MakeEnumChecker(SPLIT,
                                "split",
                                BY_QUEUE_PAIR,
                                "queue-pair",
                                BY_MESSAGE,
                                "message",
                                BY_PACKET,
                                "packet"));
    return tid;
}

bool
RdmaRcProtocol::Reorders() const
{
    return m_spraying == BY_MESSAGE || m_spraying == BY_PACKET;
}

bool
RdmaRcProtocol::SplitsOverPorts() const
{
    return m_spraying == SPLIT;
}

std::string
RdmaRcProtocol::GetUnsupportedReason(const RdmaCongestionControl& control) const
{
    if (control.UsesCredits())
    {
        return "receivers of reliable connections grant no credit";
    }
    return Reorders() ? control.GetSprayingUnsupportedReason() : "";
}

std::string
RdmaRcProtocol::GetAllPortsOption() const
{
    return m_spraying == BY_QUEUE_PAIR ? "--ns3::RdmaRcProtocol::PortSpraying=split" : "";
}

std::unique_ptr<RdmaSender>
RdmaRcProtocol::CreateSender(RdmaQueuePairHost& nic,
                             uint32_t number,
                             uint32_t peer,
                             uint16_t udpSourcePort,
                             uint8_t priority) const
{
    const auto spraying = m_spraying == BY_PACKET    ? RdmaRcSender::BY_PACKET
                          : m_spraying == BY_MESSAGE ? RdmaRcSender::BY_MESSAGE
                                                     : RdmaRcSender::BY_QUEUE_PAIR;
    return std::make_unique<RdmaRcSender>(nic, number, peer, udpSourcePort, priority, spraying);
}

std::unique_ptr<RdmaReceiver>
RdmaRcProtocol::CreateReceiver(RdmaQueuePairHost& nic,
                               uint32_t number,
                               const RdmaPacket& packet) const
{
    return std::make_unique<RdmaRcReceiver>(nic, number, packet);
}

} // namespace ns3
