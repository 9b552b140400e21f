/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACKET_QUEUE_H
#define RDMA_PACKET_QUEUE_H

#include "rdma-packet.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief First in, first out; the packets themselves form the list, so that nothing is allocated.
 */
class RdmaPacketQueue
{
  public:
    RdmaPacketQueue() = default;
    RdmaPacketQueue(const RdmaPacketQueue&) = delete;
    RdmaPacketQueue& operator=(const RdmaPacketQueue&) = delete;

    ~RdmaPacketQueue()
    {
        while (!IsEmpty())
        {
            Pop();
        }
    }

    /**
     * @param packet packet to put behind the others
     */
    void Push(RdmaPacketPtr packet)
    {
        m_bytes += packet->size;
        RdmaPacket* added = packet.release();
        added->next = nullptr;
        (m_head ? m_tail->next : m_head) = added;
        m_tail = added;
    }

    /**
     * @return the first packet; there must be one
     */
    RdmaPacketPtr Pop()
    {
        RdmaPacketPtr packet(m_head);
        m_head = packet->next;
        m_bytes -= packet->size;
        // It is the next one to be touched here.
        __builtin_prefetch(m_head);
        return packet;
    }

    /**
     * @return the first packet; there must be one
     */
    const RdmaPacket& Front() const
    {
        return *m_head;
    }

    /**
     * @param visit called for each packet, the first one first
     */
    template <typename V>
    void Visit(const V& visit) const
    {
        for (const RdmaPacket* packet = m_head; packet; packet = packet->next)
        {
            visit(*packet);
        }
    }

    /**
     * @return whether there is no packet
     */
    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

    /**
     * @return sum of the frame sizes, bytes
     */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    RdmaPacket* m_head{nullptr}; //!< first packet; null = none
    RdmaPacket* m_tail{nullptr}; //!< last packet, if there is one
    uint64_t m_bytes{0};         //!< sum of the frame sizes
};

} // namespace ns3

#endif /* RDMA_PACKET_QUEUE_H */
