/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-cases.h"

#include "ns3/boolean.h"
#include "ns3/ecmp-hash.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/ecmp-routing-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/topology-builder.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Port that all receivers listen at.
constexpr uint16_t PORT = 5000;

/// Payload of a UDP packet of these tests, bytes.
constexpr uint32_t PAYLOAD = 1000;

/// The same on a link: 8 bytes of UDP, 20 of IPv4 and 2 of PPP come with it.
constexpr uint32_t ON_WIRE = PAYLOAD + 30;

/// Counts the bytes that reach a node, by UDP or TCP.
class ByteSink
{
  public:
    /**
     * @param node node to listen on
     * @param type TypeId of the socket factory
     */
    ByteSink(Ptr<Node> node, TypeId type)
    {
        m_socket = Socket::CreateSocket(node, type);
        m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_socket->Listen();
        m_socket->SetRecvCallback(MakeCallback(&ByteSink::Receive, this));
        m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&ByteSink::Accept, this));
    }

    /**
     * @return bytes received so far
     */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /**
     * @return address that the last connection or packet came from
     */
    Ipv4Address GetPeer() const
    {
        return m_peer;
    }

  private:
    /**
     * @param socket socket of a new connection
     * @param from its other end
     */
    void Accept(Ptr<Socket> socket, const Address& from)
    {
        m_peer = InetSocketAddress::ConvertFrom(from).GetIpv4();
        socket->SetRecvCallback(MakeCallback(&ByteSink::Receive, this));
    }

    /**
     * @param socket a socket with bytes to read
     */
    void Receive(Ptr<Socket> socket)
    {
        Address from;
        while (const auto packet = socket->RecvFrom(from))
        {
            m_bytes += packet->GetSize();
            m_peer = InetSocketAddress::ConvertFrom(from).GetIpv4();
        }
    }

    Ptr<Socket> m_socket; //!< listens
    uint64_t m_bytes{0};  //!< bytes received so far
    Ipv4Address m_peer;   //!< where they came from
};

/**
 * Send UDP packets at once.
 *
 * @param node node that sends
 * @param to address to send to
 * @param packets how many
 * @param port source port
 * @return 0, or the error of the last packet
 */
Socket::SocketErrno
SendUdp(Ptr<Node> node, Ipv4Address to, uint32_t packets, uint16_t port = 6000)
{
    auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    auto error = Socket::ERROR_NOTERROR;
    for (uint32_t i = 0; i < packets; ++i)
    {
        const auto sent = socket->SendTo(Create<Packet>(PAYLOAD), 0, InetSocketAddress(to, PORT));
        error = sent < 0 ? socket->GetErrno() : Socket::ERROR_NOTERROR;
    }
    socket->Close();
    return error;
}

/**
 * Send one UDP packet, as an event.
 *
 * @param node node that sends
 * @param to address to send to
 */
void
SendOneUdp(Ptr<Node> node, Ipv4Address to)
{
    SendUdp(node, to, 1);
}

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
 * @param text an option
 * @param world number of ranks
 * @param gpusPerServer ranks of a server
 * @return the topology
 */
