/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-table-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/op-table-reader.h"
#include "ns3/test.h"
#include "ns3/workload-error.h"
#include "ns3/workload-program.h"
#include "ns3/workload.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief The shipped op table of GPT2-Large: sums counted with utils/count-op-table.py.
 */
class OpTableGoldenTestCase : public TestCase
{
  public:
    OpTableGoldenTestCase()
        : TestCase("op table of GPT2-Large")
    {
        SetDataDir(NS_TEST_SOURCEDIR);
    }

  private:
    void DoRun() override;

    /// The table as it is.
    void CheckOneLayer();

    /// The table with its layer 36 times.
    void CheckRepeated();

    /// The table with a backward pass of twice the forward pass.
    void CheckBackward();

    /**
     * @param program a program
     * @param kind a kind of ops
     * @param phase a phase
     * @return number of such ops, and the sum of their amounts
     */
    static std::pair<uint64_t, uint64_t> Sum(const WorkloadProgram& program,
                                             OpKind kind,
                                             OpPhase phase);

    std::string m_file;       //!< the table
    OpTableOptions m_options; //!< options with 8 workers
};

void
OpTableGoldenTestCase::DoRun()
{
    m_file = CreateDataDirFilename("../examples/workloads/gpt2-large-ops.tsv");
    m_options.workers = 8;
    CheckOneLayer();
    CheckRepeated();
    CheckBackward();
}

std::pair<uint64_t, uint64_t>
OpTableGoldenTestCase::Sum(const WorkloadProgram& program, OpKind kind, OpPhase phase)
{
    std::pair<uint64_t, uint64_t> sum{0, 0};
    for (const auto& op : program.GetOps())
    {
        if (op.kind == kind && op.phase == phase)
        {
            ++sum.first;
            sum.second += op.amount;
        }
    }
    return sum;
}

void
OpTableGoldenTestCase::CheckOneLayer()
{
    const auto workload = ReadOpTable(m_file, m_options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetFormat(), "op-table", "format");
    NS_TEST_EXPECT_MSG_EQ(workload->GetFile(), m_file, "file");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 8, "world");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().dp, 8, "data parallel");
    NS_TEST_ASSERT_MSG_EQ(workload->GetCommunicators().size(), 1, "one communicator");
    const auto& communicator = workload->GetCommunicators().front();
    NS_TEST_EXPECT_MSG_EQ(communicator.name, "dp0", "its name");
    NS_TEST_EXPECT_MSG_EQ(ToString(communicator.dimension), "dp", "its dimension");
    NS_TEST_EXPECT_MSG_EQ((communicator.ranks == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}),
                          true,
                          "its ranks");
    const auto& program = workload->GetProgram(0);
    NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(7), &program, "one program for all workers");
    NS_TEST_EXPECT_MSG_EQ((workload->GetCommunicatorSlots(7) == std::vector<uint32_t>{0}),
                          true,
                          "slot 0 is the communicator");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 1, "the missing backward is said");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings().front(),
                          "no row states a backward time and --backwardScale is 0, so backward "
                          "computes nothing; --backwardScale=2 is the usual estimate",
                          "warning");

    NS_TEST_ASSERT_MSG_EQ(program.GetStreams().size(), 2, "streams");
    NS_TEST_EXPECT_MSG_EQ(program.GetStreams()[0].name, "compute", "compute stream");
    NS_TEST_EXPECT_MSG_EQ(program.GetStreams()[0].compute, true, "it computes");
    NS_TEST_EXPECT_MSG_EQ(program.GetStreams()[1].name, "dp", "communication stream");
    NS_TEST_EXPECT_MSG_EQ(program.GetStreams()[1].compute, false, "it communicates");
    NS_TEST_EXPECT_MSG_EQ(ToString(program.GetStreams()[1].dimension), "dp", "dimension");

    NS_TEST_EXPECT_MSG_EQ(program.GetOps().size(), 42 + 9, "ops of time or bytes 0 do not exist");
    const auto forward = Sum(program, OpKind::COMPUTE, OpPhase::FORWARD);
    NS_TEST_EXPECT_MSG_EQ(forward.first, 42, "forward ops");
    NS_TEST_EXPECT_MSG_EQ(forward.second, 187539527867, "forward ps");
    const auto gradients = Sum(program, OpKind::COLLECTIVE, OpPhase::GRAD_SYNC);
    NS_TEST_EXPECT_MSG_EQ(gradients.first, 9, "all-reduces");
    NS_TEST_EXPECT_MSG_EQ(gradients.second, 341479748, "their bytes");

    // With no time in backward, all of them become ready when the last forward op ends.
    const auto lastForward = program.GetStreamOps(0).back();
    const auto ready = program.GetFinishSuccessors(lastForward);
    NS_TEST_EXPECT_MSG_EQ(ready.end() - ready.begin(), 9, "all-reduces after the forward pass");
    const auto& firstReduce = program.GetOps()[program.GetStreamOps(1).front()];
    NS_TEST_EXPECT_MSG_EQ(program.GetName(firstReduce), "lm_head_grad", "the last row comes first");
    NS_TEST_EXPECT_MSG_EQ(firstReduce.amount, 257516868, "4 x 64379217 bytes");
    NS_TEST_EXPECT_MSG_EQ(program.GetOrigin(firstReduce), m_file + ":51", "its line");
}

