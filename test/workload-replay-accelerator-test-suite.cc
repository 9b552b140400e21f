/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "accelerator-test-cases.h"
#include "workload-test-tools.h"

#include <map>
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
class AcceleratorTimeTestCase : public AcceleratorTestCase
{
  public:
    AcceleratorTimeTestCase()
        : AcceleratorTestCase("times of operators")
    {
    }

  private:
    void DoRun() override
    {
        auto easy = Read(EASY);
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
        const auto roof = Read(text);
        NS_TEST_EXPECT_MSG_EQ(roof.GetTime({1e9, 1e8, 1e6}), 33000000, "20 + 10, and 3 us");
        NS_TEST_EXPECT_MSG_EQ(roof.GetTime({1e9, 1e8, 1e9}), 1253000000, "1250 and 3 us");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The sets that have names, by times from the peaks of the data sheets.
 */
class AcceleratorSetTestCase : public AcceleratorTestCase
{
  public:
    AcceleratorSetTestCase()
        : AcceleratorTestCase("named accelerators")
    {
    }

  private:
    void DoRun() override
    {
        // What has no curve follows Calculon's shares.
        const auto a100 = Find("a100");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({128e9, 0, 0}), 431848853, "128 G / (312 T x 0.95)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({16e9 - 1, 0, 0}), 85470085, "16 G / (312 T x 0.6)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({0, 1e9, 0}), 25641026, "1 G / (78 T x 0.5)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetTime({0, 0, 1e7}), 6539153, "10 M / (2039 G x 0.75)");
        NS_TEST_EXPECT_MSG_EQ(a100.GetParameters().memoryBytes, 85899345920, "80 GiB");
        const auto h800 = Find("h800");
        NS_TEST_EXPECT_MSG_EQ(h800.GetTime({16e9, 0, 0, Precision::FP8}),
                              8983667,
                              "16 G / (1978.9 T x 0.9)");
        NS_TEST_EXPECT_MSG_EQ(Find("h100").GetTime({1e12, 1e12, 1e9}),
                              h800.GetTime({1e12, 1e12, 1e9}),
                              "an H800 computes as an H100");
        NS_TEST_EXPECT_MSG_EQ(Find("b200").GetTime({0, 0, 1e8}), 13888889, "100 M / (8 T x 0.9)");
        // Full GPUs of the white papers have more: these are those of the SXM modules.
        const std::map<std::string, uint32_t> multiprocessors{{"a100", 108},
                                                              {"b200", 148},
                                                              {"gb200", 152},
                                                              {"h100", 132},
                                                              {"h100-500w", 132},
                                                              {"h200", 132},
                                                              {"h800", 132}};
        for (const auto& name : GetAcceleratorNames())
        {
            const auto accelerator = Find(name);
            const auto& p = accelerator.GetParameters();
            NS_TEST_EXPECT_MSG_EQ(p.name, name, "the name of its file");
            NS_TEST_EXPECT_MSG_EQ(p.operators.has_value(), true, name << ": curves");
            NS_TEST_EXPECT_MSG_EQ(p.multiprocessors, multiprocessors.at(name), name);
            NS_TEST_EXPECT_MSG_EQ(p.serverShare, 0.15, name << ": share over NVLink");
            NS_TEST_EXPECT_MSG_EQ(p.networkShare, 0.02, name << ": share over the network");
        }

        const auto based = Read(R"({"accelerator": "a100", "name": "half",
 "matrixFlops": {"bf16": 156e12}, "communicationShare": {"server": 0}})");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().name, "half", "its name");
        NS_TEST_EXPECT_MSG_EQ(based.GetTime({128e9, 0, 0}), 863697706, "half the peak");
        NS_TEST_EXPECT_MSG_EQ(based.GetTime({0, 1e9, 0}), 25641026, "the rest as in a100");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().serverShare, 0, "given");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().networkShare, 0.02, "as in a100");
        NS_TEST_EXPECT_MSG_EQ(based.GetParameters().multiprocessors, 0, "shares alone");
        const auto counted =
            Read(ReplaceFirst(EASY, "{", R"({"multiprocessors": 7, "communicationShare": {},)"));
        NS_TEST_EXPECT_MSG_EQ(counted.GetParameters().multiprocessors, 7, "both");
        const auto most =
            Read(ReplaceFirst(EASY, "{", R"({"communicationShare": {"network": 0.999999999},)"));
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
class AcceleratorErrorTestCase : public AcceleratorTestCase
{
  public:
    AcceleratorErrorTestCase()
        : AcceleratorTestCase("wrong accelerators")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([] { Find("h10"); }),
            "--accelerator: error: expected a100, b200, gb200, h100, h100-500w, "
            "h200, h800, or a file that ends in .json, found 'h10'; did you mean h100?",
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
                   "/memroy: error: expected one of the keys accelerator, name, source, "
                   "matrixFlops, vectorFlops, memoryBandwidth, memory, multiprocessors, "
                   "matrixEfficiency, vectorEfficiency, memoryEfficiency, combination, "
                   "communicationShare, "
                   "launchLatency, operators, found 'memroy'; did you mean memory?");
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
                   "/accelerator: error: expected a100, b200, gb200, h100, h100-500w, h200, h800, "
                   "found 'h1000'; did you mean h100?");
        CheckFault("{",
                   R"({"combination": "mxa",)",
                   "/combination: error: expected sum or max, found 'mxa'; did you mean max?");
        CheckFault("{",
                   R"({"communicationShare": {"network": 1},)",
                   "/communicationShare/network: error: expected a share below 1, so that "
                   "computation goes on, found '1'");
        CheckFault("{",
                   R"({"multiprocessors": 0,)",
                   "/multiprocessors: error: expected a whole number from 1 to 65535, found 0");
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
        ExpectFault(ReplaceFirst(EASY, part, other),
                    (message.front() == ':' ? "" : ":") + message,
                    other);
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
        for (auto* testCase : MakeOperatorTimeTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayAcceleratorTestSuite g_workloadReplayAcceleratorTestSuite;
