/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UEC_SENDER_H
#define UEC_SENDER_H

#include "rdma-path-selector.h"
#include "rdma-sender.h"
#include "uec-parameters.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The sending half of a queue pair of the Ultra Ethernet like transport (Ultra Ethernet
 * Specification 1.0; the reference program is htsim's uec.cpp).
 *
 * Every packet goes by an entropy value of its own, see RdmaPathSelector, and so by a path of its
 * own; of a host with several ports it takes them in turn. Each that is not acknowledged has an
 * entry of its own as well. It is sent again
 *
 * - when the receiver reports that a switch has trimmed it,
 * - when so many packets behind it have arrived that it cannot be late only,
 * - when nothing was heard of it for a time.
 *
 * What is sent again goes before what is new. Congestion control sets the window, in payload that
 * is on its way: what is acknowledged, trimmed or taken for lost is not. If it asks for credits,
 * the receiver has to grant what is sent beyond a first window.
 */
class UecSender final : public RdmaSender
{
  public:
    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param peer node that it sends to
     * @param udpSourcePort UDP source port of its entropy value 0
     * @param priority priority of its packets
     * @param parameters what it goes by
     */
    UecSender(RdmaQueuePairHost& nic,
              uint32_t number,
              uint32_t peer,
              uint16_t udpSourcePort,
              uint8_t priority,
              const UecParameters& parameters);

    ~UecSender() override;

    bool CanSend() const override;
    RdmaPacketPtr MakePacket(int64_t now, const Turn& turn) override;
    void HandleFeedback(const RdmaPacket& packet) override;

  protected:
    void Posted() override;

  private:
    /// A packet that was sent, and all below which are not acknowledged.
    struct Flight
    {
        int64_t sentAt{0};       //!< time step at which it was sent last
        uint16_t entropy{0};     //!< entropy value that it had
        bool isDone{false};      //!< has arrived
        bool isOnItsWay{false};  //!< counts as on its way
        bool isSentAgain{false}; //!< was sent more than once
    };

    /**
     * @param number number of a packet that was sent and may not be acknowledged
     * @return its entry
     */
    Flight& GetFlight(uint64_t number)
    {
        return m_flights[number - m_unacknowledged];
    }

    /**
     * @param number number of a packet
     * @return its payload, bytes
     */
    uint32_t GetPayload(uint64_t number) const;

    /// A message has been posted: of credit, take what may go before the receiver grants any.
    void TakeLeave();

    /**
     * @return payload that the receiver is to have granted in all, bytes; 0 = no leave is needed
     */
    uint64_t GetCreditDemand() const;

    /// Choose the path of the next packet: the port in turn, and an entropy value for it.
    void ChooseNextPath();

    /**
     * @param entropy entropy value of a packet
     * @param verdict what has become of it
     */
    void NotePath(uint16_t entropy, RdmaPathSelector::Verdict verdict);

    /**
     * @param packet an acknowledgement, positive or negative
     */
    void HandleAcknowledgement(const RdmaPacket& packet);

    /**
     * @param number number of a packet that was sent and has arrived, whether that is known or not
     */
    void Acknowledge(uint64_t number);

    /**
     * Forget what has arrived without a gap.
     *
     * @param number number of the first packet that has not
     */
    void MoveOn(uint64_t number);

    /**
     * @param packet reports that a packet has been trimmed
     */
    void HandleTrimmed(const RdmaPacket& packet);

    /**
     * Have a packet sent again.
     *
     * @param number its number
     */
    void Lose(uint64_t number);

    /**
     * Take packets for lost that too many have overtaken.
     *
     * @param highest number of a packet that has arrived
     */
    void FindOvertaken(uint64_t highest);

    /**
     * @param packet what the receiver grants
     */
    void HandleCredit(const RdmaPacket& packet);

    /// Expect acknowledgements in time: there is something to be acknowledged.
    void StartTimer();

    /// @return how long to wait for the acknowledgement of a packet now
    Time GetTimeout() const;

    /// Look whether acknowledgements are overdue.
    void CheckTimer();

    /// Something is overdue.
    void TimeOut();

    const UecParameters m_parameters;                       //!< what it goes by
    std::vector<std::unique_ptr<RdmaPathSelector>> m_paths; //!< choose entropy values, by port
    std::deque<Flight> m_flights;              //!< packets from m_unacknowledged to m_next
    std::set<uint64_t> m_lost;                 //!< packets to be sent again
    uint64_t m_sentBytes{0};                   //!< payload of the packets below m_next
    uint64_t m_lostBytes{0};                   //!< payload of m_lost
    uint64_t m_inFlight{0};                    //!< payload in flight, bytes
    uint64_t m_arrivedBytes{0};                //!< payload that has arrived, bytes
    uint64_t m_overtakenEnd{0};                //!< behind the last packet taken for overtaken
    bool m_usesCredits;                        //!< the receiver is to grant what is sent
    const RdmaMessagePriorities* m_priorities; //!< of packets; null = all have that of the
                                               //!< connection
    uint8_t m_grantedPriority{0};              //!< priority of what the receiver has granted last
    int64_t m_credit{0};                       //!< payload that may be sent, bytes
    int64_t m_creditAt{0};                     //!< time step at which the last one has come
    uint64_t m_granted{0};                     //!< payload that the receiver has granted, bytes
    bool m_isSpeculating{false};               //!< the credit is that of a first window
    uint64_t m_firstLeft{0};                   //!< bytes of it that no message has taken yet
    uint16_t m_firstPort;                      //!< UDP source port of entropy value 0
    uint64_t m_firstHash;                      //!< hash of the flow with that port
    double m_firstWindow;                      //!< window at the start, packets
    uint32_t m_turn{0};                        //!< port whose turn it is
    uint16_t m_entropy{0};                     //!< entropy value of the next packet, ports before
                                               //!< its port included
    EventId m_timer;                           //!< when to look for acknowledgements
};

} // namespace ns3

#endif /* UEC_SENDER_H */
