/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-test-tools.h"

#include "ns3/accelerator-file.h"
#include "ns3/accelerator-set.h"
#include "ns3/operator-times.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// An accelerator whose times are easily worked out: 100 TFLOP/s, 10 TFLOP/s, 1 TB/s.
const std::string EASY = R"({"matrixFlops": {"bf16": 1e14, "fp8": 2e14}, "vectorFlops": 1e13,
 "memoryBandwidth": "1000GB/s", "memory": "64GiB",
 "matrixEfficiency": [{"atLeast": 0, "share": 0.25}, {"atLeast": 1e9, "share": 0.5}],
 "memoryEfficiency": [{"atLeast": 1e6, "share": 0.8}, {"atLeast": 0, "share": 0.5}]})";

/**
 * @param value name of an accelerator or of a file
 * @return the accelerator
 */
Accelerator
Find(const std::string& value)
{
    return FindAccelerator({value, {"--accelerator", 0, 0, ""}});
}

/**
 * @param file path of the file to write
 * @param content what it is to hold
 * @return the accelerator that it describes
 */
Accelerator
ReadEasy(const std::string& file, const std::string& content = EASY)
{
    WriteWorkloadFile(file, content);
    return Find(file);
}

/**
 * @param accelerator an accelerator
 * @param name name of a number format
 * @return the format
 */
Precision
FindPrecision(const Accelerator& accelerator, const std::string& name)
{
    return accelerator.FindPrecision({name, {"--precision", 0, 0, ""}});
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Times worked out by hand, at the steps of the curves and beside them.
 */
class AcceleratorTimeTestCase : public TestCase
{
  public:
    AcceleratorTimeTestCase()
        : TestCase("times of operators")
    {
    }

  private:
    void DoRun() override
    {
        const auto file = CreateTempDirFilename("easy.json");
        auto easy = ReadEasy(file);
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({0, 0, 0}), 0, "no work");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({1e9, 0, 0}), 20000000, "10^9 / (10^14 x 0.5) s");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({999999000, 0, 0}), 39999960, "below the step: x 0.25");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({4e9, 0, 0}), 80000000, "far above it: x 0.5");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({1e9, 0, 0, Precision::FP8}), 10000000, "fp8: twice");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({0, 1e9, 0}), 100000000, "vector: no curve, 100 us");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({0, 0, 1e6}), 1250000, "memory: 10^6 / 0.8 ps");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({0, 0, 999999}), 1999998, "below the step: / 0.5");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({1e9, 1e8, 1e6}), 31250000, "20 + 10 + 1.25 us");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({0, 3, 0}), 0, "0.3 ps rounds to 0");
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({0, 6, 0}), 1, "0.6 ps rounds to 1");
        easy.SetEfficiency(0.5);
        NS_TEST_EXPECT_MSG_EQ(easy.GetTime({1e9, 1e8, 1e6}), 62500000, "twice the time");

        auto text = ReplaceFirst(EASY, "{", R"({"combination": "max", "launchLatency": "3us",)");
        const auto roof = ReadEasy(file, text);
        NS_TEST_EXPECT_MSG_EQ(roof.GetTime({1e9, 1e8, 1e6}), 33000000, "20 + 10, and 3 us");
        NS_TEST_EXPECT_MSG_EQ(roof.GetTime({1e9, 1e8, 1e9}), 1253000000, "1250 and 3 us");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The sets that have names, by times from the peaks of the data sheets.
 */
class AcceleratorSetTestCase : public TestCase
{
  public:
    AcceleratorSetTestCase()
        : TestCase("named accelerators")
    {
    }

