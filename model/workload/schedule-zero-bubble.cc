/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-zero-bubble.h"

#include <algorithm>

namespace ns3
{

ZeroBubbleSchedule::ZeroBubbleSchedule(uint32_t depth)
    : PipelineSchedule("zb-h" + std::to_string(depth), StagePlacement::IN_TURN, true),
      m_depth(depth)
{
}

std::vector<PipelinePass>
ZeroBubbleSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    const auto n = shape.microbatches;
    const auto ahead = std::min(m_depth * (shape.stages - 1 - stage), n);
    const auto mayWait = m_depth * stage;
    std::vector<PipelinePass> passes;
    for (uint32_t i = 0; i < ahead; ++i)
    {
        passes.push_back({PassKind::FORWARD, i});
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        if (ahead + i < n)
        {
            passes.push_back({PassKind::FORWARD, ahead + i});
        }
        passes.push_back({PassKind::BACKWARD_INPUT, i});
        if (i >= mayWait)
        {
            passes.push_back({PassKind::BACKWARD_WEIGHT, i - mayWait});
        }
    }
    for (uint32_t i = n - std::min(mayWait, n); i < n; ++i)
    {
        passes.push_back({PassKind::BACKWARD_WEIGHT, i});
    }
    return passes;
}

std::string
ZeroBubbleSchedule::DoGetUnsupportedReason(const PipelineShape& shape) const
{
    // The first stage runs so many forward passes before its first backward pass. At the depth 1 it
    // has no more bubble than 1F1B with fewer.
    return m_depth == 1 ? "" : FindLack(shape, m_depth * (shape.stages - 1) + 1);
}

} // namespace ns3
