/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_LANE_H
#define TREE_LANE_H

#include "collective-algorithm.h"
#include "tree-place.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Moves the pieces of a share of the buffer up a tree, down a tree, or up and then down.
 *
 * On its way up a piece is added to what is there, on its way down it replaces it. Time goes in
 * beats, which all members count alike: a node of depth d in a tree of height H sends piece p up in
 * beat p + H - d, and its parent receives it in the same beat; the root sends it down again from
 * beat p + H on, and a node of depth d sends it on in beat p + H + d. In every beat each edge
 * carries one piece each way, so the tree is full after 2 H beats, and as many pieces are on their
 * way. Beats in which a member has nothing to do make no step. What only goes down starts in beat
 * p, and the root of it, who waits for nobody, sends all pieces at once.
 */
class TreeLane : public CollectiveLane
{
  public:
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
        uint64_t first{0};   //!< first piece of this lane
        uint64_t stride{1};  //!< from one piece of this lane to the next
        uint32_t channel{0}; //!< channel of the messages
    };

    /**
     * @param way which way the pieces go
     * @param place place of the member in the tree; nodes are members
     * @param share what the tree carries
     */
    TreeLane(Way way, TreePlace place, const Share& share);

    bool Next(CollectiveStep& step) override;
    uint32_t GetChannel() const override;

  private:
    /**
     * Add what the member does in a beat with one side of the tree.
     *
     * @param step where to add it, unless it is empty
     * @param action what to do
     * @param start the beat in which it does that with the lane's first piece
     * @param peers with whom
     */
    void Add(CollectiveStep& step,
             CollectiveTransfer::Action action,
             uint64_t start,
             const std::vector<uint32_t>& peers) const;

    Way m_way;                       //!< which way the pieces go
    TreePlace m_place;               //!< place of the member
    std::vector<uint32_t> m_parents; //!< its parent; none at the root
    Share m_share;                   //!< what the tree carries
    uint64_t m_beat{0};              //!< the next beat
    uint64_t m_end;                  //!< number of beats
};

} // namespace ns3

#endif /* TREE_LANE_H */
