/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_REPORT_H
#define REPLAY_REPORT_H

#include "replay-result.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param fabric what the ranks run on
 * @return it in a line
 */
std::string FormatNetwork(const FabricDescription& fabric);

/**
 * @ingroup workload-replay
 * @brief Print what numbers rest on, below a blank line.
 *
 * @param os where to
 * @param assumptions one sentence each; empty = nothing is printed
 */
void PrintAssumptions(std::ostream& os, const std::vector<std::string>& assumptions);

/**
 * @ingroup workload-replay
 * @brief Print the result of a replay, for people to read.
 *
 * Times of ranks are per iteration. Dimensions without traffic are left out.
 *
 * @param os where to
 * @param result the result
 */
void PrintReplayReport(std::ostream& os, const ReplayResult& result);

} // namespace ns3

#endif /* REPLAY_REPORT_H */
