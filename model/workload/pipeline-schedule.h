/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A pass of one microbatch through one of a stage's model chunks.
 */
struct PipelinePass
{
    bool forward{true};     //!< true: forward, false: backward
    uint32_t microbatch{0}; //!< microbatch, counted from 0
    uint32_t chunk{0};      //!< model chunk of the stage; 0 unless stages are interleaved
};

/**
 * @ingroup workload-replay
 * @brief The shape of a pipeline.
 */
struct PipelineShape
{
    uint32_t stages{1};       //!< pipeline stages
    uint32_t microbatches{1}; //!< microbatches of an iteration
    uint32_t chunks{1};       //!< model chunks of a stage (virtual pipeline size, vpp)
};

/**
 * @ingroup workload-replay
 * @brief In which order a stage works on its microbatches.
 */
class PipelineSchedule
{
  public:
    virtual ~PipelineSchedule() = default;

    /**
     * @return name in reports and options
     */
    virtual std::string GetName() const = 0;

    /**
     * @param shape shape of the pipeline
     * @param stage a stage of it
     * @return all passes of the stage, in the order of its work
     */
    virtual std::vector<PipelinePass> GetPasses(const PipelineShape& shape,
                                                uint32_t stage) const = 0;

    /**
     * @param shape shape of a pipeline
     * @return why the schedule can not serve it, one clause with the numbers; empty = it can
     */
    virtual std::string GetObstacle(const PipelineShape& shape) const = 0;
};

/**
 * @ingroup workload-replay
 * @brief All forward passes, then all backward passes, the last microbatch first.
 *
 * Huang et al., "GPipe", NeurIPS 2019.
 */
class GpipeSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelinePass> GetPasses(const PipelineShape& shape, uint32_t stage) const override;
    std::string GetObstacle(const PipelineShape& shape) const override;
};

/**
 * @ingroup workload-replay
 * @brief One forward, one backward: as many forward passes ahead as there are stages behind.
 *
 * Narayanan et al., "Memory-efficient pipeline-parallel DNN training", ICML 2021; Megatron-LM,
 * forward_backward_pipelining_without_interleaving.
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelinePass> GetPasses(const PipelineShape& shape, uint32_t stage) const override;
    std::string GetObstacle(const PipelineShape& shape) const override;
};

/**
 * @ingroup workload-replay
 * @brief 1F1B over several model chunks of each stage, which makes the bubble smaller.
 *
 * Narayanan et al., "Efficient large-scale language model training on GPU clusters using
 * Megatron-LM", SC 2021; Megatron-LM, forward_backward_pipelining_with_interleaving. Needs a
 * multiple of the number of stages as microbatches.
 */
class InterleavedSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelinePass> GetPasses(const PipelineShape& shape, uint32_t stage) const override;
    std::string GetObstacle(const PipelineShape& shape) const override;
};

/**
 * @ingroup workload-replay
 * @brief Find a schedule by its name in options.
 *
 * @param name gpipe, 1f1b or interleaved
 * @return the schedule
 * @throws WorkloadError if there is none of this name
 */
std::unique_ptr<PipelineSchedule> MakePipelineSchedule(const std::string& name);

} // namespace ns3

#endif /* PIPELINE_SCHEDULE_H */
