/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UNUSED_LINKS_H
#define UNUSED_LINKS_H

#include "ns3/topology-graph.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Say what a run has left idle of the network that it had.
 *
 * Ports count at NICs that have sent or received something by another port, and links between
 * switches where all hosts have taken part: what is idle because the job is smaller than the fabric
 * is not told.
 *
 * @param graph the fabric
 * @param isUsed whether a link has carried something, by its number; empty = nobody knows
 * @param remedy what has NICs use all ports, to follow a semicolon; empty = nothing does
 * @return it, one sentence each
 */
std::vector<std::string> ListUnusedLinks(const TopologyGraph& graph,
                                         const std::vector<bool>& isUsed,
                                         const std::string& remedy);

} // namespace ns3

#endif /* UNUSED_LINKS_H */
