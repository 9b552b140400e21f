/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/config.h"
#include "ns3/rdma-adaptive-routing.h"
#include "ns3/rdma-flowlet-routing.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief A flow changes its path after a pause longer than the gap, and only then.
 */
class RdmaFlowletTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaFlowletTestCase()
        : RdmaRoutingTestCase("rdma routing: flowlets")
    {
    }

  private:
    void DoRun() override
    {
        // Single packets: the pause is the time between them, and the default 128 us.
        auto loads = Run(NanoSeconds(128000), 1);
        NS_TEST_EXPECT_MSG_EQ(std::count(loads.begin(), loads.end(), 0), 3, "as long as the gap");
        ExpectDice(Run(NanoSeconds(128001), 1), "longer than the gap");

        // Eight packets begin every 400 ns, so their pauses are 7 * 400 ns shorter.
        loads = Run(NanoSeconds(128000 + 7 * 400), 8);
        NS_TEST_EXPECT_MSG_EQ(std::count(loads.begin(), loads.end(), 0), 3, "pauses of the gap");
        loads = Run(NanoSeconds(128001 + 7 * 400), 8);
        for (uint64_t& load : loads)
        {
            NS_TEST_EXPECT_MSG_EQ(load % 8, 0, "flowlets stay whole");
            load /= 8;
        }
        ExpectDice(loads, "flowlets of eight");
    }

    /**
     * @param interval time between messages
     * @param packets packets of each of 64 messages
     * @return loads of the uplinks
     */
    std::vector<uint64_t> Run(Time interval, uint32_t packets)
    {
        DoTeardown();
        Build(Shape());
        Install("Flowlet");
        for (uint32_t message = 0; message < 64; ++message)
        {
            Post(interval * message, 0, 1, packets * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is overtaken");
        return GetUplinkPackets(0);
    }

    /**
     * @param loads flowlets of 64, by uplink
     * @param what what is being looked at
     */
    void ExpectDice(const std::vector<uint64_t>& loads, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(std::accumulate(loads.begin(), loads.end(), 0U), 64U, what);
        NS_TEST_EXPECT_MSG_LT(ChiSquare(loads), 16.27, what << ": 0.1 % quantile of 3");
    }
};

/**
 * @ingroup workload-replay
 * @brief Flowlets that are over are forgotten.
 */
class RdmaFlowletMemoryTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaFlowletMemoryTestCase()
        : RdmaRoutingTestCase("rdma routing: memory of flowlets")
    {
    }

  private:
    void DoRun() override
    {
        Build(Shape());
        Install("Flowlet");
        for (uint32_t channel = 0; channel < 100; ++channel)
        {
            Post(Time(0), 0, 1, MTU, channel);
        }
        Post(MilliSeconds(1), 0, 1, MTU);
        RunUntil(MicroSeconds(900));
        NS_TEST_EXPECT_MSG_EQ(CountFlowlets(), 200, "data at a leaf, answers at the other");
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(CountFlowlets(), 2, "the last flow and its answers");
    }

    /**
     * @return flowlets that all nodes remember
     */
    uint32_t CountFlowlets() const
    {
        const auto network = m_fabric->GetNetwork();
        uint32_t flowlets = 0;
        for (uint32_t node = 0; node < network->GetGraph().GetNNodes(); ++node)
        {
            const RdmaPathChoice& choice = network->GetPathChoice(node);
            flowlets += dynamic_cast<const RdmaFlowletRouting::Choice&>(choice).GetNFlowlets();
        }
        return flowlets;
    }
};

/**
 * @ingroup workload-replay
 * @brief Packets keep away from a port that a flow, which has no other, keeps busy.
 *
 * Packets of the flow in question come every 400 ns, and the first uplink takes 400 ns for each.
 * So it is idle just then, unless it has sent a packet of the other flow since. Full load: never.
 * Half load, the packets of the other flow coming 200 ns after every second one: the one after it
 * finds the first uplink busy; the next finds both idle, and takes either.
 */
class RdmaAdaptiveLoadTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaAdaptiveLoadTestCase()
        : RdmaRoutingTestCase("rdma routing: adaptive, beside a flow on one uplink")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t packets = 4000;
        const Time alone = NanoSeconds(400 * packets + 3 * 400 + 4 * 1000);
        uint64_t first = Run(packets, "100Gbps", 4100);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(first, 1, "full load: only before the other flow came");
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt, alone, "full load: no delay");
        first = Run(packets, "50Gbps", 2100);
        // 2000 fair coins: four standard deviations of 22.4.
        NS_TEST_EXPECT_MSG_EQ_TOL(first, 1000, 90, "half load: one in four");
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt, alone, "half load: no delay");
        first = Run(packets, "50Gbps", 0);
        NS_TEST_EXPECT_MSG_EQ_TOL(first, 2000, 4 * 31.6, "no load: one in two");
    }

    /**
     * @param packets packets of the flow in question
     * @param rate rate of the flow that has only the first of two uplinks
     * @param others its packets
     * @return packets of the flow in question that took the first uplink
     */
    uint64_t Run(uint64_t packets, const std::string& rate, uint64_t others)
    {
        DoTeardown();
        Shape shape;
        shape.spines = 2;
        Build(shape);
        const uint32_t source = m_graph.AddHost("source");
        const uint32_t sink = m_graph.AddHost("sink");
        m_graph.AddLink(source, GetLeaf(0), DataRate(rate), MicroSeconds(1));
        m_graph.AddLink(sink, GetLeaf(2), DataRate("100Gbps"), MicroSeconds(1));
        Install("Adaptive");
        Post(Time(0), 0, 1, packets * MTU);
        Post(NanoSeconds(200), 2, 3, others * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is lost");
        return packets - GetUplinkPackets(0)[1];
    }
};

/**
 * @ingroup workload-replay
 * @brief Switches that know their queues in grades, or late, choose by what they know.
 *
 * A packet of another flow keeps the first of two uplinks busy from 1.8 us to 2.2 us. The packets
 * of the flow in question come every 400 ns from 2 us on, and find every uplink idle else.
 */
class RdmaAdaptiveViewTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaAdaptiveViewTestCase()
        : RdmaRoutingTestCase("rdma routing: adaptive, in grades and late")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t packets = 1000;
        // 1000 fair coins have a standard deviation of 15.8.
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(packets, Time(0), Time(0)), 500, 64, "exact");
        NS_TEST_EXPECT_MSG_EQ(Run(1, Time(0), Time(0)), 0, "exact: it is busy");
        NS_TEST_EXPECT_MSG_EQ(Run(1, NanoSeconds(200), Time(0)), 0, "200 ns to go: second grade");
        uint64_t taken = 0;
        for (uint32_t salt = 0; salt < 32; ++salt)
        {
            taken += Run(1, NanoSeconds(201), Time(0), salt);
        }
        // The odds of 32 fair coins of less than 4, or more than 28, are 1 in 750,000.
        NS_TEST_EXPECT_MSG_EQ_TOL(taken, 16, 12, "one grade: equal");
        // The first look stands for 250 packets, then both are idle.
        NS_TEST_EXPECT_MSG_EQ(Run(250, Time(0), MicroSeconds(100)), 0, "as seen once");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(1250, Time(0), MicroSeconds(100)), 500, 64, "seen anew");
        // A look that stands for ten packets of 400 ns is out of date when the eleventh comes.
        NS_TEST_EXPECT_MSG_EQ(Run(10, Time(0), NanoSeconds(4000)), 0, "as seen once");
        taken = 0;
        for (uint32_t salt = 0; salt < 32; ++salt)
        {
            taken += Run(11, Time(0), NanoSeconds(4000), salt);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(taken, 16, 12, "the eleventh");
        auto routing = CreateObject<RdmaAdaptiveRouting>();
        for (const std::string name : {"GradeTime", "UpdateInterval", "RemoteTime"})
        {
            NS_TEST_EXPECT_MSG_EQ(routing->SetAttributeFailSafe(name, TimeValue(NanoSeconds(-1))),
                                  false,
                                  name << " below 0");
        }
        NS_TEST_EXPECT_MSG_EQ(routing->SetAttributeFailSafe("Grades", UintegerValue(1)),
                              false,
                              "one grade");
    }

    /**
     * @param packets packets of the flow in question
     * @param grade GradeTime
     * @param interval UpdateInterval
     * @param seed seed of the nodes' salts
     * @return its packets that took the first uplink
     */
    uint64_t Run(uint64_t packets, Time grade, Time interval, uint64_t seed = 0)
    {
        DoTeardown();
        Shape shape;
        shape.spines = 2;
        Build(shape);
        const uint32_t source = m_graph.AddHost("source");
        const uint32_t sink = m_graph.AddHost("sink");
        m_graph.AddLink(source, GetLeaf(0), DataRate("100Gbps"), MicroSeconds(1));
        m_graph.AddLink(sink, GetLeaf(2), DataRate("100Gbps"), MicroSeconds(1));
        Config::SetDefault("ns3::RdmaAdaptiveRouting::GradeTime", TimeValue(grade));
        Config::SetDefault("ns3::RdmaAdaptiveRouting::UpdateInterval", TimeValue(interval));
        Install("Adaptive");
        Config::SetDefault("ns3::RdmaAdaptiveRouting::GradeTime", TimeValue(Time(0)));
        Config::SetDefault("ns3::RdmaAdaptiveRouting::UpdateInterval", TimeValue(Time(0)));
        m_fabric->GetNetwork()->SetSeed(seed);
        Post(NanoSeconds(400), 2, 3, MTU);
        Post(NanoSeconds(600), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        return packets - GetUplinkPackets(0)[1];
    }
};

