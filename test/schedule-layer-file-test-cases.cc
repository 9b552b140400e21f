/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-test-case.h"
#include "replay-test-job.h"
#include "schedule-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/parallel-groups.h"
#include "ns3/pipeline-schedule.h"

#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Layer files and groups of ranks under schedules with two chunks a stage.
 */
class ScheduleLayerFileTestCase : public LayerFileTestCase
{
  public:
    ScheduleLayerFileTestCase()
        : LayerFileTestCase("layer files under all schedules")
    {
    }

  private:
    void DoRun() override;

    /// Which rows stages run.
    void CheckRows();

    /// What can not be run.
    void CheckUnsupported();

    /// Who shares data parallel groups and embeddings.
    void CheckGroups();

    /// That ranks of a data parallel group reduce the same gradients in the same order.
    void CheckReductions();

    /**
     * @param options what the user says
     * @param rank a rank
     * @return its computations: phase (f, i, w), row, microbatch
     */
    std::string List(const LayerFileOptions& options, uint32_t rank);
};

/// Two layers a stage, a and b, between an embedding and a head; each part of a pass takes 1 ns.
const std::string LAYERS = "HYBRID_TRANSFORMER pp: 2 vpp: 1 ga: 1 all_gpus: 2 pp_comm: 1\n"
                           "5\n"
                           "embedding_layer -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"
                           "a -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"
                           "a -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"
                           "final_column -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"
                           "embedding_grads -1 1 NONE 0 0 NONE 0 0 NONE 0 0\n";

std::string
ScheduleLayerFileTestCase::List(const LayerFileOptions& options, uint32_t rank)
{
    const auto workload = Read(LAYERS, options);
    const auto& program = workload->GetProgram(rank);
    std::string text;
    for (const auto index : program.GetStreamOps(0))
    {
        const auto& op = program.GetOps()[index];
        const char phase = op.phase == OpPhase::FORWARD           ? 'f'
                           : op.phase == OpPhase::BACKWARD_INPUT  ? 'i'
                           : op.phase == OpPhase::BACKWARD_WEIGHT ? 'w'
                                                                  : 'o';
        text += (text.empty() ? "" : " ") + std::string(1, phase) + program.GetName(op)[0] +
                (op.layer < 0 ? "" : std::to_string(op.layer)) +
                (op.microbatch < 0 ? "" : "." + std::to_string(op.microbatch));
    }
    return text;
}

void
ScheduleLayerFileTestCase::DoRun()
{
    CheckRows();
    CheckUnsupported();
    CheckGroups();
    CheckReductions();
}

void
ScheduleLayerFileTestCase::CheckRows()
{
    LayerFileOptions options;
    options.schedule = "zb-h1";
    options.layout.microbatches = 1;
    NS_TEST_EXPECT_MSG_EQ(List(options, 0),
                          "fe.0 fa0.0 fa1.0 ia1.0 ia0.0 ie.0 wa1.0 wa0.0 we.0 oe",
                          "first stage: the gradients of all inputs, then those of all weights");
    // One layer a chunk: the first stage has both ends of the model.
    options.schedule = "v-half";
    NS_TEST_EXPECT_MSG_EQ(List(options, 0),
                          "fe.0 fa0.0 fa1.0 ff.0 if.0 ia1.0 wf.0 wa1.0 ia0.0 ie.0 wa0.0 we.0 oe",
                          "first stage of a folded pipeline");
    NS_TEST_EXPECT_MSG_EQ(List(options, 1),
                          "fa0.0 fa1.0 ia1.0 wa1.0 ia0.0 wa0.0",
                          "last stage of a folded pipeline");
    // All layers of a stage in both directions, and both stages have both ends: F0a F2b F1a B2b
    // F3b&B0a B3b I1a W1a.
    options.schedule = "dualpipe";
    options.layout.microbatches = 4;
    NS_TEST_EXPECT_MSG_EQ(List(options, 0),
                          "fe.0 fa0.0 fa1.0 fa0.2 fa1.2 ff.2 fe.1 fa0.1 fa1.1 "
                          "if.2 wf.2 ia1.2 wa1.2 ia0.2 wa0.2 "
                          "fa0.3 fa1.3 ff.3 ia1.0 wa1.0 ia0.0 wa0.0 ie.0 we.0 "
                          "if.3 wf.3 ia1.3 wa1.3 ia0.3 wa0.3 "
                          "ia1.1 ia0.1 ie.1 wa1.1 wa0.1 we.1 oe oe",
                          "first stage, both directions; gradients of both its parts");
    const auto workload = Read(LAYERS, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "dualpipe", "schedule");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings().size(), 0, "vpp 1 of AICB says nothing");
}

