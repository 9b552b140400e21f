/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_FILES_H
#define TOPOLOGY_FILES_H

#include "output-selection.h"

#include "ns3/topology-graph.h"

#include <ostream>
#include <string>
#include <vector>

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

/**
 * @ingroup workload-replay
 * @brief Write fabric.json (see WriteTopologyJson(), to be edited and read back, or drawn by
 *        wl-report) and fabric.dot (for Graphviz).
 *
 * @param directory where to; PrepareOutputDirectory() has found nothing wrong with it
 * @param graph the topology
 * @param selection which of them are written, and compressed
 * @return what could not be written, one line each
 */
std::vector<std::string> WriteTopologyFiles(const std::string& directory,
                                            const TopologyGraph& graph,
                                            const OutputSelection& selection = {});

} // namespace ns3

#endif /* TOPOLOGY_FILES_H */
