/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "rdma-congestion-control.h"
#include "rdma-network.h"
#include "rdma-receiver.h"
#include "rdma-send-schedule.h"
#include "rdma-sender.h"
#include "rdma-switch.h"

#include "ns3/message-transport.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a host has of NICs: all its ports and queue pairs; aggregated to its node.
 *
 * A port that is free asks for a packet, and gets one from the queue pairs that have something to
 * send, in turn, the highest priority first; so nothing but acknowledgements waits in its queues.
 */
class RdmaNic : public Object, public RdmaPortOwner
{
  public:
    /// Largest Mtu, bytes: an IPv4 packet has to hold it and the headers.
    static constexpr uint32_t MAX_MTU = 65000;

    /// Upcall when a message has arrived whole.
    using ArrivalCallback = Callback<void, const Message&>;

    /// Upcall when a message is acknowledged whole; the argument is its cookie.
    using SentCallback = Callback<void, uint64_t>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /**
     * @param network the routes
     * @param node number of this host in the network
     */
    void SetNetwork(Ptr<RdmaNetwork> network, uint32_t node);

    /**
     * @param relay switches what is not for this host; null = this host does not relay
     */
    void SetRelay(Ptr<RdmaSwitch> relay);

    /**
     * @param control congestion control of the queue pairs made from now on
     */
    void SetCongestionControl(Ptr<RdmaCongestionControl> control);

    /**
     * @return congestion control
     */
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /**
     * @param port port to add; its cable is plugged in, and if there is a relay it has it already
     */
    void AddPort(Ptr<RdmaNetDevice> port);

    /**
     * @param arrival called for each message that has arrived
     * @param sent called for each message that is acknowledged
     */
    void SetCallbacks(ArrivalCallback arrival, SentCallback sent);

    /**
     * Make a queue pair to another host.
     *
     * @param peer its number in the network
     * @param channel what tells queue pairs between the two apart
     * @param priority priority of the packets, 0 to 7
     * @return the sending half; valid as long as the NIC
     */
    RdmaSender* CreateQueuePair(uint32_t peer, uint32_t channel, uint8_t priority);

    /**
     * Send a message.
     *
     * @param sender queue pair to send it by
     * @param message the message
     */
    void Post(RdmaSender& sender, const Message& message);

    /**
     * @return sending halves of queue pairs made so far
     */
    uint32_t GetNSenders() const;

    /**
     * @param sender from 0 to GetNSenders() - 1
     * @return the sending half
     */
    const RdmaSender& GetSender(uint32_t sender) const;

    void Receive(RdmaNetDevice& port, RdmaPacketPtr packet) override;
    void Dequeued(RdmaNetDevice& port, const RdmaPacket& packet) override;
    RdmaPacketPtr Pull(RdmaNetDevice& port, RdmaEgressQueues::Mask allowed) override;
    bool CanPull(const RdmaNetDevice& port, RdmaEgressQueues::Mask allowed) const override;
    void LinkChanged(RdmaNetDevice& port, bool up) override;

    // What follows is for the halves of queue pairs.

    /**
     * @param channel what tells queue pairs apart
     * @return UDP source port, in the range for dynamic ports
     */
    static uint16_t GetEntropy(uint32_t channel);

    /**
     * @param source node that sends
     * @param destination node that receives
     * @param entropy UDP source port
     * @return hash of the flow
     */
    static uint64_t GetFlowHash(uint32_t source, uint32_t destination, uint16_t entropy);

    /**
     * @param peer number of another host
     * @param flowHash what tells the packets from others
     * @return port to send by; there is one even if there is no path
     */
    RdmaNetDevice* ChoosePort(uint32_t peer, uint64_t flowHash) const;

    /**
     * @param port port to send by
     * @param peer number of another host
     * @param flowHash what tells the packets from others
     * @return congestion control for a queue pair
     */
    std::unique_ptr<RdmaRateControl> CreateRateControl(const RdmaNetDevice& port,
                                                       uint32_t peer,
                                                       uint64_t flowHash) const;

    /**
     * @param payload bytes
     * @return a data packet of this host
     */
    RdmaPacketPtr MakeDataPacket(uint32_t payload) const;

    /**
     * @param answer acknowledgement or congestion notification to send
     */
    void SendAnswer(RdmaPacketPtr answer);

    /**
     * @param attached what has ended a message
     */
    void Deliver(const Ptr<const RdmaAttachment>& attached);

    /**
     * @param cookie cookie of the message that is acknowledged
     */
    void NotifySent(uint64_t cookie);

    /**
     * Let a queue pair send if it can.
     *
     * @param sender sending half
     */
    void Activate(RdmaSender& sender);

    /**
     * Let the queue pairs of a port begin anew: one of them has gone to another port.
     *
     * @param port the port
     */
    void Rearrange(const RdmaNetDevice& port);

    /**
     * @param packet packet that is sent again
     */
    void NoteRetransmission(const RdmaPacket& packet);

    /**
     * @param sender queue pair that has given up
     */
    void NoteFailure(const RdmaSender& sender);

    /**
     * @param retries timeouts in a row
     * @return how long to wait for an acknowledgement: twice as long after each timeout
     */
    Time GetRetransmissionTimeout(uint32_t retries) const;

