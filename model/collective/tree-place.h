/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_PLACE_H
#define TREE_PLACE_H

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Where a node stands in a tree: all that it needs to know to play its part.
 *
 * Nodes are numbered from 0. Every node finds its own place without the rest of the tree.
 */
struct TreePlace
{
    /// Parent of the root.
    static constexpr uint32_t NO_PARENT = UINT32_MAX;

    /// Makes the place of a node in a tree of so many nodes: (nodes, node).
    using Maker = TreePlace (*)(uint32_t, uint32_t);

    uint32_t parent{NO_PARENT};     //!< its parent
    std::vector<uint32_t> children; //!< its children, ascending
    uint32_t depth{0};              //!< edges between it and the root
    uint32_t height{0};             //!< the same for all nodes, at least the largest depth

    /**
     * Make a place in a chain: 0 is the root, and each node is the parent of the next one.
     *
     * @param size number of nodes, at least 1
     * @param node the node
     * @return its place
     */
    static TreePlace MakeChain(uint32_t size, uint32_t node);

    /**
     * Make a place in a binomial tree with root 0: the parent of a node is its number without the
     * lowest bit set. Of a node with lowest bit 2^k the subtree has up to 2^k nodes.
     *
     * @param size number of nodes, at least 1
     * @param node the node
     * @return its place
     */
    static TreePlace MakeBinomial(uint32_t size, uint32_t node);

    /**
     * Make a place in the first of two complementary binary trees: root 0 has one child, below
     * which nodes 1 to size - 1 stand in order, so that odd nodes are leaves (Sanders, Speck and
     * Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
     * Computing 35(12), 2009; used by NCCL since 2.4). The height is the ceiling of log2(size).
     *
     * @param size number of nodes, at least 1
     * @param node the node
     * @return its place
     */
    static TreePlace MakeInOrder(uint32_t size, uint32_t node);

    /**
     * Make a place in the second of the two: the first one mirrored if size is even, shifted by one
     * if it is odd, so that no node is within both trees, except one if the size is odd.
     *
     * @param size number of nodes, at least 1
     * @param node the node
     * @return its place
     */
    static TreePlace MakeInOrderTwin(uint32_t size, uint32_t node);

    /**
     * @param name turns the number of a node into another one
     * @return the same place with other numbers
     */
    TreePlace Rename(const std::function<uint32_t(uint32_t)>& name) const;
};

} // namespace ns3

#endif /* TREE_PLACE_H */
