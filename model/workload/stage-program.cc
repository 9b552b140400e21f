/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-program.h"

#include <limits>
#include <map>
#include <optional>
#include <utility>

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
          m_builder(work.file),
          m_compute(m_builder.AddStream({"compute", true, Dimension::WORLD})),
          m_collectives(N_DIMENSIONS)
    {
    }

    /**
     * @param passes the passes in their order
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Lower(const std::vector<PipelinePass>& passes)
    {
        AddItems(m_work.before, -1);
        for (const auto& pass : passes)
        {
            AddPass(pass);
        }
        // What follows the last backward pass works on complete gradients.
        m_awaited.insert(m_awaited.end(), m_unawaited.begin(), m_unawaited.end());
        AddItems(m_work.after, -1);
        return m_builder.Build();
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
        // The message into a pass and the one out of the pass before it carry the same tag.
        const uint32_t previous = pass.forward ? position - 1 : position + 1;
        const uint32_t next = pass.forward ? position + 1 : position - 1;
        if (position != (pass.forward ? 0 : last))
        {
            AddMessage(OpKind::RECV, pass, previous, position);
        }
        AddItems(pass.forward ? content.forward : content.backward,
                 static_cast<int32_t>(pass.microbatch));
        if (position != (pass.forward ? last : 0))
        {
            AddMessage(OpKind::SEND, pass, next, next);
        }
    }

    /**
     * @param kind SEND or RECV
     * @param pass the pass it belongs to
     * @param other position in the model of the chunk at the other end
     * @param receiver position in the model of the chunk that receives
     */
    void AddMessage(OpKind kind, const PipelinePass& pass, uint32_t other, uint32_t receiver)
    {
        WorkloadOp op;
        op.kind = kind;
        op.amount = m_work.messageBytes;
        op.communicator = static_cast<uint32_t>(Dimension::PP);
        op.peer = other % m_shape.stages;
        op.tag = (receiver * m_shape.microbatches + pass.microbatch) * 2 + (pass.forward ? 0 : 1);
        op.phase = pass.forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT;
        op.microbatch = static_cast<int32_t>(pass.microbatch);
        const std::string name = std::string(kind == OpKind::SEND ? "send" : "recv") +
                                 (pass.forward ? "-forward" : "-backward");
        auto& stream = m_messages[kind == OpKind::SEND][pass.forward];
        if (!stream)
        {
            stream = m_builder.AddStream({"pp-" + name, false, Dimension::PP});
        }
        op.stream = *stream;
        const auto index = m_builder.AddOp(op, name);
        if (kind == OpKind::SEND)
        {
            Await(index);
        }
        else
        {
            m_awaited.push_back(index);
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
                m_awaited.push_back(overlapping.begin()->second);
                overlapping.erase(overlapping.begin());
            }
        };
        for (std::size_t i = 0; i < items.size(); ++i)
        {
            const auto& item = items[i];
            awaitOverlapping(i);
            if (item.amount == 0)
            {
                continue;
            }
            WorkloadOp op;
            op.kind = item.kind;
            op.amount = item.amount;
            op.collective = item.collective;
            op.communicator = static_cast<uint32_t>(item.dimension);
            op.phase = item.phase;
            op.layer = item.layer;
            op.microbatch = microbatch;
            op.origin = item.origin;
            op.stream =
                item.kind == OpKind::COMPUTE ? m_compute : GetCollectiveStream(item.dimension);
            op.splits = item.splits ? m_builder.AddSplits(*item.splits) : UINT32_MAX;
            auto index = Add(op, item.name);
            if (item.kind == OpKind::COLLECTIVE && item.updatePs > 0)
            {
                op.kind = OpKind::COMPUTE;
                op.amount = item.updatePs;
                const auto update = m_builder.AddOp(op, item.name + "_update");
                m_builder.AddFinishEdge(index, update);
                index = update;
            }
            if (item.kind == OpKind::COLLECTIVE && !item.blocking)
            {
                m_unawaited.push_back(index);
            }
            else if (item.kind == OpKind::COLLECTIVE && item.overlap > 0)
            {
                overlapping.emplace(i + 1 + item.overlap, index);
            }
            else
            {
                m_awaited = {index};
            }
        }
        awaitOverlapping(std::numeric_limits<std::size_t>::max());
    }

    /**
     * @param op an op that waits for all that is awaited
     * @param name its name
     * @return its index
     */
    OpIndex Add(const WorkloadOp& op, const std::string& name)
    {
        const auto index = m_builder.AddOp(op, name);
        Await(index);
        return index;
    }

    /**
     * @param op an op that waits for all that is awaited
     */
    void Await(OpIndex op)
    {
        for (const auto before : m_awaited)
        {
            m_builder.AddFinishEdge(before, op);
        }
    }

    /**
     * @param dimension a dimension
     * @return the stream of its collectives
     */
    uint16_t GetCollectiveStream(Dimension dimension)
    {
        auto& stream = m_collectives[static_cast<std::size_t>(dimension)];
        if (!stream)
        {
            stream = m_builder.AddStream({ToString(dimension), false, dimension});
        }
        return *stream;
    }

    const StageWork& m_work;                            //!< what the stage does
    PipelineShape m_shape;                              //!< shape of the pipeline
    uint32_t m_stage;                                   //!< the stage
    WorkloadProgramBuilder m_builder;                   //!< the program
    uint16_t m_compute;                                 //!< stream of computations
    std::vector<std::optional<uint16_t>> m_collectives; //!< streams of collectives, by dimension
    std::optional<uint16_t> m_messages[2][2]; //!< streams of messages, by [is send][is forward]
    std::vector<OpIndex> m_awaited;           //!< what the next item waits for
    std::vector<OpIndex> m_unawaited;         //!< collectives nothing has waited for yet
};

} // namespace

std::shared_ptr<const WorkloadProgram>
LowerStage(const StageWork& work,
           const PipelineSchedule& schedule,
           const PipelineShape& shape,
           uint32_t stage)
{
    return StageLowering(work, shape, stage).Lower(schedule.GetPasses(shape, stage));
}

} // namespace ns3
