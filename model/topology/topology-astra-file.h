/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_ASTRA_FILE_H
#define TOPOLOGY_ASTRA_FILE_H

#include "topology-graph.h"

#include "ns3/workload-text.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a network of ASTRA-sim's analytical backend (YAML).
 *
 * Lists with a value for each dimension: topology (Ring, Switch, FullyConnected), npus_count,
 * bandwidth (GB/s of 10^9 bytes, of a link and direction) and latency (ns of a link). NPU n stands
 * at n % npus_count[0] in the first dimension, and so on. In each row of a dimension a ring links
 * neighbours, a switch has a link to each of the row, or all are linked to all. Ranks relay between
 * dimensions. Rows of a first dimension that is no ring are servers, whose links are NVLinks.
 *
 * @param text the file
 * @return the graph, called by its dimensions, such as "Switch 8 x Ring 2"
 * @throws WorkloadError if it is wrong
 */
TopologyGraph ReadAstraTopology(const WorkloadText& text);

} // namespace ns3

#endif /* TOPOLOGY_ASTRA_FILE_H */
