/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_TEST_GRAPHS_H
#define TOPOLOGY_TEST_GRAPHS_H

#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @param text a named topology
 * @param world number of ranks
 * @param gpusPerServer ranks of a server
 * @return the topology; NICs have 400 Gb/s
 */
TopologyGraph BuildTestTopology(const std::string& text,
                                uint32_t world,
                                uint32_t gpusPerServer = 8);

/**
 * @ingroup workload-replay-tests
 * @param columns hosts of a row
 * @param rows rows of a plane
 * @param planes planes
 * @return a torus of hosts with links of 100 Gb/s; a ring if there is one row
 */
TopologyGraph MakeTorus(uint32_t columns, uint32_t rows, uint32_t planes = 1);

/**
 * @ingroup workload-replay-tests
 * @return a fat-tree of switches of 4 ports: 16 hosts, 4 pods of 2 + 2 switches, 4 core switches;
 *         links of 100 Gb/s
 */
TopologyGraph MakeFatTree();

/**
 * @ingroup workload-replay-tests
 * @return a dragonfly: 5 groups of 4 switches that are all linked in pairs, 2 hosts at each, and a
 *         link between every two groups
 */
TopologyGraph MakeDragonfly();

/**
 * @ingroup workload-replay-tests
 * @param hosts number of hosts, h0 and h1 at the first of two switches, the others at the second
 * @return the graph; link 0 joins the switches, link 1 + N leads to host N, and all have 100 Gb/s
 *         and 500 ns
 */
TopologyGraph MakeTwoSwitches(uint32_t hosts);

/**
 * @ingroup workload-replay-tests
 * @param graph a graph
 * @return all that is in it, a line for each node and link
 */
std::string DescribeGraph(const TopologyGraph& graph);

} // namespace ns3

#endif /* TOPOLOGY_TEST_GRAPHS_H */
