/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_LOWERING_H
#define MODEL_LOWERING_H

#include "model-job.h"
#include "model-passes.h"
#include "model-training.h"
#include "workload.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param options what the user says
 * @return times of operators
 * @throws WorkloadError if there is no such accelerator, it cannot compute in the precision, or a
 *         table is wrong
 */
ModelTimes ReadModelTimes(const ModelOptions& options);

/**
 * @ingroup workload-replay
 * @brief Make the programs of a job.
 *
 * @param job the job
 * @param times times of operators
 * @return the workload
 * @throws WorkloadError if measured times name an operator that the job does not have
 */
std::shared_ptr<Workload> LowerModel(const ModelJob& job, const ModelTimes& times);

} // namespace ns3

#endif /* MODEL_LOWERING_H */
