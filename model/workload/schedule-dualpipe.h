/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_DUALPIPE_H
#define SCHEDULE_DUALPIPE_H

#include "pipeline-schedule.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Microbatches enter at both ends of the pipeline, and forward passes of one direction run
 *        together with backward passes of the other (DeepSeek-AI, "DeepSeek-V3 Technical Report",
 *        arXiv 2412.19437, section 3.2.1; DualPipe, dualpipe.py).
 *
 * Each part of the model is on two stages. The first half of the microbatches goes up the stages,
 * through chunks 0, and the second half down, through chunks 1. Where a pair of passes runs
 * together, the backward one is not split.
 */
class DualPipeSchedule : public PipelineSchedule
{
  public:
    DualPipeSchedule();

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;
};

/**
 * @ingroup workload-replay
 * @brief DualPipe cut in half: the pipeline is folded, so that no part of the model is held twice,
 *        and passes through the two chunks of a stage run together (DeepSeek-AI, DualPipe,
 *        dualpipev.py; Sea AI Lab, "Cut-in-half").
 */
class DualPipeVSchedule : public PipelineSchedule
{
  public:
    DualPipeVSchedule();

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;
};

/**
 * @ingroup workload-replay
 * @brief The order of DualPipeV with split backward passes and none together: ZB-V (Qi et al.,
 *        "Pipeline Parallelism with Controllable Memory", NeurIPS 2024; "Zero Bubble Pipeline
 *        Parallelism", arXiv 2401.10241).
 *
 * It keeps 2 p activations of half the size, p stages, as 1F1B does, and has no bubble but the skew
 * of the stages if all parts of a pass take the same time. This is the order that the authors'
 * greedy planner (zero-bubble-pipeline-parallelism, scheduler/zbv.py) finds for such times; given
 * others, it may move single passes.
 */
class ZeroBubbleVSchedule : public PipelineSchedule
{
  public:
    ZeroBubbleVSchedule();

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;
};

} // namespace ns3

#endif /* SCHEDULE_DUALPIPE_H */
