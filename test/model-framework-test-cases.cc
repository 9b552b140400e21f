/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"

#include "ns3/model-job.h"
#include "ns3/model-steps.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

constexpr double H = 4096;          //!< hidden size of Llama 3 8B
constexpr double KV = 1024;         //!< its keys, and its values
constexpr double S = 8192;          //!< tokens of its sequence
constexpr double B = 3;             //!< sequences of a microbatch
constexpr uint32_t REPEATED = 8192; //!< its keys and values once they are repeated

/**
 * @param steps steps
 * @param name name of one of them
 * @return it; without a name if there is none
 */
ModelStep
FindStep(const ModelSteps& steps, const std::string& name)
{
    const auto found = std::find_if(steps.begin(), steps.end(), [&name](const auto& step) {
        return step.name == name;
    });
    return found == steps.end() ? ModelStep{} : *found;
}

/**
 * @param zero what replicas share out
 * @param tp tensor parallel ranks
 * @param cp context parallel ranks
 * @param model preset
 * @param precision what linear layers are computed in
 * @return a job of two replicas
 */
ModelJob
MakeJob(uint32_t zero,
        uint32_t tp,
        uint32_t cp,
        const std::string& model = "llama3-8b",
        const std::string& precision = "bf16")
{
    auto options = MakeModelOptions(model, tp, cp, 2);
    options.training.zero = zero;
    options.precision = precision;
    options.training.microbatchSize = static_cast<uint32_t>(B);
    return CompleteModelJob(options);
}

/**
 * @ingroup workload-replay-tests
 * @brief What frameworks do beside the kernels of a model, counted by hand.
 */
class ModelFrameworkTestCase : public TestCase
{
  public:
    ModelFrameworkTestCase()
        : TestCase("what PyTorch and Megatron-Core do beside a model's kernels")
    {
    }

  private:
    void DoRun() override
    {
        CheckCopies();
        CheckNarrowGathers();
        CheckMatrices();
        CheckDepths();
        CheckRotation();
        CheckRepetition();
        CheckSharedHeads();
        CheckReach();
        CheckRing();
        CheckOutputLayer();
        CheckBias();
        CheckHeadNorm();
        CheckExpertBias();
        CheckFrameworks();
    }

    /// Tensor parallel ranks of PyTorch copy what they gather, and what they reduce.
    void CheckCopies()
    {
        const auto layer = MakeLayer(MakeJob(3, 4, 1));
        // Read and written, 2 bytes an element, of all tokens: queries, keys and values have an
        // input that is gathered, backward its gradient is scattered; the output likewise.
        const double copy = 2 * 2 * B * S * H;
        for (const std::string name :
             {"attention.qkv", "attention.projection", "ffn.fc1", "ffn.fc2"})
        {
            const auto step = FindStep(layer, name);
            NS_TEST_EXPECT_MSG_EQ(step.forward.addedBytes, copy, name << " forward");
            // Of several matrices all but the first one add to the gradient, in 2 bytes.
            const double more = name == "attention.qkv" ? 2 : name == "ffn.fc1" ? 1 : 0;
            NS_TEST_EXPECT_MSG_EQ(step.inputGradient.addedBytes,
                                  copy + more * 2 * 2 * B * S * H,
                                  name << " backward");
            NS_TEST_EXPECT_MSG_EQ(step.regatherBytes, 0, name << " keeps its input");
        }
        const auto megatron = FindStep(MakeLayer(MakeJob(1, 4, 1)), "ffn.fc1");
        NS_TEST_EXPECT_MSG_EQ(megatron.forward.addedBytes, 0, "tokens are the first dimension");
        NS_TEST_EXPECT_MSG_EQ(megatron.regatherBytes, 2 * B * S * H, "gathered again");
    }

