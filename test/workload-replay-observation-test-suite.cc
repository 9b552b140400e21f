/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-observation-test-cases.h"
#include "scheduled-call.h"
#include "workload-test-tools.h"

#include "ns3/config.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node-container.h"
#include "ns3/op-table-reader.h"
#include "ns3/rdma-net-device.h"
#include "ns3/replay-command.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-reporter.h"
#include "ns3/replay-sampler.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// An op table of one layer, whose 5,000,000 elements of 4 bytes are reduced.
const std::string TABLE =
    "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\tbackward_compute_time\t"
    "backward_comm_type\tbackward_comm_size\tweight_grad_compute_time\tweight_grad_comm_type\t"
    "weight_grad_comm_size\tprocess_time\n"
    "layer\t1\tNone\t0\t0\tALLREDUCE\t5000000\t0\tNone\t0\t0\n";

/**
 * @ingroup workload-replay-tests
 * @param arguments arguments of wl-replay
 * @param hook see RunReplayCommand()
 * @param [out] report receives the report
 * @return its exit code
 */
ReplaySession::ExitCode
RunSilently(const std::vector<std::string>& arguments,
            const ReplayHook& hook,
            std::ostringstream& report)
{
    auto* const standard = std::cout.rdbuf(report.rdbuf());
    const auto code = RunReplayCommand(arguments, nullptr, hook);
    std::cout.rdbuf(standard);
    return code;
}

/**
 * @ingroup workload-replay-tests
 * @param arguments arguments of wl-replay
 * @param hook see RunReplayCommand()
 * @return its exit code; the report goes nowhere
 */
ReplaySession::ExitCode
RunSilently(const std::vector<std::string>& arguments, const ReplayHook& hook = {})
{
    std::ostringstream report;
    return RunSilently(arguments, hook, report);
}

/**
 * @ingroup workload-replay-tests
 * @param table path of a file that receives TABLE
 * @param transport kind of the transports
 * @return arguments of wl-replay for a ring of two hosts at a switch
 */
std::vector<std::string>
MakeRingArguments(const std::string& table, const std::string& transport)
{
    WriteWorkloadFile(table, TABLE);
    return {"--workload=" + table,
            "--world=2",
            "--gpusPerServer=1",
            "--topology=single-switch",
            "--collective=all-reduce=ring",
            "--transport=" + transport,
            "--progress=off"};
}

/**
 * @ingroup workload-replay-tests
 * @brief Config paths lead to the transport of each rank of a replay, whatever kind it is.
 *
 * In a ring of two members each member sends half of the data twice, so that as many bytes arrive
 * at each as are reduced.
 */
class RankPathTestCase : public TestCase
{
  public:
    /**
     * @param transport kind of the transports
     * @param type their class
     */
    RankPathTestCase(const std::string& transport, const std::string& type)
        : TestCase("Config paths of ranks over " + transport),
          m_transport(transport),
          m_type(type)
    {
    }

  private:
    void DoRun() override
    {
        auto arguments = MakeRingArguments(CreateTempDirFilename("paths.tsv"), m_transport);
        if (m_transport != "tcp")
        {
            // Reused collectives have no messages; over tcp none are.
            arguments.emplace_back("--reuse=off");
        }
        const auto code = RunSilently(arguments, [this](const ReplayScene&) { Connect(); });
        NS_TEST_EXPECT_MSG_EQ(code, ReplaySession::DONE, "exit code");
        NS_TEST_EXPECT_MSG_EQ(m_byApplication, 2 * 20000000, "bytes, by application");
        NS_TEST_EXPECT_MSG_EQ(m_byNode, 2 * 20000000, "bytes, by node");
    }

    void DoTeardown() override
    {
        // wl-replay has set defaults of attributes.
        Config::Reset();
    }

    /// Connect by paths.
    void Connect()
    {
        Config::ConnectWithoutContext(
            "/NodeList/*/ApplicationList/*/$ns3::ReplayApplication/Transport/Arrived",
            MakeCallback(&RankPathTestCase::AddByApplication, this));
        Config::ConnectWithoutContext("/NodeList/*/$" + m_type + "/Arrived",
                                      MakeCallback(&RankPathTestCase::AddByNode, this));
    }