/**
 * @ingroup workload-replay
 * @brief A leaf keeps away from a spine whose link down is busy, once it is told.
 *
 * A host at the first spine sends at line rate to one at the other leaf. The leaf's own uplinks are
 * idle whenever a packet comes, so that without being told it sends half by each.
 */
class RdmaAdaptiveRemoteTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaAdaptiveRemoteTestCase()
        : RdmaRoutingTestCase("rdma routing: adaptive, told of a busy link beyond")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t packets = 2000;
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(packets, Time(0)), packets / 2, 90, "not told: halves");
        NS_TEST_EXPECT_MSG_LT(Run(packets, MicroSeconds(100)), packets / 20, "told");
        // What was told last is too old when the next response comes.
        NS_TEST_EXPECT_MSG_GT(Run(packets, NanoSeconds(1)), packets / 3, "told, and forgotten");
    }

    /**
     * @param packets packets of the flow in question
     * @param remote RemoteTime
     * @return its packets that took the first uplink
     */
    uint64_t Run(uint64_t packets, Time remote)
    {
        DoTeardown();
        Shape shape;
        shape.spines = 2;
        Build(shape);
        const uint32_t source = m_graph.AddHost("source");
        const uint32_t sink = m_graph.AddHost("sink");
        m_graph.AddLink(source, GetLeaf(2), DataRate("100Gbps"), MicroSeconds(1));
        m_graph.AddLink(sink, GetLeaf(1), DataRate("100Gbps"), MicroSeconds(1));
        Config::SetDefault("ns3::RdmaAdaptiveRouting::RemoteTime", TimeValue(remote));
        Install("Adaptive");
        Config::SetDefault("ns3::RdmaAdaptiveRouting::RemoteTime", TimeValue(Time(0)));
        Post(Time(0), 2, 3, 2 * packets * MTU);
        Post(MicroSeconds(10), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        return packets - GetUplinkPackets(0)[1];
    }
};

/**
 * @ingroup workload-replay
 * @brief Ports that are paused, or down, are left out at once.
 */
class RdmaRoutingChoiceTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaRoutingChoiceTestCase()
        : RdmaRoutingTestCase("rdma routing: ports that are paused or down")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string routing : {"Flowlet", "Spray", "Adaptive", "Conga", "Conweave"})
        {
            DoTeardown();
            Build(Shape());
            Install(routing);
            Expect({0, 1, 2, 3}, 3, routing + ", all up");
            m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 1), false);
            m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 2), false);
            Expect({0, 3}, 3, routing + ", two down");
            m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 1), true);
            Expect({0, 1, 3}, 3, routing + ", one down");
            if (routing == "Adaptive")
            {
                for (const uint32_t spine : {0, 1})
                {
                    m_fabric->GetDevice(GetUplink(0, spine), GetLeaf(2) + spine)
                        ->SendPause(3, true);
                }
                RunUntil(MicroSeconds(10));
                Expect({3}, 3, "two paused");
                Expect({0, 1, 3}, 7, "another priority");
                m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 3), false);
                Expect({0, 1}, 3, "paused is better than down");
            }
            for (uint32_t spine = 0; spine < 4; ++spine)
            {
                m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, spine), false);
            }
            const auto port = Route(GetLeaf(0), 1, m_flows++, 3);
            NS_TEST_EXPECT_MSG_NE(port, nullptr, routing + ": all down, some port");
        }
    }

    /**
     * Route packets of many new flows at the first leaf.
     *
     * @param spines who is to get packets
     * @param priority their priority
     * @param what what is being looked at
     */
    void Expect(const std::vector<uint32_t>& spines, uint8_t priority, const std::string& what)
    {
        std::vector<uint32_t> found;
        for (uint32_t packets = 0; packets < 100; ++packets)
        {
            const auto port = Route(GetLeaf(0), 1, m_flows++, priority);
            for (uint32_t spine = 0; spine < 4; ++spine)
            {
                if (port == m_fabric->GetNetwork()->GetPort(GetUplink(0, spine), GetLeaf(0)) &&
                    std::count(found.begin(), found.end(), spine) == 0)
                {
                    found.push_back(spine);
                }
            }
        }
        std::sort(found.begin(), found.end());
        NS_TEST_EXPECT_MSG_EQ((found == spines), true, what);
    }

    uint32_t m_flows{0}; //!< flows so far
};

} // namespace

std::vector<TestCase*>
ns3::MakeRdmaRoutingStateTestCases()
{
    return {new RdmaFlowletTestCase,
            new RdmaFlowletMemoryTestCase,
            new RdmaAdaptiveLoadTestCase,
            new RdmaAdaptiveViewTestCase,
            new RdmaAdaptiveRemoteTestCase,
            new RdmaRoutingChoiceTestCase};
}
