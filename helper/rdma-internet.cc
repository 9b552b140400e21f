/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-internet.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/rdma-frame.h"
#include "ns3/rdma-ip-interface.h"
#include "ns3/rdma-nic.h"
#include "ns3/virtual-net-device.h"

namespace ns3
{

namespace
{

/// Random streams that are kept for the internet stack of a host, more than it has protocols.
constexpr int64_t STREAMS_PER_STACK = 64;

} // namespace

void
InstallRdmaInternet(const NodeContainer& hosts, int64_t stream)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    for (auto host = hosts.Begin(); host != hosts.End(); ++host, stream += STREAMS_PER_STACK)
    {
        if (!(*host)->GetObject<RdmaNic>())
        {
            continue;
        }
        stack.Install(*host);
        stack.AssignStreams(*host, stream);
        auto nic = (*host)->GetObject<RdmaNic>();
        auto device = CreateObject<VirtualNetDevice>();
        // Frames of IP are as long as those of RDMA, which the switches' headroom goes by.
        device->SetMtu(static_cast<uint16_t>(
            RdmaPacket::GetDataBytes(nic->MakeQueuePairConfig().mtu) - RdmaPacket::ETHERNET_BYTES));
        (*host)->AddDevice(device);
        auto interface = CreateObject<RdmaIpInterface>();
        interface->Setup(nic, device);
        (*host)->AggregateObject(interface);
        auto ipv4 = (*host)->GetObject<Ipv4>();
        const uint32_t index = ipv4->AddInterface(device);
        // All hosts are neighbours: the fabric's own routes lead to them.
        ipv4->AddAddress(index,
                         Ipv4InterfaceAddress(RdmaFrame::GetIpv4Address(nic->GetAddress()),
                                              Ipv4Mask("255.0.0.0")));
        ipv4->SetUp(index);
    }
}

} // namespace ns3