    /**
     * @param message a message that has arrived
     */
    void AddByApplication(const Message& message)
    {
        m_byApplication += message.bytes;
    }

    /**
     * @param message a message that has arrived
     */
    void AddByNode(const Message& message)
    {
        m_byNode += message.bytes;
    }

    const std::string m_transport; //!< kind of the transports
    const std::string m_type;      //!< their class
    uint64_t m_byApplication{0};   //!< bytes that sinks at applications' transports have seen
    uint64_t m_byNode{0};          //!< bytes that sinks at nodes' transports have seen
};

/**
 * @ingroup workload-replay-tests
 * @brief A hook that cuts a link does what the option linkDown does, to the time step.
 */
class LinkHookTestCase : public TestCase
{
  public:
    /**
     * @param transport kind of the transports
     */
    explicit LinkHookTestCase(const std::string& transport)
        : TestCase("a hook cuts a link over " + transport),
          m_transport(transport)
    {
    }

  private:
    void DoRun() override
    {
        const Time undisturbed = Measure("", [](const ReplayScene&) {});
        const Time expected =
            Measure("--linkDown=host0-switch0@1200us:5ms", [](const ReplayScene&) {});
        const Time found = Measure("", [](const ReplayScene& scene) {
            const auto link = scene.graph.GetLinksOf(scene.graph.GetHosts()[0]).front();
            const auto set = scene.setLinkUp;
            ScheduleCall(MicroSeconds(1200), [set, link] { set(link, false); });
            ScheduleCall(MilliSeconds(5), [set, link] { set(link, true); });
        });
        NS_TEST_EXPECT_MSG_LT(undisturbed, MilliSeconds(5), "all is over by then");
        NS_TEST_EXPECT_MSG_GT(expected, MilliSeconds(5), "the link is needed");
        NS_TEST_EXPECT_MSG_EQ(found, expected, "the same by a hook");
    }

    void DoTeardown() override
    {
        // wl-replay has set defaults of attributes.
        Config::Reset();
    }

    /**
     * @param more another argument; empty = none
     * @param hook what happens besides
     * @return how long the iteration takes
     */
    Time Measure(const std::string& more, const ReplayHook& hook)
    {
        auto arguments = MakeRingArguments(CreateTempDirFilename("links.tsv"), m_transport);
        if (!more.empty())
        {
            arguments.push_back(more);
        }
        m_end = Time();
        const auto code = RunSilently(arguments, [this, &hook](const ReplayScene& scene) {
            hook(scene);
            for (auto rank = scene.ranks.Begin(); rank != scene.ranks.End(); ++rank)
            {
                (*rank)->TraceConnectWithoutContext("IterationFinished",
                                                    MakeCallback(&LinkHookTestCase::NoteEnd, this));
            }
        });
        NS_TEST_EXPECT_MSG_EQ(code, ReplaySession::DONE, "exit code");
        Config::Reset();
        return m_end;
    }

    /// A rank has finished.
    void NoteEnd(const IterationRecord& /* record */)
    {
        m_end = Simulator::Now();
    }

    const std::string m_transport; //!< kind of the transports
    Time m_end;                    //!< when the last rank has finished
};

/**
 * @ingroup workload-replay-tests
 * @brief The report says of sinks which a transport without packets never calls.
 */
