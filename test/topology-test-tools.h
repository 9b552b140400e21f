/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_TEST_TOOLS_H
#define TOPOLOGY_TEST_TOOLS_H

#include "ns3/ecmp-route-table.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Build a topology with the default rates.
 *
 * @param text an option
 * @param world number of ranks
 * @param gpusPerServer ranks of a server
 * @param nicsPerServer NICs of a server; 0 = one per rank
 * @return the topology
 */
TopologyGraph BuildTopology(const std::string& text,
                            uint32_t world,
                            uint32_t gpusPerServer = 1,
                            uint32_t nicsPerServer = 0);

/**
 * @ingroup workload-replay-tests
 * @brief Count the nodes of a kind.
 *
 * @param graph a graph
 * @param part part of a name
 * @return number of nodes with such a name
 */
uint32_t CountNodes(const TopologyGraph& graph, const std::string& part);

/**
 * @ingroup workload-replay-tests
 * @brief Find a node by its name.
 *
 * @param graph a graph
 * @param name name of a node
 * @return the node, which must be there
 */
uint32_t FindNode(const TopologyGraph& graph, const std::string& name);

/**
 * @ingroup workload-replay-tests
 * @brief List the neighbours of a node.
 *
 * @param graph a graph
 * @param node a node
 * @return names of the nodes at its links, in the order of the links, with blanks between
 */
std::string PeersOf(const TopologyGraph& graph, uint32_t node);

/**
 * @ingroup workload-replay-tests
 * @brief Count the ways between two nodes.
 *
 * @param table routes
 * @param from a node
 * @param to another node
 * @return number of different ways that equal-cost routing takes
 */
uint32_t CountPaths(const EcmpRouteTable& table, uint32_t from, uint32_t to);

/**
 * @ingroup workload-replay-tests
 * @brief Find the longest way between hosts.
 *
 * @param table routes
 * @return most links between two hosts
 */
uint32_t GetDiameter(const EcmpRouteTable& table);

/**
 * @ingroup workload-replay-tests
 * @brief Compare the two sides of a leaf.
 *
 * @param graph a graph
 * @param node a switch
 * @return bit/s of its links to hosts / bit/s of its other links
 */
double GetOversubscription(const TopologyGraph& graph, uint32_t node);

} // namespace ns3

#endif /* TOPOLOGY_TEST_TOOLS_H */
