/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-program.h"

#include "parallel-groups.h"

#include "ns3/assert.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param kind what a pass does
 * @param phase phase of an item of its direction
 * @return whether the item belongs to the pass
 */
bool
IsInPass(PassKind kind, OpPhase phase)
{
    const bool canWait = phase == OpPhase::BACKWARD_WEIGHT || phase == OpPhase::GRAD_SYNC;
    return kind == PassKind::BACKWARD_INPUT    ? !canWait
           : kind == PassKind::BACKWARD_WEIGHT ? canWait
                                               : true;
}

/**
 * @ingroup workload-replay
 * @brief Lowers one stage: keeps what the next item has to wait for.
 */
class StageLowering
{
  public:
    /**
     * @param work what the stage does
     * @param schedule the order of passes
     * @param shape shape of the pipeline
     * @param stage the stage
     */
    StageLowering(const StageWork& work,
                  const PipelineSchedule& schedule,
                  const PipelineShape& shape,
                  uint32_t stage)
        : m_work(work),
          m_schedule(schedule),
          m_shape(shape),
          m_stage(stage),
          m_program(work.file, shape)
    {
    }

    /**
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Lower()
    {
        const auto passes = m_schedule.GetPasses(m_shape, m_stage);
        for (auto first = passes.begin(); first != passes.end();)
        {
            // A group is a pass and those after it that run together with it.
            const auto last = std::find_if(first + 1, passes.end(), [](const PipelinePass& pass) {
                return !pass.together;
            });
            AddPasses({first, last});
            first = last;
        }
        // What follows the last pass works on complete gradients.
        m_program.awaited.insert(m_program.awaited.end(), m_unawaited.begin(), m_unawaited.end());
        OpenPass after;
        after.items = &m_work.after;
        // AddItems() stops where the accelerator could turn to another pass; here there is none.
        while (AddItems(after))
        {
        }
        return m_program.Build();
    }

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /// Results of one direction of a microbatch through a chunk, or of the iteration, by number.
    using Results = std::map<uint32_t, OpIndex>;

    /// A pass that has items left.
    struct OpenPass
    {
        PassKind kind{PassKind::FORWARD}; //!< what it does
        int32_t microbatch{-1};           //!< microbatch; -1 = none
        const StageItems* items{nullptr}; //!< items of its direction
        std::size_t next{0};              //!< the first one that was not looked at
        std::vector<OpIndex> awaited;     //!< what its next op waits for
        bool endsInCollective{false};     //!< that is a collective
        std::shared_ptr<Results> results{std::make_shared<Results>()}; //!< what it left behind
    };

    /**
     * @param passes one pass, or several that run together
     */
    void AddPasses(const std::vector<PipelinePass>& passes)
    {
        // All messages come first: no pass of the group begins before those of all are here.
        for (const auto& pass : passes)
        {
            if (const auto message = AddMessage(pass, false))
            {
                AwaitAlso(*message);
            }
        }
        std::vector<OpenPass> open;
        open.reserve(passes.size());
        for (const auto& pass : passes)
        {
            open.push_back(Open(pass));
        }
        for (bool isLeft = true; isLeft;)
        {
            isLeft = false;
            for (auto& pass : open)
            {
                // The writer's list is that of the pass at work: each pass waits for its own ops.
                m_program.awaited.swap(pass.awaited);
                isLeft |= AddItems(pass);
                m_program.awaited.swap(pass.awaited);
            }
        }
        m_program.awaited.clear();
        // What comes after the group waits for all its passes; so do the messages that leave it.
        for (const auto& pass : open)
        {
            std::for_each(pass.awaited.begin(), pass.awaited.end(), [this](OpIndex op) {
                AwaitAlso(op);
            });
        }
        for (const auto& pass : passes)
        {
            if (const auto message = AddMessage(pass, true))
            {
                m_program.Await(*message);
            }
        }
    }

    /**
     * @param pass a pass, whose messages have been received
     * @return the same
     */
    OpenPass Open(const PipelinePass& pass)
    {
        const auto& content = *m_work.passes[pass.chunk][pass.microbatch];
        const bool forward = pass.kind == PassKind::FORWARD;
        OpenPass open;
        open.kind = pass.kind;
        open.microbatch = static_cast<int32_t>(pass.microbatch);
        open.items = forward ? &content.forward : &content.backward;
        open.awaited = m_program.awaited;
        const std::pair place{pass.chunk, pass.microbatch};
        // The part with gradients of weights may wait for what the other part has left behind.
        if (pass.kind == PassKind::BACKWARD_INPUT)
        {
            m_split[place] = open.results;
        }
        else if (pass.kind == PassKind::BACKWARD_WEIGHT)
        {
            open.results = m_split.at(place);
            m_split.erase(place);
        }
        return open;
    }

    /**
     * @param pass a pass
     * @param isSend true: its message to the next part of the model; false: the one that it needs
     * @return the op of the message; nothing if there is none
     */
    std::optional<OpIndex> AddMessage(const PipelinePass& pass, bool isSend)
    {
        const bool forward = pass.kind == PassKind::FORWARD;
        // A forward send and a backward receive are with the next part of the model, the others
        // with the part before.
        const auto other =
            m_schedule.FindNeighbour(m_shape, m_stage, pass.chunk, isSend == forward);
        // Neighbouring parts on one stage hand over in memory, as at the turn of a folded pipeline.
        if (pass.kind == PassKind::BACKWARD_WEIGHT || !other || other->stage == m_stage)
        {
            return std::nullopt;
        }
        // Both ends name the part that receives, so that their tags are equal.
        const ChunkPlace receiver = isSend ? *other : ChunkPlace{m_stage, pass.chunk};
        StageMessage message;
        message.isSend = isSend;
        message.forward = forward;
        message.microbatch = pass.microbatch;
        message.stage = m_stage;
        message.peer = other->stage;
        message.part = m_schedule.GetPart(m_shape, receiver.stage, receiver.chunk);
        message.bytes = m_work.messageBytes;
        return m_program.AddMessage(message, message.GetName());
    }

