/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-test-cases.h"
#include "schedule-timer.h"
#include "workload-test-tools.h"

#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Times of all schedules. 1f1b, zb-h1 and interleaved are closed forms, (p - 1)(F + B + W),
/// (p - 1)(F + B - W) and (p - 1)(F + B + W) per chunk beside the work of a rank. Those of zb-h2,
/// zb-v, v-half and v-min are times of the orders that the authors' planners give
/// (zero-bubble-pipeline-parallelism 39f2c186, scheduler/zb.py, zbv.py and zbv_greedy.py) without
/// communication; those of dualpipe and dualpipev of the order in dualpipe.py and dualpipev.py
/// (DualPipe 3da1bbe). Both were timed apart from this project's code.
const std::vector<ScheduleTime> TIMES{
    {"1f1b", 4, 8, 0, 1, 1, 1, 3, 33},          {"1f1b", 4, 16, 0, 1, 1, 1, 3, 57},
    {"1f1b", 8, 16, 0, 1, 1, 1, 3, 69},         {"1f1b", 8, 32, 0, 1, 1, 1, 3, 117},
    {"1f1b", 4, 8, 0, 10, 12, 8, 30, 330},      {"1f1b", 8, 16, 0, 10, 12, 8, 30, 690},
    {"interleaved", 4, 8, 2, 1, 1, 1, 3, 57},   {"interleaved", 8, 16, 2, 1, 1, 1, 3, 117},
    {"interleaved", 4, 8, 4, 1, 1, 1, 3, 105},  {"interleaved", 8, 16, 4, 1, 1, 1, 3, 213},
    {"zb-h1", 4, 8, 0, 1, 1, 1, 3, 27},         {"zb-h1", 4, 16, 0, 1, 1, 1, 3, 51},
    {"zb-h1", 8, 16, 0, 1, 1, 1, 3, 55},        {"zb-h1", 8, 32, 0, 1, 1, 1, 3, 103},
    {"zb-h1", 4, 8, 0, 10, 12, 8, 30, 282},     {"zb-h1", 8, 16, 0, 10, 12, 8, 30, 578},
    {"zb-h2", 4, 8, 0, 1, 1, 1, 3, 27},         {"zb-h2", 4, 12, 0, 1, 1, 1, 3, 39},
    {"zb-h2", 8, 16, 0, 1, 1, 1, 3, 55},        {"zb-h2", 8, 24, 0, 1, 1, 1, 3, 79},
    {"zb-h2", 4, 8, 0, 10, 12, 8, 30, 270},     {"zb-h2", 8, 16, 0, 10, 12, 8, 30, 550},
    {"zb-v", 4, 8, 0, 1, 1, 1, 3, 51},          {"zb-v", 4, 12, 0, 1, 1, 1, 3, 75},
    {"zb-v", 8, 16, 0, 1, 1, 1, 3, 103},        {"zb-v", 8, 24, 0, 1, 1, 1, 3, 151},
    {"zb-v", 4, 8, 0, 10, 12, 8, 30, 516},      {"zb-v", 8, 16, 0, 10, 12, 8, 30, 1044},
    {"v-half", 4, 8, 0, 1, 1, 1, 3, 53},        {"v-half", 4, 12, 0, 1, 1, 1, 3, 77},
    {"v-half", 8, 16, 0, 1, 1, 1, 3, 113},      {"v-half", 8, 24, 0, 1, 1, 1, 3, 161},
    {"v-half", 4, 8, 0, 10, 12, 8, 30, 558},    {"v-half", 8, 16, 0, 10, 12, 8, 30, 1190},
    {"v-min", 4, 8, 0, 1, 1, 1, 3, 59},         {"v-min", 4, 12, 0, 1, 1, 1, 3, 83},
    {"v-min", 8, 16, 0, 1, 1, 1, 3, 123},       {"v-min", 8, 24, 0, 1, 1, 1, 3, 171},
    {"v-min", 4, 8, 0, 10, 12, 8, 30, 688},     {"v-min", 8, 16, 0, 10, 12, 8, 30, 1434},
    {"dualpipe", 4, 8, 0, 1, 1, 1, 3, 26},      {"dualpipe", 4, 16, 0, 1, 1, 1, 3, 50},
    {"dualpipe", 8, 16, 0, 1, 1, 1, 3, 54},     {"dualpipe", 8, 32, 0, 1, 1, 1, 3, 102},
    {"dualpipe", 4, 8, 0, 10, 12, 8, 30, 264},  {"dualpipe", 8, 16, 0, 10, 12, 8, 30, 552},
    {"dualpipe", 4, 8, 0, 1, 1, 1, 2, 22},      {"dualpipe", 4, 16, 0, 1, 1, 1, 2, 38},
    {"dualpipe", 8, 16, 0, 1, 1, 1, 2, 44},     {"dualpipe", 8, 32, 0, 1, 1, 1, 2, 76},
    {"dualpipe", 4, 8, 0, 10, 12, 8, 20, 224},  {"dualpipe", 8, 16, 0, 10, 12, 8, 20, 452},
    {"dualpipev", 4, 8, 0, 1, 1, 1, 3, 54},     {"dualpipev", 4, 16, 0, 1, 1, 1, 3, 102},
    {"dualpipev", 8, 16, 0, 1, 1, 1, 3, 110},   {"dualpipev", 8, 32, 0, 1, 1, 1, 3, 206},
    {"dualpipev", 4, 8, 0, 10, 12, 8, 30, 552}, {"dualpipev", 8, 16, 0, 10, 12, 8, 30, 1132},
};

