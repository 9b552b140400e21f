/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "communicator-load.h"

#include "ns3/ecmp-hash.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// Queue pairs of a communicator whose paths are looked at: enough for a mean, and to walk in
/// 0.1 s.
constexpr std::size_t MOST_EDGES = 20000;

/// Steps of a pipeline that are looked at for its peers: rings and trees have all of them there.
constexpr int FIRST_STEPS = 2;

/// Load from which on a link is overloaded, in its capacity: sums of equal shares are rounded.
constexpr double OVERLOAD = 1.05;

/// Part of the time in which a link is overloaded whose load is not, if several hosts send to one.
constexpr double UNEVEN = 0.5;

/**
 * @param algorithm an algorithm
 * @param call a collective
 * @return peers that the member sends to in the first steps, and by which pipeline
 */
std::set<std::pair<uint32_t, uint32_t>>
FindPeers(const CollectiveAlgorithm& algorithm, const CollectiveCall& call)
{
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    uint32_t number = 0;
    for (const auto& pipeline : algorithm.Plan(call))
    {
        CollectiveStep step;
        for (int i = 0; i < FIRST_STEPS && pipeline->Next(step); ++i)
        {
            for (const auto& transfer : step)
            {
                if (transfer.IsSend() && !transfer.UsesSwitch() && !transfer.UsesNetworkSwitch())
                {
                    pairs.emplace(transfer.peer, number);
                }
            }
            step.clear();
        }
        ++number;
    }
    // One entry for a peer and a pipeline, as they share a queue pair.
    return pairs;
}

} // namespace

CommunicatorLoad::CommunicatorLoad(const TopologyGraph& graph, bool isSpread)
    : m_table(graph),
      m_isSpread(isSpread)
{
}

void
CommunicatorLoad::Add(uint32_t id,
                      const Communicator& communicator,
                      const CollectivePlan& plan,
                      const CollectiveCall& call)
{
    Entry& entry = m_entries[id];
    entry.dimension = communicator.dimension;
    entry.meeting.isSingleSwitch = IsSingleSwitch(communicator);
    // A rank alone has no path to anybody.
    entry.meeting.isAllOfSwitch = communicator.ranks.size() > 1 && entry.meeting.isSingleSwitch &&
                                  CountLinks(communicator) == communicator.ranks.size();
    entry.meeting.inServer = call.placement && call.placement->GetServers().size() == 1;
    auto own = plan.Complete(call);
    std::size_t stride = 1;
    for (std::size_t index = 0; index < call.size; index += stride)
    {
        own.index = static_cast<uint32_t>(index);
        const auto pairs = FindPeers(*plan.algorithm, own);
        // Members of communicators with so many queue pairs are alike: some will do.
        stride = 1 + pairs.size() * call.size / MOST_EDGES;
        // Pipelines have queue pairs of their own.
        for (const auto& [peer, pipeline] : pairs)
        {
            entry.edges.push_back({communicator.ranks[index], communicator.ranks[peer], pipeline});
        }
    }
    entry.weight = static_cast<double>(stride);
}

bool
CommunicatorLoad::IsSingleSwitch(const Communicator& communicator) const
{
    const auto first = communicator.ranks.front();
    // Two hops: from a host to the switch and from there to the other host.
    return std::all_of(communicator.ranks.begin() + 1,
                       communicator.ranks.end(),
                       [this, first](uint32_t rank) { return GetHops(first, rank) == 2; });
}

std::size_t
CommunicatorLoad::CountLinks(const Communicator& communicator) const
{
    const auto& graph = m_table.GetGraph();
    const auto host = graph.GetHosts().at(communicator.ranks.front());
    const auto other = graph.GetHosts().at(communicator.ranks.back());
    // The first link of the path leads to the switch, whichever flow takes it.
    const auto path = m_table.GetPath(host, other, 0, 0);
    return graph.GetLinksOf(graph.GetPeer(path.front(), host)).size();
}

