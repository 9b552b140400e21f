/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_V_PATTERN_H
#define SCHEDULE_V_PATTERN_H

#include "pipeline-schedule.h"
#include "slot-plan.h"

namespace ns3
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

} // namespace ns3

#endif /* SCHEDULE_V_PATTERN_H */
