/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-cases.h"
#include "measurement-test-case.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/// Writes traces.
using Trace = ChakraTestTrace;

ChakraTestCase::ChakraTestCase(const std::string& name)
    : TestCase("chakra: " + name)
{
}

std::string
ChakraTestCase::Write(const std::vector<std::string>& bytes, const std::string& groups)
{
    m_folder = CreateTempDirFilename("job" + std::to_string(m_jobs++));
    std::filesystem::create_directories(m_folder);
    for (std::size_t rank = 0; rank < bytes.size(); ++rank)
    {
        WriteWorkloadFile(m_folder + "/t." + std::to_string(rank) + ".et", bytes[rank]);
    }
    if (!groups.empty())
    {
        WriteWorkloadFile(m_folder + "/t.json", groups);
    }
    return m_folder + "/t";
}

std::shared_ptr<const Workload>
ChakraTestCase::Read(const std::vector<ChakraTestTrace>& traces,
                     const ChakraOptions& options,
                     const std::string& groups)
{
    std::vector<std::string> bytes;
    bytes.reserve(traces.size());
    for (const auto& trace : traces)
    {
        bytes.push_back(trace.GetBytes());
    }
    return ReadChakraTraces(Write(bytes, groups), options);
}

std::string
ChakraTestCase::ErrorOf(const std::string& bytes)
{
    const auto path = Write({bytes});
    return CutFolders(WorkloadErrorOf([&path]() { ReadChakraTraces(path, {}); }));
}

std::string
ChakraTestCase::CutFolders(std::string text) const
{
    const auto folder = m_folder + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
    {
        text.erase(at, folder.size());
    }
    return text;
}

/**
 * @ingroup workload-replay-tests
 * @brief What nodes and dependencies become.
 */
class ChakraLoweringTestCase : public ChakraTestCase
{
  public:
    ChakraLoweringTestCase()
        : ChakraTestCase("lowering")
    {
    }

  private:
    void DoRun() override;

    /// Control dependencies and those that point forward.
    void CheckDependencies();

    /// Times by the roofline model.
    void CheckRoofline();
};

void
ChakraLoweringTestCase::DoRun()
{
    // Ids neither begin at 0 nor ascend, numbers come in all types, and one collective of the
    // second group stands before what it depends on.
    Trace trace;
    trace.Node(30, Trace::COLL, "b", {10}).With("comm_type", int64_t{7}).With("comm_size", 64, 13);
    trace.With("pg_name", "1.0");
    trace.Node(10, Trace::COLL, "a").With("comm_type", "2").With("comm_size", 64, 7);
    trace.With("pg_name", int64_t{1});
    trace.Node(20, Trace::COMP, "work", {10}).Lasts(3).Control({30});
    trace.Node(5, Trace::COLL, "all").With("comm_type", int64_t{0}).With("comm_size", "100");
    trace.Node(6, Trace::COLL, "none", {5})
        .With("comm_type", int64_t{6})
        .With("comm_size", int64_t{0});
    trace.Node(7, Trace::METADATA, "meta", {20});
    trace.Node(8, Trace::COMP, "host").Lasts(2).With("is_cpu_op", 1, 7);
    const auto workload = Read({trace, Trace(), Trace()}, {}, "{\"1\": [2, 0]}");
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(workload->GetProgram(0)),
                          "0 group-1 b forward reduce-scatter 64 @30 <- 1 1\n"
                          "1 group-1 a forward all-gather 128 @10 <-\n"
                          "2 compute work forward compute 3000000 @20 <- 0 1\n"
                          "3 world all forward all-reduce 100 @5 <-\n"
                          "4 world none forward barrier 0 @6 <- 3 3\n"
                          "5 metadata meta forward compute 0 @7 <- 2\n"
                          "6 cpu host forward compute 2000000 @8 <-\n",
                          "the program");
    const auto& group = workload->GetCommunicators()[workload->GetCommunicatorSlots(0)[0]];
    NS_TEST_EXPECT_MSG_EQ((group.ranks == std::vector<uint32_t>{2, 0}), true, "order of the file");
    const auto large = Read({Trace().Node(1ULL << 40, Trace::COMP, "a").Node(7, Trace::COMP, "b")});
    const auto& program = large->GetProgram(0);
    NS_TEST_EXPECT_MSG_EQ(CutFolders(program.GetOrigin(program.GetOps()[0])),
                          "t.0.et, node 1099511627776",
                          "an id of more than 32 bits");
    NS_TEST_EXPECT_MSG_EQ(CutFolders(program.GetOrigin(program.GetOps()[1])),
                          "t.0.et, node 7",
                          "an id beside it");
    CheckDependencies();
    CheckRoofline();
}

