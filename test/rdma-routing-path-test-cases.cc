/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/config.h"
#include "ns3/rdma-conga-routing.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief The estimator of a link that begins to carry a steady rate follows the closed form of its
 * register, however often it is read.
 */
class RdmaRateEstimatorTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaRateEstimatorTestCase()
        : RdmaRoutingTestCase("rdma routing: conga, rate of a link")
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.spines = 1;
        shape.nicGbps = 50;
        Build(shape);
        Install("Conga");
        m_fabric->GetNic(0)->SetAttribute("MaxTrain", UintegerValue(1));
        Post(Time(0), 0, 1, 4000 * MTU);
        RdmaRateEstimator::Parameters parameters;
        parameters.interval = MicroSeconds(16).GetTimeStep();
        parameters.decay = 0.1;
        parameters.levels = 256;
        RdmaRateEstimator often;
        const auto port = m_fabric->GetDevice(GetUplink(0, 0), GetLeaf(0));
        for (uint32_t interval = 1; interval <= 64; ++interval)
        {
            RunUntil(MicroSeconds(16) * interval);
            const int64_t now = Simulator::Now().GetTimeStep();
            // Frames are 4980 of 5000 bytes, every 800 ns; the first is there after 1.8 us.
            const double share = 0.498 * (1 - std::pow(0.9, interval));
            const double late = 0.5 * 1.8 / 160 * std::pow(0.9, interval - 1);
            RdmaRateEstimator once;
            for (RdmaRateEstimator* estimator : {&often, &once})
            {
                const double metric = estimator->GetMetric(parameters, *port, now);
                NS_TEST_EXPECT_MSG_EQ_TOL(metric,
                                          256 * (share - late),
                                          2,
                                          "after " << interval << " intervals");
            }
        }
        Simulator::Run();
        parameters.levels = 8;
        const int64_t later = Simulator::Now().GetTimeStep() + MilliSeconds(10).GetTimeStep();
        const uint32_t metric = often.GetMetric(parameters, *port, later);
        NS_TEST_EXPECT_MSG_EQ(metric, 0, "after a long time");
    }
};

/**
 * @ingroup workload-replay
 * @brief The asymmetric fabric of the paper's figure 2: 100 Gb/s are to go from one leaf to another
 * over two spines by links of 80 Gb/s, of which the last one below the second spine has 40 Gb/s.
 *
 * ECMP sends half by each, and so does a choice by what a leaf sees itself, and the lower path is
 * overloaded. CONGA fills both to 5/6: two thirds go by the upper one.
 */
class RdmaCongaAsymmetryTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaCongaAsymmetryTestCase()
        : RdmaRoutingTestCase("rdma routing: conga, figure 2 of the paper")
    {
    }

  private:
    /// Hosts of each leaf, of 10 Gb/s.
    static constexpr uint32_t HOSTS = 10;

    /// Messages of each host, of 80 us each.
    static constexpr uint32_t MESSAGES = 100;

    void DoRun() override
    {
        const Time ideal = MicroSeconds(80) * MESSAGES;
        double upper = Run("Ecmp");
        NS_TEST_EXPECT_MSG_EQ_TOL(upper, 0.5, 0.05, "ecmp: halves");
        NS_TEST_EXPECT_MSG_GT(m_end, ideal * 1.2, "ecmp: half of it by 40 Gb/s");
        upper = Run("Conga");
        NS_TEST_EXPECT_MSG_EQ_TOL(upper, 2.0 / 3, 0.04, "conga: two thirds");
        NS_TEST_EXPECT_MSG_LT(m_end, ideal * 1.1, "conga: all of it");
        const auto order = m_order;
        Run("Conga");
        NS_TEST_EXPECT_MSG_EQ((order == m_order), true, "once more, the same");

        // The upper spine is lost for a while, and nothing else.
        upper = Run("Conga", true);
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "packets are lost with the link");
        NS_TEST_EXPECT_MSG_GT(m_before, 0, "it was used");
        NS_TEST_EXPECT_MSG_GT(GetUplinkPackets(0)[0], m_after, "it is used again");
    }

    /**
     * @param routing how nodes choose
     * @param fails whether the first uplink is down from 2 ms to 4 ms
     * @return share of the packets that take it
     */
    double Run(const std::string& routing, bool fails = false)
    {
        DoTeardown();
        BuildFigure();
        Install(routing);
        for (uint32_t host = 0; !fails && host < 2 * HOSTS; ++host)
        {
            // What waits for the overloaded link must not look lost.
            m_fabric->GetNic(host)->SetAttribute("RetransmissionTimeout",
                                                 TimeValue(MilliSeconds(50)));
        }
        for (uint32_t message = 0; message < MESSAGES; ++message)
        {
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                // Each is a flow of its own.
                Post(MicroSeconds(80) * message, host, HOSTS + host, 20 * MTU, message);
            }
        }
        if (fails)
        {
            RunUntil(MilliSeconds(2));
            m_before = GetUplinkPackets(0)[0];
            m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 0), false);
            RunUntil(MilliSeconds(4));
            m_after = GetUplinkPackets(0)[0];
            m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 0), true);
        }
        Simulator::Run();
        ExpectAllDelivered();
        m_end = Time(0);
        for (const Fate& fate : m_fates)
        {
            m_end = Max(m_end, fate.arrivedAt);
        }
        const auto loads = GetUplinkPackets(0);
        return static_cast<double>(loads[0]) / static_cast<double>(loads[0] + loads[1]);
    }

    /// Build the fabric.
    void BuildFigure()
    {
        m_shape = Shape();
        m_shape.hostsPerLeaf = HOSTS;
        m_shape.spines = 2;
        for (uint32_t host = 0; host < 2 * HOSTS; ++host)
        {
            m_graph.AddHost("host" + std::to_string(host));
        }
        for (const std::string name : {"leaf0", "leaf1", "spine0", "spine1"})
        {
            m_graph.AddSwitch(name);
        }
        for (uint32_t host = 0; host < 2 * HOSTS; ++host)
        {
            m_graph.AddLink(host, GetLeaf(host / HOSTS), DataRate("10Gbps"), MicroSeconds(1));
        }
        for (uint32_t leaf = 0; leaf < 2; ++leaf)
        {
            for (uint32_t spine = 0; spine < 2; ++spine)
            {
                const bool isHalf = leaf == 1 && spine == 1;
                m_graph.AddLink(GetLeaf(leaf),
                                GetLeaf(2) + spine,
                                DataRate(isHalf ? "40Gbps" : "80Gbps"),
                                MicroSeconds(1));
            }
        }
    }

    Time m_end;           //!< when the last message has arrived
    uint64_t m_before{0}; //!< packets by the first uplink before it fails
    uint64_t m_after{0};  //!< packets by it when it comes back
};

/**
 * @ingroup workload-replay
 * @brief Packets take the paths of a file, and others when these are broken; wrong files.
 */
class RdmaPinnedTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaPinnedTestCase()
        : RdmaRoutingTestCase("rdma routing: pinned paths")
    {
    }

  private:
    void DoRun() override
    {
        Pin("# a comment\n"
            "host0 host1 : leaf0 spine2 leaf1\n"
            "host0\thost1 1 :  leaf0 spine1 leaf1\r\n"
            "\n"
            "host1 host0 : leaf1 spine3 leaf0");
        Post(Time(0), 0, 1, 100 * MTU, 0);
        Post(Time(0), 0, 1, 50 * MTU, 1);
        Simulator::Run();
        ExpectAllDelivered();
        Expect(0, {0, 50, 100, 0}, "data");
        NS_TEST_EXPECT_MSG_EQ(CountUsed(1), 1, "one way for responses");
        NS_TEST_EXPECT_MSG_GT(GetUplinkPackets(1)[3], 0, "that of the file");

        Pin("host1 host0 : leaf1 spine3 leaf0");
        for (uint32_t channel = 0; channel < 100; ++channel)
        {
            Post(Time(0), 0, 1, MTU, channel);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(CountUsed(0), 4, "those that the file does not name");

        Fail();
        ExpectErrors();
    }

    /// The link of a path fails while a message is under way, and comes back.
    void Fail()
    {
        Pin("host0 host1 : leaf0 spine2 leaf1\n");
        Post(Time(0), 0, 1, 5000 * MTU);
        RunUntil(MicroSeconds(500));
        const auto before = GetUplinkPackets(0);
        NS_TEST_EXPECT_MSG_EQ(CountUsed(0), 1, "the path");
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 2), false);
        RunUntil(MicroSeconds(1500));
        NS_TEST_EXPECT_MSG_EQ(GetUplinkPackets(0)[2],
                              before[2],
                              "nothing by the link that is down");
        NS_TEST_EXPECT_MSG_GT(CountUsed(0), 1, "others instead");
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 2), true);
        RunUntil(MicroSeconds(1700));
        const auto back = GetUplinkPackets(0);
        Simulator::Run();
        ExpectAllDelivered();
        const auto end = GetUplinkPackets(0);
        NS_TEST_EXPECT_MSG_GT(end[2], back[2], "the path again");
        NS_TEST_EXPECT_MSG_EQ(std::accumulate(end.begin(), end.end(), 0U) - end[2],
                              std::accumulate(back.begin(), back.end(), 0U) - back[2],
                              "and no other");
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "something is lost");
    }

    /// Wrong files.
    void ExpectErrors()
    {
        const std::string words =
            ":1:1: error: expected source, destination, perhaps a queue pair, ':' and switches, ";
        ExpectError("host0 host1 leaf0\n", words + "found 3 words without ':'");
        ExpectError("host0 : leaf0\n", words + "found 3 words");
        ExpectError("host0 host1 :\n", words + "found 3 words");
        ExpectError("host0 host1 1 2 : leaf0\n", words + "found 6 words");
        ExpectError("\n host0 hots1 : leaf0\n",
                    ":2:8: error: expected a host of the topology, found 'hots1'; did you mean "
                    "host1?");
        ExpectError("leaf0 host1 : leaf0\n",
                    ":1:1: error: expected a host of the topology, found "
                    "'leaf0'");
        ExpectError("host0 host1 : leaf0 spine4 leaf1\n",
                    ":1:21: error: expected a switch of the topology, found 'spine4'; did you "
                    "mean spine0?");
        ExpectError("host0 host1 -1 : leaf0\n",
                    ":1:13: error: expected a whole number from 0 to 4294967294, found '-1'");
        ExpectError("host0 host1 : leaf0 leaf1\n",
                    ":1:21: error: expected a node behind leaf0 on a shortest path to host1, found "
                    "'leaf1'");
        ExpectError("host0 host1 : leaf0 spine0\n",
                    ":1:21: error: expected a switch that host1 is attached to, found 'spine0'");
        ExpectError("host0 host1 : leaf0 spine0 leaf1\nhost0 host1 : leaf0 spine1 leaf1\n",
                    ":2:1: error: expected one path for these hosts and queue pair, found a second "
                    "one");
        Config::SetDefault("ns3::RdmaPinnedRouting::File", StringValue(""));
        NS_TEST_EXPECT_MSG_EQ(
            GetError(),
            "ns3::RdmaPinnedRouting::File: error: expected a file of paths, as in "
            "--ns3::RdmaPinnedRouting::File=FILE, found none",
            "no file");
    }

    /**
     * @param text what the file holds
     */
    void Write(const std::string& text)
    {
        m_file = CreateTempDirFilename("paths.txt");
        std::ofstream(m_file) << text;
        Config::SetDefault("ns3::RdmaPinnedRouting::File", StringValue(m_file));
        DoTeardown();
        Shape shape;
        shape.nicGbps = 200;
        shape.bufferSize = 2000000;
        Build(shape);
    }

    /**
     * Make a fabric with four spines.
     *
     * @param text paths
     */
    void Pin(const std::string& text)
    {
        Write(text);
        Install("Pinned");
        Config::SetDefault("ns3::RdmaPinnedRouting::File", StringValue(""));
    }

    /**
     * @return what is said to a fabric that is made now
     */
    std::string GetError()
    {
        try
        {
            Install("Pinned");
        }
        catch (const WorkloadError& error)
        {
            return error.what();
        }
        return "nothing";
    }

    /**
     * @param text paths
     * @param expected what is to be said, without the name of the file
     */
    void ExpectError(const std::string& text, const std::string& expected)
    {
        Write(text);
        NS_TEST_EXPECT_MSG_EQ(GetError(), m_file + expected, text);
    }

    /**
     * @param leaf a leaf
     * @param loads packets that it is to have sent up, by spine
     * @param what what is being looked at
     */
    void Expect(uint32_t leaf, const std::vector<uint64_t>& loads, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ((GetUplinkPackets(leaf) == loads), true, what);
    }

    /**
     * @param leaf a leaf
     * @return uplinks that it has used
     */
    uint32_t CountUsed(uint32_t leaf) const
    {
        const auto loads = GetUplinkPackets(leaf);
        return static_cast<uint32_t>(loads.size() - std::count(loads.begin(), loads.end(), 0));
    }

    std::string m_file; //!< the file of paths
};

} // namespace

std::vector<TestCase*>
ns3::MakeRdmaRoutingPathTestCases()
{
    return {new RdmaRateEstimatorTestCase, new RdmaCongaAsymmetryTestCase, new RdmaPinnedTestCase};
}
