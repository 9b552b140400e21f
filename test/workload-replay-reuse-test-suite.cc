/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "catching-up.h"

#include "ns3/callback.h"
#include "ns3/collective-reuse.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-port-isolation.h"
#include "ns3/node-container.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"
#include "ns3/workload.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Ranks in each server.
constexpr uint32_t SERVER = 4;

/// Servers, all at one switch.
constexpr uint32_t SERVERS = 3;

/// Ranks.
constexpr uint32_t WORLD = SERVERS * SERVER;

/// What the ranks of a run send by.
struct Transports
{
    std::vector<Ptr<MessageTransport>> ranks; //!< by rank
    Ptr<RdmaNetwork> network;                 //!< of packets; null = there are none
};

/// What a run is about.
struct Scenario
{
    std::string name;               //!< name
    bool isIdeal{false};            //!< without packets
    std::vector<uint64_t> calls;    //!< bytes of the all-reduces that each server makes
    std::vector<uint32_t> lateness; //!< by rank: us before each call; shorter = 10
    std::function<void(const Transports&)> disturb; //!< what happens beside; empty = nothing
    uint64_t simulated{0};     //!< collectives simulated, by hand; 0 = those whose bytes or gaps
                               //!< between members have not been there before
    uint64_t twice{0};         //!< simulated once more, as who led was disturbed
    uint64_t madeUp{0};        //!< of these: simulated after all
    uint64_t cutShort{0};      //!< of these: disturbed when some member had ended
    bool acrossServers{false}; //!< members of a call stand in different servers
    bool overlaps{false};      //!< calls begin before others end: who may reuse what is left open
};

/// What came of it.
struct Outcome
{
    std::map<std::pair<uint32_t, uint32_t>, Time> starts; //!< of each rank's calls
    std::map<std::pair<uint32_t, uint32_t>, Time> ends;   //!< of each rank's calls
    std::vector<uint64_t> received;                       //!< by rank, bytes
    std::vector<RdmaPortCounters> ports;                  //!< of all links, both ends
    uint64_t messages{0};                        //!< messages at ranks, those spared included
    uint64_t counts[CollectiveReuse::NOTHING]{}; //!< by fate
};

/// Runs a scenario.
class ReuseRun
{
  public:
    /**
     * @param scenario what to run
     * @param reuses whether collectives are reused
     */
    ReuseRun(const Scenario& scenario, bool reuses);

    Outcome outcome; //!< what came of it

  private:
    /**
     * @param scenario what to run
     * @return the job
     */
    static std::shared_ptr<Workload> MakeWorkload(const Scenario& scenario);

    /**
     * @param scenario what to run
     * @param graph the fabric, of which to make hosts and their transports
     * @param reuses whether to look at what they send
     */
    void Install(const Scenario& scenario, const TopologyGraph& graph, bool reuses);

    /**
     * @param record a collective that a rank has finished
     */
    void Note(const CollectiveRecord& record)
    {
        outcome.starts[{record.rank, record.sequence}] = record.arrival;
        outcome.ends[{record.rank, record.sequence}] = record.end;
    }

    /**
     * @param message a message that has arrived
     */
    void Count(const Message& message [[maybe_unused]])
    {
        ++outcome.messages;
    }

    /**
     * @param communicator its communicator
     * @param messages messages that were spared
     */
    void CountSkipped(uint32_t communicator [[maybe_unused]],
                      const PortIsolation::MessageGroup& messages)
    {
        outcome.messages += messages.count;
    }

    NodeContainer m_hosts;          //!< by rank
    Transports m_transports;        //!< what they send by
    Ptr<PortIsolation> m_isolation; //!< knows what they send
};

