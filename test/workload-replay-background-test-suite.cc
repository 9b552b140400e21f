/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-test-tools.h"

#include "ns3/background-traffic.h"
#include "ns3/flow-file.h"
#include "ns3/flow-sizes.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-network.h"
#include "ns3/merged-jobs.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/traffic-pattern.h"

#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// Rate of the hosts, bit/s: 10 bytes per ns.
constexpr uint64_t RATE = 80000000000;

/**
 * @return hosts 100 to 111, four in each of three servers
 */
TrafficHosts
MakeHosts()
{
    TrafficHosts hosts;
    hosts.rate = RATE;
    for (uint32_t i = 0; i < 12; ++i)
    {
        hosts.hosts.push_back(100 + i);
        hosts.servers.push_back(i / 4);
    }
    return hosts;
}

/**
 * @param host a host of MakeHosts()
 * @return its server
 */
uint32_t
GetServer(uint32_t host)
{
    return (host - 100) / 4;
}

/**
 * @param pattern a pattern
 * @param count how many flows
 * @return its first flows
 */
std::vector<BackgroundFlow>
Take(TrafficPattern& pattern, std::size_t count)
{
    pattern.AssignStreams(7);
    std::vector<BackgroundFlow> flows;
    while (flows.size() < count)
    {
        flows.push_back(pattern.Next().value());
    }
    return flows;
}

/**
 * @param flows some flows
 * @return what each of twelve hosts sends in the mean, as a share of its rate
 */
double
GetLoad(const std::vector<BackgroundFlow>& flows)
{
    const auto bytes =
        std::accumulate(flows.begin(), flows.end(), 0.0, [](double sum, const auto& flow) {
            return sum + static_cast<double>(flow.bytes);
        });
    return bytes * 8 / flows.back().start.GetSeconds() / 12 / static_cast<double>(RATE);
}

/**
 * @ingroup workload-replay-tests
 * @brief Distributions of sizes: means, and sizes between the points.
 */
class FlowSizesTestCase : public TestCase
{
  public:
    FlowSizesTestCase()
        : TestCase("sizes of flows: means and points")
    {
    }

  private:
    void DoRun() override
    {
        // Sums of width times mean size over the segments, by hand.
        Expect("web-search", 1711250);
        Expect("data-mining", 12658198.6);
        Expect("storage", 40869.8);
        Expect("64KiB", 65536);
        const auto sizes = FlowSizes::Parse({"web-search", {}});
        NS_TEST_EXPECT_MSG_EQ(sizes.Get(0), 1, "nothing is smaller than a byte");
        NS_TEST_EXPECT_MSG_EQ(sizes.Get(0.15), 10000, "a point");
        NS_TEST_EXPECT_MSG_EQ(sizes.Get(0.65), 600000, "halfway between two points");
        NS_TEST_EXPECT_MSG_EQ(sizes.Get(1), 30000000, "the largest");
        NS_TEST_EXPECT_MSG_EQ(FlowSizes::Parse({"5000", {}}).Get(0.3), 5000, "all alike");
        NS_TEST_EXPECT_MSG_EQ(FlowSizes::Parse({"1", {}}).Get(0.3), 1, "the smallest of all");
    }

    /**
     * @param name name of a distribution
     * @param mean its mean, bytes
     */
    void Expect(const std::string& name, double mean)
    {
        const auto sizes = FlowSizes::Parse({name, {}});
        NS_TEST_EXPECT_MSG_EQ_TOL(sizes.GetMean(), mean, 1e-9 * mean, name);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Files of flows: hosts from the first to the last.
 */
class FlowListTestCase : public TestCase
{
  public:
    FlowListTestCase()
        : TestCase("files of flows: hosts")
    {
    }

  private:
    void DoRun() override
    {
        const auto file = CreateTempDirFilename("flows.csv");
        WriteWorkloadFile(file, "src_rank,dst_rank,bytes,start_ns\n0,3,10,7\n3,0,1,5\n");
        const auto flows = ReadFlowFile(file, 4);
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 2, "flows");
        NS_TEST_EXPECT_MSG_EQ(flows[0].start, NanoSeconds(5), "in the order of their starts");
        NS_TEST_EXPECT_MSG_EQ(flows[0].source, 3, "the last host sends");
        NS_TEST_EXPECT_MSG_EQ(flows[0].bytes, 1, "a byte");
        NS_TEST_EXPECT_MSG_EQ(flows[1].destination, 3, "the last host receives");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadFlowFile(file, 3); }),
                              file + ":2:3: error: expected a whole number from 0 to 2, found '3'",
                              "a host that is not there");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Patterns: load, order, who sends to whom.
 */