TopologyGraph
Build(const std::string& text, uint32_t world, uint32_t gpusPerServer)
{
    FabricParameters parameters;
    parameters.gpusPerServer = gpusPerServer;
    return TopologyBuilder::Build(TopologySpec(text), world, parameters);
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief UDP and TCP through a TcpFabricHelper: every counter is known by hand.
 */
class FabricCountersTestCase : public TestCase
{
  public:
    FabricCountersTestCase()
        : TestCase("packets of an IPv4 fabric arrive and are counted")
    {
    }

  private:
    void DoRun() override;

    /// A queue that overflows.
    void CheckDrops();
};

void
FabricCountersTestCase::DoRun()
{
    // Two servers of two ranks: links 0 to 3 are NVLink, link 4 + r is the NIC of rank r.
    TcpFabricHelper fabric;
    // Drop-tail queues, so that packets may be sent before the simulation starts.
    fabric.SetHostQueueDisc(ObjectFactory());
    fabric.Install(Build("single-switch", 4, 2), FabricParameters());
    const auto hosts = fabric.GetHosts();
    const auto hub = fabric.GetGraph().GetPeer(4, 0);
    const ByteSink far(hosts.Get(2), UdpSocketFactory::GetTypeId());
    const ByteSink near(hosts.Get(1), UdpSocketFactory::GetTypeId());
    const ByteSink self(hosts.Get(0), UdpSocketFactory::GetTypeId());
    SendUdp(hosts.Get(0), fabric.GetAddress(2), 10);
    SendUdp(hosts.Get(0), fabric.GetAddress(1), 5, 6001);
    SendUdp(hosts.Get(0), fabric.GetAddress(0), 3, 6002);
    Simulator::Run();

    NS_TEST_EXPECT_MSG_EQ(fabric.GetAddress(2), Ipv4Address("10.0.0.25"), "link 6, end a");
    NS_TEST_EXPECT_MSG_EQ(far.GetBytes(), 10 * PAYLOAD, "to another server");
    NS_TEST_EXPECT_MSG_EQ(near.GetBytes(), 5 * PAYLOAD, "within the server");
    NS_TEST_EXPECT_MSG_EQ(near.GetPeer(), fabric.GetAddress(0), "NIC address, even over NVLink");
    NS_TEST_EXPECT_MSG_EQ(self.GetBytes(), 3 * PAYLOAD, "to itself");
    const auto& up = fabric.GetCounters(4, 0);
    NS_TEST_EXPECT_MSG_EQ(up.packets, 10, "NIC of rank 0");
    NS_TEST_EXPECT_MSG_EQ(up.bytes, 10 * ON_WIRE, "NIC of rank 0");
    // The first packet leaves at once; the other nine wait behind it.
    NS_TEST_EXPECT_MSG_EQ(up.maxQueue, 9 * ON_WIRE, "NIC of rank 0");
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(4, hub).packets, 0, "other direction");
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(6, hub).bytes, 10 * ON_WIRE, "to rank 2");
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(6, hub).maxQueue, ON_WIRE, "nothing waits there");
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(0, 0).packets, 5, "NVLink of rank 0");
    NS_TEST_EXPECT_MSG_EQ(fabric.GetPacketHops(), 2 * 10 + 2 * 5, "two links each");

    const ByteSink stream(hosts.Get(1), TcpSocketFactory::GetTypeId());
    auto sender = Socket::CreateSocket(hosts.Get(0), TcpSocketFactory::GetTypeId());
    sender->Connect(InetSocketAddress(fabric.GetAddress(1), PORT));
    sender->Send(Create<Packet>(100000));
    sender->Close();
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(stream.GetBytes(), 100000, "TCP");
    NS_TEST_EXPECT_MSG_EQ(stream.GetPeer(), fabric.GetAddress(0), "NIC address, even over NVLink");
    NS_TEST_EXPECT_MSG_EQ(up.packets, 10, "NVLink has carried all of it");
    // (9000 - 20 - 20) / (9000 + 2) = 8960 / 9002
    NS_TEST_EXPECT_MSG_EQ_TOL(TcpFabricHelper::GetGoodputShare(9000), 0.995334, 1e-6, "goodput");
    Simulator::Destroy();
    CheckDrops();
}

