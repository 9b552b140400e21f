/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-lowering.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Picoseconds of a nanosecond.
constexpr uint64_t PS_PER_NS = 1000;

/**
 * @param op an op
 * @return the part of the iteration it belongs to
 */
OpPhase
GetPhase(const RankTraceOp& op)
{
    switch (op.action)
    {
    case RankTraceAction::BACKWARD:
        return OpPhase::BACKWARD_INPUT;
    case RankTraceAction::ALL_REDUCE:
        return OpPhase::GRAD_SYNC;
    case RankTraceAction::OPTIMIZER:
        return OpPhase::OPTIMIZER;
    default:
        return op.forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT;
    }
}

/**
 * @param op an op
 * @return an item of it
 */
StageItem
MakeItem(const RankTraceOp& op)
{
    StageItem item;
    item.name = op.name;
    item.op.phase = GetPhase(op);
    item.op.origin = op.line;
    return item;
}

/**
 * Estimate how long a rank scales its gradients before they are reduced.
 *
 * The scaling reads and writes each gradient once, at the memory bandwidth of the GPU. 2 TB/s is
 * what an H800 reaches: an all-reduce of 5.64 GB in a group of one takes 5.65 ms.
 *
 * @param bytes bytes of the gradients
 * @return time to scale them in ps
 */
uint64_t
GetScalingTime(uint64_t bytes)
{
    constexpr uint64_t passes = 2;
    constexpr uint64_t bytesPerPs = 2;
    return bytes / bytesPerPs * passes;
}

/**
 * @ingroup workload-replay
 * @brief Takes the computations and collectives out of a trace, op by op.
 *
 * Timestamps are rounded, so that two ops may seem to overlap a little; the overlap is taken off
 * the computation that follows, which keeps the sum exact.
 */
class RankTraceItems
{
  public:
    /**
     * @param trace the trace
     * @param groupSizes members of the rank's group in each dimension
     * @param splits see RankTraceSplits; empty = all parts are equal
     */
    RankTraceItems(const RankTrace& trace,
                   const RankGroupSizes& groupSizes,
                   const RankTraceSplits& splits)
        : m_trace(trace),
          m_groupSizes(groupSizes),
          m_splits(splits)
    {
    }

    /**
     * @param [in,out] items receives the computations and collectives of the next op in the
     *        trace, and the host's work before it; of a message the host's work only, and of the
     *        second message of an exchange nothing
     */
    void AppendNext(StageItems& items)
    {
        const auto& op = m_trace.ops[m_next];
        const auto* const before = m_next == 0 ? nullptr : &m_trace.ops[m_next - 1];
        ++m_next;
        // Both messages of an exchange have the same times, which count once.
        if (before && op.IsExchangedWith(*before))
        {
            return;
        }
        // Without both timestamps there is no gap between the two to account for.
        if (!before || !op.hasClock || !before->hasClock)
        {
            m_now = op.start;
        }
        if (op.IsMessage())
        {
            AppendCompute(items, op, op.start);
            // The recorded transfer takes no time of its own: the replayed one will.
            m_now = op.end;
            return;
        }
        for (const auto& collective : op.collectives)
        {
            AppendCompute(items, op, collective.start);
            AppendCollective(items, op, collective);
            m_now = collective.end;
        }
        AppendCompute(items, op, op.end);
    }

  private:
    /**
     * Append the computation up to a time.
     *
     * @param items receives it, unless there is none
     * @param op the op it belongs to
     * @param until its end in ns
     */
    void AppendCompute(StageItems& items, const RankTraceOp& op, int64_t until)
    {
        const int64_t time = until - m_now - m_overlap;
        m_overlap = std::max<int64_t>(-time, 0);
        m_now = until;
        if (time > 0)
        {
            auto item = MakeItem(op);
            item.op.amount = static_cast<uint64_t>(time) * PS_PER_NS;
            items.push_back(item);
        }
    }

    /**
     * @param items receives the collective, unless it moves nothing
     * @param op the op it belongs to
     * @param collective the collective
     */
    void AppendCollective(StageItems& items,
                          const RankTraceOp& op,
                          const RankTraceCollective& collective)
    {
        const uint64_t size = m_groupSizes[static_cast<std::size_t>(collective.dimension)];
        auto item = MakeItem(op);
        if (op.action == RankTraceAction::ALL_REDUCE &&
            collective.dimension != Dimension::EMBEDDING)
        {
            const auto span = static_cast<uint64_t>(collective.end - collective.start) * PS_PER_NS;
            const auto scaling = GetScalingTime(collective.bytes);
            // Nothing but the call itself was recorded where no communication ran.
            item.op.amount = m_trace.IsProfile() ? scaling : std::min(scaling, span);
            items.push_back(item);
        }
        // Splits are counted by call, whether it moves anything or not.
        const auto index = m_splitCalls;
        m_splitCalls += collective.HasSplits() ? 1 : 0;
        if (collective.HasSplits() && !m_splits.empty())
        {
            item.splits = m_splits[index];
        }
        if (size == 1 || (collective.bytes == 0 && !item.splits))
        {
            return;
        }
        if (collective.isShard && collective.bytes > std::numeric_limits<uint64_t>::max() / size)
        {
            throw WorkloadError({m_trace.file, op.line, 0, ""},
                                "less than 2^64 bytes gathered in " + collective.name,
                                std::to_string(collective.bytes) + " bytes of " +
                                    std::to_string(size) + " members each");
        }
        item.name = collective.name;
        item.op.kind = OpKind::COLLECTIVE;
        item.op.collective = collective.kind;
        item.op.communicator = static_cast<uint32_t>(collective.dimension);
        item.op.amount = collective.bytes * (collective.isShard ? size : 1);
        items.push_back(item);
    }

