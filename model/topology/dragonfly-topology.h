/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DRAGONFLY_TOPOLOGY_H
#define DRAGONFLY_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Largest p that a dragonfly takes by itself. Its 67 million hosts are beyond what a
 *        simulation holds.
 */
constexpr uint32_t DRAGONFLY_MAX_P = 64;

/**
 * @ingroup workload-replay
 * @brief Most local and global ports of all routers together; more is a slip of the keys.
 */
constexpr uint32_t DRAGONFLY_MAX_PORTS = 250000000;

/**
 * @ingroup workload-replay
 * @brief Build the canonical dragonfly of J. Kim, W. Dally, S. Scott and D. Abts,
 *        "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008.
 *
 * Groups of a routers, linked each to each, have h global links per router. All links have nicRate
 * and linkDelay.
 *
 * Global links are arranged as "absolute" (E. Hastings et al., "Comparing Global Link Arrangements
 * for Dragonfly Networks", CLUSTER 2015): the a * h global ports of a group, counted through its
 * routers, lead to the other groups in ascending order. With fewer than a * h + 1 groups the order
 * starts again as long as a whole round is left, so that every two groups are joined by
 * floor(a * h / (groups - 1)) links; ports that are left over stay free.
 *
 * Keys:
 * - p: NICs of a router
 * - a: routers of a group
 * - h: global links of a router
 * - groups: groups, at most a * h + 1, which is the default
 *
 * Those of p, a and h that are not given are p = n, a = 2n, h = n (the balanced dragonfly) with the
 * smallest n from 1 to 64 that holds the world. NICs fill router after router; all routers are
 * there, whatever the world. They are called group0-router0, ...
 *
 * Routes by fewest hops are not always the local-global-local routes of the paper: where two global
 * links lead to the router of the destination, they are one hop shorter.
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links
 * @return the graph: servers, then routers group after group
 * @throws WorkloadError if a key is wrong or the world does not fit
 */
TopologyGraph BuildDragonflyTopology(const TopologySpec& spec,
                                     uint32_t world,
                                     const FabricParameters& parameters);

} // namespace ns3

#endif /* DRAGONFLY_TOPOLOGY_H */