void
FabricCountersTestCase::CheckDrops()
{
    // Eight packets meet at the port to rank 8: one leaves, two find room in the queue. With a
    // queue disc of two packets, the device has room for another two.
    for (const bool withQueueDisc : {false, true})
    {
        TcpFabricHelper fabric;
        fabric.SetQueueSize(2 * ON_WIRE);
        if (withQueueDisc)
        {
            ObjectFactory factory("ns3::FifoQueueDisc");
            factory.Set("MaxSize", StringValue("2p"));
            fabric.SetQueueDisc(factory);
        }
        FabricParameters parameters;
        parameters.mtu = ON_WIRE - 2;
        fabric.Install(Build("single-switch", 9, 1), parameters);
        const ByteSink sink(fabric.GetHosts().Get(8), UdpSocketFactory::GetTypeId());
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            // Queue discs work only once the simulation has started.
            Simulator::Schedule(Time(),
                                &SendOneUdp,
                                fabric.GetHosts().Get(rank),
                                fabric.GetAddress(8));
        }
        Simulator::Run();
        const uint32_t waiting = withQueueDisc ? 4 : 2;
        const auto& counters = fabric.GetCounters(8, fabric.GetGraph().GetPeer(8, 8));
        NS_TEST_EXPECT_MSG_EQ(counters.packets, 1 + waiting, "packets that fit");
        NS_TEST_EXPECT_MSG_EQ(counters.drops, 7 - waiting, "packets that do not");
        // PPP's two bytes come on behind the queue disc.
        NS_TEST_EXPECT_MSG_EQ(counters.maxQueue,
                              waiting * ON_WIRE - (withQueueDisc ? 2 * 2 : 0),
                              "bytes that waited");
        NS_TEST_EXPECT_MSG_EQ(sink.GetBytes(), (1 + waiting) * PAYLOAD, "bytes that arrived");
        Simulator::Destroy();
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Packets take the path that the route table foretells, and another one when it fails.
 */
class FabricLinkDownTestCase : public TestCase
{
  public:
    FabricLinkDownTestCase()
        : TestCase("packets follow the table, also when links go down and up")
    {
    }

  private:
    void DoRun() override;
};

void
FabricLinkDownTestCase::DoRun()
{
    TcpFabricHelper fabric;
    // Drop-tail queues, so that packets may be sent before the simulation starts.
    fabric.SetHostQueueDisc(ObjectFactory());
    fabric.Install(Build("clos:hostsPerLeaf=2", 4, 1), FabricParameters());
    fabric.AssignStreams(7);
    const auto& graph = fabric.GetGraph();
    const auto hosts = fabric.GetHosts();
    const auto to = fabric.GetAddress(3);
    const ByteSink sink(hosts.Get(3), UdpSocketFactory::GetTypeId());
    const auto seed =
        DynamicCast<Ipv4EcmpRouting>(hosts.Get(0)->GetObject<Ipv4>()->GetRoutingProtocol())
            ->GetSeed();
    const EcmpRouteTable table(graph);
    const auto hash = EcmpFlowHash(fabric.GetAddress(0).Get(), to.Get(), 17, (6000U << 16) | PORT);
    const auto path = table.GetPath(0, 3, hash, seed);
    const auto leaf = graph.GetPeer(path[0], 0);
    const auto uplinks = table.GetNextLinks(leaf, 3);
    NS_TEST_ASSERT_MSG_EQ(uplinks.size(), 2, "two spines");
    const auto other = uplinks[0] == path[1] ? uplinks[1] : uplinks[0];

    SendUdp(hosts.Get(0), to, 4);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(path[1], leaf).packets, 4, "as foretold");
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(other, leaf).packets, 0, "as foretold");

    fabric.SetLinkUp(path[1], false);
    SendUdp(hosts.Get(0), to, 3);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(other, leaf).packets, 3, "over the other spine");

    fabric.SetLinkUp(other, false);
    NS_TEST_EXPECT_MSG_EQ(SendUdp(hosts.Get(0), to, 1),
                          Socket::ERROR_NOROUTETOHOST,
                          "no spine is left");

    fabric.SetLinkUp(path[1], true);
    SendUdp(hosts.Get(0), to, 2);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(path[1], leaf).packets, 4 + 2, "as at first");
    NS_TEST_EXPECT_MSG_EQ(sink.GetBytes(), (4 + 3 + 2) * PAYLOAD, "all but the one without route");

    SendUdp(hosts.Get(0), to, 2);
    Simulator::Schedule(NanoSeconds(1), &TcpFabricHelper::SetLinkUp, &fabric, path[1], false);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(fabric.GetCounters(path[0], leaf).drops, 2, "had no way from the leaf");
    NS_TEST_EXPECT_MSG_EQ(sink.GetBytes(), (4 + 3 + 2) * PAYLOAD, "and did not come");
    Simulator::Destroy();
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

std::vector<TestCase*>
MakeFabricPacketTestCases()
{
    return {new FabricCountersTestCase, new FabricLinkDownTestCase, new FabricScriptTestCase};
}

} // namespace ns3
