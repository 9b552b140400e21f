/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-packet-test-tools.h"
#include "fabric-test-cases.h"

#include "ns3/boolean.h"
#include "ns3/ecmp-routing-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-ecmp-routing.h"
#include "ns3/ipv4.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Trace sink: count a packet.
 *
 * @param [in,out] count number of packets
 */
void
CountPacket(uint32_t* count, Ptr<const Packet> /* packet */)
{
    ++*count;
}

/**
 * @ingroup workload-replay-tests
 * @brief A network made by a script: two nodes, with three ways of equal length between them, one
 * of which leads through a node that does not forward.
 */
class FabricScriptTestCase : public TestCase
{
  public:
    FabricScriptTestCase()
        : TestCase("EcmpRoutingHelper in a network made by a script")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param nodes nodes
     * @param run number of the run
     * @return seed that the nodes have drawn
     */
    uint64_t DrawSeed(const NodeContainer& nodes, uint64_t run);

    /**
     * Bring a node a packet that it is to relay, though it does not forward.
     *
     * @param node the node
     */
    void ExpectRefusal(Ptr<Node> node);

    /**
     * @param packet packet that is refused
     * @param header its header
     * @param reason why
     */
    void Refuse(Ptr<const Packet> packet, const Ipv4Header& header, Socket::SocketErrno reason);

    std::vector<Socket::SocketErrno> m_refusals; //!< why packets were refused
};

uint64_t
FabricScriptTestCase::DrawSeed(const NodeContainer& nodes, uint64_t run)
{
    RngSeedManager::SetRun(run);
    EcmpRoutingHelper::AssignStreams(nodes, 3);
    return DynamicCast<Ipv4EcmpRouting>(nodes.Get(0)->GetObject<Ipv4>()->GetRoutingProtocol())
        ->GetSeed();
}

void
FabricScriptTestCase::Refuse(Ptr<const Packet> packet [[maybe_unused]],
                             const Ipv4Header& header [[maybe_unused]],
                             Socket::SocketErrno reason)
{
    m_refusals.push_back(reason);
}

void
FabricScriptTestCase::ExpectRefusal(Ptr<Node> node)
{
    Ipv4Header header;
    header.SetDestination(Ipv4Address("192.168.0.30"));
    const bool isDone = node->GetObject<Ipv4>()->GetRoutingProtocol()->RouteInput(
        Create<Packet>(PAYLOAD),
        header,
        node->GetDevice(1),
        Ipv4RoutingProtocol::UnicastForwardCallback(),
        Ipv4RoutingProtocol::MulticastForwardCallback(),
        Ipv4RoutingProtocol::LocalDeliverCallback(),
        MakeCallback(&FabricScriptTestCase::Refuse, this));
    NS_TEST_EXPECT_MSG_EQ(isDone, true, "no other protocol is to try");
    const std::vector<Socket::SocketErrno> expected{Socket::ERROR_NOROUTETOHOST};
    NS_TEST_EXPECT_MSG_EQ((m_refusals == expected), true, "it is refused once");
}

void
FabricScriptTestCase::DoRun()
{
    // 0 - 1 - {2, 3, 4} - 5 - 6; node 4 does not forward.
    NodeContainer nodes;
    nodes.Create(7);
    EcmpRoutingHelper routing;
    routing.Set("Seed", UintegerValue(99));
    InternetStackHelper stack;
    stack.SetRoutingHelper(routing);
    stack.Install(nodes);
    nodes.Get(4)->GetObject<Ipv4>()->SetAttribute("IpForward", BooleanValue(false));
    uint32_t network = Ipv4Address("192.168.0.0").Get();
    for (const auto& [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{
             {0, 1},
             {1, 2},
             {1, 3},
             {1, 4},
             {2, 5},
             {3, 5},
             {4, 5},
             {5, 6},
         })
    {
        const auto pair = PointToPointHelper().Install(nodes.Get(a), nodes.Get(b));
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto ipv4 = pair.Get(i)->GetNode()->GetObject<Ipv4>();
            const auto interface = ipv4->AddInterface(pair.Get(i));
            const Ipv4Address address(network + 1 + i);
            ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("/30")));
            ipv4->SetUp(interface);
        }
        network += 4;
    }
    EcmpRoutingHelper::PopulateRoutingTables();

    const ByteSink sink(nodes.Get(6), UdpSocketFactory::GetTypeId());
    const ByteSink router(nodes.Get(5), UdpSocketFactory::GetTypeId());
    const ByteSink idle(nodes.Get(4), UdpSocketFactory::GetTypeId());
    constexpr uint32_t flows = 64;
    std::vector<uint32_t> relayed(7, 0);
    for (uint32_t node = 2; node <= 4; ++node)
    {
        nodes.Get(node)->GetDevice(2)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeBoundCallback(&CountPacket, &relayed[node]));
    }
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        SendUdp(nodes.Get(0), Ipv4Address("192.168.0.30"), 1, 6000 + flow);
    }
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(sink.GetBytes(), flows * PAYLOAD, "the other end of the last link");
    NS_TEST_EXPECT_MSG_EQ(sink.GetPeer(), Ipv4Address("192.168.0.1"), "address of the interface");
    NS_TEST_EXPECT_MSG_EQ(relayed[2] + relayed[3], flows, "all through nodes that forward");
    // One of the two stays unused once in 2^63 seeds.
    NS_TEST_EXPECT_MSG_GT(relayed[2], 0, "both are used");
    NS_TEST_EXPECT_MSG_GT(relayed[3], 0, "both are used");
    NS_TEST_EXPECT_MSG_EQ(relayed[4], 0, "a node that does not forward");

    // Any address of a node is delivered to it: here one of node 5's, by way of its other links.
    SendUdp(nodes.Get(0), Ipv4Address("192.168.0.29"), 1);
    SendUdp(nodes.Get(0), Ipv4Address("192.168.0.13"), 1);
    SendUdp(nodes.Get(0), Ipv4Address("192.168.0.14"), 1);
    NS_TEST_EXPECT_MSG_EQ(SendUdp(nodes.Get(0), Ipv4Address("192.168.0.99"), 1),
                          Socket::ERROR_NOROUTETOHOST,
                          "an address that nobody has");
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(router.GetBytes(), PAYLOAD, "a router is a destination, too");
    NS_TEST_EXPECT_MSG_EQ(idle.GetBytes(), PAYLOAD, "so is a node that does not forward");

    ExpectRefusal(nodes.Get(4));

    const auto run = RngSeedManager::GetRun();
    const auto first = DrawSeed(nodes, 1);
    NS_TEST_EXPECT_MSG_NE(DrawSeed(nodes, 2), first, "two runs differ");
    NS_TEST_EXPECT_MSG_EQ(DrawSeed(nodes, 1), first, "a run repeats");
    RngSeedManager::SetRun(run);
    Simulator::Destroy();
}

} // namespace

TestCase*
MakeFabricScriptTestCase()
{
    return new FabricScriptTestCase;
}

} // namespace ns3
