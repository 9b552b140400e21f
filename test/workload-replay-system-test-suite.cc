/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-test-tools.h"

#include "ns3/config.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/op-table-reader.h"
#include "ns3/replay-application.h"
#include "ns3/replay-command.h"
#include "ns3/replay-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"

#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// What is left of a frame (9,000 bytes of MTU and 2 of PPP) after headers of IPv4 and TCP.
constexpr double GOODPUT_SHARE = 8960.0 / 9002.0;

/// Queue of a switch port, bytes.
constexpr uint32_t QUEUE_SIZE = 16 * 1024 * 1024;

/**
 * @ingroup workload-replay
 * @brief What a replay came to.
 */
struct Outcome
{
    double iterationMs{0};               //!< end of the last rank, ms
    std::vector<uint64_t> receivedBytes; //!< payload by rank
    std::vector<uint64_t> sentOnNic;     //!< bytes each rank's link has sent; empty if ideal
    std::string trajectory;              //!< end of every op of every rank, as text
};

/**
 * @ingroup workload-replay
 * @brief Collects what a replay comes to.
 */
class Observer
{
  public:
    /**
     * @param applications the applications to listen to
     */
    explicit Observer(const ApplicationContainer& applications)
        : m_applications(applications)
    {
        for (auto i = applications.Begin(); i != applications.End(); ++i)
        {
            (*i)->TraceConnectWithoutContext("OpFinished",
                                             MakeCallback(&Observer::OpFinished, this));
        }
    }

    /**
     * Run the simulation.
     *
     * @return what it came to; not finished = no bytes received
     */
    Outcome Run()
    {
        Simulator::Run();
        Outcome outcome;
        for (auto i = m_applications.Begin(); i != m_applications.End(); ++i)
        {
            auto application = DynamicCast<ReplayApplication>(*i);
            outcome.receivedBytes.push_back(
                application->IsFinished() ? application->GetReceived().bytes : 0);
        }
        outcome.iterationMs = m_last.GetSeconds() * 1e3;
        outcome.trajectory = m_trajectory.str();
        return outcome;
    }

  private:
    /**
     * @param record a finished op
     */
    void OpFinished(const OpRecord& record)
    {
        m_last = record.end;
        m_trajectory << record.rank << ' ' << record.op << ' ' << record.end.GetTimeStep() << '\n';
    }

    ApplicationContainer m_applications; //!< the ranks
    Time m_last;                         //!< when the last op finished
    std::ostringstream m_trajectory;     //!< end of every op
};

/**
 * Replay over packets.
 *
 * @param workload the job
 * @param topology topology as in the option of wl-replay
 * @param parameters rates and delays
 * @return what it came to
 */
Outcome
ReplayTcp(std::shared_ptr<const Workload> workload,
          const std::string& topology,
          const FabricParameters& parameters)
{
    const uint32_t world = workload->GetLayout().world;
    TcpFabricHelper fabric;
    fabric.SetQueueSize(QUEUE_SIZE);
    fabric.Install(TopologyBuilder::Build(TopologySpec(topology), world, parameters), parameters);
    fabric.AssignStreams(0);
    Observer observer(ReplayHelper(workload).InstallTcp(fabric.GetHosts()));
    auto outcome = observer.Run();
    const auto& graph = fabric.GetGraph();
    for (const auto host : graph.GetHosts())
    {
        outcome.sentOnNic.push_back(
            fabric.GetCounters(graph.GetFirstLink(host, false), host).bytes);
    }
    Simulator::Destroy();
    return outcome;
}

/**
 * Replay over the ideal network.
 *
 * @param workload the job
 * @param topology topology as in the option of wl-replay
 * @param parameters rates and delays
 * @return what it came to
 */
