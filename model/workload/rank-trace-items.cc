/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-items.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <limits>

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
    item.phase = GetPhase(op);
    item.origin = op.line;
    return item;
}

} // namespace

RankTraceItems::RankTraceItems(const RankTrace& trace,
                               const std::array<uint32_t, N_DIMENSIONS>& groupSizes,
                               const RankTraceSplits& splits)
    : m_trace(trace),
      m_groupSizes(groupSizes),
      m_splits(splits)
{
}

void
RankTraceItems::AppendNext(StageItems& items)
{
    const auto& op = m_trace.ops[m_next];
    const auto* const before = m_next == 0 ? nullptr : &m_trace.ops[m_next - 1];
    ++m_next;
    if (before && op.IsExchangedWith(*before))
    {
        return;
    }
    if (!before || !op.hasClock || !before->hasClock)
    {
        m_now = op.start;
    }
    if (op.IsMessage())
    {
        AppendCompute(items, op, op.start);
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

uint64_t
RankTraceItems::GetScalingTime(uint64_t bytes)
{
    constexpr uint64_t passes = 2;
    constexpr uint64_t bytesPerPs = 2;
    return bytes / bytesPerPs * passes;
}

void
RankTraceItems::AppendCompute(StageItems& items, const RankTraceOp& op, int64_t until)
{
    const int64_t time = until - m_now - m_overlap;
    m_overlap = std::max<int64_t>(-time, 0);
    m_now = until;
    if (time > 0)
    {
        auto item = MakeItem(op);
        item.amount = static_cast<uint64_t>(time) * PS_PER_NS;
        items.push_back(item);
    }
}

void
RankTraceItems::AppendCollective(StageItems& items,
                                 const RankTraceOp& op,
                                 const RankTraceCollective& collective)
{
    const uint64_t size = m_groupSizes[static_cast<std::size_t>(collective.dimension)];
    auto item = MakeItem(op);
    if (op.action == RankTraceAction::ALL_REDUCE && collective.dimension != Dimension::EMBEDDING)
    {
        const auto span = static_cast<uint64_t>(collective.end - collective.start) * PS_PER_NS;
        const auto scaling = GetScalingTime(collective.bytes);
        // Nothing but the call itself was recorded where no communication ran.
        item.amount = m_trace.IsProfile() ? scaling : std::min(scaling, span);
        items.push_back(item);
    }
    const auto index = m_splitCalls;
    m_splitCalls += collective.HasSplits() ? 1 : 0;
    if (size == 1 || collective.bytes == 0)
    {
        return;
    }
    if (collective.isShard && collective.bytes > std::numeric_limits<uint64_t>::max() / size)
    {
        throw WorkloadError({m_trace.file, op.line, 0, ""},
                            "less than 2^64 bytes gathered in " + collective.name,
                            std::to_string(collective.bytes) + " bytes of " + std::to_string(size) +
                                " members each");
    }
    item.name = collective.name;
    item.kind = OpKind::COLLECTIVE;
    item.collective = collective.kind;
    item.dimension = collective.dimension;
    item.amount = collective.bytes * (collective.isShard ? size : 1);
    if (collective.HasSplits() && !m_splits.empty())
    {
        item.splits = m_splits[index];
    }
    items.push_back(item);
}

} // namespace ns3
