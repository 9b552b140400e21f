/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "model-test-job.h"
#include "workload-test-tools.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

// A model of one layer.
constexpr double H = 64;    //!< hidden
constexpr double Q = 96;    //!< queries
constexpr double K = 48;    //!< keys, and values
constexpr double F = 160;   //!< ffn
constexpr double V = 1024;  //!< vocabulary
constexpr double S = 128;   //!< tokens of a sequence
constexpr double T = 3 * S; //!< tokens of a microbatch
constexpr double E = T * H; //!< elements of an activation

/// A model with these numbers.
const std::string MODEL = R"({"layers": 1, "hidden": 64, "heads": 8, "kvHeads": 4, "headSize": 12,
 "ffn": 160, "vocabulary": 1024, "sequence": 128})";

/**
 * @ingroup workload-replay-tests
 * @brief How long one rank takes by itself.
 */
class ModelTimeTestCase : public TestCase
{
  public:
    ModelTimeTestCase()
        : TestCase("time of a layer without parallelism")
    {
    }

  private:
    void DoRun() override;

    /**
     * Check the time where memory is what limits it.
     *
     * @param isNarrow whether linear layers are computed in fp8, not in 2 bytes
     */
    void CheckMemory(bool isNarrow);

    /// Check what full recomputation leaves out where replicas share out parameters.
    void CheckEarlyStop();

    /**
     * @param accelerator keys of an accelerator that is fast but for these
     * @param change changes the options
     * @return time of an iteration
     */
    Time Run(const std::string& accelerator, const ModelTestJob::Change& change = {});
};

Time
ModelTimeTestCase::Run(const std::string& accelerator, const ModelTestJob::Change& change)
{
    ModelTestJob job(MODEL, {1, 1, 1, 1, 1}, [this](const std::string& name) {
        return CreateTempDirFilename(name);
    });
    job.SetAccelerator(accelerator);
    job.Run(DataRate("8Gbps"), [&change](ModelOptions& options) {
        options.training.microbatchSize = 3;
        if (change)
        {
            change(options);
        }
    });
    return job.GetIterationTime();
}

void
ModelTimeTestCase::DoRun()
{
    // Matrix products at 10^9 FLOP/s: forward, and twice as much backward; attention, of which half
    // the square counts, two and a half times (FlashAttention-2).
    const double linear = 2 * T * (H * (Q + 2 * K) + Q * H + 3 * H * F + H * V);
    const double core = 2 * 2 * T * (S / 2) * Q;
    const std::string matrix = R"("matrixFlops": {"bf16": 1e9})";
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(matrix).GetSeconds() * 1e9,
                              3 * linear + 3.5 * core,
                              1e-5 * linear,
                              "products");
    const auto selective = [](ModelOptions& options) { options.recompute = "selective"; };
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(matrix, selective).GetSeconds() * 1e9,
                              3 * linear + 4.5 * core,
                              1e-5 * linear,
                              "attention again");
    const auto full = [](ModelOptions& options) { options.recompute = "full"; };
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(matrix, full).GetSeconds() * 1e9,
                              4 * linear - 2 * T * H * V + 4.5 * core,
                              1e-5 * linear,
                              "layer again, but not the output layer");
    const auto modules = [](const std::string& names) {
        return [names](ModelOptions& options) {
            options.recompute = "selective";
            options.recomputeModules = names;
        };
    };
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(matrix, modules("mlp,core_attn")).GetSeconds() * 1e9,
                              3 * linear + 2 * T * 3 * H * F + 4.5 * core,
                              1e-5 * linear,
                              "attention and the feed-forward network again");
    const std::string memory = R"("memoryBandwidth": "1GB/s")";
    NS_TEST_EXPECT_MSG_EQ_TOL((Run(memory, modules("layernorm")) - Run(memory)).GetSeconds() * 1e9,
                              2 * 4 * E,
                              1,
                              "two norms read and write once more");
    const auto whole = [](ModelOptions& options) { options.training.fusedAttention = false; };
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(matrix, whole).GetSeconds() * 1e9,
                              3 * linear + 3 * 2 * core,
                              1e-5 * linear,
                              "the whole square, nothing of it again");
    const auto fp8 = [](ModelOptions& options) { options.precision = "fp8"; };
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(R"("matrixFlops": {"bf16": 1e9, "fp8": 2e9})", fp8).GetSeconds() *
                                  1e9,
                              1.5 * (linear + 2 * T * H * V) + 3.5 * core,
                              1e-5 * linear,
                              "attention and the output layer stay in 2 bytes");

    CheckMemory(false);
    CheckMemory(true);
    CheckEarlyStop();
}

