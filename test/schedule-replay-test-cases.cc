/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-test-job.h"
#include "schedule-test-cases.h"

#include "ns3/parallel-groups.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/stage-program.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Make a job of equal stages that do nothing but compute and pass messages of one byte.
 *
 * @param name name of a schedule
 * @param shape shape of its pipeline
 * @param forward time of a forward pass through a chunk
 * @param input time of the gradients of the input
 * @param weight time of the gradients of the weights
 * @return the job
 */
std::shared_ptr<const Workload>
MakeJob(const std::string& name, const PipelineShape& shape, Time forward, Time input, Time weight)
{
    const auto schedule = PipelineSchedule::Create(name);
    ParallelLayout layout{shape.stages, 1, 1, 1, 1, shape.stages, shape.microbatches};
    layout.placement = schedule->GetPlacement();
    auto workload = std::make_shared<Workload>("test", "test", layout);
    const auto compute = [](Time time, OpPhase phase) {
        StageItem item;
        item.op.amount = static_cast<uint64_t>(time.GetPicoSeconds());
        item.op.phase = phase;
        return item;
    };
    auto pass = std::make_shared<StagePass>();
    pass->forward = {compute(forward, OpPhase::FORWARD)};
    pass->backward = {compute(input, OpPhase::BACKWARD_INPUT),
                      compute(weight, OpPhase::BACKWARD_WEIGHT)};
    StageWork work;
    work.passes.assign(schedule->CountChunks(shape), {shape.microbatches, pass});
    work.messageBytes = 1;
    const auto slots = ParallelGroups(layout).AddTo(*workload);
    for (uint32_t stage = 0; stage < shape.stages; ++stage)
    {
        workload->SetRank(stage, LowerStage(work, *schedule, shape, stage), slots[stage]);
    }
    return workload;
}

/// How often a delay between stages shows.
struct Slope
{
    const char* name;      //!< name of a schedule
    uint32_t stages;       //!< stages
    uint32_t microbatches; //!< microbatches
    uint32_t chunks;       //!< chunks asked for
    uint32_t expected;     //!< delays in the time of an iteration
};

/**
 * @ingroup workload-replay-tests
 * @brief Replays pipelines on links that do nothing but delay.
 */
class ScheduleReplayTestCase : public TestCase
{
  public:
    ScheduleReplayTestCase()
        : TestCase("replay of all schedules against published times")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param workload a job
     * @param delay from stage to stage
     * @return when it ended
     */
    Time Replay(const std::shared_ptr<const Workload>& workload, Time delay);

    /// How much a delay between stages costs.
    void CheckDelays();

    /// That messages find their receivers, and nothing waits forever.
    void CheckMessages();

    /**
     * @param job a job
     * @param nMessages messages that its stages send each other
     * @param name name of its schedule
     */
    void CheckTags(const Workload& job, std::size_t nMessages, const std::string& name);
};

void
ScheduleReplayTestCase::DoRun()
{
    for (const auto& row : GetScheduleTimes())
    {
        // A replay of pairs takes what their parts take, unless something communicates in them.
        if (row.pair != row.forward + row.input + row.weight)
        {
            continue;
        }
        const auto job = MakeJob(row.name,
                                 {row.stages, row.microbatches, row.chunks},
                                 MilliSeconds(row.forward),
                                 MilliSeconds(row.input),
                                 MilliSeconds(row.weight));
        NS_TEST_EXPECT_MSG_EQ_TOL(Replay(job, Time(0)),
                                  MilliSeconds(row.expected),
                                  MicroSeconds(1),
                                  row.name << " p " << row.stages << " m " << row.microbatches
                                           << " F " << row.forward);
    }
    CheckDelays();
    CheckMessages();
}

Time
ScheduleReplayTestCase::Replay(const std::shared_ptr<const Workload>& workload, Time delay)
{
    ReplayTestJob job(workload);
    job.Run(DataRate("8000Gbps"), delay);
    NS_TEST_EXPECT_MSG_EQ(job.iterations.size(), workload->GetLayout().world, "all stages finish");
    NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "nothing contradicts");
    return job.end;
}