class TrafficPatternTestCase : public TestCase
{
  public:
    TrafficPatternTestCase()
        : TestCase("patterns: load, order, senders and receivers")
    {
    }

  private:
    void DoRun() override
    {
        CheckPoisson();
        CheckPermutation();
        CheckIncast();
        CheckOneServer();
    }

    /// 20,000 flows of one size: the deviation of their load is 1 / sqrt(20000) = 0.7 %.
    void CheckPoisson()
    {
        PoissonTraffic poisson(MakeHosts(), FlowSizes::Parse({"1000000", {}}), 0.3);
        const auto flows = Take(poisson, 20000);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLoad(flows), 0.3, 0.3 * 0.03, "load");
        std::map<uint32_t, uint32_t> sent;
        Time last;
        for (const auto& flow : flows)
        {
            NS_TEST_ASSERT_MSG_GT_OR_EQ(flow.start, last, "in the order of their starts");
            NS_TEST_ASSERT_MSG_NE(GetServer(flow.source), GetServer(flow.destination), "server");
            ++sent[flow.source];
            last = flow.start;
        }
        NS_TEST_EXPECT_MSG_EQ(sent.size(), 12, "everybody sends");
        for (const auto& [host, count] : sent)
        {
            // 1667 of each, deviation 39.
            NS_TEST_EXPECT_MSG_EQ_TOL(count, 20000.0 / 12, 160, "host " << host);
        }
        PoissonTraffic again(MakeHosts(), FlowSizes::Parse({"1000000", {}}), 0.3);
        const auto same = Take(again, 100);
        for (std::size_t i = 0; i < same.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(same[i].start, flows[i].start, "the same streams");
            NS_TEST_ASSERT_MSG_EQ(same[i].source, flows[i].source, "the same streams");
            NS_TEST_ASSERT_MSG_EQ(same[i].destination, flows[i].destination, "the same streams");
        }
    }

    /// A flow of 1 MB takes 100 us; at a load of 0.5 one begins every 200 us.
    void CheckPermutation()
    {
        PermutationTraffic permutation(MakeHosts(), 1000000, 0.5);
        const auto flows = Take(permutation, 36);
        std::map<uint32_t, std::vector<BackgroundFlow>> bySource;
        std::set<uint32_t> receivers;
        for (const auto& flow : flows)
        {
            bySource[flow.source].push_back(flow);
            receivers.insert(flow.destination);
        }
        NS_TEST_EXPECT_MSG_EQ(bySource.size(), 12, "everybody sends");
        NS_TEST_EXPECT_MSG_EQ(receivers.size(), 12, "everybody receives");
        for (const auto& [source, own] : bySource)
        {
            NS_TEST_ASSERT_MSG_EQ(own.size(), 3, "in turn");
            NS_TEST_EXPECT_MSG_NE(GetServer(source), GetServer(own[0].destination), "server");
            NS_TEST_EXPECT_MSG_LT(own[0].start, MicroSeconds(200), "within the first interval");
            for (std::size_t i = 1; i < own.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(own[i].destination, own[0].destination, "one receiver");
                NS_TEST_EXPECT_MSG_EQ(own[i].start - own[i - 1].start, MicroSeconds(200), "even");
            }
        }
    }

    /// Five senders of 20 KB at once, 4,000 times.
    void CheckIncast()
    {
        IncastTraffic::Shape shape;
        shape.senders = 5;
        shape.bytes = 20000;
        shape.load = 0.1;
        IncastTraffic incast(MakeHosts(), shape);
        const auto flows = Take(incast, 20000);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLoad(flows), 0.1, 0.1 * 0.06, "load");
        std::set<uint32_t> receivers;
        for (std::size_t i = 0; i < flows.size(); i += 5)
        {
            std::set<uint32_t> ends{flows[i].destination};
            for (std::size_t j = i; j < i + 5; ++j)
            {
                NS_TEST_ASSERT_MSG_EQ(flows[j].start, flows[i].start, "at once");
                NS_TEST_ASSERT_MSG_EQ(flows[j].destination, flows[i].destination, "to one");
                ends.insert(flows[j].source);
            }
            NS_TEST_ASSERT_MSG_EQ(ends.size(), 6, "five senders and a receiver");
            receivers.insert(flows[i].destination);
        }
        NS_TEST_EXPECT_MSG_EQ(receivers.size(), 12, "to anybody");
        shape.receiver = 3;
        IncastTraffic toOne(MakeHosts(), shape);
        for (const auto& flow : Take(toOne, 20))
        {
            NS_TEST_EXPECT_MSG_EQ(flow.destination, 103, "to the one that was named");
        }
    }

    /// Where there is one server, hosts send to others of it.
    void CheckOneServer()
    {
        auto hosts = MakeHosts();
        hosts.servers.assign(12, 0);
        PoissonTraffic poisson(hosts, FlowSizes::Parse({"1000", {}}), 1);
        for (const auto& flow : Take(poisson, 100))
        {
            NS_TEST_EXPECT_MSG_NE(flow.source, flow.destination, "nobody sends to itself");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Flows beside a rank: connections serve again, and the rank is not bothered.
 */
class BackgroundConnectionTestCase : public TestCase
{
  public:
    BackgroundConnectionTestCase()
        : TestCase("background: connections, and ranks that do not notice")
    {
    }

  private:
    void DoRun() override
    {
        auto network = CreateObject<IdealNetwork>();
        network->SetPathFinder(MakeCallback(&BackgroundConnectionTestCase::FindPath));
        std::vector<Ptr<MessageTransport>> transports;
        NodeContainer nodes;
        nodes.Create(2);
        for (uint32_t host = 0; host < 2; ++host)
        {
            network->AddPort(DataRate("8Gbps"));
            auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(network, host);
            transport->SetCallbacks(MakeCallback(&BackgroundConnectionTestCase::NoteUpcall, this),
                                    MakeCallback(&BackgroundConnectionTestCase::NoteSent, this));
            transport->TraceConnectWithoutContext(
                "Arrived",
                MakeCallback(&BackgroundConnectionTestCase::NoteArrival, this));
            transports.emplace_back(transport);
        }
        BackgroundTraffic background(nodes, transports, 7);
        // Two at once, one when they are sent, and one that would begin too late.
        background.Add(std::make_unique<ListedTraffic>(
                           std::vector<BackgroundFlow>{{Time(0), 0, 1, 1000},
                                                       {NanoSeconds(500), 0, 1, 1000},
                                                       {NanoSeconds(3000), 0, 1, 1000},
                                                       {NanoSeconds(4000), 0, 1, 1000}}),
                       {MicroSeconds(1), MicroSeconds(5)});
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(background.GetStarted(), 3, "those before the end");
        NS_TEST_EXPECT_MSG_EQ(m_upcalls, 0, "nothing is the rank's");
        NS_TEST_ASSERT_MSG_EQ(m_arrivals.size(), 3, "all arrive");
        // The first has the port alone for 500 ns, then each has half of it.
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[0].time, NanoSeconds(1000 + 1500 + 100), "shared");
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[1].time, NanoSeconds(1000 + 2000 + 100), "likewise");
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[2].time, NanoSeconds(4000 + 1000 + 100), "alone");
        NS_TEST_EXPECT_MSG_NE(m_arrivals[0].message.channel,
                              m_arrivals[1].message.channel,
                              "flows that last at once");
        NS_TEST_EXPECT_MSG_LT(m_arrivals[2].message.channel,
                              Message::FIRST_BACKGROUND_CHANNEL + 2,
                              "a connection serves again");
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[2].message.group, 7, "the one given");
    }

    /**
     * @param source a host
     * @param destination a host
     * @return the path between them: 100 ns
     */
    static IdealPath FindPath(uint32_t source, uint32_t destination)
    {
        return {source, destination, NanoSeconds(100)};
    }

    /// A message has arrived for a rank.
    void NoteUpcall(const Message& /* message */)
    {
        ++m_upcalls;
    }

    /// A message of a rank is sent.
    void NoteSent(uint64_t /* cookie */)
    {
        ++m_upcalls;
    }

    /**
     * @param message a message that has arrived
     */
    void NoteArrival(const Message& message)
    {
        m_arrivals.push_back({Simulator::Now(), message});
    }

    /// A message that has arrived.
    struct Arrival
    {
        Time time;       //!< when
        Message message; //!< the message
    };

    uint32_t m_upcalls{0};           //!< what ranks were told
    std::vector<Arrival> m_arrivals; //!< in their order
};