void
ChakraLoweringTestCase::CheckDependencies()
{
    Trace trace;
    trace.Node(1, Trace::COMP, "a", {2}).Lasts(1);
    trace.Node(2, Trace::COMP, "b").Control({3}).Lasts(1);
    trace.Node(3, Trace::COMP, "c").Lasts(1);
    ChakraOptions options;
    const std::string start = "0 compute a forward compute 1000000 @1 <- 1\n";
    const std::string end = "2 compute c forward compute 1000000 @3 <-\n";
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(Read({trace}, options)->GetProgram(0)),
                          start + "1 compute b forward compute 1000000 @2 <- 2\n" + end,
                          "with control dependencies");
    options.controlDependencies = "off";
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(Read({trace}, options)->GetProgram(0)),
                          start + "1 compute b forward compute 1000000 @2 <-\n" + end,
                          "without");
}

void
ChakraLoweringTestCase::CheckRoofline()
{
    Trace trace("symbolic_tensor_network", false, "");
    trace.Node(1, Trace::COMP, "busy").With("num_ops", 4000).With("tensor_size", 100);
    trace.Node(2, Trace::COMP, "loads").With("num_ops", 1000).With("tensor_size", 300);
    trace.Node(3, Trace::COMP, "timed").With("num_ops", 1000).Lasts(1);
    trace.Node(4, Trace::COLL, "sum").With("comm_type", int64_t{0}).With("comm_size", 50);
    trace.With("inputs", std::vector<std::string>{"x", "200"});
    trace.Node(6, Trace::COLL, "odd").With("comm_type", int64_t{0}).With("comm_size", 50);
    trace.With("inputs", std::vector<std::string>{"x", "0"});
    trace.Node(5, Trace::COLL, "bare").With("comm_type", int64_t{0}).With("comm_size", 50);
    ChakraOptions options;
    const auto amounts = [&]() {
        const auto workload = Read({trace}, options);
        std::vector<uint64_t> all;
        for (const auto& op : workload->GetProgram(0).GetOps())
        {
            all.push_back(op.amount);
        }
        return all;
    };
    using Amounts = std::vector<uint64_t>;
    // Elements of two bytes, unless the bytes of the tensor stand beside.
    NS_TEST_EXPECT_MSG_EQ((amounts() == Amounts{0, 0, 1000000, 200, 100, 100}), true, "no rates");
    const auto warnings = Read({trace}, options)->GetWarnings();
    NS_TEST_EXPECT_MSG_EQ(warnings.size(), 2, "elements, no times");
    NS_TEST_EXPECT_MSG_EQ(warnings.at(0).substr(0, 21), "3 sizes were elements", "of all three");
    options.peakFlops = 2e9;
    NS_TEST_EXPECT_MSG_EQ((amounts() == Amounts{2000000, 500000, 1000000, 200, 100, 100}),
                          true,
                          "operations alone");
    options.memoryBandwidth = 5e8;
    NS_TEST_EXPECT_MSG_EQ((amounts() == Amounts{2000000, 1200000, 1000000, 200, 100, 100}),
                          true,
                          "the longer of both");
    options.elementBytes = 4;
    NS_TEST_EXPECT_MSG_EQ((amounts() == Amounts{2000000, 2400000, 1000000, 200, 200, 200}),
                          true,
                          "elements of four bytes");
}

/**
 * @ingroup workload-replay-tests
 * @brief Real traces: sums counted by a decoder of another author.
 */
class ChakraSampleTestCase : public MeasurementTestCase
{
  public:
    ChakraSampleTestCase()
        : MeasurementTestCase("chakra: sample traces", "chakra")
    {
    }

  private:
    /// Number of ops, and the sum of their bytes.
    using Sum = std::pair<uint64_t, uint64_t>;

    void Check() override;

    /// What the traces take.
    void CheckTimes();

    /**
     * @param name directory of the traces
     * @param nodes nodes of all ranks
     * @param sums by collective, "send" and "recv": how many there are, and their bytes; those of
     *             all-gathers are those of the result
     */
    void CheckSums(const std::string& name, uint64_t nodes, const std::map<std::string, Sum>& sums);
};

void
ChakraSampleTestCase::CheckSums(const std::string& name,
                                uint64_t nodes,
                                const std::map<std::string, Sum>& sums)
{
    const auto workload = ReadChakraTraces(Find(name), {});
    uint64_t ops = 0;
    std::map<std::string, Sum> found;
    for (uint32_t rank = 0; rank < workload->GetLayout().world; ++rank)
    {
        for (const auto& op : workload->GetProgram(rank).GetOps())
        {
            ++ops;
            if (op.kind != OpKind::COMPUTE)
            {
                auto& sum = found[op.kind == OpKind::COLLECTIVE ? ToString(op.collective)
                                                                : ToString(op.kind)];
                ++sum.first;
                sum.second += op.amount;
            }
        }
    }
    NS_TEST_EXPECT_MSG_EQ(ops, nodes, "nodes of " << name);
    NS_TEST_EXPECT_MSG_EQ((found == sums), true, "communication of " << name);
}

