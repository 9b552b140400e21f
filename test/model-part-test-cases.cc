/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/model-lowering.h"
#include "ns3/model-size.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

// A small model, of which the cases below change a part.
constexpr double HIDDEN = 64;      //!< hidden
constexpr double LAYERS = 4;       //!< layers
constexpr double WORDS = 1024;     //!< the vocabulary
constexpr uint64_t SEQUENCE = 128; //!< tokens of a sequence

/// A part that few models have.
struct UnusualPart
{
    std::string name;  //!< what it is
    std::string usual; //!< keys without it
    std::string with;  //!< keys with it, the others included
    double parameters; //!< so many more with it
    double multiplied; //!< of these and of what it stands for, so many more that all tokens meet
};

/// @return such parts, with sizes that follow from their descriptions
std::vector<UnusualPart>
GetUnusualParts()
{
    // Transformers, models/gemma3n: in each layer its part of the matrix of inputs, a gate and a
    // matrix back, two matrices of low rank; beside them a table for each layer, and two matrices
    // for each copy of the input but the first.
    const double inLayers = LAYERS * (3 * HIDDEN * 8 + 2 * HIDDEN * 4);
    const double tables = 512 * 8 * LAYERS + 2 * 2 * HIDDEN * HIDDEN;
    // Transformers, models/step3: two matrices and a norm for one matrix.
    const double queries = LAYERS * (HIDDEN * 16 + 16 + 16 * HIDDEN - HIDDEN * HIDDEN);
    // Transformers, models/opt: project_in and project_out.
    const double matrices = 2 * HIDDEN * 32;
    const double narrower = WORDS * (HIDDEN - 32);
    const std::string llama = R"("model_type": "llama", "num_attention_groups": 1)";
    const std::string opt = R"("model_type": "opt")";
    return {{"embeddings of each layer",
             llama,
             llama + R"(, "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 512,
                 "altup_num_inputs": 3, "laurel_rank": 4)",
             inLayers + tables,
             inLayers},
            {"queries of low rank", llama, llama + R"(, "share_q_dim": 16)", queries, queries},
            {"narrow embeddings",
             opt,
             opt + R"(, "word_embed_proj_dim": 32)",
             matrices - 2 * narrower,
             matrices - narrower}};
}

/**
 * @ingroup workload-replay-tests
 * @brief Parameters, operations and traffic of what few models have.
 */
class ModelPartTestCase : public TestCase
{
  public:
    ModelPartTestCase()
        : TestCase("parts that few models have, in closed form")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param keys keys beside the sizes
     * @param tp tensor parallel ranks
     * @param pp stages
     * @return options with such a model
     */
    ModelOptions MakeOptions(const std::string& keys, uint32_t tp, uint32_t pp)
    {
        const auto file = CreateTempDirFilename("part.json");
        WriteWorkloadFile(file,
                          R"({"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4,
                "intermediate_size": 128, "vocab_size": 1024, "max_position_embeddings": 128,
                "tie_word_embeddings": false, )" +
                              keys + "}");
        return MakeModelOptions(file, tp, 1, 1, pp, 1);
    }

    /**
     * @param part a part
     */
    void Check(const UnusualPart& part);

    /// Check what tensor parallel ranks gather for queries of low rank.
    void CheckGathered();
};

void
ModelPartTestCase::Check(const UnusualPart& part)
{
    const auto usual = CompleteModelJob(MakeOptions(part.usual, 1, 2)).model;
    const auto job = CompleteModelJob(MakeOptions(part.with, 1, 2));
    const auto total = CountParameters(job.model).GetTotal();
    NS_TEST_EXPECT_MSG_EQ(static_cast<double>(total) -
                              static_cast<double>(CountParameters(usual).GetTotal()),
                          part.parameters,
                          part.name << ": parameters");
    // Two FLOP a weight forward, twice as many backward.
    const auto flops = GetFlopsPerToken(job.model, SEQUENCE);
    NS_TEST_EXPECT_MSG_EQ_TOL(flops - GetFlopsPerToken(usual, SEQUENCE),
                              6 * part.multiplied,
                              1e-3,
                              part.name << ": operations");
    ParameterCount count;
    double sum = 0;
    for (uint32_t stage = 0; stage < 2; ++stage)
    {
        count += CountPartParameters(job, stage);
        sum += GetPartFlopsPerToken(job, stage);
    }
    NS_TEST_EXPECT_MSG_EQ(count.GetTotal(), total, part.name << ": parameters of stages");
    NS_TEST_EXPECT_MSG_EQ_TOL(sum, flops, 1e-3, part.name << ": operations of stages");
}

void
ModelPartTestCase::CheckGathered()
{
    const auto options =
        MakeOptions(R"("model_type": "llama", "num_attention_groups": 1, "share_q_dim": 16)", 2, 1);
    ModelTraffic expected;
    // What queries are made of, a key and a value, which every rank has of its own tokens.
    const uint64_t latent = 2 * SEQUENCE * (16 + 16 + 16);
    const uint64_t whole = 2 * SEQUENCE * 64;
    // They are gathered forward and once more backward, and their gradient is summed up; the rest
    // is what all layers do (Korthikanti et al., MLSys 2023, figure 5).
    AddModelTraffic(expected, "tp all-gather", 4 * 2, latent);
    AddModelTraffic(expected, "tp all-gather", 4 * 4, whole);
    AddModelTraffic(expected, "tp reduce-scatter", 4, latent);
    AddModelTraffic(expected, "tp reduce-scatter", 4 * 3, whole);
    NS_TEST_EXPECT_MSG_EQ(
        DescribeModelTraffic(CountModelTraffic(ReadModel(options)->GetProgram(0), true)),
        DescribeModelTraffic(expected),
        "what ranks gather for queries of low rank");
}

void
ModelPartTestCase::DoRun()
{
    for (const auto& part : GetUnusualParts())
    {
        Check(part);
    }
    CheckGathered();
}

} // namespace

std::vector<TestCase*>
MakeModelPartTestCases()
{
    return {new ModelPartTestCase};
}

} // namespace ns3
