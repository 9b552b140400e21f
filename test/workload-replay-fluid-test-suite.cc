/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-deferral-test-cases.h"
#include "fluid-test-cases.h"

#include "ns3/fluid-share.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-spec.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Capacities are divided max-min fairly.
 */
class FluidShareTestCase : public TestCase
{
  public:
    FluidShareTestCase()
        : TestCase("fluid: shares")
    {
    }

  private:
    /**
     * @param capacity what there is
     * @param limits what each takes at most
     * @param expected what each gets, found by hand
     */
    void Expect(double capacity, std::vector<double> limits, std::vector<double> expected)
    {
        FluidShare share;
        NS_TEST_EXPECT_MSG_EQ((share.Divide(capacity, limits) == expected), true, capacity);
    }

    void DoRun() override
    {
        Expect(10, {}, {});
        Expect(12, {20, 20, 20}, {4, 4, 4});
        Expect(10, {9, 2, 9}, {4, 2, 4});
        Expect(12, {20, 3, 2}, {7, 3, 2});
        Expect(12, {5, 3, 2}, {5, 3, 2});
        Expect(0, {5, 3}, {0, 0});
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Where nothing is congested messages take as long as packets, and are counted as they are.
 */
class FluidLoneTestCase : public FluidTestCase
{
  public:
    FluidLoneTestCase()
        : FluidTestCase("fluid: messages that meet nobody take as long as packets")
    {
    }

  private:
    /// Messages of one queue pair, of all sizes, at once and one by one.
    void PostAll()
    {
        Post(MicroSeconds(1), 0, 1, 10 * MTU);
        Post(MicroSeconds(1), 0, 1, 0);
        Post(MicroSeconds(1), 0, 1, 1);
        Post(MicroSeconds(1), 0, 1, 3 * MTU + 100);
        Post(MicroSeconds(50), 1, 2, 1000);
        Post(MicroSeconds(100), 2, 0, 100 * MTU);
        Post(MicroSeconds(110), 2, 0, 1000); // in the midst of the one before
    }

    void DoRun() override
    {
        std::vector<Fate> packets;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Begin(protocol);
            InstallStar(3);
            NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(0, 0)->GetAllQueuedBytes(), 0, "nothing yet");
            PostAll();
            Run();
            if (packets.empty())
            {
                packets = m_fates;
                continue;
            }
            // Two links of 1 us, and the last packet waits at the switch until it has come whole.
            NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                                  MicroSeconds(1) + PACKET * 11 + MicroSeconds(2),
                                  "closed form");
            for (std::size_t i = 0; i < packets.size(); ++i)
            {
                // Sending times of small packets are rounded up at each port.
                const int64_t late = (m_fates[i].arrivedAt - packets[i].arrivedAt).GetNanoSeconds();
                NS_TEST_EXPECT_MSG_EQ((std::abs(late) <= 3), true, i << ": " << late << " ns");
            }
            const auto counters = m_fabric->GetDevice(0, 0)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.packets, 10 + 1 + 1 + 4, "of the port of host 0");
            // 62 bytes of headers, at least 64 in all, and payload in words of four bytes.
            const uint64_t frames = 13 * (MTU + 62) + 64 + (4 + 62) + (100 + 62);
            NS_TEST_EXPECT_MSG_EQ(counters.bytes, frames, "frames");
            NS_TEST_EXPECT_MSG_EQ(counters.wireBytes, frames + 16 * 20, "with preambles and gaps");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief With congestion control the fluid comes out as packets do, and keeps their laws.
 */
class FluidControlTestCase : public FluidTestCase
{
  public:
    FluidControlTestCase()
        : FluidTestCase("fluid: congestion control costs what it costs packets")
    {
    }

