/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SWITCH_TREES_H
#define SWITCH_TREES_H

#include "topology-graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A tree of switches with hosts as its leaves. Numbers are those of nodes in the graph.
 */
struct SwitchTree
{
    /// Parent of the root.
    static constexpr uint32_t NO_PARENT = UINT32_MAX;

    /// A switch.
    struct Node
    {
        uint32_t parent{NO_PARENT};     //!< the switch above it
        std::vector<uint32_t> children; //!< switches and hosts below it, ascending
    };

    std::map<uint32_t, Node> switches;  //!< its switches
    std::map<uint32_t, uint32_t> above; //!< by host: the switch above it
    std::string reason;                 //!< why there is no such tree, a clause; empty = there is
};

/**
 * @ingroup workload-replay
 * @brief Finds trees of switches for reductions in the network, as SHARP's aggregation manager
 * does.
 *
 * The root is a switch from which no host of the tree is farther away than need be: their lowest
 * common ancestor in a tree of levels. From there each switch hangs below one that is nearer to the
 * root. Among equals the index of the tree decides, so that trees of other indices have other roots
 * and links. All neighbours in the tree are neighbours in the graph, but for NICs between them.
 */
class SwitchTrees
{
  public:
    /**
     * @param graph the fabric
     */
    explicit SwitchTrees(const TopologyGraph& graph);

    /**
     * @return switches of the network, ascending: not NVSwitches, nor NICs that several ranks share
     */
    const std::vector<uint32_t>& GetSwitches() const;

    /**
     * @param hosts hosts, at least one
     * @param index a number that distinguishes the tree from others
     * @return a tree over them, the same whenever it is asked for
     */
    SwitchTree Find(const std::vector<uint32_t>& hosts, uint32_t index) const;

  private:
    /// Distance to what cannot be reached.
    static constexpr uint16_t UNREACHABLE = UINT16_MAX;

    /**
     * @param root a switch
     * @return links between it and each node by way of switches; kept
     */
    const std::vector<uint16_t>& GetDistances(uint32_t root) const;

    /**
     * @param hosts hosts that all have a switch
     * @return switches that are nearest to the farthest of them, ascending; empty = none reaches
     * all
     */
    std::vector<uint32_t> FindRoots(const std::vector<uint32_t>& hosts) const;

    /**
     * @param switches switches, at least one
     * @param root a switch
     * @param index index of the tree
     * @return one of those that are nearest to the root
     */
    uint32_t ChooseNearest(const std::vector<uint32_t>& switches,
                           uint32_t root,
                           uint32_t index) const;

    TopologyGraph m_graph;                                  //!< the fabric
    std::vector<uint32_t> m_switches;                       //!< switches of the network
    std::vector<std::vector<uint32_t>> m_neighbours;        //!< by node: the switches next to it
    mutable std::vector<std::vector<uint16_t>> m_distances; //!< by switch; empty = not searched
};

} // namespace ns3

#endif /* SWITCH_TREES_H */
