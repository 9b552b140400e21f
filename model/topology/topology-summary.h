/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_SUMMARY_H
#define TOPOLOGY_SUMMARY_H

#include "topology-bisection.h"
#include "topology-graph.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Links that join the same kinds of nodes at the same rate.
 */
struct TopologyLinkKind
{
    TopologyGraph::NodeKind low;  //!< kind of node at one end: the one that NodeKind lists first
    TopologyGraph::NodeKind high; //!< kind of node at the other end
    bool nvlink;                  //!< whether they are preferred at equal hop count
    DataRate rate;                //!< rate of each, bit/s of each direction
    uint32_t count;               //!< how many there are
};

/**
 * @ingroup workload-replay
 * @brief What a topology consists of, and what it is good for.
 */
struct TopologySummary
{
    /**
     * Count. Takes well below a second for 1024 hosts, and seconds for ten times as many.
     *
     * @param graph a graph in which all hosts reach each other
     */
    explicit TopologySummary(const TopologyGraph& graph);

    uint32_t hosts{0};      //!< hosts
    uint32_t servers{0};    //!< servers that hosts stand in
    uint32_t switches{0};   //!< switches but for NVSwitches
    uint32_t nvswitches{0}; //!< NVSwitches
    uint32_t lossyLinks{0}; //!< links that lose packets at random

    std::vector<TopologyLinkKind> links;        //!< links by kind, then by rate, highest first
    std::map<uint32_t, uint32_t> serverSizes;   //!< number of servers by number of hosts
    std::map<uint32_t, uint32_t> switchSizes;   //!< number of switches by ports in use
    std::map<uint32_t, uint32_t> nvswitchSizes; //!< number of NVSwitches by ports in use

    uint64_t switchPorts{0};   //!< ports in use of all switches but NVSwitches
    uint64_t nvswitchPorts{0}; //!< ports in use of all NVSwitches
    uint64_t nicPorts{0};      //!< ports in use of all hosts, NVLink not counted

    uint32_t diameter{0};        //!< most links on a shortest path between hosts
    bool isDiameterExact{false}; //!< else paths from a part of the hosts were looked at
    TopologyBisection bisection; //!< bandwidth between halves

  private:
    /**
     * Count nodes and their ports.
     *
     * @param graph the graph
     */
    void CountNodes(const TopologyGraph& graph);

    /**
     * Count links by kind.
     *
     * @param graph the graph
     */
    void CountLinks(const TopologyGraph& graph);

    /**
     * Find the diameter, by a breadth-first search from one host of each group that is linked to
     * the same nodes, or from an even choice of them if there are too many.
     *
     * @param graph the graph
     */
    void FindDiameter(const TopologyGraph& graph);
};

} // namespace ns3

#endif /* TOPOLOGY_SUMMARY_H */
