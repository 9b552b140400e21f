/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list-test-cases.h"
#include "kineto-test-cases.h"
#include "pytorch-test-cases.h"

#include "ns3/replay-option-table.h"
#include "ns3/test.h"
#include "ns3/workload-error.h"
#include "ns3/workload-reader.h"

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// A command line, without the name of the program.
using Arguments = std::vector<std::string>;

/// First line of an op table.
const std::string TABLE_HEADER =
    "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\tbackward_compute_time\t"
    "backward_comm_type\tbackward_comm_size\tweight_grad_compute_time\tweight_grad_comm_type\t"
    "weight_grad_comm_size\tprocess_time\n";

/// An op table of one layer.
const std::string TABLE = TABLE_HEADER + "layer\t1.0\tNone\t0\t0\tALLREDUCE\t1000\t0\tNone\t0\t0\n";

/// A layer file of one layer, with a gap for keys of the header.
const std::pair<std::string, std::string> LAYERS{
    "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 ga: 1 ",
    "\n1\nlayer -1 1000 ALLREDUCE 4096 1000 NONE 0 1000 NONE 0 100\n"};

/**
 * @param arguments a command line
 * @return the workload that it asks for
 */
std::shared_ptr<const Workload>
Read(const Arguments& arguments)
{
    const auto options = ParseReplayOptions(arguments);
    CheckReplayOptions(options);
    return ReadWorkload(options);
}

/**
 * @param arguments a command line
 * @return the message of the error it is; empty if it is right
 */