/**
 * @ingroup workload-replay-tests
 * @brief Times and activations of orders, and what schedules do not support.
 */
class ScheduleOrderTestCase : public TestCase
{
  public:
    ScheduleOrderTestCase()
        : TestCase("orders of all schedules against published times and activations")
    {
    }

  private:
    void DoRun() override;

    /// Orders written by hand.
    void CheckOrders();

    /// Each microbatch goes once through each part of the model, each way, in the right order.
    void CheckCompleteness();

    /**
     * @param name name of a schedule
     * @param shape shape of its pipeline
     */
    void CheckComplete(const std::string& name, const PipelineShape& shape);

    /// Activations.
    void CheckPeaks();

    /// Parts and their neighbours.
    void CheckPlacement();

    /// What schedules do not support.
    void CheckReasons();
};

/**
 * @param name name of a schedule
 * @param shape shape of its pipeline
 * @param stage a stage
 * @return its passes: F, B (whole), I (input) or W (weights), microbatch, chunk as a letter; &
 * binds passes that run together
 */
std::string
Spell(const std::string& name, const PipelineShape& shape, uint32_t stage)
{
    std::string order;
    for (const auto& pass : PipelineSchedule::Create(name)->GetPasses(shape, stage))
    {
        order += (order.empty() ? "" : pass.together ? "&" : " ");
        order += std::string(1, "FBIW"[static_cast<std::size_t>(pass.kind)]) +
                 std::to_string(pass.microbatch) + static_cast<char>('a' + pass.chunk);
    }
    return order;
}

void
ScheduleOrderTestCase::DoRun()
{
    for (const auto& row : TIMES)
    {
        const auto schedule = PipelineSchedule::Create(row.name);
        const PipelineShape shape{row.stages, row.microbatches, row.chunks};
        ScheduleTimer timer(*schedule, shape, {row.forward, row.input, row.weight, row.pair, 0});
        NS_TEST_EXPECT_MSG_EQ(timer.Run(),
                              row.expected,
                              row.name << " p " << row.stages << " m " << row.microbatches << " v "
                                       << row.chunks << " F " << row.forward << " pair "
                                       << row.pair);
    }
    CheckOrders();
    CheckCompleteness();
    CheckPeaks();
    CheckPlacement();
    CheckReasons();
}

