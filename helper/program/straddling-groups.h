/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STRADDLING_GROUPS_H
#define STRADDLING_GROUPS_H

#include "network-options.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find groups of ranks that would fit a server, or what NVLink joins, and stand in several:
 *        what they send goes through NICs, which are slower.
 *
 * A group fits if the ranks from its first to its last are no more than the largest server has.
 * Ranks of groups that are apart by design, such as those of data parallelism across servers, do
 * not.
 *
 * @param workload a job
 * @param graph what it runs on; rank i is its host i
 * @param options what the user asks for of the network
 * @return the groups by dimension, and the number of GPUs of a server that keeps all of them whole,
 *         if there is one; empty = there are none
 */
std::vector<std::string> ListStraddlingGroups(const Workload& workload,
                                              const TopologyGraph& graph,
                                              const NetworkOptions& options);

} // namespace ns3

#endif /* STRADDLING_GROUPS_H */
