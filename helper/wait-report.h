/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WAIT_REPORT_H
#define WAIT_REPORT_H

#include "ns3/replay-records.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Report why ranks have not finished.
 *
 * @param waits what unfinished ranks wait for
 * @return a line for each, and one for a cycle of ranks that wait for each other, if there is one
 */
std::vector<std::string> DescribeWaits(const std::vector<WaitRecord>& waits);

/**
 * @ingroup workload-replay
 * @brief The same in a few lines: ranks that wait in one op of one communicator share a line.
 *
 * @param waits what unfinished ranks wait for
 * @param most most lines for waits; if there are no more of these, it is DescribeWaits()
 * @return the lines, and what is left out if there are more
 */
std::vector<std::string> SummarizeWaits(const std::vector<WaitRecord>& waits, std::size_t most);

/**
 * @ingroup workload-replay
 * @param wait what an unfinished rank waits in
 * @param rank it, or a rank it waits for
 * @return its number in its job, and the job if there are several
 */
std::string NameRank(const WaitRecord& wait, uint32_t rank);

/**
 * @ingroup workload-replay
 * @brief Find ranks that wait for each other in a circle.
 *
 * @param waits what unfinished ranks wait for, any number of records per rank
 * @return the ranks of the first cycle met from the lowest rank on, each waiting for the next one
 *         and the last for the first; empty if there is no cycle
 */
std::vector<uint32_t> FindWaitCycle(const std::vector<WaitRecord>& waits);

} // namespace ns3

#endif /* WAIT_REPORT_H */
