/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STEP_TIME_RECORD_H
#define STEP_TIME_RECORD_H

#include "ns3/model-training.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How far step times of one kind of jobs are off that were simulated from configurations.
 *
 * Errors are simulated over measured times, less 1.
 */
struct StepTimeErrors
{
    uint32_t rows{0}; //!< measured step times
    double mean{0};   //!< mean of the errors' absolute values
    double bias{0};   //!< mean of the errors
    double worst{0};  //!< the error of the largest absolute value
};

/**
 * @ingroup workload-replay
 * @param options what the user says of a model
 * @return kind of the job, as step-times.csv names it: experts, long-context, fsdp or dense
 */
std::string GetStepTimeKind(const ModelOptions& options);

/**
 * @ingroup workload-replay
 * @brief Compare measured and simulated step times of a kind.
 *
 * The file step-times.csv among the presets of models has them in columns kind, job, options,
 * measured_s, simulated_s and source; `utils/reproduce truth` simulates them anew.
 *
 * @param kind the kind
 * @return the errors; none if there is no such file, or no row of the kind in it
 * @throws WorkloadError if the file is wrong
 */
std::optional<StepTimeErrors> FindStepTimeErrors(const std::string& kind);

} // namespace ns3

#endif /* STEP_TIME_RECORD_H */
