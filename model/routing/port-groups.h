/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_GROUPS_H
#define PORT_GROUPS_H

#include "ns3/topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find the ports of hosts that are one to what they send: those of a NIC to two leaves of a
 * pair, or to two planes.
 *
 * Ports of a host are a group if all other hosts are as many hops away by each of them. NVLinks are
 * in none, nor are the ports of hosts that relay, or of a fabric with time slots: these lead
 * different ways.
 *
 * @param graph a fabric
 * @return groups of two or more links of one host, by host, in the order of their first links
 */
std::vector<std::vector<uint32_t>> ListPortGroups(const TopologyGraph& graph);

} // namespace ns3

#endif /* PORT_GROUPS_H */