    const RankTrace& m_trace;           //!< the trace
    const RankGroupSizes& m_groupSizes; //!< members by dimension
    const RankTraceSplits& m_splits;    //!< splits of all-to-alls
    std::size_t m_next{0};              //!< index of the next op
    std::size_t m_splitCalls{0};        //!< collectives so far that have splits
    int64_t m_now{0};                   //!< end of what was counted last, in ns
    int64_t m_overlap{0};               //!< overlap not yet taken off, in ns
};

/**
 * @param trace a trace
 * @param op a message of it
 * @param stages stages of the pipeline
 * @return the message
 */
StageMessage
MakeMessage(const RankTrace& trace, const RankTraceOp& op, uint32_t stages)
{
    if (!op.microbatch)
    {
        throw WorkloadError(trace.Locate(op.line), "the batch_id of a message", "None");
    }
    StageMessage message;
    message.isSend = op.action == RankTraceAction::SEND;
    message.forward = op.forward;
    message.microbatch = *op.microbatch;
    message.stage = op.stage;
    // Activations go from a stage to the next one, gradients to the one before.
    message.peer = (op.stage + (op.forward == message.isSend ? 1 : stages - 1)) % stages;
    // A message belongs to the part of the model that receives it.
    message.part = message.isSend ? message.peer : message.stage;
    message.bytes = op.bytes;
    message.origin = op.line;
    return message;
}

} // namespace

std::shared_ptr<const WorkloadProgram>
LowerRankTrace(const RankTrace& trace,
               const PipelineShape& pipeline,
               const RankGroupSizes& groupSizes,
               const RankTraceSplits& splits)
{
    RankTraceItems items(trace, groupSizes, splits);
    StageProgramWriter program(trace.file, pipeline);
    auto& awaited = program.awaited;
    // What the latest message waited for.
    auto beforeMessage = awaited;
    const RankTraceOp* before = nullptr;
    for (const auto& op : trace.ops)
    {
        const auto microbatch = op.microbatch ? static_cast<int32_t>(*op.microbatch) : -1;
        StageItems next;
        items.AppendNext(next);
        for (const auto& item : next)
        {
            awaited = {program.AddItem(item, microbatch)};
        }
        if (op.IsMessage())
        {
            // Both messages of an exchange wait for the same, and what follows for both of them.
            const bool together = before && op.IsExchangedWith(*before);
            if (!together)
            {
                beforeMessage = awaited;
            }
            const auto first = std::exchange(awaited, beforeMessage);
            const auto index = program.AddMessage(MakeMessage(trace, op, pipeline.stages), op.name);
            program.Await(index);
            awaited = {index};
            if (together)
            {
                awaited.insert(awaited.begin(), first.front());
            }
        }
        before = &op;
    }
    return program.Build();
}

StageWork
ExpandRankTrace(const RankTrace& trace,
                const RankGroupSizes& groupSizes,
                const RankTraceSplits& splits,
                uint32_t microbatches,
                uint64_t messageBytes)
{
    StageWork work;
    work.file = trace.file;
    work.messageBytes = messageBytes;
    std::map<uint32_t, std::shared_ptr<StagePass>> passes;
    RankTraceItems items(trace, groupSizes, splits);
    StageItems unused; // the host's work before a message, left out with the message
    for (const auto& op : trace.ops)
    {
        auto& pass = passes[op.microbatch.value_or(0)];
        if (!pass)
        {
            pass = std::make_shared<StagePass>();
        }
        switch (op.action)
        {
        case RankTraceAction::GET_BATCH:
        case RankTraceAction::FORWARD:
        case RankTraceAction::LOSS:
            items.AppendNext(pass->forward);
            break;
        case RankTraceAction::BACKWARD:
            items.AppendNext(pass->backward);
            break;
        case RankTraceAction::SEND:
        case RankTraceAction::RECV:
            items.AppendNext(unused);
            break;
        case RankTraceAction::ALL_REDUCE:
        case RankTraceAction::OPTIMIZER:
            items.AppendNext(work.after);
            break;
        }
    }
    work.passes.emplace_back();
    // A profile has one microbatch, which stands for all.
    for (uint32_t microbatch = 0; microbatch < microbatches; ++microbatch)
    {
        work.passes[0].push_back(trace.IsProfile() ? passes.begin()->second
                                                   : passes.at(microbatch));
    }
    return work;
}

uint64_t
FindMessageBytes(const std::vector<RankTrace>& traces)
{
    uint64_t message = 0;
    uint64_t activation = 0;
    for (const auto& trace : traces)
    {
        for (const auto& op : trace.ops)
        {
            message = std::max(message, op.bytes);
            for (const auto& collective : op.collectives)
            {
                if (op.action == RankTraceAction::FORWARD && collective.dimension == Dimension::TP)
                {
                    activation = std::max(activation, collective.bytes);
                }
            }
        }
    }
    // Profiles have no messages: the largest activation that ranks share by tp stands for one.
    return message > 0 ? message : activation;
}

} // namespace ns3
