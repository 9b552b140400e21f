/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SENDER_H
#define RDMA_SENDER_H

#include "rdma-congestion-control.h"
#include "rdma-queue-pair-config.h"
#include "rdma-scheduled-sender.h"
#include "rdma-train-policy.h"

#include "ns3/message-transport.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaQueuePairHost;

/**
 * @ingroup workload-replay
 * @brief A message on its way through a queue pair, which numbers packets and bytes from its
 * beginning.
 */
struct RdmaTransfer
{
    Message message;             //!< the message
    uint64_t firstPacket{0};     //!< number of its first packet
    uint64_t packets{0};         //!< its packets, at least 1
    uint64_t firstByte{0};       //!< number of its first byte
    RdmaTransfer* next{nullptr}; //!< the queue pair's next message; null = none

    /**
     * @return number behind that of its last packet
     */
    uint64_t GetEnd() const
    {
        return firstPacket + packets;
    }

    /**
     * @param packet number from that of the first packet to GetEnd()
     * @param mtu payload of a full packet, bytes
     * @return number of the packet's first byte, which at GetEnd() is behind the message
     */
    uint64_t GetByte(uint64_t packet, uint32_t mtu) const
    {
        return firstByte + std::min((packet - firstPacket) * mtu, message.bytes);
    }
};

/**
 * @ingroup workload-replay
 * @brief The sending half of a queue pair, as its NIC sees it: messages that wait, the port that
 * they leave by, and their pace.
 *
 * Packets are numbered from 0, over all messages; a number never means another packet. Which of
 * them is sent next, and what is done about losses, is the protocol's: see RdmaRcSender and
 * UecSender.
 */
class RdmaSender : public RdmaScheduledSender
{
  public:
    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param peer node that it sends to
     * @param udpSourcePort UDP source port of its packets
     * @param priority priority of its packets
     */
    RdmaSender(RdmaQueuePairHost& nic,
               uint32_t number,
               uint32_t peer,
               uint16_t udpSourcePort,
               uint8_t priority);

    ~RdmaSender() override;

    void Resume() final;

    /**
     * Send a message after those before it.
     *
     * @param message the message
     */
    void Post(const Message& message);

    /**
     * @param packet what the receiving half has sent, or a congestion notification
     */
    virtual void HandleFeedback(const RdmaPacket& packet) = 0;

    /**
     * The link of a port of the host has gone down. Here nothing is done.
     *
     * @param port the port
     */
    virtual void LinkLost(const RdmaNetDevice& port [[maybe_unused]])
    {
    }

    /**
     * Choose the port anew if the routes have changed.
     *
     * @return whether it is another one
     */
    bool UpdateRoute();

    /**
     * @return its number at the NIC, see RdmaNic::GetSender()
     */
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /**
     * @return node that it sends to
     */
    uint32_t GetPeer() const
    {
        return m_peer;
    }

    /**
     * @return payload that is acknowledged up to the first packet that is not, bytes
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
     * @return whether it has not given up, and would send as if it were new
     */
    bool IsAtRest() const
    {
        return !m_failed && m_control->IsAtRest();
    }

    /**
     * @return what the lengths of its trains go by; nothing of it may be under way
     */
    virtual RdmaTrainPolicy::Memory GetTrainMemory() const
    {
        return {};
    }

    /**
     * @param memory what the lengths of its trains go by from now on; nothing of it may be under
     * way
     */
    virtual void SetTrainMemory(const RdmaTrainPolicy::Memory& memory [[maybe_unused]])
    {
    }

    /**
     * @return congestion control
     */
    RdmaRateControl& GetRateControl() const
    {
        return *m_control;
    }

    /**
     * @return most payload that may be in flight, bytes
     */
    uint64_t GetWindow() const
    {
        return std::min(m_control->GetWindow(), m_inFlightLimit);
    }

  protected:
    /// A message has been added, the newest.
    virtual void Posted() = 0;

    /**
     * Count a timeout, and give up after too many in a row.
     *
     * @param waited how long it was
     * @return whether it has not given up
     */
    bool CountTimeout(Time waited);

    /**
     * @param wireBytes bytes of a packet on the wire
     * @param rate rate to send at, bit/s
     * @return time steps from one packet to the next
     */
    int64_t GetInterval(uint32_t wireBytes, double rate) const
    {
        const auto portRate = static_cast<double>(m_port->GetRate().GetBitRate());
        const auto steps = static_cast<double>(m_port->GetSendingSteps(wireBytes));
        return static_cast<int64_t>(rate < m_lineRate ? steps * portRate / rate : steps);
    }

