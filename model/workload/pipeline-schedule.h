/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include <cstdint>
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
    bool forwardOnly{false};  //!< nothing goes back, as in inference
};

/**
 * @ingroup workload-replay
 * @brief In which order a stage works on its microbatches.
 *
 * - gpipe: all forward passes, then all backward passes, the last microbatch first (Huang et al.,
 *   "GPipe", NeurIPS 2019).
 * - 1f1b: one forward, one backward, with as many forward passes ahead as there are stages behind
 *   (Narayanan et al., "Memory-efficient pipeline-parallel DNN training", ICML 2021; Megatron-LM,
 *   forward_backward_pipelining_without_interleaving).
 * - interleaved: 1f1b over several model chunks of each stage, which makes the bubble smaller
 *   (Narayanan et al., "Efficient large-scale language model training on GPU clusters using
 *   Megatron-LM", SC 2021; Megatron-LM, forward_backward_pipelining_with_interleaving). Needs a
 *   multiple of the number of stages as microbatches.
 */
class PipelineSchedule
{
  public:
    /**
     * @param name gpipe, 1f1b or interleaved
     * @throws WorkloadError if there is none of this name
     */
    explicit PipelineSchedule(const std::string& name);

    /**
     * @return name in reports and options
     */
    const std::string& GetName() const;

    /**
     * @param shape shape of the pipeline
     * @param stage a stage of it
     * @return all passes of the stage, in the order of its work
     */
    std::vector<PipelinePass> GetPasses(const PipelineShape& shape, uint32_t stage) const;

    /**
     * @param shape shape of a pipeline
     * @return why the schedule does not support it, one clause with the numbers; empty = it does
     */
    std::string GetUnsupportedReason(const PipelineShape& shape) const;

  private:
    std::string m_name; //!< name of the schedule
};

} // namespace ns3

#endif /* PIPELINE_SCHEDULE_H */
