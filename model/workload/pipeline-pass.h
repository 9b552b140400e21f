/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_PASS_H
#define PIPELINE_PASS_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a pass does.
 */
enum class PassKind : uint8_t
{
    FORWARD,        //!< forward pass
    BACKWARD,       //!< backward pass as a whole
    BACKWARD_INPUT, //!< the part of a split backward pass that the stage before waits for:
                    //!< gradients of the input
    BACKWARD_WEIGHT //!< the other part: gradients of the weights
};

/**
 * @ingroup workload-replay
 * @brief A pass of one microbatch through one of a stage's model chunks.
 */
struct PipelinePass
{
    PassKind kind{PassKind::FORWARD}; //!< what it does
    uint32_t microbatch{0};           //!< microbatch, counted from 0
    uint32_t chunk{0};                //!< model chunk of the stage, counted from 0
    bool together{false};             //!< true: runs interleaved with the pass before it
};

} // namespace ns3

#endif /* PIPELINE_PASS_H */
