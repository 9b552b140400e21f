/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-message-transport.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaMessageTransport");

NS_OBJECT_ENSURE_REGISTERED(RdmaMessageTransport);

TypeId
RdmaMessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaMessageTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaMessageTransport>()
            .AddAttribute("Priority",
                          "Priority of the messages, 0 to 7. The switches' LosslessPriorities say "
                          "whether it is under flow control.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaMessageTransport::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 7));
    return tid;
}

RdmaMessageTransport::RdmaMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

RdmaMessageTransport::~RdmaMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaMessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_pairs.clear();
    m_nic = nullptr;
    m_hosts = nullptr;
    MessageTransport::DoDispose();
}

void
RdmaMessageTransport::SetNic(Ptr<RdmaNic> nic, Hosts hosts)
{
    NS_LOG_FUNCTION(this << nic);
    m_nic = nic;
    m_hosts = hosts;
    nic->SetCallbacks(MakeCallback(&RdmaMessageTransport::NotifyArrival, this),
                      MakeCallback(&RdmaMessageTransport::NotifySent, this));
}

std::string
RdmaMessageTransport::GetKind() const
{
    return "rdma";
}

uint64_t
RdmaMessageTransport::GetAcknowledgedBytes() const
{
    uint64_t bytes = 0;
    for (const auto& [key, pair] : m_pairs)
    {
        bytes += pair->GetAcknowledgedBytes();
    }
    return bytes;
}

void
RdmaMessageTransport::DoSend(const Message& message)
{
    const uint64_t key = static_cast<uint64_t>(message.destination) << 32 | message.channel;
    RdmaSender*& pair = m_pairs[key];
    if (!pair)
    {
        pair =
            m_nic->CreateQueuePair(m_hosts->at(message.destination), message.channel, m_priority);
    }
    m_nic->Post(*pair, message);
}

} // namespace ns3