    /**
     * @return rate above which no queue pair sends, bit/s; may be infinite
     */
    double GetPairRate() const;

    /// @return number of this host in the network
    uint32_t GetNode() const
    {
        return m_node;
    }

    /// @return the routes
    const RdmaNetwork& GetNetwork() const
    {
        return *m_network;
    }

    /// @return payload of a full packet, bytes
    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    /// @return whether only lost packets are sent again
    bool IsSelective() const
    {
        return m_selective;
    }

    /// @return whether a packet may be overtaken without being lost
    bool ExpectsReordering() const
    {
        return m_reorderDistance > 0 || m_reorderTime.IsStrictlyPositive();
    }

    /**
     * @param port port that a queue pair sends by
     * @return how far a packet may be overtaken before it counts as lost, packets
     */
    uint64_t GetReorderDistance(const RdmaNetDevice& port) const;

    /// @return data packets per acknowledgement
    uint32_t GetAckInterval() const
    {
        return m_control->NeedsEveryAck() ? 1 : m_ackInterval;
    }

    /**
     * @return most packets that a queue pair sends as one train
     */
    uint32_t GetMaxTrain() const
    {
        return m_maxTrain;
    }

    /**
     * @return for how long a queue pair that has sent counts as sharing its port, time steps
     */
    int64_t GetSharingMemory() const
    {
        return m_sharingMemory.GetTimeStep();
    }

    /**
     * @param isShared whether other queue pairs send by the same port
     * @return smallest number of trains that a message is sent in
     */
    uint32_t GetTrainsPerMessage(bool isShared) const
    {
        return isShared ? m_trainsPerSharingMessage : m_trainsPerMessage;
    }

    /// @return timeouts in a row until a queue pair gives up
    uint32_t GetRetryLimit() const
    {
        return m_retryLimit;
    }

    /// @return whether marked packets are answered by congestion notifications
    bool UsesCnp() const
    {
        return m_usesCnp;
    }

    /**
     * @return whether data packets gather telemetry
     */
    bool UsesTelemetry() const
    {
        return m_usesTelemetry;
    }

    /// @return least time between congestion notifications of a queue pair
    Time GetCnpInterval() const
    {
        return m_cnpInterval;
    }

    /**
     * TracedCallback signature for queue pairs that have given up.
     *
     * @param [in] node number of the host
     * @param [in] peer number of the host that it could not reach
     */
    typedef void (*FailureTracedCallback)(uint32_t node, uint32_t peer);

  protected:
    void DoDispose() override;

  private:
    /**
     * Find the receiving half of a queue pair, which is made when its first packet comes.
     *
     * @param packet a data packet
     * @return the receiving half
     */
    RdmaReceiver& FindReceiver(const RdmaPacket& packet);

    uint32_t m_mtu;                     //!< payload of a full packet, bytes
    uint32_t m_ackInterval;             //!< data packets per acknowledgement
    uint32_t m_maxTrain;                //!< most packets of a train
    uint32_t m_trainsPerMessage;        //!< fewest trains of a message
    uint32_t m_trainsPerSharingMessage; //!< the same where it shares its port
    Time m_sharingMemory;               //!< for how long who has sent counts as sharing the port
    uint8_t m_ackPriority;        //!< priority of acknowledgements and congestion notifications
    Time m_cnpInterval;           //!< least time between congestion notifications of a queue pair
    bool m_selective;             //!< only lost packets are sent again
    uint32_t m_reorderDistance;   //!< how far a packet may be overtaken, packets
    Time m_reorderTime;           //!< for how long a packet may be overtaken
    Time m_retransmissionTimeout; //!< how long to wait for an acknowledgement
    DataRate m_pairRate;          //!< rate above which no queue pair sends; 0 = the port's rate
    uint32_t m_retryLimit;        //!< timeouts in a row until a queue pair gives up
    Ptr<RdmaCongestionControl> m_control; //!< congestion control
    bool m_usesCnp{false};                //!< it asks for congestion notifications
    bool m_usesTelemetry{false};          //!< it asks for telemetry

    Ptr<RdmaNetwork> m_network;              //!< the routes
    uint32_t m_node{0};                      //!< number in the network
    Ptr<RdmaSwitch> m_relay;                 //!< switches what is not for this host
    std::vector<Ptr<RdmaNetDevice>> m_ports; //!< ports, by number
    std::vector<std::unique_ptr<RdmaSendSchedule>> m_schedules; //!< who sends next, by port
    std::vector<std::unique_ptr<RdmaSender>> m_senders;         //!< sending halves
    std::vector<std::unique_ptr<RdmaReceiver>> m_receivers;     //!< receiving halves
    std::unordered_map<uint64_t, uint32_t> m_receiverIndex;     //!< by source and its number
    ArrivalCallback m_arrival;                                  //!< a message has arrived
    SentCallback m_sent;                                        //!< a message is acknowledged

    TracedCallback<const RdmaPacket&> m_retransmissionTrace; //!< a packet is sent again
    TracedCallback<uint32_t, uint32_t> m_failureTrace;       //!< a queue pair has given up
};

} // namespace ns3

#endif /* RDMA_NIC_H */
