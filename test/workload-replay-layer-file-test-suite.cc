/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-test-case.h"
#include "workload-test-tools.h"

#include "ns3/layer-file-reader.h"
#include "ns3/test.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"
#include "ns3/workload.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Number of ops and the sum of their amounts, by what they are.
using Sums = std::map<std::string, std::pair<uint64_t, uint64_t>>;

/**
 * @param program a program
 * @return its ops as utils/count-layer-file.py counts them
 */
Sums
CountOps(const WorkloadProgram& program)
{
    Sums sums;
    for (const auto& op : program.GetOps())
    {
        std::string name = "pp";
        if (op.kind == OpKind::COMPUTE)
        {
            name = program.GetStreams()[op.stream].compute ? "compute" : "update";
        }
        else if (op.kind == OpKind::COLLECTIVE)
        {
            name = ToString(static_cast<Dimension>(op.communicator));
        }
        if (op.kind != OpKind::RECV)
        {
            ++sums[name].first;
            sums[name].second += op.amount;
        }
    }
    return sums;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief The shipped layer files: all that utils/count-layer-file.py counts in them is replayed.
 */
class LayerFileGoldenTestCase : public TestCase
{
  public:
    LayerFileGoldenTestCase()
        : TestCase("shipped layer files")
    {
        SetDataDir(NS_TEST_SOURCEDIR);
    }

  private:
    void DoRun() override;

    /**
     * @param workload a workload
     * @param rank a rank
     * @param expected what its program is to consist of
     */
    void CheckSums(const Workload& workload, uint32_t rank, const Sums& expected);

    /// layers-512gpu-tp8-pp4.simai.txt in stages.
    void CheckFourStages();

    /// layers-1024gpu-tp8-pp16.simai.txt in stages.
    void CheckSixteenStages();

    /// Both in literal order.
    void CheckLiteral();
};

void
LayerFileGoldenTestCase::DoRun()
{
    CheckFourStages();
    CheckSixteenStages();
    CheckLiteral();
}

void
LayerFileGoldenTestCase::CheckSums(const Workload& workload, uint32_t rank, const Sums& expected)
{
    const auto sums = CountOps(workload.GetProgram(rank));
    NS_TEST_EXPECT_MSG_EQ(sums.size(), expected.size(), "kinds of ops of rank " << rank);
    for (const auto& [name, sum] : expected)
    {
        const auto found = sums.count(name) ? sums.at(name) : std::pair<uint64_t, uint64_t>();
        NS_TEST_EXPECT_MSG_EQ(found.first, sum.first, name << " of rank " << rank);
        NS_TEST_EXPECT_MSG_EQ(found.second, sum.second, name << " of rank " << rank);
    }
}

void
LayerFileGoldenTestCase::CheckFourStages()
{
    const auto file =
        CreateDataDirFilename("../examples/workloads/layers-512gpu-tp8-pp4.simai.txt");
    const auto workload = ReadLayerFile(file, LayerFileOptions());
    NS_TEST_EXPECT_MSG_EQ(workload->GetFormat(), "simai", "format");
    NS_TEST_EXPECT_MSG_EQ(workload->GetFile(), file, "file");
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "1f1b", "schedule");
    NS_TEST_EXPECT_MSG_EQ(workload->GetOrder(), "megatron", "order");
    const auto& layout = workload->GetLayout();
    NS_TEST_EXPECT_MSG_EQ(layout.world, 512, "world");
    NS_TEST_EXPECT_MSG_EQ(layout.tp, 8, "tp");
    NS_TEST_EXPECT_MSG_EQ(layout.dp, 16, "512 / (8 x 4)");
    NS_TEST_EXPECT_MSG_EQ(layout.pp, 4, "pp");
    NS_TEST_EXPECT_MSG_EQ(layout.microbatches, 1, "ga");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 2, "warnings");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings()[0],
                          "interleaved needs a multiple of 4 (the stages) as microbatches, not 1, "
                          "so the schedule is 1f1b with 1 model chunk per stage",
                          "vpp is 8");
    NS_TEST_EXPECT_MSG_EQ(
        workload->GetWarnings()[1],
        "the pipeline has 4 stages and fewer microbatches, 1, so the stages mostly "
        "wait for one another",
        "mostly bubble");
    CheckSums(*workload,
              0,
              {{"compute", {87, 280084012000}},
               {"dp", {2, 6236471297}},
               {"pp", {1, 20971520}},
               {"tp", {27, 5567995904}},
               {"update", {29, 2900000}}});
    CheckSums(*workload,
              128,
              {{"compute", {81, 279320007000}},
               {"dp", {2, 6236471297}},
               {"pp", {2, 41943040}},
               {"tp", {25, 5436923904}},
               {"update", {27, 2700000}}});
    CheckSums(*workload,
              511,
              {{"compute", {96, 279320022000}},
               {"dp", {2, 6236471297}},
               {"pp", {1, 20971520}},
               {"tp", {30, 6026772480}},
               {"update", {32, 3200000}}});
    NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(128),
                          &workload->GetProgram(255),
                          "one program for all ranks of a stage");
    NS_TEST_EXPECT_MSG_NE(&workload->GetProgram(127),
                          &workload->GetProgram(128),
                          "each stage has its own");
    const auto& slots = workload->GetCommunicatorSlots(9);
    const auto& tp = workload->GetCommunicators()[slots[static_cast<std::size_t>(Dimension::TP)]];
    NS_TEST_EXPECT_MSG_EQ((tp.ranks == std::vector<uint32_t>{8, 9, 10, 11, 12, 13, 14, 15}),
                          true,
                          "tensor parallel group of rank 9");
}

