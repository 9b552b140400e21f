/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-times.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ns3
{

namespace
{

/// Largest flow of the first class, bytes.
constexpr uint64_t SMALLEST_CLASS = 10000;

/**
 * @param values values, at least one; they are sorted
 * @param share a share, above 0 and up to 1
 * @return the smallest value that this share of them does not exceed
 */
template <typename Value>
Value
FindQuantile(std::vector<Value>& values, double share)
{
    std::sort(values.begin(), values.end());
    // The nearest rank, without interpolation: the result is a value that has occurred.
    const auto rank = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(rank) - 1];
}

/**
 * @param flows flows of a class, at least one
 * @param most most bytes of a flow of the class
 * @return what is reported of them
 */
FlowClass
MakeClass(const std::vector<FlowTime>& flows, uint64_t most)
{
    std::vector<Time> times;
    std::vector<double> slowdowns;
    FlowClass result;
    result.most = most;
    result.count = flows.size();
    for (const auto& flow : flows)
    {
        result.bytes += flow.bytes;
        times.push_back(flow.time);
        slowdowns.push_back(flow.slowdown);
    }
    result.mean =
        std::accumulate(times.begin(), times.end(), Time()) / static_cast<int64_t>(times.size());
    result.meanSlowdown = std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0) /
                          static_cast<double>(slowdowns.size());
    result.median = FindQuantile(times, 0.5);
    result.high = FindQuantile(times, 0.99);
    // FindQuantile() has sorted them.
    result.longest = times.back();
    result.highSlowdown = FindQuantile(slowdowns, 0.99);
    return result;
}

} // namespace

FlowTimes::FlowTimes(const TopologyGraph& graph)
    : m_idealTime(graph)
{
}

void
FlowTimes::ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports)
{
    for (const auto& transport : transports)
    {
        if (transport)
        {
            transport->TraceConnectWithoutContext("Arrived",
                                                  MakeCallback(&FlowTimes::AddMessage, this));
        }
    }
}

const std::vector<FlowTime>&
FlowTimes::Get() const
{
    return m_flows;
}

void
FlowTimes::AddMessage(const Message& message)
{
    // One byte announces a trigger, see LowerFlowList().
    if (message.IsBackground() || message.bytes <= 1)
    {
        return;
    }
    const Time time = Simulator::Now() - message.postedAt;
    const auto ideal = m_idealTime.Get(message.source, message.destination, message.bytes);
    m_flows.push_back({message.bytes, time, time.GetSeconds() / ideal.GetSeconds()});
}

std::vector<FlowClass>
ClassifyFlows(const std::vector<FlowTime>& flows)
{
    std::map<uint64_t, std::vector<FlowTime>> byClass;
    for (const auto& flow : flows)
    {
        auto most = SMALLEST_CLASS;
        while (most < flow.bytes)
        {
            most *= 10;
        }
        byClass[most].push_back(flow);
    }
    std::vector<FlowClass> classes;
    for (const auto& [most, members] : byClass)
    {
        classes.push_back(MakeClass(members, most));
    }
    return classes;
}

} // namespace ns3
