/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_DOT_H
#define TOPOLOGY_DOT_H

#include "ns3/topology-graph.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Write a topology in the language of Graphviz (dot), a line for each node and link.
 *
 * Hosts and NVSwitches of a server stand in a cluster. Links of the same rate and kind between the
 * same nodes become one edge, labelled with the rate and how many there are. Nodes are called n0,
 * n1, ... by index.
 *
 * @param os where to
 * @param graph the topology
 */
void WriteTopologyDot(std::ostream& os, const TopologyGraph& graph);

} // namespace ns3

#endif /* TOPOLOGY_DOT_H */
