/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SENDER_H
#define RDMA_SENDER_H

#include "rdma-congestion-control.h"
#include "rdma-queue-pair-config.h"
#include "rdma-sequence-window.h"
#include "rdma-transfer.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup workload-replay
 * @brief The sending half of a queue pair: reliable, in order.
 *
 * Packets are numbered from 0, over all messages; a number never means another packet. Of them
 *
 * - those below m_unacknowledged have arrived, and are forgotten;
 * - those from there to m_next have been sent, and may have to be sent again;
 * - those from m_next to m_end have not, or are to be sent anew from m_next on (go-back-N).
 *
 * What is lost is sent again: after a negative acknowledgement or a timeout either all from the
 * first missing packet on (go-back-N: m_next moves back), or only what the receiver is not known to
 * have (selective repeat, as in R. Mittal et al., Revisiting network support for RDMA, SIGCOMM
 * 2018: the packets from m_retransmitNext to m_retransmitEnd, before any new one).
 */
class RdmaSender
{
  public:
    /// Where the NIC keeps it.
    enum State : uint8_t
    {
        IDLE,  //!< nothing to send, or no window
        READY, //!< in the ring of its port
        TIMED  //!< waits for its pace
    };

    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param peer node that it sends to
     * @param udpSourcePort UDP source port of its packets
     * @param priority priority of its packets
     */
    RdmaSender(RdmaNic& nic,
               uint32_t number,
               uint32_t peer,
               uint16_t udpSourcePort,
               uint8_t priority);

    ~RdmaSender();

    RdmaSender(const RdmaSender&) = delete;
    RdmaSender& operator=(const RdmaSender&) = delete;

    /**
     * Send a message after those before it.
     *
     * @param message the message
     */
    void Post(const Message& message);

    /**
     * @return whether there is a packet to send, its pace left aside
     */
    bool CanSend() const
    {
        return !m_failed &&
               (IsRetransmitting() || (m_next < m_end && m_sentBytes - m_ackedBytes < GetWindow()));
    }

    /// A turn to send.
    struct Turn
    {
        bool isInTrain{false};           //!< in a gap of another one's train: for a single packet
        bool othersWait{false};          //!< other queue pairs of the port wait for theirs
        int64_t othersAt{INT64_MIN / 2}; //!< time step at which another one has sent last
        int64_t end{INT64_MAX};          //!< time step at which another one is due by its pace
    };

    /**
     * @param now time step
     * @param turn which turn it is
     * @return the next packet, or a train from it on; CanSend() must be true
     */
    RdmaPacketPtr MakePacket(int64_t now, const Turn& turn);

    /**
     * @param packet a positive or negative acknowledgement, or a congestion notification
     */
    void HandleFeedback(const RdmaPacket& packet);

    /// Choose the port anew if the routes have changed.
    void UpdateRoute();

    /**
     * @return time step at which the next packet may be sent
     */
    int64_t GetNextSendTime() const
    {
        return m_nextSendTime;
    }

    /**
     * @return port that it sends by
     */
    RdmaNetDevice& GetPort() const
    {
        return *m_port;
    }

    /**
     * @return priority of its packets
     */
    uint8_t GetPriority() const
    {
        return m_priority;
    }

    /**
     * @return node that it sends to
     */
    uint32_t GetPeer() const
    {
        return m_peer;
    }

    /**
     * @return payload that is acknowledged, bytes
     */
    uint64_t GetAcknowledgedBytes() const
    {
        return m_ackedBytes;
    }

    /**
     * @return whether it has given up
     */
    bool HasFailed() const
    {
        return m_failed;
    }

    /**
     * @return congestion control
     */
    RdmaRateControl& GetRateControl() const
    {
        return *m_control;
    }

    /**
     * @return most payload that may be on its way, bytes
     */
    uint64_t GetWindow() const
    {
        return std::min(m_control->GetWindow(), m_inFlightLimit);
    }

    State state{IDLE};         //!< where the NIC keeps it
    RdmaSender* next{nullptr}; //!< next one in the ring of its port

  private:
    /**
     * @return how long to wait for an acknowledgement now
     */
    Time GetTimeout() const
    {
        return m_config.GetRetransmissionTimeout(m_retries, m_highest - m_unacknowledged);
    }

    /**
     * @return whether packets that were sent are to be sent again, one by one
     */
    bool IsRetransmitting() const
    {
        return m_retransmitNext < m_retransmitEnd;
    }

    /**
     * @return number of the next packet to send
     */
    uint64_t GetNextNumber() const
    {
        return IsRetransmitting() ? m_retransmitNext : m_next;
    }

    /**
     * @param wireBytes bytes of a packet on the wire
     * @param rate rate to send at, bit/s
     * @return time steps from one packet to the next
     */
    int64_t GetInterval(uint32_t wireBytes, double rate) const
    {
        const auto line = static_cast<double>(m_port->GetRate().GetBitRate());
        const int64_t steps = m_port->GetSendingSteps(wireBytes);
        return rate < line ? static_cast<int64_t>(static_cast<double>(steps) * line / rate) : steps;
    }