    /// PyTorch's matrices for queries, keys and values, and for the gate, read the input by
    /// themselves; Megatron-Core and MPT have one.
    void CheckMatrices()
    {
        const auto count = [](const ModelStep& step) {
            return std::make_pair(step.forward.memoryBytes, step.weightGradient.launches);
        };
        const double read = 2 * B * S * H;
        for (const auto& [name, more] :
             std::vector<std::pair<std::string, double>>{{"attention.qkv", 2}, {"ffn.fc1", 1}})
        {
            const auto pytorch = count(FindStep(MakeLayer(MakeJob(3, 1, 1)), name));
            const auto megatron = count(FindStep(MakeLayer(MakeJob(1, 1, 1)), name));
            NS_TEST_EXPECT_MSG_EQ(pytorch.first - megatron.first, more * read, name << " reads");
            NS_TEST_EXPECT_MSG_EQ(pytorch.second - megatron.second, more, name << " launches");
        }
        // MPT 7B is as wide, with 2048 tokens.
        const auto mpt = count(FindStep(MakeLayer(MakeJob(3, 1, 1, "mpt-7b")), "attention.qkv"));
        const auto fused = count(FindStep(MakeLayer(MakeJob(1, 1, 1, "mpt-7b")), "attention.qkv"));
        NS_TEST_EXPECT_MSG_EQ(mpt.first - fused.first, 0, "one matrix");
    }

    /**
     * Check how many terms the results of a step's products sum up.
     *
     * @param step a step
     * @param forward of what it computes
     * @param input of the gradient of its input
     * @param weights of the gradient of its weights
     */
    void CheckDepth(const ModelStep& step, double forward, double input, double weights)
    {
        NS_TEST_EXPECT_MSG_EQ(step.forward.depth, forward, step.name << " forward");
        NS_TEST_EXPECT_MSG_EQ_TOL(step.inputGradient.depth, input, 1e-9, step.name << " backward");
        NS_TEST_EXPECT_MSG_EQ(step.weightGradient.depth, weights, step.name << " weights");
    }

    /// Inputs forward, outputs and tokens backward: of a rank's quarter, of the matrices of
    /// queries, keys and values one by one, of an expert's own tokens, of scores and their values.
    void CheckDepths()
    {
        const auto layer = MakeLayer(MakeJob(1, 4, 1));
        CheckDepth(FindStep(layer, "attention.qkv"), H, (H + 2 * KV) / 4, B * S);
        CheckDepth(FindStep(layer, "attention.projection"), H / 4, H, B * S);
        const auto separate = MakeLayer(MakeJob(3, 1, 1));
        CheckDepth(FindStep(separate, "attention.qkv"), H, (H + 2 * KV) / 3, B * S);
        auto options = MakeModelOptions("llama3-8b");
        options.training.fusedAttention = false;
        const auto unfused = MakeLayer(CompleteModelJob(options));
        CheckDepth(FindStep(unfused, "attention.scores"), 128, S, 0);
        CheckDepth(FindStep(unfused, "attention.values"), S, 2 / (1 / S + 1. / 128), 0);
        // Mixtral: 2 of 8 experts for each of 4,096 tokens, 14336 wide, gated.
        options = MakeModelOptions("mixtral-8x7b");
        options.sequence = 4096;
        const auto experts = MakeLayer(CompleteModelJob(options));
        CheckDepth(FindStep(experts, "moe.fc1"), H, 2 * 14336, 4096 * 2 / 8);
        CheckDepth(FindStep(experts, "moe.fc2"), 14336, H, 4096 * 2 / 8);
    }

