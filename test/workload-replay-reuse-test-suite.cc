/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-isolation-test-cases.h"
#include "reuse-run.h"
#include "reuse-scenarios.h"
#include "reuse-sink-test-cases.h"

#include "ns3/test.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param outcome what came of a run
 * @return messages at ranks, those spared included
 */
uint64_t
CountMessages(const ReuseOutcome& outcome)
{
    uint64_t sum = 0;
    for (const auto& [message, count] : outcome.messages)
    {
        sum += count;
    }
    return sum;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief What is reused is what would have been simulated, packet by packet and in trains.
 */
class ReuseTestCase : public TestCase
{
  public:
    /**
     * @param scenario what is run with and without reuse
     */
    explicit ReuseTestCase(const ReuseScenario& scenario)
        : TestCase("reuse: " + scenario.name),
          m_scenario(scenario)
    {
    }

  private:
    void DoRun() override;

    /**
     * @param plain what came of the run without reuse
     * @return calls of servers that differ in their bytes, or in the gaps between the beginnings
     * of their members
     */
    uint64_t CountDifferent(const ReuseOutcome& plain) const;

    ReuseScenario m_scenario; //!< what is run
};

uint64_t
ReuseTestCase::CountDifferent(const ReuseOutcome& plain) const
{
    std::set<std::pair<uint64_t, std::vector<Time>>> different;
    for (uint32_t server = 0; server < ReuseRun::SERVERS; ++server)
    {
        for (uint32_t call = 0; call < m_scenario.calls.size(); ++call)
        {
            std::vector<Time> starts;
            for (uint32_t rank = server * ReuseRun::SERVER; rank < (server + 1) * ReuseRun::SERVER;
                 ++rank)
            {
                starts.push_back(plain.starts.at({rank, call}));
            }
            const Time first = *std::min_element(starts.begin(), starts.end());
            for (auto& start : starts)
            {
                start -= first;
            }
            different.insert({m_scenario.calls[call], starts});
        }
    }
    return different.size();
}

void
ReuseTestCase::DoRun()
{
    const auto plain = ReuseRun(m_scenario, false).outcome;
    const auto reused = ReuseRun(m_scenario, true).outcome;
    NS_TEST_ASSERT_MSG_EQ((plain.ends.size() < ReuseRun::WORLD * m_scenario.calls.size()),
                          (m_scenario.stop > 0),
                          "all calls end, unless their members go before");
    NS_TEST_ASSERT_MSG_EQ(reused.ends.size(), plain.ends.size(), "all calls end with reuse");
    for (const auto& [call, end] : plain.ends)
    {
        NS_TEST_EXPECT_MSG_EQ(reused.ends.at(call),
                              end,
                              "end of rank " << call.first << "'s call " << call.second);
    }
    if (m_scenario.stop > 0)
    {
        NS_TEST_EXPECT_MSG_LT(CountMessages(reused),
                              CountMessages(plain),
                              "nothing is made up for");
        return;
    }
    for (uint32_t rank = 0; rank < ReuseRun::WORLD; ++rank)
    {
        NS_TEST_EXPECT_MSG_EQ(reused.received[rank], plain.received[rank], "bytes received");
    }
    for (std::size_t port = 0; port < plain.ports.size(); ++port)
    {
        const auto& expected = plain.ports[port];
        NS_TEST_EXPECT_MSG_EQ(reused.ports[port].packets, expected.packets, "packets at " << port);
        NS_TEST_EXPECT_MSG_EQ(reused.ports[port].bytes, expected.bytes, "bytes at " << port);
        NS_TEST_EXPECT_MSG_EQ(reused.ports[port].wireBytes, expected.wireBytes, "wire at " << port);
        NS_TEST_EXPECT_MSG_EQ(reused.ports[port].maxQueue, expected.maxQueue, "queue at " << port);
    }
    NS_TEST_EXPECT_MSG_EQ((reused.messages == plain.messages),
                          true,
                          "messages, those spared included");
    // A fluid is congested where two send to one: by who disturbs, or in a tree.
    const bool isCongested =
        m_scenario.disturb || m_scenario.isTree || m_scenario.pair.first != m_scenario.pair.second;
    if (m_scenario.overlaps || m_scenario.maxTrain > 1 || (m_scenario.isFluid && isCongested))
    {
        return;
    }
    const auto all = m_scenario.calls.size() * ReuseRun::CountGroups(m_scenario);
    const auto simulated =
        m_scenario.simulated > 0 ? m_scenario.simulated : CountDifferent(plain) + m_scenario.twice;
    if (m_scenario.nvSwitches > 1)
    {
        // Whose first part goes by another switch than before is another call.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(reused.counts[CollectiveReuse::SIMULATED],
                                    m_scenario.nvSwitches * simulated,
                                    "simulated over all switches");
        return;
    }
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::SIMULATED], simulated, "simulated");
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::REUSED], all - simulated, "reused");
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::RESIMULATED],
                          m_scenario.madeUp,
                          "made up");
}

/**
 * @ingroup workload-replay-tests
 * @brief Reuse of collectives.
 */
class WorkloadReplayReuseTestSuite : public TestSuite
{
  public:
    WorkloadReplayReuseTestSuite()
        : TestSuite("workload-replay-reuse", TestSuite::Type::UNIT)
    {
        for (const auto& scenario : MakeReuseScenarios())
        {
            AddTestCase(new ReuseTestCase(scenario));
            if (scenario.isIdeal)
            {
                continue;
            }
            // How many are simulated depends on what trains were sent before.
            auto trains = scenario;
            trains.name += ", in trains";
            trains.maxTrain = 1024;
            AddTestCase(new ReuseTestCase(trains));
            AddFluid(scenario);
            if (!scenario.acrossServers)
            {
                // Parts of messages go by each of them.
                auto planes = scenario;
                planes.name += ", over three NVSwitches";
                planes.nvSwitches = 3;
                AddTestCase(new ReuseTestCase(planes));
                AddFluid(planes);
            }
        }
        for (auto* const testCase : MakeReuseSinkTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* const testCase : MakePortIsolationTestCases())
        {
            AddTestCase(testCase);
        }
    }

  private:
    /**
     * Add a case that runs a scenario as a fluid.
     *
     * @param scenario what to run
     */
    void AddFluid(const ReuseScenario& scenario)
    {
        auto fluid = scenario;
        fluid.name += ", as a fluid";
        fluid.isFluid = true;
        // What a fluid shares out is more than the ports of a part of a server, or of those at a
        // leaf, which has uplinks.
        const auto all = scenario.calls.size() * ReuseRun::CountGroups(scenario);
        const bool isPart = scenario.acrossServers || scenario.inPairs;
        fluid.simulated = isPart ? all : scenario.simulated;
        AddTestCase(new ReuseTestCase(fluid));
    }
};

WorkloadReplayReuseTestSuite g_workloadReplayReuseTestSuite; //!< the suite