void
LayerFileGoldenTestCase::CheckSixteenStages()
{
    const auto file =
        CreateDataDirFilename("../examples/workloads/layers-1024gpu-tp8-pp16.simai.txt");
    auto options = LayerFileOptions();
    auto workload = ReadLayerFile(file, options);
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 1, "warnings");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings()[0],
                          "the file does not say pp_comm, so a pipeline message has 16777216 bytes,"
                          " the activation that the layers communicate over tp; --ppBytes sets it",
                          "134217728 / 8");
    const Sums middle{{"compute", {1551, 6991557902000}},
                      {"dp", {2, 19203096576}},
                      {"pp", {32, 536870912}},
                      {"tp", {772, 103079215120}},
                      {"update", {774, 77400000}}};
    CheckSums(*workload,
              63,
              {{"compute", {1602, 7075718725000}},
               {"dp", {2, 19203096576}},
               {"pp", {16, 268435456}},
               {"tp", {789, 105360916496}},
               {"update", {791, 79100000}}});
    for (uint32_t stage = 1; stage < 15; ++stage)
    {
        CheckSums(*workload, 64 * stage, middle);
    }
    CheckSums(*workload,
              960,
              {{"compute", {1602, 7129071185000}},
               {"dp", {2, 19203096576}},
               {"pp", {16, 268435456}},
               {"tp", {792, 105360965648}},
               {"update", {794, 79400000}}});
    // What stands once among unrolled microbatches belongs to the last one.
    for (const auto& op : workload->GetProgram(960).GetOps())
    {
        const auto& name = workload->GetProgram(960).GetName(op);
        if (name.compare(0, 13, "cross_entropy") == 0)
        {
            NS_TEST_EXPECT_MSG_EQ(op.microbatch, 15, name);
        }
    }

    // Two chunks of four layers: each message crosses twice as many boundaries.
    options.layout.vpp = 2;
    options.ppBytes = 1000;
    workload = ReadLayerFile(file, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "interleaved", "schedule");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings().size(), 0, "nothing is assumed");
    auto interleaved = middle;
    interleaved["pp"] = {64, 64000};
    CheckSums(*workload, 64, interleaved);
    options.layout.vpp = 3;
    workload = ReadLayerFile(file, options);
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 1, "warnings");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings()[0],
                          "3 model chunks (vpp) do not divide the 8 layers of a stage, so the "
                          "schedule is 1f1b with 1 model chunk per stage",
                          "8 layers");
}

void
LayerFileGoldenTestCase::CheckLiteral()
{
    LayerFileOptions options;
    options.order = "literal";
    auto workload = ReadLayerFile(
        CreateDataDirFilename("../examples/workloads/layers-1024gpu-tp8-pp16.simai.txt"),
        options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().dp, 128, "1024 / 8");
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().pp, 1, "no pipeline");
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "", "no schedule");
    NS_TEST_EXPECT_MSG_EQ(workload->GetOrder(), "literal", "order");
    CheckSums(*workload,
              0,
              {{"compute", {1650, 7213232005000}},
               {"dp", {2, 19203096576}},
               {"tp", {808, 107508449296}},
               {"update", {810, 81000000}}});
    workload = ReadLayerFile(
        CreateDataDirFilename("../examples/workloads/layers-512gpu-tp8-pp4.simai.txt"),
        options);
    CheckSums(*workload,
              511,
              {{"compute", {99, 280084024000}},
               {"dp", {2, 6236471297}},
               {"tp", {31, 6092308480}},
               {"update", {33, 3300000}}});
}

/**
 * @ingroup workload-replay-tests
 * @brief Headers in all spellings, and where the size of a pipeline message comes from.
 */
class LayerFileHeaderTestCase : public LayerFileTestCase
{
  public:
    LayerFileHeaderTestCase()
        : LayerFileTestCase("headers of layer files")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param header a header
     * @param row a row
     * @param options what the user says
     * @return bytes of a pipeline message of the first stage
     */
    uint64_t GetMessageBytes(const std::string& header,
                             const std::string& row,
                             const LayerFileOptions& options = LayerFileOptions());
};

uint64_t
LayerFileHeaderTestCase::GetMessageBytes(const std::string& header,
                                         const std::string& row,
                                         const LayerFileOptions& options)
{
    return CountOps(Read(header + "\n1\n" + row, options)->GetProgram(0))["pp"].second;
}