  private:
    void DoRun() override
    {
        // How far packets and fluid may differ in the mean of a few runs, per cent.
        const std::pair<std::string, double> controls[]{{"RdmaNoCongestionControl", 10},
                                                        {"RdmaSwift", 10},
                                                        {"RdmaHpcc", 15},
                                                        {"RdmaDcqcn", 15}};
        for (const auto& [control, limit] : controls)
        {
            // Marks are drawn with DCQCN, which goes by them, and differ from run to run.
            const uint64_t runs = control == "RdmaDcqcn" ? 6 : 1;
            double packets = 0;
            double fluid = 0;
            double marks = 0;
            double marksOfFluid = 0;
            for (uint64_t run = 1; run <= runs; ++run)
            {
                RngSeedManager::SetRun(run);
                packets += SendToAll("ns3::RdmaRcProtocol", "ns3::" + control).GetSeconds();
                marks += CountMarks();
                const Time last = SendToAll("ns3::FluidProtocol", "ns3::" + control);
                fluid += last.GetSeconds();
                marksOfFluid += CountMarks();
                // 15 messages leave each port, and nothing is faster than its wire.
                NS_TEST_EXPECT_MSG_GT(last, PACKET * 15 * 400, control);
            }
            RngSeedManager::SetRun(1);
            NS_TEST_EXPECT_MSG_EQ_TOL(marksOfFluid, marks, 100 + 0.5 * marks, control << ": marks");
            const double error = 100 * (fluid / packets - 1);
            NS_TEST_EXPECT_MSG_LT(std::fabs(error), limit, control << ": " << error << " %");
        }
        MeetPackets();
    }

    /// HPCC leaves a twentieth of a link idle, and as much more as a few packets that meet there
    /// seem to use of it, which a queue of a fluid would not show.
    void MeetPackets()
    {
        const Time packets = SendToOne("ns3::RdmaRcProtocol");
        const Time fluid = SendToOne("ns3::FluidProtocol");
        ExpectTime(fluid, packets, packets / 50, "as long as with packets");
    }

    /**
     * Many hosts send to one with HPCC.
     *
     * @param protocol TypeId name of the protocol
     * @return when the last message has arrived
     */
    Time SendToOne(const std::string& protocol)
    {
        Begin(protocol, "ns3::RdmaHpcc");
        Install(MakeStar(17, "400Gbps", NanoSeconds(500)));
        for (uint32_t host = 1; host < 17; ++host)
        {
            Post(Time(0), host, 0, 1000 * MTU);
        }
        Run();
        return GetLastArrival();
    }

    /**
     * @return packets that all ports have marked
     */
    double CountMarks() const
    {
        double marks = 0;
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                marks += m_fabric->GetDevice(link, node)->GetCounters().marks;
            }
        }
        return marks;
    }

    /**
     * All hosts send to all others, at twice the rate of the links between leaves and spines.
     *
     * @param protocol TypeId name of the protocol
     * @param control TypeId name of the congestion control
     * @return when the last message has arrived
     */
    Time SendToAll(const std::string& protocol, const std::string& control)
    {
        Begin(protocol, control);
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        parameters.nicRate = DataRate("100Gbps");
        parameters.linkDelay = NanoSeconds(500);
        Install(TopologyBuilder::Build(TopologySpec("clos:leaves=4,oversubscription=2"),
                                       16,
                                       parameters));
        for (uint32_t distance = 1; distance < 16; ++distance)
        {
            for (uint32_t host = 0; host < 16; ++host)
            {
                Post(Time(0), host, (host + distance) % 16, 400 * MTU);
            }
        }
        Run();
        return GetLastArrival();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages that move as a fluid.
 */
class WorkloadReplayFluidTestSuite : public TestSuite
{
  public:
    WorkloadReplayFluidTestSuite()
        : TestSuite("workload-replay-fluid", TestSuite::Type::UNIT)
    {
        AddTestCase(new FluidArrivalsTestCase);
        AddTestCase(new FluidDeferralTestCase);
        AddTestCase(new FluidShareTestCase);
        AddTestCase(new FluidLoneTestCase);
        AddTestCase(new FluidControlTestCase);
        for (const auto& cases : {MakeFluidSharingTestCases(),
                                  MakeFluidLinkTestCases(),
                                  MakeFluidPortTestCases(),
                                  MakeFluidNetworkTestCases(),
                                  MakeFluidHearingTestCases(),
                                  MakeFluidFeedbackTestCases(),
                                  MakeFluidFailureTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

WorkloadReplayFluidTestSuite g_workloadReplayFluidTestSuite; //!< the suite

} // namespace
