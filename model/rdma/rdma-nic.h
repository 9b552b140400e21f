/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "rdma-congestion-control.h"
#include "rdma-port-owner.h"
#include "rdma-protocol.h"
#include "rdma-queue-pair-config.h"
#include "rdma-queue-pair-host.h"
#include "rdma-receiver.h"
#include "rdma-sender.h"
#include "rdma-switch.h"

#include "ns3/data-rate.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class RdmaCreditGranter;

/**
 * @ingroup workload-replay
 * @brief What the attributes of RdmaNic say that its queue pairs go by, see
 * RdmaNic::MakeQueuePairConfig().
 */
class RdmaNicSettings
{
  protected:
    /// What is sent again after a loss.
    enum LossRecovery : uint8_t
    {
        AUTO,            //!< selective repeat where paths reorder packets, else go-back-N
        GO_BACK_N,       //!< all from the first missing packet on
        SELECTIVE_REPEAT //!< only what is missing
    };

    uint32_t m_mtu;                     //!< payload of a full packet, bytes
    uint32_t m_ackInterval;             //!< data packets per acknowledgement
    uint32_t m_maxTrain;                //!< most packets of a train
    uint32_t m_maxSharedTrain;          //!< the same where others are met
    uint32_t m_maxQueuedTrain;          //!< the same where queues are
    uint32_t m_trainsPerMessage;        //!< fewest trains of a message
    uint32_t m_trainsPerSharingMessage; //!< the same where others have sent just now
    uint32_t m_trainsPerWindow;         //!< fewest trains of a full window
    Time m_sharingMemory;               //!< for how long who has sent counts as sharing the port
    uint8_t m_ackPriority;              //!< priority of acknowledgements and notifications
    LossRecovery m_lossRecovery;        //!< what is sent again after a loss
    Time m_cnpInterval;                 //!< least time between notifications of a queue pair
    Time m_cnpDelay;                    //!< from a marked packet to its notification
    uint32_t m_reorderDistance;         //!< how far a packet may be overtaken, packets
    Time m_reorderTime;                 //!< for how long a packet may be overtaken; < 0 = auto
    Time m_retransmissionTimeout;       //!< how long to wait for an acknowledgement
    DataRate m_pairRate;                //!< rate above which no queue pair sends; 0 = the port's
    Time m_shortTimeout;                //!< how long where few packets are in flight
    uint32_t m_shortTimeoutPackets;     //!< how many packets are few
    double m_inFlightLimit;             //!< most in flight, bandwidth-delay products
    uint32_t m_retryLimit;              //!< timeouts in a row until a queue pair gives up
};

/**
 * @ingroup workload-replay
 * @brief What a host has of NICs: all its ports and queue pairs; aggregated to its node.
 *
 * A port that is free gets its next packet from the queue pairs that have something to send, in
 * turn (RdmaSendSchedule); so nothing but acknowledgements waits in its queues.
 */
