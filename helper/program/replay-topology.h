/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_TOPOLOGY_H
#define REPLAY_TOPOLOGY_H

#include "network-options.h"

#include "ns3/topology-graph.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Build the topology that the user asks for, or read it from the file that they name.
 *
 * @param options what the user asks for
 * @param world number of ranks
 * @return the topology
 * @throws WorkloadError if it is wrong or does not fit the world
 */
TopologyGraph BuildReplayTopology(const NetworkOptions& options, uint32_t world);

/**
 * @ingroup workload-replay
 * @param graph a topology
 * @return whether it has links that lose packets at random
 */
bool HasRandomLoss(const TopologyGraph& graph);

} // namespace ns3

#endif /* REPLAY_TOPOLOGY_H */
