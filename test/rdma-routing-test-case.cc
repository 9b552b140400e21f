/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/ecmp-hash.h"
#include "ns3/uinteger.h"

#include <numeric>

namespace ns3
{

RdmaRoutingTestCase::RdmaRoutingTestCase(const std::string& name)
    : TransportTestCase(name)
{
}

void
RdmaRoutingTestCase::DoTeardown()
{
    TransportTestCase::DoTeardown();
    m_fabric.reset();
    m_graph = TopologyGraph();
    m_retransmissions = 0;
    m_lost = 0;
}

double
RdmaRoutingTestCase::ChiSquare(const std::vector<uint64_t>& counts)
{
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double expected = sum / static_cast<double>(counts.size());
    double statistic = 0;
    for (const uint64_t count : counts)
    {
        const double off = static_cast<double>(count) - expected;
        statistic += off * off / expected;
    }
    return statistic;
}

void
RdmaRoutingTestCase::Build(const Shape& shape)
{
    m_shape = shape;
    const uint32_t hosts = shape.leaves * shape.hostsPerLeaf;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        m_graph.AddHost("host" + std::to_string(host));
    }
    for (uint32_t leaf = 0; leaf < shape.leaves; ++leaf)
    {
        m_graph.AddSwitch("leaf" + std::to_string(leaf));
    }
    for (uint32_t spine = 0; spine < shape.spines; ++spine)
    {
        m_graph.AddSwitch("spine" + std::to_string(spine));
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        m_graph.AddLink(host,
                        GetLeaf(host / shape.hostsPerLeaf),
                        DataRate(shape.nicGbps * 1000000000),
                        MicroSeconds(1));
    }
    for (uint32_t leaf = 0; leaf < shape.leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < shape.spines; ++spine)
        {
            m_graph.AddLink(GetLeaf(leaf),
                            GetLeaf(shape.leaves) + spine,
                            DataRate("100Gbps"),
                            MicroSeconds(1) + shape.delayStep * spine);
        }
    }
}

void
RdmaRoutingTestCase::Install(const std::string& routing)
{
    m_fabric = std::make_unique<RdmaFabricHelper>();
    m_fabric->SetCongestionControl("ns3::RdmaNoCongestionControl");
    m_fabric->SetRouting("ns3::Rdma" + routing + "Routing");
    m_fabric->SetMtu(MTU);
    InstallFabric();
}

void
RdmaRoutingTestCase::InstallProtocol(const std::string& protocol,
                                     const std::string& control,
                                     uint32_t mtu)
{
    m_fabric = std::make_unique<RdmaFabricHelper>();
    m_fabric->SetProtocol(protocol);
    m_fabric->SetCongestionControl(control);
    m_fabric->SetMtu(mtu);
    InstallFabric();
}

void
RdmaRoutingTestCase::InstallFabric()
{
    // Lost packets are to be missed soon.
    m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(500)));
    m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(m_shape.bufferSize));
    m_fabric->Install(m_graph);
    m_fabric->AssignStreams(0);
    for (uint32_t link = 0; link < m_graph.GetNLinks(); ++link)
    {
        for (const uint32_t node : {m_graph.GetLink(link).a, m_graph.GetLink(link).b})
        {
            m_fabric->GetDevice(link, node)
                ->TraceConnectWithoutContext("Drop",
                                             MakeCallback(&RdmaRoutingTestCase::CountLoss, this));
        }
    }
    for (uint32_t rank = 0; rank < m_graph.GetHosts().size(); ++rank)
    {
        AddRank(m_fabric->GetTransports()[rank]);
        m_fabric->GetNic(rank)->TraceConnectWithoutContext(
            "Retransmission",
            MakeCallback(&RdmaRoutingTestCase::CountRetransmission, this));
    }
}

uint32_t
RdmaRoutingTestCase::GetLeaf(uint32_t leaf) const
{
    return m_shape.leaves * m_shape.hostsPerLeaf + leaf;
}

uint32_t
RdmaRoutingTestCase::GetUplink(uint32_t leaf, uint32_t spine) const
{
    return m_shape.leaves * m_shape.hostsPerLeaf + leaf * m_shape.spines + spine;
}

uint64_t
RdmaRoutingTestCase::GetPackets(uint32_t link, uint32_t node) const
{
    return m_fabric->GetDevice(link, node)->GetCounters().packets;
}

std::vector<uint64_t>
RdmaRoutingTestCase::GetUplinkPackets(uint32_t leaf) const
{
    std::vector<uint64_t> packets;
    for (uint32_t spine = 0; spine < m_shape.spines; ++spine)
    {
        packets.push_back(GetPackets(GetUplink(leaf, spine), GetLeaf(leaf)));
    }
    return packets;
}

Ptr<RdmaNetDevice>
RdmaRoutingTestCase::Route(uint32_t node,
                           uint32_t destination,
                           uint32_t flow,
                           uint8_t priority) const
{
    const RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, MTU));
    packet->destination = destination;
    packet->flowHash = EcmpMix(flow);
    packet->priority = priority;
    return m_fabric->GetNetwork()->Route(node, *packet);
}

void
RdmaRoutingTestCase::RunThroughFailures(const std::string& routing, uint32_t leaf)
{
    DoTeardown();
    Shape shape;
    shape.hostsPerLeaf = 4;
    shape.spines = 2;
    Build(shape);
    Install(routing);
    for (uint32_t host = 0; host < 8; ++host)
    {
        Post(Time(0), host, 7 - host, 2000 * MTU);
    }
    for (uint32_t spine = 0; spine < 2; ++spine)
    {
        RunUntil(MicroSeconds(300 + 700 * spine));
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(leaf, spine), false);
        RunUntil(MicroSeconds(650 + 700 * spine));
        const uint64_t before = GetUplinkPackets(leaf)[spine];
        RunUntil(MicroSeconds(700 + 700 * spine));
        NS_TEST_EXPECT_MSG_EQ(GetUplinkPackets(leaf)[spine], before, "nothing by it");
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(leaf, spine), true);
    }
    const auto back = GetUplinkPackets(leaf);
    Simulator::Run();
    ExpectAllDelivered();
    NS_TEST_EXPECT_MSG_GT(m_lost, 0, "something is lost");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "and is sent again");
    NS_TEST_EXPECT_MSG_GT(GetUplinkPackets(leaf)[1], back[1], "the uplink is used again");
    for (uint32_t side = 0; side < 2; ++side)
    {
        const auto sw = m_fabric->GetNodes().Get(GetLeaf(side))->GetObject<RdmaSwitch>();
        NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer().GetStored(), 0, "nothing is left in a leaf");
    }
}

void
RdmaRoutingTestCase::RunUntil(Time until)
{
    Simulator::Stop(until - Simulator::Now());
    Simulator::Run();
}

void
RdmaRoutingTestCase::CountRetransmission(const RdmaPacket& packet [[maybe_unused]])
{
    ++m_retransmissions;
}

void
RdmaRoutingTestCase::CountLoss(const RdmaPacket& packet)
{
    m_lost += packet.type == RdmaPacket::DATA ? 1 : 0;
}

} // namespace ns3
