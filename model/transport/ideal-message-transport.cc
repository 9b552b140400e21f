/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-message-transport.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IdealMessageTransport");

NS_OBJECT_ENSURE_REGISTERED(IdealMessageTransport);

TypeId
IdealMessageTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IdealMessageTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<IdealMessageTransport>();
    return tid;
}

IdealMessageTransport::IdealMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

IdealMessageTransport::~IdealMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
IdealMessageTransport::SetNetwork(Ptr<IdealNetwork> network, uint32_t rank)
{
    NS_LOG_FUNCTION(this << network << rank);
    m_network = network;
    m_rank = rank;
    m_network->Attach(rank, this);
}

bool
IdealMessageTransport::Serves(uint32_t rank) const
{
    return rank == m_rank;
}

std::string
IdealMessageTransport::GetKind() const
{
    return "ideal";
}

void
IdealMessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_network)
    {
        m_network->Detach(m_rank);
        m_network = nullptr;
    }
    MessageTransport::DoDispose();
}

void
IdealMessageTransport::DoSend(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    NS_ASSERT_MSG(m_network, "SetNetwork() comes before Send()");
    NS_ASSERT_MSG(message.source == m_rank, "a rank sends its own messages only");
    m_network->Start(message);
}

bool
IdealMessageTransport::DoTakeParts(const PacedMessage& message, const ResumeCallback& resume)
{
    return m_network->TakeParts(message, resume);
}

void
IdealMessageTransport::HandleArrival(const Message& message)
{
    NotifyArrival(message);
}

void
IdealMessageTransport::HandleSent(uint64_t cookie)
{
    NotifySent(cookie);
}

bool
IdealMessageTransport::TakesParts() const
{
    return !IsArrivedTraced();
}

void
IdealMessageTransport::HandlePartsArrived(const Message& parts, uint64_t count)
{
    NotifyPartsArrived(parts, count);
}

} // namespace ns3