std::shared_ptr<Workload>
ReuseRun::MakeWorkload(const Scenario& scenario)
{
    ParallelLayout layout;
    layout.world = WORLD;
    auto workload = std::make_shared<Workload>("test", "test", layout);
    std::vector<std::vector<uint32_t>> groups(scenario.acrossServers ? SERVER : SERVERS);
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        groups[scenario.acrossServers ? rank % SERVER : rank / SERVER].push_back(rank);
    }
    std::vector<uint32_t> ids;
    for (const auto& group : groups)
    {
        ids.push_back(workload->AddCommunicator(
            {"group" + std::to_string(ids.size()), Dimension::TP, group}));
    }
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        WorkloadProgramBuilder builder("rank" + std::to_string(rank));
        builder.AddStream({"compute", true, Dimension::WORLD});
        builder.AddStream({"tp", false, Dimension::TP});
        uint32_t line = 0;
        for (const auto bytes : scenario.calls)
        {
            WorkloadOp compute;
            compute.kind = OpKind::COMPUTE;
            const bool isLate = rank < scenario.lateness.size();
            compute.amount = (isLate ? scenario.lateness[rank] : 10) * 1000000ULL;
            compute.origin = ++line;
            const auto before = builder.AddOp(compute, "compute");
            WorkloadOp call;
            call.kind = OpKind::COLLECTIVE;
            call.collective = CollectiveKind::ALL_REDUCE;
            call.amount = bytes;
            call.stream = 1;
            call.origin = ++line;
            const auto reduce = builder.AddOp(call, "all-reduce");
            builder.AddFinishEdge(before, reduce);
            if (before > 0)
            {
                builder.AddFinishEdge(before - 1, before);
            }
        }
        workload->SetRank(rank,
                          builder.Build(),
                          {ids[scenario.acrossServers ? rank % SERVER : rank / SERVER]});
    }
    return workload;
}

void
ReuseRun::Install(const Scenario& scenario, const TopologyGraph& graph, bool reuses)
{
    if (!scenario.isIdeal)
    {
        RdmaFabricHelper fabric;
        fabric.SetNicAttribute("MaxTrain", UintegerValue(1));
        fabric.Install(graph);
        fabric.AssignStreams(0);
        m_hosts = fabric.GetHosts();
        m_transports = {fabric.GetTransports(), fabric.GetNetwork()};
        m_isolation = reuses ? fabric.IsolatePorts() : nullptr;
        return;
    }
    const auto network = IdealFabricHelper().Install(graph);
    m_hosts.Create(WORLD);
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(network, rank);
        m_transports.ranks.push_back(transport);
    }
    if (reuses)
    {
        auto isolation = CreateObject<IdealPortIsolation>();
        isolation->Setup(network, WORLD);
        m_isolation = isolation;
    }
}

ReuseRun::ReuseRun(const Scenario& scenario, bool reuses)
{
    const CatchingUp catchingUp;
    FabricParameters parameters;
    parameters.gpusPerServer = SERVER;
    const auto graph = TopologyBuilder::Build(TopologySpec("rail"), WORLD, parameters);
    Install(scenario, graph, reuses);
    ReplayHelper helper(MakeWorkload(scenario));
    helper.SetServers(graph);
    Ptr<CollectiveReuse> reuse;
    if (reuses)
    {
        reuse = helper.ReuseCollectives(m_isolation);
        reuse->TraceConnectWithoutContext("Skipped", MakeCallback(&ReuseRun::CountSkipped, this));
    }
    const auto ranks = helper.Install(m_hosts, m_transports.ranks);
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        ranks.Get(rank)->TraceConnectWithoutContext("CollectiveFinished",
                                                    MakeCallback(&ReuseRun::Note, this));
        m_transports.ranks[rank]->TraceConnectWithoutContext("Arrived",
                                                             MakeCallback(&ReuseRun::Count, this));
    }
    if (scenario.disturb)
    {
        scenario.disturb(m_transports);
    }
    Simulator::Run();
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        outcome.received.push_back(
            DynamicCast<ReplayApplication>(ranks.Get(rank))->GetReceivedBytes());
    }
    for (uint32_t link = 0; !scenario.isIdeal && link < graph.GetNLinks(); ++link)
    {
        for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            outcome.ports.push_back(m_transports.network->GetPort(link, node)->GetCounters());
        }
    }
    for (uint32_t fate = 0; reuses && fate < CollectiveReuse::NOTHING; ++fate)
    {
        outcome.counts[fate] = reuse->GetN(static_cast<CollectiveReuse::Fate>(fate));
    }
}

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
 * @return sends a message of background traffic then
 */
std::function<void(const Transports&)>
SendBeside(uint32_t source, uint32_t destination, uint32_t microseconds)
{
    return [=](const Transports& transports) {
        Message message;
        message.source = source;
        message.destination = destination;
        message.channel = Message::FIRST_BACKGROUND_CHANNEL;
        message.cookie = Message::FIRST_BACKGROUND_COOKIE;
        message.bytes = 4000000;
        const auto transport = transports.ranks[source];
        transport->SetBackgroundCallback(MakeCallback(&Ignore));
        Simulator::Schedule(MicroSeconds(microseconds), [=]() { transport->Send(message); });
    };
}

/**
 * @param from when, us
 * @param until when, us
 * @return takes the link between rank 4 and its leaf down and up then
 */
