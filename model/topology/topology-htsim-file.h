/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_HTSIM_FILE_H
#define TOPOLOGY_HTSIM_FILE_H

#include "topology-graph.h"

#include "ns3/workload-text.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a fat tree of htsim (.topo).
 *
 * Lines of a key and a number: Nodes, Tiers (2 or 3), Podsize, then for each Tier
 * Downlink_speed_Gbps, Downlink_Latency_ns, Radix_Down, Radix_Up but for the highest tier, Bundle
 * (parallel cables of a downlink, 1 if absent), Switch_Latency_ns and Oversubscribed, which follows
 * from the radices. Tier 0 are the switches of hosts. An aggregation switch of a pod has the same
 * core switches as those at its place in other pods.
 *
 * @param text the file
 * @return the graph, with a note of a switch latency, which a graph does not have
 * @throws WorkloadError if it is wrong
 */
TopologyGraph ReadHtsimTopology(const WorkloadText& text);

} // namespace ns3

#endif /* TOPOLOGY_HTSIM_FILE_H */
