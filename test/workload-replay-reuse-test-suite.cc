/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reuse-run.h"
#include "scheduled-call.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param cookie cookie of a message that is sent
 */
void
Ignore(uint64_t cookie [[maybe_unused]])
{
}

/**
 * @param source rank that sends
 * @param destination rank that receives
 * @param microseconds when
 * @param bytes its size
 * @return sends a message of background traffic then
 */
std::function<void(const ReuseTransports&)>
SendBeside(uint32_t source, uint32_t destination, uint32_t microseconds, uint64_t bytes = 4000000)
{
    return [=](const ReuseTransports& transports) {
        Message message;
        message.source = source;
        message.destination = destination;
        message.channel = Message::FIRST_BACKGROUND_CHANNEL;
        message.cookie = Message::FIRST_BACKGROUND_COOKIE;
        message.bytes = bytes;
        const auto transport = transports.ranks[source];
        transport->SetBackgroundCallback(MakeCallback(&Ignore));
        ScheduleCall(MicroSeconds(microseconds), [=]() { transport->Send(message); });
    };
}

/**
 * Have a few packets wait in front of rank 1 before the first calls.
 *
 * @param transports what the ranks send by
 */
void
FillQueue(const ReuseTransports& transports)
{
    SendBeside(2, 1, 1, 40000)(transports);
    SendBeside(3, 1, 1, 40000)(transports);
}

/**
 * @param from when, us
 * @param until when, us
 * @return takes the link between rank 4 and its leaf down and up then
 */
std::function<void(const ReuseTransports&)>
CutLink(uint32_t from, uint32_t until)
{
    return [=](const ReuseTransports& transports) {
        const auto network = transports.network;
        const auto& graph = network->GetGraph();
        const auto link = graph.GetFirstLink(graph.GetHosts()[4], false);
        Simulator::Schedule(MicroSeconds(from), &RdmaNetwork::SetLinkUp, network, link, false);
        Simulator::Schedule(MicroSeconds(until), &RdmaNetwork::SetLinkUp, network, link, true);
    };
}

/**
 * Have the NVSwitch of the first server pause its ranks from 15 to 16 us.
 *
 * @param transports what the ranks send by
 */
void
PauseFirst(const ReuseTransports& transports)
{
    const auto& graph = transports.network->GetGraph();
    for (uint32_t rank = 0; rank < ReuseRun::SERVER; ++rank)
    {
        const auto host = graph.GetHosts()[rank];
        const auto link = graph.GetFirstLink(host, true);
        const auto port = transports.network->GetPort(link, graph.GetPeer(link, host));
        Simulator::Schedule(MicroSeconds(15), &RdmaNetDevice::SendPause, port, 3, true);
        Simulator::Schedule(MicroSeconds(16), &RdmaNetDevice::SendPause, port, 3, false);
    }
}

/**
 * @return the scenarios. A call of 4 MB in a server takes 2 * 3/4 * 4 MB at 450 GB/s, 14 us and
 *         some more for steps; over the network, of three members, 2 * 2/3 * 4 MB at 50 GB/s, 107
 *         us. A call begins 10 us after the end of the one before.
 */
