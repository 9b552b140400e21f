/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-algorithm.h"
#include "ns3/double.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-protocol.h"
#include "ns3/rdma-routing.h"
#include "ns3/replay-files.h"
#include "ns3/replay-output.h"
#include "ns3/replay-statistics.h"
#include "ns3/strategy-registry.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-generator.h"
#include "ns3/transport-kind.h"
#include "ns3/workload-format.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A congestion control that is no part of the module: a share of the line rate.
 */
class ShareControl : public RdmaCongestionControl
{
  public:
    /**
     * Register the class, which others would do before main(): here it would stand in the lists of
     * all suites.
     *
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ShareControl")
                                .SetParent<RdmaCongestionControl>()
                                .AddConstructor<ShareControl>()
                                .AddAttribute("Share",
                                              "The share.",
                                              DoubleValue(0.5),
                                              MakeDoubleAccessor(&ShareControl::m_share),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override
    {
        const auto rate = m_share * static_cast<double>(path.lineRate.GetBitRate());
        return std::make_unique<RdmaFixedRateControl>(rate, RdmaRateControl::NO_WINDOW);
    }

  private:
    double m_share; //!< the attribute Share
};

/**
 * @ingroup workload-replay-tests
 * @brief All names that options have always taken are those of registered classes, in their order.
 */
class StrategyNamesTestCase : public TestCase
{
  public:
    StrategyNamesTestCase()
        : TestCase("strategies: the names of the module's own")
    {
    }

  private:
    void DoRun() override
    {
        Check(RdmaCongestionControl::GetTypeId(), "dcqcn, hpcc, timely, swift, nscc, rccc, none");
        Check(RdmaRouting::GetTypeId(),
              "ecmp, e-ecmp, flowlet, spray, adaptive, conga, conweave, pinned, valiant, ugal, "
              "ugal-g");
        Check(RdmaProtocol::GetTypeId(), "rdma, uec, fluid");
        Check(TransportKind::GetTypeId(), "tcp, ideal");
        Check(CollectiveAlgorithm::GetTypeId(),
              "ring, direct, tree, chain, halving-doubling, nvls, hierarchical, pxn, pat, "
              "collnet-chain, collnet-direct, copy, bucket");
        Check(TopologyGenerator::GetTypeId(),
              "auto, single-switch, clos, fat-tree, rail, dual-plane, dual-tor, dragonfly, torus, "
              "ring, rotor");
        Check(WorkloadFormat::GetTypeId(),
              "simai, megatron, op-table, chakra, kineto, pytorch-et, goal, model, flows");
        NS_TEST_EXPECT_MSG_EQ(JoinWords(TransportKind::GetNames()),
                              "rdma, uec, fluid, tcp, ideal",
                              "transports");
        for (const auto& entry : StrategyRegistry::List(CollectiveAlgorithm::GetTypeId()))
        {
            const auto algorithm = StrategyRegistry::Create<CollectiveAlgorithm>({entry.name, {}});
            NS_TEST_EXPECT_MSG_EQ(algorithm->GetName(), entry.name, "one name for both");
        }
        const auto routing = StrategyRegistry::Create<RdmaRouting>({"e-ecmp", {}});
        NS_TEST_EXPECT_MSG_EQ(routing->GetName(), "e-ecmp", "of its class, not of its base");
    }

