/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_MESSAGE_RECEIVER_H
#define TCP_MESSAGE_RECEIVER_H

#include "message-transport.h"

#include "ns3/callback.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The receiving end of one connection: finds the messages in the byte stream.
 *
 * Payload is counted and dropped as it is read, so a message takes no memory here.
 */
class TcpMessageReceiver
{
  public:
    /// Upcall for a message whose last byte has been read; its destination is not set.
    using MessageCallback = Callback<void, const Message&>;

    /**
     * @param socket accepted socket to read
     * @param received called for each message
     */
    TcpMessageReceiver(Ptr<Socket> socket, MessageCallback received);
    ~TcpMessageReceiver();

    TcpMessageReceiver(const TcpMessageReceiver&) = delete;
    TcpMessageReceiver& operator=(const TcpMessageReceiver&) = delete;

  private:
    /**
     * Read all that the socket has.
     *
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket);

    /**
     * Take in bytes of the header.
     *
     * @param packet no more bytes than the header lacks
     */
    void AddToHeader(Ptr<Packet> packet);

    Ptr<Socket> m_socket;         //!< the connection
    MessageCallback m_received;   //!< upcall for messages
    Ptr<Packet> m_header;         //!< bytes of a header that are there, while one is read
    Message m_message;            //!< the message whose payload is read
    uint64_t m_payloadMissing{0}; //!< bytes that payload lacks; 0 = a header is read
};

} // namespace ns3

#endif /* TCP_MESSAGE_RECEIVER_H */
