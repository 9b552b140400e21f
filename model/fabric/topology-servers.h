/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_SERVERS_H
#define TOPOLOGY_SERVERS_H

#include "fabric-parameters.h"
#include "topology-graph.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Number of servers of a job.
 *
 * @param world number of ranks
 * @param parameters size of a server
 * @return number of servers; the last one may be partial
 */
uint32_t CountServers(uint32_t world, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Make a graph of servers, not yet linked to each other.
 *
 * Node i is the host of rank i. The NVSwitches of the servers with more than one rank follow, with
 * an NVLink link from each of their ranks.
 *
 * @param world number of ranks
 * @param parameters size of a server, rate and delay of NVLink
 * @return the graph
 */
TopologyGraph MakeServers(uint32_t world, const FabricParameters& parameters);

} // namespace ns3

#endif /* TOPOLOGY_SERVERS_H */
