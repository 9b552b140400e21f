/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/input-values.h"
#include "ns3/model-job.h"
#include "ns3/model-size.h"
#include "ns3/model-steps.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

constexpr double H = 2048; //!< hidden size of Qwen3-Next
constexpr double K = 2048; //!< its keys in linear attention, 16 heads of 128
constexpr double V = 4096; //!< its values, 32 heads of 128
constexpr double T = 4096; //!< tokens of its sequence

/// Keys of a model beside those of its attention.
const std::string MODEL = R"({"layers": 4, "hidden": 256, "heads": 4, "ffn": 512,
    "vocabulary": 1000, "sequence": 1024, "attention": {"kind": "linear", )";

/**
 * @ingroup workload-replay-tests
 * @brief Linear attention: its steps, what they move and what ranks exchange, counted by hand.
 */
class ModelLinearTestCase : public TestCase
{
  public:
    ModelLinearTestCase()
        : TestCase("linear attention of a model")
    {
    }

  private:
    void DoRun() override
    {
        CheckQwen();
        CheckRanks();
        CheckRules();
        CheckFirstMamba();
        CheckFlops();
        CheckMemory();
        CheckErrors();
    }

    /**
     * @param options a job of a model
     * @param layer a layer
     * @param name name of one of its steps
     * @return the step; without a name if there is none
     */
    static ModelStep FindStep(const ModelOptions& options, uint32_t layer, const std::string& name)
    {
        const auto job = CompleteModelJob(options);
        const auto steps = ModelStepMaker(job, 0).MakeLayer(layer);
        const auto found = std::find_if(steps.begin(), steps.end(), [&name](const auto& step) {
            return step.name == name;
        });
        return found == steps.end() ? ModelStep{} : *found;
    }

    /**
     * @param attention keys of its attention
     * @return a model's file, with linear attention in all layers
     */
    std::string WriteModel(const std::string& attention)
    {
        const auto file = CreateTempDirFilename("linear.json");
        WriteWorkloadFile(file, MODEL + attention + "}}");
        return file;
    }

