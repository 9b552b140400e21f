/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_READER_H
#define CHAKRA_READER_H

#include "chakra-options.h"
#include "workload.h"

#include <memory>
#include <string>

namespace ns3
{

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
