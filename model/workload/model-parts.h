/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "model-job.h"
#include "pipeline-layout.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Share out the layers of a model over its parts.
 *
 * If they do not come out even, the last part, which has the output layer, has one layer less, then
 * the first one, which has the embedding, then the second to last, the second one, and so on
 * inwards. Megatron-LM leaves both out likewise (account-for-embedding-in-pipeline-split).
 *
 * @param layers layers of the model
 * @param parts parts, no more than layers
 * @return layers of each part
 */
std::vector<uint32_t> SpreadLayers(uint32_t layers, uint32_t parts);

/**
 * @ingroup workload-replay
 * @brief Share out the layers of a model over its parts as a user says: by a layout, by the layers
 * of the first and the last stage, by what counts as a layer, or evenly.
 *
 * @param options what the user says
 * @param job the job, with its model, layout, schedule and shape
 * @return layers of each part
 * @throws WorkloadError if what the user says does not fit the model or its pipeline
 */
PipelineLayout ShareOutLayers(const ModelOptions& options, const ModelJob& job);

} // namespace ns3

#endif /* MODEL_PARTS_H */
