/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_MESSAGE_TRANSPORT_H
#define TCP_MESSAGE_TRANSPORT_H

#include "message-transport.h"
#include "tcp-message-receiver.h"
#include "tcp-message-sender.h"

#include "ns3/address.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages of one rank over ns-3's own TCP.
 *
 * Each (source, destination, group, channel) has a connection of its own, opened when it is
 * first used and kept; bytes of messages flow in one direction only. A message goes as a
 * TcpMessageHeader and its payload. It has arrived when its last byte is read, and is sent when
 * that byte is acknowledged.
 *
 * Several ranks may live on one node if their ports differ; they talk over the node's loopback
 * device, which takes no time.
 *
 * The sockets run without the timestamp option, as ns-3 measures round trips with it in
 * milliseconds; without it they are measured exactly.
 *
 * A connection that fails is reported and not opened again; its messages stay unsent.
 */
class TcpMessageTransport : public MessageTransport
{
  public:
    /// Address and port of every rank, shared by all.
    using Addresses = std::shared_ptr<const std::vector<InetSocketAddress>>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TcpMessageTransport();
    ~TcpMessageTransport() override;

    /**
     * Place a rank on a node and listen for connections. The attributes count as they are now.
     *
     * @param node the node, with its internet stack and addresses
     * @param rank the rank
     * @param addresses address and port of every rank
     */
    void Install(Ptr<Node> node, uint32_t rank, Addresses addresses);

    std::string GetKind() const override;
    bool Serves(uint32_t rank) const override;

    /**
     * TracedCallback signature for connections that have failed.
     *
     * @param [in] rank the rank
     * @param [in] peer the rank that it sends to
     * @param [in] reason what went wrong
     */
    typedef void (*FailureTracedCallback)(uint32_t rank, uint32_t peer, const std::string& reason);

    /**
     * TracedCallback signature for retransmissions.
     *
     * @param [in] rank the rank
     * @param [in] peer the rank that it sends to
     * @param [in] bytes data in the segment, bytes
     */
    typedef void (*RetransmissionTracedCallback)(uint32_t rank, uint32_t peer, uint32_t bytes);

    /**
     * TracedCallback signature for retransmission timeouts.
     *
     * @param [in] rank the rank
     * @param [in] peer the rank that it sends to
     * @param [in] waited for how long no acknowledgement has come
     */
    typedef void (*TimeoutTracedCallback)(uint32_t rank, uint32_t peer, Time waited);

  protected:
    void DoDispose() override;
    void DoSend(const Message& message) override;

  private:
    /**
     * @return a new socket with all attributes set
     */
    Ptr<Socket> MakeSocket() const;

    /**
     * @return segment size that fills the packets of the device with the rank's address, bytes
     */
    uint32_t FindSegmentSize() const;

    /**
     * Open a connection.
     *
     * @param destination rank at its other end
     * @return its sending end
     */
    std::unique_ptr<TcpMessageSender> OpenConnection(uint32_t destination);

    /**
     * Take up a connection that another rank has opened.
     *
     * @param socket the connection
     * @param from address and port of the other end
     */
    void Accept(Ptr<Socket> socket, const Address& from);

    /**
     * @param message a message that has arrived, without destination
     */
    void HandleMessage(const Message& message);

    /**
     * @param peer rank at the other end of the connection
     * @param reason why it has failed
     */
    void HandleFailure(uint32_t peer, const std::string& reason);

    /**
     * @param peer rank at the other end of the connection
     * @param bytes data in the segment, bytes
     */
    void HandleRetransmission(uint32_t peer, uint32_t bytes);

    /**
     * @param peer rank at the other end of the connection
     * @param waited for how long no acknowledgement has come
     */
    void HandleTimeout(uint32_t peer, Time waited);

    TypeId m_congestionControl; //!< kind of TcpCongestionOps
    uint32_t m_segmentSize;     //!< data per segment, bytes; 0 until Install() = to be derived
    uint32_t m_sendBuffer;      //!< send buffer of a connection, bytes
    uint32_t m_receiveBuffer;   //!< receive buffer of a connection, bytes
    uint32_t m_initialCwnd;     //!< initial congestion window, segments
    Time m_minRto;              //!< least retransmission timeout
    Time m_clockGranularity;    //!< least margin of that timeout above the round trip
    uint32_t m_delAckCount;     //!< segments per acknowledgement
    Time m_delAckTimeout;       //!< longest wait for that many segments
    Time m_connTimeout;         //!< timeout of the first SYN
    uint32_t m_dataRetries;     //!< retransmission timeouts in a row until a connection fails
    bool m_useEcn;              //!< whether connections ask for ECN

    Ptr<Node> m_node;       //!< where the rank lives
    uint32_t m_rank{0};     //!< the rank
    Addresses m_addresses;  //!< address and port of every rank
    Ptr<Socket> m_listener; //!< accepts connections of other ranks

    /// Connections of this rank; never walked.
    std::
        unordered_map<MessageConnection, std::unique_ptr<TcpMessageSender>, MessageConnection::Hash>
            m_senders;
    std::vector<std::unique_ptr<TcpMessageReceiver>> m_receivers; //!< connections accepted

    /// A connection has failed: rank, peer, reason.
    TracedCallback<uint32_t, uint32_t, const std::string&> m_failureTrace;
    /// A segment goes out again: rank, peer, bytes.
    TracedCallback<uint32_t, uint32_t, uint32_t> m_retransmissionTrace;
    /// No acknowledgement has come in time: rank, peer, for how long.
    TracedCallback<uint32_t, uint32_t, Time> m_timeoutTrace;
};

} // namespace ns3

#endif /* TCP_MESSAGE_TRANSPORT_H */