std::string
GetError(const Arguments& arguments)
{
    try
    {
        Read(arguments);
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief The format is told by the content, or by the user.
 */
class FormatDetectionTestCase : public TestCase
{
  public:
    FormatDetectionTestCase()
        : TestCase("formats are told by their content")
    {
    }

  private:
    void DoRun() override
    {
        CheckShipped();
        const auto file = CreateTempDirFilename("workload");
        const std::vector<std::pair<std::string, std::string>> rows{
            {TABLE, "op-table"},
            {"\n\n" + TABLE, "op-table"},
            {"layer\tforward_compute_tim\tforward_comm_type\n", "op-table"},
            {LAYERS.first + LAYERS.second, "simai"},
            {"\xEF\xBB\xBF  MICRO\r\n0\r\n", "simai"},
            {"rank:0:forward_step(", "megatron"},
            {"stage:0:forward_step", "megatron"},
        };
        for (const auto& [text, format] : rows)
        {
            std::ofstream(file) << text;
            NS_TEST_EXPECT_MSG_EQ(DetectWorkloadFormat(file), format, text);
        }
        CheckUnknown(file);
    }

    /// The files that come with the module.
    void CheckShipped()
    {
        const std::string folder = CreateDataDirFilename("../examples/workloads/");
        const std::vector<std::pair<std::string, std::string>> rows{
            {"gpt-tp4-pp64-dp32-single-gpu-rank0.megatron.txt", "megatron"},
            {"moe-pp4-ep2-dp4-rank0.megatron.txt", "megatron"},
            {"gpt2-large-ops.tsv", "op-table"},
            {"layers-512gpu-tp8-pp4.simai.txt", "simai"},
            {"layers-1024gpu-tp8-pp16.simai.txt", "simai"},
        };
        for (const auto& [name, format] : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(DetectWorkloadFormat(folder + name), format, name);
        }
        NS_TEST_EXPECT_MSG_EQ(DetectWorkloadFormat(folder), "megatron", "a directory");
    }

    /**
     * Files of no format.
     *
     * @param file where to write them
     */
    void CheckUnknown(const std::string& file)
    {
        const std::string expected =
            ": error: expected the policy that a layer file begins with, such as "
            "HYBRID_TRANSFORMER (simai), rank:R:op(...) of a rank trace (megatron), num_ranks "
            "of a GOAL schedule (goal), or the tab-separated column names of an op table "
            "(op-table); --format sets the format, "
            "found ";
        std::ofstream(file) << "\nhello world\n";
        const auto workload = "--workload=" + file;
        NS_TEST_EXPECT_MSG_EQ(GetError({workload}), file + ":2" + expected + "'hello world'", "");
        std::ofstream(file) << "name\tsize\n";
        NS_TEST_EXPECT_MSG_EQ(GetError({workload}), file + ":1" + expected + "'name\\x09size'", "");
        NS_TEST_EXPECT_MSG_EQ(GetError({"--workload=" + file + ".not"}).rfind(file + ".not: ", 0),
                              0,
                              "a file that is not there");

        std::ofstream(file) << TABLE;
        NS_TEST_EXPECT_MSG_EQ(Read({workload})->GetFormat(), "op-table", "detected");
        const auto forced = GetError({workload, "--format=simai"});
        NS_TEST_EXPECT_MSG_EQ((forced.find("policy") != std::string::npos), true, forced);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Options reach the readers, and the readers know how many ranks there are.
 */
class FormatOptionsTestCase : public TestCase
{
  public:
    FormatOptionsTestCase()
        : TestCase("options reach the readers of all formats")
    {
    }

  private:
    void DoRun() override
    {
        const auto table = CreateTempDirFilename("table");
        std::ofstream(table) << TABLE;
        const auto ops = "--workload=" + table;
        NS_TEST_EXPECT_MSG_EQ(Read({ops})->GetLayout().world, 8, "the default of op tables");
        NS_TEST_EXPECT_MSG_EQ(Read({ops, "--dp=4"})->GetLayout().world, 4, "dp is the world");
        NS_TEST_EXPECT_MSG_EQ(Read({ops, "--world=3"})->GetLayout().dp, 3, "the world is dp");

        const auto layers = CreateTempDirFilename("layers");
        std::ofstream(layers) << LAYERS.first << "all_gpus: 16 pp: 4" << LAYERS.second;
        const auto simai = "--workload=" + layers;
        const auto file = Read({simai, "--ppBytes=1KiB"});
        NS_TEST_EXPECT_MSG_EQ(file->GetLayout().world, 16, "the file says it");
        NS_TEST_EXPECT_MSG_EQ(file->GetLayout().dp, 2, "16 / (2 x 4)");
        NS_TEST_EXPECT_MSG_EQ(file->GetScheduleName(), "1f1b", "the default");
        const auto user = Read({simai, "--world=32", "--pp=2", "--schedule=gpipe", "--tp=4"});
        NS_TEST_EXPECT_MSG_EQ(user->GetLayout().world, 32, "the user wins");
        NS_TEST_EXPECT_MSG_EQ(user->GetLayout().dp, 4, "32 / (4 x 2)");
        NS_TEST_EXPECT_MSG_EQ(user->GetScheduleName(), "gpipe", "as asked for");
        const auto literal = Read({simai, "--order=literal"});
        NS_TEST_EXPECT_MSG_EQ(literal->GetOrder(), "literal", "as asked for");
        NS_TEST_EXPECT_MSG_EQ(literal->GetLayout().pp, 1, "which has no pipeline");
        CheckMessageBytes(*file);

        const auto moe =
            "--workload=" + std::string(CreateDataDirFilename(
                                "../examples/workloads/moe-pp4-ep2-dp4-rank0.megatron.txt"));
        const auto traces = Read({moe, "--ep=2", "--dp=4"});
        NS_TEST_EXPECT_MSG_EQ(traces->GetLayout().world, 16, "4 stages of 4 ranks");
        NS_TEST_EXPECT_MSG_EQ(traces->GetLayout().ep, 2, "as given");
    }

    /**
     * @param workload the layer file with messages of 1 KiB between stages
     */
    void CheckMessageBytes(const Workload& workload)
    {
        uint32_t sends = 0;
        for (const auto& op : workload.GetProgram(0).GetOps())
        {
            if (op.kind == OpKind::SEND)
            {
                ++sends;
                NS_TEST_EXPECT_MSG_EQ(op.amount, 1024, "the user's bytes");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(sends, 1, "one microbatch, sent on once");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Options that a workload has no use for, or that contradict it.
 */
class FormatContradictionsTestCase : public TestCase
{
  public:
    FormatContradictionsTestCase()
        : TestCase("options that do not fit the workload are errors")
    {
    }

  private:
    void DoRun() override
    {
        const auto table = CreateTempDirFilename("table");
        std::ofstream(table) << TABLE;
        const auto layers = CreateTempDirFilename("layers");
        std::ofstream(layers) << LAYERS.first << "all_gpus: 4" << LAYERS.second;
        const auto model = CreateTempDirFilename("model");
        std::ofstream(model) << "MODEL all_gpus: 4" << LAYERS.second;
        const auto traces = CreateTempDirFilename("traces");
        std::ofstream(traces) << "rank:0:forward_step()\n";
        const auto config = CreateTempDirFilename("run.json");
        std::ofstream(config) << "{\"schedule\": \"gpipe\"}";
        const std::string ops = " with an op table (op-table), which has no use for it, found one";
        const std::string simai = " with a layer file (simai), which has no use for it, found one";
        const std::string rank =
            " with a rank trace (megatron), which has no use for it, found one";
        const std::vector<std::pair<Arguments, std::string>> rows{
            {{table, "--world=8", "--dp=4"},
             "--dp: error: expected 8, the world, because an op table is data parallel only, found "
             "4"},
            {{table, "--tp=2"}, "--tp: error: expected no tp" + ops},
            {{table, "--order=literal"}, "--order: error: expected no order" + ops},
            {{table, "--config=" + config},
             config + ":/schedule: error: expected no schedule" + ops},
            {{layers, "--backwardScale=2"},
             "--backwardScale: error: expected no backwardScale" + simai},
            {{layers, "--bytesScale=2"}, "--bytesScale: error: expected no bytesScale" + simai},
            {{layers, "--repeat=a:b:2"}, "--repeat: error: expected no repeat" + simai},
            {{traces, "--order=megatron"}, "--order: error: expected no order" + rank},
            {{traces, "--elementBytes=2"},
             "--elementBytes: error: expected no elementBytes" + rank},
            {{layers, "--schedule=1f1b"},
             "--schedule: error: expected no schedule, because there is only one pipeline stage, "
             "found one"},
            {{layers, "--order=literal", "--ppBytes=1"},
             "--ppBytes: error: expected no ppBytes, because rows in literal order have no "
             "pipeline, found one"},
            {{model, "--order=megatron"},
             "--order: error: expected literal, the only order for the policy of " + model +
                 ", found 'megatron'"},
        };
        for (auto [arguments, message] : rows)
        {
            arguments.front().insert(0, "--workload=");
            NS_TEST_EXPECT_MSG_EQ(GetError(arguments), message, message);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief From options to workloads.
 */
class WorkloadReplayFormatTestSuite : public TestSuite
{
  public:
    WorkloadReplayFormatTestSuite()
        : TestSuite("workload-replay-format", TestSuite::Type::UNIT)
    {
        SetDataDir(NS_TEST_SOURCEDIR);
        AddTestCase(new FormatDetectionTestCase);
        AddTestCase(new FormatOptionsTestCase);
        AddTestCase(new FormatContradictionsTestCase);
        for (auto* testCase : MakeKinetoTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakePytorchTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeFlowListTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// Registers the suite.
static WorkloadReplayFormatTestSuite g_workloadReplayFormatTestSuite;
