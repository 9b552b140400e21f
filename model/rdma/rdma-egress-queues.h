/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_EGRESS_QUEUES_H
#define RDMA_EGRESS_QUEUES_H

#include "rdma-packet-queue.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

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

/**
 * @ingroup workload-replay
 * @brief The queues of a port, one per priority, and the choice of the next packet.
 *
 * Priorities of weight 0 are strict: the highest one that has a packet goes first, and before all
 * others. The priorities with a weight share what is left by deficit weighted round robin (M.
 * Shreedhar, G. Varghese, Efficient fair queueing using deficit round robin, SIGCOMM 1995).
 */
class RdmaEgressQueues
{
  public:
    /// Number of priorities (IEEE 802.1Q).
    static constexpr uint32_t PRIORITIES = 8;

    /// Priorities, one bit each; bit 0 = priority 0.
    using Mask = uint8_t;

    /// All priorities.
    static constexpr Mask ALL = 0xff;

    /// Bytes that a priority of weight 1 may send per round. What is larger takes several.
    static constexpr uint32_t QUANTUM = 16384;

    /// Weights by priority; 0 = strict.
    using Weights = std::array<uint32_t, PRIORITIES>;

    /**
     * @param text eight numbers from 0 to 65535, separated by commas
     * @return the weights
     * @throws WorkloadError if it is anything else
     */
    static Weights ParseWeights(const std::string& text);

    /**
     * @return the weights, as ParseWeights() reads them
     */
    std::string DescribeWeights() const;

    /**
     * @param weights weights by priority; until then all are strict
     */
    void SetWeights(const Weights& weights);

    /// Have what comes in by different ports of a switch alternate, see RdmaVirtualQueues.
    void SetVirtual();

    /**
     * @param priority a priority
     * @return whether it goes before all lower ones and all that have a weight
     */
    bool IsStrict(uint8_t priority) const
    {
        return m_weights[priority] == 0;
    }

    /**
     * @return priorities with a weight
     */
    Mask GetWeighted() const
    {
        return m_weighted;
    }

    /**
     * @param priority a priority
     * @return bytes that it may send per round; 0 = it is strict
     */
    uint32_t GetQuantum(uint8_t priority) const
    {
        return m_weights[priority] * QUANTUM;
    }

    /**
     * @param mask priorities, at least one
     * @return the highest of them
     */
    static uint8_t GetHighest(Mask mask);

    /**
     * @param packet packet to put into the queue of its priority
     */
    void Push(RdmaPacketPtr packet)
    {
        const uint8_t priority = packet->priority;
        if (m_virtual && (m_filled >> priority & 1U))
        {
            (*m_virtual)[priority].Push(std::move(packet), QUANTUM);
            return;
        }
        m_filled |= static_cast<Mask>(1U << priority);
        m_queues[priority].Push(std::move(packet));
    }

    /**
     * @param allowed priorities that may send
     * @return the packet to go next; null = no allowed priority has one
     */
    RdmaPacketPtr Pop(Mask allowed);

    /**
     * @param priority a priority
     * @return the first packet of its queue; there must be one
     */
    const RdmaPacket& Front(uint8_t priority) const
    {
        return m_queues[priority].Front();
    }

    /**
     * @param priority a priority
     * @param visit called for each packet of its queue, the first one first
     */
    template <typename V>
    void Visit(uint8_t priority, const V& visit) const
    {
        m_queues[priority].Visit(visit);
        if (m_virtual)
        {
            (*m_virtual)[priority].Visit(visit);
        }
    }

    /**
     * @param priority a priority
     * @return bytes of the frames in its queue
     */
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_queues[priority].GetBytes() + (m_virtual ? (*m_virtual)[priority].GetBytes() : 0);
    }

    /**
     * @param priority a priority
     * @param ingress port of the switch that a packet has come in by
     * @return bytes of the frames in the queue that it waits in: all that have come in by the same
     *         port, but for the one that goes next, with SetVirtual(), and else GetBytes()
     */
    uint64_t GetBytes(uint8_t priority, uint32_t ingress) const
    {
        return m_virtual ? (*m_virtual)[priority].GetBytes(ingress) : m_queues[priority].GetBytes();
    }

    /**
     * @return bytes of the frames in all queues
     */
    uint64_t GetTotalBytes() const;

    /**
     * @return priorities that have a packet
     */
    Mask GetFilled() const
    {
        return m_filled;
    }

  private:
    /**
     * Choose what goes next, of what waits by the port that it has come in by. There must be
     * virtual queues.
     *
     * @param priority a priority, of which nothing goes next yet
     * @return whether there is something
     */
    bool PushNext(uint8_t priority);

    /**
     * @param candidates priorities with a weight, of which at least one is set; all have a packet
     * @return the one to go next by deficit round robin
     */
    uint8_t ChooseWeighted(Mask candidates);

    // What every packet touches comes first.
    Mask m_filled{0};   //!< priorities that have a packet
    Mask m_weighted{0}; //!< priorities with a weight
    uint8_t m_turn{0};  //!< weighted priority whose turn it is
    /// By priority: all but the packet that goes next, which is in m_queues; null = all are there.
    std::unique_ptr<std::array<RdmaVirtualQueues, PRIORITIES>> m_virtual;
    std::array<RdmaPacketQueue, PRIORITIES> m_queues; //!< by priority
    std::array<uint32_t, PRIORITIES> m_deficits{};    //!< bytes left of the round, by priority
    Weights m_weights{};                              //!< by priority; 0 = strict
};

} // namespace ns3

#endif /* RDMA_EGRESS_QUEUES_H */
