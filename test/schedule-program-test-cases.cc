/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-test-case.h"
#include "schedule-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/parallel-groups.h"
#include "ns3/stage-program.h"

#include <string>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief One stage, and passes that a test lists.
 */
class ListedSchedule : public PipelineSchedule
{
  public:
    /**
     * @param passes the passes
     */
    explicit ListedSchedule(std::vector<PipelinePass> passes)
        : m_passes(std::move(passes))
    {
    }

    std::string GetName() const override
    {
        return "listed";
    }

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape&, uint32_t) const override
    {
        return m_passes;
    }

    std::vector<PipelinePass> m_passes; //!< the passes
};

/**
 * @param name name of an item
 * @param phase its phase
 * @return a computation of one picosecond
 */
StageItem
MakeComputation(const std::string& name, OpPhase phase = OpPhase::FORWARD)
{
    StageItem item;
    item.name = name;
    item.op.amount = 1;
    item.op.phase = phase;
    return item;
}

/**
 * @param name name of an item
 * @param phase its phase
 * @return a collective of one byte over tp
 */
StageItem
MakeCollective(const std::string& name, OpPhase phase = OpPhase::FORWARD)
{
    auto item = MakeComputation(name, phase);
    item.op.kind = OpKind::COLLECTIVE;
    item.op.communicator = static_cast<uint32_t>(Dimension::TP);
    return item;
}

/**
 * @ingroup workload-replay-tests
 * @brief What passes that are split, that run together, or that leave results behind wait for.
 */
class SchedulePassesTestCase : public TestCase
{
  public:
    SchedulePassesTestCase()
        : TestCase("programs of split passes, of passes that run together, and of results")
    {
    }

  private:
    void DoRun() override;

    /// Items of a split backward pass, and a result from one part to the other.
    void CheckSplit();

    /// Passes that run together.
    void CheckTogether();

    /// Results that outlive their pass, and those whose consumer is left out.
    void CheckResults();
};

void
SchedulePassesTestCase::DoRun()
{
    CheckSplit();
    CheckTogether();
    CheckResults();
}

void
SchedulePassesTestCase::CheckSplit()
{
    auto again = MakeCollective("again", OpPhase::FORWARD);
    auto gather = MakeCollective("gather", OpPhase::BACKWARD_INPUT);
    gather.produces.number = 1;
    auto weight = MakeComputation("weight", OpPhase::BACKWARD_WEIGHT);
    weight.consumes.number = 1;
    auto reduce = MakeCollective("reduce", OpPhase::GRAD_SYNC);
    reduce.blocking = false;
    auto pass = std::make_shared<StagePass>();
    pass->forward = {MakeComputation("f")};
    pass->backward = {again,
                      weight,
                      MakeComputation("input", OpPhase::BACKWARD_INPUT),
                      gather,
                      weight,
                      reduce,
                      MakeComputation("more", OpPhase::BACKWARD_INPUT)};
    StageWork work;
    work.passes = {{pass}};
    work.after = {MakeComputation("after", OpPhase::OPTIMIZER)};
    const ListedSchedule schedule(
        {{PassKind::FORWARD, 0}, {PassKind::BACKWARD_INPUT, 0}, {PassKind::BACKWARD_WEIGHT, 0}});
    // Recomputation is needed for the gradients of the input; weights and their reduction wait.
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(*LowerStage(work, schedule, {1, 1}, 0)),
                          "0 compute f forward compute 1 @0 <-\n"
                          "1 tp again forward all-reduce 1 @0 <- 0\n"
                          "2 compute input backward-input compute 1 @0 <- 1\n"
                          "3 tp gather backward-input all-reduce 1 @0 <- 2\n"
                          "4 compute more backward-input compute 1 @0 <- 2\n"
                          "5 compute weight backward-weight compute 1 @0 <- 3 4\n"
                          "6 compute weight backward-weight compute 1 @0 <- 3 5\n"
                          "7 tp reduce grad-sync all-reduce 1 @0 <- 6\n"
                          "8 compute after optimizer compute 1 @0 <- 6 7\n",
                          "split");
}

