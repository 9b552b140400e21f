/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STRADDLING_GROUPS_H
#define STRADDLING_GROUPS_H

#include "job-request.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find groups of ranks that would fit a server, or what NVLink joins, and stand in several:
 *        what they send goes through NICs, which are slower. Likewise those that would fit the
 *        servers of a leaf switch or of a rail group: what they send goes through spines.
 *
 * A group fits if the ranks from its first to its last are no more than the largest server has.
 * Ranks of groups that are apart by design, such as those of data parallelism across servers, do
 * not.
 *
 * @param workload a job
 * @param graph what it runs on; rank i is its host i
 * @param options what the user asks for of the network; SetNetworkDefaults() has been called with
 *        it
 * @return the groups by dimension, the bytes that go through NICs or spines for that, and what
 *         keeps all of them whole, if there is such an option; empty = there are none
 * @throws WorkloadError if an algorithm that was chosen cannot do what the workload wants of it
 */
std::vector<std::string> ListStraddlingGroups(const std::shared_ptr<const Workload>& workload,
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
