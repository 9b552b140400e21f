/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_PIPELINE_H
#define TREE_PIPELINE_H

#include "chunk-pipeline.h"

#include "ns3/workload-types.h"

#include <cstdint>
#include <functional>
#include <memory>
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
     * Make a place in a star: 0 is the parent of all others.
     *
     * @param size number of nodes, at least 1
     * @param node the node
     * @return its place
     */
    static TreePlace MakeStar(uint32_t size, uint32_t node);

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

/**
 * @ingroup workload-replay
 * @brief In which direction pieces go in a tree.
 */
enum class TreeDirection : uint8_t
{
    UP,     //!< to the root
    DOWN,   //!< from the root
    UP_DOWN //!< to the root and back
};

/**
 * @ingroup workload-replay
 * @param kind a kind that is carried out by trees
 * @return in which direction its pieces go
 */
TreeDirection GetTreeDirection(CollectiveKind kind);

/**
 * @ingroup workload-replay
 * @brief Moves pieces of a share of the buffer up a tree, down a tree, or up and then down, one
 *        after another.
 *
 * On its way up a piece is added to what is there, on its way down it replaces it. A member waits
 * for data only: it sends a piece up when it has that piece of all children, and down when it has
 * come down. So a node does not hold up what it does not need, and as many pieces are on their way
 * as there are pipelines. A member that receives nothing, the root of what only goes down or a leaf
 * of what only goes up, sends all pieces at once.
 */
class TreePipeline : public ChunkPipeline
{
  public:
    /// What a member does with each piece, in this order.
    struct Action
    {
        CollectiveTransfer::Action transfer; //!< what to do
        std::vector<uint32_t> peers;         //!< with whom, at least one
    };

    /**
     * @param direction in which direction the pieces go
     * @param place place of the member in the tree; nodes are members
     * @return what the member does with each piece; nothing if it is alone
     */
    static std::vector<Action> MakeActions(TreeDirection direction, const TreePlace& place);

    /**
     * @param actions what the member does with each piece, shared by the pipelines of a tree
     * @param share the share of the buffer that the tree carries
     * @param pieces the pieces of the share that the pipeline moves
     * @param channel channel of the messages
     */
    TreePipeline(std::shared_ptr<const std::vector<Action>> actions,
                 const BufferPart& share,
                 const PipelineItems& pieces,
                 uint32_t channel);

    bool Next(CollectiveStep& step) override;

  private:
    std::shared_ptr<const std::vector<Action>> m_actions; //!< what the member does with each piece
    BufferPart m_share;                                   //!< what the tree carries
    PipelineItems m_pieces;                               //!< the pieces of the pipeline
    uint64_t m_piece;                                     //!< the piece under way
    std::size_t m_next{0};                                //!< the next action with it
};

} // namespace ns3

#endif /* TREE_PIPELINE_H */
