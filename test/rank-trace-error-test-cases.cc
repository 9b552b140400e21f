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
    WriteWorkloadFile(file, ReplaceFirst(line, part, other));
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                              const WorkloadText text(file, {ForeignFile::RANK_TRACE});
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

std::vector<TestCase*>
MakeRankTraceErrorTestCases()
{
    return {new RankTraceLineErrorTestCase};
}

} // namespace ns3
