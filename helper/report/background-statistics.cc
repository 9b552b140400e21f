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
    m_bytes += message.bytes;
    m_times.push_back(time);
    m_slowdowns.push_back(time.GetSeconds() / ideal.GetSeconds());
}

void
BackgroundStatistics::Write(ByteWriter& writer) const
{
    writer.Put(m_bytes);
    writer.Put(static_cast<uint64_t>(m_times.size()));
    for (std::size_t flow = 0; flow < m_times.size(); ++flow)
    {
        writer.Put(m_times[flow].GetTimeStep());
        writer.Put(m_slowdowns[flow]);
    }
}

void
BackgroundStatistics::Add(ByteReader& reader)
{
    m_bytes += reader.Get<uint64_t>();
    for (auto left = reader.Get<uint64_t>(); left > 0; --left)
    {
        m_times.push_back(TimeStep(reader.Get<int64_t>()));
        m_slowdowns.push_back(reader.Get<double>());
    }
}

BackgroundTotals
BackgroundStatistics::GetTotals() const
{
    BackgroundTotals totals;
    totals.finished = m_times.size();
    totals.bytes = m_bytes;
    if (m_times.empty())
    {
        return totals;
    }
    auto times = m_times;
    auto slowdowns = m_slowdowns;
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
