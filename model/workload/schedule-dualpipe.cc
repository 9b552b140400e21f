/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"
#include "two-chunk-order.h"

#include <algorithm>

namespace ns3
{

namespace
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

using Order = TwoChunkOrder; //!< writes the orders

/**
 * Write an order in which passes through the two chunks run together.
 *
 * @param order receives it
 * @param nPairs times that both pairs are run, step 4
 * @param isTurn true: microbatches come to the other direction right here
 * @param nBetween times that the second pair alone is run, step 5
 * @param nWhole see TwoChunkOrder::CoolDown()
 */
void
WriteTogether(Order& order, uint32_t nPairs, bool isTurn, uint32_t nBetween, uint32_t nWhole)
{
    order.WarmUp();
    for (uint32_t i = 0; i < nPairs; ++i)
    {
        // Where microbatches turn, the first pair is not overlapped, which saves some bubble.
        order.Forward(Order::NEAR);
        order.Backward(Order::FAR, i > 0 || !isTurn);
        order.Forward(Order::FAR);
        order.Backward(Order::NEAR, true);
    }
    for (uint32_t i = 0; i < nBetween; ++i)
    {
        order.Backward(Order::FAR);
        order.Forward(Order::FAR);
        order.Backward(Order::NEAR, true);
    }
    order.CoolDown(nWhole);
}

DualPipeSchedule::DualPipeSchedule()
    : PipelineSchedule("dualpipe", StagePlacement::TWICE, true)
{
}

std::vector<PipelinePass>
DualPipeSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    // Microbatches enter at both ends; q counts the stages from the nearer end to this one.
    const uint32_t n = shape.stages / 2;
    const uint32_t half = shape.microbatches / 2;
    const auto q = std::min(stage, shape.stages - 1 - stage);
    Order order(n, q, stage < n ? 0 : 1, {0, half});
    // Warm-up has run stages - q - 1 forward passes of the near chunk; as `half` is at least the
    // stages, the rest is not negative.
    WriteTogether(order, half - shape.stages + q + 1, q + 1 == n, n - q - 1, q + 1);
    return order.Take();
}

std::string
DualPipeSchedule::DoGetUnsupportedReason(const PipelineShape& shape) const
{
    if (shape.stages % 2 != 0)
    {
        return "dualpipe needs an even number of stages, which hold the parts of the model in "
               "pairs, not " +
               std::to_string(shape.stages);
    }
    if (shape.microbatches % 2 != 0)
    {
        return "dualpipe needs an even number of microbatches, half of them for each direction, "
               "not " +
               std::to_string(shape.microbatches);
    }
    return FindLack(shape, 2 * shape.stages);
}

DualPipeVSchedule::DualPipeVSchedule()
    : PipelineSchedule("dualpipev", StagePlacement::FOLDED, true)
{
}

std::vector<PipelinePass>
DualPipeVSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    const auto n = shape.stages;
    Order order(n, stage, 0, {0, 0});
    WriteTogether(order,
                  shape.microbatches - 2 * n + stage + 1,
                  stage + 1 == n,
                  n - stage - 1,
                  stage + 1);
    return order.Take();
}

std::string
DualPipeVSchedule::DoGetUnsupportedReason(const PipelineShape& shape) const
{
    return FindLack(shape, 2 * shape.stages);
}

ZeroBubbleVSchedule::ZeroBubbleVSchedule()
    : PipelineSchedule("zb-v", StagePlacement::FOLDED, true)
{
}

std::vector<PipelinePass>
ZeroBubbleVSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    const auto n = shape.stages;
    // Warm-up has run 2 n - stage - 1 forward passes of the near chunk; these are the rest.
    const auto nForward = shape.microbatches - 2 * n + stage + 1;
    Order order(n, stage, 0, {0, 0});
    order.WarmUp();
    for (uint32_t i = 0; i < nForward + n - stage - 1; ++i)
    {
        order.BackwardInput(Order::FAR);
        order.BackwardWeight();
        if (i < nForward)
        {
            order.Forward(Order::NEAR);
        }
        order.BackwardInput(Order::NEAR);
        order.BackwardWeight();
        order.Forward(Order::FAR);
    }
    order.CoolDown(0);
    return order.Take();
}

std::string
ZeroBubbleVSchedule::DoGetUnsupportedReason(const PipelineShape& shape) const
{
    return FindLack(shape, 2 * shape.stages - 1);
}

/// Makes the schedule zb-v known.
const PipelineSchedule::Registration ZB_V(5, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<ZeroBubbleVSchedule>());
});

/// Makes the schedule dualpipe known.
const PipelineSchedule::Registration DUALPIPE(8, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<DualPipeSchedule>());
});

/// Makes the schedule dualpipev known.
const PipelineSchedule::Registration DUALPIPEV(9, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<DualPipeVSchedule>());
});

} // namespace

} // namespace ns3
