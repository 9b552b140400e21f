/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UNUSED_LINKS_H
#define UNUSED_LINKS_H

#include "replay-fabric.h"

#include "ns3/nstime.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a run has used of the network that it had.
 */
struct NetworkUse
{
    const TopologyGraph& graph;      //!< the fabric
    std::set<uint32_t> sending;      //!< see ReplayFabric::ListSendingPorts()
    ReplayFabric::LinkCounts counts; //!< what directions of links have seen; empty = not counted
    Time duration;                   //!< of the run
    std::string portRemedy; //!< why ports are left, and what has NICs use all; empty = nothing does
    std::string pathRemedy; //!< why links are left, and what has messages use all; likewise, and
                            //!< not reported where no two paths are equally short
    std::string detourRemedy; //!< the same of links that no shortest path takes, where switches
                              //!< beside each other are linked in circles
    Time exchanging;          //!< what a rank has spent in all-to-alls, in the mean over ranks
    std::string peerRemedy;   //!< why all-to-alls use few links at a time, and what has them use
                              //!< more; empty = members exchange with all others at once
};

/**
 * @ingroup workload-replay
 * @brief Say what a run has left idle of the network that it had.
 *
 * Ports count at hosts that have sent messages by another port of the network. Planes (parts of the
 * network that no switch joins) and links between switches, or between hosts that relay, count
 * where all hosts have sent some and some of them have carried something: what is idle because the
 * job is smaller than the fabric, or stays within parts of it, is not reported. Links used 1 % of
 * the time at most count where another one was used ten times as much.
 *
 * All-to-alls that take a tenth of the time or more count where no link of the network carried more
 * than 90 % of what it could in the time that they took, though packets waited for links between
 * switches (for 10 us or more): as much traffic as the links could carry, but never on all of them
 * at once. Where hosts relay they do not count.
 *
 * @param use what was used
 * @return it, one sentence each
 */
std::vector<std::string> ListUnusedLinks(const NetworkUse& use);

} // namespace ns3

#endif /* UNUSED_LINKS_H */