void
ModelTimeTestCase::CheckEarlyStop()
{
    // Two replicas that share out parameters, whose messages take hardly any time beside 0.3 s.
    ModelTestJob job(MODEL, {1, 1, 2, 1, 1}, [this](const std::string& name) {
        return CreateTempDirFilename(name);
    });
    job.SetAccelerator(R"("matrixFlops": {"bf16": 1e9})");
    const auto run = [&job](const std::string& recompute) {
        job.Run(DataRate("20000Gbps"), [&recompute](ModelOptions& options) {
            options.training.microbatchSize = 3;
            options.training.zero = 3;
            options.recompute = recompute;
        });
        return job.GetIterationTime().GetSeconds() * 1e9;
    };
    const double again = 2 * T * (H * (Q + 2 * K) + Q * H + 2 * H * F) + 2 * 2 * T * (S / 2) * Q;
    NS_TEST_EXPECT_MSG_EQ_TOL(run("full") - run("none"),
                              again,
                              1e-3 * again,
                              "PyTorch's checkpoints stop before the last product of a layer");
}

void
ModelTimeTestCase::CheckMemory(bool isNarrow)
{
    // Bytes at 10^9 a second, 2 for an element, 4 for a gradient, which is read and written. Linear
    // layers: inputs and outputs, each three times; weights twice, and their gradients. In fp8
    // products read a byte for an element and write two, but each input of the forward product and
    // each gradient of an output is first read in 2 bytes and written in one; not those of the
    // output layer.
    const auto productBytes = [](bool narrow, double in, double out) {
        const double element = narrow ? 1 : 2;
        const double elements = (2 * element + 2) * T * (in + out);
        const double cast = narrow ? (2 + 1) * T * (in + out) : 0;
        return elements + cast + (2 * element + 8) * in * out;
    };
    const auto linearBytes = [&](double in, double out) { return productBytes(isNarrow, in, out); };
    const double parameters = H * (Q + 2 * K) + Q * H + 3 * H * F + 2 * H + 2 * H * V + H;
    const double bytes =
        linearBytes(H, Q + 2 * K) + linearBytes(Q, H) + linearBytes(H, 2 * F) + linearBytes(F, H) +
        productBytes(false, H, V) +
        // Embedding: a row read and written; a gradient read, and two of 4 bytes.
        (4 + 2 + 8) * E +
        // Norms: in and out; both and a gradient; in and the gradient.
        3 * (4 + 6 + 4) * E +
        // Sums: two and one; two gradients and their sum.
        2 * (6 + 6) * E +
        // Rotation of queries and keys; attention: queries, keys, values, outputs.
        2 * 4 * T * (Q + K) + 3 * 2 * T * (2 * Q + 2 * K) +
        // Gate, value and product; these, the gradient, and two gradients out of it, less what
        // need not be read again.
        (6 + 10) * T * F +
        // Logits: in 2 bytes and in 4; largest, difference, exponential, sum, quotient in 4; a
        // copy, a product, and back to 2 bytes.
        (6 + 4 + 8 + 8 + 4 + 8 + 8 + 8 + 6) * T * V +
        // Megatron's gradients five times; 4 for both moments and the weight, twice, and the two.
        (5 * 4 + 30) * parameters;
    const auto change = [isNarrow](ModelOptions& options) {
        options.precision = isNarrow ? "fp8" : "bf16";
    };
    NS_TEST_EXPECT_MSG_EQ_TOL(Run(R"("memoryBandwidth": "1GB/s")", change).GetSeconds() * 1e9,
                              bytes,
                              bytes * 1e-6,
                              (isNarrow ? "memory, fp8" : "memory"));
}

/**
 * @ingroup workload-replay-tests
 * @brief Times that somebody measured, and the search for an efficiency.
 */
class ModelMeasuredTestCase : public TestCase
{
  public:
    ModelMeasuredTestCase()
        : TestCase("measured operators")
    {
    }

  private:
    void DoRun() override
    {
        ModelTestJob job(MODEL, {1, 1, 1, 1, 3}, [this](const std::string& name) {
            return CreateTempDirFilename(name);
        });
        job.SetAccelerator("");
        job.SetTimes("attention.qkv\t10\t20\t30\nloss\t1\t2\t0\noptimizer\t500\t0\t0\n");
        job.Run(DataRate("8Gbps"));
        NS_TEST_EXPECT_MSG_EQ_TOL(job.GetIterationTime(),
                                  MicroSeconds(3 * (60 + 3) + 500),
                                  NanoSeconds(1),
                                  "each microbatch; the optimizer once");
        const auto efficiency = [](ModelOptions& options) { options.efficiency = 0.25; };
        job.Run(DataRate("8Gbps"), efficiency);
        NS_TEST_EXPECT_MSG_EQ_TOL(job.GetIterationTime(),
                                  MicroSeconds(3 * (60 + 3) + 500),
                                  NanoSeconds(1),
                                  "what is measured has no other efficiency");
    }
};

} // namespace

std::vector<TestCase*>
MakeModelTimeTestCases()
{
    return {new ModelTimeTestCase, new ModelMeasuredTestCase};
}

} // namespace ns3
