/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_OPTIONS_H
#define CHAKRA_OPTIONS_H

#include <cstdint>
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

} // namespace ns3

#endif /* CHAKRA_OPTIONS_H */
