/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"
#include "slot-plan.h"

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Folded pipelines whose passes repeat a pattern, which sets how many activations they keep:
 *        V-Half and V-Min (Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS
 *        2024).
 *
 * The pattern is that of passes which all take the same time, whatever they do take, as in the
 * authors' code (zero-bubble-pipeline-parallelism, zerobubble/runtime.py).
 */
class PatternSchedule : public PipelineSchedule
{
  protected:
    /**
     * @param name name of the schedule
     */
    explicit PatternSchedule(const std::string& name);

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;

    /**
     * @param stages stages of the pipeline
     * @param stage a stage
     * @return the slots of microbatch 0 there
     */
    virtual SlotPlan::Pattern GetPattern(uint32_t stages, uint32_t stage) const = 0;

    mutable std::vector<std::vector<PipelinePass>> m_planned; //!< passes of the last shape by stage
    mutable uint32_t m_microbatches{0};                       //!< microbatches of that shape
};

/**
 * @ingroup workload-replay
 * @brief Keeps about half of the activations of 1F1B.
 */
class VHalfSchedule : public PatternSchedule
{
  public:
    VHalfSchedule();

  private:
    SlotPlan::Pattern GetPattern(uint32_t stages, uint32_t stage) const override;
};

/**
 * @ingroup workload-replay
 * @brief Keeps about a third of the activations of 1F1B, the fewest that a folded pipeline can.
 */
class VMinSchedule : public PatternSchedule
{
  public:
    VMinSchedule();

  private:
    SlotPlan::Pattern GetPattern(uint32_t stages, uint32_t stage) const override;
};

PatternSchedule::PatternSchedule(const std::string& name)
    : PipelineSchedule(name, StagePlacement::FOLDED, true)
{
}

std::vector<PipelinePass>
PatternSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    // A plan covers all stages, so it is made once for a shape.
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

/// Makes the schedule v-half known.
const PipelineSchedule::Registration V_HALF(6, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<VHalfSchedule>());
});

/// Makes the schedule v-min known.
const PipelineSchedule::Registration V_MIN(7, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<VMinSchedule>());
});

} // namespace

} // namespace ns3