    /// Three of four layers of Qwen3-Next: Gated DeltaNet.
    void CheckQwen()
    {
        const auto options = MakeModelOptions("qwen3-next-80b", 1, 1, 8);
        const auto find = [&options](const std::string& name) {
            return FindStep(options, 0, name);
        };
        // Queries and keys, values and the output's gate, two gates of each of 32 heads.
        NS_TEST_EXPECT_MSG_EQ(find("attention.linear-in").forward.matrixFlops,
                              2 * T * H * (2 * K + 2 * V + 64),
                              "before");
        NS_TEST_EXPECT_MSG_EQ(find("attention.projection").forward.matrixFlops,
                              2 * T * V * H,
                              "after");
        NS_TEST_EXPECT_MSG_EQ(find("attention.convolution").forward.memoryBytes,
                              4 * T * (2 * K + V),
                              "each channel is read and written");
        // 16 heads of queries and keys are read, 32 written.
        NS_TEST_EXPECT_MSG_EQ(find("attention.repeat").forward.memoryBytes,
                              2 * T * (2 * K + 2 * V),
                              "queries and keys for each head of values");
        // A token's head has 1 / 64 of a state of 128 x 128: 256 elements, and 64 entries of a
        // square. Queries and keys of 16 heads have norms.
        const auto states = find("attention.states");
        NS_TEST_EXPECT_MSG_EQ(states.forward.memoryBytes,
                              T * (32 * (2 * (7 * 128 + 6 * 128 + 2 * 256) + 12 * 64) + 2 * 4 * K),
                              "forward");
        NS_TEST_EXPECT_MSG_EQ(states.inputGradient.memoryBytes,
                              T * (32 * (2 * (21 * 128 + 15 * 128 + 4 * 256) + 4 * 64) + 2 * 6 * K),
                              "backward");
        NS_TEST_EXPECT_MSG_EQ(states.forward.launches, 8, "kernels");
        NS_TEST_EXPECT_MSG_EQ((states.forward.kind == OperatorKind::LINEAR_STATE), true, "curve");
        NS_TEST_EXPECT_MSG_EQ(find("attention.gated-norm").forward.memoryBytes,
                              6 * T * V,
                              "output and gate read, result written");
        NS_TEST_EXPECT_MSG_EQ(find("attention.core").name, "", "nothing attends to tokens");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 3, "attention.core").name,
                              "attention.core",
                              "the fourth layer does");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 3, "attention.states").name, "", "and has none");
    }

    /// Tensor parallel ranks have heads; context parallel ranks exchange tokens for heads.
    void CheckRanks()
    {
        const auto options = MakeModelOptions("qwen3-next-80b", 2, 4, 8);
        const double tokens = T / 4;
        const auto states = FindStep(options, 0, "attention.states");
        NS_TEST_EXPECT_MSG_EQ(states.forward.memoryBytes,
                              tokens / 2 *
                                  (32 * (2 * (7 * 128 + 6 * 128 + 2 * 256) + 12 * 64) + 2 * 4 * K),
                              "half of the heads, a quarter of the tokens");
        const auto first = FindStep(options, 0, "attention.convolution");
        NS_TEST_ASSERT_MSG_EQ(first.before.size(), 1, "one exchange before");
        NS_TEST_EXPECT_MSG_EQ(ToString(first.before[0].forward), "all-to-all", "before");
        NS_TEST_EXPECT_MSG_EQ(first.before[0].forwardBytes,
                              2 * tokens * (2 * K + 2 * V + 64) / 2,
                              "all that the linear layer has put out");
        NS_TEST_ASSERT_MSG_EQ(states.after.size(), 1, "one exchange after");
        NS_TEST_EXPECT_MSG_EQ(states.after[0].backwardBytes, 2 * tokens * V / 2, "output");
    }

    /// The other rules: what channels forget, and a sum without norms, convolution and squares.
    void CheckRules()
    {
        auto options = MakeModelOptions(
            WriteModel(R"("rule": "kimi-delta", "keyHeads": 4, "keySize": 64, "convolution": 4)"),
            1,
            1,
            1);
        // A state of 64 x 64: 64 elements of a token. Six times four bytes for each channel.
        NS_TEST_EXPECT_MSG_EQ(
            FindStep(options, 0, "attention.states").forward.memoryBytes,
            1024 * 4. * (2 * (7 * 64 + 6 * 64 + 2 * 64) + 12 * 64 + 4 * 6 * 64 + 2 * 4 * 64),
            "Kimi Delta Attention");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.gates-down").forward.matrixFlops,
                              2. * 1024 * 256 * 2 * 64,
                              "two gates of rank 64");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.gates-up").forward.matrixFlops,
                              2. * 1024 * 64 * 2 * 256,
                              "for each channel");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.repeat").name, "", "as many heads");
        options.model.text = WriteModel(R"("rule": "sum", "keyHeads": 4, "keySize": 64)");
        const auto sum = FindStep(options, 0, "attention.states");
        NS_TEST_EXPECT_MSG_EQ(sum.forward.memoryBytes,
                              1024 * 4. * 2 * (3 * 64 + 3 * 64 + 2 * 64),
                              "a sum");
        NS_TEST_EXPECT_MSG_EQ(sum.inputGradient.memoryBytes,
                              1024 * 4. * 2 * (6 * 64 + 5 * 64 + 4 * 64),
                              "a sum, backward");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.convolution").name, "", "none");
        options.model.text = WriteModel(R"("rule": "mamba-2", "keyHeads": 2, "valueHeads": 8,
            "keySize": 128, "valueSize": 32, "convolution": 4)");
        // Values of 32; a state of 128 x 32 for 128 tokens; keys of 128 for each of two groups.
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.states").forward.memoryBytes,
                              1024. * (8 * 2 * (3 * 32 + 8 * 32) + 2 * 2 * 8 * 128),
                              "Mamba-2");
        // Gate, values, keys, queries, and a step for each head.
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.linear-in").forward.matrixFlops,
                              2. * 1024 * 256 * (2 * 256 + 2 * 256 + 8),
                              "before");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, 0, "attention.repeat").name, "", "no copies");
    }

    /// Mamba-1: keys, queries and steps come of all channels; exponentials bound its kernel.
    void CheckFirstMamba()
    {
        auto options = MakeModelOptions(WriteModel(R"("rule": "mamba-1", "keyHeads": 1,
            "keySize": 16, "valueHeads": 512, "valueSize": 1, "stepRank": 8, "convolution": 4)"),
                                        1,
                                        1,
                                        1);
        const auto find = [&options](const std::string& name) {
            return FindStep(options, 0, name);
        };
        NS_TEST_EXPECT_MSG_EQ(find("attention.linear-in").forward.matrixFlops,
                              2. * 1024 * 256 * 2 * 512,
                              "values and gates");
        NS_TEST_EXPECT_MSG_EQ(find("attention.convolution").forward.memoryBytes,
                              4. * 1024 * 512,
                              "values alone");
        NS_TEST_EXPECT_MSG_EQ(find("attention.selection").forward.matrixFlops,
                              2. * 1024 * 512 * (8 + 2 * 16),
                              "keys, queries and steps");
        NS_TEST_EXPECT_MSG_EQ(find("attention.steps").forward.matrixFlops,
                              2. * 1024 * 8 * 512,
                              "a step for each channel");
        const auto states = find("attention.states");
        // A token has 1 / 2048 of two states of 16 elements in 4 bytes.
        NS_TEST_EXPECT_MSG_EQ(states.forward.memoryBytes,
                              1024. * (512 * 2 * (5 + 4 * 16 / 2048.) + 2 * 2 * 16),
                              "forward");
        NS_TEST_EXPECT_MSG_EQ_TOL(states.forward.vectorFlops,
                                  1024. * 512 * 16 * 133.8 / 3.9,
                                  1,
                                  "exponentials");
        NS_TEST_EXPECT_MSG_EQ_TOL(states.inputGradient.vectorFlops,
                                  2 * states.forward.vectorFlops,
                                  1,
                                  "backward");
        NS_TEST_EXPECT_MSG_EQ((states.forward.kind == OperatorKind::OTHER), true, "no curve");
        NS_TEST_EXPECT_MSG_EQ(find("attention.gated-norm").name, "", "in the kernel");
        // Both linear layers' outputs and the output, in 2 bytes; norms' and linear layers' inputs.
        const auto all = GetLayerActivations(CompleteModelJob(options), 0);
        options.layout.tp = 2;
        const auto sum = find("attention.selection").after;
        NS_TEST_EXPECT_MSG_EQ(sum.size(), 1, "a sum of both ranks");
        NS_TEST_EXPECT_MSG_EQ(sum.at(0).forwardBytes, 2 * 1024 * 40, "forward");
        NS_TEST_EXPECT_MSG_EQ(sum.at(0).backwardBytes, 2 * 1024 * 40, "backward");
        options.layout.tp = 1;
        options.model.text = WriteModel(R"("rule": "convolution", "keyHeads": 256, "keySize": 1,
            "convolution": 3)");
        NS_TEST_EXPECT_MSG_EQ(all - GetLayerActivations(CompleteModelJob(options), 0),
                              1024. * 2 * (3 * 512 + 8 + 2 * 16 - 6 * 256),
                              "what is kept");
        NS_TEST_EXPECT_MSG_EQ(find("attention.linear-in").forward.matrixFlops,
                              2. * 1024 * 256 * 3 * 256,
                              "values and two gates");
        NS_TEST_EXPECT_MSG_EQ(find("attention.convolution").forward.memoryBytes,
                              1024. * 256 * 2 * 8,
                              "five read, three written");
        NS_TEST_EXPECT_MSG_EQ(find("attention.convolution").forward.launches, 3, "kernels");
        NS_TEST_EXPECT_MSG_EQ(find("attention.states").name, "", "it has none");
    }

    /// Weights and products with states: three of a delta rule, two of a sum.
    void CheckFlops()
    {
        const auto count = [this](const std::string& attention) {
            const auto model = ReadModelDescription({WriteModel(attention), {"--model", 0, 0, ""}});
            return GetFlopsPerToken(model, 1024);
        };
        const auto known = [&count](uint64_t weights) {
            return count("\"weights\": " + std::to_string(weights));
        };
        // Training has three times what forward has, in each of four layers.
        NS_TEST_EXPECT_MSG_EQ_TOL(
            count(R"("rule": "gated-delta", "keyHeads": 2, "valueHeads": 4, "keySize": 64,
                "convolution": 4)") -
                known(256 * (2 * 128 + 3 * 256 + 2 * 4) + 4 * (2 * 128 + 256)),
            4. * 3 * 3 * 2 * 4 * 64 * 64,
            1,
            "Gated DeltaNet");
        NS_TEST_EXPECT_MSG_EQ_TOL(count(R"("rule": "kimi-delta", "keyHeads": 4, "keySize": 64)") -
                                      known(256 * (4 * 256 + 4) + 2 * 64 * (256 + 256)),
                                  4. * 3 * 3 * 2 * 4 * 64 * 64,
                                  1,
                                  "Kimi Delta Attention");
        NS_TEST_EXPECT_MSG_EQ_TOL(count(R"("rule": "sum", "keyHeads": 4, "keySize": 64)") -
                                      known(5 * 256 * 256),
                                  4. * 3 * 2 * 2 * 4 * 64 * 64,
                                  1,
                                  "a sum");
        // Seven for each element of a state; what channels forget, their steps and biases.
        NS_TEST_EXPECT_MSG_EQ_TOL(count(R"("rule": "mamba-1", "keyHeads": 1, "keySize": 16,
                "valueHeads": 512, "valueSize": 1, "stepRank": 8, "convolution": 4)") -
                                      known(3 * 256 * 512 + 4 * 512 + 512 * (2 * 8 + 3 * 16 + 3)),
                                  4. * 3 * 7 * 512 * 16,
                                  1,
                                  "Mamba-1");
        NS_TEST_EXPECT_MSG_EQ_TOL(count(R"("rule": "convolution", "keyHeads": 256, "keySize": 1,
                "convolution": 3)") - known(4 * 256 * 256 + 3 * 256),
                                  0,
                                  1,
                                  "a convolution");
    }

    /// What is kept for gradients: twice queries and keys, four or five times values, gates.
    void CheckMemory()
    {
        const auto get = [this](const std::string& attention) {
            auto options = MakeModelOptions(WriteModel(attention), 1, 1, 1);
            return GetLayerActivations(CompleteModelJob(options), 0);
        };
        const auto sum = get(R"("rule": "sum", "keyHeads": 4, "keySize": 64)");
        const auto delta = get(R"("rule": "gated-delta", "keyHeads": 2, "valueHeads": 4,
            "keySize": 64)");
        // 256 keys and 128: twice two of them less, and two gates of each of four heads more.
        NS_TEST_EXPECT_MSG_EQ(sum - delta, 1024 * 2. * (4 * 128 - 8), "fewer heads of keys");
    }

    /**
     * @param attention keys of attention
     * @param tp tensor parallel ranks
     * @param cp context parallel ranks
     * @return what is said about a job with it
     */
    std::string FindError(const std::string& attention, uint32_t tp = 1, uint32_t cp = 1)
    {
        const auto file = WriteModel(attention);
        try
        {
            CompleteModelJob(MakeModelOptions(file, tp, cp, 1));
        }
        catch (const WorkloadError& error)
        {
            const std::string what = error.what();
            return BeginsWith(what, file) ? what.substr(file.size()) : what;
        }
        return "";
    }

    /// What a file must not say.
    void CheckErrors()
    {
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("rule": "delta", "keyHeads": 4, "keySize": 64)"),
                              ":/attention/rule: error: expected sum, gated-delta, kimi-delta, "
                              "mamba-2, mamba-1, convolution, found 'delta'",
                              "rule");
        NS_TEST_EXPECT_MSG_EQ(
            FindError(R"("rule": "sum", "keyHeads": 4, "keySize": 64, "weights": 5)"),
            ":/attention/weights: error: expected of such attention only the keys kind, fullEvery, "
            "rule, keyHeads, valueHeads, keySize, valueSize, convolution, stepRank, found weights",
            "weights");
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("weights": 5, "keyHeads": 4)"),
                              ":/attention/keyHeads: error: expected of such attention only the "
                              "keys kind, fullEvery, weights, found keyHeads",
                              "heads without a rule");
        NS_TEST_EXPECT_MSG_EQ(
            FindError(R"("rule": "sum", "keyHeads": 4, "valueHeads": 6, "keySize": 64)"),
            ":/attention/valueHeads: error: expected a multiple of the 4 heads of keys, found 6",
            "heads");
        const std::string two = R"("rule": "sum", "keyHeads": 2, "keySize": 64)";
        NS_TEST_EXPECT_MSG_EQ(FindError(two, 4),
                              "--tp: error: expected a number that divides the 2 heads of linear "
                              "attention, found 4",
                              "tensor parallel ranks");
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("rule": "mamba-2", "keyHeads": 1, "valueHeads": 4,
            "keySize": 64)",
                                        4),
                              "",
                              "groups are copied");
        NS_TEST_EXPECT_MSG_EQ(FindError(two, 1, 4),
                              "--cp: error: expected a number that divides the 2 heads of linear "
                              "attention of a rank, found 4",
                              "context parallel ranks");
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("rule": "sum", "keySize": 64)"),
                              ":/attention: error: expected the key keyHeads, found none",
                              "a missing key");
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("rule": "convolution", "keyHeads": 8, "keySize": 1)"),
                              ":/attention: error: expected the key convolution, found none",
                              "no tokens of a convolution");
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("rule": "mamba-1", "keyHeads": 1, "keySize": 8,
            "valueHeads": 8, "valueSize": 1)"),
                              ":/attention: error: expected the key stepRank, found none",
                              "no rank of steps");
        NS_TEST_EXPECT_MSG_EQ(FindError(R"("rule": "mamba-1", "keyHeads": 1, "keySize": 8,
            "valueHeads": 8, "valueSize": 1, "stepRank": 2)",
                                        1,
                                        2),
                              "--cp: error: expected 1 with Mamba-1, whose keys, queries and steps "
                              "come of all channels of a token, found 2",
                              "context parallel ranks of Mamba-1");
    }
};

} // namespace

std::vector<TestCase*>
MakeModelLinearTestCases()
{
    return {new ModelLinearTestCase};
}

} // namespace ns3
