/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_TOPOLOGY_H
#define RAIL_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Servers that a rail leaf takes unless told otherwise: half the ports of a switch of 128,
 *        such as 51.2 Tb/s switches have at 400 Gb/s, the other half being uplinks.
 */
constexpr uint32_t RAIL_SERVERS_PER_GROUP = 64;

/**
 * @ingroup workload-replay
 * @brief Ports of a spine, from which the default number of spines follows.
 */
constexpr uint32_t RAIL_SPINE_PORTS = 128;

/**
 * @ingroup workload-replay
 * @brief Build a rail-optimised leaf-spine: NIC i of every server of a group is at leaf i of the
 *        group, and spines join all leaves of all groups.
 *
 * So ranks of the same index are one switch apart within a group, and ranks of different index meet
 * inside the server or at a spine (W. Wang et al., "Rail-only", HOTI 2024, describe the design and
 * its use).
 *
 * Keys:
 * - serversPerGroup: servers of a group. Default: as few groups as possible of at most 64 servers,
 *   then as even as possible.
 * - oversubscription: bandwidth of a full leaf's NICs / its uplink bandwidth. Default: 1.
 * - uplinkRate: rate of one link from leaf to spine. Default: nicRate.
 * - spines: spine switches. Default: as few as divide the uplinks of a leaf and need at most 128
 *   ports each; one per uplink of a leaf if that does not suffice. None for a single leaf.
 *
 * A leaf has serversPerGroup * nicRate / (oversubscription * uplinkRate) uplinks; this must be a
 * whole number that the spines divide. Leaf j of rail i is called raili-leafj.
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links
 * @return the graph: servers, then leaves rail after rail, then spines
 * @throws WorkloadError if a key is wrong or the numbers contradict each other
 */
TopologyGraph BuildRailTopology(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters);

} // namespace ns3

#endif /* RAIL_TOPOLOGY_H */
