/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_TOPOLOGY_H
#define RING_TOPOLOGY_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Build rings of NICs without network switches: NIC i of every server is linked to NIC i of
 *        the next server, and ranks relay for others.
 *
 * The servers keep their NVSwitches; with one rank per server this is a ring of hosts. Every link
 * has nicRate and linkDelay, one to the server before and one to the server after. Two servers have
 * one link per NIC, not two; a NIC that the last, partial server lacks goes round the others. There
 * are no keys.
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters servers and links; no NIC may be shared
 * @return the graph: servers
 * @throws WorkloadError if there is a key, or ranks share NICs
 */
TopologyGraph BuildRingTopology(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters);

} // namespace ns3

#endif /* RING_TOPOLOGY_H */
