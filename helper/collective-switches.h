/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SWITCHES_H
#define COLLECTIVE_SWITCHES_H

#include "ns3/fabric-endpoints.h"
#include "ns3/rank-placement.h"
#include "ns3/topology-graph.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Have the NVSwitches of a fabric take part in collectives.
 *
 * @param placement where the ranks stand
 * @param endpoints the nodes that messages go to
 */
void AddServerSwitches(RankPlacement& placement, const FabricEndpoints& endpoints);

/**
 * @ingroup workload-replay
 * @brief Have the switches of the network take part in collectives, if there are any that messages
 * go to.
 *
 * @param placement where the ranks stand
 * @param graph the fabric
 * @param endpoints the nodes that messages go to
 */
void AddReductionTrees(RankPlacement& placement,
                       const TopologyGraph& graph,
                       const FabricEndpoints& endpoints);

} // namespace ns3

#endif /* COLLECTIVE_SWITCHES_H */