void
LayerFileHeaderTestCase::DoRun()
{
    // Order, colons, blanks, line ends, blank lines and the number of rows as a float.
    const auto workload = Read("HYBRID_TRANSFORMER_FWD_IN_BCKWD\tga: 2 all_gpus:32  pp_comm 7.0 "
                               "expert_parallel_npu_group :2 model_parallel_NPU_group 4 "
                               "checkpoint_initiates: 0 checkpoints: 0 pp: 2.0\r\n\r\n 1.0 \r\n"
                               "a\t\t-1  1\tALLREDUCE   8\t2 NONE 0 3 NONE 0 0 \t\r\n");
    const auto& layout = workload->GetLayout();
    NS_TEST_EXPECT_MSG_EQ(layout.world, 32, "all_gpus");
    NS_TEST_EXPECT_MSG_EQ(layout.tp, 4, "model_parallel_NPU_group");
    NS_TEST_EXPECT_MSG_EQ(layout.ep, 2, "expert_parallel_npu_group");
    NS_TEST_EXPECT_MSG_EQ(layout.pp, 2, "pp");
    NS_TEST_EXPECT_MSG_EQ(layout.dp, 4, "32 / (4 x 2)");
    NS_TEST_EXPECT_MSG_EQ(layout.microbatches, 2, "ga");
    NS_TEST_EXPECT_MSG_EQ(CountOps(workload->GetProgram(0))["pp"].second, 2 * 7, "pp_comm");

    const std::string header = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 pp: 2 ga: 2 "
                               "all_gpus: 8";
    const auto gather = "a -1 0 ALLGATHER 102 0 NONE 0 0 NONE 0 0\n";
    const auto scatter = "a -1 0 REDUCESCATTER 100 0 NONE 0 0 NONE 0 0\n";
    const auto reduce = "a -1 0 ALLREDUCE 100 0 NONE 0 0 NONE 0 0\n";
    const auto experts = "a -1 0 ALLTOALL_EP 100 0 NONE 0 0 NONE 0 0\n";
    NS_TEST_EXPECT_MSG_EQ(GetMessageBytes(header, gather), 2 * 26, "a quarter, rounded up");
    NS_TEST_EXPECT_MSG_EQ(GetMessageBytes(header, scatter), 2 * 25, "a quarter");
    NS_TEST_EXPECT_MSG_EQ(GetMessageBytes(header, reduce), 2 * 100, "all of it");
    NS_TEST_EXPECT_MSG_EQ(GetMessageBytes(header + " pp_comm: 0", reduce),
                          2 * 100,
                          "0 is not said");
    NS_TEST_EXPECT_MSG_EQ(GetMessageBytes(header + " pp_comm: 9", reduce), 2 * 9, "of the file");
    LayerFileOptions options;
    options.ppBytes = 5;
    NS_TEST_EXPECT_MSG_EQ(GetMessageBytes(header + " pp_comm: 9", experts, options),
                          2 * 5,
                          "the user wins");
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { GetMessageBytes(header, experts); }),
                          CreateTempDirFilename("layers.txt") +
                              ":1: error: expected pp_comm, or --ppBytes on the command line, "
                              "because pp is 2, found neither, and no layer communicates an "
                              "activation over tp",
                          "no size");

    const auto single = Read("HYBRID_TRANSFORMER pp: 1 vpp: 32 all_gpus: 2\n1\n" + LAYER_FILE_ROW);
    NS_TEST_EXPECT_MSG_EQ(single->GetWarnings().size(), 0, "vpp says nothing without a pipeline");
    NS_TEST_EXPECT_MSG_EQ(single->GetScheduleName(), "", "nor is there a schedule");

    const auto file = CreateTempDirFilename("text.txt");
    WriteWorkloadFile(file, "MICRO\n1\n" + LAYER_FILE_ROW);
    NS_TEST_EXPECT_MSG_EQ(LooksLikeLayerFile(WorkloadText(file, {ForeignFile::LAYER_FILE})),
                          true,
                          "a layer file");
    WriteWorkloadFile(file, "MICROBE\n");
    NS_TEST_EXPECT_MSG_EQ(LooksLikeLayerFile(WorkloadText(file, {ForeignFile::LAYER_FILE})),
                          false,
                          "another file");
    WriteWorkloadFile(file, ":\n");
    NS_TEST_EXPECT_MSG_EQ(LooksLikeLayerFile(WorkloadText(file, {ForeignFile::LAYER_FILE})),
                          false,
                          "no words");
}

/**
 * @ingroup workload-replay-tests
 * @brief Layer files of SimAI, AICB and ASTRA-sim 1.0.
 */
class WorkloadReplayLayerFileTestSuite : public TestSuite
{
  public:
    WorkloadReplayLayerFileTestSuite()
        : TestSuite("workload-replay-layer-file", TestSuite::Type::UNIT)
    {
        AddTestCase(new LayerFileGoldenTestCase);
        AddTestCase(new LayerFileHeaderTestCase);
        for (auto* testCase : MakeLayerFileErrorTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeLayerFileLiteralTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto testCase : MakeLayerFileProgramTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayLayerFileTestSuite g_workloadReplayLayerFileTestSuite;
