/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-transport.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MessageTransport");

NS_OBJECT_ENSURE_REGISTERED(MessageTransport);

TypeId
MessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MessageTransport")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddTraceSource("Posted",
                            "The rank has handed a message to the transport.",
                            MakeTraceSourceAccessor(&MessageTransport::m_postedTrace),
                            "ns3::MessageTransport::MessageTracedCallback")
            .AddTraceSource("Arrived",
                            "The last byte of a message has reached the rank.",
                            MakeTraceSourceAccessor(&MessageTransport::m_arrivedTrace),
                            "ns3::MessageTransport::MessageTracedCallback")
            .AddTraceSource("Carried",
                            "As Arrived, without the messages of collectives that are reused, "
                            "which listeners of Arrived have simulated: CollectiveReuse reports "
                            "these by Skipped.",
                            MakeTraceSourceAccessor(&MessageTransport::m_carriedTrace),
                            "ns3::MessageTransport::MessageTracedCallback")
            .AddTraceSource(
                "Delivered",
                "As Arrived, but parts of a message may be reported together, before its "
                "last part: for those who count. Listeners of Arrived have a network "
                "carry each part by itself, these do not.",
                MakeTraceSourceAccessor(&MessageTransport::m_deliveredTrace),
                "ns3::MessageTransport::MessagesTracedCallback");
    return tid;
}

MessageTransport::MessageTransport()
{
    NS_LOG_FUNCTION(this);
}

MessageTransport::~MessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
MessageTransport::SetCallbacks(ArrivalCallback arrival, SentCallback sent)
{
    NS_LOG_FUNCTION(this);
    m_arrival = arrival;
    m_sent = sent;
}

void
MessageTransport::SetBackgroundCallback(SentCallback sent)
{
    NS_LOG_FUNCTION(this);
    m_backgroundSent = sent;
}

void
MessageTransport::Send(Message message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    NS_ASSERT_MSG(message.source != message.destination, "a rank sends no message to itself");
    message.postedAt = Simulator::Now();
    if (message.channel != Message::CONTROL_CHANNEL)
    {
        m_postedTrace(message);
    }
    DoSend(message);
}

bool
MessageTransport::TakeParts(const PacedMessage& message, const ResumeCallback& resume)
{
    NS_ASSERT_MSG(message.CountFullParts() > 0, "there are parts before the last one");
    return !IsPostedTraced() && DoTakeParts(message, resume);
}

bool
MessageTransport::DoTakeParts(const PacedMessage& message [[maybe_unused]],
                              const ResumeCallback& resume [[maybe_unused]])
{
    return false;
}

void
MessageTransport::SetTrafficClasses(TrafficClasses classes [[maybe_unused]])
{
    NS_ABORT_MSG("the transport " << GetKind() << " has no traffic classes; rdma has");
}

uint64_t
MessageTransport::GetAcknowledgedBytes() const
{
    return 0;
}

bool
MessageTransport::Serves(uint32_t rank [[maybe_unused]]) const
{
    return true;
}

bool
MessageTransport::HasListeners() const
{
    return IsPostedTraced() || !m_arrivedTrace.IsEmpty();
}

void
MessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_arrival = ArrivalCallback();
    m_sent = SentCallback();
    m_backgroundSent = SentCallback();
    Object::DoDispose();
}

void
MessageTransport::NotifyArrival(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    if (message.channel != Message::CONTROL_CHANNEL)
    {
        m_arrivedTrace(message);
        m_carriedTrace(message);
        m_deliveredTrace(message, 1);
    }
    if (!message.IsBackground() && !m_arrival.IsNull())
    {
        m_arrival(message);
    }
}

void
MessageTransport::NotifyPartsArrived(const Message& parts, uint64_t count)
{
    NS_LOG_FUNCTION(this << parts.source << parts.bytes << count);
    m_deliveredTrace(parts, count);
    if (!m_arrival.IsNull())
    {
        m_arrival(parts);
    }
}

void
MessageTransport::NotifySent(uint64_t cookie)
{
    NS_LOG_FUNCTION(this << cookie);
    const auto& sent = cookie < Message::FIRST_BACKGROUND_COOKIE ? m_sent : m_backgroundSent;
    if (!sent.IsNull())
    {
        sent(cookie);
    }
}

} // namespace ns3
