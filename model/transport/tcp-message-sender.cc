/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-message-sender.h"

#include "tcp-message-header.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpMessageSender");

TcpMessageSender::TcpMessageSender(Ptr<Socket> socket, uint32_t peer, const Callbacks& callbacks)
    : m_socket(socket),
      m_peer(peer),
      m_callbacks(callbacks)
{
    NS_LOG_FUNCTION(this << socket << peer);
    UintegerValue size;
    m_socket->GetAttribute("SndBufSize", size);
    m_bufferSize = static_cast<uint32_t>(size.Get());
    // Connect() tries again as often as the socket would, where a route is lacking.
    TimeValue wait;
    m_socket->GetAttribute("ConnTimeout", wait);
    m_routeWait = wait.Get();
    m_socket->GetAttribute("ConnCount", size);
    m_routeTries = static_cast<uint32_t>(size.Get());
    m_socket->SetConnectCallback(MakeCallback(&TcpMessageSender::HandleConnected, this),
                                 MakeCallback(&TcpMessageSender::HandleNotConnected, this));
    m_socket->SetCloseCallbacks(MakeCallback(&TcpMessageSender::HandleClosed, this),
                                MakeCallback(&TcpMessageSender::HandleError, this));
    m_socket->SetSendCallback(MakeCallback(&TcpMessageSender::HandleRoom, this));
    m_socket->TraceConnectWithoutContext("Tx",
                                         MakeCallback(&TcpMessageSender::HandleSegment, this));
    m_socket->TraceConnectWithoutContext("RTO",
                                         MakeCallback(&TcpMessageSender::HandleTimeout, this));
}

TcpMessageSender::~TcpMessageSender()
{
    NS_LOG_FUNCTION(this);
    m_routeEvent.Cancel();
    m_socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                 MakeNullCallback<void, Ptr<Socket>>());
    m_socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                MakeNullCallback<void, Ptr<Socket>>());
    m_socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
    m_socket->TraceDisconnectWithoutContext("Tx",
                                            MakeCallback(&TcpMessageSender::HandleSegment, this));
    m_socket->TraceDisconnectWithoutContext("RTO",
                                            MakeCallback(&TcpMessageSender::HandleTimeout, this));
}

void
TcpMessageSender::Connect(const Address& address)
{
    NS_LOG_FUNCTION(this << address);
    if (m_socket->Connect(address) == 0)
    {
        return;
    }
    if (m_socket->GetErrno() != Socket::ERROR_NOROUTETOHOST)
    {
        Fail("no free port");
    }
    else if (m_routeTries == 0)
    {
        Fail("no route to the peer");
    }
    else
    {
        // A link may be down for a moment. The socket gives up at once where a SYN would be lost.
        m_routeEvent = Simulator::Schedule(m_routeWait, &TcpMessageSender::Connect, this, address);
        m_routeWait = m_routeWait * 2;
        --m_routeTries;
    }
}

void
TcpMessageSender::Send(const Message& message)
{
    NS_LOG_FUNCTION(this << message.bytes);
    // The socket's buffer is finite: what it cannot take now is written later.
    m_queue.push_back(message);
    Write();
}

void
TcpMessageSender::Write()
{
    // A message is written whole before the next header.
    WritePayload();
    while (m_connected && m_payloadLeft == 0 && !m_queue.empty() &&
           m_socket->GetTxAvailable() >= TcpMessageHeader::SIZE)
    {
        const Message& message = m_queue.front();
        TcpMessageHeader header;
        header.SetMessage(message);
        Ptr<Packet> packet = Create<Packet>();
        packet->AddHeader(header);
        WritePacket(packet);
        // Position in the byte stream at which the payload ends; its header is written.
        m_unacknowledged.push_back({m_written + message.bytes, message.cookie});
        m_payloadLeft = message.bytes;
        m_queue.pop_front();
        WritePayload();
    }
}

void
TcpMessageSender::WritePayload()
{
    if (!m_connected || m_payloadLeft == 0)
    {
        return;
    }
    // Few large writes: the socket cuts segments from them more cheaply than it joins small ones.
    const uint32_t room = m_socket->GetTxAvailable();
    if (room >= std::min<uint64_t>(m_payloadLeft, m_bufferSize / 3))
    {
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(m_payloadLeft, room));
        WritePacket(Create<Packet>(bytes));
        m_payloadLeft -= bytes;
    }
}

void
TcpMessageSender::WritePacket(Ptr<Packet> packet)
{
    const uint32_t bytes = packet->GetSize();
    const int written [[maybe_unused]] = m_socket->Send(packet);
    NS_ASSERT_MSG(written == static_cast<int>(bytes),
                  "the socket has refused bytes it has room for");
    // Position in the byte stream, as acknowledgements count it.
    m_written += bytes;
}

void
TcpMessageSender::HandleConnected(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    m_connected = true;
    Write();
}

void
TcpMessageSender::HandleNotConnected(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Fail("the peer does not answer");
}

void
TcpMessageSender::HandleClosed(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Fail("reset or closed by the peer");
}

void
TcpMessageSender::HandleError(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Fail("retransmissions used up or protocol error");
}

void
TcpMessageSender::HandleRoom(Ptr<Socket> socket, uint32_t room)
{
    NS_LOG_FUNCTION(this << socket << room);
    Write();
    // The socket's buffer holds what is not acknowledged.
    const uint64_t acknowledged = m_written - (m_bufferSize - m_socket->GetTxAvailable());
    while (!m_unacknowledged.empty() && m_unacknowledged.front().end <= acknowledged)
    {
        const uint64_t cookie = m_unacknowledged.front().cookie;
        m_unacknowledged.pop_front();
        m_callbacks.sent(cookie);
    }
}

void
TcpMessageSender::HandleSegment(Ptr<const Packet> packet,
                                const TcpHeader& header,
                                Ptr<const TcpSocketBase> socket [[maybe_unused]])
{
    const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
    // Nothing new in it: it was sent before. Sequence numbers compare modulo 2^32.
    if (packet->GetSize() > 0 && end <= m_highest)
    {
        m_callbacks.retransmitted(m_peer, packet->GetSize());
    }
    // Bytes up to here have been sent once.
    m_highest = std::max(m_highest, end);
}

void
TcpMessageSender::HandleTimeout(Time before, Time now)
{
    // The trace reports each new value of the timer; a timeout doubles it (RFC 6298, rule 5.5).
    if (m_connected && now == before + before)
    {
        m_callbacks.timedOut(m_peer, before);
    }
}

void
TcpMessageSender::Fail(const std::string& reason)
{
    NS_LOG_FUNCTION(this << reason);
    m_connected = false;
    if (!m_failed)
    {
        m_failed = true;
        m_callbacks.failed(m_peer, reason);
    }
}

} // namespace ns3