  private:
    void DoRun() override
    {
        const auto a100 = Find("a100");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({128e9, 0, 0}), 471976401, "128 G / 271.2 T");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({128e9, 0, 0, Precision::FP16}), 471976401, "fp16");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({16e9 - 1, 0, 0}),
                              93411996,
                              "16 G / (271.2 T x 0.6 / 0.95)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({0, 1e9, 0}), 25641026, "1 G / (78 T x 0.5)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({0, 0, 1e7}), 6539153, "10 M / (2039 G x 0.75)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetParameters().memoryBytes, 85899345920, "80 GiB");
        const auto h800 = Find("h800");
        NS_TEST_EXPECT_MSG_EQ(h800.GetTime({16e9, 0, 0, Precision::FP8}),
                              12041130,
                              "16 G / (1402.6 T x 0.9 / 0.95)");
        NS_TEST_EXPECT_MSG_EQ(Find("h100").GetTime({1e12, 1e12, 1e9}),
                              h800.GetTime({1e12, 1e12, 1e9}),
                              "an H800 computes as an H100");
        NS_TEST_EXPECT_MSG_EQ(Find("b200").GetTime({0, 0, 1e8}), 13888889, "100 M / (8 T x 0.9)");
        for (const auto& set : GetAcceleratorSets())
        {
            const auto& p = set.parameters;
            NS_TEST_EXPECT_MSG_EQ(p.serverShare, 0.15, p.name << ": share over NVLink");
            NS_TEST_EXPECT_MSG_EQ(p.networkShare, 0.02, p.name << ": share over the network");
        }

        const auto file = CreateTempDirFilename("based.json");
        const auto based = ReadEasy(file,
                                    R"({"accelerator": "a100", "name": "half",
 "matrixFlops": {"bf16": 135.6e12}, "communicationShare": {"server": 0}})");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().name, "half", "its name");
        NS_TEST_EXPECT_MSG_EQ(based.GetTime({128e9, 0, 0}), 943952802, "half the peak");
        NS_TEST_EXPECT_MSG_EQ(based.GetTime({0, 1e9, 0}), 25641026, "the rest as in a100");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().serverShare, 0, "given");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().networkShare, 0.02, "as in a100");
        const auto most = ReadEasy(
            file,
            ReplaceFirst(EASY, "{", R"({"communicationShare": {"network": 0.999999999},)"));
        NS_TEST_EXPECT_MSG_EQ(most.GetParameters().networkShare, 0.999999999, "the largest");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { FindPrecision(based, "fp16"); }),
                              "--precision: error: expected bf16, in which half can compute, "
                              "found 'fp16'",
                              "formats are those that are given");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Accelerators that are not there, and files with faults.
 */
class AcceleratorErrorTestCase : public TestCase
{
  public:
    AcceleratorErrorTestCase()
        : TestCase("wrong accelerators")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([] { Find("h10"); }),
                              "--accelerator: error: expected a100, h100, h800, b200, or a file "
                              "that ends in .json, found 'h10'; did you mean h100?",
                              "no such set");
        const auto a100 = Find("a100");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { FindPrecision(a100, "fp8"); }),
                              "--precision: error: expected bf16, fp16, in which a100 can "
                              "compute, found 'fp8'",
                              "a format that it does not have");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { FindPrecision(a100, "bf61"); }),
                              "--precision: error: expected bf16, fp16, fp8, found 'bf61'; did "
                              "you mean bf16?",
                              "no such format");
        NS_TEST_EXPECT_MSG_EQ((FindPrecision(a100, "fp16") == Precision::FP16), true, "it has it");
        CheckFault(R"("memory": "64GiB")",
                   R"("memroy": "64GiB")",
                   "/memroy: error: expected one of the keys accelerator, name, matrixFlops, "
                   "vectorFlops, memoryBandwidth, memory, matrixEfficiency, vectorEfficiency, "
                   "memoryEfficiency, combination, communicationShare, launchLatency, found "
                   "'memroy'; did you mean memory?");
        CheckFault(R"("vectorFlops": 1e13,)",
                   "",
                   ": error: expected the key vectorFlops, found none");
        CheckFault("1e13",
                   "0",
                   "/vectorFlops: error: expected floating-point operations per second above 0, "
                   "found '0'");
        CheckFault("1e13",
                   "\"10T\"",
                   "/vectorFlops: error: expected a number, found string '\"10T\"'");
        CheckFault("\"fp8\"",
                   "\"fp4\"",
                   "/matrixFlops/fp4: error: expected one of the keys bf16, fp16, fp8, found "
                   "'fp4'; did you mean fp8?");
        CheckFault(R"({"bf16": 1e14, "fp8": 2e14})",
                   "{}",
                   "/matrixFlops: error: expected at least one of the keys bf16, fp16, fp8, found "
                   "none");
        CheckFault("\"share\": 0.25",
                   "\"share\": 1.25",
                   "/matrixEfficiency/0/share: error: expected a share from 0 to 1, found '1.25'");
        CheckFault("\"share\": 0.25",
                   "\"share\": 0",
                   "/matrixEfficiency/0/share: error: expected a share above 0, found '0'");
        CheckFault("1e9",
                   "0",
                   "/matrixEfficiency/1/atLeast: error: expected a size that no other step has, "
                   "found '0'");
        CheckFault("\"atLeast\": 0, \"share\": 0.25",
                   "\"atLeast\": 1, \"share\": 0.25",
                   "/matrixEfficiency: error: expected a step with \"atLeast\": 0, so that every "
                   "size has a share, found none");
        CheckFault("{",
                   R"({"accelerator": "h1000",)",
                   "/accelerator: error: expected a100, h100, h800, b200, found 'h1000'; did you "
                   "mean h100?");
        CheckFault("{",
                   R"({"combination": "mxa",)",
                   "/combination: error: expected sum or max, found 'mxa'; did you mean max?");
        CheckFault("{",
                   R"({"communicationShare": {"network": 1},)",
                   "/communicationShare/network: error: expected a share below 1, so that "
                   "computation goes on, found '1'");
        CheckFault("{",
                   R"({"launchLatency": "2",)",
                   "/launchLatency: error: expected a duration with its unit (ps, ns, us, ms, s), "
                   "from 0ns to 1000000s, such as 10us, found '2'");
    }

    /**
     * Check what is said of EASY with a fault.
     *
     * @param part a part of EASY
     * @param other what stands in its place
     * @param message what is to be said after the name of the file
     */
    void CheckFault(const std::string& part, const std::string& other, const std::string& message)
    {
        const auto file = CreateTempDirFilename("wrong.json");
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([&] { ReadEasy(file, ReplaceFirst(EASY, part, other)); }),
            file + (message.front() == ':' ? "" : ":") + message,
            other);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Tables of times of operators.
 */
