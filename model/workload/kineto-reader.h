/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KINETO_READER_H
#define KINETO_READER_H

#include "workload.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read the traces of PyTorch's profiler (Kineto) of all ranks of a job, see KinetoLowering.
 *
 * One trace stands for all ranks if all its groups are all ranks.
 *
 * @param path directory of the traces, or a trace
 * @param world number of ranks; none = as the traces say
 * @return the workload
 * @throws WorkloadError if a trace is wrong, or one of a rank is missing
 */
std::shared_ptr<const Workload> ReadKinetoTraces(const std::string& path,
                                                 std::optional<uint32_t> world);

/**
 * @ingroup workload-replay
 * @param path a path
 * @return whether it is such a trace, or a directory with one
 */
bool HasKinetoTraces(const std::string& path);

} // namespace ns3

#endif /* KINETO_READER_H */
