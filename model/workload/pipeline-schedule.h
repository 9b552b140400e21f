/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include "pipeline-pass.h"
#include "workload.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The shape of a pipeline.
 */
struct PipelineShape
{
    uint32_t stages{1};       //!< pipeline stages
    uint32_t microbatches{1}; //!< microbatches of an iteration
    uint32_t chunks{0};      //!< model chunks of a stage that are asked for (virtual pipeline size,
                             //!< vpp); 0 = as many as the schedule has, see CountChunks()
    bool forwardOnly{false}; //!< nothing goes back, as in inference
    bool pairs{false};       //!< forward and backward passes run in pairs, each of which hides what
                             //!< the other communicates, where the schedule alternates them
};

/**
 * @ingroup workload-replay
 * @brief A model chunk of a stage.
 */
struct ChunkPlace
{
    uint32_t stage{0}; //!< the stage
    uint32_t chunk{0}; //!< number of the chunk in it
};

/**
 * @ingroup workload-replay
 * @brief Which parts of a model a pipeline stage holds, and in which order it works on its
 *        microbatches.
 *
 * The model is cut into CountParts() parts of consecutive layers, and each of a stage's chunks
 * holds one of them. Which microbatches pass through which chunk follows from the passes.
 *
 * A schedule makes itself known with a Registration in its source file.
 */
class PipelineSchedule
{
  public:
    virtual ~PipelineSchedule() = default;

    /**
     * @brief Makes a schedule known, as a variable of its source file that is initialized before
     *        main().
     */
    class Registration
    {
      public:
        /// Makes a schedule.
        using Maker = std::unique_ptr<const PipelineSchedule> (*)();

        /**
         * @param place its place among all schedules, ascending and each once; those of the module
         *              are below 1000. It aborts if another one has it, or its name
         * @param maker makes it
         */
        Registration(int place, Maker maker);
    };

    /**
     * @param name one of GetNames()
     * @return the schedule
     * @throws WorkloadError if there is none of this name
     */
    static std::unique_ptr<const PipelineSchedule> Create(const std::string& name);

    /**
     * @return names of all schedules
     */
    static std::vector<std::string> GetNames();

    /**
     * @return name in reports and options
     */
    const std::string& GetName() const;

    /**
     * @param shape a shape that the schedule supports
     * @param stage a stage of it
     * @return all passes of the stage, in the order of its work
     * @throws WorkloadError if a microbatch does not pass through each of the stage's chunks (of a
     *         model that is there TWICE, through one of them) once, first forward and then back
     */
    std::vector<PipelinePass> GetPasses(const PipelineShape& shape, uint32_t stage) const;

    /**
     * @param shape shape of a pipeline
     * @return why the schedule does not support it, one clause with the numbers; empty = it does
     */
    std::string GetUnsupportedReason(const PipelineShape& shape) const;

    /**
     * @return true if gradients of weights may run apart from those of the input, so that the work
     *         of a backward pass must be known in these two parts
     */
    bool SplitsBackward() const;

    /**
     * @return how the parts of the model lie on the stages
     */
    StagePlacement GetPlacement() const;

    /**
     * @return true if it runs passes in pairs where it is asked to, see PipelineShape::pairs
     */
    virtual bool CanPair() const;

    /**
     * @param shape shape of a pipeline
     * @return model chunks that each stage holds, at least 1
     */
    virtual uint32_t CountChunks(const PipelineShape& shape) const;

    /**
     * @param shape shape of a pipeline
     * @return parts that the model is cut into
     */
    uint32_t CountParts(const PipelineShape& shape) const;

    /**
     * @param shape shape of a pipeline
     * @param stage a stage
     * @param chunk a chunk of it
     * @return the part of the model that it holds, counted from 0
     */
    uint32_t GetPart(const PipelineShape& shape, uint32_t stage, uint32_t chunk) const;

    /**
     * Find where the data come from or go to.
     *
     * @param shape shape of a pipeline
     * @param stage a stage
     * @param chunk a chunk of it
     * @param forward true: the part that comes next in the model; false: the one before
     * @return who holds it, which may be the same stage; nothing at either end of the model
     */
    std::optional<ChunkPlace> FindNeighbour(const PipelineShape& shape,
                                            uint32_t stage,
                                            uint32_t chunk,
                                            bool forward) const;

  protected:
    /**
     * @param name see GetName()
     * @param placement see GetPlacement()
     * @param splitsBackward see SplitsBackward()
     */
    explicit PipelineSchedule(std::string name,
                              StagePlacement placement = StagePlacement::IN_TURN,
                              bool splitsBackward = false);

    /**
     * @param shape shape of a pipeline
     * @param least fewest microbatches that fill it
     * @return why the schedule does not support so few; empty = there are enough
     */
    std::string FindLack(const PipelineShape& shape, uint32_t least) const;

  private:
    /**
     * @param shape a shape that the schedule supports
     * @param stage a stage of it
     * @return all passes of the stage, backward ones included
     */
    virtual std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                                  uint32_t stage) const = 0;

    /**
     * @param shape shape of a pipeline, with as many chunks as the schedule has
     * @return why the schedule does not support it; empty = it does
     */
    virtual std::string DoGetUnsupportedReason(const PipelineShape& shape) const;

    /**
     * @param passes passes of a stage
     * @param shape shape of the pipeline
     * @param stage the stage
     * @throws WorkloadError if they are not what GetPasses() promises
     */
    void CheckPasses(const std::vector<PipelinePass>& passes,
                     const PipelineShape& shape,
                     uint32_t stage) const;

    std::string m_name;         //!< see GetName()
    StagePlacement m_placement; //!< see GetPlacement()
    bool m_splitsBackward;      //!< see SplitsBackward()
};

/**
 * @ingroup workload-replay
 * @brief Count the activations that a stage has to keep.
 *
 * A forward pass through a chunk leaves one activation, of a chunk's size, which the pass that ends
 * its backward work frees: the whole backward pass, or the gradients of the weights if it is split.
 *
 * @param schedule a schedule
 * @param shape a shape that it supports
 * @param stage a stage
 * @return the most that are alive at once
 */
uint32_t GetPeakActivations(const PipelineSchedule& schedule,
                            const PipelineShape& shape,
                            uint32_t stage);

} // namespace ns3

#endif /* PIPELINE_SCHEDULE_H */