class OperatorTimesTestCase : public TestCase
{
  public:
    OperatorTimesTestCase()
        : TestCase("measured times of operators")
    {
    }

  private:
    void DoRun() override
    {
        const auto file = CreateTempDirFilename("times.tsv");
        const std::string header = "operator\tforward_us\tbackward_weight_us\tbackward_input_us\n";
        WriteWorkloadFile(file, header + "qkv\t12.5\t13\t1e1\n\nattention\t0.0000016\t0\t0.25\n");
        const OperatorTimes times(file);
        NS_TEST_ASSERT_MSG_EQ(times.GetRows().size(), 2, "operators");
        const auto* qkv = times.Find("qkv");
        NS_TEST_ASSERT_MSG_NE(qkv, nullptr, "an operator of the table");
        NS_TEST_EXPECT_MSG_EQ(qkv->forward, 12500000, "us to ps");
        NS_TEST_EXPECT_MSG_EQ(qkv->backwardInput, 10000000, "columns in the order of the header");
        NS_TEST_EXPECT_MSG_EQ(qkv->backwardWeight, 13000000, "the third column");
        NS_TEST_EXPECT_MSG_EQ(times.GetRows()[1].forward, 2, "1.6 ps round to 2");
        NS_TEST_EXPECT_MSG_EQ(times.GetRows()[1].name.where.ToString(), file + ":4:1", "its place");
        NS_TEST_EXPECT_MSG_EQ(times.Find("mlp"), nullptr, "not in the table");

        const std::string columns = "operator, forward_us, backward_input_us, backward_weight_us";
        CheckFault("operator\tforward_ms\n",
                   ":1:10: error: expected the columns " + columns +
                       " with tabs between them, found 'forward_ms'; did you mean forward_us?");
        CheckFault("operator\tforward_us\tbackward_input_us\n",
                   ":1:1: error: expected the columns " + columns +
                       " with tabs between them, found no backward_weight_us");
        CheckFault("operator\toperator\n",
                   ":1:10: error: expected every column once, found 'operator'");
        CheckFault(header + "qkv\t1\t2\n",
                   ":2:1: error: expected 4 fields with tabs between them, found 3");
        CheckFault(header + "\t1\t2\t3\n",
                   ":2:1: error: expected the name of an operator, found an empty field");
        CheckFault(header + "qkv\t1\t2\t3\nqkv\t1\t2\t3\n",
                   ":3:1: error: expected every operator once, found 'qkv'");
        CheckFault(header + "qkv\t1\tx\t3\n",
                   ":2:7: error: expected backward_weight_us as a number of 0 or more, such as "
                   "0.25 or 1e-3, found 'x'");
        CheckFault(header + "qkv\t1\t2\t2e12\n",
                   ":2:9: error: expected backward_input_us of at most 1e12, found '2e12'");
    }

    /**
     * @param content a table
     * @param message what is to be said of it after the name of the file
     */
    void CheckFault(const std::string& content, const std::string& message)
    {
        const auto file = CreateTempDirFilename("wrong.tsv");
        WriteWorkloadFile(file, content);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { const OperatorTimes times(file); }),
                              file + message,
                              content);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Accelerators and times of operators.
 */
class WorkloadReplayAcceleratorTestSuite : public TestSuite
{
  public:
    WorkloadReplayAcceleratorTestSuite()
        : TestSuite("workload-replay-accelerator", TestSuite::Type::UNIT)
    {
        AddTestCase(new AcceleratorTimeTestCase);
        AddTestCase(new AcceleratorSetTestCase);
        AddTestCase(new AcceleratorErrorTestCase);
        AddTestCase(new OperatorTimesTestCase);
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayAcceleratorTestSuite g_workloadReplayAcceleratorTestSuite;
