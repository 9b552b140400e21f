/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CREDITS_H
#define RDMA_CREDITS_H

#include "rdma-egress-queues.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The accounts of a port under credit-based flow control (InfiniBand Architecture
 * Specification, volume 1, section 7.9).
 *
 * Each priority is a virtual lane with a receive buffer of its own. The receiver announces up to
 * which block, counted from when the link came up, it can take packets in (FCCL); the sender counts
 * what it has sent (FCTBS) and stops where the next full frame would go beyond that. So nothing is
 * ever lost for want of room. The numbers of 12 bits that go over a link stand for those of 64 bits
 * here.
 *
 * The receiver announces blocks that have become free when a frame of them is there and the sender
 * may soon run short; to announce them earlier would change nothing but the number of flow control
 * packets.
 */
class RdmaCredits
{
  public:
    /// Bytes that a credit stands for.
    static constexpr uint32_t BLOCK_BYTES = 64;

    /// Most credits that a receiver may give: half of what 12 bits count.
    static constexpr uint32_t MOST_BLOCKS = 2048;

    /**
     * @param bytes bytes of a frame
     * @return blocks that it takes
     */
    static constexpr uint32_t GetBlocks(uint32_t bytes)
    {
        return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    }

    /**
     * @param buffer blocks of the receive buffer of each virtual lane
     * @param frame blocks of a full frame, at most the buffer
     * @param flying blocks that the sender may send from when a frame becomes free until it hears
     *               of it
     */
    RdmaCredits(uint32_t buffer, uint32_t frame, uint32_t flying);

    /**
     * A packet is sent.
     *
     * @param virtualLane its virtual lane
     * @param blocks its blocks
     * @return whether a full frame may follow
     */
    bool Send(uint8_t virtualLane, uint32_t blocks)
    {
        Sender& sender = m_senders[virtualLane];
        sender.sent += blocks;
        return sender.sent + m_frame <= sender.limit;
    }

    /**
     * The far end has announced how much it can take in.
     *
     * @param virtualLane the virtual lane
     * @param limit up to which block
     * @return whether a full frame may be sent
     */
    bool Grant(uint8_t virtualLane, uint64_t limit)
    {
        m_senders[virtualLane].limit = limit;
        return Send(virtualLane, 0);
    }

    /**
     * A packet has come in.
     *
     * @param virtualLane its virtual lane
     * @param blocks its blocks
     */
    void Receive(uint8_t virtualLane, uint32_t blocks)
    {
        m_receivers[virtualLane].received += blocks;
    }

    /**
     * A packet that has come in takes its place in the buffer, or leaves it.
     *
     * @param virtualLane its virtual lane
     * @param blocks its blocks
     * @param isStored whether it is stored from now on
     */
    void Store(uint8_t virtualLane, uint32_t blocks, bool isStored);

    /**
     * @param virtualLane a virtual lane
     * @return whether the far end is to hear of how much can be taken in
     */
    bool IsNews(uint8_t virtualLane) const;

    /**
     * Say how much can be taken in, to the far end.
     *
     * @param virtualLane the virtual lane
     * @return up to which block
     */
    uint64_t Announce(uint8_t virtualLane);

    /// The link has come up: both ends count anew, and nothing may be sent until the far end has
    /// announced how much it can take in.
    void Reset();

    /**
     * @param virtualLane a virtual lane
     * @return blocks of its receive buffer that are taken
     */
    uint32_t GetStored(uint8_t virtualLane) const
    {
        return m_receivers[virtualLane].stored;
    }

  private:
    /// What is known of a virtual lane that packets leave by.
    struct Sender
    {
        uint64_t sent{0};  //!< blocks sent so far (FCTBS)
        uint64_t limit{0}; //!< how many may be (FCCL)
    };

    /// What is known of a virtual lane that packets come in by.
    struct Receiver
    {
        uint64_t received{0};  //!< blocks that have come so far (ABR)
        uint64_t announced{0}; //!< how many were announced to have room (FCCL)
        uint32_t stored{0};    //!< blocks of the buffer that are taken
    };

    uint32_t m_buffer; //!< blocks of each receive buffer
    uint32_t m_frame;  //!< blocks of a full frame
    uint32_t m_flying; //!< blocks that are sent until news gets to the far end
    std::array<Sender, RdmaEgressQueues::PRIORITIES> m_senders;     //!< by virtual lane
    std::array<Receiver, RdmaEgressQueues::PRIORITIES> m_receivers; //!< by virtual lane
};

} // namespace ns3

#endif /* RDMA_CREDITS_H */