    /// In fp8 each of four ranks casts its quarter, and gathers a byte for an element; sums have
    /// two.
    void CheckNarrowGathers()
    {
        const double all = B * S * H;
        const auto bytes = [](double elements) { return static_cast<uint64_t>(elements); };
        for (const uint32_t zero : {1, 3})
        {
            const auto layer = MakeLayer(MakeJob(zero, 4, 1, "llama3-8b", "fp8"));
            const auto up = FindStep(layer, "ffn.fc1");
            NS_TEST_EXPECT_MSG_EQ(up.before.front().forwardBytes, bytes(all), "gathered");
            NS_TEST_EXPECT_MSG_EQ(up.before.front().backwardBytes, bytes(2 * all), "summed");
            NS_TEST_EXPECT_MSG_EQ(up.regatherBytes, bytes(zero == 3 ? 0 : all), "once more");
            // With ZeRO 3 weights come in two bytes, and are cast as well. Gate and inner layer are
            // 14336 wide each, of which a rank has a quarter.
            const double weights = zero == 3 ? H * 2 * 14336 / 4 : 0;
            NS_TEST_EXPECT_MSG_EQ(up.forward.castElements, all / 4 + weights, "its own tokens");
            NS_TEST_EXPECT_MSG_EQ(up.forward.transposedBytes, weights, "not its tokens");
            NS_TEST_EXPECT_MSG_EQ(up.weightGradient.transposedBytes, 2 * all, "but all of them");
            NS_TEST_EXPECT_MSG_EQ(up.inputGradient.castElements,
                                  B * S * 2 * 14336 / 4 + weights,
                                  "gradients of its own outputs");
            const auto down = FindStep(layer, "ffn.fc2");
            NS_TEST_EXPECT_MSG_EQ(down.after.front().forwardBytes, bytes(2 * all), "outputs");
            NS_TEST_EXPECT_MSG_EQ(down.after.front().backwardBytes, bytes(all), "their gradients");
            NS_TEST_EXPECT_MSG_EQ(down.forward.castElements,
                                  B * S * 14336 / 4 + weights / 2,
                                  "all tokens of its inputs");
            NS_TEST_EXPECT_MSG_EQ(down.inputGradient.castElements,
                                  all / 4 + weights / 2,
                                  "gradients of its own tokens");
            NS_TEST_EXPECT_MSG_EQ(down.inputGradient.transposedBytes, weights / 2, "weights");
            NS_TEST_EXPECT_MSG_EQ(down.weightGradient.transposedBytes, 2 * all, "gradients of all");
        }
    }

    /// Complex numbers of 4 bytes for each of two elements, three kernels; or one.
    void CheckRotation()
    {
        const double elements = B * S * (H + KV);
        const auto pytorch = FindStep(MakeLayer(MakeJob(3, 1, 1)), "attention.rotary");
        NS_TEST_EXPECT_MSG_EQ(pytorch.forward.memoryBytes, (6 + 8 + 6) * elements, "complex");
        NS_TEST_EXPECT_MSG_EQ(pytorch.inputGradient.memoryBytes, (6 + 8 + 6) * elements, "back");
        const auto megatron = FindStep(MakeLayer(MakeJob(1, 1, 1)), "attention.rotary");
        NS_TEST_EXPECT_MSG_EQ(megatron.forward.memoryBytes, 4 * elements, "fused");
    }

