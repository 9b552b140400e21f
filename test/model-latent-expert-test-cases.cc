/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/model-job.h"
#include "ns3/model-size.h"
#include "ns3/model-steps.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

constexpr double H = 64;      //!< hidden
constexpr double L = 16;      //!< elements of a token where experts see it
constexpr double EXPERTS = 8; //!< experts
constexpr double TOP = 2;     //!< experts of a token
constexpr double E = 48;      //!< ffn of an expert
constexpr double S = 128;     //!< tokens of a sequence
constexpr double LAYERS = 4;  //!< layers, all with experts

/// A model with these numbers, whose experts see whole tokens.
const std::string WHOLE = R"({"layers": 4, "hidden": 64, "heads": 8, "vocabulary": 1024,
    "sequence": 128, "experts": {"count": 8, "topK": 2, "ffn": 48, "bias": true}})";

/**
 * @ingroup workload-replay-tests
 * @brief Experts that see less of a token than the model has: counted by hand.
 */
class ModelLatentExpertTestCase : public TestCase
{
  public:
    ModelLatentExpertTestCase()
        : TestCase("experts that are sent narrow tokens")
    {
    }

  private:
    void DoRun() override
    {
        m_whole = CreateTempDirFilename("whole.json");
        m_latent = CreateTempDirFilename("latent.json");
        WriteWorkloadFile(m_whole, WHOLE);
        WriteWorkloadFile(m_latent,
                          ReplaceFirst(WHOLE, "\"ffn\": 48", R"("ffn": 48, "latent": 16)"));
        CheckSteps();
        CheckExpertRanks();
        CheckSizes();
    }

    /**
     * @param options a job
     * @param name name of a step of its first layer
     * @return the step; without a name if there is none
     */
    static ModelStep FindStep(const ModelOptions& options, const std::string& name)
    {
        const auto job = CompleteModelJob(options);
        const auto steps = ModelStepMaker(job, 0).MakeLayer(0);
        const auto found = std::find_if(steps.begin(), steps.end(), [&name](const auto& step) {
            return step.name == name;
        });
        return found == steps.end() ? ModelStep{} : *found;
    }

    /**
     * @param file a model
     * @param tp tensor parallel ranks, of an expert too
     * @return a job of two expert parallel ranks
     */
    static ModelOptions MakeJob(const std::string& file, uint32_t tp)
    {
        auto options = MakeModelOptions(file, tp, 1, 2);
        options.layout.ep = 2;
        options.etp = tp;
        return options;
    }

    /// What a layer does on a rank that has half of the experts.
    void CheckSteps()
    {
        const auto options = MakeJob(m_latent, 1);
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, "moe.latent-down").forward.matrixFlops,
                              2 * S * H * L,
                              "before tokens are sent");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, "moe.latent-up").forward.matrixFlops,
                              2 * S * L * H,
                              "after results are back");
        // All copies of the own tokens, and as many as come from both ranks.
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, "moe.permute").forward.memoryBytes,
                              4 * 2 * S * TOP * L,
                              "copies are narrow");
        const auto up = FindStep(options, "moe.fc1");
        NS_TEST_EXPECT_MSG_EQ(up.forward.matrixFlops, 2 * S * TOP * L * 2 * E, "two matrices");
        NS_TEST_ASSERT_MSG_EQ(up.before.size(), 1, "one exchange");
        NS_TEST_EXPECT_MSG_EQ(up.before[0].forwardBytes, 2 * S * TOP * L, "sent");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, "moe.fc2").forward.matrixFlops,
                              2 * S * TOP * E * L,
                              "one matrix");
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, "moe.bias").forward.memoryBytes,
                              12 * S * TOP * L,
                              "biases are as narrow");
        NS_TEST_EXPECT_MSG_EQ(FindStep(MakeJob(m_whole, 1), "moe.latent-down").name, "", "whole");
    }

    /// Ranks of an expert gather tokens; each makes its own narrow.
    void CheckExpertRanks()
    {
        const auto options = MakeJob(m_latent, 2);
        NS_TEST_EXPECT_MSG_EQ(FindStep(options, "moe.latent-down").forward.matrixFlops,
                              2 * S / 2 * H * L,
                              "half of the tokens, all weights");
        const auto up = FindStep(options, "moe.fc1");
        NS_TEST_ASSERT_MSG_EQ(up.before.size(), 2, "exchange and gathering");
        // Half of the tokens of a rank, those of two ranks, of which half come here; twice
        // gathered.
        NS_TEST_EXPECT_MSG_EQ(up.before[1].forwardBytes, 2 * S / 2 * TOP * L * 2, "gathered");
    }

    /// Parameters, FLOPs and memory against those of experts that see whole tokens.
    void CheckSizes()
    {
        const auto read = [](const std::string& file) {
            return ReadModelDescription({file, {"--model", 0, 0, ""}});
        };
        const auto count = CountParameters(read(m_latent));
        // Three matrices and their biases.
        NS_TEST_EXPECT_MSG_EQ(count.experts, LAYERS * EXPERTS * (3 * L * E + 2 * E + L), "experts");
        NS_TEST_EXPECT_MSG_EQ(count.shared - CountParameters(read(m_whole)).shared,
                              LAYERS * 2 * H * L,
                              "down and up");
        NS_TEST_EXPECT_MSG_EQ(count.replicated - CountParameters(read(m_whole)).replicated,
                              LAYERS * 2 * H * L,
                              "on each tensor parallel rank");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetFlopsPerToken(read(m_whole), 128) -
                                      GetFlopsPerToken(read(m_latent), 128),
                                  LAYERS * 6 * (TOP * 3 * (H - L) * E - 2 * H * L),
                                  1,
                                  "six FLOP of each weight");
        const auto getMemory = [](const std::string& file) {
            return GetLayerActivations(CompleteModelJob(MakeJob(file, 1)), 0);
        };
        // What comes to an expert and goes from it, in 2 bytes; what is made wide.
        NS_TEST_EXPECT_MSG_EQ(getMemory(m_whole) - getMemory(m_latent),
                              S * (TOP * 2 * (H - L) - 2 * L),
                              "activations");
    }

    std::string m_whole;  //!< file of the model whose experts see whole tokens
    std::string m_latent; //!< file of the other one
};

} // namespace

std::vector<TestCase*>
MakeModelLatentExpertTestCases()
{
    return {new ModelLatentExpertTestCase};
}

} // namespace ns3
