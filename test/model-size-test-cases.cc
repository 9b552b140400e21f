/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"

#include "ns3/model-job.h"
#include "ns3/model-lowering.h"
#include "ns3/model-size.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param name a preset
 * @param hasMtp whether to keep the layers that predict further tokens
 * @return the model
 */
ModelDescription
ReadPreset(const std::string& name, bool hasMtp = true)
{
    auto model = ReadModelDescription({name, {"--model", 0, 0, ""}});
    model.mtpLayers = hasMtp ? model.mtpLayers : 0;
    return model;
}

/**
 * @ingroup workload-replay-tests
 * @brief Operations of a token, against what Megatron-Bridge publishes with its measured speeds.
 */
class ModelFlopsTestCase : public TestCase
{
  public:
    ModelFlopsTestCase()
        : TestCase("operations of a token against published ones")
    {
    }

  private:
    void DoRun() override
    {
        /// A model, its operations by formula, and TFLOP/s divided by tokens/s of each measurement.
        struct Row
        {
            const char* name;              //!< preset
            bool hasMtp;                   //!< predicts further tokens
            uint32_t sequence;             //!< tokens of a sequence
            double formula;                //!< 10^9 operations
            std::vector<double> published; //!< 10^9 operations
        };

        const std::vector<Row> rows{{"llama3-8b", false, 8192, 51.470, {51.5}},
                                    {"llama3-70b", false, 8192, 449.22, {449.1, 448.8, 449.3}},
                                    {"llama3-405b", false, 8192, 2523.96, {2520.9, 2524.0, 2524.5}},
                                    // 23.1 has three digits only.
                                    {"qwen3-30b-a3b", false, 4096, 23.006, {23.0}},
                                    {"qwen3-235b-a22b", false, 4096, 148.03, {148.2, 148.0}},
                                    {"deepseek-v3", false, 4096, 249.81, {249.7, 249.6}},
                                    {"deepseek-v3", true, 4096, 259.99, {260.0, 260.6}}};
        for (const auto& row : rows)
        {
            const auto flops =
                GetFlopsPerToken(ReadPreset(row.name, row.hasMtp), row.sequence) / 1e9;
            NS_TEST_EXPECT_MSG_EQ_TOL(flops, row.formula, 1e-4 * row.formula, row.name);
            for (const auto published : row.published)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(flops, published, 4e-3 * published, row.name);
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Numbers of parameters, against published ones.
 */
class ModelParametersTestCase : public TestCase
{
  public:
    ModelParametersTestCase()
        : TestCase("parameters against published ones")
    {
    }

  private:
    void DoRun() override
    {
        /// A model and its size, in units of its last digit.
        struct Row
        {
            const char* name; //!< preset
            double published; //!< 10^9 parameters
            double digit;     //!< what half of the last digit stands for
        };

        const std::vector<Row> rows{
            {"llama3-8b", 8.03, 0.005},       {"llama3-70b", 70.55, 0.005},
            {"llama3-405b", 405.85, 0.005},   {"gpt3-175b", 174.6, 0.05},
            {"nemotron4-340b", 341.0, 0.05},  {"mixtral-8x7b", 46.70, 0.005},
            {"deepseek-v3", 671.0, 0.05},     {"qwen3-235b-a22b", 235.1, 0.05},
            {"qwen3-30b-a3b", 30.53, 0.005},  {"llama2-7b", 6.738, 0.0005},
            {"llama2-13b", 13.016, 0.0005},   {"llama2-70b", 68.98, 0.005},
            {"mpt-125m", 0.125311488, 1e-10}, {"mpt-350m", 0.355985408, 1e-10},
            {"mpt-760m", 0.760470528, 1e-10}, {"mpt-1b", 1.315950592, 1e-10},
            {"mpt-3b", 2.651837440, 1e-10},   {"mpt-70b", 64.862437376, 1e-10},
            {"mpt-7b", 6.658859008, 1e-10},   {"mpt-13b", 12.853954560, 1e-10},
            {"mpt-30b", 29.975214080, 1e-10}};
        for (const auto& row : rows)
        {
            const auto count = CountParameters(ReadPreset(row.name, false)).GetTotal();
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(count) / 1e9,
                                      row.published,
                                      row.digit,
                                      row.name);
        }

        // The README of DeepSeek-V3 counts 14 billion for the layer that predicts one more token,
        // with the embedding and the output layer that it shares with the main model.
        const auto main = CountParameters(ReadPreset("deepseek-v3", false)).GetTotal();
        const auto all = CountParameters(ReadPreset("deepseek-v3", true)).GetTotal();
        const double more = static_cast<double>(all - main) + 2. * 129280 * 7168;
        NS_TEST_EXPECT_MSG_EQ_TOL(more / 1e9, 14, 0.6, "predicting one more token");

        // By the config of Grok-1, of each token's parameters a quarter of the experts.
        const auto grok = CountParameters(ReadPreset("grok-1"));
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(grok.GetTotal()) / 1e9, 314, 3, "grok-1");
        NS_TEST_EXPECT_MSG_EQ(grok.experts, 64ULL * 8 * 3 * 6144 * 32768, "its experts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Memory, against V. Korthikanti et al., MLSys 2023, figure 1.
 */
class ModelMemoryTestCase : public TestCase
{
  public:
    ModelMemoryTestCase()
        : TestCase("memory against figure 1 of Korthikanti et al.")
    {
    }

  private:
    void DoRun() override
    {
        /// A model of the paper in its layout.
        struct Row
        {
            const char* name;   //!< preset
            uint32_t pp;        //!< stages
            uint32_t vpp;       //!< model chunks of a stage
            uint32_t batch;     //!< sequences of a microbatch
            uint32_t layers;    //!< layers
            uint64_t hidden;    //!< size of an activation
            double state;       //!< parameters, gradients and optimizer, GiB
            double activations; //!< activations, nothing computed again, GiB
            double leanest;     //!< activations, selective recomputation and sequence parallel
        };

        const std::vector<Row> rows{{"gpt-22b", 1, 1, 4, 48, 6144, 45.56, 59.25, 9.56},
                                    {"gpt-175b", 8, 3, 1, 96, 12288, 45.56, 66.84, 12.35},
                                    {"gpt-530b", 35, 3, 1, 105, 20480, 31.64, 114.02, 23.08},
                                    {"gpt-1t", 64, 1, 1, 128, 25600, 32.96, 131.25, 26.56}};
        constexpr double gib = 1024. * 1024 * 1024;
        for (const auto& row : rows)
        {
            const auto memory = Measure(row.name, row.pp, row.vpp, row.batch, false);
            // The figure counts 12 h^2 parameters a layer, 18 bytes each. The first stage also has
            // the embedding (51,200 tokens and 2,048 positions, of which only the first are shared
            // out over 8 ranks), and a layer biases and norms: 7 h / 8 and 6 h. With one stage, the
            // last norm as well.
            const uint64_t h = row.hidden;
            const uint64_t more = 51200 / 8 * h + 2048 * h + (row.pp == 1 ? 2 * h : 0) +
                                  row.layers / row.pp * (7 * h / 8 + 6 * h);
            const auto state = memory.parameters + memory.gradients + memory.optimizer;
            NS_TEST_EXPECT_MSG_EQ_TOL((state - 18. * static_cast<double>(more)) / gib,
                                      row.state,
                                      0.006,
                                      row.name << ": parameters and optimizer");
            // The figure leaves out logits, which the only stage has: 2 and 4 bytes a token and
            // word.
            const double logits = row.pp == 1 ? 6. * row.batch * 2048 * 51200 / 8 : 0;
            NS_TEST_EXPECT_MSG_EQ_TOL((memory.activations - logits) / gib,
                                      row.activations,
                                      0.006,
                                      row.name << ": activations");
            const auto leanest = Measure(row.name, row.pp, row.vpp, row.batch, true);
            NS_TEST_EXPECT_MSG_EQ_TOL((leanest.activations - logits) / gib,
                                      row.leanest,
                                      0.006,
                                      row.name << ": fewest activations");
        }
        CheckShares();
        CheckDenseLayers();
        CheckModules();
    }

    /**
     * @param name a preset of the paper
     * @param pp stages
     * @param vpp model chunks of a stage
     * @param batch sequences of a microbatch
     * @param isLean whether attention is computed again, and ranks share out the sequence
     * @return what a rank of the first stage keeps
     */
    static ModelMemory Measure(const std::string& name,
                               uint32_t pp,
                               uint32_t vpp,
                               uint32_t batch,
                               bool isLean)
    {
        auto options = MakeModelOptions(name, 8, 1, 1, pp, 8 * pp);
        options.layout.vpp = vpp;
        options.training.microbatchSize = batch;
        options.training.fusedAttention = false;
        options.sequenceParallel = isLean;
        options.recompute = isLean ? "selective" : "none";
        return GetMemory(CompleteModelJob(options), 0);
    }

    /// What replicas share out, by S. Rajbhandari et al., ZeRO, section 3: 2 + 2 + 12 bytes.
    void CheckShares()
    {
        const std::vector<std::vector<double>> shares{{2, 2, 12},
                                                      {2, 2, 12. / 4},
                                                      {2, 2. / 4, 12. / 4},
                                                      {2. / 4, 2. / 4, 12. / 4}};
        for (uint32_t zero = 0; zero < shares.size(); ++zero)
        {
            auto options = MakeModelOptions("llama3-8b", 1, 2, 2);
            options.training.zero = zero;
            options.training.gradientBytes = 2;
            const auto memory = GetMemory(CompleteModelJob(options), 0);
            const double count = 8030261248;
            NS_TEST_EXPECT_MSG_EQ_TOL(memory.parameters, count * shares[zero][0], 1, zero);
            NS_TEST_EXPECT_MSG_EQ_TOL(memory.gradients, count * shares[zero][1], 1, zero);
            NS_TEST_EXPECT_MSG_EQ_TOL(memory.optimizer, count * shares[zero][2], 1, zero);
        }

        // Full recomputation keeps the input of each layer, 2 bytes an element, and the layer that
        // is being computed: 34 bytes an element with selective recomputation and no scores.
        auto options = MakeModelOptions("gpt-22b", 8);
        options.recompute = "full";
        const double elements = 2048. * 6144;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetMemory(CompleteModelJob(options), 0).activations,
                                  (48 * 2 + 34) * elements / 8 + 6. * 2048 * 51200 / 8,
                                  1,
                                  "full recomputation, and logits");

        // A layer that predicts a further token keeps what the layer before it does, and logits.
        auto deepseek = CompleteModelJob(MakeModelOptions("deepseek-v3", 1));
        const double withMore = GetMemory(deepseek, 0).activations;
        deepseek.model.mtpLayers = 0;
        NS_TEST_EXPECT_MSG_EQ_TOL(withMore - GetMemory(deepseek, 0).activations,
                                  GetLayerActivations(deepseek, 60) + 6. * 4096 * 129280,
                                  1,
                                  "a further token");
    }

    /**
     * What is not kept where modules of DeepSeek-V3 run again, in bytes of a token. It has 62
     * layers with the one that predicts a further token, 59 with experts of 2048, of which a token
     * goes to 8 and a shared one, and 3 of 18432 without; 128 heads of 192 and 128.
     */
    void CheckModules()
    {
        auto options = MakeModelOptions("deepseek-v3", 1);
        const auto all = GetMemory(CompleteModelJob(options), 0).activations;
        options.recompute = "selective";
        const double experts = 59 * (8 * (2. * 7168 + 6 * 2048) + 6 * 2048);
        const std::vector<std::pair<std::string, double>> modules{
            {"core_attn", 0},
            {"layernorm", 62 * 2 * 2. * 7168},
            {"mla_up_proj", 62 * 2. * 128 * (192 + 192 + 128)},
            {"mlp", 3 * 6. * 18432},
            {"moe_act", 59 * 8 * 2. * 2048},
            {"shared_experts", 59 * 6. * 2048},
            {"moe", experts},
            {"moe,moe_act,shared_experts", experts}};
        for (const auto& [names, bytes] : modules)
        {
            options.recomputeModules = names;
            const auto job = CompleteModelJob(options);
            NS_TEST_EXPECT_MSG_EQ_TOL(all - GetMemory(job, 0).activations,
                                      static_cast<double>(job.GetTokens()) * bytes,
                                      1,
                                      names);
        }
    }

    /**
     * DeepSeek-V3 has three layers without experts. With one more, a rank that has all layers keeps
     * the inner elements of that one's 18432 instead of those of nine experts of 2048, six bytes
     * each, and none of the eight copies of the input and the output.
     */
    void CheckDenseLayers()
    {
        auto job = CompleteModelJob(MakeModelOptions("deepseek-v3", 1));
        const double before = GetMemory(job, 0).activations;
        job.model.experts->denseLayers = 4;
        const auto tokens = static_cast<double>(job.GetTokens());
        NS_TEST_EXPECT_MSG_EQ_TOL(GetMemory(job, 0).activations - before,
                                  tokens * (6. * 18432 - 6. * 9 * 2048 - 8. * 2 * 7168),
                                  1,
                                  "a layer without experts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Layers of the parts of a model.
 */
class SpreadLayersTestCase : public TestCase
{
  public:
    SpreadLayersTestCase()
        : TestCase("layers shared out over parts")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<uint32_t> llama(64, 2); // as Llama 3 405B left out both ends
        llama.front() = 1;
        llama.back() = 1;
        NS_TEST_EXPECT_MSG_EQ((SpreadLayers(126, 64) == llama), true, "126 over 64");
        std::vector<uint32_t> deepSeek(16, 4);
        deepSeek.front() = 3;
        deepSeek[14] = 3;
        deepSeek.back() = 3;
        NS_TEST_EXPECT_MSG_EQ((SpreadLayers(61, 16) == deepSeek), true, "61 over 16");
        const std::vector<uint32_t> even(20, 4);
        NS_TEST_EXPECT_MSG_EQ((SpreadLayers(80, 20) == even), true, "80 over 20");
        const std::vector<uint32_t> inwards{1, 1, 2, 1, 1};
        NS_TEST_EXPECT_MSG_EQ((SpreadLayers(6, 5) == inwards), true, "6 over 5");
        NS_TEST_EXPECT_MSG_EQ((SpreadLayers(3, 1) == std::vector<uint32_t>{3}), true, "one part");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What attention to some tokens takes, in closed form.
 */
class ModelReachTestCase : public TestCase
{
  public:
    ModelReachTestCase()
        : TestCase("operations of attention to some tokens in closed form")
    {
    }

  private:
    void DoRun() override
    {
        const std::string file = CreateTempDirFilename("reach.json");
        const auto flops = [&file](const std::string& attention) {
            const auto model = ReadModelText(file,
                                             R"({"layers": 4, "hidden": 64, "heads": 8, "ffn": 128,
                                           "vocabulary": 1000, "sequence": 1024)" +
                                                 attention + "}");
            return GetFlopsPerToken(model, 1024);
        };
        // Training has three times the products of queries with keys and of scores with values: 2
        // FLOP for each of 64 elements in each of 2 products.
        const double perToken = 3 * 2 * 2 * 64;
        const auto full = flops("");
        // 512 tokens on average; of a window of 128 all but the first 128 tokens have 128,
        // those 64.
        const double window = (128 * 64. + 896 * 128.) / 1024;
        NS_TEST_EXPECT_MSG_EQ_TOL(full -
                                      flops(R"(, "attention": {"kind": "window", "tokens": 128})"),
                                  4 * perToken * (512 - window),
                                  1,
                                  "windows");
        NS_TEST_EXPECT_MSG_EQ_TOL(
            full - flops(R"(, "attention": {"kind": "chunk", "tokens": 256, "fullEvery": 4})"),
            3 * perToken * (512 - 128),
            1,
            "chunks in three layers of four");
        // 4 x 64^2 weights of attention are replaced by 1000.
        NS_TEST_EXPECT_MSG_EQ_TOL(
            full - flops(R"(, "attention": {"kind": "linear", "weights": 1000, "fullEvery": 2})"),
            2 * (perToken * 512 + 6 * (4 * 64 * 64 - 1000)),
            1,
            "linear attention in two layers of four");
    }
};

} // namespace

std::vector<TestCase*>
MakeModelSizeTestCases()
{
    return {new ModelFlopsTestCase,
            new ModelReachTestCase,
            new ModelParametersTestCase,
            new ModelMemoryTestCase,
            new SpreadLayersTestCase};
}

} // namespace ns3
