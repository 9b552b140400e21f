/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAT_TREE_TOPOLOGY_H
#define FAT_TREE_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Largest k of a fat-tree. Its 4 million hosts are beyond what a simulation holds.
 */
constexpr uint32_t FAT_TREE_MAX_K = 256;

/**
 * @ingroup workload-replay
 * @brief Build the three-level k-ary fat-tree of M. Al-Fares, A. Loukissas and A. Vahdat, "A
 *        Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008.
 *
 * k pods hold k/2 edge and k/2 aggregation switches each, every edge is linked to every aggregation
 * switch of its pod, and aggregation switch i of every pod to core switches i * k/2 to
 * (i + 1) * k/2 - 1 of (k/2)^2. All links have nicRate. An edge takes k/2 NICs, so that switches
 * of k ports carry k^3/4 NICs.
 *
 * Keys:
 * - k: even, from 2 to 256. Default: the smallest that holds the world.
 * - oversubscription: NICs of an edge / its k/2 uplinks; an edge takes oversubscription * k/2 NICs,
 *   which must be a whole number. Default: 1.
 *
 * NICs fill edge after edge; all switches are there, whatever the world. The switches are called
 * pod0-edge0, pod0-agg0, core0, ...
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links
 * @return the graph: servers, then edges and aggregation switches pod after pod, then cores
 * @throws WorkloadError if a key is wrong or the world does not fit
 */
TopologyGraph BuildFatTreeTopology(const TopologySpec& spec,
                                   uint32_t world,
                                   const FabricParameters& parameters);

} // namespace ns3

#endif /* FAT_TREE_TOPOLOGY_H */
