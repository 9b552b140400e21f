/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include "ns3/abort.h"
#include "ns3/input-values.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @return what makes each schedule, by its place; made on first use, as schedules register before
 *         main()
 */
std::map<int, PipelineSchedule::Registration::Maker>&
GetMakers()
{
    static std::map<int, PipelineSchedule::Registration::Maker> makers;
    return makers;
}

/**
 * @brief Follows the passes of a stage, for what a schedule that is not of this module may have
 * forgotten or doubled.
 */
class PassCheck
{
  public:
    /**
     * @param shape shape of the pipeline
     * @param chunks model chunks of a stage
     */
    PassCheck(const PipelineShape& shape, uint32_t chunks)
        : m_shape(shape),
          m_chunks(chunks),
          m_reached(static_cast<std::size_t>(chunks) * shape.microbatches, NOTHING)
    {
    }

    /**
     * @param pass the next pass
     * @return whether it may come now
     */
    bool Take(const PipelinePass& pass)
    {
        if (pass.microbatch >= m_shape.microbatches || pass.chunk >= m_chunks)
        {
            return false;
        }
        auto& reached = m_reached[static_cast<std::size_t>(pass.chunk) * m_shape.microbatches +
                                  pass.microbatch];
        switch (pass.kind)
        {
        case PassKind::FORWARD:
            return std::exchange(reached, FORTH) == NOTHING;
        case PassKind::BACKWARD:
            return std::exchange(reached, BACK) == FORTH;
        case PassKind::BACKWARD_INPUT:
            return std::exchange(reached, HALF_BACK) == FORTH;
        default:
            return std::exchange(reached, BACK) == HALF_BACK;
        }
    }

    /**
     * @param passes chunks that each microbatch is to pass through
     * @return the first microbatch that has not; none if all have
     */
    std::optional<uint32_t> FindMissing(uint32_t passes) const
    {
        const Progress end = m_shape.forwardOnly ? FORTH : BACK;
        for (uint32_t microbatch = 0; microbatch < m_shape.microbatches; ++microbatch)
        {
            uint32_t done = 0;
            uint32_t begun = 0;
            for (std::size_t i = microbatch; i < m_reached.size(); i += m_shape.microbatches)
            {
                done += m_reached[i] == end ? 1 : 0;
                begun += m_reached[i] != NOTHING ? 1 : 0;
            }
            if (done != passes || begun != passes)
            {
                return microbatch;
            }
        }
        return std::nullopt;
    }

  private:
    /// How far a microbatch has come in a chunk.
    enum Progress : uint8_t
    {
        NOTHING,   //!< nothing was done
        FORTH,     //!< the forward pass
        HALF_BACK, //!< and gradients of the input
        BACK       //!< and those of the weights: all
    };

    PipelineShape m_shape;           //!< shape of the pipeline
    uint32_t m_chunks;               //!< model chunks of a stage
    std::vector<Progress> m_reached; //!< by chunk and microbatch
};

/**
 * @param pass a pass
 * @return it in words
 */
std::string
Describe(const PipelinePass& pass)
{
    static const char* const names[] = {"forward", "backward", "backward input", "backward weight"};
    return std::string(names[static_cast<std::size_t>(pass.kind)]) + " pass of microbatch " +
           std::to_string(pass.microbatch) + " through chunk " + std::to_string(pass.chunk);
}

} // namespace

PipelineSchedule::Registration::Registration(int place, Maker maker)
{
    const auto name = maker()->GetName();
    for (const auto& [other, make] : GetMakers())
    {
        // Both may agree: a program may have a schedule that a library which it links has too.
        NS_ABORT_MSG_IF((other == place) != (make()->GetName() == name),
                        "two pipeline schedules have the place " << place << " or the name "
                                                                 << name);
    }
    GetMakers().emplace(place, maker);
}

std::unique_ptr<const PipelineSchedule>
PipelineSchedule::Create(const std::string& name)
{
    const auto names = GetNames();
    const auto expected = JoinWords({names.begin(), names.end() - 1}) + " or " + names.back();
    const auto index = FindWord({name, {"--schedule", 0, 0, ""}}, names, expected);
    return std::next(GetMakers().begin(), index)->second();
}

std::vector<std::string>
PipelineSchedule::GetNames()
{
    std::vector<std::string> names;
    for (const auto& [place, make] : GetMakers())
    {
        names.push_back(make()->GetName());
    }
    return names;
}

std::vector<PipelinePass>
PipelineSchedule::GetPasses(const PipelineShape& shape, uint32_t stage) const
{
    auto passes = DoGetPasses(shape, stage);
    if (shape.forwardOnly)
    {
        const auto goesBack = [](const PipelinePass& pass) {
            return pass.kind != PassKind::FORWARD;
        };
        passes.erase(std::remove_if(passes.begin(), passes.end(), goesBack), passes.end());
        // A pass cannot run together with one that has been removed.
        for (auto& pass : passes)
        {
            pass.together = false;
        }
    }
    CheckPasses(passes, shape, stage);
    return passes;
}

