/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PYTORCH_TRACE_H
#define PYTORCH_TRACE_H

#include "pytorch-node.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An execution trace of PyTorch (ExecutionTraceObserver), of one rank.
 */
struct PytorchTrace
{
    std::string file;             //!< path of the file
    std::optional<uint32_t> rank; //!< the rank that its name says; none = it says none
    uint32_t world{0};            //!< ranks of its largest group; 0 = not said
    std::map<std::string, std::vector<uint32_t>> groups; //!< ranks of process groups, by name
    std::vector<PytorchNode> nodes;                      //!< in the order of their numbers
};

/**
 * @ingroup workload-replay
 * @brief Read an execution trace of PyTorch: JSON of the schemas 1.0.0 to 1.1.x, maybe compressed
 * by gzip.
 *
 * @param file path of the file
 * @return the trace
 * @throws WorkloadError if it is no such trace, or was linked with another one
 */
PytorchTrace ReadPytorchTrace(const std::string& file);

} // namespace ns3

#endif /* PYTORCH_TRACE_H */
