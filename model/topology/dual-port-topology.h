/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DUAL_PORT_TOPOLOGY_H
#define DUAL_PORT_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Build two leaf-spines that meet only at the NICs, each of which has a port into both.
 *
 * The keys are those of BuildClosTopology(), and hold for either plane, and
 * - portRate: rate of each of the two ports of a NIC. Default: nicRate / 2, as of a 400 Gb/s NIC of
 *   2 x 200 Gb/s.
 *
 * The default of uplinkRate is portRate. The leaves are called plane0-leaf0, ..., the spines
 * plane0-spine0, ...
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links
 * @return the graph: servers, then leaves and spines of one plane after those of the other
 * @throws WorkloadError if a key is wrong, the numbers contradict each other or the world does not
 *         fit
 */
TopologyGraph BuildDualPlaneTopology(const TopologySpec& spec,
                                     uint32_t world,
                                     const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build a leaf-spine in which every leaf is a pair of switches that do not know of each
 *        other, and every NIC has a port at both.
 *
 * This is the non-stacked dual-ToR of K. Qian et al., "Alibaba HPN: A Data Center Network for Large
 * Language Model Training", SIGCOMM 2024, with both switches of a pair linked to the same spines
 * (HPN itself also parts the spines, see BuildDualPlaneTopology()).
 *
 * The keys are those of BuildDualPlaneTopology(); oversubscription and uplinks are those of one
 * switch of a pair. The pairs are called leaf0-tor0 and leaf0-tor1, ...
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links
 * @return the graph: servers, then the first switches of all pairs, the second ones, the spines
 * @throws WorkloadError if a key is wrong, the numbers contradict each other or the world does not
 *         fit
 */
TopologyGraph BuildDualTorTopology(const TopologySpec& spec,
                                   uint32_t world,
                                   const FabricParameters& parameters);

} // namespace ns3

#endif /* DUAL_PORT_TOPOLOGY_H */
