/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-test-cases.h"
#include "rank-trace-test-lines.h"
#include "workload-test-tools.h"

#include "ns3/rank-trace-reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Traces that contradict themselves, each other or the options.
 */
class RankTraceLayoutErrorTestCase : public TestCase
{
  public:
    RankTraceLayoutErrorTestCase()
        : TestCase("contradictions among rank traces and options")
    {
    }

  private:
    void DoRun() override;

    /// A single trace that is not whole.
    void CheckTrace();

    /// Traces that do not go together.
    void CheckDirectory();

    /// Options that are missing, or that the traces contradict.
    void CheckOptions();

    /**
     * @param path file or directory
     * @param options the options
     * @param error the message, with the directory of the case's own files left out
     */
    void Expect(const std::string& path, const RankTraceOptions& options, const std::string& error);

    /**
     * @param name name of a directory to make
     * @return its path
     */
    std::string Make(const std::string& name)
    {
        return CreateTempDirFilename(name);
    }
};

void
RankTraceLayoutErrorTestCase::Expect(const std::string& path,
                                     const RankTraceOptions& options,
                                     const std::string& error)
{
    auto message = WorkloadErrorOf([&]() { ReadRankTraces(path, options); });
    const auto directory = CreateTempDirFilename("");
    for (auto at = message.find(directory); at != std::string::npos; at = message.find(directory))
    {
        message.erase(at, directory.size());
    }
    NS_TEST_EXPECT_MSG_EQ(message, error, path);
}

void
RankTraceLayoutErrorTestCase::DoRun()
{
    CheckTrace();
    CheckDirectory();
    CheckOptions();
}

void
RankTraceLayoutErrorTestCase::CheckTrace()
{
    RankTraceOptions options;
    options.layout.dp = 1;
    const auto right = MakeFirstStageTrace(0);
    auto check = [&](const std::string& content, const std::string& error) {
        const auto file = WriteTrace(Make("trace"), 0, content);
        Expect(file, options, "trace/run_rank0_20250101120000.txt" + error);
    };
    const auto end = right.find("rank:0:recv_backward(stage_id=0,batch_id=1");
    check(right.substr(0, end),
          ": error: expected a backward_step for each forward_step, found 2 "
          "forward_step and 1 backward_step; the trace may be cut off");
    check(ReplaceFirst(right,
                       "backward_step(stage_id=0,batch_id=1",
                       "backward_step(stage_id=0,batch_id=0"),
          ":9: error: expected one backward_step of each batch_id, found a second "
          "one of batch_id 0");
    check(ReplaceFirst(right,
                       "backward_step(stage_id=0,batch_id=1",
                       "backward_step(stage_id=0,batch_id=2"),
          ":9: error: expected batch_id below 2, as there are that many "
          "forward_step, found 2");
    check(ReplaceFirst(right, "timestamp=148", "timestamp=14.8"),
          ":7: error: expected ops in the order of their timestamps, found "
          "backward_step, which ends before recv_backward on line 6");
    check(ReplaceFirst(right, "rank:0:send_forward(stage_id=0", "rank:0:send_forward(stage_id=1"),
          ":3: error: expected rank 0 in stage 0, as on line 1, found rank 0 in "
          "stage 1");
    check(ReplaceFirst(right, "rank:0:send_forward", "rank:1:send_forward"),
          ":3: error: expected rank 0 in stage 0, as on line 1, found rank 1 in "
          "stage 0");
    check(ReplaceFirst(right,
                       "recv_backward(stage_id=0,batch_id=1",
                       "send_backward(stage_id=0,batch_id=1"),
          ": error: expected 2 recv_backward in stage 0 of 2, found 1; the trace may "
          "be cut off");
    check(ReplaceFirst(right, "mg_state=steady", "mg_state=None"),
          ": error: expected one microbatch in a profile of one GPU (mg_state None), "
          "found 2");
    check(MakeProfile(0, 0) + MakeProfile(0, 0),
          ":7: error: expected one forward_step of each batch_id, found a second one "
          "of batch_id 0");
    check(RankTraceLines{0, 0}.Op("optimizer_step", 0, "None", "6 51"),
          ": error: expected a backward_step for each forward_step, found 0 "
          "forward_step and 0 backward_step; the trace may be cut off");
}

