/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_DIMENSION_H
#define CHAKRA_DIMENSION_H

#include "workload-types.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Tell what a group is for by the words of its name or of its description: tp or tensor, cp
 *        or context, ep or expert, dp, fsdp or data, pp or pipeline, edp, embedding.
 *
 * Such words are in the descriptions of Megatron-LM (EXPERT_MODEL_PARALLEL_GROUP, in
 * megatron/core/parallel_state.py) and of the meshes of PyTorch (mesh_tp). Data parallel ranks with
 * cp are dp, with experts edp (see ParallelGroups); a name with any other two tells nothing.
 *
 * @param name a name, maybe with numbers: tp3, mesh_tp
 * @return the dimension; nullopt = it does not tell
 */
std::optional<Dimension> FindChakraDimension(const std::string& name);

} // namespace ns3

#endif /* CHAKRA_DIMENSION_H */
