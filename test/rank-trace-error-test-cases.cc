/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-test-cases.h"
#include "rank-trace-test-lines.h"
#include "workload-test-tools.h"

#include "ns3/rank-trace-parser.h"
#include "ns3/rank-trace-reader.h"
#include "ns3/workload-text.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @param part a part of it
 * @param other what to put in its place
 * @return the text with the first such part replaced
 */
std::string
Replace(std::string text, const std::string& part, const std::string& other)
{
    const auto place = text.find(part);
    return place == std::string::npos ? "no '" + part + "'"
                                      : text.replace(place, part.size(), other);
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Each wrong line is named with its place, what was expected and what was found.
 */
class RankTraceLineErrorTestCase : public TestCase
{
  public:
    RankTraceLineErrorTestCase()
        : TestCase("wrong lines of a rank trace")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param part a part of a line that is right
     * @param other what stands there instead
     * @param error the message about it, after the name of the file
     */
    void Expect(const std::string& part, const std::string& other, const std::string& error);
};

void
RankTraceLineErrorTestCase::Expect(const std::string& part,
                                   const std::string& other,
                                   const std::string& error)
{
    const std::string line =
        "rank:0:forward_step(stage_id=0,batch_id=0,mg_state=steady,duration=10.5,description=a, "
        "b,group_kind=tp,input__shape=None,input__dtype=None,timestamp=100.25,sub_operations=["
        "'trace_src_func=f,duration=0.5,timestamp=95,input__shape=[8],input__dtype=torch.int64,"
        "group=exp,comm_func=allgather'])";
    const auto file = CreateTempDirFilename("line.txt");
    WriteWorkloadFile(file, Replace(line, part, other));
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                              const WorkloadText text(file);
                              ParseRankTrace(text);
                          }),
                          file + error,
                          other);
}

