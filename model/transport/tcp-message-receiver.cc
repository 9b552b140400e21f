/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-message-receiver.h"

#include "tcp-message-header.h"

#include "ns3/log.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpMessageReceiver");

TcpMessageReceiver::TcpMessageReceiver(Ptr<Socket> socket, MessageCallback received)
    : m_socket(socket),
      m_received(received),
      m_header(Create<Packet>())
{
    NS_LOG_FUNCTION(this << socket);
    m_socket->SetRecvCallback(MakeCallback(&TcpMessageReceiver::Read, this));
}

TcpMessageReceiver::~TcpMessageReceiver()
{
    NS_LOG_FUNCTION(this);
    m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
}

void
TcpMessageReceiver::Read(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    while (true)
    {
        const uint64_t missing =
            m_payloadMissing > 0 ? m_payloadMissing : TcpMessageHeader::SIZE - m_header->GetSize();
        constexpr uint64_t limit = std::numeric_limits<uint32_t>::max();
        Ptr<Packet> packet = socket->Recv(static_cast<uint32_t>(std::min(missing, limit)), 0);
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        if (m_payloadMissing == 0)
        {
            AddToHeader(packet);
            continue;
        }
        m_payloadMissing -= packet->GetSize();
        if (m_payloadMissing == 0)
        {
            m_received(m_message);
        }
    }
}

void
TcpMessageReceiver::AddToHeader(Ptr<Packet> packet)
{
    m_header->AddAtEnd(packet);
    if (m_header->GetSize() < TcpMessageHeader::SIZE)
    {
        return;
    }
    TcpMessageHeader header;
    m_header->RemoveHeader(header);
    m_message = header.GetMessage();
    m_payloadMissing = m_message.bytes;
    if (m_payloadMissing == 0)
    {
        m_received(m_message);
    }
}

} // namespace ns3