    /// Keys and values of 8 heads become those of 32.
    void CheckRepetition()
    {
        const auto layer = MakeLayer(MakeJob(3, 2, 1));
        const auto repeat = FindStep(layer, "attention.repeat");
        const double bytes = 2 * B * S * (REPEATED + 2 * KV) / 2;
        NS_TEST_EXPECT_MSG_EQ(repeat.forward.memoryBytes, bytes, "read and written");
        NS_TEST_EXPECT_MSG_EQ(repeat.inputGradient.memoryBytes, bytes, "summed up");
        NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "attention.core").forward.memoryBytes,
                              2 * B * S * (2 * H + REPEATED) / 2,
                              "queries, outputs, keys and values");
        NS_TEST_EXPECT_MSG_EQ(FindStep(MakeLayer(MakeJob(1, 2, 1)), "attention.repeat").name,
                              "",
                              "kernels of Transformer Engine share keys and values");
    }

    /// Of 16 tensor parallel ranks two share a head of keys and values, of 8.
    void CheckSharedHeads()
    {
        const auto layer = MakeLayer(MakeJob(1, 16, 1));
        const auto gather = FindStep(layer, "attention.head-gather");
        // What queries, keys and values of all ranks have: put in order forward; backward set to
        // zero, an eighth of it copied, and put in order.
        const double elements = B * S * (H + 2 * KV);
        NS_TEST_EXPECT_MSG_EQ(gather.forward.memoryBytes, 4 * elements, "gathered");
        NS_TEST_EXPECT_MSG_EQ(gather.inputGradient.memoryBytes,
                              (2 + 4. / 8 + 4) * elements,
                              "gradients of the heads of all");
        // A sixteenth of the queries, one head of keys and one of values.
        NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "attention.rotary").forward.memoryBytes,
                              4 * B * S * (H / 16 + KV / 8),
                              "rotated");
        NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "attention.core").forward.memoryBytes,
                              2 * B * S * (2 * H / 16 + 2 * KV / 8),
                              "queries, outputs, a head of keys and one of values");
        NS_TEST_EXPECT_MSG_EQ(FindStep(MakeLayer(MakeJob(1, 8, 1)), "attention.head-gather").name,
                              "",
                              "each of 8 ranks has a head");
    }

    /**
     * @param model a preset
     * @param sequence tokens of a sequence, of a microbatch of one
     * @param layer a layer
     * @param change changes the job
     * @return the core of its attention
     */
    ModelStep MakeCore(
        const std::string& model,
        uint32_t sequence,
        uint32_t layer,
        const std::function<void(ModelOptions&)>& change = [](ModelOptions&) {})
    {
        auto options = MakeModelOptions(model, 1, 1, 2);
        options.sequence = sequence;
        change(options);
        const auto job = CompleteModelJob(options);
        for (const auto& step : ModelStepMaker(job, 0).MakeLayer(layer))
        {
            if (step.isAttentionCore)
            {
                return step;
            }
        }
        return {};
    }

    /// Windows of 128 tokens in every other layer of gpt-oss, chunks of 8192 in three of four
    /// layers of Llama 4.
    void CheckReach()
    {
        // Queries and outputs of 64 heads of 64; two FLOP in each of two products.
        const double flops = 2. * 2 * 64 * 64;
        const uint32_t s = 4096;
        // 128 tokens before each, but the first 128 have half of that; half a block of 128 besides.
        const double attended = (128. * (s - 128) + 128. * 64) / s + 64;
        const auto window = MakeCore("gpt-oss-20b", s, 0);
        NS_TEST_EXPECT_MSG_EQ(window.name, "attention.window-core", "a window");
        NS_TEST_EXPECT_MSG_EQ_TOL(window.forward.matrixFlops, flops * s * attended, 1, "window");
        NS_TEST_EXPECT_MSG_EQ_TOL(window.inputGradient.matrixFlops,
                                  2.5 * flops * s * attended,
                                  1,
                                  "window, backward");
        NS_TEST_EXPECT_MSG_EQ_TOL(window.forward.length, 2 * attended, 1e-9, "as short");
        const auto full = MakeCore("gpt-oss-20b", s, 1);
        NS_TEST_EXPECT_MSG_EQ(full.name, "attention.core", "all tokens");
        NS_TEST_EXPECT_MSG_EQ_TOL(full.forward.matrixFlops, flops * s * s / 2, 1, "half of all");
        const auto chunk = MakeCore("llama4-scout", 32768, 0);
        NS_TEST_EXPECT_MSG_EQ(chunk.name, "attention.chunk-core", "four chunks");
        // 40 heads of 128; each token attends to half of its chunk.
        NS_TEST_EXPECT_MSG_EQ_TOL(chunk.forward.matrixFlops,
                                  2. * 2 * 40 * 128 * 32768 * 4096,
                                  1,
                                  "chunks");
        NS_TEST_EXPECT_MSG_EQ(chunk.forward.length, 8192, "a sequence each");
        NS_TEST_EXPECT_MSG_EQ(MakeCore("llama4-scout", 8192, 0).name,
                              "attention.core",
                              "one chunk");
        const auto ring = MakeCore("gpt-oss-20b", s, 0, [](auto& o) { o.layout.cp = 2; });
        NS_TEST_EXPECT_MSG_EQ(ring.name, "attention.core", "a ring has no windows");
        const auto triton =
            MakeCore("gpt-oss-20b", s, 0, [](auto& o) { o.attentionKernel = "triton"; });
        NS_TEST_EXPECT_MSG_EQ_TOL(triton.forward.matrixFlops, flops * s * s / 2, 1, "nor Triton");
        const auto gathered = MakeCore("gpt-oss-20b", s, 0, [](auto& o) {
            o.layout.cp = 2;
            o.context = "all-gather";
        });
        NS_TEST_EXPECT_MSG_EQ_TOL(gathered.forward.matrixFlops,
                                  flops * s / 2 * attended,
                                  1,
                                  "half of the queries");
    }

    /// Keys and values of all ranks at once; their gradients once round the ring in 4 bytes.
    void CheckRing()
    {
        const auto core = FindStep(MakeLayer(MakeJob(3, 1, 4)), "attention.core");
        const auto kv = static_cast<uint64_t>(2 * B * S / 4 * REPEATED);
        NS_TEST_EXPECT_MSG_EQ(core.ringSteps, 0, "one kernel after the other waits");
        NS_TEST_ASSERT_MSG_EQ(core.before.size(), 2, "two calls");
        NS_TEST_EXPECT_MSG_EQ(core.before[0].forwardBytes, 4 * kv, "gathered");
        NS_TEST_EXPECT_MSG_EQ(core.before[0].backwardBytes, 4 * kv, "gathered again");
        NS_TEST_EXPECT_MSG_EQ((core.before[0].backward == CollectiveKind::ALL_GATHER), true, "so");
        NS_TEST_EXPECT_MSG_EQ(core.before[1].forwardBytes, 0, "no gradients forward");
        NS_TEST_EXPECT_MSG_EQ(core.before[1].backwardBytes, 2 * kv, "a piece of gradients");
        NS_TEST_EXPECT_MSG_EQ(core.before[1].repetitions, 4, "home again");
        // Of three pieces more, each adds to half of the output in half of the steps: 38 bytes an
        // element, and 8 to put halves together; gradients 10, and those of keys and values 12 to
        // be sent, which take 4 forward. Transformer Engine adds in one kernel of 10 bytes.
        const double added = 3 * B * S / 4;
        NS_TEST_EXPECT_MSG_EQ(core.forward.addedBytes,
                              added * ((0.75 * 38 + 4) * H + 4 * REPEATED),
                              "a kernel for each operation");
        NS_TEST_EXPECT_MSG_EQ(core.inputGradient.addedBytes,
                              added * ((0.75 * 10 + 4) * H + (0.75 * 10 + 4 + 12) * REPEATED),
                              "gradients likewise");
        const auto megatron = FindStep(MakeLayer(MakeJob(1, 1, 4)), "attention.core");
        NS_TEST_EXPECT_MSG_EQ(megatron.ringSteps, 3, "piece by piece");
        NS_TEST_EXPECT_MSG_EQ(megatron.forward.addedBytes, added * 10 * H, "one kernel");
        NS_TEST_EXPECT_MSG_EQ(megatron.before[0].forwardBytes,
                              2 * B * S / 4 * 2 * KV,
                              "as they are");
    }

    /// fp8 is for layers.
    void CheckOutputLayer()
    {
        auto options = MakeModelOptions("llama3-8b");
        options.precision = "fp8";
        const auto job = CompleteModelJob(options);
        const auto output = FindStep(ModelStepMaker(job, 0).MakeHead(), "output");
        NS_TEST_EXPECT_MSG_EQ((output.forward.precision == Precision::BF16), true, "forward");
        NS_TEST_EXPECT_MSG_EQ((output.weightGradient.precision == Precision::BF16), true, "back");
        NS_TEST_EXPECT_MSG_EQ(output.forward.castElements, 0, "nothing is cast");
        const auto layer = FindStep(ModelStepMaker(job, 0).MakeLayer(0), "ffn.fc1");
        NS_TEST_EXPECT_MSG_EQ((layer.forward.precision == Precision::FP8), true, "a layer");
    }

    /// Gradients of an output are read once more for those of its bias.
    void CheckBias()
    {
        const auto job = MakeJob(1, 1, 1, "gpt-22b");
        const auto layer = MakeLayer(job);
        // 2048 tokens of 6144 elements; gradients of weights are added to in 4 bytes.
        const double tokens = 2048 * B;
        const double weights = 4. * 6144 * 6144;
        NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "ffn.fc1").weightGradient.addedBytes,
                              8 * weights + 2 * tokens * 4 * 6144,
                              "the inner size");
        NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "ffn.fc2").weightGradient.addedBytes,
                              8 * weights + 2 * tokens * 6144,
                              "the hidden size");
        const auto output = FindStep(ModelStepMaker(job, 0).MakeHead(), "output");
        NS_TEST_EXPECT_MSG_EQ(output.weightGradient.addedBytes, 8. * 51200 * 6144, "none");
    }

    /// Queries and keys of Qwen3 have a norm of each head.
    void CheckHeadNorm()
    {
        const auto layer = MakeLayer(MakeJob(1, 2, 1, "qwen3-32b"));
        const double elements = 4096 * B * (64 + 8) * 128 / 2;
        const auto norm = FindStep(layer, "attention.head-norm");
        NS_TEST_EXPECT_MSG_EQ(norm.forward.memoryBytes, 4 * elements, "in and out");
        NS_TEST_EXPECT_MSG_EQ(norm.inputGradient.memoryBytes, 6 * elements, "and a gradient");
        NS_TEST_EXPECT_MSG_EQ(FindStep(MakeLayer(MakeJob(1, 2, 1)), "attention.head-norm").name,
                              "",
                              "none in Llama 3");
    }

    /// Biases of gpt-oss are added to the results of each of a rank's 64 experts, of 2,880 elements
    /// for each of the 4 experts of a token; what its tokens wait for comes after that.
    void CheckExpertBias()
    {
        auto options = MakeModelOptions("gpt-oss-120b", 1, 1, 1);
        options.layout.dp = 2;
        options.layout.ep = 2;
        const auto layer = MakeLayer(CompleteModelJob(options));
        const double elements = 4096. * 4 * 2880;
        const auto bias = FindStep(layer, "moe.bias");
        NS_TEST_EXPECT_MSG_EQ(bias.forward.memoryBytes, (2 + 6 + 4) * elements, "scaled, added");
        NS_TEST_EXPECT_MSG_EQ(bias.forward.launches, 64 * 2 + 1, "and put together");
        NS_TEST_EXPECT_MSG_EQ(bias.inputGradient.memoryBytes, (6 + 6 + 4) * elements, "two sums");
        NS_TEST_EXPECT_MSG_EQ(bias.inputGradient.launches, 64 * 4 + 1, "of each expert");
        NS_TEST_EXPECT_MSG_EQ(bias.after.size(), 1, "results go back");
        NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "moe.fc2").after.size(), 0, "not before");
        auto plain = MakeModelOptions("qwen3-30b-a3b", 1, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(FindStep(MakeLayer(CompleteModelJob(plain)), "moe.bias").name,
                              "",
                              "none in Qwen3");
    }

    /// What is shared out, and whose kernels compute with it, are two things.
    void CheckFrameworks()
    {
        for (const uint32_t zero : {1, 3})
        {
            for (const std::string framework : {"megatron", "pytorch"})
            {
                auto options = MakeModelOptions("llama3-8b", 1, 1, 2);
                options.training.zero = zero;
                options.framework = framework;
                options.precision = "fp8";
                const auto job = CompleteModelJob(options);
                const auto layer = MakeLayer(job);
                const bool isPytorch = framework == "pytorch";
                const auto what = framework + ", zero " + std::to_string(zero);
                const auto up = FindStep(layer, "ffn.fc1");
                const double weights = 2 * 14336 * H;
                NS_TEST_EXPECT_MSG_EQ(up.forward.castElements,
                                      S * H + (isPytorch ? weights : 0),
                                      what << " casts weights each time");
                NS_TEST_EXPECT_MSG_EQ(up.weightGradient.addedBytes,
                                      (zero == 3 ? 0 : 8 * weights),
                                      what << " adds to what was there");
                NS_TEST_EXPECT_MSG_EQ(FindStep(layer, "attention.repeat").name.empty(),
                                      !isPytorch,
                                      what << " repeats keys");
                NS_TEST_EXPECT_MSG_EQ(job.training.CopiesParameters(),
                                      (isPytorch && zero == 3),
                                      what << " copies parameters");
            }
        }
    }

    /**
     * @param job a job
     * @return steps of its first layer
     */
    static ModelSteps MakeLayer(const ModelJob& job)
    {
        return ModelStepMaker(job, 0).MakeLayer(0);
    }
};

} // namespace

std::vector<TestCase*>
MakeModelFrameworkTestCases()
{
    return {new ModelFrameworkTestCase};
}

} // namespace ns3