void
ChakraSampleTestCase::Check()
{
    CheckSums("micro/all_gather-8", 8, {{"all-gather", {8, 8 * 8 * 1048576}}});
    CheckSums("micro/all_reduce-4", 4, {{"all-reduce", {4, 4 * 1048576}}});
    CheckSums("micro/reduce_scatter-8", 8, {{"reduce-scatter", {8, 8 * 1048576}}});
    CheckSums("micro/all_to_all-4", 4, {{"all-to-all", {4, 4 * 1048576}}});
    CheckSums("custom-ring-allreduce-8",
              280,
              {{"send", {112, 14680064}}, {"recv", {112, 14680064}}});
    CheckSums("mlp-model-parallel-32",
              928,
              {{"all-gather", {192, 32 * 14311424ULL}}, {"all-reduce", {160, 13107200}}});
    CheckSums("torus-T1D-ns3", 8, {{"all-reduce", {8, 8388608}}});
    CheckSums("torus-T2D-ns3", 48, {{"all-reduce", {32, 33554432}}});
    CheckSums("pytorch-2rank-test1", 3268, {{"all-reduce", {4, 17179869184}}});
    // Elements of two bytes; groups of two ranks.
    CheckSums("stage-dense-dp2-tp2-pp2",
              3392,
              {{"all-gather", {384, 2 * 2 * 3221225472}},
               {"reduce-scatter", {256, 2 * 4294967296}},
               {"all-reduce", {80, 2 * 8573157376}},
               {"send", {32, 2 * 268435456}},
               {"recv", {32, 2 * 268435456}}});
    CheckSums("stage-fsdp-dp4",
              400,
              {{"all-gather", {16, 4 * 2 * 205520896ULL}},
               {"reduce-scatter", {8, 2 * 411041792}},
               {"all-reduce", {8, 2 * 524288000}}});
    const auto old =
        WorkloadErrorOf([this]() { ReadChakraTraces(Find("v001-transformer-64"), {}); });
    NS_TEST_EXPECT_MSG_EQ((old.find("schema 0.0.1") != std::string::npos), true, old);
    CheckTimes();
}

void
ChakraSampleTestCase::CheckTimes()
{
    // A ring by hand: 14 steps of 131,072 bytes, and 7 times 7 us to add them up.
    ReplayTestJob ring(ReadChakraTraces(Find("custom-ring-allreduce-8"), {}));
    ring.Run(DataRate("8Gbps"), MicroSeconds(1));
    NS_TEST_ASSERT_MSG_EQ(ring.iterations.size(), 8, "ranks of the ring that finish");
    NS_TEST_EXPECT_MSG_EQ(ring.iterations.back().end,
                          14 * (NanoSeconds(131072) + MicroSeconds(1)) + MicroSeconds(7 * 7),
                          "the ring");
    ReplayTestJob pipeline(ReadChakraTraces(Find("stage-dense-dp2-tp2-pp2"), {}));
    pipeline.Run(DataRate("400Gbps"), MicroSeconds(1));
    NS_TEST_EXPECT_MSG_EQ(pipeline.ops.size(), 3392, "ops of the pipeline that finish");
    // An all-reduce transfers for the same time on both ranks, whatever was recorded: 19.9 and
    // 142.0 ms of the first one. The rest is waiting for the rank that comes last.
    ReplayTestJob job(ReadChakraTraces(Find("pytorch-2rank-test1"), {}));
    job.Run(DataRate("1000Gbps"), MicroSeconds(1));
    NS_TEST_ASSERT_MSG_EQ(job.collectives.size(), 4, "collectives on both ranks");
    std::map<uint32_t, Time> arrival;
    for (const auto& record : job.collectives)
    {
        auto& last = arrival[record.communicator];
        last = std::max(last, record.arrival);
    }
    for (const auto& record : job.collectives)
    {
        // 4 GiB at 10^12 bit/s, half of them twice; a rank may end a path's delay before the other.
        const Time transfer = record.end - arrival[record.communicator];
        NS_TEST_EXPECT_MSG_EQ_TOL(transfer.GetMicroSeconds(), 34360, 5, "the transfer");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief The reader of Chakra traces.
 */
class WorkloadReplayChakraTestSuite : public TestSuite
{
  public:
    WorkloadReplayChakraTestSuite()
        : TestSuite("workload-replay-chakra", TestSuite::Type::UNIT)
    {
        AddTestCase(new ChakraLoweringTestCase);
        AddTestCase(new ChakraSampleTestCase);
        for (const auto& cases : {MakeChakraGroupTestCases(),
                                  MakeChakraErrorTestCases(),
                                  MakeChakraExportTestCases(),
                                  MakeChakraJsonTestCases(),
                                  MakeChakraRunTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayChakraTestSuite g_workloadReplayChakraTestSuite;
