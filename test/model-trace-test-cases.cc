/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"
#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/chakra-reader.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A job of STAGE (astra-sim/stage), read from its traces, beside the same made from a model.
 *
 * Equal: what tensor parallel ranks gather and scatter in layers, calls and bytes, and messages
 * between stages. Different: STAGE all-reduces gradients after every microbatch, layer by layer,
 * and counts no parameters of norms; it has an embedding and an output layer of all tokens on every
 * tensor parallel rank, whose gradients it all-reduces over tensor parallel ranks and replicas
 * once.
 */
class ModelTraceTestCase : public MeasurementTestCase
{
  public:
    ModelTraceTestCase()
        : MeasurementTestCase("model: traces of STAGE", "chakra")
    {
    }

  private:
    void Check() override;

    /**
     * @param traces the job of STAGE
     * @param rank a rank of it
     * @return what it communicates, keys as of CountModelTraffic()
     */
    static ModelTraffic CountTraces(const Workload& traces, uint32_t rank);
};

ModelTraffic
ModelTraceTestCase::CountTraces(const Workload& traces, uint32_t rank)
{
    ModelTraffic traffic;
    const auto& slots = traces.GetCommunicatorSlots(rank);
    for (const auto& op : traces.GetProgram(rank).GetOps())
    {
        if (op.kind == OpKind::COLLECTIVE)
        {
            // Ranks of STAGE: replicas are neighbours, tensor parallel ranks are two apart.
            const auto& ranks = traces.GetCommunicators()[slots[op.communicator]].ranks;
            const std::string group = ranks.back() - ranks.front() == 1 ? "dp " : "tp ";
            AddModelTraffic(traffic, group + ToString(op.collective), 1, op.amount);
        }
        else if (op.kind != OpKind::COMPUTE)
        {
            AddModelTraffic(traffic, "pp " + ToString(op.kind), 1, op.amount);
        }
    }
    return traffic;
}

void
ModelTraceTestCase::Check()
{
    // By the shapes of tensors in the traces.
    constexpr uint64_t h = 4096;
    constexpr uint64_t f = 11008;
    constexpr uint64_t vocabulary = 32000;
    constexpr uint64_t microbatches = 4;
    const auto file = CreateTempDirFilename("stage.json");
    WriteWorkloadFile(file, R"({"layers": 4, "hidden": 4096, "heads": 32, "ffn": 11008,
 "vocabulary": 32000, "sequence": 4096})");
    auto options = MakeModelOptions(file, 2, 1, 2, 2, microbatches);
    options.training.zero = 0;
    options.training.gradientBytes = 2;
    const auto model = ReadModel(options);
    const auto traces = ReadChakraTraces(Find("stage-dense-dp2-tp2-pp2"), {});
    for (const uint32_t rank : {0, 4})
    {
        const auto found = CountModelTraffic(model->GetProgram(rank));
        const auto inLayers = CountModelTraffic(model->GetProgram(rank), true);
        auto stage = CountTraces(*traces, rank);
        NS_TEST_EXPECT_MSG_EQ((stage["tp all-gather"] == inLayers.at("tp all-gather")),
                              true,
                              "gathered in layers");
        NS_TEST_EXPECT_MSG_EQ((stage["tp reduce-scatter"] == inLayers.at("tp reduce-scatter")),
                              true,
                              "scattered in layers");
        NS_TEST_EXPECT_MSG_EQ((stage["pp send"] == found.at("pp send")), true, "sent");
        NS_TEST_EXPECT_MSG_EQ((stage["pp recv"] == found.at("pp recv")), true, "received");

        const uint64_t layer = (4 * h * h + 3 * h * f) / 2;
        const std::pair<uint64_t, uint64_t> whole{1, 2 * vocabulary * h};
        NS_TEST_EXPECT_MSG_EQ((stage["tp all-reduce"] == whole), true, "embedding of STAGE");
        const auto reduced = 2 * microbatches * 2 * layer + whole.second;
        NS_TEST_EXPECT_MSG_EQ(stage["dp all-reduce"].first, 2 * microbatches + 1, "calls of STAGE");
        NS_TEST_EXPECT_MSG_EQ(stage["dp all-reduce"].second, reduced, "bytes of STAGE");
        const auto norms = 2 * 2 * h + (rank == 4 ? h : 0);
        // The first stage has a bucket of each layer and one of the embedding, above 40 M all.
        NS_TEST_EXPECT_MSG_EQ(found.at("dp all-reduce").first, (rank == 0 ? 3 : 1), "buckets");
        NS_TEST_EXPECT_MSG_EQ(found.at("dp all-reduce").second,
                              (reduced - whole.second) / microbatches +
                                  2 * (norms + vocabulary / 2 * h),
                              "once an iteration");
    }
}

} // namespace

std::vector<TestCase*>
MakeModelTraceTestCases()
{
    return {new ModelTraceTestCase};
}

} // namespace ns3
