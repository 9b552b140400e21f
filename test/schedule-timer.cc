/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-timer.h"

#include <algorithm>

namespace ns3
{

ScheduleTimer::ScheduleTimer(const PipelineSchedule& schedule,
                             const PipelineShape& shape,
                             const Costs& costs)
    : m_schedule(schedule),
      m_shape(shape),
      m_costs(costs),
      m_next(shape.stages, 0),
      m_free(shape.stages, 0)
{
    for (uint32_t stage = 0; stage < shape.stages; ++stage)
    {
        m_passes.push_back(schedule.GetPasses(shape, stage));
    }
}

uint64_t
ScheduleTimer::Run()
{
    for (bool hasMoved = true; hasMoved;)
    {
        hasMoved = false;
        for (uint32_t stage = 0; stage < m_shape.stages; ++stage)
        {
            while (Step(stage))
            {
                hasMoved = true;
            }
        }
    }
    for (uint32_t stage = 0; stage < m_shape.stages; ++stage)
    {
        if (m_next[stage] < m_passes[stage].size())
        {
            return 0;
        }
    }
    return *std::max_element(m_free.begin(), m_free.end());
}

bool
ScheduleTimer::Step(uint32_t stage)
{
    const auto& passes = m_passes[stage];
    const auto first = m_next[stage];
    if (first == passes.size())
    {
        return false;
    }
    auto last = first + 1;
    while (last < passes.size() && passes[last].together)
    {
        ++last;
    }
    auto start = m_free[stage];
    uint64_t cost = 0;
    for (auto i = first; i < last; ++i)
    {
        if (!IsReady(stage, passes[i], start))
        {
            return false;
        }
        const auto kind = passes[i].kind;
        cost += kind == PassKind::FORWARD           ? m_costs.forward
                : kind != PassKind::BACKWARD_WEIGHT ? m_costs.input
                                                    : 0;
        cost +=
            kind == PassKind::BACKWARD || kind == PassKind::BACKWARD_WEIGHT ? m_costs.weight : 0;
    }
    m_free[stage] = start + (last - first > 1 ? m_costs.pair : cost);
    for (auto i = first; i < last; ++i)
    {
        const auto part = m_schedule.GetPart(m_shape, stage, passes[i].chunk);
        if (passes[i].kind != PassKind::BACKWARD_WEIGHT)
        {
            const bool forward = passes[i].kind == PassKind::FORWARD;
            m_ends[{forward, part, passes[i].microbatch}] = {m_free[stage], stage};
        }
    }
    m_next[stage] = last;
    return true;
}

bool
ScheduleTimer::IsReady(uint32_t stage, const PipelinePass& pass, uint64_t& start) const
{
    const auto part = m_schedule.GetPart(m_shape, stage, pass.chunk);
    Key needed{false, part, pass.microbatch};
    if (pass.kind == PassKind::FORWARD)
    {
        if (part == 0)
        {
            return true;
        }
        needed = {true, part - 1, pass.microbatch};
    }
    else if (pass.kind != PassKind::BACKWARD_WEIGHT)
    {
        const bool isLast = part + 1 == m_schedule.CountParts(m_shape);
        needed = {isLast, isLast ? part : part + 1, pass.microbatch};
    }
    const auto end = m_ends.find(needed);
    if (end == m_ends.end())
    {
        return false;
    }
    start = std::max(start, end->second.time + (end->second.stage == stage ? 0 : m_costs.latency));
    return true;
}

} // namespace ns3
