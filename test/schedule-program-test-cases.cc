/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-test-job.h"
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
        : PipelineSchedule("listed"),
          m_passes(std::move(passes))
    {
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

    /// How much passes that run together save.
    void CheckTogetherTime();

    /// Results that outlive their pass, and those whose consumer is left out.
    void CheckResults();
};

void
SchedulePassesTestCase::DoRun()
{
    CheckSplit();
    CheckTogether();
    CheckTogetherTime();
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
SchedulePassesTestCase::CheckTogetherTime()
{
    // Each computation takes 1 ms, and so does each all-reduce between two ranks: of 10^9 bytes
    // each rank sends 10^9, half to reduce and half to gather, at 10^12 a second.
    const auto compute = [](const std::string& name) {
        auto item = MakeComputation(name);
        item.op.amount = 1000000000;
        return item;
    };
    auto reduce = MakeCollective("reduce");
    reduce.op.amount = 1000000000;
    auto pass = std::make_shared<StagePass>();
    pass->forward = {compute("a"), reduce, compute("b")};
    pass->backward = {compute("c"), reduce, compute("d")};
    StageWork work;
    work.passes = {{pass, pass}};
    const ParallelLayout layout{2, 2, 1, 1, 1, 1, 2};
    const auto run = [&](bool together) {
        const ListedSchedule schedule({{PassKind::FORWARD, 0},
                                       {PassKind::FORWARD, 1},
                                       {PassKind::BACKWARD, 0, 0, together},
                                       {PassKind::BACKWARD, 1}});
        auto workload = std::make_shared<Workload>("test", "test", layout);
        const auto slots = ParallelGroups(layout).AddTo(*workload);
        for (uint32_t rank = 0; rank < layout.world; ++rank)
        {
            workload->SetRank(rank, LowerStage(work, schedule, {1, 2}, 0), slots[rank]);
        }
        ReplayTestJob job(workload);
        job.Run(DataRate("8000Gbps"), Time(0));
        return job.end;
    };
    NS_TEST_EXPECT_MSG_EQ_TOL(run(false),
                              MilliSeconds(4 * 3),
                              MicroSeconds(200),
                              "one after another");
    // Together a, c beside the reduction of a, b beside that of c, and d.
    NS_TEST_EXPECT_MSG_EQ_TOL(run(true),
                              MilliSeconds(2 * 3 + 4),
                              MicroSeconds(200),
                              "two passes together");
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
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(*LowerStage(work, schedule, {1, 2, 0, true}, 0)),
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

} // namespace

std::vector<TestCase*>
MakeScheduleProgramTestCases()
{
    return {new SchedulePassesTestCase};
}

} // namespace ns3