std::vector<ReuseScenario>
MakeScenarios()
{
    std::vector<ReuseScenario> scenarios;
    ReuseScenario equal;
    equal.name = "equal calls in three servers at a time";
    equal.calls = {4000000, 4000000, 1000000, 4000000};
    equal.simulated = 2;
    scenarios.push_back(equal);

    ReuseScenario across = equal;
    across.name = "equal calls on four rails at a time";
    across.acrossServers = true;
    scenarios.push_back(across);

    ReuseScenario late = equal;
    late.name = "members of the first server begin apart";
    late.lateness = {10, 13, 11, 17};
    late.simulated = 0;
    scenarios.push_back(late);

    ReuseScenario patience = equal;
    patience.name = "a member begins when others are held back no longer";
    patience.calls = {4000000};
    patience.lateness = {12000};
    // The call of the first server, and that of another one.
    patience.simulated = 2;
    scenarios.push_back(patience);

    ReuseScenario beside = equal;
    beside.name = "another message comes while a call is skipped";
    beside.calls = {4000000, 4000000, 4000000};
    beside.disturb = SendBeside(5, 6, 45);
    // The second call of the second server, which begins at some 35 us, and its third call: its
    // members have begun apart since.
    beside.simulated = 2;
    beside.madeUp = 1;
    scenarios.push_back(beside);

    ReuseScenario leader = beside;
    leader.name = "another message comes while others wait for what a call leads to";
    leader.disturb = SendBeside(1, 2, 15);
    // The first server leads the first call, and the others then have packets. Its members begin
    // the second and the third call apart, each time otherwise; another server leads the second
    // one.
    leader.simulated = 4;
    leader.madeUp = 2;
    scenarios.push_back(leader);

    ReuseScenario queue = equal;
    queue.name = "a queue was longer before than in the call that others follow";
    queue.lateness.assign(ReuseRun::WORLD, 50);
    queue.disturb = FillQueue;
    scenarios.push_back(queue);

    // Of ideal networks the same goes, but the calls take no more than these times.
    const auto count = scenarios.size();
    for (std::size_t i = 0; i < count; ++i)
    {
        ReuseScenario ideal = scenarios[i];
        ideal.name += ", without packets";
        ideal.isIdeal = true;
        scenarios.push_back(ideal);
    }

    ReuseScenario down = across;
    down.name = "a link goes down and comes up while calls are skipped";
    down.calls = {4000000, 4000000};
    down.disturb = CutLink(180, 190);
    down.simulated = 1;
    down.madeUp = 4;
    scenarios.push_back(down);

    ReuseScenario broken = down;
    broken.name = "a link goes down when nothing is under way, and is still when calls begin";
    broken.lateness.assign(ReuseRun::WORLD, 50);
    // The first calls end at some 165 us, the second ones begin 50 us later, all with packets.
    broken.disturb = CutLink(190, 300);
    broken.simulated = 1 + ReuseRun::SERVER;
    broken.madeUp = 0;
    scenarios.push_back(broken);

    ReuseScenario paused;
    paused.name = "a call that was paused is not reused";
    paused.calls = {4000000, 4000000, 4000000};
    paused.lateness = {10, 10, 10, 10, 100, 100, 100, 100, 200, 200, 200, 200};
    paused.disturb = PauseFirst;
    // The first and the second call of the first server.
    paused.simulated = 2;
    scenarios.push_back(paused);

    ReuseScenario again = leader;
    again.name = "who was disturbed reuses calls later";
    again.calls.assign(12, 4000000);
    again.simulated = 0;
    again.twice = 1;
    scenarios.push_back(again);

    ReuseScenario close = again;
    close.name = "members begin calls when others have not ended the one before";
    close.lateness.assign(ReuseRun::WORLD, 0);
    close.disturb = SendBeside(1, 2, 5);
    close.overlaps = true;
    scenarios.push_back(close);
    return scenarios;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief With plain packets, what is reused is what would have been simulated.
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
    NS_TEST_ASSERT_MSG_EQ(plain.ends.size(),
                          ReuseRun::WORLD * m_scenario.calls.size(),
                          "all calls end");
    NS_TEST_ASSERT_MSG_EQ(reused.ends.size(), plain.ends.size(), "all calls end with reuse");
    for (const auto& [call, end] : plain.ends)
    {
        NS_TEST_EXPECT_MSG_EQ(reused.ends.at(call),
                              end,
                              "end of rank " << call.first << "'s call " << call.second);
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
    NS_TEST_EXPECT_MSG_EQ(reused.messages, plain.messages, "messages, those spared included");
    if (m_scenario.overlaps)
    {
        return;
    }
    const auto all =
        m_scenario.calls.size() * (m_scenario.acrossServers ? ReuseRun::SERVER : ReuseRun::SERVERS);
    const auto simulated =
        m_scenario.simulated > 0 ? m_scenario.simulated : CountDifferent(plain) + m_scenario.twice;
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::SIMULATED], simulated, "simulated");
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::REUSED], all - simulated, "reused");
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::MADE_UP], m_scenario.madeUp, "made up");
    NS_TEST_EXPECT_MSG_EQ(reused.counts[CollectiveReuse::CUT_SHORT],
                          m_scenario.cutShort,
                          "cut short");
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
        for (const auto& scenario : MakeScenarios())
        {
            AddTestCase(new ReuseTestCase(scenario));
        }
    }
};

WorkloadReplayReuseTestSuite g_workloadReplayReuseTestSuite; //!< the suite
