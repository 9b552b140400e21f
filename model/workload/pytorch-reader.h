/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PYTORCH_READER_H
#define PYTORCH_READER_H

#include "workload.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What execution traces of PyTorch do not say.
 */
struct PytorchOptions
{
    std::optional<uint32_t> world;                              //!< ranks; none = as the traces say
    TextField accelerator{"h100", {"--accelerator", 0, 0, ""}}; //!< see FindAccelerator()
    double efficiency{1};      //!< what the speed of its operators is multiplied by, above 0
    std::string operatorTimes; //!< file of operators with their times; empty = none
};

/**
 * @ingroup workload-replay
 * @brief Read execution traces of PyTorch (ExecutionTraceObserver), one a rank, and lower them to a
 * workload.
 *
 * They record what is computed and communicated, and no times: operators take what the accelerator
 * needs for them, see PytorchCosts. Work of the host takes no time.
 *
 * @param path directory of the traces, or a trace, which stands for all ranks
 * @param options what the traces do not say
 * @return the workload
 * @throws WorkloadError if a trace or an option is wrong, or the trace of a rank is missing
 */
std::shared_ptr<const Workload> ReadPytorchTraces(const std::string& path,
                                                  const PytorchOptions& options);

/**
 * @ingroup workload-replay
 * @param path a path
 * @return whether it is such a trace, or a directory with one
 */
bool HasPytorchTraces(const std::string& path);

} // namespace ns3

#endif /* PYTORCH_READER_H */
