/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-cases.h"
#include "measurement-test-case.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/chakra-writer.h"
#include "ns3/nstime.h"
#include "ns3/rank-trace-reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// What the jobs below run on: a byte takes a nanosecond, and a path two microseconds.
const DataRate RATE("8Gbps");
const Time DELAY = MicroSeconds(2); //!< delay of every path

/**
 * @param workload a workload
 * @param folder where its traces go
 * @return the workload that the traces are read as
 */
std::shared_ptr<const Workload>
Return(std::shared_ptr<const Workload> workload, const std::string& folder)
{
    std::filesystem::create_directories(folder);
    ChakraWriter writer(workload);
    std::ofstream groups(folder + "/t.json", std::ios::binary);
    writer.WriteGroups(groups);
    for (uint32_t rank = 0; rank < workload->GetLayout().world; ++rank)
    {
        std::ofstream trace(folder + "/t." + std::to_string(rank) + ".et", std::ios::binary);
        writer.WriteTrace(rank, trace);
    }
    groups.close();
    return ReadChakraTraces(folder + "/t", {});
}

/**
 * @param workload a workload
 * @return all that its ops did and when, each once
 */
std::multiset<std::string>
Replay(std::shared_ptr<const Workload> workload)
{
    ReplayTestJob job(workload);
    job.Run(RATE, DELAY);
    std::multiset<std::string> rows(job.waits.begin(), job.waits.end());
    rows.insert(job.faults.begin(), job.faults.end());
    for (const auto& record : job.ops)
    {
        const auto& op = record.program->GetOps()[record.op];
        std::ostringstream row;
        row << record.rank << " " << record.program->GetName(op) << " "
            << record.program->GetStreams()[op.stream].name << " " << ToString(op.phase) << " "
            << op.layer << " " << op.microbatch << " " << record.start << " " << record.end;
        rows.insert(row.str());
    }
    return rows;
}

/**
 * @ingroup workload-replay-tests
 * @brief A job with everything that needs words of its own in Chakra.
 */
class ExportJob
{
  public:
    /// Makes a job of three ranks.
    ExportJob()
        : m_workload(std::make_shared<Workload>("test", "test", MakeLayout()))
    {
        const auto pipeline = m_workload->AddCommunicator({"pp0", Dimension::PP, {0, 1, 2}});
        const auto data = m_workload->AddCommunicator({"dp 7", Dimension::DP, {2, 0, 1}});
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            m_workload->SetRank(rank, MakeProgram(rank), {data, pipeline});
        }
    }

    /**
     * @return the job
     */
    std::shared_ptr<const Workload> Get() const
    {
        return m_workload;
    }

  private:
    /**
     * @return its shape
     */
    static ParallelLayout MakeLayout()
    {
        ParallelLayout layout;
        layout.world = 3;
        layout.dp = 3;
        layout.microbatches = 5;
        return layout;
    }

    /**
     * @param rank a rank
     * @return what it does
     */
    static std::shared_ptr<const WorkloadProgram> MakeProgram(uint32_t rank)
    {
        TestProgram program;
        auto& builder = program.builder;
        const auto ready =
            builder.AddStream({"host work", false, Dimension::WORLD, StreamOrder::AS_READY, true});
        const auto parallel =
            builder.AddStream({"side", false, Dimension::PP, StreamOrder::PARALLEL});
        const auto first = program.Compute("first", NanoSeconds(1500));
        const auto second = program.Compute("second", NanoSeconds(700 + 100 * rank));
        program.Collective("gather", CollectiveKind::ALL_GATHER, 1000);
        AddSpecial(program, rank);
        const auto host = program.Compute("host", MicroSeconds(3), ready);
        program.Compute("other host", MicroSeconds(1), ready);
        builder.AddFinishEdge(first, host);
        WorkloadOp message;
        message.kind = rank == 0 ? OpKind::SEND : OpKind::RECV;
        message.amount = 5000;
        message.communicator = 1;
        message.peer = rank == 0 ? 1 : 0;
        message.tag = UINT32_MAX;
        message.stream = parallel;
        message.microbatch = 4;
        if (rank < 2)
        {
            // As soon as the second computation starts, which is when the first one has finished.
            builder.AddStartEdge(second, builder.AddOp(message, "message"));
        }
        return program.Build();
    }

    /**
     * Add a collective with a root and one of unequal parts.
     *
     * @param program takes them
     * @param rank its rank
     */
    static void AddSpecial(TestProgram& program, uint32_t rank)
    {
        WorkloadOp op;
        op.kind = OpKind::COLLECTIVE;
        op.collective = CollectiveKind::BROADCAST;
        op.amount = 2000;
        op.peer = 2;
        op.stream = 1;
        op.phase = OpPhase::GRAD_SYNC;
        op.layer = 9;
        program.builder.AddOp(op, "broadcast");
        op.collective = CollectiveKind::ALL_TO_ALL;
        op.peer = 0;
        // Members are ranks 2, 0 and 1.
        const uint64_t own = 100 * ((rank + 1) % 3 + 1);
        op.splits = program.builder.AddSplits({{own, 2 * own, 3 * own}, {own, 2 * own, 3 * own}});
        op.amount = 6 * own;
        program.builder.AddOp(op, "exchange");
    }

    std::shared_ptr<Workload> m_workload; //!< the job
};

