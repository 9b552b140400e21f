/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WAIT_REPORT_H
#define WAIT_REPORT_H

#include "ns3/replay-records.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Tell why ranks have not finished.
 *
 * @param waits what unfinished ranks wait for
 * @return a line for each, and one for a cycle of ranks that wait for each other, if there is one
 */
std::vector<std::string> DescribeWaits(const std::vector<WaitRecord>& waits);

} // namespace ns3

#endif /* WAIT_REPORT_H */
