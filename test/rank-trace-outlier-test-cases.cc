/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-test-cases.h"

#include "ns3/rank-trace-outliers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A millisecond, ns.
constexpr int64_t MS = 1000000;

/**
 * Append an op that begins where the one before it ends.
 *
 * @param [in,out] trace the trace
 * @param name its name
 * @param action what it does
 * @param milliseconds its duration
 */
void
Append(RankTrace& trace, const std::string& name, RankTraceAction action, int64_t milliseconds)
{
    RankTraceOp op;
    op.name = name;
    op.action = action;
    op.line = static_cast<uint32_t>(trace.ops.size()) + 1;
    op.hasClock = true;
    op.start = trace.ops.empty() ? 0 : trace.ops.back().end;
    op.end = op.start + milliseconds * MS;
    trace.ops.push_back(op);
}

/**
 * @param rank the rank
 * @param stage its stage
 * @param forward duration of the forward pass, ms
 * @param backward duration of the backward pass, ms
 * @return a profile of one GPU
 */
RankTrace
MakePasses(uint32_t rank, uint32_t stage, int64_t forward, int64_t backward)
{
    RankTrace trace;
    trace.file = "rank" + std::to_string(rank);
    Append(trace, "get_batch", RankTraceAction::GET_BATCH, 1);
    Append(trace, "forward_step", RankTraceAction::FORWARD, forward);
    Append(trace, "backward_step", RankTraceAction::BACKWARD, backward);
    Append(trace, "optimizer_step", RankTraceAction::OPTIMIZER, 5);
    for (auto& op : trace.ops)
    {
        op.rank = rank;
        op.stage = stage;
    }
    return trace;
}

/**
 * @param traces profiles
 * @return those of a whole run
 */
std::vector<RankTrace>
AsRun(std::vector<RankTrace> traces)
{
    for (auto& trace : traces)
    {
        for (auto& op : trace.ops)
        {
            op.state = RankTraceState::STEADY;
        }
    }
    return traces;
}

/// What was found.
using Lines = std::vector<std::string>;

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Passes, clocks and stages that are out of line, in traces whose medians are known.
 */
class RankTraceOutlierTestCase : public TestCase
{
  public:
    RankTraceOutlierTestCase()
        : TestCase("rank traces that are out of line")
    {
    }

  private:
    void DoRun() override
    {
        CheckColdPasses();
        CheckLoads();
        CheckReplacement();
        CheckClocks();
        CheckSlowStages();
    }

    /// A pass that is longer than the other one and the peers' median say.
    void CheckColdPasses();

    /// What is in both passes, or little, is no outlier.
    void CheckLoads();

    /// What becomes of the times of a trace.
    void CheckReplacement();

    /// A clock that jumps.
    void CheckClocks();

    /// A stage that is slower than the others.
    void CheckSlowStages();

    /**
     * @param traces traces
     * @param lines what is to be found in them
     */
    void Expect(std::vector<RankTrace> traces, const Lines& lines)
    {
        const auto found = FindRankTraceOutliers(traces, false);
        NS_TEST_ASSERT_MSG_EQ(found.size(), lines.size(), "number of outliers");
        for (std::size_t i = 0; i < lines.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(found[i], lines[i], "outlier");
        }
    }
};

void
RankTraceOutlierTestCase::CheckColdPasses()
{
    // Forward passes take half of backward passes, but that of rank 2: 25 ms instead of 10 ms.
    const std::vector<RankTrace> peers{MakePasses(0, 0, 10, 20),
                                       MakePasses(1, 0, 12, 24),
                                       MakePasses(3, 0, 11, 22)};
    const auto with = [&peers](const RankTrace& trace) {
        auto traces = peers;
        traces.push_back(trace);
        return traces;
    };
    const std::string advice = " pass and its peers' median say, as a cold pass does; "
                               "--profile=robust replaces it by that";
    Expect(with(MakePasses(2, 0, 25, 20)),
           {"forward_step of rank 2 (rank2:2) takes 2.5 times as long as its backward" + advice});
    Expect(with(MakePasses(2, 0, 14, 20)),
           {"forward_step of rank 2 (rank2:2) takes 1.4 times as long as its backward" + advice});
    Expect(with(MakePasses(2, 0, 10, 40)),
           {"backward_step of rank 2 (rank2:3) takes 2.0 times as long as its forward" + advice});
    // Alone in its stage, it is judged by the other stages.
    Expect(with(MakePasses(2, 1, 30, 30)),
           {"forward_step of rank 2 (rank2:2) takes 2.0 times as long as its backward" + advice});
}

