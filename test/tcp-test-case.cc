/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-test-case.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <memory>

namespace ns3
{

void
TcpTestCase::DoSetup()
{
    m_factory.SetTypeId(TcpMessageTransport::GetTypeId());
}

void
TcpTestCase::MakeHosts(const std::string& rate, Time delay)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(m_mtu));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    // Too short for the device to hold what RED is to see, or too long to drop anything.
    link.SetQueue("ns3::DropTailQueue<Packet>",
                  "MaxSize",
                  StringValue(m_redThreshold > 0 ? "2p" : "100000p"));
    m_nodes.Create(2);
    m_devices = link.Install(m_nodes);
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(m_nodes);
    if (m_redThreshold > 0)
    {
        TrafficControlHelper red;
        red.SetRootQueueDisc("ns3::RedQueueDisc",
                             "UseEcn",
                             BooleanValue(true),
                             "UseHardDrop",
                             BooleanValue(false),
                             "MinTh",
                             DoubleValue(m_redThreshold),
                             "MaxTh",
                             DoubleValue(m_redThreshold),
                             "QW",
                             DoubleValue(1),
                             "MaxSize",
                             StringValue("1000p"));
        m_queueDiscs = red.Install(m_devices);
    }
    m_interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(m_devices);
}

void
TcpTestCase::MakeRanks(uint32_t ranks)
{
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        addresses->emplace_back(m_interfaces.GetAddress(rank % 2), 5000 + rank);
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        auto transport = m_factory.Create<TcpMessageTransport>();
        transport->Install(m_nodes.Get(rank % 2), rank, addresses);
        transport->TraceConnectWithoutContext("ConnectionFailed",
                                              MakeCallback(&TcpTestCase::Fail, this));
        transport->TraceConnectWithoutContext("Retransmission",
                                              MakeCallback(&TcpTestCase::Retransmit, this));
        AddRank(transport);
    }
}

void
TcpTestCase::LosePackets(double share)
{
    for (uint32_t host = 0; host < 2; host++)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(share);
        errors->AssignStreams(host);
        m_devices.Get(host)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }
}

void
TcpTestCase::DoTeardown()
{
    TransportTestCase::DoTeardown();
    m_nodes = NodeContainer();
    m_devices = NetDeviceContainer();
    m_queueDiscs = QueueDiscContainer();
}

void
TcpTestCase::Fail(uint32_t rank, uint32_t peer, const std::string& reason)
{
    m_failures.push_back(std::to_string(rank) + "-" + std::to_string(peer) + ": " + reason);
}

void
TcpTestCase::Retransmit(uint32_t rank [[maybe_unused]],
                        uint32_t peer [[maybe_unused]],
                        uint32_t bytes)
{
    m_retransmissions++;
    m_retransmittedBytes += bytes;
}

} // namespace ns3