void
OpTableGoldenTestCase::CheckRepeated()
{
    auto options = m_options;
    options.repeatFirst = "transformer_h_0_ln_1_grad";
    options.repeatLast = "add_15";
    options.repeatCount = 36;
    const auto workload = ReadOpTable(m_file, options);
    const auto& program = workload->GetProgram(0);
    const auto forward = Sum(program, OpKind::COMPUTE, OpPhase::FORWARD);
    NS_TEST_EXPECT_MSG_EQ(forward.first, 1232, "forward ops");
    NS_TEST_EXPECT_MSG_EQ(forward.second, 2279323816027, "forward ps");
    const auto gradients = Sum(program, OpKind::COLLECTIVE, OpPhase::GRAD_SYNC);
    NS_TEST_EXPECT_MSG_EQ(gradients.first, 219, "all-reduces");
    NS_TEST_EXPECT_MSG_EQ(gradients.second, 3096321348, "their bytes");

    // A layer has 34 rows that compute and 6 that all-reduce 19677440 elements; 8 and 3 rows stand
    // before and after the layers.
    std::map<int32_t, std::pair<int, uint64_t>> layers;
    for (const auto& op : program.GetOps())
    {
        auto& [nOps, bytes] = layers[op.layer];
        ++nOps;
        bytes += op.kind == OpKind::COLLECTIVE ? op.amount : 0;
    }
    NS_TEST_ASSERT_MSG_EQ(layers.size(), 37, "36 layers and the rows outside");
    NS_TEST_EXPECT_MSG_EQ(layers[-1].first, 8 + 3, "rows outside");
    for (int32_t layer = 0; layer < 36; ++layer)
    {
        NS_TEST_EXPECT_MSG_EQ(layers[layer].first, 34 + 6, "ops of layer " << layer);
        NS_TEST_EXPECT_MSG_EQ(layers[layer].second, 4 * 19677440, "bytes of layer " << layer);
    }
    const auto& ops = program.GetOps();
    const auto& reduces = program.GetStreamOps(1);
    NS_TEST_EXPECT_MSG_EQ(ops[reduces[2]].layer, 35, "backward begins with the last layer");
}

