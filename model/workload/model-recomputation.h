/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_RECOMPUTATION_H
#define MODEL_RECOMPUTATION_H

#include "model-description.h"
#include "model-training.h"

#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @return names of modules by their value, as Megatron-Core has them: core_attn, layernorm,
 *         mla_up_proj, mlp, moe, moe_act, shared_experts
 */
const std::vector<std::string>& GetLayerModuleNames();

/**
 * @ingroup workload-replay
 * @brief Read what selective recomputation runs again.
 *
 * @param names names of modules with commas between, each once
 * @param model the model
 * @return the modules; WorkloadError if one is not known, is named twice, or if no layer of the
 *         model has it
 */
std::set<LayerModule> ReadLayerModules(const TextField& names, const ModelDescription& model);

} // namespace ns3

#endif /* MODEL_RECOMPUTATION_H */
