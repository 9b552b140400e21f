/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_H
#define RDMA_RECEIVER_H

#include "rdma-packet.h"
#include "rdma-queue-pair-config.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace ns3
{

class RdmaQueuePairHost;

/**
 * @ingroup workload-replay
 * @brief The receiving half of a queue pair, as its NIC sees it: takes packets and sends responses.
 *
 * What it hands up in which order, and what it acknowledges, is the protocol's: see RdmaRcReceiver
 * and UecReceiver.
 */
class RdmaReceiver
{
  public:
    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param packet the first packet that has come
     */
    RdmaReceiver(RdmaQueuePairHost& nic, uint32_t number, const RdmaPacket& packet);

    virtual ~RdmaReceiver();

    RdmaReceiver(const RdmaReceiver&) = delete;
    RdmaReceiver& operator=(const RdmaReceiver&) = delete;

    /**
     * @param packet a data packet
     */
    virtual void Receive(RdmaPacket& packet) = 0;

  protected:
    /**
     * @param message a message that is whole
     */
    void Deliver(const Message& message);

    /**
     * Notify the sender of congestion, unless it was notified just now.
     *
     * @param packet a marked packet
     */
    void NotifyCongestion(const RdmaPacket& packet);

    /**
     * @param type what to send to the sender
     * @param frameBytes size of its frame
     * @param packet packet that it responds to
     * @return the response
     */
    RdmaPacketPtr MakeResponse(RdmaPacket::Type type,
                               uint32_t frameBytes,
                               const RdmaPacket& packet) const;

    /**
     * Send to the sender, by the port that the routes name now.
     *
     * @param response acknowledgement or congestion notification
     */
    void Send(RdmaPacketPtr response);

    RdmaQueuePairHost& m_nic;            //!< NIC that it belongs to
    const RdmaQueuePairConfig& m_config; //!< of all queue pairs of the NIC
    RdmaNetDevice* m_port{nullptr};      //!< port to the sender
    uint64_t m_flowHash;                 //!< what distinguishes the responses from others
    int64_t m_nextCnpAt{0}; //!< time step from which on the sender may be notified again
    uint32_t m_number;      //!< number at the NIC
    uint32_t m_epoch{0};    //!< of the routes when the port was chosen
    uint32_t m_messages{0}; //!< messages handed up

  private:
    /// Congestion notifications that the NIC is making.
    struct Notifications
    {
        /// What is to be sent and when, time step, the next one first.
        std::deque<std::pair<int64_t, RdmaPacketPtr>> responses;
        EventId next; //!< the next one is sent
    };

    /// Send the next congestion notification, and wait for the one after it.
    void SendNotification();

    std::unique_ptr<Notifications> m_notifications; //!< null = there have been none
};

} // namespace ns3

#endif /* RDMA_RECEIVER_H */
