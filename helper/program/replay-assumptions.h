/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_ASSUMPTIONS_H
#define REPLAY_ASSUMPTIONS_H

#include "replay-options.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Say what the results of a replay rest on besides the workload itself.
 *
 * @param options what the user asks for
 * @param workload what was read for it
 * @param graph what it runs on
 * @return the assumptions, one sentence each
 */
std::vector<std::string> ListAssumptions(const ReplayOptions& options,
                                         const Workload& workload,
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
