/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-zero-bubble.h"

#include <algorithm>

namespace ns3
{

ZeroBubbleSchedule::ZeroBubbleSchedule(uint32_t depth)
    : m_depth(depth)
{
}

std::string
ZeroBubbleSchedule::GetName() const
{
    return "zb-h" + std::to_string(m_depth);
}

bool
ZeroBubbleSchedule::SplitsBackward() const
{
    return true;
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
    // The first stage runs so many forward passes before its first backward pass.
    const auto least = m_depth * (shape.stages - 1) + 1;
    if (m_depth == 1 || shape.microbatches >= least)
    {
        return "";
    }
    return GetName() + " needs at least " + std::to_string(least) +
           " microbatches to fill a pipeline of " + std::to_string(shape.stages) + " stages, not " +
           std::to_string(shape.microbatches);
}

} // namespace ns3
