/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3
{

bool
RankTraceCollective::HasSplits() const
{
    return kind == CollectiveKind::ALL_TO_ALL && dimension == Dimension::EP;
}

bool
RankTraceOp::IsMessage() const
{
    return action == RankTraceAction::SEND || action == RankTraceAction::RECV;
}

bool
RankTraceOp::IsExchangedWith(const RankTraceOp& before) const
{
    // Megatron exchanges both messages in one call (send_forward_recv_backward), whose times both
    // of them have.
    return IsMessage() && before.IsMessage() && action != before.action && hasClock &&
           start == before.start && end == before.end;
}

bool
RankTrace::IsProfile() const
{
    return std::any_of(ops.begin(), ops.end(), [](const RankTraceOp& op) {
        return op.action == RankTraceAction::FORWARD && op.state == RankTraceState::NONE;
    });
}

SourceLocation
RankTrace::Locate(uint32_t line) const
{
    return {file, line, 0, ""};
}

uint32_t
RankTrace::Count(RankTraceAction action, bool forward) const
{
    return static_cast<uint32_t>(std::count_if(ops.begin(), ops.end(), [&](const auto& op) {
        return op.action == action && op.forward == forward;
    }));
}

uint32_t
RankTrace::CountMicrobatches() const
{
    return Count(RankTraceAction::FORWARD, true);
}

uint32_t
RankTrace::CountWarmup() const
{
    return static_cast<uint32_t>(std::count_if(ops.begin(), ops.end(), [](const auto& op) {
        return op.action == RankTraceAction::FORWARD && op.state == RankTraceState::WARMUP;
    }));
}

std::optional<uint32_t>
RankTrace::FindStages() const
{
    if (Count(RankTraceAction::LOSS, true) > 0)
    {
        // Only the last stage has a loss.
        return ops[0].stage + 1;
    }
    const auto warmup = CountWarmup();
    // A warm-up of all microbatches may have been cut short by their number.
    if (IsProfile() || warmup == CountMicrobatches())
    {
        return std::nullopt;
    }
    // In 1F1B a stage runs as many forward passes ahead as stages follow it.
    return ops[0].stage + 1 + warmup;
}

uint32_t
RankTrace::FindUse(Dimension dimension) const
{
    for (const auto& op : ops)
    {
        for (const auto& collective : op.collectives)
        {
            if (collective.dimension == dimension && collective.bytes > 0)
            {
                return op.line;
            }
        }
    }
    return 0;
}

void
RankTrace::ScaleBytes(double factor)
{
    if (factor == 1)
    {
        return; // floating-point numbers do not hold all sizes
    }
    const auto scale = [factor](uint64_t& bytes) {
        // Rounded up, so that no message becomes empty.
        bytes = static_cast<uint64_t>(std::ceil(static_cast<double>(bytes) * factor));
    };
    for (auto& op : ops)
    {
        scale(op.bytes);
        for (auto& collective : op.collectives)
        {
            scale(collective.bytes);
        }
    }
}

bool
AreOnePerStage(const std::vector<RankTrace>& traces, uint32_t stages)
{
    std::set<uint32_t> found;
    for (const auto& trace : traces)
    {
        if (trace.IsProfile() && trace.ops[0].stage < stages)
        {
            found.insert(trace.ops[0].stage);
        }
    }
    return found.size() == stages && traces.size() == stages;
}

} // namespace ns3
