/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include <algorithm>

namespace ns3
{

namespace
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

/// Makes the schedule zb-h1 known.
const PipelineSchedule::Registration ZB_H1(3, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<ZeroBubbleSchedule>(1));
});

/// Makes the schedule zb-h2 known.
const PipelineSchedule::Registration ZB_H2(4, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<ZeroBubbleSchedule>(2));
});

} // namespace

} // namespace ns3
