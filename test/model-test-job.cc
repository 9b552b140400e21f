/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-job.h"

#include "workload-test-tools.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

ModelTestJob::ModelTestJob(const std::string& model, const Shape& shape, Namer namer)
    : m_namer(std::move(namer))
{
    const auto file = m_namer("model.json");
    WriteWorkloadFile(file, model);
    m_options = MakeModelOptions(file, shape.tp, shape.cp, shape.dp, shape.pp, shape.microbatches);
    SetAccelerator("");
    m_operators = {"embedding",
                   "attention.norm",
                   "attention.qkv",
                   "attention.rotary",
                   "attention.core",
                   "attention.projection",
                   "attention.residual",
                   "ffn.norm",
                   "ffn.residual",
                   "final-norm",
                   "output",
                   "loss",
                   "optimizer"};
    const bool hasExperts = model.find("experts") != std::string::npos;
    const std::string prefix = hasExperts ? "moe" : "ffn";
    for (const std::string name : {".fc1", ".activation", ".fc2"})
    {
        m_operators.push_back(prefix + name);
    }
    if (hasExperts)
    {
        m_operators.insert(m_operators.end(), {"moe.router", "moe.permute", "moe.unpermute"});
    }
}

void
ModelTestJob::SetAccelerator(const std::string& keys)
{
    std::string text = "{" + keys;
    for (const std::string fast : {R"("combination": "max")",
                                   R"("matrixFlops": {"bf16": 1e30, "fp8": 1e30})",
                                   R"("vectorFlops": 1e30)",
                                   R"("memoryBandwidth": "1000000Gbps")",
                                   R"("memory": "1000GiB")"})
    {
        if (keys.find(fast.substr(0, fast.find(':'))) == std::string::npos)
        {
            text += (text == "{" ? "" : ", ") + fast;
        }
    }
    m_options.accelerator.text = m_namer("accelerator.json");
    WriteWorkloadFile(m_options.accelerator.text, text + "}");
}

void
ModelTestJob::SetTimes(const std::string& rows)
{
    std::string text = "operator\tforward_us\tbackward_input_us\tbackward_weight_us\n" + rows;
    for (const auto& name : m_operators)
    {
        if (text.find("\n" + name + "\t") == std::string::npos)
        {
            text += name + "\t0\t0\t0\n";
        }
    }
    m_options.operatorTimes = m_namer("times.tsv");
    WriteWorkloadFile(m_options.operatorTimes, text);
}

void
ModelTestJob::Run(DataRate rate, const Change& change)
{
    auto options = m_options;
    if (change)
    {
        change(options);
    }
    m_run = std::make_shared<ReplayTestJob>(ReadModel(options));
    m_run->Run(rate, Time(0));
}

Time
ModelTestJob::GetIterationTime() const
{
    NS_ABORT_MSG_IF(!m_run->faults.empty() ||
                        m_run->iterations.size() != m_run->expectedBytes.size(),
                    "not all ranks finish");
    return m_run->end;
}

OpRecord
ModelTestJob::GetOp(const std::string& name,
                    OpPhase phase,
                    OpKind kind,
                    uint32_t index,
                    uint32_t rank) const
{
    for (const auto& record : m_run->ops)
    {
        const auto& op = record.program->GetOps()[record.op];
        if (record.rank == rank && op.phase == phase && op.kind == kind &&
            record.program->GetName(op) == name && index-- == 0)
        {
            return record;
        }
    }
    NS_ABORT_MSG("no op " << name);
}

} // namespace ns3
