/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-test-lines.h"

#include "workload-test-tools.h"

#include <filesystem>

namespace ns3
{

std::string
RankTraceLines::Op(const std::string& name,
                   uint32_t batch,
                   const std::string& state,
                   const std::string& times,
                   const std::string& subOperations) const
{
    const auto blank = times.find(' ');
    std::string tensor = "group_kind=None,input__shape=None,input__dtype=None";
    if (name.find("send") == 0 || name.find("recv") == 0)
    {
        tensor = "group_kind=pp,input__shape=" + message + ",input__dtype=torch.bfloat16";
    }
    if (name == "dp_allreduce")
    {
        tensor = "group_kind=dp,input__shape=" + gradients + ",input__dtype=torch.float32";
    }
    return "rank:" + std::to_string(rank) + ":" + name + "(stage_id=" + std::to_string(stage) +
           ",batch_id=" + std::to_string(batch) + ",mg_state=" + state +
           ",duration=" + times.substr(0, blank) + ",description=None," + tensor +
           ",timestamp=" + times.substr(blank + 1) + ",sub_operations=[" + subOperations + "])\n";
}

std::string
RankTraceLines::Sub(const std::string& times,
                    const std::string& group,
                    const std::string& kind,
                    const std::string& shape)
{
    const auto blank = times.find(' ');
    return "'trace_src_func=f,duration=" + times.substr(0, blank) +
           ",timestamp=" + times.substr(blank + 1) + ",input__shape=" + shape +
           ",input__dtype=torch.int8,group=" + group + ",comm_func=" + kind + "'";
}

std::string
MakeFirstStageTrace(uint32_t rank)
{
    const RankTraceLines lines{rank, 0};
    return lines.Op("get_batch", 0, "warmup", "0.5 100.5") +
           lines.Op("forward_step",
                    0,
                    "warmup",
                    "10 111",
                    RankTraceLines::Sub("2 107", "dp", "allreduce", "[10, 100]")) +
           lines.Op("send_forward", 0, "warmup", "1 112.5") +
           lines.Op("forward_step",
                    1,
                    "steady",
                    "10 122.49",
                    RankTraceLines::Sub("1 113.49", "dp", "allgather", "[30]")) +
           lines.Op("send_forward", 1, "steady", "5 128") +
           lines.Op("recv_backward", 0, "steady", "5 128") +
           lines.Op("backward_step", 0, "steady", "20 148") +
           lines.Op("recv_backward", 1, "cooldown", "3 151") +
           lines.Op("backward_step", 1, "cooldown", "20 171.25") +
           lines.Op("dp_allreduce", 0, "finalize", "4 175.5") +
           lines.Op("optimizer_step", 0, "finalize", "7 183");
}

std::string
MakeLastStageTrace(uint32_t rank)
{
    const RankTraceLines lines{rank, 1};
    const auto reduce = RankTraceLines::Sub("1 24", "dp", "allreduce", "[10, 100]");
    const auto gather = RankTraceLines::Sub("1 66", "dp", "allgather", "[30]");
    return lines.Op("recv_forward", 0, "help", "10 20") +
           lines.Op("forward_step", 0, "steady", "10 30", reduce) +
           lines.Op("loss_func", 0, "steady", "1 31") +
           lines.Op("backward_step", 0, "steady", "20 51") +
           lines.Op("send_backward", 0, "steady", "2 53") +
           lines.Op("recv_forward", 1, "steady", "2 53") +
           lines.Op("forward_step", 1, "steady", "17 70", gather) +
           lines.Op("loss_func", 1, "steady", "1 71") +
           lines.Op("backward_step", 1, "steady", "20 91") +
           lines.Op("send_backward", 1, "steady", "2 93") +
           lines.Op("dp_allreduce", 0, "finalize", "7 100") +
           lines.Op("optimizer_step", 0, "finalize", "7 107");
}

std::string
MakeProfile(uint32_t rank, uint32_t stage)
{
    const RankTraceLines lines{rank, stage};
    return lines.Op("get_batch", 0, "None", "1 11") +
           lines.Op("forward_step",
                    0,
                    "None",
                    "10 21",
                    RankTraceLines::Sub("0 15", "tp", "allreduce", "[500]")) +
           (stage == 1 ? lines.Op("loss_func", 0, "None", "2 23") : "") +
           lines.Op("backward_step", 0, "None", "20 44") +
           lines.Op("dp_allreduce", 0, "None", "0.5 45") +
           lines.Op("optimizer_step", 0, "None", "6 51");
}

std::string
WriteTrace(const std::string& directory, uint32_t rank, const std::string& content)
{
    std::filesystem::create_directories(directory);
    const auto file = directory + "/run_rank" + std::to_string(rank) + "_20250101120000.txt";
    WriteWorkloadFile(file, content);
    return file;
}

} // namespace ns3
