/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-packet-test-tools.h"

#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/udp-socket-factory.h"

namespace ns3
{

ByteSink::ByteSink(Ptr<Node> node, TypeId type)
{
    m_socket = Socket::CreateSocket(node, type);
    m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    m_socket->Listen();
    m_socket->SetRecvCallback(MakeCallback(&ByteSink::Receive, this));
    m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&ByteSink::Accept, this));
}

uint64_t
ByteSink::GetBytes() const
{
    return m_bytes;
}

Ipv4Address
ByteSink::GetPeer() const
{
    return m_peer;
}

void
ByteSink::Accept(Ptr<Socket> socket, const Address& from)
{
    m_peer = InetSocketAddress::ConvertFrom(from).GetIpv4();
    socket->SetRecvCallback(MakeCallback(&ByteSink::Receive, this));
}

void
ByteSink::Receive(Ptr<Socket> socket)
{
    Address from;
    while (const auto packet = socket->RecvFrom(from))
    {
        m_bytes += packet->GetSize();
        m_peer = InetSocketAddress::ConvertFrom(from).GetIpv4();
    }
}

Socket::SocketErrno
SendUdp(Ptr<Node> node, Ipv4Address to, uint32_t packets, uint16_t port)
{
    auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    auto error = Socket::ERROR_NOTERROR;
    for (uint32_t i = 0; i < packets; ++i)
    {
        const auto sent = socket->SendTo(Create<Packet>(PAYLOAD), 0, InetSocketAddress(to, PORT));
        error = sent < 0 ? socket->GetErrno() : Socket::ERROR_NOTERROR;
    }
    socket->Close();
    return error;
}

} // namespace ns3
