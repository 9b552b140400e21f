/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/config.h"
#include "ns3/ecmp-hash.h"
#include "ns3/rdma-adaptive-routing.h"
#include "ns3/rdma-conga-routing.h"
#include "ns3/rdma-conweave-routing.h"
#include "ns3/rdma-ecmp-routing.h"
#include "ns3/rdma-flowlet-routing.h"
#include "ns3/rdma-pinned-routing.h"
#include "ns3/rdma-spray-routing.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Names, and who reorders.
 */
class RdmaRoutingNamesTestCase : public TestCase
{
  public:
    RdmaRoutingNamesTestCase()
        : TestCase("rdma routing: names and promises")
    {
    }

  private:
    void DoRun() override
    {
        Expect(CreateObject<RdmaEcmpRouting>(), "ecmp", false);
        Expect(CreateObject<RdmaEnhancedEcmpRouting>(), "e-ecmp", false);
        Expect(CreateObject<RdmaFlowletRouting>(), "flowlet", false);
        Expect(CreateObject<RdmaSprayRouting>(), "spray", true);
        Expect(CreateObject<RdmaAdaptiveRouting>(), "adaptive", true);
        Expect(CreateObject<RdmaCongaRouting>(), "conga", false);
        Expect(CreateObject<RdmaConweaveRouting>(), "conweave", false);
        Expect(CreateObject<RdmaPinnedRouting>(), "pinned", false);
        auto flowlet = CreateObject<RdmaFlowletRouting>();
        NS_TEST_EXPECT_MSG_EQ(
            flowlet->SetAttributeFailSafe("FlowletGap", TimeValue(NanoSeconds(-1))),
            false,
            "a gap below 0");
    }

    /**
     * @param routing a strategy
     * @param name its name
     * @param reorders whether it reorders
     */
    void Expect(Ptr<RdmaRouting> routing, const std::string& name, bool reorders)
    {
        NS_TEST_EXPECT_MSG_EQ(routing->GetName(), name, "name");
        NS_TEST_EXPECT_MSG_EQ(routing->Reorders(), reorders, name << " reorders");
        NS_TEST_EXPECT_MSG_EQ(routing->GetInstanceTypeId().GetGroupName(),
                              "WorkloadReplay",
                              "group of " << name);
    }
};

/**
 * @ingroup workload-replay
 * @brief Flows are spread as by fair dice, and just as the hash says.
 */
class RdmaEcmpLoadTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaEcmpLoadTestCase()
        : RdmaRoutingTestCase("rdma routing: ecmp, loads of 1000 flows on 8 uplinks")
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.spines = 8;
        Build(shape);
        Install("Ecmp");
        const uint64_t seed = 42;
        m_fabric->GetNetwork()->SetSeed(seed);
        std::vector<uint64_t> expected(8, 0);
        for (uint32_t channel = 0; channel < 1000; ++channel)
        {
            Post(Time(0), 0, 1, MTU, channel);
            const uint64_t hash = RdmaFlowHash(0, 1, RdmaUdpSourcePort(0, channel, 0));
            ++expected[EcmpChoose(hash, EcmpSalt(seed, GetLeaf(0)), 8)];
        }
        Simulator::Run();
        ExpectAllDelivered();
        const auto found = GetUplinkPackets(0);
        NS_TEST_EXPECT_MSG_EQ((found == expected), true, "loads as the hash says");
        NS_TEST_EXPECT_MSG_LT(ChiSquare(found), 24.32, "0.1 % quantile, 7 degrees of freedom");
        NS_TEST_EXPECT_MSG_LT(ChiSquare(GetUplinkPackets(1)), 24.32, "acknowledgements");
    }
};

/**
 * @ingroup workload-replay
 * @brief Queue pairs that share few UDP source ports are few flows, unless switches hash the queue
 * pair as well.
 */
class RdmaEnhancedEcmpTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaEnhancedEcmpTestCase()
        : RdmaRoutingTestCase("rdma routing: e-ecmp, queue pairs of one UDP source port")
    {
    }

  private:
    /// Seed of the nodes' salts.
    static constexpr uint64_t SEED = 42;

    void DoRun() override
    {
        auto loads = Run("Ecmp", 1);
        NS_TEST_EXPECT_MSG_EQ(std::count(loads.begin(), loads.end(), 0), 7, "one flow");
        loads = Run("Ecmp", 2);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(std::count(loads.begin(), loads.end(), 0), 6, "two flows");

        loads = Run("EnhancedEcmp", 1);
        std::vector<uint64_t> expected(8, 0);
        for (uint32_t pair = 0; pair < 1000; ++pair)
        {
            const uint64_t hash = RdmaFlowHash(0, 1, 49152) ^ EcmpMix(pair);
            ++expected[EcmpChoose(hash, EcmpSalt(SEED, GetLeaf(0)), 8)];
        }
        NS_TEST_EXPECT_MSG_EQ((loads == expected), true, "loads as the hash says");
        NS_TEST_EXPECT_MSG_LT(ChiSquare(loads), 24.32, "0.1 % quantile, 7 degrees of freedom");
        NS_TEST_EXPECT_MSG_LT(ChiSquare(GetUplinkPackets(1)), 24.32, "acknowledgements");

        for (const uint32_t ports : {0, 16385})
        {
            NS_TEST_EXPECT_MSG_EQ(
                Config::SetDefaultFailSafe("ns3::RdmaMessageTransport::UdpSourcePorts",
                                           UintegerValue(ports)),
                false,
                ports << " ports");
        }
    }

    /**
     * @param routing how nodes choose
     * @param ports UDP source ports
     * @return packets of 1000 queue pairs, by uplink
     */
    std::vector<uint64_t> Run(const std::string& routing, uint32_t ports)
    {
        DoTeardown();
        Shape shape;
        shape.spines = 8;
        Build(shape);
        Config::SetDefault("ns3::RdmaMessageTransport::UdpSourcePorts", UintegerValue(ports));
        Install(routing);
        m_fabric->GetNetwork()->SetSeed(SEED);
        Config::SetDefault("ns3::RdmaMessageTransport::UdpSourcePorts",
                           UintegerValue(RDMA_UDP_SOURCE_PORTS));
        for (uint32_t channel = 0; channel < 1000; ++channel)
        {
            Post(Time(0), 0, 1, MTU, channel);
        }
        Simulator::Run();
        ExpectAllDelivered();
        return GetUplinkPackets(0);
    }
};

/**
 * @ingroup workload-replay
 * @brief Two flows of line rate on the same uplink share it; on two they do not notice each other.
 */
class RdmaEcmpCollisionTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaEcmpCollisionTestCase()
        : RdmaRoutingTestCase("rdma routing: ecmp, a collision halves the rate")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t packets = 1000;
        const int64_t path = 4 * 1000 + 3 * 400;
        Run(packets, false);
        for (uint32_t message = 0; message < 2; ++message)
        {
            NS_TEST_EXPECT_MSG_EQ(m_fates[message].arrivedAt,
                                  NanoSeconds(packets * 400 + path),
                                  "apart, message " << message);
        }
        DoTeardown();
        Run(packets, true);
        const auto ends = std::minmax(m_fates[0].arrivedAt, m_fates[1].arrivedAt);
        NS_TEST_EXPECT_MSG_EQ(ends.second, NanoSeconds(2 * packets * 400 + path), "both are done");
        NS_TEST_EXPECT_MSG_GT(ends.first, ends.second * 0.98, "the shares are fair");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "flow control loses nothing");
    }

    /**
     * @param packets packets of each of two flows
     * @param collide whether they take the same uplink
     */
    void Run(uint64_t packets, bool collide)
    {
        Shape shape;
        shape.hostsPerLeaf = 2;
        shape.spines = 2;
        Build(shape);
        Install("Ecmp");
        const uint64_t seed = 42;
        m_fabric->GetNetwork()->SetSeed(seed);
        const uint64_t salt = EcmpSalt(seed, GetLeaf(0));
        const auto choose = [salt](uint32_t source, uint32_t destination, uint32_t channel) {
            return EcmpChoose(RdmaFlowHash(source, destination, RdmaUdpSourcePort(0, channel, 0)),
                              salt,
                              2);
        };
        uint32_t channel = 0;
        while ((choose(1, 3, channel) == choose(0, 2, 0)) != collide)
        {
            ++channel;
        }
        Post(Time(0), 0, 2, packets * MTU);
        Post(Time(0), 1, 3, packets * MTU, channel);
        Simulator::Run();
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay
 * @brief Switches behind a switch use all their links, although its choice was by the same hash.
 */
class RdmaEcmpPolarizationTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaEcmpPolarizationTestCase()
        : RdmaRoutingTestCase("rdma routing: ecmp, no polarization")
    {
    }

  private:
    void DoRun() override
    {
        // Two pods of a leaf and four aggregation switches, with four cores for each pair of these.
        std::vector<uint32_t> up;
        const uint32_t host0 = m_graph.AddHost("host0");
        const uint32_t host1 = m_graph.AddHost("host1");
        const uint32_t leaf0 = m_graph.AddSwitch("leaf0");
        const uint32_t leaf1 = m_graph.AddSwitch("leaf1");
        Join(host0, leaf0);
        Join(host1, leaf1);
        for (uint32_t k = 0; k < 4; ++k)
        {
            const uint32_t near = m_graph.AddSwitch("near" + std::to_string(k));
            const uint32_t far = m_graph.AddSwitch("far" + std::to_string(k));
            Join(leaf0, near);
            Join(leaf1, far);
            for (uint32_t c = 0; c < 4; ++c)
            {
                const uint32_t core =
                    m_graph.AddSwitch("core" + std::to_string(k) + "-" + std::to_string(c));
                up.push_back(Join(near, core));
                Join(far, core);
            }
        }
        Install("Ecmp");
        for (uint32_t channel = 0; channel < 4096; ++channel)
        {
            Post(Time(0), 0, 1, MTU, channel);
        }
        Simulator::Run();
        ExpectAllDelivered();
        std::vector<uint64_t> loads;
        loads.reserve(up.size());
        for (const uint32_t link : up)
        {
            loads.push_back(GetPackets(link, m_graph.GetLink(link).a));
        }
        // With the same salt everywhere a quarter of the links would carry everything.
        NS_TEST_EXPECT_MSG_LT(ChiSquare(loads), 37.70, "0.1 % quantile, 15 degrees of freedom");
    }

    /**
     * @param a a node
     * @param b another one
     * @return new link between them
     */
    uint32_t Join(uint32_t a, uint32_t b)
    {
        return m_graph.AddLink(a, b, DataRate("100Gbps"), MicroSeconds(1));
    }
};

/**
 * @ingroup workload-replay
 * @brief A single flow has the rate of all uplinks together, in equal shares.
 */
class RdmaSprayRateTestCase : public RdmaRoutingTestCase
{
  public:
    /**
     * @param routing how nodes choose
     * @param inverse sending time of a packet of the flow, ns
     */
    RdmaSprayRateTestCase(const std::string& routing, int64_t inverse)
        : RdmaRoutingTestCase("rdma routing: a host of 400 Gbps and four uplinks of 100, " +
                              routing),
          m_routing(routing),
          m_inverse(inverse)
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.nicGbps = 400;
        Build(shape);
        Install(m_routing);
        const int64_t packets = 4000;
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is lost");
        // The last packet follows the others on the slowest stage, and has the other stages to
        // itself: by turns it waits for no other at the uplink.
        const bool sprays = m_inverse == 100;
        const int64_t stages = sprays ? 400 + 400 + 100 : 100 + 400 + 100;
        const Time arrived = NanoSeconds(packets * m_inverse + stages + 4 * 1000);
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt, arrived, "arrival");
        // 86 bytes take 1.72 ns at 400 Gb/s and 6.88 ns at 100 Gb/s, which are rounded.
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].sentAt,
                              arrived + NanoSeconds(2 + 7 + 7 + 2 + 4 * 1000),
                              "acknowledged");
        if (sprays)
        {
            const auto loads = GetUplinkPackets(0);
            NS_TEST_EXPECT_MSG_EQ((loads == std::vector<uint64_t>(4, 1000)), true, "equal loads");
        }
    }

    std::string m_routing; //!< how nodes choose
    int64_t m_inverse;     //!< sending time of a packet of the flow, ns
};