    /**
     * @param kind a base class
     * @param names the names of its strategies
     */
    void Check(TypeId kind, const std::string& names)
    {
        NS_TEST_EXPECT_MSG_EQ(JoinWords(StrategyRegistry::GetNames(kind)), names, kind.GetName());
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A strategy is found by its short name and by its TypeId, and only among its kind.
 */
class StrategyFindTestCase : public TestCase
{
  public:
    StrategyFindTestCase()
        : TestCase("strategies: found by name and TypeId")
    {
    }

  private:
    void DoRun() override
    {
        const TypeId controls = RdmaCongestionControl::GetTypeId();
        NS_TEST_EXPECT_MSG_EQ(StrategyRegistry::Find(controls, {"swift", {}}).GetName(),
                              "ns3::RdmaSwift",
                              "short name");
        NS_TEST_EXPECT_MSG_EQ(StrategyRegistry::Find(controls, {"ns3::RdmaSwift", {}}).GetName(),
                              "ns3::RdmaSwift",
                              "TypeId");
        NS_TEST_EXPECT_MSG_EQ(
            Refuse(controls, "swfit"),
            "--cc: error: expected dcqcn, hpcc, timely, swift, nscc, rccc, none, or "
            "another ns3::RdmaCongestionControl by its TypeId, found 'swfit'; did "
            "you mean swift?",
            "what there is, and the nearest");
        NS_TEST_EXPECT_MSG_EQ(
            StrategyRegistry::FindNearest(StrategyRegistry::List(controls), "RdmaDcqcn"),
            "dcqcn",
            "by its class");
        NS_TEST_EXPECT_MSG_EQ(
            StrategyRegistry::FindNearest(StrategyRegistry::List(controls), "ns3::RdmaSwfit"),
            "swift",
            "by its class, nearly");
        NS_TEST_EXPECT_MSG_EQ(
            StrategyRegistry::FindNearest(StrategyRegistry::List(controls), "reno"),
            "",
            "none is near");
        // Of another kind, a base class that nothing is made of, and a class of no kind.
        for (const std::string other :
             {"ecmp", "ns3::RdmaEcmpRouting", "ns3::RdmaCongestionControl", "ns3::Node", ""})
        {
            NS_TEST_EXPECT_MSG_EQ(Refuse(controls, other).empty(), false, other);
        }
        NS_TEST_EXPECT_MSG_EQ(Refuse(controls, "ns3::ShareControl").empty(),
                              false,
                              "not registered yet");

        ShareControl::GetTypeId();
        const auto own = StrategyRegistry::Create<RdmaCongestionControl>({"ns3::ShareControl", {}});
        NS_TEST_EXPECT_MSG_EQ(own->GetName(), "ns3::ShareControl", "without a short name");
        RdmaPath path;
        path.lineRate = DataRate("100Gbps");
        NS_TEST_EXPECT_MSG_EQ(own->Create(path)->GetRate(Time(0)), 50e9, "it is the class");
        const auto names = StrategyRegistry::GetNames(controls);
        NS_TEST_EXPECT_MSG_EQ(names.back(), "ns3::ShareControl", "it stands last in lists");
        NS_TEST_EXPECT_MSG_EQ(names.size(), 8, "and once");
    }

    /**
     * @param kind a base class
     * @param name a name that it does not know
     * @return the message; empty if the name was taken
     */
    static std::string Refuse(TypeId kind, const std::string& name)
    {
        try
        {
            StrategyRegistry::Find(kind, {name, {"--cc", 0, 0, ""}});
        }
        catch (const WorkloadError& error)
        {
            return error.what();
        }
        return "";
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What transports can do, against the table of the manual.
 */
class TransportUseTestCase : public TestCase
{
  public:
    TransportUseTestCase()
        : TestCase("strategies: what transports can do")
    {
    }

  private:
    void DoRun() override
    {
        using Use = TransportKind::Use;
        // rdma, uec, fluid, tcp, ideal
        const std::map<Use, std::vector<bool>> table{
            {Use::PACKETS, {true, true, true, true, false}},
            {Use::LINK_CHANGES, {true, true, true, true, false}},
            {Use::PORTS, {true, true, true, true, false}},
            {Use::QUEUE_PAIRS, {true, true, true, false, false}},
            {Use::ROUTING, {true, true, true, false, false}},
            {Use::FLOW_CONTROL, {true, false, true, false, false}},
            {Use::TRAINS, {true, false, false, false, false}},
            {Use::EXACT, {true, true, false, false, false}},
            {Use::IDEAL_NVLINK, {true, true, true, false, false}},
            {Use::TRAFFIC_CLASSES, {true, true, false, false, false}},
            {Use::REUSE, {true, false, true, false, true}},
            {Use::FLOW_PATHS, {true, false, true, false, false}},
            {Use::TIME_SLOTS, {true, false, false, false, false}},
            {Use::PROCESSES, {true, true, false, true, false}},
            {Use::TCP_BESIDE, {true, false, false, false, false}},
            {Use::PARALLEL_LINKS, {true, true, true, false, true}},
            {Use::LOG_GOPS, {false, false, false, false, true}},
        };
        const std::vector<std::string> names{"rdma", "uec", "fluid", "tcp", "ideal"};
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            const auto kind = TransportKind::Find({names[i], {}});
            NS_TEST_EXPECT_MSG_EQ(kind->GetName(), names[i], "name");
            for (const auto& [use, can] : table)
            {
                NS_TEST_EXPECT_MSG_EQ(kind->Supports(use),
                                      can[i],
                                      names[i] << " and use " << static_cast<int>(use));
            }
        }
        NS_TEST_EXPECT_MSG_EQ(TransportKind::Find({"ns3::UecProtocol", {}})->GetName(),
                              "uec",
                              "a protocol is a transport");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The name of a TypeId stands before the keys of a topology.
 */
class TopologyTypeTestCase : public TestCase
{
  public:
    TopologyTypeTestCase()
        : TestCase("strategies: a topology by its TypeId")
    {
    }

  private:
    void DoRun() override
    {
        const TopologySpec spec("ns3::ClosTopology:leaves=2,spines=4,uplinkRate=100Gbps");
        NS_TEST_EXPECT_MSG_EQ(spec.GetName(), "ns3::ClosTopology", "name");
        NS_TEST_EXPECT_MSG_EQ(spec.GetCount("spines", 0), 4, "a key");
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        const auto byType =
            TopologyBuilder::Build(TopologySpec("ns3::ClosTopology:leaves=2"), 8, parameters);
        const auto byName = TopologyBuilder::Build(TopologySpec("clos:leaves=2"), 8, parameters);
        NS_TEST_EXPECT_MSG_EQ(byType.GetNLinks(), byName.GetNLinks(), "the same");
        NS_TEST_EXPECT_MSG_EQ(byType.GetName(), "clos", "by its short name in reports");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A file that is no part of the module: how many messages, and their bytes.
 */
class TotalsOutput : public ReplayOutput
{
  public:
    /**
     * Register the class under the name of its file, as late as ShareControl.
     *
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::TotalsOutput").SetParent<ReplayOutput>().AddConstructor<TotalsOutput>();
        return tid;
    }

    bool WantsMessages() const override
    {
        return true;
    }

    void Begin(std::ostream& os, const Workload& workload, const TopologyGraph& graph) override
    {
        m_os = &os;
        os << workload.GetLayout().world << " ranks, " << graph.GetNLinks() << " links\n";
    }

    void AddMessage(const Message& message, Time arrival) override
    {
        ++m_messages;
        m_bytes += message.bytes;
        m_last = arrival;
    }

    void End(const ReplayResult& result [[maybe_unused]]) override
    {
        *m_os << m_messages << " messages, " << m_bytes << " bytes, " << m_last.GetNanoSeconds()
              << " ns\n";
    }

  private:
    std::ostream* m_os{nullptr}; //!< where it writes
    uint64_t m_messages{0};      //!< messages that it was told of
    uint64_t m_bytes{0};         //!< their bytes
    Time m_last;                 //!< when the last one has arrived
};

/**
 * @ingroup workload-replay-tests
 * @brief An output is written under its name, is left out by it, and hears what the others hear.
 */
class OutputFileTestCase : public TestCase
{
  public:
    OutputFileTestCase()
        : TestCase("strategies: a file beside the module's own")
    {
    }

  private:
    void DoRun() override
    {
        const auto count = OutputSelection::GetFiles().size();
        StrategyRegistry::Register(TotalsOutput::GetTypeId(), "totals.txt", "totals");
        NS_TEST_ASSERT_MSG_EQ(OutputSelection::GetFiles().size(), count + 1, "one more");
        NS_TEST_EXPECT_MSG_EQ(OutputSelection().IsWanted("totals.txt"), true, "written by default");
        const OutputSelection without({"-totals.txt", {}});
        NS_TEST_EXPECT_MSG_EQ(without.CreateOutputs().size(), 0, "left out by name");

        const auto directory = CreateTempDirFilename("");
        Write(directory, OutputSelection({"totals.txt", {}}));
        std::ifstream file(directory + "/totals.txt");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        NS_TEST_EXPECT_MSG_EQ(text, "2 ranks, 2 links\n2 messages, 300 bytes, 40 ns\n", "content");
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(directory + "/ops.csv"), false, "no other");
        // Of the run that leaves it out nothing remains of the one before.
        Write(directory, OutputSelection({"fabric.dot", {}}));
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(directory + "/totals.txt"), false, "gone");
    }

    /**
     * Write the files of a run of two messages.
     *
     * @param directory where they go
     * @param selection which ones
     */
    void Write(const std::string& directory, const OutputSelection& selection)
    {
        ParallelLayout layout;
        layout.world = 2;
        auto workload = std::make_shared<Workload>("op-table", "file", layout);
        workload->AddCommunicator({"dp0", Dimension::DP, {0, 1}});
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        const auto graph = TopologyBuilder::Build(TopologySpec("single-switch"), 2, parameters);
        ReplayFiles files(directory, workload, graph, selection, std::nullopt);
        Message message;
        message.destination = 1;
        for (const uint32_t bytes : {100, 200})
        {
            message.bytes = bytes;
            files.AddMessage(message, NanoSeconds(bytes / 5));
        }
        ReplayResult result;
        result.statistics = std::make_shared<ReplayStatistics>(workload);
        NS_TEST_EXPECT_MSG_EQ(files.Finish(result).size(), 0, "no faults");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Strategies that register themselves, and are found by name.
 */
class WorkloadReplayStrategyTestSuite : public TestSuite
{
  public:
    WorkloadReplayStrategyTestSuite()
        : TestSuite("workload-replay-strategy", TestSuite::Type::UNIT)
    {
        AddTestCase(new StrategyNamesTestCase);
        AddTestCase(new StrategyFindTestCase);
        AddTestCase(new TransportUseTestCase);
        AddTestCase(new TopologyTypeTestCase);
        AddTestCase(new OutputFileTestCase);
    }
};

/// Registers the suite.
WorkloadReplayStrategyTestSuite g_workloadReplayStrategyTestSuite;

} // namespace
