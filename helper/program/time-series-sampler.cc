/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "time-series-sampler.h"

#include "link-failure.h"

#include "ns3/input-values.h"
#include "ns3/radix-heap-scheduler.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Samples that are kept at most, for all series of links; some 64 MB.
constexpr std::size_t MOST_SAMPLES = 1000000;

/// Intervals that are kept at most, however few series there are.
constexpr std::size_t MOST_INTERVALS = 4096;

/// Intervals that are kept at least, however many series there are.
constexpr std::size_t LEAST_INTERVALS = 64;

/**
 * @param name name of a node, such as pod0-edge1
 * @return the same without its numbers, such as pod-edge
 */
std::string
StripNumbers(const std::string& name)
{
    std::string kind;
    std::copy_if(name.begin(), name.end(), std::back_inserter(kind), [](char c) {
        return c < '0' || c > '9';
    });
    return kind;
}

/**
 * @param request what is to be seen
 * @param graph the topology
 * @return links that it names
 */
std::set<uint32_t>
FindLinks(const TimeSeriesRequest& request, const TopologyGraph& graph)
{
    std::set<uint32_t> links;
    if (request.links == "tiers" || request.links == "all")
    {
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            links.insert(links.end(), link);
        }
        return links;
    }
    for (const auto& ends : SplitText(request.links, ','))
    {
        const auto found = FindLinksBetween({ends, request.linksWhere}, graph);
        links.insert(found.begin(), found.end());
    }
    return links;
}

} // namespace

std::vector<TimeSeriesSampler::Port>
TimeSeriesSampler::FindPorts(const TimeSeriesRequest& request, const TopologyGraph& graph)
{
    const bool isGrouped = request.links == "tiers";
    std::vector<Port> ports;
    std::map<std::pair<std::string, std::string>, uint32_t> sizes;
    for (const auto link : FindLinks(request, graph))
    {
        for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            const auto& from = graph.GetNode(node).name;
            const auto& to = graph.GetNode(graph.GetPeer(link, node)).name;
            TimeSeries::Key key{TimeSeries::Kind::LINK, link, from, to};
            if (isGrouped)
            {
                key = {TimeSeries::Kind::LINKS, 0, StripNumbers(from), StripNumbers(to)};
                ++sizes[{key.from, key.to}];
            }
            ports.push_back({link, node, key});
        }
    }
    // Ports of all processes count in a group, whichever process looks at them.
    for (auto& port : ports)
    {
        port.key.ports = isGrouped ? sizes[{port.key.from, port.key.to}] : 1;
    }
    return ports;
}

TimeSeriesSampler::TimeSeriesSampler(const TimeSeriesRequest& request,
                                     const ReplayFabric& fabric,
                                     const TopologyGraph& graph)
    : m_fabric(fabric),
      m_ports(FindPorts(request, graph)),
      m_ranks(request.ranks)
{
    std::set<TimeSeries::Key> keys;
    for (const auto& port : m_ports)
    {
        keys.insert(port.key);
    }
    // The same in all processes.
    const auto most = std::clamp(MOST_SAMPLES / std::max<std::size_t>(keys.size(), 1),
                                 LEAST_INTERVALS,
                                 MOST_INTERVALS);
    // An even number, since two intervals become one when all are used.
    m_series = std::make_shared<TimeSeries>(request.interval, most / 2 * 2);
    m_ports.erase(std::remove_if(
                      m_ports.begin(),
                      m_ports.end(),
                      [this](const Port& port) { return !m_fabric.HasPort(port.link, port.node); }),
                  m_ports.end());
    const auto hosts = static_cast<uint32_t>(graph.GetHosts().size());
    for (const auto rank : m_ranks)
    {
        if (rank >= hosts)
        {
            throw WorkloadError(request.ranksWhere,
                                "a rank from 0 to " + std::to_string(hosts - 1),
                                std::to_string(rank));
        }
    }
    // A rank that is named twice is looked at once.
    std::sort(m_ranks.begin(), m_ranks.end());
    m_ranks.erase(std::unique(m_ranks.begin(), m_ranks.end()), m_ranks.end());
    m_acknowledged.resize(m_ranks.size());
    // In this context the look comes before all other events of its time.
    Simulator::ScheduleWithContext(RadixHeapScheduler::OBSERVER,
                                   m_series->GetInterval(),
                                   &TimeSeriesSampler::Tick,
                                   this);
}

void
TimeSeriesSampler::Stop()
{
    m_isOver = true;
}

void
TimeSeriesSampler::Tick()
{
    if (m_isOver)
    {
        return;
    }
    Look();
    m_series->EndInterval();
    Simulator::ScheduleWithContext(RadixHeapScheduler::OBSERVER,
                                   m_series->GetInterval(),
                                   &TimeSeriesSampler::Tick,
                                   this);
}

void
TimeSeriesSampler::Look()
{
    for (auto& port : m_ports)
    {
        const auto reading = m_fabric.ReadPortNow(port.link, port.node);
        const auto since = reading.counters.GetSince(port.before.counters);
        SeriesSample sample;
        // What has left may be given a little less than before, in parts of packets.
        sample.bytes = std::max(reading.sentBytes - port.before.sentBytes, 0.0);
        sample.queue = reading.queue;
        sample.maxQueue = reading.maxQueue;
        sample.paused = since.paused;
        sample.marks = since.marks;
        sample.drops = since.drops;
        port.before = reading;
        // The larger count is kept, so that no byte is counted twice.
        port.before.sentBytes = std::max(reading.sentBytes, port.before.sentBytes);
        m_series->Add(port.key, sample);
    }
    for (std::size_t i = 0; i < m_ranks.size(); ++i)
    {
        auto& acknowledged = m_acknowledged[i];
        const auto pairs = m_fabric.ReadQueuePairs(m_ranks[i]);
        // Queue pairs are made on first use; new ones begin with nothing acknowledged.
        acknowledged.resize(pairs.size());
        for (uint32_t number = 0; number < pairs.size(); ++number)
        {
            const auto& pair = pairs[number];
            SeriesSample sample;
            sample.bytes = static_cast<double>(pair.acknowledged - acknowledged[number]);
            sample.limit = pair.rate;
            sample.window = pair.window;
            acknowledged[number] = pair.acknowledged;
            m_series->Add({TimeSeries::Kind::QUEUE_PAIR, number, pair.from, pair.to}, sample);
        }
    }
}

std::shared_ptr<TimeSeries>
TimeSeriesSampler::Finish()
{
    Look();
    return m_series;
}

} // namespace ns3
