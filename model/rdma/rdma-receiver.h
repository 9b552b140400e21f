/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_H
#define RDMA_RECEIVER_H

#include "rdma-packet.h"
#include "rdma-sequence-window.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup workload-replay
 * @brief The receiving half of a queue pair: hands messages up in order, and answers packets.
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
    /// Messages that have come before what stands before them.
    struct Early
    {
        RdmaSequenceWindow packets{0};                      //!< packets that have come
        std::map<uint64_t, Ptr<const RdmaAttachment>> ends; //!< what ends messages, by packet
    };

    /**
     * Take the packet that is expected.
     *
     * @param packet the packet
     * @return whether a message, or several, are whole with it
     */
    bool TakeExpected(const RdmaPacket& packet);

    /**
     * Take a packet that has overtaken others, or others of which are lost.
     *
     * @param packet the packet
     * @return whether it is kept
     */
    bool TakeEarly(const RdmaPacket& packet);

    /**
     * @param type ACK or NACK
     * @param packet packet that is answered; its telemetry goes with the answer
     */
    void Answer(RdmaPacket::Type type, RdmaPacket& packet);

    /**
     * @param packets packets of the train that is answered; 1 = it is a single packet
     * @return acknowledgements that the unanswered packets are due; they are answered now
     */
    uint16_t CountAnswers(uint16_t packets);

    /**
     * Tell the sender of congestion, unless it was told just now.
     *
     * @param packet a marked packet
     */
    void NotifyCongestion(const RdmaPacket& packet);

    /**
     * @param type what to send to the sender
     * @param frameBytes size of its frame
     * @param packet packet that it answers
     * @return the answer
     */
    RdmaPacketPtr MakeAnswer(RdmaPacket::Type type,
                             uint32_t frameBytes,
                             const RdmaPacket& packet) const;

    RdmaNic& m_nic;                 //!< NIC that it belongs to
    std::unique_ptr<Early> m_early; //!< what has come too early; null = nothing ever has
    uint64_t m_expected{0};         //!< number of the next packet
    uint64_t m_flowHash;            //!< what tells the answers from others
    int64_t m_nextCnpAt{0};         //!< time step from which on the sender may be told again
    uint32_t m_number;              //!< number at the NIC
    uint32_t m_unanswered{0};       //!< packets since the last acknowledgement
    bool m_waited{false};           //!< one of them had to wait
    uint32_t m_messages{0};         //!< messages handed up
    bool m_refused{false};          //!< the expected packet was asked for
};

} // namespace ns3

#endif /* RDMA_RECEIVER_H */