void
ScheduleLayerFileTestCase::CheckUnsupported()
{
    LayerFileOptions options;
    options.schedule = "zb-v";
    const auto fault = [&](const std::string& file) {
        return WorkloadErrorOf([&] { Read(file, options); });
    };
    options.layout.microbatches = 2;
    NS_TEST_EXPECT_MSG_EQ(fault(LAYERS),
                          "--schedule: error: expected a schedule for this pipeline, found zb-v; "
                          "zb-v needs at least 3 microbatches to fill a pipeline of 2 stages, not "
                          "2",
                          "too few microbatches");
    options.layout.microbatches = 4;
    const auto odd = ReplaceFirst(ReplaceFirst(LAYERS, "\n5\n", "\n6\n"),
                                  "a -1 1",
                                  "a -1 1 NONE 0 1 NONE 0 1 NONE 0 0\na -1 1");
    NS_TEST_EXPECT_MSG_EQ(fault(odd),
                          "--schedule: error: expected a schedule for this pipeline, found zb-v; 2 "
                          "model chunks (vpp) do not divide the 3 layers of a stage",
                          "odd number of layers");
    options.layout.vpp = 4;
    const auto workload = Read(LAYERS, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings().front(),
                          "zb-v has 2 model chunks per stage (vpp), not 4, so the schedule is zb-v "
                          "with 2 model chunks per stage",
                          "other chunks");
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "zb-v", "schedule");
}

void
ScheduleLayerFileTestCase::CheckGroups()
{
    // tp 1, cp 2, dp 4 with ep 2, four stages of eight ranks.
    ParallelLayout layout{32, 1, 2, 2, 4, 4, 8};
    const auto check = [&](uint32_t rank, Dimension dimension, const std::vector<uint32_t>& ranks) {
        NS_TEST_EXPECT_MSG_EQ((ParallelGroups(layout).GetGroup(rank, dimension).ranks == ranks),
                              true,
                              ToString(dimension) << " group of rank " << rank);
    };
    layout.placement = StagePlacement::TWICE;
    const std::vector<uint32_t> both{8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    check(9, Dimension::DP, both);
    check(20, Dimension::DP, both);
    check(9, Dimension::EDP, {9, 13, 17, 21});
    check(18, Dimension::EDP, {10, 14, 18, 22});
    check(9, Dimension::EP, {9, 11});
    check(9, Dimension::PP, {1, 9, 17, 25});
    check(1, Dimension::EMBEDDING, {1, 25});
    layout.placement = StagePlacement::FOLDED;
    check(9, Dimension::EDP, {9, 13});
    check(1, Dimension::EMBEDDING, {1});

    LayerFileOptions options;
    options.schedule = "dualpipe";
    options.layout.microbatches = 4;
    NS_TEST_EXPECT_MSG_EQ((Read(LAYERS, options)->GetLayout().placement == StagePlacement::TWICE),
                          true,
                          "parts are on two stages");
    options.schedule = "v-min";
    NS_TEST_EXPECT_MSG_EQ((Read(LAYERS, options)->GetLayout().placement == StagePlacement::FOLDED),
                          true,
                          "the pipeline turns");
}

void
ScheduleLayerFileTestCase::CheckReductions()
{
    // Each row reduces another number of bytes, in each microbatch and once.
    const std::string rows = "HYBRID_TRANSFORMER pp: 4 ga: 1 all_gpus: 8 pp_comm: 1\n"
                             "6\n"
                             "grad_param -1 1 NONE 0 1 NONE 0 1 REDUCESCATTER 64 0\n"
                             "embedding_grads -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 32 0\n"
                             "embedding_layer -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 0\n"
                             "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 16 0\n"
                             "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE_DP_EP 24 0\n"
                             "final_column -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 40 0\n";
    for (const auto& name : PipelineSchedule::GetNames())
    {
        LayerFileOptions options;
        options.schedule = name;
        options.layout.microbatches = 8;
        options.layout.vpp = name == "interleaved" ? 2 : 1;
        const auto workload = Read(rows, options);
        NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), name, "schedule");
        ReplayTestJob job(workload);
        job.Run(DataRate("8Gbps"), Time(0));
        NS_TEST_EXPECT_MSG_EQ(job.iterations.size(), 8, name << " ends on all ranks");
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, name << " agrees");
    }
}

} // namespace

std::vector<TestCase*>
MakeScheduleLayerFileTestCases()
{
    return {new ScheduleLayerFileTestCase};
}

} // namespace ns3
