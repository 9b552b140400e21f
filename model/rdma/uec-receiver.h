/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UEC_RECEIVER_H
#define UEC_RECEIVER_H

#include "rdma-receiver.h"
#include "rdma-reorder-buffer.h"
#include "uec-parameters.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The receiving half of a queue pair of the Ultra Ethernet like transport.
 *
 * Packets may come in any order; each message is handed up when it is whole and those before it
 * are. Selective acknowledgements report the 64 packets up to the one that they respond to; they
 * go out after so many bytes, and at once for a packet that was marked, with which the sender's
 * window is full, that ends a message, that was there already, or that is the first of all. For a
 * packet that a switch has trimmed a negative acknowledgement goes out, so that its sender need not
 * wait for a timeout.
 */
class UecReceiver final : public RdmaReceiver
{
  public:
    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param packet the first packet that has come
     * @param parameters what it goes by
     */
    UecReceiver(RdmaQueuePairHost& nic,
                uint32_t number,
                const RdmaPacket& packet,
                const UecParameters& parameters);

    void Receive(RdmaPacket& packet) override;

    /**
     * Grant the sender leave to send more, as far as it asks for it. For RdmaCreditGranter.
     *
     * @param most payload to grant at most, bytes
     * @param priority priority of what is granted, where that depends on messages
     * @return payload granted, bytes
     */
    uint64_t Grant(uint64_t most, uint8_t priority = 0);

    /**
     * @return payload that the sender asks for, and has no leave for, bytes
     */
    uint64_t GetDemand() const
    {
        return m_demand - m_granted;
    }

    /**
     * @return payload that has not come of the message that the sender sends, and of those before
     *         it, bytes
     */
    uint64_t GetMissing() const
    {
        return m_messageEnd - m_arrived;
    }

    /// @return whether its sender lacks leave, or will when it has used what it has
    bool IsAsking() const
    {
        return GetDemand() > 0 || (m_isAsking && GetMissing() > 0);
    }

    bool isWaiting{false}; //!< whether it is in the pacer's queue

  private:
    /**
     * @param packet a packet that has been trimmed
     */
    void TellTrimmed(const RdmaPacket& packet);

    /**
     * @param type ACK or NACK
     * @param packet packet to respond to
     */
    void Respond(RdmaPacket::Type type, const RdmaPacket& packet);

    const UecParameters m_parameters; //!< what it goes by
    const bool m_usesCredits;         //!< senders wait for credits
    const bool m_hasPriorities;       //!< messages have priorities, see RdmaMessagePriorities
    bool m_isAsking{false};           //!< the newest packet asks for leave
    RdmaReorderBuffer m_buffer{0};    //!< what has come
    uint64_t m_expected{0};           //!< number of the first packet that has not come
    uint64_t m_unacknowledged{0};     //!< payload since the last acknowledgement, bytes
    uint64_t m_granted{0};            //!< payload that the sender has had leave for, bytes
    uint64_t m_demand{0};             //!< payload that it asks for, that included, bytes
    uint64_t m_messageEnd{0};         //!< payload up to the end of the message that is sent
    uint64_t m_arrived{0};            //!< payload that has come, bytes
    uint32_t m_source;                //!< node of the sender
    uint32_t m_senderQp;              //!< its number there
    uint16_t m_udpSourcePort;         //!< of the last packet that has come
};

} // namespace ns3

#endif /* UEC_RECEIVER_H */
