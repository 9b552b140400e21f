/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLS_LANE_H
#define NVLS_LANE_H

#include "collective-algorithm.h"
#include "tree-lane.h"
#include "tree-place.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Moves the pieces of a share of the buffer through the NVSwitches of the servers and, if
 *        there are several servers, through a tree over them.
 *
 * One member of each server is the head: the NVSwitch sends it the sum of what the members of the
 * server have, the heads add up their sums along the tree, and have their NVSwitches send the
 * result to all members.
 *
 * Time goes in beats, which all members count alike, as in TreeLane. In a tree of height H the
 * server of depth d adds up piece p in beat p + H - d, in which its head also receives what the
 * heads below have; it sends the total up one beat later. The root has all of it then, and a head
 * of depth d sends it down and to its own server in beat p + H + 1 + d. What only goes up or only
 * goes down, which it does in one server alone, does so in beat p. Beats in which a member has
 * nothing to do make no step.
 */
class NvlsLane : public CollectiveLane
{
  public:
    /// The part that a member plays.
    struct Role
    {
        uint32_t member{0};  //!< the member
        uint32_t head{0};    //!< the head of its server
        bool isAlone{false}; //!< it is the only member of its server
        /// Place of its server in the tree; the nodes are heads, and members of other servers than
        /// the own one count only for the head.
        TreePlace place;
    };

    /// The share of the buffer that lanes carry, and the pieces of it that this one does.
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
     * @param role the part that the member plays
     * @param share what the lane carries
     */
    NvlsLane(TreeLane::Way way, Role role, const Share& share);

    bool Next(CollectiveStep& step) override;
    uint32_t GetChannel() const override;

  private:
    /**
     * @param start the beat in which the lane's first piece is dealt with
     * @return what is dealt with in the present beat; no bytes if nothing is
     */
    BufferPart GetPart(uint64_t start) const;

    /**
     * Add what goes down in the present beat.
     *
     * @param step where to add it
     */
    void AddDown(CollectiveStep& step) const;

    /**
     * Add what goes up in the present beat.
     *
     * @param step where to add it
     */
    void AddUp(CollectiveStep& step) const;

    /**
     * Add a transfer unless it is empty.
     *
     * @param step where to add it
     * @param action what to do
     * @param peer with whom
     * @param part with which bytes
     */
    static void Add(CollectiveStep& step,
                    CollectiveTransfer::Action action,
                    uint32_t peer,
                    const BufferPart& part);

    TreeLane::Way m_way; //!< which way the pieces go
    Role m_role;         //!< the part that the member plays
    Share m_share;       //!< what the lane carries
    uint64_t m_beat{0};  //!< the next beat
    uint64_t m_end;      //!< number of beats
};

} // namespace ns3

#endif /* NVLS_LANE_H */