    /**
     * Add items of a pass up to the first computation, not included, that waits for a collective:
     * while it does, the accelerator may turn to another pass.
     *
     * @param [in,out] pass a pass
     * @return whether there are any left
     */
    bool AddItems(OpenPass& pass)
    {
        bool hasAdded = false;
        for (; pass.next < pass.items->size(); ++pass.next)
        {
            const auto& item = (*pass.items)[pass.next];
            if (!IsInPass(pass.kind, item.op.phase))
            {
                continue;
            }
            const bool isCollective = item.op.kind == OpKind::COLLECTIVE;
            // A collective is issued at once even if it has to wait: its own stream does that.
            const bool waits = pass.endsInCollective || item.consumes.number > 0;
            if (waits && hasAdded && !isCollective)
            {
                break;
            }
            // Restored below: what follows a collective that does not block need not wait for what
            // that has consumed.
            const auto before = m_program.awaited;
            Consume(item.consumes, *pass.results);
            if (item.IsEmpty())
            {
                continue;
            }
            const auto index = m_program.AddItem(item, pass.microbatch);
            hasAdded = true;
            const bool isNamed = isCollective && item.produces.number > 0;
            if (isNamed)
            {
                auto& results = GetResults(item.produces, *pass.results);
                NS_ASSERT_MSG(item.produces.lasting || results.count(item.produces.number) == 0,
                              "two items of a pass produce a result of the same number");
                results[item.produces.number] = index;
            }
            // If nothing ever consumes it, the work after the last pass waits for it, see Lower().
            if (isNamed || (isCollective && !item.blocking))
            {
                m_unawaited.insert(index);
                m_program.awaited = before;
            }
            else
            {
                m_program.awaited = {index};
                pass.endsInCollective = isCollective;
            }
        }
        return pass.next < pass.items->size();
    }

    /**
     * @param result name of a result
     * @param own results of the pass
     * @return the results that it is among
     */
    Results& GetResults(const StageResult& result, Results& own)
    {
        return result.lasting ? m_lasting : own;
    }

    /**
     * Let the next op wait for a result, if anything has left it behind.
     *
     * @param result name of the result
     * @param own results of the pass
     */
    void Consume(const StageResult& result, Results& own)
    {
        const auto& results = GetResults(result, own);
        const auto entry = results.find(result.number);
        if (entry != results.end())
        {
            AwaitAlso(entry->second);
            m_unawaited.erase(entry->second);
        }
    }

    /**
     * @param op an op that the next one waits for, too
     */
    void AwaitAlso(OpIndex op)
    {
        auto& awaited = m_program.awaited;
        if (std::find(awaited.begin(), awaited.end(), op) == awaited.end())
        {
            awaited.push_back(op);
        }
    }

    const StageWork& m_work;            //!< what the stage does
    const PipelineSchedule& m_schedule; //!< the order of passes
    PipelineShape m_shape;              //!< shape of the pipeline
    uint32_t m_stage;                   //!< the stage
    StageProgramWriter m_program;       //!< the program
    std::set<OpIndex> m_unawaited;      //!< collectives nothing has waited for yet
    Results m_lasting;                  //!< results of the iteration
    /// Results of backward passes of which a part is to come, by chunk and microbatch.
    std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<Results>> m_split;
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
    const auto dimension = GetSlotDimension(op.communicator);
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
    // The local work stands in the stream of the collective, and delays what comes next there.
    op.kind = OpKind::COMPUTE;
    op.amount = item.updatePs;
    const auto update = m_builder.AddOp(op, item.name + "_update");
    m_builder.AddFinishEdge(index, update);
    return update;
}

StageProgramWriter::OpIndex
StageProgramWriter::AddMessage(const StageMessage& message, const std::string& name)
{
    // Most messages go up the stages with activations and down with gradients, or round from the
    // last stage to the first.
    const bool isUp = message.forward == message.isSend;
    const auto usual = (message.stage + (isUp ? 1 : m_shape.stages - 1)) % m_shape.stages;
    WorkloadOp op;
    op.kind = message.isSend ? OpKind::SEND : OpKind::RECV;
    op.amount = message.bytes;
    op.communicator = static_cast<uint32_t>(Dimension::PP);
    op.peer = message.peer;
    // Even tags are those of activations, odd ones those of gradients.
    op.tag = (uint64_t{message.part} * m_shape.microbatches + message.microbatch) * 2 +
             (message.forward ? 0 : 1);
    op.phase = message.forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT;
    op.origin = message.origin;
    op.microbatch = static_cast<int32_t>(message.microbatch);
    op.stream = GetStream("pp-" + message.GetName() + (message.peer == usual ? "" : "-back"),
                          Dimension::PP);
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
    return StageLowering(work, schedule, shape, stage).Lower();
}

} // namespace ns3
