/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_GRID_H
#define RAIL_GRID_H

#include "collective-algorithm.h"
#include "peer-channels.h"

#include <cstdint>
#include <optional>
#include <string>

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
     * if both are in one server. Where the servers are described, PeerChannels::FindSender() says
     * who
     */
    uint32_t FindRelay(uint32_t from, uint32_t to) const;

  private:
    const CollectivePlacement* m_placement; //!< where the members stand; null = each alone
    uint32_t m_size;                        //!< number of members
    uint32_t m_rails;                       //!< number of rails
    std::optional<PeerChannels> m_channels; //!< channels of pairs; none = they are not known
};

/**
 * @ingroup workload-replay
 * @brief Where the blocks of an all-to-all in equal parts stand that goes along the rails.
 *
 * A block that is not sent straight to its receiver is handed to the member that
 * RailGrid::FindRelay says, which passes it on. The lengths of all blocks follow from the call, so
 * that everybody knows what it passes on; of an all-to-all with splits only sender and receiver of
 * a block know its length.
 */
class RailExchange
{
  public:
    /**
     * @param call a collective
     * @return why it cannot go along the rails: splits; empty = it can
     */
    static std::string FindUnsupportedReason(const CollectiveCall& call);

    /**
     * @param call an all-to-all without splits
     */
    explicit RailExchange(const CollectiveCall& call);

    /**
     * @param to a member
     * @return where the member has what it sends to it
     */
    BufferPart GetSent(uint32_t to) const;

    /**
     * @param from a member
     * @return where the member keeps what it receives from it
     */
    BufferPart GetReceived(uint32_t from) const;

    /**
     * @param from another member of the same server
     * @param to a member of another server
     * @return where the member keeps, in its scratch memory, what it passes on
     */
    BufferPart GetRelayed(uint32_t from, uint32_t to) const;

    CollectiveCall call; //!< the all-to-all
    RailGrid grid;       //!< its members
};

} // namespace ns3

#endif /* RAIL_GRID_H */
