/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_EXPORT_H
#define CHAKRA_EXPORT_H

#include "replay-options.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Write the workload as Chakra traces, PREFIX.RANK.et, and its groups, PREFIX.json, instead
 *        of replaying it; see ChakraWriter.
 *
 * @param options what the user asks for; checked by CheckReplayOptions()
 * @param os where it is told what was written
 * @return what could not be written, one line: nothing is written after the first fault
 * @throws WorkloadError if the workload is wrong, if Chakra cannot say it, or if the directory
 *         cannot be written to; nothing is written then
 */
std::vector<std::string> ExportChakra(const ReplayOptions& options, std::ostream& os);

} // namespace ns3

#endif /* CHAKRA_EXPORT_H */
