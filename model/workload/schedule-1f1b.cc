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
 * @brief One forward, one backward, with as many forward passes ahead as there are stages behind
 *        (Narayanan et al., "Memory-efficient pipeline-parallel DNN training", ICML 2021;
 *        Megatron-LM, forward_backward_pipelining_without_interleaving).
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    OneForwardOneBackwardSchedule();
    bool CanPair() const override;

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;
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
    bool CanPair() const override;
    uint32_t CountChunks(const PipelineShape& shape) const override;

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
    std::string DoGetUnsupportedReason(const PipelineShape& shape) const override;
};

/**
 * @param shape shape of a pipeline
 * @param chunks model chunks of a stage
 * @param kind FORWARD or BACKWARD
 * @return a stage's passes of this kind: microbatches in groups as large as the pipeline is long,
 *         and each group through all chunks
 */
std::vector<PipelinePass>
GetPassesInGroups(const PipelineShape& shape, uint32_t chunks, PassKind kind)
{
    std::vector<PipelinePass> passes;
    for (uint32_t first = 0; first < shape.microbatches; first += shape.stages)
    {
        const uint32_t last = std::min(first + shape.stages, shape.microbatches);
        for (uint32_t i = 0; i < chunks; ++i)
        {
            for (uint32_t microbatch = first; microbatch < last; ++microbatch)
            {
                // Backward passes go through the chunks from the last one to the first.
                const auto chunk = kind == PassKind::FORWARD ? i : chunks - 1 - i;
                passes.push_back({kind, microbatch, chunk});
            }
        }
    }
    return passes;
}

/**
 * Interleave forward and backward passes: some forward ones ahead, then one of each in turn. Pairs
 * need one more ahead, so that none of a pair waits for the other (Megatron-Core,
 * pipeline_parallel/schedules.py and combined_1f1b.py, overlap_moe_expert_parallel_comm).
 *
 * @param shape shape of a pipeline
 * @param chunks model chunks of a stage
 * @param ahead forward passes before the first backward one, without pairs
 * @return all passes
 */
std::vector<PipelinePass>
Alternate(const PipelineShape& shape, uint32_t chunks, std::size_t ahead)
{
    const auto forward = GetPassesInGroups(shape, chunks, PassKind::FORWARD);
    const auto backward = GetPassesInGroups(shape, chunks, PassKind::BACKWARD);
    ahead = std::min(ahead + (shape.pairs ? 1 : 0), forward.size());
    std::vector<PipelinePass> passes(forward.begin(), forward.begin() + ahead);
    for (std::size_t i = 0; i < backward.size(); ++i)
    {
        const bool isSteady = ahead + i < forward.size();
        if (isSteady)
        {
            passes.push_back(forward[ahead + i]);
        }
        passes.push_back(backward[i]);
        passes.back().together = shape.pairs && isSteady;
    }
    return passes;
}

OneForwardOneBackwardSchedule::OneForwardOneBackwardSchedule()
    : PipelineSchedule("1f1b")
{
}

std::vector<PipelinePass>
OneForwardOneBackwardSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    // Stage s begins with one forward pass for each of the stages after it, as in Megatron-LM.
    return Alternate(shape, 1, shape.stages - 1 - stage);
}

bool
OneForwardOneBackwardSchedule::CanPair() const
{
    return true;
}

std::string
OneForwardOneBackwardSchedule::DoGetUnsupportedReason(const PipelineShape& shape) const
{
    // Each pair of a stage would wait for one of the next stage, and that for one of this.
    return shape.pairs && shape.stages > 1
               ? "1f1b over several stages has no passes in pairs, but interleaved has (vpp)"
               : "";
}

InterleavedSchedule::InterleavedSchedule()
    : PipelineSchedule("interleaved")
{
}

bool
InterleavedSchedule::CanPair() const
{
    return true;
}

uint32_t
InterleavedSchedule::CountChunks(const PipelineShape& shape) const
{
    return std::max(shape.chunks, 1U);
}

std::vector<PipelinePass>
InterleavedSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage) const
{
    const auto chunks = CountChunks(shape);
    // Megatron-LM runs everything ahead when there is one group of microbatches only.
    const bool isOneGroup = shape.microbatches == shape.stages;
    // Else, as there: twice the stages after this one, and one group for each further chunk.
    return Alternate(shape,
                     chunks,
                     isOneGroup ? chunks * shape.microbatches
                                : 2 * (shape.stages - 1 - stage) + (chunks - 1) * shape.stages);
}

std::string
InterleavedSchedule::DoGetUnsupportedReason(const PipelineShape& shape) const
{
    const auto chunks = CountChunks(shape);
    const auto stages = std::to_string(shape.stages);
    if (chunks < 2)
    {
        return "interleaved needs at least 2 model chunks per stage (vpp), not " +
               std::to_string(chunks);
    }
    if (shape.stages < 2)
    {
        return "interleaved needs at least 2 stages, not " + stages;
    }
    if (shape.microbatches % shape.stages != 0)
    {
        return "interleaved needs a multiple of " + stages + " (the stages) as microbatches, not " +
               std::to_string(shape.microbatches);
    }
    return "";
}

/// Makes the schedule 1f1b known.
const PipelineSchedule::Registration ONE_FORWARD_ONE_BACKWARD(0, [] {
    return std::unique_ptr<const PipelineSchedule>(
        std::make_unique<OneForwardOneBackwardSchedule>());
});

/// Makes the schedule interleaved known.
const PipelineSchedule::Registration INTERLEAVED(2, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<InterleavedSchedule>());
});

} // namespace

} // namespace ns3
