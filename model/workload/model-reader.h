/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_READER_H
#define MODEL_READER_H

#include "model-training.h"
#include "workload.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Make the workload of a model from its configuration.
 *
 * @param options what the user says
 * @return the workload; its warnings say what was assumed
 * @throws WorkloadError if what the user says does not go together
 */
std::shared_ptr<const Workload> ReadModel(const ModelOptions& options);

} // namespace ns3

#endif /* MODEL_READER_H */
