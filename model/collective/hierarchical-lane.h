/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHICAL_LANE_H
#define HIERARCHICAL_LANE_H

#include "collective-algorithm.h"
#include "rail-grid.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Carries one rail's share of an all-reduce, all-gather or reduce-scatter.
 *
 * The share has a part for each server. In each server the member that stands for the rail owns it:
 *
 * - to reduce, the others of the server first send their share to the owner, all at once; then the
 *   owners of all servers reduce-scatter the parts along a ring, which leaves the sum of the part
 * of a server at its owner;
 * - to gather, the owners all-gather the parts along the ring, and each then sends the whole share
 * to the others of its server, all at once.
 *
 * The parts are cut into pieces; a lane moves every depth-th of them, one after another.
 */
class HierarchicalLane : public CollectiveLane
{
  public:
    /// What of the buffer a lane moves.
    struct Share
    {
        uint32_t rail{0};   //!< its rail, which is its channel too
        uint64_t pieces{1}; //!< pieces that each part is cut into
        uint64_t first{0};  //!< first piece of this lane
        uint64_t depth{1};  //!< from one piece of this lane to the next
    };

    /**
     * @param call the collective, of two members or more
     * @param share what of the buffer it moves
     */
    HierarchicalLane(const CollectiveCall& call, const Share& share);

    bool Next(CollectiveStep& step) override;
    uint32_t GetChannel() const override;

    /**
     * Find a server's part of a rail's share. Of an all-reduce it is an equal part of the rail's
     * equal part of the buffer; otherwise it is the block of the member that stands for the rail
     * there, or an equal part of it if that member stands for several.
     *
     * @param call the collective
     * @param grid the members of the call
     * @param rail a rail
     * @param server a server
     * @return the part
     */
    static BufferPart FindPart(const CollectiveCall& call,
                               const RailGrid& grid,
                               uint32_t rail,
                               uint32_t server);

  private:
    /**
     * Send the share to the owner, or receive it from the others of the server.
     *
     * @param step where to add the transfers
     */
    void Collect(CollectiveStep& step) const;

    /**
     * Send the share to the others of the server, or receive it from the owner.
     *
     * @param step where to add the transfers
     */
    void Spread(CollectiveStep& step) const;

    /**
     * Make a step of the ring of owners.
     *
     * @param step where to add the transfers
     * @param reduces whether it is one of reduce-scatter, not of all-gather
     * @param turn its number, counted from 0
     */
    void Cross(CollectiveStep& step, bool reduces, uint32_t turn) const;

    /**
     * @param step where to add transfers of the whole share with the other members of the server
     * @param action what to do
     */
    void AddOthers(CollectiveStep& step, CollectiveTransfer::Action action) const;

    /**
     * @param server a server
     * @return the piece under way of its part
     */
    BufferPart GetPiece(uint32_t server) const;

    /**
     * @return the piece under way of the parts of all servers
     */
    std::vector<BufferPart> GetPieces() const;

    CollectiveCall m_call; //!< the collective
    RailGrid m_grid;       //!< its members
    Share m_share;         //!< what of the buffer it moves
    uint32_t m_server;     //!< the member's server
    uint32_t m_owner;      //!< who owns the share there
    bool m_reduces;        //!< whether the collective adds
    bool m_gathers;        //!< whether all members end with the share
    uint64_t m_piece;      //!< piece under way
    uint32_t m_step{0};    //!< steps it has made
};

} // namespace ns3

#endif /* HIERARCHICAL_LANE_H */
