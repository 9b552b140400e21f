/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SPARE_PATHS_H
#define SPARE_PATHS_H

#include "ns3/topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param graph the fabric
 * @return whether switches as far from hosts as each other are linked in circles, as routers of a
 *         dragonfly are: paths that are not shortest are of use there
 */
bool HasDetours(const TopologyGraph& graph);

/**
 * @ingroup workload-replay
 * @param graph the fabric
 * @return whether there are two shortest paths between a switch and a host somewhere, or between
 *         hosts where these relay
 */
bool HasEqualPaths(const TopologyGraph& graph);

/// Directions of links, two or more in each set, numbered as TopologyGraph::GetDirection() does.
using EqualLinks = std::vector<std::vector<uint32_t>>;

/**
 * @ingroup workload-replay
 * @brief Find links of a switch that every shortest path may take instead of each other, as the
 * uplinks of a leaf switch are: spread over all paths, packets use them alike, whoever sends.
 *
 * @param graph the fabric
 * @return the sets of such links by switch; none where hosts relay
 */
EqualLinks ListEqualLinks(const TopologyGraph& graph);

} // namespace ns3

#endif /* SPARE_PATHS_H */