void
OpTableGoldenTestCase::CheckBackward()
{
    auto options = m_options;
    options.backwardScale = 2;
    options.elementBytes = 2;
    const auto workload = ReadOpTable(m_file, options);
    const auto& program = workload->GetProgram(0);
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings().size(), 0, "nothing is assumed");
    const auto backward = Sum(program, OpKind::COMPUTE, OpPhase::BACKWARD_INPUT);
    NS_TEST_EXPECT_MSG_EQ(backward.first, 42, "backward ops");
    NS_TEST_EXPECT_MSG_EQ(backward.second, 375079055739, "backward ps, each row rounded");
    NS_TEST_EXPECT_MSG_EQ(Sum(program, OpKind::COLLECTIVE, OpPhase::GRAD_SYNC).second,
                          341479748 / 2,
                          "bytes with elements of 2 bytes");

    // The gradient of X is reduced right after the backward of X.
    int nChecked = 0;
    for (const auto op : program.GetStreamOps(0))
    {
        for (const auto next : program.GetFinishSuccessors(op))
        {
            NS_TEST_EXPECT_MSG_EQ(program.GetName(program.GetOps()[next]),
                                  program.GetName(program.GetOps()[op]) + "_grad",
                                  "what the all-reduce waits for");
            ++nChecked;
        }
    }
    NS_TEST_EXPECT_MSG_EQ(nChecked, 9, "all-reduces that wait for a backward op");
}

/**
 * @ingroup workload-replay-tests
 * @brief Programs of small op tables, against programs written by hand.
 */
class OpTableLoweringTestCase : public TestCase
{
  public:
    OpTableLoweringTestCase()
        : TestCase("programs of op tables")
    {
    }

  private:
    void DoRun() override;

    /// Collectives that compute waits for.
    void CheckBlocking();

    /// Collectives that compute does not wait for, and process times.
    void CheckAsynchronous();

    /// Columns in another order, and times below a picosecond.
    void CheckColumns();

    /**
     * @param table the content of a table
     * @param options what it does not say
     * @return its program as text
     */
    std::string Lower(const std::string& table, const OpTableOptions& options);
};

std::string
OpTableLoweringTestCase::Lower(const std::string& table, const OpTableOptions& options)
{
    const auto file = CreateTempDirFilename("table.tsv");
    WriteWorkloadFile(file, table);
    return DescribeProgram(ReadOpTable(file, options)->GetProgram(0));
}

void
OpTableLoweringTestCase::DoRun()
{
    CheckBlocking();
    CheckAsynchronous();
    CheckColumns();
}

void
OpTableLoweringTestCase::CheckBlocking()
{
    OpTableOptions options;
    options.elementBytes = 2;
    const std::string blocking = "0 compute a forward compute 1000000000 @2 <-\n"
                                 "1 dp a forward all-gather 20 @2 <- 0\n"
                                 "2 compute b forward compute 4000000000 @3 <- 1\n"
                                 "3 compute d forward compute 7000000000 @5 <-\n"
                                 "4 dp d forward shift 16 @5 <- 3\n"
                                 "5 compute d backward-weight compute 9000000000 @5 <- 4\n"
                                 "6 compute c backward-input compute 250000000 @4 <-\n"
                                 "7 compute c_process backward-weight compute 125000000 @4 <-\n"
                                 "8 compute b backward-input compute 5000000000 @3 <-\n"
                                 "9 compute b backward-weight compute 6000000000 @3 <-\n"
                                 "10 dp b backward-weight reduce-scatter 14 @3 <- 9\n"
                                 "11 dp b_process backward-weight compute 500000000 @3 <-\n"
                                 "12 compute a backward-input compute 2000000000 @2 <- 11\n"
                                 "13 dp a grad-sync all-reduce 40 @2 <- 12\n"
                                 "14 compute a backward-weight compute 3000000000 @2 <- 13\n"
                                 "15 dp a grad-sync all-reduce 60 @2 <- 14\n";
    NS_TEST_EXPECT_MSG_EQ(Lower(OP_TABLE_HEADER +
                                    "a\t1\tALLGATHER\t10\t2\tALLREDUCE\t20\t3\tALLREDUCE_ASYNC\t30"
                                    "\t0\n"
                                    "b\t4\tNone\t0\t5\tNone\t0\t6\tREDUCESCATTER\t7\t0.5\n"
                                    "c\t0\tALLTOALL\t0\t0.25\tNone\t0\t0\tNone\t0\t0.125\n"
                                    "d\t7\tSENDRECV\t8\t0\tNONE\t0\t9\tNone\t0\t0\n",
                                options),
                          blocking,
                          "blocking communication");
}

