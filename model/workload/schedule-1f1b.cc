/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-1f1b.h"

#include <algorithm>

namespace ns3
{

namespace
{

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
 * Interleave forward and backward passes: some forward ones ahead, then one of each in turn.
 *
 * @param shape shape of a pipeline
 * @param chunks model chunks of a stage
 * @param ahead forward passes before the first backward one
 * @return all passes
 */
std::vector<PipelinePass>
Alternate(const PipelineShape& shape, uint32_t chunks, std::size_t ahead)
{
    const auto forward = GetPassesInGroups(shape, chunks, PassKind::FORWARD);
    const auto backward = GetPassesInGroups(shape, chunks, PassKind::BACKWARD);
    ahead = std::min(ahead, forward.size());
    std::vector<PipelinePass> passes(forward.begin(), forward.begin() + ahead);
    for (std::size_t i = 0; i < backward.size(); ++i)
    {
        if (ahead + i < forward.size())
        {
            passes.push_back(forward[ahead + i]);
        }
        passes.push_back(backward[i]);
    }
    return passes;
}

} // namespace

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

InterleavedSchedule::InterleavedSchedule()
    : PipelineSchedule("interleaved")
{
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

} // namespace ns3
