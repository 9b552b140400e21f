/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_RING_H
#define RAIL_RING_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The order in which the ring of one channel visits the members of a communicator.
 *
 * Server after server, all members of a server one after another, so that a ring of S servers
 * crosses from server to server S times. The rail of a member is its index among the members of its
 * server. A ring enters and leaves a server on different rails, and which ones depends on the
 * channel, so that all rails carry traffic, as in the rings of NCCL (Jeaugey, "Massively scale your
 * deep learning training with NCCL 2.4", NVIDIA, 2019):
 *
 * - it enters a server on the rail on which it left the one before, modulo the number of members:
 *   a rail-optimised fabric joins equal rails by a single switch;
 * - channel c leaves a server of L members on rail c mod L, or on the next one if it has entered on
 *   that one; the last server also not on the rail that would bring it back to where it has left
 *   the first one, but on the next one that is neither.
 *
 * Where some NICs serve more members than others, only one rail of each NIC counts above, see
 * CollectivePlacement::GetNetworkRails().
 *
 * In equally large servers all of this adds the same to every channel, so that L channels enter and
 * leave each server once on each rail. With L = 2 and an odd number of servers no ring can keep all
 * crossings on equal rails, because each server swaps the two rails and an odd number of swaps does
 * not lead back; there, and if unequal servers leave no other way, the crossing from the last
 * server to the first one changes rails.
 */
class RailRing
{
  public:
    /// Members of each server, as indices in the communicator; none is empty.
    using Servers = std::vector<std::vector<uint32_t>>;

    /// Rails of each server that lead to others, in the order in which channels use them.
    using Rails = std::vector<std::vector<uint32_t>>;

    /**
     * @param servers the servers in the order of the ring; one server = its members as they stand
     * @param rails the rails of each server that lead to others, each once
     * @param channel the channel, counted from 0
     */
    RailRing(const Servers& servers, const Rails& rails, uint32_t channel);

    /**
     * @param members the members in the order of the ring
     * @param relays by position the member that passes on what the member there sends, or that
     *               itself
     */
    RailRing(std::vector<uint32_t> members, std::vector<uint32_t> relays);

    /**
     * @param position a position in the ring, below the number of members
     * @return index in the communicator of the member that stands there
     */
    uint32_t GetMember(uint32_t position) const;

    /**
     * @param member index in the communicator of a member
     * @return its position in the ring
     */
    uint32_t GetPosition(uint32_t member) const;

    /**
     * @param position a position in the ring, below the number of members
     * @return the member that passes on what the member there sends; it itself = it sends to the
     *         next one
     */
    uint32_t GetRelay(uint32_t position) const;

    /**
     * @param member index in the communicator of a member
     * @return positions of other members for which it passes on
     */
    std::vector<uint32_t> GetServed(uint32_t member) const;

  private:
    /// Find the positions of all members.
    void FindPositions();

    std::vector<uint32_t> m_members;   //!< by position
    std::vector<uint32_t> m_relays;    //!< by position; empty = nobody passes on
    std::vector<uint32_t> m_positions; //!< by member
};

} // namespace ns3

#endif /* RAIL_RING_H */