/**
 * @ingroup workload-replay-tests
 * @brief What is exported comes back as it was, and takes as long.
 */
class ChakraExportTestCase : public ChakraTestCase
{
  public:
    ChakraExportTestCase()
        : ChakraTestCase("export and back")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param workload the job as it was read again
     */
    void CheckDetails(const Workload& workload);
};

void
ChakraExportTestCase::DoRun()
{
    const auto job = ExportJob().Get();
    const auto back = Return(job, CreateTempDirFilename("export"));
    // The start of the second computation is the finish of the first one.
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(back->GetProgram(0)),
                          "0 compute first forward compute 1500000 @0 <-\n"
                          "1 compute second forward compute 700000 @1 <-\n"
                          "2 dp gather forward all-gather 1000 @2 <-\n"
                          "3 dp broadcast grad-sync broadcast 2000 @3 <-\n"
                          "4 dp exchange grad-sync all-to-all 1200 @4 <-\n"
                          "5 host work host forward compute 3000000 @5 <- 0\n"
                          "6 host work other host forward compute 1000000 @6 <-\n"
                          "7 side message forward send 5000 @7 <- 0\n",
                          "the program of rank 0");
    CheckDetails(*back);
    const auto rows = Replay(job);
    NS_TEST_EXPECT_MSG_EQ(rows.size(), 3 * 7 + 2, "all ops finish");
    NS_TEST_EXPECT_MSG_EQ((Replay(back) == rows), true, "when they do what");
    const auto again = Return(back, CreateTempDirFilename("again"));
    NS_TEST_EXPECT_MSG_EQ((Replay(again) == rows), true, "exported twice");
}

void
ChakraExportTestCase::CheckDetails(const Workload& workload)
{
    const auto& ops = workload.GetProgram(0).GetOps();
    NS_TEST_EXPECT_MSG_EQ(ops[3].peer, 2, "the root");
    NS_TEST_EXPECT_MSG_EQ(ops[7].tag, UINT32_MAX, "the tag");
    const auto* splits = workload.GetProgram(1).GetSplits(workload.GetProgram(1).GetOps()[4]);
    NS_TEST_ASSERT_MSG_NE(splits, nullptr, "unequal parts");
    NS_TEST_EXPECT_MSG_EQ(splits->send[2], 900, "what rank 1 sends to itself");
    NS_TEST_EXPECT_MSG_EQ(workload.GetLayout().microbatches, 5, "the shape of the job");
    const auto& communicators = workload.GetCommunicators();
    NS_TEST_ASSERT_MSG_EQ(communicators.size(), 2, "communicators");
    NS_TEST_EXPECT_MSG_EQ(communicators[1].name, "dp 7", "name of the second one");
    NS_TEST_EXPECT_MSG_EQ((communicators[1].dimension == Dimension::DP), true, "its dimension");
    NS_TEST_EXPECT_MSG_EQ((communicators[1].ranks == std::vector<uint32_t>{2, 0, 1}),
                          true,
                          "its ranks in their order");
}

/**
 * @ingroup workload-replay-tests
 * @brief What Chakra cannot say is refused, with the place.
 */
class ChakraExportErrorTestCase : public ChakraTestCase
{
  public:
    ChakraExportErrorTestCase()
        : ChakraTestCase("export of what Chakra cannot say")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param fill adds to the program of rank 0, which has communicators 0 and 1 of both ranks
     * @return the error of its export
     */
    static std::string ErrorOfExport(const std::function<void(TestProgram& program)>& fill);
};

std::string
ChakraExportErrorTestCase::ErrorOfExport(const std::function<void(TestProgram& program)>& fill)
{
    ParallelLayout layout;
    layout.world = 2;
    const auto workload = std::make_shared<Workload>("test", "test", layout);
    const auto first = workload->AddCommunicator({"world", Dimension::WORLD, {0, 1}});
    const auto second = workload->AddCommunicator({"pp", Dimension::PP, {0, 1}});
    TestProgram program;
    fill(program);
    workload->SetRank(0, program.Build(), {first, second});
    workload->SetRank(1, TestProgram().Build(), {first, second});
    return WorkloadErrorOf([&workload]() { ChakraWriter writer(workload); });
}