void
ScheduleOrderTestCase::CheckOrders()
{
    const auto check = [this](const std::string& name,
                              const PipelineShape& shape,
                              uint32_t stage,
                              const std::string& expected) {
        NS_TEST_EXPECT_MSG_EQ(Spell(name, shape, stage), expected, name << ", stage " << stage);
    };
    check("zb-h1", {2, 3}, 0, "F0a F1a I0a W0a F2a I1a W1a I2a W2a");
    check("zb-h1", {2, 3}, 1, "F0a I0a F1a I1a W0a F2a I2a W1a W2a");
    check("zb-h2", {2, 3}, 0, "F0a F1a F2a I0a W0a I1a W1a I2a W2a");
    check("zb-h2", {2, 3}, 1, "F0a I0a F1a I1a F2a I2a W0a W1a W2a");
    check("zb-v",
          {2, 3},
          0,
          "F0a F1a F2a F0b I0b W0b F1b I1b W1b I0a W0a F2b I2b I1a W2b I2a W1a W2a");
    check("zb-v",
          {2, 3},
          1,
          "F0a F0b F1a F1b I0b W0b F2a I0a W0a F2b I1b I1a I2b I2a W1b W1a W2b W2a");
    // The steps of dualpipe.py with two ranks and four microbatches: no step has F0 alone.
    check("dualpipe", {2, 4}, 0, "F0a F2b F1a B2b F3b&B0a B3b I1a W1a");
    check("dualpipe", {2, 4}, 1, "F2b F0a F3b B0a F1a&B2b B1a I3b W3b");
    check("dualpipev",
          {2, 4},
          0,
          "F0a F1a F2a F0b I0b W0b F1b F3a&B1b F2b&B0a B2b F3b&B1a B3b I2a W2a I3a W3a");
    // The phases of combined_1f1b.py; with stages one more pass ahead than without pairs, which
    // on the last one is the 2 of the first chunk.
    check("1f1b", {1, 4, 0, false, true}, 0, "F0a F1a&B0a F2a&B1a F3a&B2a B3a");
    check("interleaved",
          {2, 4, 2, false, true},
          1,
          "F0a F1a F0b F1b&B0b F2a&B1b F3a&B0a F2b&B1a F3b&B2b B3b B2a B3a");
    check("interleaved",
          {2, 4, 2},
          1,
          "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a");
    const PipelineShape forwardOnly{2, 4, 0, true};
    check("dualpipe", forwardOnly, 0, "F0a F2b F1a F3b");
    check("zb-h1", forwardOnly, 0, "F0a F1a F2a F3a");
}

void
ScheduleOrderTestCase::CheckCompleteness()
{
    uint32_t nSupported = 0;
    for (const auto& name : PipelineSchedule::GetNames())
    {
        for (const uint32_t stages : {2, 3, 4, 6, 8})
        {
            for (const uint32_t microbatches :
                 {1U, stages, 2 * stages - 1, 2 * stages, 2 * stages + 2, 4 * stages})
            {
                const PipelineShape shape{stages, microbatches, name == "interleaved" ? 2U : 0U};
                if (PipelineSchedule::Create(name)->GetUnsupportedReason(shape).empty())
                {
                    CheckComplete(name, shape);
                    ++nSupported;
                }
            }
        }
    }
    // Of 30 shapes: 1f1b, gpipe, zb-h1, v-half and v-min have all, interleaved those with 1, 2 or 4
    // times the stages and 6 microbatches of 2 stages, zb-h2 and zb-v those of at least 2 p - 1,
    // dualpipe those of at least 2 p with an even p (3 of 4), dualpipev all of at least 2 p.
    NS_TEST_EXPECT_MSG_EQ(nSupported, 5 * 30 + (5 * 3 + 1) + 2 * 20 + 4 * 3 + 5 * 3, "shapes");
}