/**
 * @ingroup workload-replay-tests
 * @brief Two jobs as one: ranks, communicators, and one of them alone.
 */
class MergedJobsTestCase : public TestCase
{
  public:
    MergedJobsTestCase()
        : TestCase("jobs as one: ranks and communicators")
    {
    }

  private:
    /**
     * @param world number of ranks
     * @return a job with one op a rank and a communicator of all
     */
    static std::shared_ptr<const Workload> MakeJob(uint32_t world)
    {
        ParallelLayout layout;
        layout.world = world;
        auto job = std::make_shared<Workload>("test", "file", layout);
        Communicator all{"all", Dimension::DP, std::vector<uint32_t>(world)};
        std::iota(all.ranks.begin(), all.ranks.end(), 0);
        const auto id = job->AddCommunicator(all);
        WorkloadProgramBuilder builder("file");
        builder.AddStream({"dp", false, Dimension::DP});
        WorkloadOp op;
        op.kind = OpKind::COLLECTIVE;
        builder.AddOp(op, "op");
        const auto program = builder.Build();
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            job->SetRank(rank, program, {id});
        }
        return job;
    }

    void DoRun() override
    {
        const std::vector<PlacedJob> jobs{{"a", MakeJob(2), {4, 1}}, {"b", MakeJob(3), {0, 2, 5}}};
        const auto merged = MergeJobs(jobs, 6);
        NS_TEST_EXPECT_MSG_EQ(merged->GetLayout().world, 6, "all hosts");
        const auto& communicators = merged->GetCommunicators();
        NS_TEST_ASSERT_MSG_EQ(communicators.size(), 3, "one of each job, one of nobody's");
        NS_TEST_EXPECT_MSG_EQ((communicators[0].ranks == std::vector<uint32_t>{4, 1}), true, "a");
        NS_TEST_EXPECT_MSG_EQ((communicators[1].ranks == std::vector<uint32_t>{0, 2, 5}),
                              true,
                              "b");
        NS_TEST_EXPECT_MSG_EQ(communicators[2].ranks.size(), 6, "everybody");
        NS_TEST_EXPECT_MSG_EQ(merged->GetCommunicatorSlots(5).front(), 1, "b's");
        NS_TEST_EXPECT_MSG_EQ(&merged->GetProgram(1),
                              &jobs[0].workload->GetProgram(0),
                              "programs are shared");
        NS_TEST_EXPECT_MSG_EQ(merged->GetProgram(3).GetOps().empty(), true, "nobody's host");
        const auto place = merged->GetJobRank(2);
        NS_TEST_EXPECT_MSG_EQ(place.job, 1, "host 2 is of b");
        NS_TEST_EXPECT_MSG_EQ(place.rank, 1, "its second rank");
        NS_TEST_EXPECT_MSG_EQ(merged->GetJobSuffix(2), " of b", "in messages");
        NS_TEST_EXPECT_MSG_EQ(merged->GetJobRank(3).job, Workload::JobRank::NO_JOB, "nobody's");
        const auto alone = KeepJob(*merged, 1);
        NS_TEST_EXPECT_MSG_EQ(alone->GetProgram(4).GetOps().empty(), true, "a does nothing");
        NS_TEST_EXPECT_MSG_EQ(alone->GetProgram(0).GetOps().size(), 1, "b does");
        NS_TEST_EXPECT_MSG_EQ(alone->GetCommunicatorSlots(0).front(), 1, "in the same place");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Background traffic and several jobs, apart from any network.
 */
class WorkloadReplayBackgroundTestSuite : public TestSuite
{
  public:
    WorkloadReplayBackgroundTestSuite()
        : TestSuite("workload-replay-background", TestSuite::Type::UNIT)
    {
        AddTestCase(new FlowSizesTestCase);
        AddTestCase(new FlowListTestCase);
        AddTestCase(new TrafficPatternTestCase);
        AddTestCase(new BackgroundConnectionTestCase);
        AddTestCase(new MergedJobsTestCase);
    }
};

/// The one instance, which registers the suite.
WorkloadReplayBackgroundTestSuite g_workloadReplayBackgroundTestSuite;

} // namespace
