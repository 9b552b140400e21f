/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-packet-test-tools.h"
#include "fabric-test-cases.h"
#include "topology-test-graphs.h"

#include "ns3/ecmp-hash.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/fabric-parameters.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-ecmp-routing.h"
#include "ns3/ipv4.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <cstdint>
#include <vector>

namespace ns3
{

namespace
{

/// The payload on a link, bytes: 8 of UDP, 20 of IPv4 and 2 of PPP come with it.
constexpr uint32_t ON_WIRE = PAYLOAD + 30;

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
    fabric.Install(BuildTestTopology("single-switch", 4, 2), FabricParameters());
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
        fabric.Install(BuildTestTopology("single-switch", 9, 1), parameters);
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
    fabric.Install(BuildTestTopology("clos:hostsPerLeaf=2", 4, 1), FabricParameters());
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

} // namespace

std::vector<TestCase*>
MakeFabricPacketTestCases()
{
    return {new FabricCountersTestCase, new FabricLinkDownTestCase};
}

} // namespace ns3
