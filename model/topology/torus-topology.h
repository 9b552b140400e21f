/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TORUS_TOPOLOGY_H
#define TORUS_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Build a torus of ranks without switches: every rank is linked to the next one of each
 *        dimension, and relays for others.
 *
 * This is the network of accelerators that carry their own links, such as TPU v4 (N. Jouppi et al.,
 * ISCA 2023). So there are neither servers nor NVLink, whatever gpusPerServer says. Every link has
 * nicRate and linkDelay; a rank has 2 links per dimension, and 2 * nicRate of bandwidth in it.
 *
 * Keys:
 * - dims: sizes joined by x, such as 4x4x4; their product is the world. Default: of all shapes of
 *   up to three dimensions the most cubic, that is the one with the shortest longest side and, of
 *   these, the shortest middle side; longest side first. A prime world is a ring.
 *
 * The coordinate in the first dimension changes fastest with the rank. A dimension of size 2 has
 * one link per pair, not two; one of size 1 has none.
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters links; nicsPerServer must leave one NIC per rank
 * @return the graph: hosts only
 * @throws WorkloadError if a key or nicsPerServer is wrong or the world is another
 */
TopologyGraph BuildTorusTopology(const TopologySpec& spec,
                                 uint32_t world,
                                 const FabricParameters& parameters);

} // namespace ns3

#endif /* TORUS_TOPOLOGY_H */
