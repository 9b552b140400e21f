/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "accelerator-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/operator-times.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Curves whose times are easily worked out, of an accelerator of 100 TFLOP/s and 1 TB/s.
const std::string CURVES = R"({"matrixFlops": {"bf16": 1e14, "fp8": 2e14}, "vectorFlops": 1e13,
 "memoryBandwidth": "1000GB/s", "operators": {
 "products": {"bf16": {"launch": "2us", "share": 0.5, "memory": 0.8, "source": "nowhere"},
  "fp8": {"launch": "4us", "share": 0.25, "memory": 0.8}},
 "casts": {"memory": 0.6},
 "experts": {"bf16": {"share": 0.5, "memory": 0.8, "tileRows": 128}},
 "attention": [{"kernel": "fa2", "headSize": 64, "forward": {"flops": 1e13, "halfLength": 1000},
   "backward": {"flops": 5e12, "halfLength": 0}},
  {"kernel": "fa2", "headSize": 128, "forward": {"flops": 2e13, "halfLength": 1000},
   "backward": {"flops": 1e13, "halfLength": 0}}],
 "memoryBound": {"norm": 0.5}, "launch": {"device": "1us", "host": "10us"},
 "routing": {"token": "2ns"}}})";

/**
 * @ingroup workload-replay-tests
 * @brief Times of operators that have curves, worked out by hand.
 */
class OperatorCurveTestCase : public AcceleratorTestCase
{
  public:
    OperatorCurveTestCase()
        : AcceleratorTestCase("times of operators that are measured")
    {
    }

