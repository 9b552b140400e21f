/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_ASSUMPTIONS_H
#define REPLAY_ASSUMPTIONS_H

#include "job-request.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Say what the results of a replay rest on besides the workloads themselves.
 *
 * @param jobs what the user asks for of each job
 * @param options what the user asks for of the network
 * @param graph what they run on
 * @return the assumptions, one sentence each
 */
std::vector<std::string> ListAssumptions(const std::vector<JobRequest>& jobs,
                                         const NetworkOptions& options,
                                         const TopologyGraph& graph);

/**
 * @ingroup workload-replay
 * @brief Say what results rest on that does not depend on the workload.
 *
 * @param options what the user asks for
 * @param graph what it runs on
 * @return the assumptions, one sentence each
 */
std::vector<std::string> ListNetworkAssumptions(const NetworkOptions& options,
                                                const TopologyGraph& graph);

} // namespace ns3

#endif /* REPLAY_ASSUMPTIONS_H */
