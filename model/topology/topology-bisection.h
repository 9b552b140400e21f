/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_BISECTION_H
#define TOPOLOGY_BISECTION_H

#include "topology-graph.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What two halves of the hosts can send each other at once, see BisectTopology().
 */
struct TopologyBisection
{
    uint32_t firstHosts{0};   //!< hosts of the first half: ranks 0 to firstHosts - 1
    uint32_t secondHosts{0};  //!< hosts of the second half: the other ranks
    bool splitsServer{false}; //!< whether a server has hosts in both halves
    uint64_t rate{0};         //!< capacity of the smallest cut between the halves, bit/s of each
                              //!< direction; 0 = there is one host only
    uint64_t fullRate{0};     //!< what the hosts of one half can send into the network, bit/s; of
                              //!< the half that can send less
};

/**
 * @ingroup workload-replay
 * @brief Find the bisection bandwidth by rank order.
 *
 * The hosts are cut in two where the rank is nearest the middle and no server is cut, or in the
 * middle if there is only one server. The bandwidth is the largest flow from the first half to the
 * second, access links included; so it is that of the worst place between these two halves, though
 * other halves may have less. NVLink counts only where an NVSwitch has links to both halves, or to
 * nodes other than hosts: what stays inside a half can neither pass nor be sent into the network.
 *
 * The hosts of a half act as one vertex, and parallel links as one edge, so that the cost grows
 * with the number of switches and the pairs of them that are linked.
 *
 * @param graph the graph
 * @return the bandwidth
 */
TopologyBisection BisectTopology(const TopologyGraph& graph);

} // namespace ns3

#endif /* TOPOLOGY_BISECTION_H */
