/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_LANE_H
#define TREE_LANE_H

#include "collective-algorithm.h"
#include "tree-place.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Moves every stride-th piece of a share of the buffer up a tree, down a tree, or up and
 * then down, one after another.
 *
 * On its way up a piece is added to what is there, on its way down it replaces it. A member waits
 * for data only: it sends a piece up when it has that piece of all children, and down when it has
 * come down. So a node does not hold up what it does not need, and as many pieces are on their way
 * as there are lanes. A member that receives nothing, the root of what only goes down or a leaf of
 * what only goes up, sends all pieces at once.
 */
class TreeLane : public CollectiveLane
{
  public:
    /// What a member does with each piece, in this order.
    struct Act
    {
        CollectiveTransfer::Action action; //!< what to do
        std::vector<uint32_t> peers;       //!< with whom, at least one
    };

    /// Which way the pieces go.
    enum Way : uint8_t
    {
        UP,     //!< to the root
        DOWN,   //!< from the root
        UP_DOWN //!< to the root and back
    };

    /// The share of the buffer a tree carries and how it is cut.
    struct Share
    {
        BufferPart part;     //!< the share
        uint64_t pieces{1};  //!< pieces it is cut into
        uint64_t stride{1};  //!< from one piece of a lane to the next
        uint32_t channel{0}; //!< channel of the messages
    };

    /**
     * @param way which way the pieces go
     * @param place place of the member in the tree; nodes are members
     * @return what the member does with each piece; nothing if it is alone
     */
    static std::vector<Act> MakeActs(Way way, const TreePlace& place);

    /**
     * @param acts what the member does with each piece, shared by the lanes of a tree
     * @param share what the tree carries
     * @param first first piece of this lane
     */
    TreeLane(std::shared_ptr<const std::vector<Act>> acts, const Share& share, uint64_t first);

    bool Next(CollectiveStep& step) override;
    uint32_t GetChannel() const override;

  private:
    std::shared_ptr<const std::vector<Act>> m_acts; //!< what the member does with each piece
    Share m_share;                                  //!< what the tree carries
    uint64_t m_piece;                               //!< the piece under way
    std::size_t m_next{0};                          //!< the next act with it
};

} // namespace ns3

#endif /* TREE_LANE_H */
