/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/model-lowering.h"
#include "ns3/model-size.h"
#include "ns3/pipeline-layout.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A model of nine layers.
const std::string NINE_LAYERS = R"({"layers": 9, "hidden": 64, "heads": 8, "ffn": 160,
 "vocabulary": 1024, "sequence": 128})";

/**
 * @param numbers numbers
 * @return them with blanks between
 */
std::string
Join(const std::vector<uint32_t>& numbers)
{
    std::string text;
    for (const auto number : numbers)
    {
        text += (text.empty() ? "" : " ") + std::to_string(number);
    }
    return text;
}

/**
 * @ingroup workload-replay-tests
 * @brief Layouts as Megatron-LM writes them.
 */
class PipelineLayoutTestCase : public TestCase
{
  public:
    PipelineLayoutTestCase()
        : TestCase("layouts of pipelines as Megatron-LM writes them")
    {
    }

  private:
    void DoRun() override
    {
        /// A layout and what it comes to.
        struct Row
        {
            const char* text;  //!< the layout
            const char* begin; //!< layers of the first three parts
            uint32_t parts;    //!< number of parts
            uint32_t layers;   //!< layers of the model
            uint32_t last;     //!< layers of the last part
            uint32_t mtpPart; //!< part that has the layers for further tokens, from 1; 0 = none has
        };

        // The first three stand in Megatron-LM and Megatron-Bridge for DeepSeek-V3, Kimi K2 and
        // GLM-5.
        const std::vector<Row> rows{
            {"Et*3|(tt|)*29,m|L", "3 2 2", 32, 61, 0, 31},
            {"Et|(tt|)*30L", "1 2 2", 32, 61, 0, 0},
            {"Etttttt|tttt|tttttttt|tttttttt|tttttttt|tttttttt|tttttttt|tttttttt|tttt|tttt|tttt|"
             "tttt|"
             "ttttmL",
             "6 4 8",
             13,
             78,
             4,
             13},
            {"Et*2|(t*2|)*34,t*3|(t*2|)*3,tL", "2 2 2", 40, 80, 1, 0},
            {"E|((t|)*2t|)*2,tL", "0 1 1", 8, 7, 1, 0},
            // A part without layers passes on what it is given.
            {"E|t|t*2|t||(t|)*2,t*2,L", "0 1 2", 8, 8, 2, 0},
            {" E , t L ", "1", 1, 1, 1, 0},
        };
        for (const auto& row : rows)
        {
            const auto layout = ParsePipelineLayout({row.text, {"--pipelineLayout", 0, 0, ""}});
            const auto& layers = layout.layers;
            NS_TEST_ASSERT_MSG_EQ(layers.size(), row.parts, row.text);
            NS_TEST_EXPECT_MSG_EQ(std::accumulate(layers.begin(), layers.end(), 0U),
                                  row.layers,
                                  row.text);
            NS_TEST_EXPECT_MSG_EQ(layers.back(), row.last, row.text);
            const auto shown = std::min<std::size_t>(3, layers.size());
            NS_TEST_EXPECT_MSG_EQ(
                Join({layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(shown)}),
                row.begin,
                row.text);
            for (uint32_t part = 1; part <= row.parts; ++part)
            {
                NS_TEST_EXPECT_MSG_EQ(layout.mtpLayers[part - 1],
                                      (part == row.mtpPart ? 1U : 0U),
                                      row.text << ", part " << part);
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Layers of stages as the user wants them.
 */
class ModelLayoutTestCase : public TestCase
{
  public:
    ModelLayoutTestCase()
        : TestCase("layers of pipeline stages by hand")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param stages stages
     * @param change what the user says
     * @return layers of each part
     */
    std::string Share(uint32_t stages, const std::function<void(ModelOptions&)>& change)
    {
        return Join(CompleteModelJob(MakeOptions(NINE_LAYERS, stages, change)).partLayers);
    }

    /**
     * @param json the model
     * @param stages stages
     * @param change what the user says
     * @return options
     */
    ModelOptions MakeOptions(const std::string& json,
                             uint32_t stages,
                             const std::function<void(ModelOptions&)>& change)
    {
        const auto file = CreateTempDirFilename("nine.json");
        WriteWorkloadFile(file, json);
        auto options = MakeModelOptions(file, 1, 1, 1, stages, 8);
        change(options);
        return options;
    }

    /// Check what stages of a layout compute and keep.
    void CheckStages();

    /// Check how layers are shared out beside one that predicts further tokens.
    void CheckFurtherTokens()
    {
        /// A model, and what its parts have.
        struct Row
        {
            uint32_t layers;      //!< layers of the model
            uint32_t stages;      //!< stages
            const char* expected; //!< layers of each part
        };

        // Those of 61 layers stand in Megatron-Bridge's recipes for DeepSeek-V3.
        const std::vector<Row> rows{
            {61, 16, "4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 1"},
            {61, 8, "8 8 8 8 8 8 8 5"},
            {61, 4, "16 16 16 13"},
            {60, 4, "15 15 15 15"},
            // More are missing than one further token weighs: the other end has less, too.
            {28, 8, "3 4 4 4 4 4 4 1"},
            // No part is left without layers.
            {9, 8, "1 1 1 2 1 1 1 1"},
        };
        for (const auto& row : rows)
        {
            const auto json =
                ReplaceFirst(NINE_LAYERS,
                             "\"layers\": 9",
                             "\"mtpLayers\": 1, \"layers\": " + std::to_string(row.layers));
            const auto job = CompleteModelJob(MakeOptions(json, row.stages, [](auto&) {}));
            NS_TEST_EXPECT_MSG_EQ(Join(job.partLayers),
                                  row.expected,
                                  row.layers << " layers on " << row.stages << " stages");
        }
    }
};

void
ModelLayoutTestCase::CheckStages()
{
    const auto json = ReplaceFirst(NINE_LAYERS, "\"sequence\"", "\"mtpLayers\": 1, \"sequence\"");
    const auto options = MakeOptions(json, 4, [](auto& o) { o.pipelineLayout = "Et*5|t*4|m|L"; });
    const auto job = CompleteModelJob(options);
    const auto workload = ReadModel(options);
    const std::vector<std::set<int32_t>> expected{{0, 1, 2, 3, 4}, {5, 6, 7, 8}, {9}, {}};
    double flops = 0;
    ParameterCount count;
    for (uint32_t stage = 0; stage < 4; ++stage)
    {
        std::set<int32_t> layers;
        bool hasHead = false;
        const auto& program = workload->GetProgram(stage);
        for (const auto& op : program.GetOps())
        {
            if (op.kind == OpKind::COMPUTE && op.layer >= 0)
            {
                layers.insert(op.layer);
            }
            hasHead = hasHead || (op.layer < 0 && op.phase == OpPhase::FORWARD &&
                                  op.kind == OpKind::COMPUTE && stage == 3);
        }
        NS_TEST_EXPECT_MSG_EQ((layers == expected[stage]), true, "layers of stage " << stage);
        NS_TEST_EXPECT_MSG_EQ(hasHead, (stage == 3), "the loss has a stage of its own");
        flops += GetPartFlopsPerToken(job, stage);
        count += CountPartParameters(job, stage);
    }
    const auto whole = GetFlopsPerToken(job.model, job.training.sequence);
    NS_TEST_EXPECT_MSG_EQ_TOL(flops, whole, 1e-9 * whole, "all operations");
    NS_TEST_EXPECT_MSG_EQ(count.GetTotal(),
                          CountParameters(job.model).GetTotal(),
                          "all parameters");
}

void
ModelLayoutTestCase::DoRun()
{
    NS_TEST_EXPECT_MSG_EQ(Share(3, [](auto& o) { o.pipelineLayout = "Et|t*5|t*3L"; }),
                          "1 5 3",
                          "a layout");
    NS_TEST_EXPECT_MSG_EQ(Share(2, [](auto& o) { o.pipelineLayout = "Et|t|t*3|t*4L"; }),
                          "1 1 3 4",
                          "a layout that asks for two chunks a stage");
    NS_TEST_EXPECT_MSG_EQ(Share(4, [](auto& o) { o.firstStageLayers = 1; }),
                          "1 3 3 2",
                          "of the first stage");
    NS_TEST_EXPECT_MSG_EQ(Share(4,
                                [](auto& o) {
                                    o.firstStageLayers = 3;
                                    o.lastStageLayers = 0;
                                }),
                          "3 3 3 0",
                          "of both ends");
    NS_TEST_EXPECT_MSG_EQ(Share(2,
                                [](auto& o) {
                                    o.layout.vpp = 2;
                                    o.lastStageLayers = 4;
                                }),
                          "3 2 2 2",
                          "of a stage with two chunks");
    NS_TEST_EXPECT_MSG_EQ(Share(2, [](auto& o) { o.embeddingAsLayer = true; }),
                          "4 5",
                          "the embedding counts");
    NS_TEST_EXPECT_MSG_EQ(Share(5, [](auto& o) { o.lossAsLayer = true; }),
                          "2 2 2 2 1",
                          "the loss counts");
    CheckStages();
    CheckFurtherTokens();
}

} // namespace

std::vector<TestCase*>
MakePipelineLayoutTestCases()
{
    return {new PipelineLayoutTestCase, new ModelLayoutTestCase};
}

} // namespace ns3