void
OpTableLoweringTestCase::CheckAsynchronous()
{
    // y has an async collective before it and does not wait; what follows z does.
    OpTableOptions options;
    options.backwardScale = 0.5;
    NS_TEST_EXPECT_MSG_EQ(
        Lower(OP_TABLE_HEADER + "x\t2\tALLREDUCE_ASYNC\t1\t0\tALLREDUCE_ASYNC\t3\t0\tNone\t0\t1\n"
                                "y\t4\tNone\t0\t0\tNone\t0\t0\tNone\t0\t0\n"
                                "z\t0\tALLREDUCE\t5\t0\tNone\t0\t0\tNone\t0\t0\n",
              options),
        "0 compute x forward compute 2000000000 @2 <-\n"
        "1 dp x forward all-reduce 4 @2 <- 0\n"
        "2 dp x_process forward compute 1000000000 @2 <-\n"
        "3 compute y forward compute 4000000000 @3 <-\n"
        "4 dp z forward all-reduce 20 @4 <- 3\n"
        "5 compute y backward-input compute 2000000000 @3 <- 4\n"
        "6 compute x backward-input compute 1000000000 @2 <-\n"
        "7 dp x grad-sync all-reduce 12 @2 <- 6\n"
        "8 dp x_process grad-sync compute 1000000000 @2 <-\n",
        "asynchronous communication and process times");
}

void
OpTableLoweringTestCase::CheckColumns()
{
    OpTableOptions options;
    options.backwardScale = 0.5;
    // The columns in another order; CRLF; no compute before the first collective; 1.6 ps
    // are 2 and 0.4 ps nothing; a row with a weight-gradient time has nothing scaled.
    NS_TEST_EXPECT_MSG_EQ(Lower("process_time\tweight_grad_comm_size\tweight_grad_comm_type\t"
                                "weight_grad_compute_time\tbackward_comm_size\tbackward_comm_type\t"
                                "backward_compute_time\tforward_comm_size\tforward_comm_type\t"
                                "forward_compute_time\tname\r\n"
                                "9e-9\t0\tNone\t0\t0\tNone\t0\t1\tALLTOALL\t4e-10\tp\r\n\r\n"
                                "0\t0\tNone\t3\t0\tNone\t0\t0\tNone\t1.6e-9\tq",
                                options),
                          "0 dp p forward all-to-all 4 @2 <-\n"
                          "1 dp p_process forward compute 9 @2 <-\n"
                          "2 compute q forward compute 2 @4 <- 1\n"
                          "3 compute q backward-weight compute 3000000000 @4 <-\n",
                          "columns in another order");

    const auto file = CreateTempDirFilename("no-compute.tsv");
    WriteWorkloadFile(file, OP_TABLE_HEADER + "r\t0\tALLREDUCE\t1\t0\tNone\t0\t0\tNone\t0\t0\n");
    NS_TEST_EXPECT_MSG_EQ(ReadOpTable(file, options)->GetWarnings().size(),
                          0,
                          "with a backward scale there is nothing to warn of");
}

/**
 * @ingroup workload-replay-tests
 * @brief The reader of op tables.
 */
class WorkloadReplayOpTableTestSuite : public TestSuite
{
  public:
    WorkloadReplayOpTableTestSuite()
        : TestSuite("workload-replay-op-table", TestSuite::Type::UNIT)
    {
        AddTestCase(new OpTableGoldenTestCase);
        AddTestCase(new OpTableLoweringTestCase);
        for (auto* testCase : MakeOpTableErrorTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayOpTableTestSuite g_workloadReplayOpTableTestSuite;