void
SchedulePassesTestCase::CheckTogether()
{
    auto pass = std::make_shared<StagePass>();
    pass->forward = {MakeComputation("a"), MakeCollective("x"), MakeComputation("b")};
    pass->backward = {MakeComputation("c"), MakeCollective("y"), MakeComputation("d")};
    StageWork work;
    work.passes = {{pass, pass}};
    const ListedSchedule schedule({{PassKind::FORWARD, 0},
                                   {PassKind::FORWARD, 1},
                                   {PassKind::BACKWARD, 0, 0, true},
                                   {PassKind::BACKWARD, 1}});
    const auto program = LowerStage(work, schedule, {1, 2}, 0);
    // c runs while x communicates, and b while y does; the next pass waits for both.
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(*program),
                          "0 compute a forward compute 1 @0 <-\n"
                          "1 tp x forward all-reduce 1 @0 <- 0\n"
                          "2 compute b forward compute 1 @0 <- 1\n"
                          "3 compute a forward compute 1 @0 <- 2\n"
                          "4 tp x forward all-reduce 1 @0 <- 3\n"
                          "5 compute c forward compute 1 @0 <- 2\n"
                          "6 tp y forward all-reduce 1 @0 <- 5\n"
                          "7 compute b forward compute 1 @0 <- 4\n"
                          "8 compute d forward compute 1 @0 <- 6\n"
                          "9 compute c forward compute 1 @0 <- 7 8\n"
                          "10 tp y forward all-reduce 1 @0 <- 9\n"
                          "11 compute d forward compute 1 @0 <- 10\n",
                          "together");
    NS_TEST_EXPECT_MSG_EQ(program->GetOps()[7].microbatch, 1, "b is of the forward pass");
    NS_TEST_EXPECT_MSG_EQ(program->GetOps()[8].microbatch, 0, "d is of the backward pass");
}

void
SchedulePassesTestCase::CheckResults()
{
    auto lasting = MakeCollective("lasting");
    lasting.produces = {1, true};
    auto own = MakeCollective("own");
    own.produces = {1, false};
    auto aside = MakeCollective("aside");
    aside.consumes = {1, true};
    aside.blocking = false;
    auto leftOut = MakeComputation("left out");
    leftOut.op.amount = 0;
    leftOut.consumes = {1, false};
    auto later = MakeComputation("later");
    later.consumes = {1, true};
    auto other = MakeComputation("other");
    other.consumes = {1, false};
    auto first = std::make_shared<StagePass>();
    first->forward = {MakeComputation("a"), lasting, aside, own, leftOut, MakeComputation("b")};
    auto second = std::make_shared<StagePass>();
    second->forward = {other, later, own};
    StageWork work;
    work.passes = {{first, second}};
    work.after = {MakeComputation("after", OpPhase::OPTIMIZER)};
    const ListedSchedule schedule({{PassKind::FORWARD, 0}, {PassKind::FORWARD, 1}});
    // What follows "aside", which blocks nobody, does not wait for what that one waits for. b waits
    // as the item that was left out would; "other" finds no result of its own pass; "own"
    // of the second pass keeps nobody waiting but what follows all passes.
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(*LowerStage(work, schedule, {1, 2}, 0)),
                          "0 compute a forward compute 1 @0 <-\n"
                          "1 tp lasting forward all-reduce 1 @0 <- 0\n"
                          "2 tp aside forward all-reduce 1 @0 <- 0 1\n"
                          "3 tp own forward all-reduce 1 @0 <- 0\n"
                          "4 compute b forward compute 1 @0 <- 0 3\n"
                          "5 compute other forward compute 1 @0 <- 4\n"
                          "6 compute later forward compute 1 @0 <- 1 5\n"
                          "7 tp own forward all-reduce 1 @0 <- 6\n"
                          "8 compute after optimizer compute 1 @0 <- 2 6 7\n",
                          "results");
}

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
    void CheckObstacles();

    /// Who shares data parallel groups and embeddings.
    void CheckGroups();

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
    CheckObstacles();
    CheckGroups();
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
                          "ia1.1 ia0.1 ie.1 wa1.1 wa0.1 we.1 oe",
                          "first stage, both directions");
    const auto workload = Read(LAYERS, options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "dualpipe", "schedule");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings().size(), 0, "vpp 1 of AICB says nothing");
}

void
ScheduleLayerFileTestCase::CheckObstacles()
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

} // namespace

std::vector<TestCase*>
MakeScheduleProgramTestCases()
{
    return {new SchedulePassesTestCase, new ScheduleLayerFileTestCase};
}

} // namespace ns3
