/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_MESSAGE_SENDER_H
#define TCP_MESSAGE_SENDER_H

#include "message-transport.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/sequence-number.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <deque>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The sending end of one connection: writes messages and learns when they are acknowledged.
 *
 * A connection that fails is not opened again; its messages then stay unsent.
 */
class TcpMessageSender
{
  public:
    /// What a sender reports to its owner.
    struct Callbacks
    {
        /// The message with this cookie is acknowledged.
        Callback<void, uint64_t> sent;
        /// The connection to this peer rank has failed, for this reason; called once at most.
        Callback<void, uint32_t, const std::string&> failed;
        /// A segment to this peer rank with so many bytes of data went out again.
        Callback<void, uint32_t, uint32_t> retransmitted;
        /// An acknowledgement of this peer rank has not come for so long.
        Callback<void, uint32_t, Time> timedOut;
    };

    /**
     * @param socket socket to connect, with its attributes set
     * @param peer rank at the other end
     * @param callbacks upcalls
     */
    TcpMessageSender(Ptr<Socket> socket, uint32_t peer, const Callbacks& callbacks);
    ~TcpMessageSender();

    TcpMessageSender(const TcpMessageSender&) = delete;
    TcpMessageSender& operator=(const TcpMessageSender&) = delete;

    /**
     * Open the connection. While there is no route to its peer, try again as often as the socket
     * sends a SYN, and after the same times.
     *
     * @param address address and port of the receiving end
     */
    void Connect(const Address& address);

    /**
     * Queue a message behind the earlier ones.
     *
     * @param message the message
     */
    void Send(const Message& message);

  private:
    /// A message written in full or in part, and not yet acknowledged in full.
    struct Unacknowledged
    {
        uint64_t end;    //!< bytes of the stream up to and with the message's last
        uint64_t cookie; //!< the message's cookie
    };

    /// Write what is queued, as far as the socket takes it.
    void Write();

    /// Write payload of the newest message begun, as far as the socket takes it.
    void WritePayload();

    /**
     * Give bytes to the socket, which has room for them.
     *
     * @param packet the bytes
     */
    void WritePacket(Ptr<Packet> packet);

    /**
     * @param socket the socket, now connected
     */
    void HandleConnected(Ptr<Socket> socket);

    /**
     * @param socket the socket, given up by its retransmissions of SYN
     */
    void HandleNotConnected(Ptr<Socket> socket);

    /**
     * @param socket the socket, closed by its peer
     */
    void HandleClosed(Ptr<Socket> socket);

    /**
     * @param socket the socket, closed by an error
     */
    void HandleError(Ptr<Socket> socket);

    /**
     * Bytes were acknowledged: report messages sent, and write more.
     *
     * @param socket the socket
     * @param room bytes that it would take
     */
    void HandleRoom(Ptr<Socket> socket, uint32_t room);

    /**
     * Trace sink: find what goes out again.
     *
     * @param packet payload of a segment
     * @param header its TCP header
     * @param socket the socket
     */
    void HandleSegment(Ptr<const Packet> packet,
                       const TcpHeader& header,
                       Ptr<const TcpSocketBase> socket);

    /**
     * Trace sink: find timeouts by what they do, which is to double the next one (RFC 6298, 5.5).
     * Those of the longest, which ns-3 does not let grow, are not seen.
     *
     * @param before the retransmission timeout so far
     * @param now the retransmission timeout from now on
     */
    void HandleTimeout(Time before, Time now);

    /**
     * Mark the connection as failed and report it, unless that is done.
     *
     * @param reason why
     */
    void Fail(const std::string& reason);

    Ptr<Socket> m_socket;                        //!< the connection
    uint32_t m_peer;                             //!< rank at the other end
    Callbacks m_callbacks;                       //!< upcalls
    uint32_t m_bufferSize;                       //!< size of the socket's send buffer, bytes
    Time m_routeWait;                            //!< until the next look for a route
    uint32_t m_routeTries;                       //!< looks for a route that are left
    EventId m_routeEvent;                        //!< the next of them
    bool m_connected{false};                     //!< whether bytes can be written
    bool m_failed{false};                        //!< whether the connection has failed
    std::deque<Message> m_queue;                 //!< messages with nothing written yet
    std::deque<Unacknowledged> m_unacknowledged; //!< messages begun, in order
    uint64_t m_payloadLeft{0};                   //!< payload of the newest of them, not written
    uint64_t m_written{0};                       //!< bytes given to the socket
    SequenceNumber32 m_highest{0};               //!< sequence number behind the highest byte sent
};

} // namespace ns3

#endif /* TCP_MESSAGE_SENDER_H */
