/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EQUAL_EXCHANGE_H
#define EQUAL_EXCHANGE_H

#include "collective-algorithm.h"
#include "rail-grid.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Where the blocks of an all-to-all in equal parts stand that goes along the rails.
 *
 * A block that is not sent straight to its receiver is handed to the member that
 * RailGrid::FindRelay says, which passes it on. The lengths of all blocks follow from the call, so
 * that everybody knows what he passes on; of an all-to-all with splits only sender and receiver of
 * a block know its length.
 */
class EqualExchange
{
  public:
    /**
     * @param call a collective
     * @return what keeps it from going along the rails: splits; empty = nothing
     */
    static std::string FindObstacle(const CollectiveCall& call);

    /**
     * @param call an all-to-all without splits; with splits it aborts
     */
    explicit EqualExchange(const CollectiveCall& call);

    /**
     * @return its members
     */
    const RailGrid& GetGrid() const;

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

    /**
     * @return bytes the member receives in all, for itself and to pass them on
     */
    uint64_t CountReceivedBytes() const;

  private:
    BufferPart m_buffer; //!< all that the member sends
    uint32_t m_index;    //!< index of the member
    uint32_t m_size;     //!< number of members
    RailGrid m_grid;     //!< the members
};

} // namespace ns3

#endif /* EQUAL_EXCHANGE_H */
