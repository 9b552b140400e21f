/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_1F1B_H
#define SCHEDULE_1F1B_H

#include "pipeline-schedule.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief One forward, one backward, with as many forward passes ahead as there are stages behind
 *        (Narayanan et al., "Memory-efficient pipeline-parallel DNN training", ICML 2021;
 *        Megatron-LM, forward_backward_pipelining_without_interleaving).
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    OneForwardOneBackwardSchedule();

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
};

/**
 * @ingroup workload-replay
 * @brief 1F1B over several model chunks of each stage, which makes the bubble smaller (Narayanan et
 *        al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC
 *        2021; Megatron-LM, forward_backward_pipelining_with_interleaving).
 *
 * Needs a multiple of the number of stages as microbatches: groups of as many microbatches as there
 * are stages go through one chunk after the other.
 */
class InterleavedSchedule : public PipelineSchedule
{
  public:
    InterleavedSchedule();
    uint32_t CountChunks(const PipelineShape& shape) const override;

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;
};

} // namespace ns3

#endif /* SCHEDULE_1F1B_H */
