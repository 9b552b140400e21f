/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-message-transport.h"

#include "ns3/log.h"
#include "ns3/node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ServerMessageTransport");

NS_OBJECT_ENSURE_REGISTERED(ServerMessageTransport);

TypeId
ServerMessageTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ServerMessageTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<ServerMessageTransport>();
    return tid;
}

ServerMessageTransport::ServerMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

ServerMessageTransport::~ServerMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
ServerMessageTransport::SetTransports(Ptr<MessageTransport> inside,
                                      Ptr<MessageTransport> outside,
                                      Servers servers)
{
    NS_LOG_FUNCTION(this << inside << outside);
    m_inside = inside;
    m_outside = outside;
    m_servers = servers;
    for (const auto& transport : {m_inside, m_outside})
    {
        const auto sent = MakeCallback(&ServerMessageTransport::NotifySent, this);
        transport->SetCallbacks(MakeCallback(&ServerMessageTransport::NotifyArrival, this), sent);
        transport->SetBackgroundCallback(sent);
    }
}

std::string
ServerMessageTransport::GetKind() const
{
    return m_outside->GetKind();
}

void
ServerMessageTransport::SetTrafficClasses(TrafficClasses classes)
{
    m_outside->SetTrafficClasses(classes);
}

uint64_t
ServerMessageTransport::GetAcknowledgedBytes() const
{
    return m_inside->GetAcknowledgedBytes() + m_outside->GetAcknowledgedBytes();
}

bool
ServerMessageTransport::HasListeners() const
{
    return MessageTransport::HasListeners() || m_inside->HasListeners() ||
           m_outside->HasListeners();
}

bool
ServerMessageTransport::Serves(uint32_t rank) const
{
    return m_inside->Serves(rank) && m_outside->Serves(rank);
}

void
ServerMessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (const auto& transport : {m_inside, m_outside})
    {
        // What is aggregated to a node is disposed of with it, as this object may be just now.
        if (transport && !transport->GetObject<Node>())
        {
            transport->Dispose();
        }
    }
    m_inside = nullptr;
    m_outside = nullptr;
    MessageTransport::DoDispose();
}

void
ServerMessageTransport::DoSend(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const bool isInside = m_servers->at(message.source) == m_servers->at(message.destination);
    const bool goesInside = isInside && !message.IsBackground();
    (goesInside ? m_inside : m_outside)->Send(message);
}

} // namespace ns3
