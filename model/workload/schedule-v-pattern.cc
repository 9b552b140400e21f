/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-v-pattern.h"

namespace ns3
{

PatternSchedule::PatternSchedule(const std::string& name)
    : PipelineSchedule(name, StagePlacement::FOLDED, true)
{
}

std::vector<PipelinePass>
PatternSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    if (m_planned.size() != shape.stages || m_microbatches != shape.microbatches)
    {
        std::vector<SlotPlan::Pattern> pattern;
        for (uint32_t i = 0; i < shape.stages; ++i)
        {
            pattern.push_back(GetPattern(shape.stages, i));
        }
        m_microbatches = shape.microbatches;
        m_planned = SlotPlan(pattern, m_microbatches).Plan();
    }
    return m_planned[stage];
}

VHalfSchedule::VHalfSchedule()
    : PatternSchedule("v-half")
{
}

SlotPlan::Pattern
VHalfSchedule::GetPattern(uint32_t stages, uint32_t stage) const
{
    // An even number of stages has two passes in one slot unless backward passes start later.
    const uint32_t delay = stages % 2 == 0 ? 3 : 0;
    return {2 * stage,
            3 * stages - stage - 2,
            3 * stages + delay + 2 * stage - 1,
            6 * stages + delay - stage - 2};
}

VMinSchedule::VMinSchedule()
    : PatternSchedule("v-min")
{
}

SlotPlan::Pattern
VMinSchedule::GetPattern(uint32_t stages, uint32_t stage) const
{
    // Likewise a multiple of three stages.
    const uint32_t delay = stages % 3 == 0 ? 2 : 0;
    return {stage,
            2 * stages - stage - 1,
            2 * stages + delay + stage,
            4 * stages + delay - stage - 1};
}

} // namespace ns3