class RdmaNic : public Object,
                public RdmaPortOwner,
                public RdmaQueuePairHost,
                public RdmaNicSettings
{
  public:
    /// Largest Mtu, bytes: an IPv4 packet has to hold it and the headers.
    static constexpr uint32_t MAX_MTU = RdmaLinkLayer::ETHERNET.mtu;

    /// Upcall when a message has arrived whole.
    using ArrivalCallback = Callback<void, const Message&>;

    /// Upcall when a message is acknowledged whole; the argument is its cookie.
    using SentCallback = Callback<void, uint64_t>;

    /// Upcall when a packet of an internet stack has come in.
    using IpCallback = Callback<void, const RdmaPacket&>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /**
     * @param network the routes
     * @param address number of this host in the network, by which packets go to it
     */
    void SetNetwork(Ptr<RdmaNetwork> network, uint32_t address);

    /**
     * @param relay switches what is not for this host; null = this host does not relay
     */
    void SetRelay(Ptr<RdmaSwitch> relay)
    {
        m_relay = relay;
    }

    /**
     * @param control congestion control of the queue pairs, to be set before the first one is made
     */
    void SetCongestionControl(Ptr<RdmaCongestionControl> control);

    /**
     * @return congestion control
     */
    Ptr<RdmaCongestionControl> GetCongestionControl() const
    {
        return m_control;
    }

    /**
     * @param protocol how queue pairs bring messages to peers outside the server, to be set before
     *                 the first one is made; RdmaRcProtocol until then, as it stays for peers
     * inside: links of servers lose nothing and have one path
     */
    void SetProtocol(Ptr<RdmaProtocol> protocol);

    /**
     * @return how queue pairs bring messages to peers outside the server
     */
    Ptr<RdmaProtocol> GetNetworkProtocol() const
    {
        return m_protocol;
    }

    /**
     * @param peer number of another host in the network
     * @return how queue pairs bring messages there
     */
    const RdmaProtocol& GetProtocol(uint32_t peer) const;

    /**
     * @param port port to add; its cable is plugged in, and if there is a relay it has it already
     */
    void AddPort(Ptr<RdmaNetDevice> port);

    /**
     * Let an internet stack use the ports.
     *
     * @param ip called for each packet of type IP that has come in; must be valid as long as there
     * are ports
     */
    void SetIpCallback(IpCallback ip)
    {
        m_ip = ip;
    }

    /**
     * @return whether an internet stack uses the ports
     */
    bool HasIpInterface() const
    {
        return !m_ip.IsNull();
    }

    /**
     * @param arrival called for each message that has arrived
     * @param sent called for each message that is acknowledged
     */
    void SetCallbacks(ArrivalCallback arrival, SentCallback sent)
    {
        m_arrival = arrival;
        m_sent = sent;
    }

    /**
     * Make a queue pair to another host.
     *
     * @param peer its number in the network
     * @param udpSourcePort UDP source port of the packets, by which paths are chosen
     * @param priority priority of the packets, 0 to 7
     * @return number of the sending half; the next queue pair has the next number
     */
    uint32_t CreateQueuePair(uint32_t peer, uint16_t udpSourcePort, uint8_t priority);

    /**
     * Send a message.
     *
     * @param sender number of the queue pair to send it by
     * @param message the message
     */
    void Post(uint32_t sender, const Message& message);

    /**
     * @return sending halves of queue pairs made so far
     */
    uint32_t GetNSenders() const
    {
        return m_senders.size();
    }

    /**
     * @param sender from 0 to GetNSenders() - 1
     * @return the sending half
     */
    const RdmaSender& GetSender(uint32_t sender) const
    {
        return *m_senders.at(sender);
    }

    /**
     * @param sender from 0 to GetNSenders() - 1
     * @return the sending half
     */
    RdmaSender& GetSender(uint32_t sender)
    {
        return *m_senders.at(sender);
    }

    void Receive(RdmaNetDevice& port, RdmaPacketPtr packet) override;
    void Dequeued(RdmaNetDevice& port, const RdmaPacket& packet) override;
    void LinkChanged(RdmaNetDevice& port, bool up) override;

    const RdmaQueuePairConfig& GetQueuePairConfig() override;
    const RdmaCongestionControl& GetControl(uint32_t peer) const override;
    bool SplitsOverPorts(uint32_t peer) const override;
    double GetLineRate(const RdmaNetDevice& port, uint32_t peer) const override;
    RdmaPath GetPath(const RdmaNetDevice& port, uint32_t peer, uint64_t flowHash) const override;
    void Rearrange(const RdmaNetDevice& port) override;
    void Deliver(const Message& message) override;
    void NotifySent(uint32_t peer, uint64_t cookie) override;
    void AskForCredit(UecReceiver& receiver, uint32_t source) override;

    /**
     * @return what the queue pairs go by, as the attributes are now; those count that a NIC has
     *         when its first queue pair is made
     */
    RdmaQueuePairConfig MakeQueuePairConfig() const;

    /**
     * TracedCallback signature for queue pairs that have given up.
     *
     * @param [in] node number of the host
     * @param [in] peer number of the host that it could not reach
     */
    typedef void (*FailureTracedCallback)(uint32_t node, uint32_t peer);

    /**
     * TracedCallback signature for timeouts.
     *
     * @param [in] sender the queue pair
     * @param [in] waited for how long it has waited
     */
    typedef void (*TimeoutTracedCallback)(const RdmaSender& sender, Time waited);

    /**
     * TracedCallback signature for rates and windows of queue pairs.
     *
     * @param [in] sender the queue pair
     * @param [in] oldValue what it was
     * @param [in] newValue what it is
     */
    typedef void (*ControlTracedCallback)(const RdmaSender& sender,
                                          double oldValue,
                                          double newValue);

  protected:
    void DoDispose() override;

  private:
    /**
     * @param peer number of another host in the network
     * @return whether it stands in the server of this one
     */
    bool IsInServer(uint32_t peer) const;

    /**
     * Have the queue pairs send by the ports that lead to their peers now. What they have sent by
     * others and is lost they hear of by what comes after it.
     *
     * @param link number of the link that the routes have followed
     * @param up whether it carries packets
     */
    void FollowRoutes(uint32_t link, bool up);

    /// A receiving half that a packet has come for.
    struct RecentReceiver
    {
        uint64_t key{0};                 //!< its source and that one's number of the queue pair
        RdmaReceiver* receiver{nullptr}; //!< the half; null = none has been kept here
    };

    /// Bits of a place among the recent ones.
    static constexpr uint32_t RECENT_BITS = 5;

    /// How many receiving halves are kept at hand.
    static constexpr std::size_t RECENT_RECEIVERS = std::size_t{1} << RECENT_BITS;

    /**
     * Find the receiving half of a queue pair, which is made when its first packet comes.
     *
     * @param packet a data packet
     * @return the receiving half
     */
    RdmaReceiver& FindReceiver(const RdmaPacket& packet);

    Ptr<RdmaCongestionControl> m_control;       //!< congestion control
    Ptr<RdmaProtocol> m_protocol;               //!< makes the halves of queue pairs
    Ptr<RdmaProtocol> m_inside;                 //!< the same within a server
    Ptr<RdmaCongestionControl> m_insideControl; //!< and congestion control there; null = as outside

    std::unique_ptr<const RdmaQueuePairConfig> m_config; //!< of its queue pairs; null = it has none
    IpCallback m_ip;                                     //!< packets of IP; null = there are none
    Ptr<RdmaSwitch> m_relay;                             //!< switches what is not for this host
    std::vector<std::unique_ptr<RdmaSender>> m_senders;  //!< sending halves
    std::vector<std::unique_ptr<RdmaReceiver>> m_receivers;            //!< receiving halves
    std::unordered_map<uint64_t, uint32_t> m_receiverIndex;            //!< by source and its number
    std::array<RecentReceiver, RECENT_RECEIVERS> m_recent{};           //!< by a hash of that
    std::map<uint32_t, std::unique_ptr<RdmaCreditGranter>> m_granters; //!< of credits, by the first
                                                                       //!< port to the senders
    ArrivalCallback m_arrival;                                         //!< a message has arrived
    SentCallback m_sent; //!< a message is acknowledged
};

} // namespace ns3

#endif /* RDMA_NIC_H */
