/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLOS_TOPOLOGY_H
#define CLOS_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-servers.h"
#include "topology-spec.h"
#include "topology-uplinks.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief NICs that a leaf switch takes unless told otherwise: half the ports of a 64-port switch,
 *        the other half being uplinks.
 */
constexpr uint32_t CLOS_HOSTS_PER_LEAF = 32;

/**
 * @ingroup workload-replay
 * @brief The numbers of a leaf-spine.
 */
struct ClosShape
{
    uint32_t hostsPerLeaf{0}; //!< NICs that a leaf takes
    uint32_t leaves{0};       //!< leaf switches
    bool interleaved{false};  //!< servers go round the leaves, else NICs fill leaf after leaf
    UplinkPlan uplinks;       //!< links from leaves to spines

    /**
     * @param nic a NIC
     * @param position how many NICs stand before it
     * @return the leaf that it is at, counted from 0
     */
    uint32_t GetLeaf(const ServerNic& nic, uint32_t position) const;
};

/**
 * @ingroup workload-replay
 * @brief Find the numbers of a leaf-spine from the keys of BuildClosTopology().
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters size of a server and its NICs
 * @param portRate rate of the link from a NIC to its leaf, bit/s, above 0
 * @return the numbers
 * @throws WorkloadError if a key is wrong, the numbers contradict each other or the world does not
 *         fit
 */
ClosShape PlanClos(const TopologySpec& spec,
                   uint32_t world,
                   const FabricParameters& parameters,
                   DataRate portRate);

/**
 * @ingroup workload-replay
 * @brief Build a two-level leaf-spine: every leaf has links to every spine.
 *
 * Keys:
 * - hostsPerLeaf: NICs that a leaf takes. Default: with leaves given, as many whole servers as
 * every leaf needs to hold the world; else as many whole servers as fit into 32 NICs, at least one.
 * - leaves: leaf switches. Default: as many as the world needs.
 * - oversubscription: host bandwidth of a full leaf / its uplink bandwidth. Default: 1.
 * - uplinkRate: rate of one link from leaf to spine. Default: nicRate.
 * - spines: spine switches. Default: one per uplink of a leaf; none if there is one leaf.
 * - placement: block (default): ranks fill leaf after leaf; interleaved: server i is at leaf
 *   i mod leaves.
 *
 * A leaf has hostsPerLeaf * nicRate / (oversubscription * uplinkRate) uplinks; this must be a whole
 * number that the spines divide. The quotient is the number of parallel links from a leaf to a
 * spine. NICs of one rank are at one leaf, unless the leaf is full after the first.
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links
 * @return the graph: servers, then leaves, then spines
 * @throws WorkloadError if a key is wrong, the numbers contradict each other or the world does not
 *         fit
 */
TopologyGraph BuildClosTopology(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters);

} // namespace ns3

#endif /* CLOS_TOPOLOGY_H */