std::function<void(const Transports&)>
CutLink(uint32_t from, uint32_t until)
{
    return [=](const Transports& transports) {
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
PauseFirst(const Transports& transports)
{
    const auto& graph = transports.network->GetGraph();
    for (uint32_t rank = 0; rank < SERVER; ++rank)
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
std::vector<Scenario>
MakeScenarios()
{
    std::vector<Scenario> scenarios;
    Scenario equal;
    equal.name = "equal calls in three servers at a time";
    equal.calls = {4000000, 4000000, 1000000, 4000000};
    equal.simulated = 2;
    scenarios.push_back(equal);

    Scenario across = equal;
    across.name = "equal calls on four rails at a time";
    across.acrossServers = true;
    scenarios.push_back(across);

    Scenario late = equal;
    late.name = "members of the first server begin apart";
    late.lateness = {10, 13, 11, 17};
    late.simulated = 0;
    scenarios.push_back(late);

    Scenario beside = equal;
    beside.name = "another message comes while a call is skipped";
    beside.calls = {4000000, 4000000, 4000000};
    beside.disturb = SendBeside(5, 6, 45);
    // The second call of the second server, which begins at some 35 us, and its third call: its
    // members have begun apart since.
    beside.simulated = 2;
    beside.madeUp = 1;
    scenarios.push_back(beside);

    Scenario leader = beside;
    leader.name = "another message comes while others wait for what a call leads to";
    leader.disturb = SendBeside(1, 2, 15);
    // The first server leads the first call, and the others then have packets. Its members begin
    // the second and the third call apart, each time otherwise; another server leads the second
    // one.
    leader.simulated = 4;
    leader.madeUp = 2;
    scenarios.push_back(leader);

    // Of ideal networks the same goes, but the calls take no more than these times.
    const auto count = scenarios.size();
    for (std::size_t i = 0; i < count; ++i)
    {
        Scenario ideal = scenarios[i];
        ideal.name += ", without packets";
        ideal.isIdeal = true;
        scenarios.push_back(ideal);
    }

    Scenario down = across;
    down.name = "a link goes down and comes up while calls are skipped";
    down.calls = {4000000, 4000000};
    down.disturb = CutLink(180, 190);
    down.simulated = 1;
    down.madeUp = 4;
    scenarios.push_back(down);

    Scenario broken = down;
    broken.name = "a link goes down when nothing is under way, and is still when calls begin";
    broken.lateness.assign(WORLD, 50);
    // The first calls end at some 165 us, the second ones begin 50 us later, all with packets.
    broken.disturb = CutLink(190, 300);
    broken.simulated = 1 + SERVER;
    broken.madeUp = 0;
    scenarios.push_back(broken);

    Scenario paused;
    paused.name = "a call that was paused is not reused";
    paused.calls = {4000000, 4000000, 4000000};
    paused.lateness = {10, 10, 10, 10, 100, 100, 100, 100, 200, 200, 200, 200};
    paused.disturb = PauseFirst;
    // The first and the second call of the first server.
    paused.simulated = 2;
    scenarios.push_back(paused);

    Scenario again = leader;
    again.name = "who was disturbed reuses calls later";
    again.calls.assign(12, 4000000);
    again.simulated = 0;
    again.twice = 1;
    scenarios.push_back(again);

    Scenario close = again;
    close.name = "members begin calls when others have not ended the one before";
    close.lateness.assign(WORLD, 0);
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
    explicit ReuseTestCase(const Scenario& scenario)
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
    uint64_t CountDifferent(const Outcome& plain) const;

    Scenario m_scenario; //!< what is run
};

uint64_t
ReuseTestCase::CountDifferent(const Outcome& plain) const
{
    std::set<std::pair<uint64_t, std::vector<Time>>> different;
    for (uint32_t server = 0; server < SERVERS; ++server)
    {
        for (uint32_t call = 0; call < m_scenario.calls.size(); ++call)
        {
            std::vector<Time> starts;
            for (uint32_t rank = server * SERVER; rank < (server + 1) * SERVER; ++rank)
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
    NS_TEST_ASSERT_MSG_EQ(plain.ends.size(), WORLD * m_scenario.calls.size(), "all calls end");
    NS_TEST_ASSERT_MSG_EQ(reused.ends.size(), plain.ends.size(), "all calls end with reuse");
    for (const auto& [call, end] : plain.ends)
    {
        NS_TEST_EXPECT_MSG_EQ(reused.ends.at(call),
                              end,
                              "end of rank " << call.first << "'s call " << call.second);
    }
    for (uint32_t rank = 0; rank < WORLD; ++rank)
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
    const auto all = m_scenario.calls.size() * (m_scenario.acrossServers ? SERVER : SERVERS);
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