Outcome
ReplayIdeal(std::shared_ptr<const Workload> workload,
            const std::string& topology,
            const FabricParameters& parameters)
{
    const uint32_t world = workload->GetLayout().world;
    const auto network = IdealFabricHelper().Install(
        TopologyBuilder::Build(TopologySpec(topology), world, parameters));
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(network, rank);
        transports.emplace_back(transport);
    }
    Observer observer(ReplayHelper(workload).Install(NodeContainer(world), transports));
    auto outcome = observer.Run();
    Simulator::Destroy();
    return outcome;
}

/**
 * @param nicRate rate of the links, bit/s
 * @return servers of one rank each on links of 1 us
 */
FabricParameters
MakeParameters(double nicRate)
{
    FabricParameters parameters;
    parameters.gpusPerServer = 1;
    parameters.nicRate = DataRate(static_cast<uint64_t>(nicRate));
    parameters.linkDelay = MicroSeconds(1);
    return parameters;
}

/**
 * @param file name of a file to write
 * @return a job of 8 workers: 1 ms of computation, then an all-reduce of 20 MB
 */
std::shared_ptr<const Workload>
ReadSmallTable(const std::string& file)
{
    WriteWorkloadFile(file,
                      "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\t"
                      "backward_compute_time\tbackward_comm_type\tbackward_comm_size\t"
                      "weight_grad_compute_time\tweight_grad_comm_type\tweight_grad_comm_size\t"
                      "process_time\n"
                      "layer\t1\tNone\t0\t0\tALLREDUCE\t5000000\t0\tNone\t0\t0\n");
    OpTableOptions options;
    options.workers = 8;
    return ReadOpTable(file, options);
}

} // namespace

/**
 * @ingroup workload-replay
 * @brief The op table of GPT2-Large on N workers takes what a ring at 100 Gb/s of goodput takes.
 *
 * Forward takes 187.5395 ms; then nine all-reduces of 341,479,748 bytes in all are ready and run
 * one after another: 2 (N - 1) / N S / B. The latency terms left out of this closed form are
 * 9 x 2 (N - 1) paths of 2 x 1 us, and for packets a frame's store-and-forward time each.
 */
class OpTableTimeTestCase : public TestCase
{
  public:
    /**
     * @param workers number of workers
     * @param expectedMs iteration time of the closed form, without latency
     * @param packets true: over TCP, false: over the ideal network
     */
    OpTableTimeTestCase(uint32_t workers, double expectedMs, bool packets)
        : TestCase("op table on " + std::to_string(workers) + " workers, " +
                   (packets ? "tcp" : "ideal")),
          m_workers(workers),
          m_expectedMs(expectedMs),
          m_packets(packets)
    {
        SetDataDir(NS_TEST_SOURCEDIR);
    }

  private:
    void DoRun() override
    {
        OpTableOptions options;
        options.workers = m_workers;
        const auto workload =
            ReadOpTable(CreateDataDirFilename("../examples/workloads/gpt2-large-ops.tsv"), options);
        const double nicRate = m_packets ? 100e9 / GOODPUT_SHARE : 100e9;
        const auto parameters = MakeParameters(nicRate);
        const auto outcome = m_packets ? ReplayTcp(workload, "single-switch", parameters)
                                       : ReplayIdeal(workload, "single-switch", parameters);
        // 9 rings of 2 (N - 1) steps, each over two links of 1 us.
        const double latencyMs = 9 * 2 * (m_workers - 1) * 2e-3;
        const double least = m_expectedMs + latencyMs;
        // Without packets nothing is approximate but the two decimals of the closed form. With
        // them, acknowledgements take 0.2 % of the links and each step a frame's time more, 0.7 us.
        const double most = least + (m_packets ? 0.01 * (least - 187.5395) : 0.005);
        NS_TEST_ASSERT_MSG_GT(outcome.iterationMs, least - 0.005, "faster than the links");
        NS_TEST_ASSERT_MSG_LT(outcome.iterationMs, most, "slower than the links");
        const double bytes = 2.0 * (m_workers - 1) / m_workers * 341479748;
        for (uint32_t rank = 0; rank < m_workers; ++rank)
        {
            // Each of 18 rounds is cut into as many chunks as workers, of whole bytes.
            NS_TEST_ASSERT_MSG_EQ_TOL(outcome.receivedBytes[rank],
                                      bytes,
                                      18.0,
                                      "payload of worker " << rank);
        }
        if (m_packets)
        {
            CheckWire(outcome, bytes);
        }
    }

