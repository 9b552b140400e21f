/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_READER_H
#define WORKLOAD_READER_H

#include "replay-options.h"

#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/// Workers of an op table, which does not say how many there are, if the user does not either.
constexpr uint32_t DEFAULT_WORKERS = 8;

/**
 * @ingroup workload-replay
 * @brief Read the workload that the user asks for, in whatever format it is.
 *
 * @param options what the user asks for
 * @return the workload; its warnings say what was assumed
 * @throws WorkloadError if the workload is wrong, if the options contradict it, or if one of them
 *         would do nothing for it
 */
std::shared_ptr<const Workload> ReadWorkload(const ReplayOptions& options);

/**
 * @ingroup workload-replay
 * @return names of the options that say more about a workload of some format, each once
 */
std::vector<std::string> GetWorkloadOptions();

/**
 * @ingroup workload-replay
 * @brief Find out the format of a workload by its content.
 *
 * Chakra traces are recognized by their names. Any other directory holds rank traces. Of a file the
 * first line that is not blank decides, of the binary form of a GOAL schedule its first bytes.
 *
 * @param fileOrDirectory path of the workload
 * @return simai, megatron, op-table, chakra or goal
 * @throws WorkloadError if it cannot be read or looks like none of them
 */
std::string DetectWorkloadFormat(const std::string& fileOrDirectory);

} // namespace ns3

#endif /* WORKLOAD_READER_H */