class UnheardSinkTestCase : public TestCase
{
  public:
    UnheardSinkTestCase()
        : TestCase("sinks of ports over a fluid")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string transport : {"rdma", "uec", "fluid"})
        {
            const bool isFluid = transport == "fluid";
            NS_TEST_EXPECT_MSG_EQ(Warns(transport, true), isFluid, "sinks over " + transport);
            NS_TEST_EXPECT_MSG_EQ((m_packets > 0), !isFluid, "packets over " + transport);
            NS_TEST_EXPECT_MSG_EQ(Warns(transport, false), false, "none over " + transport);
        }
    }

    void DoTeardown() override
    {
        // wl-replay has set defaults of attributes.
        Config::Reset();
    }

    /**
     * @param transport the transport
     * @param listens whether a sink is connected to the ports
     * @return whether the report says that sinks are never called
     */
    bool Warns(const std::string& transport, bool listens)
    {
        m_packets = 0;
        std::ostringstream report;
        const auto code = RunSilently(
            MakeRingArguments(CreateTempDirFilename("sinks.tsv"), transport),
            [this, listens](const ReplayScene&) {
                if (listens)
                {
                    Config::ConnectWithoutContext(
                        "/NodeList/*/DeviceList/*/$ns3::RdmaNetDevice/PhyTxBegin",
                        MakeCallback(&UnheardSinkTestCase::Count, this));
                }
            },
            report);
        NS_TEST_EXPECT_MSG_EQ(code, ReplaySession::DONE, "exit code");
        Config::Reset();
        return report.str().find("sinks and probes of ports") != std::string::npos;
    }

    /// A packet begins to be sent.
    void Count(const RdmaPacket& /* packet */)
    {
        ++m_packets;
    }

    uint64_t m_packets{0}; //!< how often the sinks were called
};

/**
 * @ingroup workload-replay-tests
 * @brief A script that does what wl-replay does gets the same files.
 */
class ReporterTestCase : public TestCase
{
  public:
    /**
     * @param transport rdma or tcp
     */
    explicit ReporterTestCase(const std::string& transport)
        : TestCase("ReplayReporter writes the files of wl-replay over " + transport),
          m_transport(transport)
    {
    }

  private:
    void DoRun() override
    {
        const auto table = CreateTempDirFilename("reporter.tsv");
        WriteWorkloadFile(table, TABLE);
        const auto expected = CreateTempDirFilename("reporter-expected");
        const auto own = CreateTempDirFilename("reporter-own");
        std::vector<std::string> arguments{"--workload=" + table,
                                           "--world=4",
                                           "--gpusPerServer=1",
                                           "--topology=single-switch",
                                           "--transport=" + m_transport,
                                           "--progress=off",
                                           "--outputDir=" + expected};
        if (m_transport == "rdma")
        {
            // Over tcp nothing is reused, and there are no ports to look at.
            arguments.emplace_back("--reuse=off");
            arguments.emplace_back("--timeSeries=10ms");
        }
        const auto code = RunSilently(arguments);
        NS_TEST_ASSERT_MSG_EQ(code, ReplaySession::DONE, "exit code");
        RunScript(table, own);
        std::vector<std::string> names{"ops.csv",
                                       "collectives.csv",
                                       "flows.csv",
                                       "links.csv",
                                       "fabric.json",
                                       "fabric.dot",
                                       "trace.json"};
        if (m_transport == "rdma")
        {
            names.emplace_back("timeseries.csv");
        }
        for (const auto& name : names)
        {
            const auto content = ReadFile(expected + "/" + name);
            NS_TEST_EXPECT_MSG_EQ(content.empty(), false, name);
            NS_TEST_EXPECT_MSG_EQ((ReadFile(own + "/" + name) == content), true, name);
        }
        const auto summary = ReadFile(own + "/summary.json");
        NS_TEST_EXPECT_MSG_NE(summary.find("\"complete\": true"), std::string::npos, summary);
        NS_TEST_EXPECT_MSG_EQ(ReadIterations(summary),
                              ReadIterations(ReadFile(expected + "/summary.json")),
                              "times of iterations");
    }

