/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_VIRTUAL_QUEUES_H
#define RDMA_VIRTUAL_QUEUES_H

#include "rdma-packet-queue.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What waits for one port and priority of a switch with virtual output queues: a queue for
 * each port that packets come in by.
 *
 * The port that they leave by grants credits to those queues in turn, by deficit round robin (M.
 * Shreedhar, G. Varghese, Efficient fair queueing using deficit round robin, SIGCOMM 1995).
 */
class RdmaVirtualQueues
{
  public:
    /**
     * @param packet packet to put behind the others that have come in by the same port
     * @param quantum bytes that a queue may send in its turn
     */
    void Push(RdmaPacketPtr packet, uint32_t quantum);

    /**
     * @param quantum bytes that a queue may send in its turn
     * @return the packet to go next; null = there is none
     */
    RdmaPacketPtr Pop(uint32_t quantum);

    /**
     * @return sum of the frame sizes, bytes
     */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /**
     * @param ingress port that packets have come in by
     * @return sum of their frame sizes, bytes
     */
    uint64_t GetBytes(uint32_t ingress) const
    {
        return ingress < m_queues.size() ? m_queues[ingress].packets.GetBytes() : 0;
    }

    /**
     * @param visit called for each packet, queue after queue
     */
    template <typename V>
    void Visit(const V& visit) const
    {
        for (const Queue& queue : m_queues)
        {
            queue.packets.Visit(visit);
        }
    }

  private:
    /// What has come in by one port.
    struct Queue
    {
        RdmaPacketQueue packets; //!< the packets
        uint32_t deficit{0};     //!< bytes left of the turn
    };

    std::deque<Queue> m_queues;   //!< by port that packets come in by
    std::deque<uint32_t> m_turns; //!< those that have packets, whose turn it is first
    uint64_t m_bytes{0};          //!< sum of the frame sizes
};

} // namespace ns3

#endif /* RDMA_VIRTUAL_QUEUES_H */
