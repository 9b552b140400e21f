/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "log-gops-message-transport.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LogGopsMessageTransport");

NS_OBJECT_ENSURE_REGISTERED(LogGopsMessageTransport);

TypeId
LogGopsMessageTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LogGopsMessageTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<LogGopsMessageTransport>();
    return tid;
}

LogGopsMessageTransport::LogGopsMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

LogGopsMessageTransport::~LogGopsMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
LogGopsMessageTransport::Setup(std::shared_ptr<const Ranks> ranks, Ptr<const LogGopsCosts> costs)
{
    NS_LOG_FUNCTION(this);
    m_ranks = std::move(ranks);
    m_costs = costs;
}

Ptr<const LogGopsCosts>
LogGopsMessageTransport::GetCosts() const
{
    return m_costs;
}

void
LogGopsMessageTransport::NotifyReceived(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.cookie);
    m_ranks->at(message.source)->NotifySent(message.cookie);
}

std::string
LogGopsMessageTransport::GetKind() const
{
    return "ideal";
}

void
LogGopsMessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ranks = nullptr;
    m_costs = nullptr;
    MessageTransport::DoDispose();
}

void
LogGopsMessageTransport::DoSend(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    Simulator::Schedule(m_costs->GetOverhead() + m_costs->GetLatency(),
                        &LogGopsMessageTransport::NotifyArrival,
                        m_ranks->at(message.destination),
                        message);
}

} // namespace ns3
