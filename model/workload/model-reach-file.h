/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_REACH_FILE_H
#define MODEL_REACH_FILE_H

#include "model-description.h"

#include "ns3/json-section.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param section a model of the module's own keys, with the key attention
 * @param layers its layers
 * @param hidden size of a token's activation
 * @return layers that do not attend to all tokens
 * @throws WorkloadError if a key is missing, wrong, or has no effect
 */
ModelReach ReadModelReach(const JsonSection& section, uint32_t layers, uint32_t hidden);

} // namespace ns3

#endif /* MODEL_REACH_FILE_H */
