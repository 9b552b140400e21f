/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "observation-test-cases.h"

#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node-container.h"
#include "ns3/op-table-reader.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-reporter.h"
#include "ns3/replay-sampler.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/topology-builder.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A script that does what wl-replay does gets the same files.
 */
class ReporterTestCase : public ObservationTestCase
{
  public:
    /**
     * @param transport rdma or tcp
     */
    explicit ReporterTestCase(const std::string& transport)
        : ObservationTestCase("ReplayReporter writes the files of wl-replay over " + transport),
          m_transport(transport)
    {
    }

  private:
    void DoRun() override
    {
        const auto table = WriteTable();
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
        RunProgram(arguments);
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

} // namespace

std::vector<TestCase*>
MakeReporterTestCases()
{
    return {new ReporterTestCase("rdma"),
            new ReporterTestCase("tcp"),
            new SamplerTestCase(false),
            new SamplerTestCase(true)};
}

} // namespace ns3