void
RankTraceOutlierTestCase::CheckLoads()
{
    Expect({MakePasses(0, 0, 10, 20), MakePasses(1, 0, 30, 60), MakePasses(2, 0, 13, 20)}, {});
    // Of two, nobody knows which one is out of line; of a run, passes hold communication.
    Expect({MakePasses(0, 0, 10, 20), MakePasses(1, 0, 25, 20)}, {});
    Expect(AsRun({MakePasses(0, 0, 10, 20), MakePasses(1, 0, 10, 20), MakePasses(2, 0, 25, 20)}),
           {});
}

void
RankTraceOutlierTestCase::CheckReplacement()
{
    std::vector<RankTrace> traces{MakePasses(0, 0, 10, 20),
                                  MakePasses(1, 0, 12, 24),
                                  MakePasses(2, 0, 25, 20),
                                  MakePasses(3, 0, 11, 22)};
    RankTraceCollective collective;
    collective.start = 6 * MS; // 5 ms after the pass has begun
    collective.end = 11 * MS;
    traces[2].ops[1].collectives.push_back(collective);
    const auto found = FindRankTraceOutliers(traces, true);
    NS_TEST_ASSERT_MSG_EQ(found.size(), 1, "number of outliers");
    NS_TEST_EXPECT_MSG_EQ(found[0],
                          "forward_step of rank 2 (rank2:2) takes 2.5 times as long as its "
                          "backward pass and its peers' median say, as a cold pass does; it is "
                          "replaced by that (--profile=robust)",
                          "what is told");
    const auto& ops = traces[2].ops;
    NS_TEST_EXPECT_MSG_EQ(ops[1].start, 1 * MS, "it begins as before");
    NS_TEST_EXPECT_MSG_EQ(ops[1].end, 11 * MS, "and takes 20 ms / 2");
    NS_TEST_EXPECT_MSG_EQ(ops[1].collectives[0].start, 3 * MS, "2 / 5 of the way");
    NS_TEST_EXPECT_MSG_EQ(ops[1].collectives[0].end, 5 * MS, "2 / 5 of the duration");
    NS_TEST_EXPECT_MSG_EQ(ops[2].start, 11 * MS, "the next one comes earlier");
    NS_TEST_EXPECT_MSG_EQ(ops[2].end, 31 * MS, "and takes as long as before");
    NS_TEST_EXPECT_MSG_EQ(ops[3].end, 36 * MS, "as does the one after it");
    NS_TEST_EXPECT_MSG_EQ(traces[1].ops[1].end, 13 * MS, "others stay as they are");
    NS_TEST_EXPECT_MSG_EQ(FindRankTraceOutliers(traces, true).size(), 0, "all are in line now");
}

void
RankTraceOutlierTestCase::CheckClocks()
{
    // Four ops of 36 ms: 1 + 10 + 20 + 5.
    auto traces = AsRun({MakePasses(0, 0, 10, 20)});
    const auto jump = [&traces](int64_t milliseconds) {
        auto jumped = traces;
        for (std::size_t i = 2; i < 4; ++i)
        {
            jumped[0].ops[i].start += milliseconds * MS;
            jumped[0].ops[i].end += milliseconds * MS;
        }
        return jumped;
    };
    Expect(jump(36), {});
    Expect(jump(72),
           {"the clock of rank 0 jumps by 72.0 ms before backward_step (rank0:3), 2.0 times as "
            "long as all of its ops take"});
    auto profile = jump(72);
    for (auto& op : profile[0].ops)
    {
        op.state = RankTraceState::NONE;
    }
    Expect(profile, {}); // what one GPU does between its ops is no part of the job
}

void
RankTraceOutlierTestCase::CheckSlowStages()
{
    const auto fast = MakePasses(0, 0, 10, 20);
    Expect(AsRun({fast, MakePasses(1, 1, 10, 20), MakePasses(2, 2, 18, 36)}),
           {"passes of stage 2 take 1.8 times as long as the median stage's"});
    Expect(AsRun({fast, MakePasses(1, 1, 10, 20), MakePasses(2, 2, 14, 28)}), {});
    Expect(AsRun({fast, MakePasses(1, 1, 18, 36)}), {});
    // Of a stage's ranks the median counts.
    Expect(AsRun({fast,
                  MakePasses(1, 1, 10, 20),
                  MakePasses(2, 2, 10, 20),
                  MakePasses(3, 2, 10, 20),
                  MakePasses(4, 2, 50, 100)}),
           {});
}

std::vector<TestCase*>
MakeRankTraceOutlierTestCases()
{
    return {new RankTraceOutlierTestCase};
}

} // namespace ns3
