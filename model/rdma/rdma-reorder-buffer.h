/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REORDER_BUFFER_H
#define RDMA_REORDER_BUFFER_H

#include "rdma-packet.h"
#include "rdma-sequence-window.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Packets that have come before others that stand before them, and the messages that end
 * with them.
 */
class RdmaReorderBuffer
{
  public:
    /**
     * @param expected number of the first packet that has not come
     */
    explicit RdmaReorderBuffer(uint64_t expected)
        : m_packets(expected)
    {
    }

    /**
     * @param packet a packet that has come, to be kept until its turn
     * @return whether it had not come before; of a train, whether its last packet had not
     */
    bool Keep(RdmaPacket& packet);

    /**
     * @param number a number
     * @return whether that packet has come
     */
    bool Has(uint64_t number) const
    {
        return m_packets.Has(number);
    }

    /**
     * @param first a number
     * @return which of it and the next 63 have come; bit 0 = first
     */
    uint64_t GetBits(uint64_t first) const
    {
        return m_packets.GetBits(first);
    }

    /**
     * @param expected all packets below this number have come
     * @return number of the first one that has not
     */
    uint64_t Advance(uint64_t expected);

    /**
     * @param expected number of the first packet that has not come
     * @return the next message that has come whole, in order; null = there is none
     */
    std::unique_ptr<const Message> TakeMessage(uint64_t expected);

  private:
    RdmaSequenceWindow m_packets;                              //!< packets that have come
    std::map<uint64_t, std::unique_ptr<const Message>> m_ends; //!< messages, by last packet
};

} // namespace ns3

#endif /* RDMA_REORDER_BUFFER_H */
