/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "model-test-job.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/model-lowering.h"
#include "ns3/model-size.h"
#include "ns3/pipeline-schedule.h"

#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t LAYERS = 9; //!< layers: not the same on all stages

/// A model of so many layers.
const std::string MODEL = R"({"layers": 9, "hidden": 64, "heads": 8, "kvHeads": 4, "headSize": 12,
 "ffn": 160, "vocabulary": 1024, "sequence": 128, "tiedEmbedding": true})";

/**
 * @ingroup workload-replay-tests
 * @brief A model in every pipeline schedule.
 */
class ModelPipelineTestCase : public TestCase
{
  public:
    ModelPipelineTestCase()
        : TestCase("a model in every pipeline schedule")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param name name of a schedule
     * @param chunks model chunks of a stage
     * @param copies stages that hold the same part
     */
    void CheckSchedule(const std::string& name, uint32_t chunks, uint32_t copies);

    /// How long a pipeline of equal stages takes.
    void CheckTime();
};

void
ModelPipelineTestCase::CheckSchedule(const std::string& name, uint32_t chunks, uint32_t copies)
{
    constexpr uint32_t stages = 4;
    constexpr uint32_t microbatches = 8;
    const auto file = CreateTempDirFilename("model.json");
    WriteWorkloadFile(file, MODEL);
    auto options = MakeModelOptions(file, 2, 1, 2, stages, microbatches);
    options.schedule = name;
    if (name == "interleaved")
    {
        options.layout.vpp = chunks;
    }
    const auto workload = ReadModel(options);
    // Parameters of a layer on one of two tensor parallel ranks, and of the two ends.
    const uint64_t layer = 64 * (96 * 2 + 48 * 2) / 2 + 3 * 64 * 160 / 2 + 2 * 64;
    const uint64_t end = 1024 * 64 / 2;
    uint64_t reduced = 0;
    std::multiset<int32_t> layers;
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        const auto& program = workload->GetProgram(stage * 4);
        const auto traffic = CountModelTraffic(program);
        const auto gradients = traffic.at("dp reduce-scatter");
        NS_TEST_EXPECT_MSG_EQ(gradients.first, chunks, name << ": once a part");
        NS_TEST_EXPECT_MSG_EQ(traffic.at("dp all-gather").first, chunks, name << ": once a part");
        reduced += gradients.second;
        for (const auto& op : program.GetOps())
        {
            const bool isFirst = op.kind == OpKind::COLLECTIVE && op.phase == OpPhase::FORWARD &&
                                 program.GetName(op) == "attention.qkv" && op.microbatch == 0;
            if (isFirst && op.layer >= 0)
            {
                layers.insert(op.layer);
            }
        }
    }
    // Of a stage that holds both ends, the output layer has no parameters of its own.
    const uint64_t ends = chunks == 2 && name != "interleaved" ? 1 : 2;
    NS_TEST_EXPECT_MSG_EQ(reduced,
                          4 * copies * (LAYERS * layer + 64 + ends * end),
                          name << ": gradients of all parts");
    const auto job = CompleteModelJob(options);
    double kept = 0;
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        kept += GetMemory(job, stage).gradients;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(kept, static_cast<double>(reduced), 1, name << ": kept in memory");
    NS_TEST_EXPECT_MSG_EQ(layers.size(),
                          LAYERS,
                          name << ": one microbatch goes through all layers");
    NS_TEST_EXPECT_MSG_EQ(std::set<int32_t>(layers.begin(), layers.end()).size(),
                          LAYERS,
                          name << ": once through each");

    ReplayTestJob replay(workload);
    replay.Run(DataRate("100Gbps"), MicroSeconds(1));
    NS_TEST_EXPECT_MSG_EQ(replay.iterations.size(), 16, name << ": all ranks finish");
    NS_TEST_EXPECT_MSG_EQ(replay.faults.size(), 0, name << ": nothing contradicts");
    NS_TEST_EXPECT_MSG_EQ((replay.receivedBytes == replay.expectedBytes),
                          true,
                          name << ": all arrives");
}

void
ModelPipelineTestCase::CheckTime()
{
    // Ends without work, and layers of 1 ms forward and 1 + 1 ms backward: 1F1B of 3 stages of 3
    // layers takes (8 + 3 - 1) x 9 ms, ZB-H1 (8 x 9 + 2 x 3) ms.
    ModelTestJob job(MODEL, {1, 1, 1, 3, 8}, [this](const std::string& name) {
        return CreateTempDirFilename(name);
    });
    job.SetTimes("ffn.fc1\t1000\t1000\t1000\n");
    for (const auto& [name, time] :
         {std::pair<std::string, uint64_t>{"1f1b", 90}, {"gpipe", 90}, {"zb-h1", 78}})
    {
        job.Run(DataRate("8000Gbps"),
                [&schedule = name](ModelOptions& options) { options.schedule = schedule; });
        NS_TEST_EXPECT_MSG_EQ_TOL(job.GetIterationTime(),
                                  MilliSeconds(time),
                                  MicroSeconds(2),
                                  name);
    }
}

void
ModelPipelineTestCase::DoRun()
{
    for (const auto& name : PipelineSchedule::GetNames())
    {
        const bool isBidirectional = name == "dualpipe";
        const bool isFolded =
            name == "zb-v" || name == "v-half" || name == "v-min" || name == "dualpipev";
        CheckSchedule(name,
                      isBidirectional || isFolded || name == "interleaved" ? 2 : 1,
                      isBidirectional ? 2 : 1);
    }
    CheckTime();
}

} // namespace

std::vector<TestCase*>
MakeModelPipelineTestCases()
{
    return {new ModelPipelineTestCase};
}

} // namespace ns3