void
RankTraceLineErrorTestCase::DoRun()
{
    Expect("rank:0:forward_step",
           "ranks:0:forward_step",
           ":1:1: error: expected rank:R:OP(KEY=VALUE,...), found "
           "'ranks:0:forward_step(stage_id=0,batch_id=0,mg_state=steady,d...'");
    Expect("rank:0",
           "rank:-1",
           ":1:6: error: expected a rank as a whole number of 0 or more, found '-1'");
    Expect("rank:0",
           "rank:4294967296",
           ":1:6: error: expected a rank below 2^31, found '4294967296'");
    Expect("forward_step(",
           "foward_step(",
           ":1:8: error: expected an op as one of get_batch, forward_step, loss_func, "
           "backward_step, send_forward, recv_forward, send_backward, recv_backward, "
           "dp_allreduce, ep_dp_allreduce, exp_dp_allreduce, ep_allreduce, "
           "pep_allreduce, optimizer_step, found 'foward_step'; did you mean "
           "forward_step?");
    Expect("forward_step(",
           "forward_step",
           ":1:1: error: expected rank:R:OP(KEY=VALUE,...), found "
           "'rank:0:forward_stepstage_id=0,batch_id=0,mg_state=steady,dur...'");
    Expect("'])",
           "']",
           ":1:290: error: expected ')' at the end of the op, found the end of the "
           "line; it may be cut off");
    Expect(",group=exp,comm_func=allgather'])",
           "",
           ":1:258: error: expected ')' at the end of the op, found the end of the "
           "line; it may be cut off");
    Expect("steady",
           "stedy",
           ":1:52: error: expected mg_state as one of None, warmup, help, steady, "
           "cooldown, finalize, found 'stedy'; did you mean steady?");
    Expect("stage_id=0",
           "stage_id=None",
           ":1:30: error: expected stage_id as a whole number of 0 or more, found "
           "'None'");
    Expect("stage_id=0,", "", ":1:21: error: expected a field 'stage_id', found an op without it");
    Expect("batch_id=0",
           "batch_id=first",
           ":1:41: error: expected batch_id as a whole number of 0 or more, found "
           "'first'");
    Expect("duration=10.5",
           "duration=-1",
           ":1:68: error: expected duration in ms as a number of 0 or more, such as "
           "0.25 or 1e-3, found '-1'");
    Expect("duration=10.5",
           "duratoin=10.5",
           ":1:59: error: expected a field 'duration', found 'duratoin'; did you mean "
           "duration?");
    Expect("timestamp=100.25",
           "timestamp=5e12",
           ":1:150: error: expected timestamp of at most 4e12 ms, found '5e12'");
    Expect("group_kind=tp",
           "group_kind=tpp",
           ":1:101: error: expected group_kind as one of tp, dp, pp, exp, ep, ep_dp, "
           "exp_dp, pep, found 'tpp'; did you mean tp?");
    Expect("group=exp",
           "group=expp",
           ":1:265: error: expected group as one of tp, dp, pp, exp, ep, ep_dp, "
           "exp_dp, pep, found 'expp'; did you mean exp?");
    Expect("comm_func=allgather",
           "comm_func=allgathr",
           ":1:279: error: expected comm_func as one of allreduce, allgather, "
           "all_gather, reduce_scatter, reducescatter, all_to_all, alltoall, "
           "broadcast, found 'allgathr'; did you mean allgather?");
    Expect("torch.int64",
           "torch.int46",
           ":1:247: error: expected input__dtype as one of torch.float32, "
           "torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, "
           "torch.int16, torch.int8, torch.uint8, torch.bool, found 'torch.int46'; "
           "did you mean torch.int64?");
    Expect("[8]",
           "[8",
           ":1:230: error: expected a list closed by ']', found the end of the op; it "
           "may be cut off");
    Expect("[8]",
           "[8, x]",
           ":1:234: error: expected elements in one dimension as a whole number of 0 "
           "or more, found 'x'");
    Expect("[8]", "8", ":1:230: error: expected a list in brackets, found '8'");
    Expect("[8]",
           "[4294967296, 4294967296]",
           ":1:230: error: expected fewer than 2^64 elements, found '[4294967296, "
           "4294967296]'");
    Expect("[8]",
           "[4294967296, 4294967295]",
           ":1:230: error: expected a tensor of less than 2^64 bytes, found "
           "'[4294967296, 4294967295]'");
    Expect("['trace",
           "[trace",
           ":1:172: error: expected a list closed by ']', found the end of the op; it "
           "may be cut off");
    Expect("'])", "' 'x'])", ":1:290: error: expected ',' between strings, found ''x''");
    Expect("'])",
           "'",
           ":1:289: error: expected ')' at the end of the op, found the end of the "
           "line; it may be cut off");
    Expect("'])",
           "')",
           ":1:172: error: expected a list closed by ']', found the end of the op; it "
           "may be cut off");
    Expect("trace_src_func=f,",
           "trace_src_func,",
           ":1:174: error: expected KEY=VALUE, found 'trace_src_func'");
    Expect(",comm_func=allgather",
           "",
           ":1:174: error: expected a field 'comm_func', found an op without it");
    Expect("sub_operations=[",
           "sub_operations=[]x[",
           ":1:174: error: expected ',' after a list, found 'x['trace_src_func=f,'");
    Expect("rank:0:forward_step(",
           "stage:0:forward_step(",
           ": error: expected ops recorded on a rank (rank:R:OP(...)), found a "
           "schedule plan only, which states no times");
}

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
    check(Replace(right,
                  "backward_step(stage_id=0,batch_id=1",
                  "backward_step(stage_id=0,batch_id=0"),
          ":9: error: expected one backward_step of each batch_id, found a second "
          "one of batch_id 0");
    check(Replace(right,
                  "backward_step(stage_id=0,batch_id=1",
                  "backward_step(stage_id=0,batch_id=2"),
          ":9: error: expected batch_id below 2, as there are that many "
          "forward_step, found 2");
    check(Replace(right, "timestamp=148", "timestamp=14.8"),
          ":7: error: expected ops in the order of their timestamps, found "
          "backward_step, which ends before recv_backward on line 6");
    check(Replace(right, "rank:0:send_forward(stage_id=0", "rank:0:send_forward(stage_id=1"),
          ":3: error: expected rank 0 in stage 0, as on line 1, found rank 0 in "
          "stage 1");
    check(Replace(right, "rank:0:send_forward", "rank:1:send_forward"),
          ":3: error: expected rank 0 in stage 0, as on line 1, found rank 1 in "
          "stage 0");
    check(Replace(right,
                  "recv_backward(stage_id=0,batch_id=1",
                  "send_backward(stage_id=0,batch_id=1"),
          ": error: expected 2 recv_backward in stage 0 of 2, found 1; the trace may "
          "be cut off");
    check(Replace(right, "mg_state=steady", "mg_state=None"),
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
           "unnamed: error: expected files named ..._rank<R>_<14 digits>.txt, found "
           "none among 1 files");
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
               Replace(MakeFirstStageTrace(0), "1,mg_state=steady", "1,mg_state=warmup"));
    WriteTrace(depths, 1, MakeLastStageTrace(1));
    Expect(depths,
           options,
           "depths/run_rank0_20250101120000.txt: error: expected 1 forward_step in "
           "warm-up in stage 0 of 2, found 2");
    WriteTrace(depths,
               0,
               Replace(MakeFirstStageTrace(0),
                       "0,mg_state=warmup,duration=10",
                       "0,mg_state=steady,duration=10"));
    Expect(depths,
           options,
           "depths/run_rank1_20250101120000.txt: error: expected a pipeline of 1 "
           "stages, as depths/run_rank0_20250101120000.txt shows by its warm-up or "
           "loss_func, found 2");

    WriteTrace(depths,
               0,
               Replace(MakeFirstStageTrace(0),
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
           "do not tell, found 2 ranks in 2 stages, communicating in groups dp");
    Expect(profiles,
           {},
           "profiles: error: expected the options --tp, --dp or --world, "
           "--microbatches, which these traces do not tell, found 2 ranks in 2 "
           "stages, each profiled alone with one microbatch, communicating in "
           "groups tp, dp");
    Expect(profile,
           {},
           "profiles/run_rank0_20250101120000.txt: error: expected the options --tp, "
           "--pp, --dp or --world, --microbatches, which these traces do not tell, "
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
           "--schedule: error: expected 1f1b, gpipe or interleaved, found '1f1f'; did "
           "you mean 1f1b?");
    options.schedule = "interleaved";
    options.layout.tp = 2;
    options.layout.microbatches = 4;
    Expect(profiles,
           options,
           "--schedule: error: expected a schedule for these traces, found "
           "interleaved needs at least 2 model chunks per stage (vpp), not 1");
    options.schedule = "";
    options.layout.tp = 1;
    Expect(profiles,
           options,
           "--tp: error: expected at least 2, because "
           "profiles/run_rank0_20250101120000.txt:2 communicates in the tp group, "
           "found 1");
    const auto silent =
        WriteTrace(Make("silent"), 0, Replace(MakeProfile(0, 0), "group=tp", "group=dp"));
    options.layout.pp = 2;
    Expect(silent,
           options,
           "--ppBytes: error: expected the bytes of a message between stages, which "
           "is microbatch x sequence x hidden elements, found no option and no trace "
           "that tells it in silent/run_rank0_20250101120000.txt");
}

std::vector<TestCase*>
MakeRankTraceErrorTestCases()
{
    return {new RankTraceLineErrorTestCase, new RankTraceLayoutErrorTestCase};
}

} // namespace ns3
