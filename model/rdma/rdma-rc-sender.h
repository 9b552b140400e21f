/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RC_SENDER_H
#define RDMA_RC_SENDER_H

#include "rdma-sender.h"
#include "rdma-sequence-window.h"
#include "rdma-train-policy.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The sending half of a queue pair of a reliable connection (RoCEv2, InfiniBand): in order.
 *
 * Of its packets
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
class RdmaRcSender final : public RdmaSender
{
  public:
    /// How queue pairs share the ports of a host that lead to their peer.
    enum PortSpraying : uint8_t
    {
        BY_QUEUE_PAIR, //!< each stays on one, chosen as switches choose
        BY_MESSAGE,    //!< each message takes the next one
        BY_PACKET      //!< each packet takes the next one
    };

    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param peer node that it sends to
     * @param udpSourcePort UDP source port of its packets
     * @param priority priority of its packets
     * @param spraying how it shares the ports of its host
     */
    RdmaRcSender(RdmaQueuePairHost& nic,
                 uint32_t number,
                 uint32_t peer,
                 uint16_t udpSourcePort,
                 uint8_t priority,
                 PortSpraying spraying);

    ~RdmaRcSender() override;

    bool CanSend() const override
    {
        return !m_failed &&
               (IsRetransmitting() || (m_next < m_end && m_sentBytes - m_ackedBytes < GetWindow()));
    }

    RdmaPacketPtr MakePacket(int64_t now, const Turn& turn) override;
    void HandleFeedback(const RdmaPacket& packet) override;

    RdmaTrainPolicy::Memory GetTrainMemory() const override
    {
        return m_trains.GetMemory(m_next);
    }

    void SetTrainMemory(const RdmaTrainPolicy::Memory& memory) override
    {
        m_trains.SetMemory(memory, m_next);
    }

    void LinkLost(const RdmaNetDevice& port) override
    {
        if (&port == m_port)
        {
            // It has to find another path, also if nothing is in flight.
            StartTimer();
        }
    }

  protected:
    void Posted() override
    {
        StartTimer();
    }

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
     * Take the next port if it is to.
     *
     * @param packet packet that leaves
     */
    void TakeNextPort(const RdmaPacket& packet);

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
     * All packets below a number have been received.
     *
     * @param number the number, above m_unacknowledged
     */
    void Acknowledge(uint64_t number);

    /**
     * Note what a selective acknowledgement reports.
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

    std::unique_ptr<RdmaSequenceWindow> m_received; //!< selective repeat: what the receiver has
    uint64_t m_highest{0};         //!< number behind that of the highest packet ever sent
    uint64_t m_sentBytes{0};       //!< payload of the packets below m_next
    uint64_t m_retransmitNext{0};  //!< next packet to be sent again
    uint64_t m_retransmitEnd{0};   //!< behind the last packet to be sent again
    uint64_t m_overdueEnd{0};      //!< behind the last packet sent when a timeout was last noticed
    int64_t m_progressAt{0};       //!< time step since which an acknowledgement is waited for
    int64_t m_notifiedAt{0};       //!< time step of the last congestion notification
    RdmaTrainPolicy m_trains;      //!< how long trains may be
    const PortSpraying m_spraying; //!< how it shares the ports of its host
    uint32_t m_turn{0};            //!< port whose turn it is
    EventId m_timer;               //!< when to look for an acknowledgement
};

} // namespace ns3

#endif /* RDMA_RC_SENDER_H */
