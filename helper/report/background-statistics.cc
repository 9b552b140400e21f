/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-statistics.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @param sorted numbers, the smallest first, at least one
 * @param share a share, above 0 and up to 1
 * @return the smallest number that this share of them does not exceed
 */
template <typename Number>
Number
GetQuantile(const std::vector<Number>& sorted, double share)
{
    // The nearest rank, without interpolation: the result is a value that has occurred.
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

} // namespace

BackgroundStatistics::BackgroundStatistics(const TopologyGraph& graph)
    : m_idealTime(graph)
{
}

void
BackgroundStatistics::ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports)
{
    for (const auto& transport : transports)
    {
        if (transport)
        {
            transport->TraceConnectWithoutContext(
                "Arrived",
                MakeCallback(&BackgroundStatistics::AddMessage, this));
        }
    }
}

void
BackgroundStatistics::AddMessage(const Message& message)
{
    if (!message.IsBackground())
    {
        return;
    }
    const Time time = Simulator::Now() - message.postedAt;
    const auto ideal = m_idealTime.Get(message.source, message.destination, message.bytes);
    m_flows.bytes += message.bytes;
    m_flows.times.push_back(time);
    m_flows.slowdowns.push_back(time.GetSeconds() / ideal.GetSeconds());
}

const BackgroundStatistics::Flows&
BackgroundStatistics::GetFlows() const
{
    return m_flows;
}

void
BackgroundStatistics::Add(const Flows& other)
{
    m_flows.started += other.started;
    m_flows.bytes += other.bytes;
    m_flows.times.insert(m_flows.times.end(), other.times.begin(), other.times.end());
    m_flows.slowdowns.insert(m_flows.slowdowns.end(),
                             other.slowdowns.begin(),
                             other.slowdowns.end());
}

BackgroundTotals
BackgroundStatistics::GetTotals() const
{
    BackgroundTotals totals;
    totals.started = m_flows.started;
    totals.finished = m_flows.times.size();
    totals.bytes = m_flows.bytes;
    if (m_flows.times.empty())
    {
        return totals;
    }
    auto times = m_flows.times;
    auto slowdowns = m_flows.slowdowns;
    std::sort(times.begin(), times.end());
    std::sort(slowdowns.begin(), slowdowns.end());
    const auto count = static_cast<int64_t>(times.size());
    totals.mean = std::accumulate(times.begin(), times.end(), Time()) / count;
    totals.median = GetQuantile(times, 0.5);
    totals.high = GetQuantile(times, 0.99);
    totals.meanSlowdown = std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0) /
                          static_cast<double>(slowdowns.size());
    totals.highSlowdown = GetQuantile(slowdowns, 0.99);
    return totals;
}

} // namespace ns3