void
RankTraceLayoutErrorTestCase::CheckDirectory()
{
    RankTraceOptions options;
    options.layout.dp = 1;
    const auto empty = Make("empty");
    WriteTrace(empty, 0, "");
    Expect(empty,
           options,
           "empty/run_rank0_20250101120000.txt: error: expected at least one line of "
           "text, found an empty file");
    const auto unnamed = Make("unnamed");
    WriteTrace(unnamed + "/sub", 0, MakeFirstStageTrace(0));
    Expect(unnamed,
           options,
           "unnamed: error: expected rank traces, whose lines begin with rank:<R>:, Chakra "
           "traces, which are named NAME.<R>.et, or traces of PyTorch in JSON, found none among 1 "
           "files");
    Expect(Make("absent"),
           options,
           "absent: error: expected a text file, found no file of that name");

    const auto twice = Make("twice");
    const auto first = WriteTrace(twice, 0, MakeFirstStageTrace(0));
    const auto second = twice + "/run_rank0_20250101120001.txt";
    WriteWorkloadFile(second, MakeFirstStageTrace(0));
    Expect(twice,
           options,
           "twice/run_rank0_20250101120001.txt: error: expected one trace per rank, "
           "found a second one of rank 0 besides twice/run_rank0_20250101120000.txt");

    const auto misnamed = Make("misnamed");
    WriteTrace(misnamed, 1, MakeFirstStageTrace(0));
    Expect(misnamed,
           options,
           "misnamed/run_rank1_20250101120000.txt:1: error: expected ops of rank 1, "
           "which the file is named after, found rank 0");

    const auto mixed = Make("mixed");
    WriteTrace(mixed, 0, MakeFirstStageTrace(0));
    WriteTrace(mixed, 1, MakeProfile(1, 1));
    Expect(mixed,
           options,
           "mixed/run_rank1_20250101120000.txt: error: expected a trace of a whole "
           "run, as mixed/run_rank0_20250101120000.txt is, found a profile of one GPU");

    const auto counts = Make("counts");
    WriteTrace(counts, 0, MakeFirstStageTrace(0));
    auto last = MakeLastStageTrace(1);
    const auto from = last.find("rank:1:recv_forward(stage_id=1,batch_id=1");
    const auto to = last.find("rank:1:dp_allreduce");
    WriteTrace(counts, 1, last.substr(0, from) + last.substr(to));
    Expect(counts,
           options,
           "counts/run_rank1_20250101120000.txt: error: expected 2 microbatches, as "
           "in counts/run_rank0_20250101120000.txt, found 1");
    last = MakeLastStageTrace(1);
    WriteTrace(counts, 1, last.substr(0, last.find("rank:1:optimizer_step")));
    Expect(counts,
           options,
           "counts/run_rank1_20250101120000.txt: error: expected 1 optimizer_step, as "
           "in counts/run_rank0_20250101120000.txt, found 0; the trace may be cut off");

    const auto depths = Make("depths");
    WriteTrace(depths,
               0,
               ReplaceFirst(MakeFirstStageTrace(0), "1,mg_state=steady", "1,mg_state=warmup"));
    WriteTrace(depths, 1, MakeLastStageTrace(1));
    Expect(depths,
           options,
           "depths/run_rank0_20250101120000.txt: error: expected 1 forward_step in "
           "warm-up in stage 0 of 2, found 2");
    WriteTrace(depths,
               0,
               ReplaceFirst(MakeFirstStageTrace(0),
                            "0,mg_state=warmup,duration=10",
                            "0,mg_state=steady,duration=10"));
    Expect(depths,
           options,
           "depths/run_rank1_20250101120000.txt: error: expected a pipeline of 1 "
           "stages, as depths/run_rank0_20250101120000.txt shows by its warm-up or "
           "loss_func, found 2");

    WriteTrace(depths,
               0,
               ReplaceFirst(MakeFirstStageTrace(0),
                            "send_forward(stage_id=0,batch_id=0",
                            "send_forward(stage_id=0,batch_id=None"));
    Expect(depths,
           options,
           "depths/run_rank0_20250101120000.txt:3: error: expected the batch_id of a "
           "message, found None");

    const auto gap = Make("gap");
    WriteTrace(gap, 0, MakeProfile(0, 0));
    WriteTrace(gap, 4, MakeProfile(4, 2));
    options.layout = {};
    options.layout.tp = 2;
    options.layout.pp = 3;
    options.layout.world = 6;
    options.layout.microbatches = 2;
    Expect(gap,
           options,
           "gap: error: expected a trace of each of the 3 stages, found none of stage "
           "1, but gap/run_rank0_20250101120000.txt of stage 0");
}