void
PipelineSchedule::CheckPasses(const std::vector<PipelinePass>& passes,
                              const PipelineShape& shape,
                              uint32_t stage) const
{
    const auto chunks = CountChunks(shape);
    PassCheck check(shape, chunks);
    const auto refuse = [this, stage](const std::string& found) {
        throw WorkloadError({"--schedule", 0, 0, ""},
                            "a schedule in which each microbatch passes through the chunks of a "
                            "stage once, forward and then back",
                            m_name + " with " + found + " on stage " + std::to_string(stage));
    };
    for (const auto& pass : passes)
    {
        if (!check.Take(pass))
        {
            refuse("a " + Describe(pass) + " that is not there, is there twice or comes too early");
        }
    }
    // Where the model is there twice, a microbatch goes by one of the copies.
    if (const auto missing = check.FindMissing(m_placement == StagePlacement::TWICE ? 1 : chunks))
    {
        refuse("too few passes or too many of microbatch " + std::to_string(*missing));
    }
}

std::string
PipelineSchedule::GetUnsupportedReason(const PipelineShape& shape) const
{
    const auto chunks = CountChunks(shape);
    if (shape.chunks != 0 && shape.chunks != chunks)
    {
        const auto asked = std::to_string(shape.chunks);
        return chunks == 1 ? GetName() + " has no use for " + asked + " model chunks per stage"
                           : GetName() + " has " + std::to_string(chunks) +
                                 " model chunks per stage (vpp), not " + asked;
    }
    if (shape.pairs && !CanPair())
    {
        return GetName() + " cannot run forward and backward passes in pairs on demand";
    }
    return DoGetUnsupportedReason(shape);
}

bool
PipelineSchedule::CanPair() const
{
    return false;
}

const std::string&
PipelineSchedule::GetName() const
{
    return m_name;
}

bool
PipelineSchedule::SplitsBackward() const
{
    return m_splitsBackward;
}

StagePlacement
PipelineSchedule::GetPlacement() const
{
    return m_placement;
}

uint32_t
PipelineSchedule::CountChunks(const PipelineShape& shape [[maybe_unused]]) const
{
    return m_placement == StagePlacement::IN_TURN ? 1 : 2;
}

uint32_t
PipelineSchedule::CountParts(const PipelineShape& shape) const
{
    // With both directions a part is on two stages, so that there are as many parts as stages.
    return m_placement == StagePlacement::TWICE ? shape.stages : shape.stages * CountChunks(shape);
}

uint32_t
PipelineSchedule::GetPart(const PipelineShape& shape, uint32_t stage, uint32_t chunk) const
{
    // Chunks 0 take the first parts; with parts in turn, each further chunk takes the next ones.
    if (m_placement == StagePlacement::IN_TURN || chunk == 0)
    {
        return chunk * shape.stages + stage;
    }
    // Chunk 1 counts from the end: stage 0 has the last part.
    return CountParts(shape) - 1 - stage;
}

std::optional<ChunkPlace>
PipelineSchedule::FindNeighbour(const PipelineShape& shape,
                                uint32_t stage,
                                uint32_t chunk,
                                bool forward) const
{
    const auto own = GetPart(shape, stage, chunk);
    const auto parts = CountParts(shape);
    if (own == (forward ? parts - 1 : 0))
    {
        return std::nullopt;
    }
    const uint32_t part = forward ? own + 1 : own - 1;
    switch (m_placement)
    {
    case StagePlacement::FOLDED:
        // The parts go up the chunks 0 of the stages, and back down their chunks 1.
        return part < shape.stages ? ChunkPlace{part, 0} : ChunkPlace{parts - 1 - part, 1};
    case StagePlacement::TWICE:
        // Each chunk number is a copy of the whole model, so that a neighbour has the same number.
        return ChunkPlace{chunk == 0 ? part : parts - 1 - part, chunk};
    default:
        return ChunkPlace{part % shape.stages, part / shape.stages};
    }
}

PipelineSchedule::PipelineSchedule(std::string name, StagePlacement placement, bool splitsBackward)
    : m_name(std::move(name)),
      m_placement(placement),
      m_splitsBackward(splitsBackward)
{
}

std::string
PipelineSchedule::FindLack(const PipelineShape& shape, uint32_t least) const
{
    return shape.microbatches >= least
               ? ""
               : m_name + " needs at least " + std::to_string(least) +
                     " microbatches to fill a pipeline of " + std::to_string(shape.stages) +
                     " stages, not " + std::to_string(shape.microbatches);
}

std::string
PipelineSchedule::DoGetUnsupportedReason(const PipelineShape& shape [[maybe_unused]]) const
{
    return "";
}

uint32_t
GetPeakActivations(const PipelineSchedule& schedule, const PipelineShape& shape, uint32_t stage)
{
    uint32_t alive = 0;
    uint32_t peak = 0;
    for (const auto& pass : schedule.GetPasses(shape, stage))
    {
        if (pass.kind == PassKind::FORWARD)
        {
            peak = std::max(peak, ++alive);
        }
        else if (pass.kind != PassKind::BACKWARD_INPUT)
        {
            // Gradients of the input free nothing: those of the weights need the activation as
            // well.
            --alive;
        }
    }
    return peak;
}

} // namespace ns3