    /**
     * @param outcome what a replay over packets came to
     * @param payload bytes each worker has to send
     */
    void CheckWire(const Outcome& outcome, double payload)
    {
        for (uint32_t rank = 0; rank < m_workers; ++rank)
        {
            const auto sent = static_cast<double>(outcome.sentOnNic[rank]);
            NS_TEST_ASSERT_MSG_GT_OR_EQ(sent, payload / GOODPUT_SHARE, "data with headers");
            // Beside the data: acknowledgements of 42 bytes, at most one for each frame received.
            NS_TEST_ASSERT_MSG_LT(sent,
                                  payload / GOODPUT_SHARE * (1 + 42.0 / 9002) * 1.001,
                                  "bytes on the wire");
        }
    }

    uint32_t m_workers;  //!< number of workers
    double m_expectedMs; //!< closed form
    bool m_packets;      //!< over packets
};

/**
 * @ingroup workload-replay
 * @brief A leaf-spine fabric oversubscribed 4:1 is as slow as its up-links say.
 *
 * Eight workers alternate between two leaves of four, so that every message of the ring crosses
 * the one spine. At 1:1 the link from a leaf to it is as fast as the links of the leaf's four
 * workers together; at 4:1 it is as fast as one of them, and communication takes four times as
 * long. Queues hold the windows of four connections (2 MiB each), so that nothing is lost and the
 * rate of the link alone decides.
 */
class OversubscriptionTestCase : public TestCase
{
  public:
    OversubscriptionTestCase()
        : TestCase("oversubscription of 4:1 is as slow as the bottleneck says")
    {
    }

  private:
    void DoRun() override
    {
        const auto workload = ReadSmallTable(CreateTempDirFilename("table.tsv"));
        const auto parameters = MakeParameters(100e9 / GOODPUT_SHARE);
        const std::string clos = "clos:leaves=2,spines=1,placement=interleaved,";
        // One spine: at 1:1 its up-link is as fast as the four workers of a leaf together.
        const auto full =
            ReplayTcp(workload, clos + "oversubscription=1,uplinkRate=" + Rate(4), parameters);
        const auto quarter =
            ReplayTcp(workload, clos + "oversubscription=4,uplinkRate=" + Rate(1), parameters);
        const double fullMs = full.iterationMs - 1;
        const double quarterMs = quarter.iterationMs - 1;
        // 2 x 7/8 x 20 MB at 100 Gb/s, and 14 steps over four links of 1 us.
        const double wireMs = 2.8;
        const double latencyMs = 0.056;
        const double fullExpected = wireMs + latencyMs;
        const double quarterExpected = 4 * wireMs + latencyMs;
        NS_TEST_ASSERT_MSG_EQ_TOL(fullMs, fullExpected, 0.05 * fullExpected, "1:1, ms");
        NS_TEST_ASSERT_MSG_EQ_TOL(quarterMs, quarterExpected, 0.05 * quarterExpected, "4:1, ms");
    }

    /**
     * @param workers number of workers
     * @return the rate of as many links, as an option
     */
    static std::string Rate(uint32_t workers)
    {
        return std::to_string(static_cast<uint64_t>(workers * 100e9 / GOODPUT_SHARE)) + "bps";
    }
};

/**
 * @ingroup workload-replay
 * @brief ECMP depends on the run number and on nothing else.
 */
class SeedTestCase : public TestCase
{
  public:
    SeedTestCase()
        : TestCase("equal seeds repeat, different seeds differ")
    {
    }

  private:
    void DoRun() override
    {
        const auto first = Replay(1);
        NS_TEST_ASSERT_MSG_EQ((first == Replay(1)), true, "one seed gives one result");
        NS_TEST_ASSERT_MSG_EQ((first == Replay(2)), false, "another seed, other paths");
    }

