/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WAIT_CYCLE_H
#define WAIT_CYCLE_H

#include "replay-records.h"

#include <cstdint>
#include <vector>

namespace ns3
{

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

#endif /* WAIT_CYCLE_H */
