/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHICAL_EXCHANGE_LANE_H
#define HIERARCHICAL_EXCHANGE_LANE_H

#include "collective-algorithm.h"
#include "equal-exchange.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Carries the blocks of an all-to-all to every stride-th server.
 *
 * First the members of a server hand each other the blocks that go along their rails, each one
 * message to each other, all at once. Then they exchange one message for each member they serve
 * with one server after another: the one d places further on is sent to while the one d places back
 * is received from. The lane of the first distance also carries the blocks inside the server.
 */
class HierarchicalExchangeLane : public CollectiveLane
{
  public:
    /**
     * @param call an all-to-all without splits, of two members or more
     * @param first the first distance of this lane, at least 1
     * @param stride from one distance of this lane to the next
     */
    HierarchicalExchangeLane(const CollectiveCall& call, uint32_t first, uint32_t stride);

    bool Next(CollectiveStep& step) override;
    uint32_t GetChannel() const override;

  private:
    /**
     * Hand the other members of the server what goes along their rails.
     *
     * @param step where to add the transfers
     */
    void HandOver(CollectiveStep& step) const;

    /**
     * Exchange messages along the rail.
     *
     * @param step where to add the transfers
     * @param distance so many servers away
     */
    void Cross(CollectiveStep& step, uint32_t distance) const;

    /**
     * @param distance a number of servers, at most all
     * @return the server so far after the member's
     */
    uint32_t Turn(uint32_t distance) const;

    /**
     * @param relay a member of the member's server
     * @param server another server
     * @return the members there to which the relay brings what its server sends
     */
    std::vector<uint32_t> GetServed(uint32_t relay, uint32_t server) const;

    EqualExchange m_exchange; //!< the blocks
    RailGrid m_grid;          //!< the members
    uint32_t m_index;         //!< index of the member
    uint32_t m_server;        //!< its server
    uint32_t m_first;         //!< the first distance
    uint32_t m_stride;        //!< from one distance to the next
    uint32_t m_step{0};       //!< steps made
};

} // namespace ns3

#endif /* HIERARCHICAL_EXCHANGE_LANE_H */