    /**
     * @param rate rate to send at, bit/s
     * @return whether congestion control has it send more slowly than it could
     */
    bool IsSlowed(double rate) const
    {
        return rate < std::min(m_lineRate, m_config.maxRate);
    }

    /**
     * @param now time step
     * @return rate to send at, bit/s, above 0
     * @throws WorkloadError if congestion control gives none
     */
    double GetRate(int64_t now) const
    {
        const double rate = m_control->GetRate(Time(now));
        if (!(rate > 0)) // nor NaN
        {
            RefuseRate(rate);
        }
        return std::min(rate, m_config.maxRate);
    }

    /**
     * @param rate what congestion control has given as its rate, bit/s
     * @throws WorkloadError always: it names the congestion control
     */
    [[noreturn]] void RefuseRate(double rate) const;

    /**
     * @param pause what congestion control has given as the time to the next packet, time steps
     * @throws WorkloadError if it is none, in the name of the congestion control
     */
    void CheckPause(int64_t pause) const;

    /**
     * @param number number of a packet that is not acknowledged
     * @return message that it belongs to
     */
    RdmaTransfer* FindTransfer(uint64_t number) const;

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
     * Find when the packet after one may be sent.
     *
     * @param packet packet that leaves
     * @param now time step
     * @param rate rate to send at, bit/s
     */
    void Pace(RdmaPacket& packet, int64_t now, double rate);

    /**
     * Take another path from the next packet on.
     *
     * @param udpSourcePort UDP source port, by which switches choose
     * @param turn which of the ports to the peer, see RdmaQueuePairHost::GetPortInTurn()
     */
    void SetPath(uint16_t udpSourcePort, uint32_t turn);

    /**
     * Take leave of the messages that have come whole, and report them.
     *
     * @param number number of the first packet that is not acknowledged
     */
    void Finish(uint64_t number);

    /**
     * Report an acknowledgement to congestion control.
     *
     * @param ack what it says; the time and that since its packet was sent are filled in here
     * @param packet the acknowledgement
     */
    void NotifyControl(RdmaAck ack, const RdmaPacket& packet);

    /// Notify sinks of a rate or window that has changed.
    void TraceControl();

    // What every packet touches stands first.
    RdmaQueuePairHost& m_nic;                   //!< NIC that it belongs to
    const RdmaQueuePairConfig& m_config;        //!< of all queue pairs of the NIC
    std::unique_ptr<RdmaRateControl> m_control; //!< congestion control
    RdmaTransfer* m_oldest{nullptr};            //!< first message that is not acknowledged; owns
                                                //!< it and those after it
    RdmaTransfer* m_sending{nullptr};           //!< message of the next new packet; null = none
    RdmaTransfer* m_newest{nullptr};            //!< last message, if there is one
    uint64_t m_inFlightLimit;                   //!< most payload in flight, bytes
    uint64_t m_flowHash;                        //!< what distinguishes its packets from others
    uint64_t m_next{0};                         //!< number of the next new packet
    uint64_t m_end{0};                          //!< number behind that of the last packet
    uint64_t m_unacknowledged{0};               //!< number of the first packet not acknowledged
    uint64_t m_ackedBytes{0};                   //!< payload of the packets below m_unacknowledged
    uint64_t m_endBytes{0};                     //!< payload of all messages
    double m_lineRate;                          //!< rate of all ports that it sends by, bit/s
    double m_tracedRate{0};                 //!< rate that was reported last, bit/s; 0 = none was
    double m_tracedWindow{0};               //!< window that was reported last, bytes; 0 = none was
    uint32_t m_number;                      //!< number at the NIC
    uint32_t m_peer;                        //!< node that it sends to
    uint32_t m_peerQp{RdmaPacket::UNKNOWN}; //!< number of the receiving half at its NIC
    uint32_t m_epoch{0};                    //!< of the routes when the port was chosen
    uint32_t m_retries{0};                  //!< timeouts in a row
    uint16_t m_udpSourcePort;               //!< UDP source port
    bool m_failed{false};                   //!< has given up

  private:
    /**
     * @throws WorkloadError if there is no rate control, or one that lets nothing be sent
     */
    void CheckControl() const;
};

} // namespace ns3

#endif /* RDMA_SENDER_H */
