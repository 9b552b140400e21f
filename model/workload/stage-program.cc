/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-program.h"

#include <limits>

namespace ns3
{

namespace
{

/**
 * Lowers one stage: keeps what the next item has to wait for.
 */
class StageLowering
{
  public:
    /**
     * @param work what the stage does
     * @param shape shape of the pipeline
     * @param stage the stage
     */
    StageLowering(const StageWork& work, const PipelineShape& shape, uint32_t stage)
        : m_work(work),
          m_shape(shape),
          m_stage(stage),
          m_program(work.file, shape)
    {
    }

    /**
     * @param passes the passes in their order
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Lower(const std::vector<PipelinePass>& passes)
    {
        for (const auto& pass : passes)
        {
            AddPass(pass);
        }
        // What follows the last backward pass works on complete gradients.
        m_program.awaited.insert(m_program.awaited.end(), m_unawaited.begin(), m_unawaited.end());
        AddItems(m_work.after, -1);
        return m_program.Build();
    }

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @param pass a pass of one microbatch
     */
    void AddPass(const PipelinePass& pass)
    {
        const auto& content = *m_work.passes[pass.chunk][pass.microbatch];
        const uint32_t position = pass.chunk * m_shape.stages + m_stage;
        const uint32_t last = m_shape.chunks * m_shape.stages - 1;
        StageMessage message;
        message.forward = pass.forward;
        message.microbatch = pass.microbatch;
        message.own = position;
        message.bytes = m_work.messageBytes;
        if (position != (pass.forward ? 0 : last))
        {
            message.other = pass.forward ? position - 1 : position + 1;
            m_program.awaited.push_back(m_program.AddMessage(message, message.GetName()));
        }
        AddItems(pass.forward ? content.forward : content.backward,
                 static_cast<int32_t>(pass.microbatch));
        if (position != (pass.forward ? last : 0))
        {
            message.isSend = true;
            message.other = pass.forward ? position + 1 : position - 1;
            m_program.Await(m_program.AddMessage(message, message.GetName()));
        }
    }

    /**
     * @param items items to add
     * @param microbatch their microbatch; -1 = none
     */
    void AddItems(const StageItems& items, int32_t microbatch)
    {
        // Collectives of this pass, by the number of the first item that waits for them.
        std::multimap<std::size_t, OpIndex> overlapping;
        auto awaitOverlapping = [&](std::size_t item) {
            while (!overlapping.empty() && overlapping.begin()->first <= item)
            {
                m_program.awaited.push_back(overlapping.begin()->second);
                overlapping.erase(overlapping.begin());
            }
        };
        for (std::size_t i = 0; i < items.size(); ++i)
        {
            const auto& item = items[i];
            awaitOverlapping(i);
            if (item.op.amount == 0)
            {
                continue;
            }
            const auto index = m_program.AddItem(item, microbatch);
            const bool isCollective = item.op.kind == OpKind::COLLECTIVE;
            if (isCollective && !item.blocking)
            {
                m_unawaited.push_back(index);
            }
            else if (isCollective && item.overlap > 0)
            {
                overlapping.emplace(i + 1 + item.overlap, index);
            }
            else
            {
                m_program.awaited = {index};
            }
        }
        awaitOverlapping(std::numeric_limits<std::size_t>::max());
    }

    const StageWork& m_work;          //!< what the stage does
    PipelineShape m_shape;            //!< shape of the pipeline
    uint32_t m_stage;                 //!< the stage
    StageProgramWriter m_program;     //!< the program
    std::vector<OpIndex> m_unawaited; //!< collectives nothing has waited for yet
};

} // namespace

std::string
StageMessage::GetName() const
{
    return std::string(isSend ? "send" : "recv") + (forward ? "-forward" : "-backward");
}

StageProgramWriter::StageProgramWriter(const std::string& file, const PipelineShape& shape)
    : m_shape(shape),
      m_builder(file),
      m_compute(m_builder.AddStream({"compute", true, Dimension::WORLD}))
{
}

StageProgramWriter::OpIndex
StageProgramWriter::AddItem(const StageItem& item, int32_t microbatch)
{
    auto op = item.op;
    const auto dimension = static_cast<Dimension>(op.communicator);
    const bool isCompute = op.kind == OpKind::COMPUTE;
    op.microbatch = microbatch;
    op.stream = isCompute ? m_compute : GetStream(ToString(dimension), dimension);
    op.splits = item.splits ? m_builder.AddSplits(*item.splits) : UINT32_MAX;
    const auto index = m_builder.AddOp(op, item.name);
    Await(index);
    if (isCompute || item.updatePs == 0)
    {
        return index;
    }
    op.kind = OpKind::COMPUTE;
    op.amount = item.updatePs;
    const auto update = m_builder.AddOp(op, item.name + "_update");
    m_builder.AddFinishEdge(index, update);
    return update;
}

StageProgramWriter::OpIndex
StageProgramWriter::AddMessage(const StageMessage& message, const std::string& name)
{
    const uint32_t receiver = message.isSend ? message.other : message.own;
    WorkloadOp op;
    op.kind = message.isSend ? OpKind::SEND : OpKind::RECV;
    op.amount = message.bytes;
    op.communicator = static_cast<uint32_t>(Dimension::PP);
    op.peer = message.other % m_shape.stages;
    op.tag = (receiver * m_shape.microbatches + message.microbatch) * 2 + (message.forward ? 0 : 1);
    op.phase = message.forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT;
    op.origin = message.origin;
    op.microbatch = static_cast<int32_t>(message.microbatch);
    op.stream = GetStream("pp-" + message.GetName(), Dimension::PP);
    return m_builder.AddOp(op, name);
}

void
StageProgramWriter::Await(OpIndex op)
{
    for (const auto before : awaited)
    {
        m_builder.AddFinishEdge(before, op);
    }
}

std::shared_ptr<const WorkloadProgram>
StageProgramWriter::Build()
{
    return m_builder.Build();
}

uint16_t
StageProgramWriter::GetStream(const std::string& name, Dimension dimension)
{
    const auto entry = m_streams.find(name);
    if (entry != m_streams.end())
    {
        return entry->second;
    }
    return m_streams[name] = m_builder.AddStream({name, false, dimension});
}

std::shared_ptr<const WorkloadProgram>
LowerStage(const StageWork& work,
           const PipelineSchedule& schedule,
           const PipelineShape& shape,
           uint32_t stage)
{
    return StageLowering(work, shape, stage).Lower(schedule.GetPasses(shape, stage));
}

} // namespace ns3
