/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-lowering.h"

#include "ns3/workload-error.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Chains the ops of one rank.
 */
class RankTraceLowering
{
  public:
    /**
     * @param file path of the trace
     * @param pipeline shape of the pipeline
     */
    RankTraceLowering(const std::string& file, const PipelineShape& pipeline)
        : m_file(file),
          m_pipeline(pipeline),
          m_builder(file),
          m_compute(m_builder.AddStream({"compute", true, Dimension::WORLD}))
    {
    }

    /**
     * @param item a computation or collective that comes next
     * @param op the op it belongs to
     */
    void AddItem(const StageItem& item, const RankTraceOp& op)
    {
        WorkloadOp lowered;
        lowered.kind = item.kind;
        lowered.amount = item.amount;
        lowered.collective = item.collective;
        lowered.communicator = static_cast<uint32_t>(item.dimension);
        lowered.phase = item.phase;
        lowered.origin = item.origin;
        lowered.microbatch = op.microbatch ? static_cast<int32_t>(*op.microbatch) : -1;
        lowered.splits = item.splits ? m_builder.AddSplits(*item.splits) : UINT32_MAX;
        lowered.stream = item.kind == OpKind::COMPUTE
                             ? m_compute
                             : GetStream(ToString(item.dimension), item.dimension);
        m_awaited = {Add(lowered, item.name)};
    }

    /**
     * @param op a message
     * @param together true if it starts together with the message before it
     */
    void AddMessage(const RankTraceOp& op, bool together)
    {
        if (together)
        {
            const auto first = std::exchange(m_awaited, m_beforeMessage);
            const auto second = Add(MakeMessage(op), op.name);
            m_awaited = {first.front(), second};
            return;
        }
        m_beforeMessage = m_awaited;
        m_awaited = {Add(MakeMessage(op), op.name)};
    }

    /**
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Build()
    {
        return m_builder.Build();
    }

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @param op a message
     * @return its op
     */
    WorkloadOp MakeMessage(const RankTraceOp& op)
    {
        if (!op.microbatch)
        {
            throw WorkloadError({m_file, op.line, 0, ""}, "the batch_id of a message", "None");
        }
        const bool isSend = op.action == RankTraceAction::SEND;
        const uint32_t stages = m_pipeline.stages;
        const uint32_t other = (op.stage + (op.forward == isSend ? 1 : stages - 1)) % stages;
        const uint32_t receiver = isSend ? other : op.stage;
        WorkloadOp message;
        message.kind = isSend ? OpKind::SEND : OpKind::RECV;
        message.amount = op.bytes;
        message.communicator = static_cast<uint32_t>(Dimension::PP);
        message.peer = other;
        message.tag =
            (receiver * m_pipeline.microbatches + *op.microbatch) * 2 + (op.forward ? 0 : 1);
        message.phase = op.forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT;
        message.origin = op.line;
        message.microbatch = static_cast<int32_t>(*op.microbatch);
        const std::string name =
            std::string(isSend ? "send" : "recv") + (op.forward ? "-forward" : "-backward");
        message.stream = GetStream("pp-" + name, Dimension::PP);
        return message;
    }

    /**
     * @param op an op that waits for all before it
     * @param name its name
     * @return its index
     */
    OpIndex Add(const WorkloadOp& op, const std::string& name)
    {
        const auto index = m_builder.AddOp(op, name);
        for (const auto before : m_awaited)
        {
            m_builder.AddFinishEdge(before, index);
        }
        return index;
    }

    /**
     * @param name name of a stream
     * @param dimension dimension of its traffic
     * @return the stream
     */
    uint16_t GetStream(const std::string& name, Dimension dimension)
    {
        const auto entry = m_streams.find(name);
        if (entry != m_streams.end())
        {
            return entry->second;
        }
        return m_streams[name] = m_builder.AddStream({name, false, dimension});
    }

    const std::string& m_file;                 //!< path of the trace
    PipelineShape m_pipeline;                  //!< shape of the pipeline
    WorkloadProgramBuilder m_builder;          //!< the program
    uint16_t m_compute;                        //!< stream of computations
    std::map<std::string, uint16_t> m_streams; //!< other streams by name
    std::vector<OpIndex> m_awaited;            //!< what the next op waits for
    std::vector<OpIndex> m_beforeMessage;      //!< what the last message waited for
};

} // namespace

std::shared_ptr<const WorkloadProgram>
LowerRankTrace(const RankTrace& trace,
               const PipelineShape& pipeline,
               const std::array<uint32_t, N_DIMENSIONS>& groupSizes,
               const RankTraceSplits& splits)
{
    RankTraceItems items(trace, groupSizes, splits);
    RankTraceLowering lowering(trace.file, pipeline);
    const RankTraceOp* before = nullptr;
    for (const auto& op : trace.ops)
    {
        StageItems next;
        items.AppendNext(next);
        for (const auto& item : next)
        {
            lowering.AddItem(item, op);
        }
        if (op.IsMessage())
        {
            lowering.AddMessage(op, before && op.IsExchangedWith(*before));
        }
        before = &op;
    }
    return lowering.Build();
}

} // namespace ns3
