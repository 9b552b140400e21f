/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_LAYOUT_H
#define PIPELINE_LAYOUT_H

#include "ns3/workload-error.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which layers each part of a pipeline has. The first part has the embedding besides, the
 * last one the output layer and the loss.
 */
struct PipelineLayout
{
    std::vector<uint32_t> layers;    //!< transformer layers of each part
    std::vector<uint32_t> mtpLayers; //!< layers of each part that predict further tokens
};

/**
 * @ingroup workload-replay
 * @brief Read a layout as Megatron-LM has it (--pipeline-model-parallel-layout).
 *
 * E is the embedding, t a layer, m a layer that predicts further tokens, L the loss; | stands
 * between two parts, x*n and (...)*n repeat, and commas and blanks mean nothing. Parts are in the
 * order of the model.
 *
 * @param text the layout
 * @return layers of its parts
 * @throws WorkloadError if it is none: E is first in the first part, L in the last one, m comes
 * after all t
 */
PipelineLayout ParsePipelineLayout(const TextField& text);

} // namespace ns3

#endif /* PIPELINE_LAYOUT_H */