    /**
     * @param table the workload
     * @param directory where files go
     */
    void RunScript(const std::string& table, const std::string& directory)
    {
        OpTableOptions options;
        options.workers = 4;
        const auto workload = ReadOpTable(table, options);
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        const auto graph = TopologyBuilder::Build(TopologySpec("single-switch"), 4, parameters);
        ReplayHelper helper(workload);
        helper.SetServers(graph);
        if (m_transport == "tcp")
        {
            TcpFabricHelper fabric;
            fabric.Install(graph, parameters);
            fabric.AssignStreams(0);
            Run(fabric, helper.Install(fabric.GetHosts(), InstallTcp(fabric)), workload, directory);
            return;
        }
        RdmaFabricHelper fabric;
        fabric.Install(graph);
        fabric.AssignStreams(0);
        Run(fabric, helper.Install(fabric.GetHosts(), fabric.GetTransports()), workload, directory);
    }

    /**
     * @param fabric a network
     * @return a transport for each of its hosts
     */
    static std::vector<Ptr<MessageTransport>> InstallTcp(const TcpFabricHelper& fabric)
    {
        const auto hosts = fabric.GetHosts();
        auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
        for (uint32_t rank = 0; rank < hosts.GetN(); ++rank)
        {
            addresses->emplace_back(fabric.GetAddress(rank), 5000);
        }
        std::vector<Ptr<MessageTransport>> transports;
        for (uint32_t rank = 0; rank < hosts.GetN(); ++rank)
        {
            auto transport = CreateObject<TcpMessageTransport>();
            transport->Install(hosts.Get(rank), rank, addresses);
            transports.emplace_back(transport);
        }
        return transports;
    }

    /**
     * @tparam Fabric RdmaFabricHelper or TcpFabricHelper
     * @param fabric the network
     * @param ranks the ranks on it
     * @param workload what they do
     * @param directory where files go
     */
    template <typename Fabric>
    void Run(Fabric& fabric,
             const ApplicationContainer& ranks,
             const std::shared_ptr<const Workload>& workload,
             const std::string& directory)
    {
        ReplayReporter reporter(workload, ranks);
        reporter.SetFabric(fabric);
        reporter.AddAssumption("this is a script");
        if (m_transport == "rdma")
        {
            TimeSeriesRequest series;
            series.interval = MilliSeconds(10);
            reporter.SetTimeSeries(series);
        }
        reporter.WriteFiles(directory);
        std::ostringstream report;
        std::ostringstream errors;
        NS_TEST_EXPECT_MSG_EQ(reporter.Run(report, errors), true, "complete");
        NS_TEST_EXPECT_MSG_EQ(errors.str(), "", "no errors");
        // 4096 bytes of 4178 by RoCEv2, 8960 of 9002 by TCP over PPP.
        for (const auto& part :
             {std::string("iteration time"),
              std::string("this is a script"),
              std::string("headers leave ") + (m_transport == "tcp" ? "99.53 %" : "98.04 %"),
              "transport " + m_transport})
        {
            NS_TEST_EXPECT_MSG_NE(report.str().find(part), std::string::npos, report.str());
        }
        const auto& run = reporter.GetResult().run;
        NS_TEST_EXPECT_MSG_GT(run.events, 0, "events");
        NS_TEST_EXPECT_MSG_GT(run.peakMemory, 0, "memory");
        NS_TEST_EXPECT_MSG_EQ(run.rngRun, RngSeedManager::GetRun(), "run");
        NS_TEST_EXPECT_MSG_EQ(run.moduleVersion.empty(), false, "version");
        Simulator::Destroy();
    }

    /**
     * @param file path of a file
     * @return its content; empty = it is not there
     */
    static std::string ReadFile(const std::string& file)
    {
        std::ifstream stream(file);
        std::ostringstream content;
        content << stream.rdbuf();
        return content.str();
    }

    /**
     * @param summary content of summary.json
     * @return what it says of iterations
     */
    static std::string ReadIterations(const std::string& summary)
    {
        const auto begin = summary.find("\"iterations\"");
        return begin == std::string::npos ? "none"
                                          : summary.substr(begin, summary.find(']', begin) - begin);
    }

    void DoTeardown() override
    {
        // wl-replay has set defaults of attributes.
        Config::Reset();
    }

    const std::string m_transport; //!< rdma or tcp
};