uint32_t
CommunicatorLoad::GetHops(uint32_t source, uint32_t destination) const
{
    const auto& hosts = m_table.GetGraph().GetHosts();
    return m_table.GetHopCount(hosts.at(source), hosts.at(destination));
}

std::vector<uint32_t>
CommunicatorLoad::GetPath(const Edge& edge) const
{
    const auto& graph = m_table.GetGraph();
    const auto& hosts = graph.GetHosts();
    uint32_t node = hosts.at(edge.source);
    // The pipeline stands for the source port, which differs between queue pairs.
    const auto hash = EcmpFlowHash(edge.source, edge.destination, 0, edge.pipeline);
    std::vector<uint32_t> path;
    for (const auto link : m_table.GetPath(node, hosts.at(edge.destination), hash, 0))
    {
        path.push_back(graph.GetDirection(link, node));
        node = graph.GetPeer(link, node);
    }
    return path;
}

void
CommunicatorLoad::AddLoad(const Edge& edge, double rate, std::vector<double>& load) const
{
    const auto& graph = m_table.GetGraph();
    const auto path = GetPath(edge);
    if (!m_isSpread)
    {
        for (const auto direction : path)
        {
            load[direction] += rate;
        }
        return;
    }
    // Where switches spread packets, what the first one has to all others is enough.
    const auto& hosts = graph.GetHosts();
    const auto first = path.front();
    const auto node = graph.GetPeer(first / 2, hosts.at(edge.source));
    const auto links = m_table.GetNextLinks(node, hosts.at(edge.destination));
    for (const auto link : links)
    {
        load[graph.GetDirection(link, node)] += rate / links.size();
    }
}

void
CommunicatorLoad::Finish()
{
    const auto& graph = m_table.GetGraph();
    const auto getRate = [&graph](uint32_t direction) {
        return static_cast<double>(graph.GetLink(direction / 2).rate.GetBitRate());
    };
    // Collectives of different dimensions are mostly not under way at the same time, so each
    // dimension has loads of its own.
    std::map<Dimension, std::vector<double>> loads;
    for (auto& [id, entry] : m_entries)
    {
        auto& load = loads[entry.dimension];
        load.resize(2 * static_cast<std::size_t>(graph.GetNLinks()));
        std::map<uint32_t, uint32_t> counts;
        for (const auto& edge : entry.edges)
        {
            ++counts[GetPath(edge).front()];
        }
        for (const auto& edge : entry.edges)
        {
            // The queue pairs of a port share its rate.
            const auto port = GetPath(edge).front();
            entry.meeting.sharesPort = entry.meeting.sharesPort || counts[port] > 1;
            entry.sources[GetPath(edge).back()].insert(edge.source);
            AddLoad(edge, entry.weight * getRate(port) / counts[port], load);
        }
    }
    for (auto& [id, entry] : m_entries)
    {
        const auto& load = loads[entry.dimension];
        for (const auto& edge : entry.edges)
        {
            double worst = 0;
            const auto path = GetPath(edge);
            // The first link is the port itself, which is never overloaded.
            for (std::size_t i = 1; i < path.size(); ++i)
            {
                worst = std::max(worst, load[path[i]] / getRate(path[i]));
            }
            const auto count = static_cast<double>(entry.edges.size());
            // Where several hosts send to one in turn, loads are even in the mean only.
            const bool isUneven = entry.meeting.sharesPort && entry.sources[path.back()].size() > 2;
            entry.meeting.overloaded += (worst > OVERLOAD ? 1 : isUneven ? UNEVEN : 0) / count;
            entry.meeting.slowdown = std::max(entry.meeting.slowdown, worst);
        }
    }
}

const CommunicatorLoad::Meeting&
CommunicatorLoad::Get(uint32_t id) const
{
    return m_entries.at(id).meeting;
}

} // namespace ns3
