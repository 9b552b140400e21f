/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-convergence-test-cases.h"

#include "../bench/congestion-reference.h"
#include "../bench/congestion-run.h"

#include "ns3/string.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{

namespace
{

/// Payload of a packet that takes 4150 bytes on the wire, 83 ns at 400 Gb/s.
const std::string PAYLOAD = "4068";

/// Bytes of a message that does not end within a test.
constexpr uint64_t ENDLESS = 1ULL << 40;

/**
 * @ingroup workload-replay-tests
 * @brief Endless messages that begin at once into one port of 400 Gb/s.
 */
class ConvergenceTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// What is asked for.
    struct Limits
    {
        uint32_t from;    //!< first window of 1 ms that is looked at
        double leastLoad; //!< least load of a window
        double fairness;  //!< least of Jain's index over 10 ms
    };

    /**
     * @param what control, settings, senders and delay
     * @param until when to end, a multiple of 10 ms
     * @param limits what is asked for
     * @param name name in messages
     */
    void Check(CongestionRun::Case what, Time until, const Limits& limits, const std::string& name)
    {
        what.settings.emplace_back("Nic::Mtu", PAYLOAD);
        CongestionRun run(what);
        for (uint32_t sender = 0; sender < what.senders; ++sender)
        {
            run.Post(sender, ENDLESS, Time(0));
        }
        run.RunUntil(until, MilliSeconds(1));
        const auto loads = run.GetLoads();
        NS_TEST_ASSERT_MSG_EQ(loads.size(), until / MilliSeconds(1), "windows of " << name);
        NS_TEST_EXPECT_MSG_GT(*std::min_element(loads.begin() + limits.from, loads.end()),
                              limits.leastLoad,
                              "least load of a window: " << name);
        const auto indices = run.GetFairness(10);
        NS_TEST_EXPECT_MSG_GT(*std::min_element(indices.begin(), indices.end()),
                              limits.fairness,
                              "least index of fairness: " << name);
        NS_TEST_EXPECT_MSG_EQ(run.GetPauses(), 0, "pauses: " << name);
        NS_TEST_EXPECT_MSG_EQ(run.GetDrops(), 0, "drops: " << name);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief DCQCN as network cards run it, by marks alone.
 *
 * All senders begin at line rate, which fills a queue of up to 20 MB within 20 us. While it drains,
 * all that leaves it is marked, and rates fall far below their share; steps of recovery are 300 us
 * apart. So the more senders there are, the later their rates have settled.
 */
class DcqcnConvergenceTestCase : public ConvergenceTestCase
{
  public:
    DcqcnConvergenceTestCase()
        : ConvergenceTestCase("convergence: DCQCN of network cards, 2 to 16 flows")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [senders, from] :
             {std::pair(2U, 1U), std::pair(4U, 1U), std::pair(8U, 2U), std::pair(16U, 3U)})
        {
            CongestionRun::Case what;
            what.senders = senders;
            what.delay = MicroSeconds(1);
            // 100 and 400 KB at 400 Gb/s.
            what.settings = {{"EcnMarker::Kmin", "2us"},
                             {"EcnMarker::Kmax", "8us"},
                             {"Switch::LosslessPriorities", "0"},
                             {"Switch::BufferSize", "64000000"}};
            Check(what,
                  MilliSeconds(20),
                  {from, 0.9, 0.9},
                  std::to_string(senders) + " flows by DCQCN");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief HPCC and TIMELY on short and longer paths.
 */
class WindowConvergenceTestCase : public ConvergenceTestCase
{
  public:
    WindowConvergenceTestCase()
        : ConvergenceTestCase("convergence: HPCC and TIMELY, 2 to 16 flows")
    {
    }

  private:
    void DoRun() override
    {
        // Base RTTs of 1.4, 4.4 and 8.4 us.
        for (const Time& delay : {NanoSeconds(250), MicroSeconds(1), MicroSeconds(2)})
        {
            CheckControl("Hpcc", 4, delay, MilliSeconds(30), {1, 0.9, 0.95});
        }
        // Base RTTs of 4, 8 and 16 us. The first 8 ms go by after rates were cut by the gradient of
        // the queue that all build up at first. Rates have no fixed point, so that shares differ.
        for (const uint32_t senders : {2, 4, 8, 16})
        {
            for (const Time& delay : {NanoSeconds(900), NanoSeconds(1900), NanoSeconds(3900)})
            {
                CheckControl("Timely", senders, delay, MilliSeconds(20), {8, 0.85, 0.3});
            }
        }
    }

    /**
     * @param control the congestion control
     * @param senders how many send
     * @param delay delay of each link
     * @param until when to end
     * @param limits what is asked for
     */
    void CheckControl(const std::string& control,
                      uint32_t senders,
                      Time delay,
                      Time until,
                      const Limits& limits)
    {
        CongestionRun::Case what;
        what.control = control;
        what.senders = senders;
        what.delay = delay;
        what.settings = {{"Switch::LosslessPriorities", "0"}, {"Switch::BufferSize", "400000000"}};
        Check(what,
              until,
              limits,
              std::to_string(senders) + " flows by " + control + ", links of " +
                  std::to_string(delay.GetNanoSeconds()) + " ns");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Completion times that were measured with the simulator of the HPCC family, within 10 %.
 *
 * One is left out: two flows with samples of alpha every 5 us and cuts every 4 us. That case is
 * chaotic; over 20 seeds its mean is 7222 us with a standard deviation of 946 us, and one run of
 * the other simulator took 8511 us.
 */
class ReferenceTestCase : public TestCase
{
  public:
    ReferenceTestCase()
        : TestCase("convergence: completion times of the HPCC family's simulator")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t seeds = 3;
        for (const auto& row : CongestionReference::GetAll())
        {
            CongestionReference::Times mean;
            for (uint32_t seed = 1; seed <= seeds; ++seed)
            {
                const auto times = row.Run(seed);
                mean.incastMean += times.incastMean / seeds;
                mean.incastLast += times.incastLast / seeds;
                mean.twoMean += times.twoMean / seeds;
                mean.twoLast += times.twoLast / seeds;
            }
            const std::string name = row.name;
            Expect(mean.incastMean, row.measured.incastMean, name + ", incast, mean");
            Expect(mean.incastLast, row.measured.incastLast, name + ", incast, last");
            if (name.find("alpha 5") == std::string::npos)
            {
                Expect(mean.twoMean, row.measured.twoMean, name + ", two flows, mean");
                Expect(mean.twoLast, row.measured.twoLast, name + ", two flows, last");
            }
        }
    }

    /**
     * @param found a time, us
     * @param expected what was measured, us; 0 = was not
     * @param what what is being looked at
     */
    void Expect(double found, double expected, const std::string& what)
    {
        if (expected > 0)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(found, expected, expected * 0.1, what);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief HPCC is refused where packets are sprayed, with the reason.
 */
class SprayedControlTestCase : public TestCase
{
  public:
    SprayedControlTestCase()
        : TestCase("convergence: HPCC does not go with spraying")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Install("Hpcc", "Spray"),
                              "congestion control hpcc: error: expected a routing that keeps the "
                              "packets of a queue pair on one path (HPCC measures a port by two "
                              "packets that have passed it), found routing spray",
                              "HPCC, sprayed");
        NS_TEST_EXPECT_MSG_EQ((Install("Hpcc", "Adaptive") != ""), true, "HPCC, adaptive");
        NS_TEST_EXPECT_MSG_EQ(Install("Hpcc", "Ecmp"), "", "HPCC by flow");
        for (const std::string control : {"Dcqcn", "Timely", "Swift"})
        {
            NS_TEST_EXPECT_MSG_EQ(Install(control, "Spray"), "", control << ", sprayed");
        }
    }

    /**
     * @param control a congestion control
     * @param routing a routing
     * @return error of a fabric that has both; empty = there is none
     */
    static std::string Install(const std::string& control, const std::string& routing)
    {
        TopologyGraph graph;
        graph.AddHost("h0");
        graph.AddHost("h1");
        graph.AddLink(0, 1, DataRate("100Gbps"), MicroSeconds(1));
        RdmaFabricHelper fabric;
        fabric.SetCongestionControl("ns3::Rdma" + control);
        fabric.SetRouting("ns3::Rdma" + routing + "Routing");
        std::string message;
        try
        {
            fabric.Install(graph);
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        Simulator::Destroy();
        return message;
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaConvergenceTestCases()
{
    return {new DcqcnConvergenceTestCase,
            new WindowConvergenceTestCase,
            new ReferenceTestCase,
            new SprayedControlTestCase};
}

} // namespace ns3