void
ScheduleReplayTestCase::CheckDelays()
{
    // 1f1b: 2 ((p - 1) m / p + p - 2), as its steady state has no slack. zb-h1: 4 (p - 1).
    // interleaved: 2 (v p - 1). dualpipe: its order, timed apart from this project's code.
    const std::vector<Slope> slopes{{"1f1b", 4, 8, 0, 16},
                                    {"1f1b", 4, 16, 0, 28},
                                    {"1f1b", 8, 16, 0, 40},
                                    {"1f1b", 8, 32, 0, 68},
                                    {"zb-h1", 4, 8, 0, 12},
                                    {"zb-h1", 4, 16, 0, 12},
                                    {"zb-h1", 8, 16, 0, 28},
                                    {"zb-h1", 8, 32, 0, 28},
                                    {"interleaved", 4, 8, 2, 14},
                                    {"interleaved", 8, 16, 2, 30},
                                    {"dualpipe", 4, 8, 0, 9},
                                    {"dualpipe", 4, 16, 0, 15},
                                    {"dualpipe", 8, 16, 0, 23},
                                    {"dualpipe", 8, 32, 0, 37}};
    for (const auto& slope : slopes)
    {
        const auto job = MakeJob(slope.name,
                                 {slope.stages, slope.microbatches, slope.chunks},
                                 MilliSeconds(1),
                                 MilliSeconds(1),
                                 MilliSeconds(1));
        const auto without = Replay(job, Time(0));
        for (const auto& delay : {MicroSeconds(100), MicroSeconds(200)})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(Replay(job, delay) - without,
                                      delay * slope.expected,
                                      MicroSeconds(1),
                                      slope.name << " p " << slope.stages << " m "
                                                 << slope.microbatches << " delay " << delay);
        }
    }
}

void
ScheduleReplayTestCase::CheckMessages()
{
    for (const auto& name : PipelineSchedule::GetNames())
    {
        for (const uint32_t stages : {2, 4, 6, 8})
        {
            for (const uint32_t microbatches : {1U, stages, 2 * stages, 2 * stages + 2})
            {
                const PipelineShape shape{stages, microbatches, name == "interleaved" ? 2U : 0U};
                const auto schedule = PipelineSchedule::Create(name);
                if (!schedule->GetUnsupportedReason(shape).empty())
                {
                    continue;
                }
                const auto job =
                    MakeJob(name, shape, MilliSeconds(1), MilliSeconds(1), MilliSeconds(1));
                // Each way over each boundary of parts, but not where the pipeline turns.
                const bool turns = schedule->GetPlacement() == StagePlacement::FOLDED;
                const auto boundaries = schedule->CountParts(shape) - 1 - (turns ? 1 : 0);
                CheckTags(*job, 2 * boundaries * microbatches, name);
                Replay(job, MicroSeconds(10));
            }
        }
    }
}

void
ScheduleReplayTestCase::CheckTags(const Workload& job,
                                  std::size_t nMessages,
                                  const std::string& name)
{
    // Sender and receiver, and the tags between them.
    using Tags = std::map<std::pair<uint32_t, uint32_t>, std::multiset<uint64_t>>;
    Tags sent;
    Tags expected;
    for (uint32_t stage = 0; stage < job.GetLayout().world; ++stage)
    {
        // One neighbour never holds up the messages of another one.
        std::map<uint16_t, uint32_t> peers;
        for (const auto& op : job.GetProgram(stage).GetOps())
        {
            if (op.kind != OpKind::COMPUTE)
            {
                NS_TEST_EXPECT_MSG_EQ(peers.emplace(op.stream, op.peer).first->second,
                                      op.peer,
                                      name << " has a stream for each neighbour");
            }
            if (op.kind == OpKind::SEND)
            {
                sent[{stage, op.peer}].insert(op.tag);
                --nMessages;
            }
            else if (op.kind == OpKind::RECV)
            {
                expected[{op.peer, stage}].insert(op.tag);
            }
        }
    }
    NS_TEST_EXPECT_MSG_EQ(nMessages, 0, name << " sends so many messages");
    NS_TEST_EXPECT_MSG_EQ((sent == expected), true, name << " matches");
    for (const auto& [pair, tags] : sent)
    {
        NS_TEST_EXPECT_MSG_EQ(std::set<uint64_t>(tags.begin(), tags.end()).size(),
                              tags.size(),
                              name << " has different tags");
        NS_TEST_EXPECT_MSG_NE(pair.first, pair.second, name << " sends away");
    }
}

} // namespace

std::vector<TestCase*>
MakeScheduleReplayTestCases()
{
    return {new ScheduleReplayTestCase};
}

} // namespace ns3
