/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_READER_H
#define CHAKRA_READER_H

#include "workload.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What Chakra traces do not say themselves.
 */
struct ChakraOptions
{
    std::optional<uint32_t> world; //!< number of ranks; nullopt = as many as there are traces
    std::string groupFile;         //!< JSON file of the groups; empty = one that lies beside
    /// Whether an op waits for its control dependencies: on, off, or auto, which is off for traces
    /// of PyTorch, where they are the call stack.
    std::string controlDependencies{"auto"};
    /// Whether the group 0 is all ranks: on, as ASTRA-sim has it, off, or auto, unless a group of
    /// that name is defined.
    std::string zeroIsWorld{"auto"};
    uint64_t elementBytes{0};  //!< bytes of an element that sizes count; 0 = sizes are bytes, but
                               //!< for traces of STAGE, which count elements
    double peakFlops{0};       //!< operations per second of the accelerator; 0 = not known
    double memoryBandwidth{0}; //!< bytes per second of its memory; 0 = not known
};

/**
 * @ingroup workload-replay
 * @brief Read Chakra execution traces, one a rank, and lower them to a workload.
 *
 * Each node becomes an op, each dependency an edge. Sizes of collectives are those that ASTRA-sim
 * takes them for: what a rank brings to an all-gather or a gather, else its whole buffer. The
 * collectives of a group run in one order, that of the graph, which is the order of the file
 * wherever dependencies allow it; recorded times of communication are not used.
 *
 * A computation takes the time that was recorded. One without a time takes what its operations and
 * its bytes need at the rates given (roofline model: the larger of the two).
 *
 * In traces of PyTorch nearly nothing depends on kernels of the accelerator: what orders them is
 * the stream that they run in (see ChakraDeviceOrder).
 *
 * @param path see FindChakraTraces()
 * @param options what the traces do not say
 * @return the workload
 * @throws WorkloadError with byte offset or node if a trace or an option is wrong
 */
std::shared_ptr<const Workload> ReadChakraTraces(const std::string& path,
                                                 const ChakraOptions& options);

} // namespace ns3

#endif /* CHAKRA_READER_H */
