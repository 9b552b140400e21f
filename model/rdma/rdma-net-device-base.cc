/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-net-device-base.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDeviceBase");

NS_OBJECT_ENSURE_REGISTERED(RdmaNetDeviceBase);

TypeId
RdmaNetDeviceBase::GetTypeId()
{
    const char* const packet = "ns3::RdmaNetDevice::PacketTracedCallback";
    const char* const pause = "ns3::RdmaNetDevice::PauseTracedCallback";
    static TypeId tid =
        TypeId("ns3::RdmaNetDeviceBase")
            .SetParent<NetDevice>()
            .SetGroupName("WorkloadReplay")
            .AddTraceSource("Enqueue",
                            "A packet has to wait.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::enqueueTrace),
                            packet)
            .AddTraceSource("Dequeue",
                            "A packet that had to wait leaves its queue.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::dequeueTrace),
                            packet)
            .AddTraceSource("PhyTxBegin",
                            "A packet begins to be sent.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::txTrace),
                            packet)
            .AddTraceSource("PhyRxEnd",
                            "A packet has come in.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::rxTrace),
                            packet)
            .AddTraceSource("Drop",
                            "A packet is lost: no room at the switch that it came to by this port, "
                            "a cut cable, or an error on it.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::dropTrace),
                            packet)
            .AddTraceSource("Mark",
                            "A packet was marked by ECN, or at least one of a train.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::markTrace),
                            packet)
            .AddTraceSource("Pause",
                            "The far end has paused a priority.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::pauseTrace),
                            pause)
            .AddTraceSource("Resume",
                            "The far end lets a priority go on.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::resumeTrace),
                            pause)
            .AddTraceSource("QueueLength",
                            "A queue has another length.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::queueTrace),
                            "ns3::RdmaNetDevice::QueueTracedCallback")
            .AddTraceSource("BytesInQueue",
                            "Bytes of all priorities that wait, as Uinteger32Probe takes them.",
                            MakeTraceSourceAccessor(&RdmaNetDeviceBase::bytesTrace),
                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

RdmaNetDeviceBase::RdmaNetDeviceBase()
    : m_address(Mac48Address::Allocate())
{
    NS_LOG_FUNCTION(this);
}

RdmaNetDeviceBase::~RdmaNetDeviceBase()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaNetDeviceBase::SetIfIndex(const uint32_t index)
{
    m_index = index;
}

uint32_t
RdmaNetDeviceBase::GetIfIndex() const
{
    return m_index;
}

void
RdmaNetDeviceBase::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
RdmaNetDeviceBase::GetAddress() const
{
    return m_address;
}

bool
RdmaNetDeviceBase::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
RdmaNetDeviceBase::GetMtu() const
{
    return m_mtu;
}

void
RdmaNetDeviceBase::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
RdmaNetDeviceBase::IsBroadcast() const
{
    return false;
}

Address
RdmaNetDeviceBase::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
RdmaNetDeviceBase::IsMulticast() const
{
    return false;
}

Address
RdmaNetDeviceBase::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
RdmaNetDeviceBase::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
RdmaNetDeviceBase::IsPointToPoint() const
{
    return true;
}

bool
RdmaNetDeviceBase::IsBridge() const
{
    return false;
}

bool
RdmaNetDeviceBase::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
RdmaNetDeviceBase::SendFrom(Ptr<Packet> packet,
                            const Address& source [[maybe_unused]],
                            const Address& dest [[maybe_unused]],
                            uint16_t protocolNumber)
{
    NS_LOG_WARN("a device of the rdma fabric carries no packets of protocol "
                << protocolNumber << ": " << packet << " is dropped");
    return false;
}

Ptr<Node>
RdmaNetDeviceBase::GetNode() const
{
    return m_node;
}

void
RdmaNetDeviceBase::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
RdmaNetDeviceBase::NeedsArp() const
{
    return false;
}

void
RdmaNetDeviceBase::SetReceiveCallback(NetDevice::ReceiveCallback callback [[maybe_unused]])
{
    // Nothing that comes in is for a protocol handler of the node.
}

void
RdmaNetDeviceBase::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback callback
                                             [[maybe_unused]])
{
    // As above.
}

bool
RdmaNetDeviceBase::SupportsSendFrom() const
{
    return false;
}

void
RdmaNetDeviceBase::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_node = nullptr;
    NetDevice::DoDispose();
}

void
RdmaNetDeviceBase::SetRemote(RdmaProcessLink* link, uint32_t index, uint32_t address)
{
    m_end.remote = link;
    m_end.index = index;
    m_end.address = address;
}

void
RdmaNetDeviceBase::NotifyLinkChange()
{
    m_linkChange();
}

} // namespace ns3