void
RankTraceLayoutErrorTestCase::CheckOptions()
{
    const auto recorded = Make("recorded");
    const auto first = WriteTrace(recorded, 0, MakeFirstStageTrace(0));
    WriteTrace(recorded, 2, MakeLastStageTrace(2));
    const auto profiles = Make("profiles");
    const auto profile = WriteTrace(profiles, 0, MakeProfile(0, 0));
    WriteTrace(profiles, 4, MakeProfile(4, 1));

    Expect(recorded,
           {},
           "recorded: error: expected the options --dp or --world, which these traces "
           "do not say, found 2 ranks in 2 stages, communicating in groups dp");
    Expect(profiles,
           {},
           "profiles: error: expected the options --tp, --dp or --world, "
           "--microbatches, which these traces do not say, found 2 ranks in 2 "
           "stages, each profiled alone with one microbatch, communicating in "
           "groups tp, dp");
    Expect(profile,
           {},
           "profiles/run_rank0_20250101120000.txt: error: expected the options --tp, "
           "--pp, --dp or --world, --microbatches, which these traces do not say, "
           "found 1 rank in 1 stage, each profiled alone with one microbatch, "
           "communicating in groups tp, dp");
    RankTraceOptions options;
    options.layout.dp = 2;
    options.layout.pp = 4;
    Expect(recorded, options, "--pp: error: expected 2, the stages the traces show, found 4");
    options.layout.pp = {};
    options.layout.microbatches = 4;
    Expect(recorded,
           options,
           "--microbatches: error: expected 2, the microbatches the traces show, "
           "found 4");
    options.layout.microbatches = {};
    options.layout.vpp = 2;
    Expect(recorded,
           options,
           "--vpp: error: expected 1, the model chunks per stage the traces show, "
           "found 2");
    options.layout.vpp = {};
    options.layout.dp = 1;
    Expect(recorded,
           options,
           "recorded/run_rank2_20250101120000.txt: error: expected a rank below 2, "
           "the world, found 2");
    options.layout.dp = 3;
    Expect(recorded,
           options,
           "recorded/run_rank2_20250101120000.txt:1: error: expected rank 2 in stage "
           "0 of 2, as world / pp = 3, found stage 1");
    options.layout.dp = 2;
    options.layout.ep = 2;
    Expect(recorded,
           options,
           "--ep: error: expected 1, because no trace communicates in the ep group, "
           "found 2");
    options.layout.ep = {};
    options.schedule = "gpipe";
    Expect(recorded,
           options,
           "--schedule: error: expected 1f1b, as traces of a whole run keep their "
           "recorded order, found 'gpipe'");
    options.schedule.clear();
    options.ppBytes = 8;
    Expect(recorded,
           options,
           "--ppBytes: error: expected no such option, as traces of a whole run have recorded "
           "sizes, found '8'");
    options.ppBytes = 0;
    options.schedule = "1f1f";
    Expect(recorded,
           options,
           "--schedule: error: expected 1f1b, gpipe, interleaved, zb-h1, zb-h2, zb-v, v-half, "
           "v-min, dualpipe or dualpipev, found '1f1f'; did you mean 1f1b?");
    options.schedule = "interleaved";
    options.layout.tp = 2;
    options.layout.microbatches = 4;
    Expect(profiles,
           options,
           "--schedule: error: expected a schedule for these traces, found "
           "interleaved needs at least 2 model chunks per stage (vpp), not 1");
    options.schedule = "zb-h1";
    Expect(profiles,
           options,
           "--schedule: error: expected a schedule for these traces, found zb-h1 splits backward "
           "passes into gradients of inputs and of weights, which these traces do not tell apart");
    options.schedule = "v-half";
    Expect(profiles,
           options,
           "--schedule: error: expected a schedule for these traces, found v-half has 2 model "
           "chunks per stage (vpp), not 1");
    options.schedule = "";
    options.layout.tp = 1;
    Expect(profiles,
           options,
           "--tp: error: expected at least 2, because "
           "profiles/run_rank0_20250101120000.txt:2 communicates in the tp group, "
           "found 1");
    const auto silent =
        WriteTrace(Make("silent"), 0, ReplaceFirst(MakeProfile(0, 0), "group=tp", "group=dp"));
    options.layout.pp = 2;
    Expect(silent,
           options,
           "--ppBytes: error: expected the bytes of a message between stages, which "
           "is microbatch x sequence x hidden elements, found no option and no trace "
           "that has it in silent/run_rank0_20250101120000.txt");
}

std::vector<TestCase*>
MakeRankTraceLayoutErrorTestCases()
{
    return {new RankTraceLayoutErrorTestCase};
}

} // namespace ns3
