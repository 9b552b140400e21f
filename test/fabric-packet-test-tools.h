/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PACKET_TEST_TOOLS_H
#define FABRIC_PACKET_TEST_TOOLS_H

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/socket.h"

#include <cstdint>

namespace ns3
{

/// Port that all receivers listen at.
constexpr uint16_t PORT = 5000;

/// Payload of a UDP packet of these tests, bytes.
constexpr uint32_t PAYLOAD = 1000;

/**
 * @ingroup workload-replay-tests
 * @brief Counts the bytes that reach a node, by UDP or TCP.
 */
class ByteSink
{
  public:
    /**
     * @param node node to listen on
     * @param type TypeId of the socket factory
     */
    ByteSink(Ptr<Node> node, TypeId type);

    /**
     * @return bytes received so far
     */
    uint64_t GetBytes() const;

    /**
     * @return address that the last connection or packet came from
     */
    Ipv4Address GetPeer() const;

  private:
    /**
     * @param socket socket of a new connection
     * @param from its other end
     */
    void Accept(Ptr<Socket> socket, const Address& from);

    /**
     * @param socket a socket with bytes to read
     */
    void Receive(Ptr<Socket> socket);

    Ptr<Socket> m_socket; //!< listens
    uint64_t m_bytes{0};  //!< bytes received so far
    Ipv4Address m_peer;   //!< where they came from
};

/**
 * @ingroup workload-replay-tests
 * @brief Send UDP packets at once.
 *
 * @param node node that sends
 * @param to address to send to
 * @param packets how many
 * @param port source port
 * @return 0, or the error of the last packet
 */
Socket::SocketErrno SendUdp(Ptr<Node> node, Ipv4Address to, uint32_t packets, uint16_t port = 6000);

} // namespace ns3

#endif /* FABRIC_PACKET_TEST_TOOLS_H */
