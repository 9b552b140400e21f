/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include "ns3/input-values.h"

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

/// The schedules.
const std::vector<std::string> SCHEDULES{"1f1b", "gpipe", "interleaved"};

} // namespace

PipelineSchedule::PipelineSchedule(const std::string& name)
    : m_name(name)
{
    FindWord({name, {"--schedule", 0, 0, ""}}, SCHEDULES, "1f1b, gpipe or interleaved");
}

const std::string&
PipelineSchedule::GetName() const
{
    return m_name;
}

std::vector<PipelinePass>
PipelineSchedule::GetPasses(const PipelineShape& shape, uint32_t stage) const
{
    auto forward = GetPassesInGroups(shape, true);
    if (shape.forwardOnly)
    {
        return forward;
    }
    auto backward = GetPassesInGroups(shape, false);
    if (m_name == "gpipe")
    {
        std::reverse(backward.begin(), backward.end());
        return Alternate(forward, backward, forward.size());
    }
    std::size_t ahead = shape.stages - 1 - stage;
    if (m_name == "interleaved")
    {
        // Megatron-LM runs everything ahead when there is one group of microbatches only.
        ahead = shape.microbatches == shape.stages ? forward.size()
                                                   : 2 * ahead + (shape.chunks - 1) * shape.stages;
    }
    return Alternate(forward, backward, ahead);
}

std::string
PipelineSchedule::GetUnsupportedReason(const PipelineShape& shape) const
{
    const auto stages = std::to_string(shape.stages);
    const auto chunks = std::to_string(shape.chunks);
    if (m_name != "interleaved")
    {
        return shape.chunks == 1 ? ""
                                 : m_name + " has no use for " + chunks + " model chunks per stage";
    }
    if (shape.chunks < 2)
    {
        return "interleaved needs at least 2 model chunks per stage (vpp), not " + chunks;
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