/**
 * @ingroup workload-replay
 * @brief The links to each destination are loaded evenly, even if packets for two destinations
 * alternate.
 */
class RdmaSprayTurnsTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaSprayTurnsTestCase()
        : RdmaRoutingTestCase("rdma routing: spray, even loads up and down")
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.leaves = 3;
        shape.hostsPerLeaf = 2;
        shape.spines = 2;
        Build(shape);
        Install("Spray");
        Post(Time(0), 0, 2, 1001 * MTU);
        Post(NanoSeconds(200), 1, 4, 1001 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is lost");
        for (uint32_t spine = 0; spine < 2; ++spine)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(GetUplinkPackets(0)[spine], 1001, 1, "up to " << spine);
            for (uint32_t leaf = 1; leaf < 3; ++leaf)
            {
                const uint64_t down = GetPackets(GetUplink(leaf, spine), GetLeaf(3) + spine);
                NS_TEST_EXPECT_MSG_EQ_TOL(down, 500.5, 0.5, spine << " down to " << leaf);
            }
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief Packets that overtake a thousand others: messages arrive in order and once, are
 * acknowledged in time, and nothing is sent twice.
 */
class RdmaReorderTestCase : public RdmaRoutingTestCase
{
  public:
    /**
     * @param routing how nodes choose
     */
    RdmaReorderTestCase(const std::string& routing)
        : RdmaRoutingTestCase("rdma routing: heavy reordering, " + routing),
          m_routing(routing)
    {
    }

  private:
    void DoRun() override
    {
        // Two links of each spine: up to 2 * 3 * 20 us later, while packets come every 100 ns.
        Shape shape;
        shape.nicGbps = 400;
        shape.delayStep = MicroSeconds(20);
        Build(shape);
        Install(m_routing);
        for (uint32_t message = 0; message < 300; ++message)
        {
            const uint64_t bytes = message % 7 == 0 ? 0 : message * message * 50;
            Post(NanoSeconds(100 * message), 0, 1, bytes, message % 3);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is lost");
        for (const Fate& fate : m_fates)
        {
            NS_TEST_EXPECT_MSG_LT(fate.sentAt - fate.arrivedAt,
                                  MicroSeconds(4 + 120 + 1),
                                  "acknowledged over the longest path at last, message "
                                      << fate.message.cookie);
        }
    }

    std::string m_routing; //!< how nodes choose
};

/**
 * @ingroup workload-replay
 * @brief The test suite of routing in the rdma fabric.
 */
class RdmaRoutingTestSuite : public TestSuite
{
  public:
    RdmaRoutingTestSuite()
        : TestSuite("workload-replay-rdma-routing", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaRoutingNamesTestCase);
        AddTestCase(new RdmaEcmpLoadTestCase);
        AddTestCase(new RdmaEnhancedEcmpTestCase);
        AddTestCase(new RdmaEcmpCollisionTestCase);
        AddTestCase(new RdmaEcmpPolarizationTestCase);
        AddTestCase(new RdmaSprayRateTestCase("Ecmp", 400));
        AddTestCase(new RdmaSprayRateTestCase("Flowlet", 400));
        AddTestCase(new RdmaSprayRateTestCase("Spray", 100));
        AddTestCase(new RdmaSprayRateTestCase("Adaptive", 100));
        AddTestCase(new RdmaSprayTurnsTestCase);
        AddTestCase(new RdmaReorderTestCase("Spray"));
        AddTestCase(new RdmaReorderTestCase("Adaptive"));
        for (const auto& make : {MakeRdmaRoutingStateTestCases,
                                 MakeRdmaRoutingPathTestCases,
                                 MakeRdmaConweaveOrderTestCases,
                                 MakeRdmaConweavePathTestCases,
                                 MakeRdmaRoutingLossTestCases,
                                 MakeRdmaDetourTestCases,
                                 MakeRdmaVirtualChannelTestCases})
        {
            for (TestCase* testCase : make())
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The instance that registers the suite.
RdmaRoutingTestSuite g_rdmaRoutingTestSuite;

} // namespace