    /**
     * @param run RngRun
     * @return end of every op
     */
    std::string Replay(uint64_t run)
    {
        const auto before = RngSeedManager::GetRun();
        RngSeedManager::SetRun(run);
        const auto workload = ReadSmallTable(CreateTempDirFilename("table.tsv"));
        const auto outcome = ReplayTcp(workload,
                                       "clos:leaves=2,spines=4,placement=interleaved",
                                       MakeParameters(100e9));
        RngSeedManager::SetRun(before);
        return outcome.trajectory;
    }
};

/**
 * @ingroup workload-replay
 * @brief A sink of one's own at what wl-replay builds.
 *
 * Two hosts at a switch all-reduce 20,000,000 bytes in a ring: each sends its two halves to the
 * other.
 */
class HookTestCase : public TestCase
{
  public:
    HookTestCase()
        : TestCase("a hook sees what is built, and its sinks all messages without reuse")
    {
    }

  private:
    void DoRun() override
    {
        const auto table = CreateTempDirFilename("hook.tsv");
        ReadSmallTable(table);
        std::ostringstream report;
        auto* const standard = std::cout.rdbuf(report.rdbuf());
        const auto code = RunReplayCommand({"--workload=" + table,
                                            "--world=2",
                                            "--gpusPerServer=1",
                                            "--topology=single-switch",
                                            "--collective=all-reduce=ring",
                                            "--reuse=off",
                                            "--progress=off"},
                                           nullptr,
                                           [this](const ReplayScene& scene) { Look(scene); });
        std::cout.rdbuf(standard);
        NS_TEST_EXPECT_MSG_EQ(code, ReplaySession::DONE, "exit code");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 40000000, "bytes");
    }

    void DoTeardown() override
    {
        // wl-replay has set defaults of attributes.
        Config::Reset();
    }

    /**
     * @param scene what was built
     */
    void Look(const ReplayScene& scene)
    {
        NS_TEST_ASSERT_MSG_EQ(scene.nodes.GetN(), 3, "two hosts and a switch");
        NS_TEST_EXPECT_MSG_EQ(scene.ranks.GetN(), 2, "ranks");
        NS_TEST_EXPECT_MSG_EQ(scene.workload->GetLayout().dp, 2, "the job");
        for (const auto host : scene.graph.GetHosts())
        {
            const auto link = scene.graph.GetLinksOf(host).front();
            const auto device = scene.getDevice(link, host);
            NS_TEST_ASSERT_MSG_NE(device, nullptr, "port of a host");
            NS_TEST_EXPECT_MSG_EQ(device->GetNode(), scene.nodes.Get(host), "its node");
        }
        for (const auto& transport : scene.transports)
        {
            transport->TraceConnectWithoutContext("Arrived",
                                                  MakeCallback(&HookTestCase::Count, this));
        }
    }

    /**
     * @param message a message that has arrived
     */
    void Count(const Message& message)
    {
        m_bytes += message.bytes;
    }

    uint64_t m_bytes{0}; //!< payload of the messages that have arrived
};

/**
 * @ingroup workload-replay
 * @brief The parts of the workload-replay module together.
 */
class WorkloadReplaySystemTestSuite : public TestSuite
{
  public:
    WorkloadReplaySystemTestSuite()
        : TestSuite("workload-replay-system", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new OpTableTimeTestCase(2, 214.86, false));
        AddTestCase(new OpTableTimeTestCase(4, 228.52, false));
        AddTestCase(new OpTableTimeTestCase(8, 235.35, false));
        // More workers over packets are for test/program-test.py: a debug build takes minutes.
        AddTestCase(new OpTableTimeTestCase(2, 214.86, true));
        AddTestCase(new OversubscriptionTestCase);
        AddTestCase(new SeedTestCase);
        AddTestCase(new HookTestCase);
    }
};

/// Registers the suite.
static WorkloadReplaySystemTestSuite g_workloadReplaySystemTestSuite;