void
ScheduleOrderTestCase::CheckComplete(const std::string& name, const PipelineShape& shape)
{
    const auto schedule = PipelineSchedule::Create(name);
    // Forward pass, gradients of the input, gradients of the weights.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<int>> counts;
    for (uint32_t stage = 0; stage < shape.stages; ++stage)
    {
        for (const auto& pass : schedule->GetPasses(shape, stage))
        {
            auto& count = counts[{schedule->GetPart(shape, stage, pass.chunk), pass.microbatch}];
            count.resize(3);
            count[0] += pass.kind == PassKind::FORWARD;
            count[1] += pass.kind == PassKind::BACKWARD || pass.kind == PassKind::BACKWARD_INPUT;
            count[2] += pass.kind == PassKind::BACKWARD || pass.kind == PassKind::BACKWARD_WEIGHT;
            NS_TEST_EXPECT_MSG_EQ((count[2] <= count[1] && count[1] <= count[0]),
                                  true,
                                  name << " runs something too early");
            const bool isSplit = pass.kind == PassKind::BACKWARD_INPUT;
            NS_TEST_EXPECT_MSG_EQ((isSplit && !schedule->SplitsBackward()), false, name);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(counts.size(),
                          schedule->CountParts(shape) * shape.microbatches,
                          name << " goes everywhere");
    for (const auto& [place, count] : counts)
    {
        NS_TEST_EXPECT_MSG_EQ((count == std::vector<int>{1, 1, 1}), true, name << " goes once");
    }
    ScheduleTimer timer(*schedule, shape, {});
    NS_TEST_EXPECT_MSG_GT(timer.Run(),
                          0,
                          name << " p " << shape.stages << " m " << shape.microbatches << " ends");
}

void
ScheduleOrderTestCase::CheckPeaks()
{
    const auto check = [this](const std::string& name, const PipelineShape& shape, uint32_t peak) {
        const auto schedule = PipelineSchedule::Create(name);
        uint32_t most = 0;
        for (uint32_t stage = 0; stage < shape.stages; ++stage)
        {
            most = std::max(most, GetPeakActivations(*schedule, shape, stage));
        }
        NS_TEST_EXPECT_MSG_EQ(most, peak, name << " p " << shape.stages);
    };
    for (const uint32_t p : {4, 8})
    {
        check("gpipe", {p, 2 * p}, 2 * p);
        check("1f1b", {p, 2 * p}, p);
        check("interleaved", {p, 2 * p, 2}, 3 * p - 1);
        check("interleaved", {p, 2 * p, 2, false, true}, 3 * p);
        check("zb-h1", {p, 2 * p}, p);
        // Section 2.2 of the paper; the authors' planner, which may use 2 p, gains nothing by the
        // last.
        check("zb-h2", {p, 2 * p}, 2 * p - 1);
        check("zb-v", {p, 2 * p}, 2 * p);
        check("dualpipe", {p, 2 * p}, p + 1);
        check("dualpipev", {p, 2 * p}, 2 * p + 1);
    }
    check("v-half", {4, 8}, 6);
    check("v-half", {8, 16}, 10);
    check("v-min", {4, 8}, 4);
    check("v-min", {8, 16}, 8);
}

void
ScheduleOrderTestCase::CheckPlacement()
{
    const auto check = [this](const std::string& name,
                              const PipelineShape& shape,
                              const std::vector<std::vector<uint32_t>>& expected) {
        const auto schedule = PipelineSchedule::Create(name);
        for (uint32_t stage = 0; stage < shape.stages; ++stage)
        {
            NS_TEST_EXPECT_MSG_EQ(schedule->CountChunks(shape), expected[stage].size(), name);
            for (uint32_t chunk = 0; chunk < expected[stage].size(); ++chunk)
            {
                const auto part = schedule->GetPart(shape, stage, chunk);
                NS_TEST_EXPECT_MSG_EQ(part, expected[stage][chunk], name << " stage " << stage);
                const auto next = schedule->FindNeighbour(shape, stage, chunk, true);
                const bool isLast = part + 1 == schedule->CountParts(shape);
                NS_TEST_EXPECT_MSG_EQ(next.has_value(), !isLast, name << " goes on");
                if (!next)
                {
                    continue;
                }
                NS_TEST_EXPECT_MSG_EQ(schedule->GetPart(shape, next->stage, next->chunk),
                                      part + 1,
                                      name << " goes on from part " << part);
                const auto back = schedule->FindNeighbour(shape, next->stage, next->chunk, false);
                NS_TEST_EXPECT_MSG_EQ((back->stage == stage && back->chunk == chunk),
                                      true,
                                      name << " comes back to part " << part);
            }
        }
    };
    check("1f1b", {3, 6}, {{0}, {1}, {2}});
    check("interleaved", {3, 6, 2}, {{0, 3}, {1, 4}, {2, 5}});
    check("zb-v", {3, 6}, {{0, 5}, {1, 4}, {2, 3}});
    check("dualpipev", {3, 6}, {{0, 5}, {1, 4}, {2, 3}});
    check("dualpipe", {4, 8}, {{0, 3}, {1, 2}, {2, 1}, {3, 0}});
    const auto turn = PipelineSchedule::Create("v-min")->FindNeighbour({3, 6}, 2, 0, true);
    NS_TEST_EXPECT_MSG_EQ((turn->stage == 2 && turn->chunk == 1), true, "the pipeline turns");
    const auto down = PipelineSchedule::Create("dualpipe")->FindNeighbour({4, 8}, 2, 1, true);
    NS_TEST_EXPECT_MSG_EQ((down->stage == 1 && down->chunk == 1), true, "the other direction");
}

void
ScheduleOrderTestCase::CheckReasons()
{
    const auto check =
        [this](const std::string& name, const PipelineShape& shape, const std::string& expected) {
            NS_TEST_EXPECT_MSG_EQ(PipelineSchedule::Create(name)->GetUnsupportedReason(shape),
                                  expected,
                                  name);
        };
    check("zb-h1", {4, 1}, "");
    check("zb-h1",
          {4, 8, 0, false, true},
          "zb-h1 cannot run forward and backward passes in pairs on demand");
    check("1f1b",
          {4, 8, 0, false, true},
          "1f1b over several stages has no passes in pairs, but interleaved has (vpp)");
    check("1f1b", {1, 8, 0, false, true}, "");
    check("zb-h1", {4, 8, 2}, "zb-h1 has no use for 2 model chunks per stage");
    check("zb-h2",
          {4, 6},
          "zb-h2 needs at least 7 microbatches to fill a pipeline of 4 stages, not 6");
    check("zb-v", {4, 7, 2}, "");
    check("zb-v", {4, 8, 3}, "zb-v has 2 model chunks per stage (vpp), not 3");
    check("zb-v",
          {4, 6},
          "zb-v needs at least 7 microbatches to fill a pipeline of 4 stages, not 6");
    check("v-half", {4, 1, 1}, "v-half has 2 model chunks per stage (vpp), not 1");
    check("dualpipe",
          {3, 8},
          "dualpipe needs an even number of stages, which hold the parts of the model in pairs, "
          "not 3");
    check("dualpipe",
          {4, 9},
          "dualpipe needs an even number of microbatches, half of them for each direction, not 9");
    check("dualpipe",
          {4, 6},
          "dualpipe needs at least 8 microbatches to fill a pipeline of 4 stages, not 6");
    check("dualpipev",
          {4, 7},
          "dualpipev needs at least 8 microbatches to fill a pipeline of 4 stages, not 7");
}

/**
 * @ingroup workload-replay-tests
 * @brief A schedule that is no part of the module: the passes that it is given.
 */
class GivenSchedule : public PipelineSchedule
{
  public:
    /**
     * @param passes passes of all stages
     * @param placement how the parts of the model lie on the stages
     */
    explicit GivenSchedule(std::vector<PipelinePass> passes,
                           StagePlacement placement = StagePlacement::IN_TURN)
        : PipelineSchedule("given", placement),
          m_passes(std::move(passes))
    {
    }

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& /* shape */,
                                          uint32_t /* stage */) const override
    {
        return m_passes;
    }

    std::vector<PipelinePass> m_passes; //!< passes of all stages
};

/**
 * @ingroup workload-replay-tests
 * @brief Schedules that forget passes, or make them twice.
 */
class MistakenScheduleTestCase : public TestCase
{
  public:
    MistakenScheduleTestCase()
        : TestCase("strategies of others: schedules that are wrong")
    {
    }

  private:
    void DoRun() override
    {
        const PipelinePass f0{PassKind::FORWARD, 0};
        const PipelinePass f1{PassKind::FORWARD, 1};
        const PipelinePass b0{PassKind::BACKWARD, 0};
        const PipelinePass b1{PassKind::BACKWARD, 1};
        const PipelinePass i1{PassKind::BACKWARD_INPUT, 1};
        const PipelinePass w1{PassKind::BACKWARD_WEIGHT, 1};
        const std::string early = " that is not there, is there twice or comes too early";
        const std::string few = "too few passes or too many of microbatch ";
        Check({f0, f1, b0, b1}, "");
        Check({f0, f1, b0, i1, w1}, "");
        Check({f0, b0}, few + "1");
        Check({f0, f1, b1}, few + "0");
        Check({f0, f1, b0, i1}, few + "1");
        Check({}, few + "0");
        Check({f0, f1, f1, b0, b1}, "a forward pass of microbatch 1 through chunk 0" + early);
        Check({f0, b1, f1, b0}, "a backward pass of microbatch 1 through chunk 0" + early);
        Check({f0, f1, b0, w1, i1},
              "a backward weight pass of microbatch 1 through chunk 0" + early);
        Check({f0, f1, b0, i1, b1}, "a backward pass of microbatch 1 through chunk 0" + early);
        Check({{PassKind::FORWARD, 2}}, "a forward pass of microbatch 2 through chunk 0" + early);
        Check({{PassKind::FORWARD, 0, 1}},
              "a forward pass of microbatch 0 through chunk 1" + early);
        // Two copies of the model: each microbatch goes by one of them; one that is folded: by
        // both chunks.
        const PipelinePass f1b{PassKind::FORWARD, 1, 1};
        const PipelinePass b1b{PassKind::BACKWARD, 1, 1};
        Check({f0, f1b, b0, b1b}, "", StagePlacement::TWICE);
        Check({f0, f1b, f1, b0, b1, b1b}, few + "1", StagePlacement::TWICE);
        Check({f0, f1b, b0, b1b}, few + "0", StagePlacement::FOLDED);
    }

    /**
     * @param passes passes of a stage with two microbatches
     * @param found what is said of them; empty = nothing
     * @param placement how the parts of the model lie on the stages
     */
    void Check(const std::vector<PipelinePass>& passes,
               const std::string& found,
               StagePlacement placement = StagePlacement::IN_TURN)
    {
        const GivenSchedule schedule(passes, placement);
        const auto error = WorkloadErrorOf([&schedule] { schedule.GetPasses({4, 2}, 3); });
        const std::string expected =
            "--schedule: error: expected a schedule in which each microbatch passes through the "
            "chunks of a stage once, forward and then back, found given with " +
            found + " on stage 3";
        NS_TEST_EXPECT_MSG_EQ(error, (found.empty() ? "no error" : expected), "passes");
    }
};

} // namespace

const std::vector<ScheduleTime>&
GetScheduleTimes()
{
    return TIMES;
}

std::vector<TestCase*>
MakeScheduleOrderTestCases()
{
    return {new ScheduleOrderTestCase, new MistakenScheduleTestCase};
}

} // namespace ns3
