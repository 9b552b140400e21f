/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_TURNS_H
#define RDMA_PORT_TURNS_H

#include "rdma-egress-queues.h"
#include "rdma-packet-source.h"
#include "rdma-packet.h"
#include "rdma-port-backlog.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which priorities of a port may send: those that flow control does not hold back, in the
 * port's slot.
 */
class RdmaSendGate
{
  public:
    /// @return priorities that may send
    RdmaEgressQueues::Mask GetAllowed() const
    {
        return m_allowed;
    }

    /**
     * @param priority a priority
     * @return whether it may send
     */
    bool IsAllowed(uint8_t priority) const
    {
        return m_allowed >> priority & 1U;
    }

    /**
     * @param priority a priority
     * @return whether what is to leave with that priority is to be dropped
     */
    bool IsDropping(uint8_t priority) const
    {
        return m_dropped >> priority & 1U;
    }

    /// @return whether flow control holds some priority back
    bool IsHolding() const
    {
        return m_held != 0;
    }

    /**
     * @param held priorities that flow control holds back
     */
    void SetHeld(RdmaEgressQueues::Mask held)
    {
        m_held = held;
        Update();
    }

    /**
     * @param isOpen whether the port is in its slot
     */
    void SetOpen(bool isOpen)
    {
        m_isOpen = isOpen;
        Update();
    }

    /**
     * @param dropped priorities whose packets are to be dropped
     */
    void SetDropped(RdmaEgressQueues::Mask dropped)
    {
        m_dropped = dropped;
    }

  private:
    /// Find which priorities may send.
    void Update()
    {
        m_allowed = m_isOpen ? static_cast<RdmaEgressQueues::Mask>(~m_held) : 0;
    }

    RdmaEgressQueues::Mask m_allowed{RdmaEgressQueues::ALL}; //!< priorities that may send
    RdmaEgressQueues::Mask m_held{0};                        //!< those that flow control holds back
    RdmaEgressQueues::Mask m_dropped{0};                     //!< those whose packets are dropped
    bool m_isOpen{true};                                     //!< the port is in its slot
};

/**
 * @ingroup workload-replay
 * @brief Whose turn it is at a port: what is queued there, or what its source has to send.
 */
class RdmaPortTurns
{
  public:
    /// What is sent in a gap of a train.
    struct Gap
    {
        RdmaPacketPtr packet;    //!< the packet; null = none
        uint16_t trainsTurns{0}; //!< at how many gaps it is the train's turn afterwards
    };

    /**
     * @param backlog what is queued; must outlive this object
     */
    explicit RdmaPortTurns(RdmaPortBacklog& backlog);

    /**
     * @param source what is sent besides what is queued; null = nothing
     */
    void SetSource(RdmaPacketSource* source);

    /// @return what is sent besides what is queued; null = nothing
    const RdmaPacketSource* GetSource() const
    {
        return m_source;
    }

    /**
     * Let what is queued and what the source has to send alternate. Until then what is queued goes
     * first, and the source sends nothing at a port that forwards all the time.
     */
    void Alternate();

    /**
     * @param allowed priorities that may send
     * @return whether Take() would bring a packet
     */
    bool HasPacket(RdmaEgressQueues::Mask allowed) const
    {
        return (m_backlog.GetQueues().GetFilled() & allowed) != 0 ||
               (m_source && m_source->CanPull(allowed));
    }

    /**
     * @param allowed priorities that may send
     * @return the packet to go next; null = there is none
     */
    RdmaPacketPtr Take(RdmaEgressQueues::Mask allowed);

    /**
     * @param allowed priorities that may go between the packets of the train that is being sent
     * @param isOwn whether the source has made the train
     * @return what goes into its next gap
     */
    Gap TakeForGap(RdmaEgressQueues::Mask allowed, bool isOwn);

    /// @return packets of the queue that go before the source's, see Alternate(); 0 or less = none
    int32_t GetDeficit() const
    {
        return m_deficit;
    }

    /// @param packets packets of the queue that go before the source's
    void SetDeficit(int32_t packets)
    {
        m_deficit = packets;
    }

  private:
    /**
     * @param allowed priorities that may send
     * @return a packet of the source; null = there is none
     */
    RdmaPacketPtr Pull(RdmaEgressQueues::Mask allowed)
    {
        return m_source ? m_source->Pull(allowed) : nullptr;
    }

    RdmaPortBacklog& m_backlog;          //!< what is queued
    RdmaPacketSource* m_source{nullptr}; //!< what is sent besides; null = nothing
    bool m_alternates{false};            //!< the source does not wait for an empty queue
    int32_t m_deficit{1};                //!< packets of the queue that go before the source's
};

// Inline: every packet that has waited comes by here.

inline RdmaPacketPtr
RdmaPortTurns::Take(RdmaEgressQueues::Mask allowed)
{
    const bool isSourcesTurn = m_alternates && m_deficit <= 0;
    RdmaPacketPtr packet = isSourcesTurn ? Pull(allowed) : nullptr;
    if (packet)
    {
        // A train is as many turns as it has packets.
        m_deficit += packet->train.count;
        return packet;
    }
    packet = m_backlog.Pop(allowed);
    if (packet)
    {
        // Who has nothing to send saves no turns.
        m_deficit = isSourcesTurn ? 0 : m_deficit - packet->train.count;
        return packet;
    }
    m_deficit = 1;
    return Pull(allowed);
}

inline RdmaPortTurns::Gap
RdmaPortTurns::TakeForGap(RdmaEgressQueues::Mask allowed, bool isOwn)
{
    Gap gap;
    gap.packet = m_backlog.Pop(allowed);
    if (gap.packet)
    {
        // What a host relays, and what it sends itself, alternate.
        gap.trainsTurns = isOwn ? gap.packet->train.count : 0;
        m_deficit -= gap.packet->train.count;
    }
    else
    {
        gap.packet = m_source ? m_source->PullIntoTrain(allowed) : nullptr;
        gap.trainsTurns = gap.packet ? 0 : 1;
    }
    return gap;
}

} // namespace ns3

#endif /* RDMA_PORT_TURNS_H */
