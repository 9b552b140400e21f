/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_CHECK_H
#define COLLECTIVE_BENCH_CHECK_H

#include "collective-bench-cluster.h"
#include "collective-bench-options.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Check that algorithms bring every rank the data that it should have, with a
 *        CollectiveChecker; nothing is simulated.
 *
 * Checked are those that the option collective names, or else all that do the kind, at each size
 * and at one byte more, of which not all parts are equal, and with the roots of
 * CollectiveChecker::ListRoots(). Switches that can take part are taken to do so.
 *
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @param cluster where the ranks stand
 * @param os where a line for each algorithm goes
 * @return whether none is wrong
 */
bool CheckAlgorithms(const CollectiveBenchOptions& options,
                     const CollectiveBenchCluster& cluster,
                     std::ostream& os);

} // namespace ns3

#endif /* COLLECTIVE_BENCH_CHECK_H */
