/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KINETO_TRACE_H
#define KINETO_TRACE_H

#include "kineto-message.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A trace of PyTorch's profiler (Kineto), of one rank.
 */
struct KinetoTrace
{
    std::string file;             //!< path of the file
    std::optional<uint32_t> rank; //!< its rank, or what its name says; none = neither does
    uint32_t world{0};            //!< number of ranks of the job; 0 = not said
    std::map<std::string, std::vector<uint32_t>> groups; //!< ranks of process groups, by name
    std::vector<KinetoEvent> events;                     //!< what matters, by begin
};

/**
 * @ingroup workload-replay
 * @brief Read a trace of PyTorch's profiler: JSON, maybe compressed by gzip.
 *
 * @param file path of the file
 * @return the trace
 * @throws WorkloadError if it is no such trace, or one without ops of an accelerator
 */
KinetoTrace ReadKinetoTrace(const std::string& file);

/**
 * @ingroup workload-replay
 * @param path a directory, or a file
 * @return the traces there, by name
 */
std::vector<std::string> ListKinetoTraces(const std::string& path);

} // namespace ns3

#endif /* KINETO_TRACE_H */
