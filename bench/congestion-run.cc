/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-run.h"

#include "ns3/core-module.h"
#include "ns3/topology-graph.h"

#include <numeric>

namespace ns3
{

namespace
{

/**
 * A message has left its sender: nobody waits for that.
 *
 * @param cookie of the message
 */
void
Ignore(uint64_t cookie [[maybe_unused]])
{
}

} // namespace

CongestionRun::CongestionRun(const Case& what)
    : m_case(what)
{
    RngSeedManager::SetRun(what.seed);
    for (const auto& [name, value] : what.settings)
    {
        Config::SetDefault("ns3::Rdma" + name, StringValue(value));
    }
    TopologyGraph graph;
    for (uint32_t host = 0; host <= what.senders; ++host)
    {
        graph.AddHost("h" + std::to_string(host));
    }
    const uint32_t center = graph.AddSwitch("s");
    for (uint32_t host = 0; host <= what.senders; ++host)
    {
        graph.AddLink(host, center, what.rate, what.delay);
    }
    m_fabric.SetCongestionControl("ns3::Rdma" + what.control);
    m_fabric.Install(graph);
    m_fabric.AssignStreams(1);
    m_mtu = m_fabric.GetNic(0)->MakeQueuePairConfig().mtu;
    for (const auto& transport : m_fabric.GetTransports())
    {
        transport->SetCallbacks(MakeCallback(&CongestionRun::Receive, this), MakeCallback(&Ignore));
    }
}

CongestionRun::~CongestionRun()
{
    Simulator::Destroy();
    Config::Reset();
}

void
CongestionRun::Post(uint32_t sender, uint64_t bytes, Time at)
{
    Message message;
    message.source = sender;
    message.destination = m_case.senders;
    message.bytes = bytes;
    Simulator::Schedule(at, &CongestionRun::Send, this, message);
}

void
CongestionRun::RunAll()
{
    Simulator::Run();
}

void
CongestionRun::RunUntil(Time until, Time window)
{
    m_window = window;
    Simulator::Schedule(window, &CongestionRun::Look, this, window);
    Simulator::Stop(until + TimeStep(1));
    Simulator::Run();
}

std::vector<double>
CongestionRun::GetBytes(std::size_t first, uint32_t windows) const
{
    std::vector<double> bytes;
    for (uint32_t sender = 0; sender < m_case.senders; ++sender)
    {
        const uint64_t before = first == 0 ? 0 : m_looks[first - 1][sender];
        bytes.push_back(static_cast<double>(m_looks[first + windows - 1][sender] - before));
    }
    return bytes;
}

std::vector<double>
CongestionRun::GetLoads() const
{
    // Bytes of payload that the port sends in a window.
    const double most = static_cast<double>(m_case.rate.GetBitRate()) / 8 * m_window.GetSeconds() *
                        m_mtu / GetWireBytes(m_mtu);
    std::vector<double> loads;
    for (std::size_t look = 0; look < m_looks.size(); ++look)
    {
        const auto bytes = GetBytes(look, 1);
        loads.push_back(std::accumulate(bytes.begin(), bytes.end(), 0.0) / most);
    }
    return loads;
}

std::vector<double>
CongestionRun::GetFairness(uint32_t windows) const
{
    std::vector<double> indices;
    for (std::size_t first = 0; first + windows <= m_looks.size(); first += windows)
    {
        double sum = 0;
        double squares = 0;
        for (const double bytes : GetBytes(first, windows))
        {
            sum += bytes;
            squares += bytes * bytes;
        }
        indices.push_back(sum * sum / (m_case.senders * squares));
    }
    return indices;
}

uint64_t
CongestionRun::GetMaxQueue() const
{
    return m_fabric.GetDevice(m_case.senders, m_case.senders + 1)->GetCounters().maxQueue;
}

uint64_t
CongestionRun::GetPauses() const
{
    uint64_t pauses = 0;
    for (uint32_t host = 0; host <= m_case.senders; ++host)
    {
        pauses += m_fabric.GetDevice(host, host)->GetCounters().pauses;
        pauses += m_fabric.GetDevice(host, m_case.senders + 1)->GetCounters().pauses;
    }
    return pauses;
}

uint64_t
CongestionRun::GetDrops() const
{
    uint64_t drops = 0;
    for (uint32_t host = 0; host <= m_case.senders; ++host)
    {
        drops += m_fabric.GetDevice(host, host)->GetCounters().drops;
        drops += m_fabric.GetDevice(host, m_case.senders + 1)->GetCounters().drops;
    }
    return drops;
}

uint32_t
CongestionRun::GetWireBytes(uint32_t payload)
{
    return RdmaLinkLayer::ETHERNET.GetDataBytes(payload) + RdmaLinkLayer::ETHERNET.gap;
}

void
CongestionRun::Send(Message message)
{
    m_fabric.GetTransports()[message.source]->Send(message);
}

void
CongestionRun::Receive(const Message& message)
{
    m_completions.emplace_back(message.source,
                               (Simulator::Now() - message.postedAt).GetSeconds() * 1e6);
}

void
CongestionRun::Look(Time window)
{
    std::vector<uint64_t> look;
    for (uint32_t sender = 0; sender < m_case.senders; ++sender)
    {
        look.push_back(m_fabric.GetNic(sender)->GetSender(0).GetAcknowledgedBytes());
    }
    m_looks.push_back(look);
    Simulator::Schedule(window, &CongestionRun::Look, this, window);
}

} // namespace ns3
