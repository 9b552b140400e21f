/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-observation-test-cases.h"
#include "observation-test-cases.h"
#include "scheduled-call.h"

#include "ns3/config.h"
#include "ns3/rdma-net-device.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Config paths lead to the transport of each rank of a replay, whatever kind it is.
 *
 * In a ring of two members each member sends half of the data twice, so that as many bytes arrive
 * at each as are reduced.
 */
class RankPathTestCase : public ObservationTestCase
{
  public:
    /**
     * @param transport kind of the transports
     * @param type their class
     */
    RankPathTestCase(const std::string& transport, const std::string& type)
        : ObservationTestCase("Config paths of ranks over " + transport),
          m_transport(transport),
          m_type(type)
    {
    }

  private:
    void DoRun() override
    {
        auto arguments = MakeRingArguments(m_transport);
        if (m_transport != "tcp")
        {
            // Reused collectives have no messages; over tcp none are.
            arguments.emplace_back("--reuse=off");
        }
        RunProgram(arguments, [this](const ReplayScene&) { Connect(); });
        NS_TEST_EXPECT_MSG_EQ(m_byApplication, 2 * 20000000, "bytes, by application");
        NS_TEST_EXPECT_MSG_EQ(m_byNode, 2 * 20000000, "bytes, by node");
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
class LinkHookTestCase : public ObservationTestCase
{
  public:
    /**
     * @param transport kind of the transports
     */
    explicit LinkHookTestCase(const std::string& transport)
        : ObservationTestCase("a hook cuts a link over " + transport),
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

    /**
     * @param more another argument; empty = none
     * @param hook what happens besides
     * @return how long the iteration takes
     */
    Time Measure(const std::string& more, const ReplayHook& hook)
    {
        auto arguments = MakeRingArguments(m_transport);
        if (!more.empty())
        {
            arguments.push_back(more);
        }
        m_end = Time();
        RunProgram(arguments, [this, &hook](const ReplayScene& scene) {
            hook(scene);
            for (auto rank = scene.ranks.Begin(); rank != scene.ranks.End(); ++rank)
            {
                (*rank)->TraceConnectWithoutContext("IterationFinished",
                                                    MakeCallback(&LinkHookTestCase::NoteEnd, this));
            }
        });
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
class UnheardSinkTestCase : public ObservationTestCase
{
  public:
    UnheardSinkTestCase()
        : ObservationTestCase("sinks of ports over a fluid")
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

    /**
     * @param transport the transport
     * @param listens whether a sink is connected to the ports
     * @return whether the report says that sinks are never called
     */
    bool Warns(const std::string& transport, bool listens)
    {
        m_packets = 0;
        const auto report =
            RunProgram(MakeRingArguments(transport), [this, listens](const ReplayScene&) {
                if (listens)
                {
                    Config::ConnectWithoutContext(
                        "/NodeList/*/DeviceList/*/$ns3::RdmaNetDevice/PhyTxBegin",
                        MakeCallback(&UnheardSinkTestCase::Count, this));
                }
            });
        return report.find("sinks and probes of ports") != std::string::npos;
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
        for (auto* testCase : MakeReporterTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The instance that registers the suite.
ObservationTestSuite g_observationTestSuite;

} // namespace
