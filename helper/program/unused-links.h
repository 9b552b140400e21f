/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UNUSED_LINKS_H
#define UNUSED_LINKS_H

#include "replay-fabric.h"

#include "ns3/topology-graph.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Say what a run has left idle of the network that it had.
 *
 * Ports count at hosts that have sent messages by another port of the network. Links between
 * switches count where all hosts have sent some and some of the links have carried something: what
 * is idle because the job is smaller than the fabric, or stays within parts of it, is not reported.
 *
 * @param graph the fabric
 * @param sending ports by which hosts have sent messages, see ReplayFabric::ListSendingPorts()
 * @param counts what directions of links have seen
 * @param remedy why, and what has NICs use all ports; empty = nothing does
 * @return it, one sentence each
 */
std::vector<std::string> ListUnusedLinks(const TopologyGraph& graph,
                                         const std::set<uint32_t>& sending,
                                         const ReplayFabric::LinkCounts& counts,
                                         const std::string& remedy);

/**
 * @ingroup workload-replay
 * @brief Say what has become of packets that were dropped, and what has fewer sent again.
 *
 * @param graph the fabric
 * @param links what directions of links have seen
 * @param timeoutAttribute attribute that says how long senders wait
 * @return it, a sentence; empty = none was dropped
 */
std::vector<std::string> ListLosses(const TopologyGraph& graph,
                                    const std::vector<LinkUse>& links,
                                    const std::string& timeoutAttribute);

} // namespace ns3

#endif /* UNUSED_LINKS_H */
