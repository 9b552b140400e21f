/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_ZERO_BUBBLE_H
#define SCHEDULE_ZERO_BUBBLE_H

#include "pipeline-schedule.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief 1F1B with split backward passes, so that gradients of weights fill the bubbles: ZB-H1 and
 *        ZB-H2 (Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, sections 2.1 and 2.2).
 *
 * With p stages and the depth d, stage r runs d (p - 1 - r) forward passes ahead, then forward and
 * backward passes in turn, and puts off gradients of weights for as long as no more than d r of
 * them wait.
 * - d = 1, zb-h1: as few activations as 1F1B keeps, p, and about a third of its bubble.
 * - d = 2, zb-h2: 2 p - 1 activations, and none but the skew of the stages if all parts of a pass
 *   take the same time.
 *
 * These are the orders of the paper, which do not depend on measured times. The authors' ZB-1p and
 * ZB-2p plan by measured times.
 */
class ZeroBubbleSchedule : public PipelineSchedule
{
  public:
    /**
     * @param depth d, 1 or 2
     */
    explicit ZeroBubbleSchedule(uint32_t depth);

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;

    uint32_t m_depth; //!< d
};

} // namespace ns3

#endif /* SCHEDULE_ZERO_BUBBLE_H */