/**
 * @ingroup workload-replay-tests
 * @brief Samplers end with the ranks, and where ranks wait for ever.
 *
 * Two ranks compute for 95 us; then, if they stall, the first one waits for a message that nobody
 * sends. In either case nothing happens after 95 us but a sampler of 10 us, whose call at 100 us is
 * the tenth and finds it out; one of 30 us has been called three times.
 */
class SamplerTestCase : public TestCase
{
  public:
    /**
     * @param stalls whether the first rank waits for ever
     */
    explicit SamplerTestCase(bool stalls)
        : TestCase(stalls ? "samplers end when ranks wait for ever"
                          : "samplers end with the ranks"),
          m_stalls(stalls)
    {
    }

  private:
    void DoRun() override
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        const auto graph = TopologyBuilder::Build(TopologySpec("single-switch"), 2, parameters);
        const auto network = IdealFabricHelper().Install(graph);
        std::vector<Ptr<MessageTransport>> transports;
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(network, rank);
            transports.emplace_back(transport);
        }
        const auto ranks = ReplayHelper(MakeWorkload()).Install(NodeContainer(2), transports);
        uint32_t often = 0;
        uint32_t seldom = 0;
        ReplaySampler first(MicroSeconds(10), [&often] {
            // One that goes on for ever ends here; an event to end it would be one to wait for.
            if (++often > 1000)
            {
                Simulator::Stop();
            }
        });
        ReplaySampler second(MicroSeconds(30), [&seldom] { ++seldom; });
        first.Start(ranks);
        second.Start(ranks);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(often, 10, "every 10 us");
        NS_TEST_EXPECT_MSG_EQ(seldom, 3, "every 30 us");
        NS_TEST_EXPECT_MSG_EQ(ReplayHelper::ListWaits(ranks).empty(), !m_stalls, "who waits");
        Simulator::Destroy();
    }

    /**
     * @return what the ranks do
     */
    std::shared_ptr<const Workload> MakeWorkload() const
    {
        ParallelLayout layout;
        layout.world = layout.dp = 2;
        auto workload = std::make_shared<Workload>("test", "test", layout);
        const auto id = workload->AddCommunicator({"dp0", Dimension::DP, {0, 1}});
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            WorkloadProgramBuilder builder("test");
            const auto compute = builder.AddStream({"compute", true});
            const auto messages = builder.AddStream({"messages", false, Dimension::DP});
            WorkloadOp op;
            op.stream = compute;
            op.amount = 95000000; // ps
            const auto computed = builder.AddOp(op, "work");
            op.kind = OpKind::RECV;
            op.stream = messages;
            op.amount = 1000;
            op.peer = 1;
            if (m_stalls && rank == 0)
            {
                builder.AddFinishEdge(computed, builder.AddOp(op, "message"));
            }
            workload->SetRank(rank, builder.Build(), {id});
        }
        return workload;
    }

    const bool m_stalls; //!< the first rank waits for ever
};

/**
 * @ingroup workload-replay-tests
 * @brief Watching a replay by means of ns-3.
 */
class ObservationTestSuite : public TestSuite
{
  public:
    ObservationTestSuite()
        : TestSuite("workload-replay-observation", TestSuite::Type::SYSTEM)
    {
        for (auto* testCase : MakeFabricObservationTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new RankPathTestCase("rdma", "ns3::RdmaMessageTransport"));
        AddTestCase(new RankPathTestCase("tcp", "ns3::TcpMessageTransport"));
        AddTestCase(new RankPathTestCase("ideal", "ns3::IdealMessageTransport"));
        AddTestCase(new LinkHookTestCase("rdma"));
        AddTestCase(new LinkHookTestCase("fluid"));
        AddTestCase(new LinkHookTestCase("tcp"));
        AddTestCase(new UnheardSinkTestCase);
        AddTestCase(new ReporterTestCase("rdma"));
        AddTestCase(new ReporterTestCase("tcp"));
        AddTestCase(new SamplerTestCase(false));
        AddTestCase(new SamplerTestCase(true));
    }
};

/// The instance that registers the suite.
ObservationTestSuite g_observationTestSuite;

} // namespace