    /**
     * @param number number of the next packet
     * @param transfer message that it belongs to
     * @param rate rate to send at, bit/s
     * @param now time step
     * @param turn which turn it is
     * @return packets to send together, from that one on
     */
    uint16_t CountTrain(uint64_t number,
                        const RdmaTransfer& transfer,
                        double rate,
                        int64_t now,
                        const Turn& turn) const;

    /**
     * Make a packet, or a train, without its times.
     *
     * @param number number of the first packet
     * @param count packets
     * @param transfer message that they belong to
     * @return the packet
     */
    RdmaPacketPtr MakeUnit(uint64_t number, uint16_t count, const RdmaTransfer& transfer) const;

    /**
     * Take packets from what is to be sent.
     *
     * @param count how many; 1 if something is sent again
     */
    void TakePackets(uint16_t count);

    /**
     * Skip what the receiver has in what is to be sent again.
     */
    void SkipReceived();

    /**
     * @param number number of a packet that is not acknowledged
     * @return message that it belongs to
     */
    RdmaTransfer* FindTransfer(uint64_t number) const;

    /**
     * Find when the packet after one may be sent.
     *
     * @param packet packet that leaves
     * @param now time step
     * @param rate rate to send at, bit/s
     */
    void Pace(RdmaPacket& packet, int64_t now, double rate);

    /**
     * All packets below a number have been received.
     *
     * @param number the number, above m_unacknowledged
     */
    void Acknowledge(uint64_t number);

    /**
     * Tell congestion control what an acknowledgement says.
     *
     * @param packet the acknowledgement
     * @param bytes payload that it has newly acknowledged
     */
    void NotifyControl(const RdmaPacket& packet, uint64_t bytes);

    /// Tell those who listen of a rate or window that has changed.
    void TraceControl();

    /**
     * Note what a selective acknowledgement tells.
     *
     * @param packet the acknowledgement
     */
    void NoteReceived(const RdmaPacket& packet);

    /**
     * @param missing number of a packet that the receiver misses
     * @param end behind the last packet that may have to be sent again
     * @return behind the last one up to there of which it is known whether the receiver has it
     */
    uint64_t GetKnownEnd(uint64_t missing, uint64_t end) const;

    /// Send everything again from the first packet that is not acknowledged.
    void GoBack();

    /// Expect an acknowledgement in time, if there is anything to be acknowledged.
    void StartTimer();

    /// Be sooner if so few packets are left that the timeout is a shorter one.
    void ShortenTimer();

    /// Look whether an acknowledgement is overdue.
    void CheckTimer();

    /// An acknowledgement is overdue.
    void TimeOut();

    RdmaNic& m_nic;                             //!< NIC that it belongs to
    const RdmaQueuePairConfig& m_config;        //!< of all queue pairs of the NIC
    RdmaNetDevice* m_port{nullptr};             //!< port that it sends by
    std::unique_ptr<RdmaRateControl> m_control; //!< congestion control
    RdmaTransfer* m_oldest{nullptr};            //!< first message that is not acknowledged; owns
                                                //!< it and those after it
    RdmaTransfer* m_sending{nullptr};           //!< message of the next new packet; null = none
    RdmaTransfer* m_newest{nullptr};            //!< last message, if there is one
    std::unique_ptr<RdmaSequenceWindow> m_received; //!< selective repeat: what the receiver has
    uint64_t m_inFlightLimit;                       //!< most payload on its way, bytes
    uint64_t m_flowHash;                            //!< what tells its packets from others
    uint64_t m_next{0};                             //!< number of the next new packet
    uint64_t m_end{0};                              //!< number behind that of the last packet
    uint64_t m_unacknowledged{0};                   //!< number of the first packet not acknowledged
    uint64_t m_highest{0};        //!< number behind that of the highest packet ever sent
    uint64_t m_sentBytes{0};      //!< payload of the packets below m_next
    uint64_t m_ackedBytes{0};     //!< payload of the packets below m_unacknowledged
    uint64_t m_endBytes{0};       //!< payload of all messages
    uint64_t m_retransmitNext{0}; //!< next packet to be sent again
    uint64_t m_retransmitEnd{0};  //!< behind the last packet to be sent again
    uint64_t m_overdueEnd{0};     //!< behind the last packet sent when a timeout was last noticed
    int64_t m_nextSendTime{0};    //!< time step at which the next packet may be sent
    int64_t m_progressAt{0};      //!< time step since which an acknowledgement is waited for
    double m_tracedRate{0};       //!< rate that was told last, bit/s; 0 = none was
    double m_tracedWindow{0};     //!< window that was told last, bytes; 0 = none was
    RdmaTrainPolicy m_trains;     //!< how long trains may be
    EventId m_timer;              //!< when to look for an acknowledgement
    uint32_t m_number;            //!< number at the NIC
    uint32_t m_peer;              //!< node that it sends to
    uint32_t m_peerQp{RdmaPacket::UNKNOWN}; //!< number of the receiving half at its NIC
    uint32_t m_epoch{0};                    //!< of the routes when the port was chosen
    uint32_t m_retries{0};                  //!< timeouts in a row
    uint16_t m_udpSourcePort;               //!< UDP source port
    uint8_t m_priority;                     //!< priority of its packets
    bool m_failed{false};                   //!< has given up
};

} // namespace ns3

#endif /* RDMA_SENDER_H */