  private:
    void DoRun() override
    {
        auto accelerator = Read(CURVES);
        const auto check = [&](const OperatorCost& cost, uint64_t time, const std::string& what) {
            NS_TEST_EXPECT_MSG_EQ(accelerator.GetTime(cost), time, what);
        };
        OperatorCost product{1e9, 0, 1e6, Precision::BF16, OperatorKind::PRODUCT};
        check(product, 22000000, "2 us and 10^9 / (10^14 x 0.5) s");
        product.memoryBytes = 8e7;
        check(product, 102000000, "2 us and 8 10^7 / (10^12 x 0.8) s");
        product.launches = 4;
        check(product, 105000000, "three more kernels, 1 us each");
        NS_TEST_EXPECT_MSG_EQ(accelerator.GetLaunchTime(product), 40000000, "four at 10 us");
        OperatorCost narrow{1e9, 0, 0, Precision::FP8, OperatorKind::PRODUCT};
        narrow.castElements = 1e6;
        check(narrow, 32333333, "4 us, 20 us, and 5 MB at 0.6 TB/s");
        narrow.transposedBytes = 1e6;
        check(narrow, 34000000, "and 1 MB more");
        product.depth = 1;
        check(product, 105000000, "no depth makes a difference");
        OperatorCost experts{1e9, 0, 0, Precision::BF16, OperatorKind::EXPERTS};
        experts.tokens = 100;
        check(experts, 25600000, "128 rows for 100: 20 us x 1.28");
        experts.addedBytes = 8e6;
        check(experts, 33600000, "and 8 MB of sums at 1 TB/s");
        OperatorCost attention{1e9, 0, 0, Precision::BF16, OperatorKind::ATTENTION};
        attention.headSize = 96;
        attention.length = 500;
        check(attention, 151000000, "1 us, and 10^9 / (2 10^13 / 3) s: 128 is nearer to 96");
        attention.isBackward = true;
        check(attention, 101000000, "1 us, and 10^9 / 10^13 s");
        attention.headSize = 64;
        check(attention, 201000000, "of half the size half as fast");
        check({0, 1e9, 5e6, Precision::BF16, OperatorKind::NORM}, 11000000, "5 MB at 0.5 TB/s");
        OperatorCost routing{1e9, 0, 0, Precision::BF16, OperatorKind::ROUTING};
        routing.tokens = 1000;
        check(routing, 2000000, "1000 tokens");
        check({0, 1e8, 1e6, Precision::BF16, OperatorKind::LOSS}, 11000000, "no curve: 10 + 1 us");
        accelerator.SetEfficiency(0.5);
        check(product, 210000000, "twice the time");

        const auto power =
            ReplaceFirst(CURVES,
                         R"("casts")",
                         R"("power": {"products": 0.5, "attention": 0.25}, "casts")");
        accelerator = Read(power);
        product.memoryBytes = 0;
        product.launches = 1;
        check(product, 42000000, "half the speed");
        check(attention, 801000000, "a quarter of it");

        const auto deep =
            ReplaceFirst(CURVES, R"("share": 0.5,)", R"("share": 0.5, "halfDepth": 100,)");
        accelerator =
            Read(ReplaceFirst(deep, R"("memory": 0.6)", R"("memory": 0.6, "transposed": 0)"));
        product.depth = 400;
        check(product, 27000000, "2 us, and 5 / 4 of 20 us");
        product.depth = 100;
        check(product, 42000000, "half the speed at the depth that has this name");
        product.depth = 0;
        check(product, 22000000, "a depth that is not known is great");
        check(narrow, 32333333, "nothing is transposed");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Measured kernels that were not used to fit curves (ai-dynamo/aiconfigurator 095f58a5,
 *        TensorRT-LLM, random data; microsoft/vidur 7d475133).
 */
class OperatorRowTestCase : public AcceleratorTestCase
{
  public:
    OperatorRowTestCase()
        : AcceleratorTestCase("times of measured kernels")
    {
    }

  private:
    /// A multiplication of m x k and k x n matrices that somebody measured.
    struct Row
    {
        double m;                //!< rows of what comes in
        double n;                //!< columns of the weights
        double k;                //!< rows of the weights
        double us;               //!< how long it took, us
        Precision precision;     //!< number format
        std::string accelerator; //!< accelerator
    };

    void DoRun() override
    {
        const std::vector<Row> rows{{8192, 12288, 65536, 17930, Precision::BF16, "h100"},
                                    {32768, 8192, 4096, 2843, Precision::BF16, "h100"},
                                    {1024, 51200, 51200, 7528, Precision::BF16, "h100"},
                                    {512, 4096, 1536, 11.36, Precision::BF16, "h100"},
                                    {3329, 2048, 65536, 1120, Precision::BF16, "h100"},
                                    {2561, 16384, 16384, 1086, Precision::FP8, "h100"},
                                    {4096, 51200, 16384, 5093, Precision::FP8, "h100"},
                                    {16384, 65536, 12288, 19330, Precision::FP8, "h100"},
                                    {3584, 3072, 1536, 57.34, Precision::FP8, "h100"},
                                    {64, 16384, 65536, 1496, Precision::BF16, "a100"},
                                    {4096, 8192, 12288, 3178, Precision::BF16, "a100"},
                                    {1024, 12288, 16384, 1596, Precision::BF16, "a100"},
                                    {256, 22016, 4096, 229, Precision::FP16, "a100"},
                                    {1536, 8192, 28672, 3075, Precision::FP16, "a100"},
                                    {256, 5120, 8192, 116, Precision::FP16, "a100"}};
        for (const auto& row : rows)
        {
            const double element = row.precision == Precision::FP8 ? 1 : 2;
            OperatorCost cost{2 * row.m * row.n * row.k,
                              0,
                              element * (row.m * row.k + row.k * row.n) + 2 * row.m * row.n,
                              row.precision,
                              OperatorKind::PRODUCT};
            cost.castElements = row.precision == Precision::FP8 ? row.m * row.k : 0;
            cost.depth = row.k;
            const auto time = static_cast<double>(Find(row.accelerator).GetTime(cost)) / 1e6;
            NS_TEST_EXPECT_MSG_EQ_TOL(time / row.us,
                                      1,
                                      0.2,
                                      row.accelerator << ": " << row.m << " x " << row.n << " x "
                                                      << row.k);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Files whose curves have faults.
 */
class OperatorCurveErrorTestCase : public AcceleratorTestCase
{
  public:
    OperatorCurveErrorTestCase()
        : AcceleratorTestCase("wrong curves of operators")
    {
    }

  private:
    void DoRun() override
    {
        CheckFault(
            "\"casts\"",
            "\"cast\"",
            "cast: error: expected one of the keys products, experts, casts, attention, "
            "memoryBound, launch, routing, power, source, found 'cast'; did you mean casts?");
        CheckFault("\"memory\": 0.6",
                   "\"memory\": 0",
                   "casts/memory: error: expected a share above 0, found '0'");
        CheckFault("\"memory\": 0.6",
                   "\"memory\": 0.6, \"transposed\": 2",
                   "casts/transposed: error: expected a whole number from 0 to 1, found 2");
        CheckFault("\"share\": 0.5",
                   "\"share\": 0.5, \"halfDepth\": -1",
                   "products/bf16/halfDepth: error: expected a depth as a number of 0 or more, "
                   "such as 0.25 "
                   "or 1e-3, found '-1'");
        CheckFault("\"share\": 0.5",
                   "\"share\": 1.5",
                   "products/bf16/share: error: expected a share from 0 to 1, found '1.5'");
        CheckFault("\"kernel\": \"fa2\"",
                   "\"kernel\": \"fa1\"",
                   "attention/0/kernel: error: expected fa2, fa3, cudnn, triton, found 'fa1'; did "
                   "you mean fa2?");
        CheckFault("\"flops\": 1e13",
                   "\"flops\": 0",
                   "attention/0/forward/flops: error: expected floating-point operations per "
                   "second above 0, found '0'");
        CheckFault("\"norm\"",
                   "\"norms\"",
                   "memoryBound/norms: error: expected one of the keys norm, activation, rotary, "
                   "elementwise, permutation, loss, optimizer, linearAttention, source, found "
                   "'norms'; did you mean norm?");
    }

    /**
     * Check what is said of CURVES with a fault.
     *
     * @param part a part of CURVES
     * @param other what stands in its place
     * @param message what is to be said after the name of the file and /operators/
     */
    void CheckFault(const std::string& part, const std::string& other, const std::string& message)
    {
        ExpectFault(ReplaceFirst(CURVES, part, other), ":/operators/" + message, other);
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
                   ":1:10: error: expected a column of a table of operator times (" + columns +
                       "), found 'forward_ms'; did you mean forward_us?");
        CheckFault("operator\tforward_us\tbackward_input_us\n",
                   ":1: error: expected a column 'backward_weight_us', found a header line without "
                   "it");
        CheckFault("operator\toperator\n",
                   ":1:10: error: expected each column once, found 'operator' again");
        CheckFault(header + "qkv\t1\t2\n",
                   ":2: error: expected 4 fields separated by tabs, found 3");
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

} // namespace

std::vector<TestCase*>
MakeOperatorTimeTestCases()
{
    return {new OperatorCurveTestCase,
            new OperatorRowTestCase,
            new OperatorCurveErrorTestCase,
            new OperatorTimesTestCase};
}

} // namespace ns3
