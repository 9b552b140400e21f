/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STRADDLING_GROUPS_H
#define STRADDLING_GROUPS_H

#include "job-request.h"

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

/**
 * @ingroup workload-replay
 * @brief Have servers hold fewer ranks than GPUs, so that groups that would fit a server stand in
 *        one: as operators do where groups of 64 run on domains of 72.
 *
 * Only where the fabric is built of plain servers, whose NVSwitches lead to no others.
 *
 * @param jobs the one job; with the option job nothing is changed
 * @param [in,out] options what the user asks for: placement, which is whole, or auto = only on
 * servers of a named fabric, if that leaves no more than a quarter of the GPUs idle; GPUs and NICs
 * of a server are what changes
 * @return what was done, a sentence; empty = nothing
 * @throws WorkloadError if groups cannot be whole though that is asked for
 */
std::vector<std::string> KeepGroupsWhole(const std::vector<JobRequest>& jobs,
                                         ReplayOptions& options);

} // namespace ns3

#endif /* STRADDLING_GROUPS_H */
