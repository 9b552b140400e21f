/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_GRID_H
#define RAIL_GRID_H

#include "collective-algorithm.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The members of a call as a grid of servers and rails.
 *
 * There are as many rails as the largest server has members. The rail of a member is its index
 * among the members of its server. A server with fewer members than there are rails is complete all
 * the same: its member m stands for the rails m, m + L, m + 2 L, ..., L being its members, so that
 * every rail passes through every server.
 *
 * Where the call does not say how its members are spread, each stands alone in a server.
 */
class RailGrid
{
  public:
    /**
     * @param call the collective; its placement must outlive the grid
     */
    explicit RailGrid(const CollectiveCall& call);

    /**
     * @return number of servers, at least 1
     */
    uint32_t CountServers() const;

    /**
     * @return number of rails, at least 1
     */
    uint32_t CountRails() const;

    /**
     * @param server a server
     * @return number of its members, at least 1
     */
    uint32_t CountMembers(uint32_t server) const;

    /**
     * @param server a server
     * @param rail a rail, or any number
     * @return the member that stands for the rail there
     */
    uint32_t GetMember(uint32_t server, uint32_t rail) const;

    /**
     * @param member a member
     * @return its server
     */
    uint32_t GetServer(uint32_t member) const;

    /**
     * @param member a member
     * @return its own rail, below the number of members of its server
     */
    uint32_t GetRail(uint32_t member) const;

    /**
     * @param from a member
     * @param to another member
     * @return who brings to the one what the other sends along the rails: the member of the
     * sender's server that stands for the receiver's rail, possibly the sender; the sender itself
     * if both are in one server
     */
    uint32_t FindRelay(uint32_t from, uint32_t to) const;

  private:
    const CollectivePlacement* m_placement; //!< where the members stand; null = each alone
    uint32_t m_size;                        //!< number of members
    uint32_t m_rails;                       //!< number of rails
};

} // namespace ns3

#endif /* RAIL_GRID_H */