void
ChakraExportErrorTestCase::DoRun()
{
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOfExport([](auto& program) { program.Collective("ring", CollectiveKind::SHIFT, 8); }),
        "test:1: error: expected a collective that Chakra has a type for, to "
        "export it, found shift in 'ring'",
        "a kind of its own");
    NS_TEST_EXPECT_MSG_EQ(ErrorOfExport([](auto& program) {
                              program.Compute("x", Seconds(1));
                              program.Collective("none", CollectiveKind::ALL_REDUCE, 0);
                          }),
                          "test:2: error: expected a collective of at least 1 byte, to export it: "
                          "Chakra's of 0 bytes make ranks wait for each other, found all-reduce in "
                          "'none'",
                          "no bytes");
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOfExport([](auto& program) {
            const auto turns =
                program.builder.AddStream({"turns", true, Dimension::WORLD, StreamOrder::AS_READY});
            const auto before = program.Compute("before", Seconds(1), turns);
            program.builder.AddStartEdge(before, program.Compute("after", Seconds(1)));
        }),
        "test:1: error: expected ops that wait for the finish of others, or for the start of ops "
        "of a stream in order: Chakra has no other dependencies, found one that waits for the "
        "start of 'before' of stream turns, whose ops start as they are ready",
        "the start of an op of a stream without order");
    NS_TEST_EXPECT_MSG_EQ(ErrorOfExport([](auto& program) {
                              program.Send("one", 1, 10);
                              WorkloadOp op;
                              op.kind = OpKind::RECV;
                              op.communicator = 1;
                              op.peer = 1;
                              op.stream = 3;
                              program.builder.AddOp(op, "other");
                          }),
                          "test: error: expected messages between two ranks in one communicator, "
                          "to export them: Chakra tells messages apart by ranks and tag alone, "
                          "found some of ranks 0 and 1 in another one than that of 'other'",
                          "two communicators of one pair");
}

/**
 * @ingroup workload-replay-tests
 * @brief Traces of others, exported, take as long as before.
 */
class ChakraSampleExportTestCase : public MeasurementTestCase
{
  public:
    ChakraSampleExportTestCase()
        : MeasurementTestCase("chakra: export of sample traces", "chakra")
    {
    }

  private:
    void Check() override
    {
        for (const std::string name : {"micro/all_gather-8",
                                       "micro/all_to_all-4",
                                       "micro/reduce_scatter-4",
                                       "micro/all_reduce-8",
                                       "custom-ring-allreduce-8",
                                       "mlp-model-parallel-32",
                                       "tutorial-demo1-allreduce-8",
                                       "torus-T1D-analytical",
                                       "torus-T1D-ns3",
                                       "torus-T2D-ns3",
                                       "pytorch-2rank-test1",
                                       "stage-dense-dp2-tp2-pp2",
                                       "stage-fsdp-dp4"})
        {
            ChakraOptions options;
            options.peakFlops = 312e12;
            options.memoryBandwidth = 2e12;
            const auto job = ReadChakraTraces(Find(name), options);
            auto folder = name;
            std::replace(folder.begin(), folder.end(), '/', '-');
            const auto back = Return(job, CreateTempDirFilename(folder));
            const auto rows = Replay(job);
            NS_TEST_EXPECT_MSG_GT(rows.size(), 3, "ops of " << name);
            NS_TEST_EXPECT_MSG_EQ((Replay(back) == rows), true, "times of " << name);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Rank traces, exported, take as long as before.
 */
class ChakraRankTraceExportTestCase : public MeasurementTestCase
{
  public:
    ChakraRankTraceExportTestCase()
        : MeasurementTestCase("chakra: export of rank traces", "traces")
    {
    }

  private:
    void Check() override
    {
        for (const std::string name : {"moe-pp2-ep4-dp8-experts8-seq1024",
                                       "moe-pp4-ep2-dp4-experts8-seq1024",
                                       "moe-pp4-ep4-dp4-experts16-seq4096"})
        {
            RankTraceOptions options;
            options.layout.pp = name[6] - '0';
            options.layout.ep = name[10] - '0';
            options.layout.dp = name[14] - '0';
            options.layout.tp = 1;
            const auto job = ReadRankTraces(Find(name + "/measured"), options);
            const auto back = Return(job, CreateTempDirFilename(name));
            const auto rows = Replay(job);
            NS_TEST_EXPECT_MSG_GT(rows.size(), 1000, "ops of " << name);
            NS_TEST_EXPECT_MSG_EQ((Replay(back) == rows), true, "times of " << name);
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeChakraExportTestCases()
{
    return {new ChakraExportTestCase,
            new ChakraExportErrorTestCase,
            new ChakraSampleExportTestCase,
            new ChakraRankTraceExportTestCase};
}

} // namespace ns3
