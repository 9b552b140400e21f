/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include "ns3/workload-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * Interleave forward and backward passes: some forward ones ahead, then one of each in turn.
 *
 * @param forward forward passes in their order
 * @param backward as many backward passes in their order
 * @param ahead forward passes before the first backward one
 * @return all passes
 */
std::vector<PipelinePass>
Alternate(const std::vector<PipelinePass>& forward,
          const std::vector<PipelinePass>& backward,
          std::size_t ahead)
{
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

/**
 * @param shape shape of a pipeline
 * @param forward direction
 * @return a stage's passes in one direction: microbatches in groups as large as the pipeline is
 *         long, and each group through all chunks
 */
std::vector<PipelinePass>
GetPassesInGroups(const PipelineShape& shape, bool forward)
{
    std::vector<PipelinePass> passes;
    for (uint32_t first = 0; first < shape.microbatches; first += shape.stages)
    {
        const uint32_t last = std::min(first + shape.stages, shape.microbatches);
        for (uint32_t i = 0; i < shape.chunks; ++i)
        {
            for (uint32_t microbatch = first; microbatch < last; ++microbatch)
            {
                passes.push_back({forward, microbatch, forward ? i : shape.chunks - 1 - i});
            }
        }
    }
    return passes;
}

/**
 * @param schedule a schedule that has no use for chunks
 * @param shape shape of a pipeline
 * @return why not, if there are several
 */
std::string
RefuseChunks(const PipelineSchedule& schedule, const PipelineShape& shape)
{
    return shape.chunks == 1 ? ""
                             : schedule.GetName() + " has no use for " +
                                   std::to_string(shape.chunks) + " model chunks per stage";
}

} // namespace

std::string
GpipeSchedule::GetName() const
{
    return "gpipe";
}

std::vector<PipelinePass>
GpipeSchedule::GetPasses(const PipelineShape& shape, uint32_t) const
{
    std::vector<PipelinePass> passes;
    for (uint32_t microbatch = 0; microbatch < shape.microbatches; ++microbatch)
    {
        passes.push_back({true, microbatch, 0});
    }
    for (uint32_t microbatch = shape.microbatches; microbatch-- > 0;)
    {
        passes.push_back({false, microbatch, 0});
    }
    return passes;
}

std::string
GpipeSchedule::GetObstacle(const PipelineShape& shape) const
{
    return RefuseChunks(*this, shape);
}

std::string
OneForwardOneBackwardSchedule::GetName() const
{
    return "1f1b";
}

std::vector<PipelinePass>
OneForwardOneBackwardSchedule::GetPasses(const PipelineShape& shape, uint32_t stage) const
{
    return Alternate(GetPassesInGroups(shape, true),
                     GetPassesInGroups(shape, false),
                     shape.stages - 1 - stage);
}

std::string
OneForwardOneBackwardSchedule::GetObstacle(const PipelineShape& shape) const
{
    return RefuseChunks(*this, shape);
}

std::string
InterleavedSchedule::GetName() const
{
    return "interleaved";
}

std::vector<PipelinePass>
InterleavedSchedule::GetPasses(const PipelineShape& shape, uint32_t stage) const
{
    // Megatron-LM runs everything ahead when there is one group of microbatches only.
    const std::size_t ahead =
        shape.microbatches == shape.stages
            ? shape.microbatches * shape.chunks
            : 2 * (shape.stages - 1 - stage) + (shape.chunks - 1) * shape.stages;
    return Alternate(GetPassesInGroups(shape, true), GetPassesInGroups(shape, false), ahead);
}

std::string
InterleavedSchedule::GetObstacle(const PipelineShape& shape) const
{
    if (shape.chunks < 2)
    {
        return "interleaved needs at least 2 model chunks per stage (vpp), not " +
               std::to_string(shape.chunks);
    }
    if (shape.stages < 2)
    {
        return "interleaved needs at least 2 stages, not " + std::to_string(shape.stages);
    }
    if (shape.microbatches % shape.stages != 0)
    {
        return "interleaved needs a multiple of " + std::to_string(shape.stages) +
               " (the stages) as microbatches, not " + std::to_string(shape.microbatches);
    }
    return "";
}

std::unique_ptr<PipelineSchedule>
MakePipelineSchedule(const std::string& name)
{
    if (name == "gpipe")
    {
        return std::make_unique<GpipeSchedule>();
    }
    if (name == "1f1b")
    {
        return std::make_unique<OneForwardOneBackwardSchedule>();
    }
    if (name == "interleaved")
    {
        return std::make_unique<InterleavedSchedule>();
    }
    throw WorkloadError({"--schedule", 0, 0, ""},
                        "1f1b, gpipe or interleaved",
                        Quoted(name),
                        NearestName(name, {"1f1b", "gpipe", "interleaved"}));
}

} // namespace ns3
