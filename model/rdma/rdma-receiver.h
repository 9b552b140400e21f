/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_H
#define RDMA_RECEIVER_H

#include "rdma-packet.h"
#include "rdma-queue-pair-config.h"
#include "rdma-sequence-window.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup workload-replay
 * @brief The receiving half of a queue pair: hands messages up in order, and responds to packets.
 *
 * Every so many data packets are acknowledged together; at once are the last packet of a message,
 * what fills a gap, and what shows one. Go-back-N drops what comes out of order, and tells of a gap
 * once (NACK); selective repeat keeps it, and tells each time what it has.
 */
class RdmaReceiver
{
  public:
    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param packet the first packet that has come
     */
    RdmaReceiver(RdmaNic& nic, uint32_t number, const RdmaPacket& packet);

    /**
     * @param packet a data packet
     */
    void Receive(RdmaPacket& packet);

  private:
    /// What has come before packets that stand before it.
    struct OutOfOrder
    {
        RdmaSequenceWindow packets{0};                           //!< packets that have come
        std::map<uint64_t, std::unique_ptr<const Message>> ends; //!< messages, by last packet
    };

    /**
     * Take the packet that is expected, and what has waited for it.
     *
     * @param packet the packet
     * @return whether a message, or several, are whole with it
     */
    bool TakeExpected(RdmaPacket& packet);

    /**
     * Take a packet that has overtaken others, or others of which are lost.
     *
     * @param packet the packet
     */
    void TakeOutOfOrder(RdmaPacket& packet);

    /**
     * @param packet a packet that has come out of order, to be kept until its turn
     */
    void Keep(RdmaPacket& packet);

    /**
     * @param message a message that is whole
     */
    void Deliver(const Message& message);

    /**
     * Acknowledge all packets since the last time.
     *
     * @param type ACK or NACK
     * @param packet packet that has come last; its telemetry goes with the response
     */
    void Respond(RdmaPacket::Type type, RdmaPacket& packet);

    /**
     * @param packets packets of the train that has come last; 1 = it is a single packet
     * @return acknowledgements that the packets since the last one are due; they are sent now
     */
    uint16_t CountAcknowledgements(uint16_t packets);

    /**
     * Tell the sender of congestion, unless it was told just now.
     *
     * @param packet a marked packet
     */
    void NotifyCongestion(const RdmaPacket& packet);

    /**
     * Send to the sender, by the port that the routes name now.
     *
     * @param response acknowledgement or congestion notification
     */
    void Send(RdmaPacketPtr response);

    /**
     * @param type what to send to the sender
     * @param frameBytes size of its frame
     * @param packet packet that it responds to
     * @return the response
     */
    RdmaPacketPtr MakeResponse(RdmaPacket::Type type,
                               uint32_t frameBytes,
                               const RdmaPacket& packet) const;

    RdmaNic& m_nic;                           //!< NIC that it belongs to
    const RdmaQueuePairConfig& m_config;      //!< of all queue pairs of the NIC
    RdmaNetDevice* m_port{nullptr};           //!< port to the sender
    std::unique_ptr<OutOfOrder> m_outOfOrder; //!< null = nothing ever has come out of order
    uint64_t m_expected{0};                   //!< number of the next packet
    uint64_t m_flowHash;                      //!< what tells the responses from others
    int64_t m_nextCnpAt{0};       //!< time step from which on the sender may be told again
    uint32_t m_number;            //!< number at the NIC
    uint32_t m_epoch{0};          //!< of the routes when the port was chosen
    uint32_t m_unacknowledged{0}; //!< packets since the last acknowledgement
    uint32_t m_messages{0};       //!< messages handed up
    bool m_delayed{false};        //!< one of the packets since then met a queue
    bool m_marked{false};         //!< one of them was marked
    bool m_nackSent{false};       //!< the expected packet was asked for
};

} // namespace ns3

#endif /* RDMA_RECEIVER_H */
