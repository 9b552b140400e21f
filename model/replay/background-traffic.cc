/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-traffic.h"

#include "message-context.h"
#include "message-envelope.h"

#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <sstream>
#include <string>
#include <utility>

namespace ns3
{

BackgroundTraffic::BackgroundTraffic(const NodeContainer& nodes,
                                     std::vector<Ptr<MessageTransport>> transports,
                                     uint32_t communicator)
    : m_nodes(nodes),
      m_transports(std::move(transports)),
      m_communicator(communicator)
{
    for (const auto& transport : m_transports)
    {
        if (!transport)
        {
            continue;
        }
        transport->SetBackgroundCallback(MakeCallback(&BackgroundTraffic::HandleSent, this));
    }
}

void
BackgroundTraffic::Add(std::unique_ptr<TrafficPattern> pattern, const Period& period)
{
    m_sources.push_back({std::move(pattern), period, {}});
    ScheduleNext(m_sources.size() - 1);
}

uint64_t
BackgroundTraffic::GetStarted() const
{
    return m_started;
}

void
BackgroundTraffic::ScheduleNext(std::size_t index)
{
    auto& source = m_sources[index];
    const auto flow = source.pattern->Next();
    if (!flow || source.period.start + flow->start >= source.period.until)
    {
        return;
    }
    CheckFlow(*flow, source.flow.start);
    source.flow = *flow;
    const Time start = source.period.start + flow->start;
    // An event of the sender's: what it does then does not depend on who began the flow before.
    Simulator::ScheduleWithContext(m_nodes.Get(flow->source)->GetId(),
                                   start - Simulator::Now(),
                                   &BackgroundTraffic::Begin,
                                   this,
                                   index);
}

void
BackgroundTraffic::CheckFlow(const BackgroundFlow& flow, Time earliest) const
{
    const uint32_t hosts = m_nodes.GetN();
    if (flow.source < hosts && flow.destination < hosts && flow.source != flow.destination &&
        flow.bytes > 0 && flow.start >= earliest)
    {
        return;
    }
    std::ostringstream found;
    found << flow.bytes << " bytes from host " << flow.source << " to host " << flow.destination
          << " at " << flow.start.As(Time::US);
    throw WorkloadError({"TrafficPattern::Next()", 0, 0, ""},
                        "a byte or more from one to another of the hosts 0 to " +
                            std::to_string(hosts - 1) + ", not before the flow before it",
                        found.str());
}

void
BackgroundTraffic::Begin(std::size_t index)
{
    const auto flow = m_sources[index].flow;
    // Another process has the sender: here the flow is only drawn, so that all draw alike.
    if (!m_transports[flow.source])
    {
        ScheduleNext(index);
        return;
    }
    const uint64_t pair = static_cast<uint64_t>(flow.source) << 32 | flow.destination;
    auto& connections = m_connections[pair];
    if (connections.free.empty())
    {
        connections.free.push_back(connections.count++);
    }
    if (m_freeCookies.empty())
    {
        m_freeCookies.push_back(m_active.size());
        m_active.emplace_back();
    }
    const auto cookie = m_freeCookies.back();
    const auto connection = connections.free.back();
    m_freeCookies.pop_back();
    connections.free.pop_back();
    m_active[cookie] = {pair, connection};
    ++m_started;

    Message message;
    message.source = flow.source;
    message.destination = flow.destination;
    message.group = m_communicator;
    message.channel = Message::FIRST_BACKGROUND_CHANNEL + connection;
    message.bytes = flow.bytes;
    message.cookie = Message::FIRST_BACKGROUND_COOKIE + cookie;
    MessageEnvelope{MessageContext{m_communicator}.Pack()}.AttachTo(message);
    m_transports[flow.source]->Send(message);
    ScheduleNext(index);
}

void
BackgroundTraffic::HandleSent(uint64_t cookie)
{
    const auto index = cookie - Message::FIRST_BACKGROUND_COOKIE;
    const auto& active = m_active[index];
    m_connections[active.pair].free.push_back(active.connection);
    m_freeCookies.push_back(index);
}

} // namespace ns3
