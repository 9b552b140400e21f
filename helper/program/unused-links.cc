/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "unused-links.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/text-table.h"
#include "ns3/topology-servers.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace ns3
{

namespace
{

/// Share of the time, of 1, up to which a link counts as hardly used.
constexpr double HARDLY = 0.01;

/// Share of the time, of 1, that another link must be used for that to mean something.
constexpr double BUSY = 10 * HARDLY;

/// Most things that are named as examples.
constexpr std::size_t EXAMPLES = 3;

/**
 * @ingroup workload-replay
 * @brief Things, and those of them that have done nothing.
 */
struct Count
{
    std::size_t all{0};             //!< how many there are
    std::size_t idle{0};            //!< how many have done nothing
    std::vector<std::string> names; //!< some of these

    /**
     * @param isIdle whether one more has done nothing
     */
    void Add(bool isIdle)
    {
        ++all;
        idle += isIdle ? 1 : 0;
    }

    /**
     * @param isIdle whether one more has done nothing
     * @param name its name
     */
    void Add(bool isIdle, const std::string& name)
    {
        Add(isIdle);
        if (isIdle && names.size() < EXAMPLES)
        {
            names.push_back(name);
        }
    }

    /// @return whether some have done nothing, others something
    bool IsPartly() const
    {
        return idle > 0 && idle < all;
    }

    /**
     * @param things what they are, and have not done
     * @param remedy why, and what mends it; empty = nothing does
     * @return how many of them, with examples
     */
    std::string Describe(const std::string& things, const std::string& remedy) const
    {
        return std::to_string(idle) + " of " + std::to_string(all) + " " + things +
               (names.empty() ? "" : ", such as " + JoinWords(names)) +
               (remedy.empty() ? "" : ": ") + remedy;
    }
};

/**
 * @param use what was used
 * @param host a host
 * @return its ports to the network
 */
Count
CountPorts(const NetworkUse& use, uint32_t host)
{
    Count ports;
    for (const auto link : use.graph.GetLinksOf(host))
    {
        if (!use.graph.GetLink(link).nvlink)
        {
            ports.Add(use.sending.count(use.graph.GetDirection(link, host)) == 0);
        }
    }
    return ports;
}

/**
 * @param graph the fabric
 * @return by node the lowest switch of its plane: of those that links of the network join; nodes
 *         that are no switches have their own number
 */
std::vector<uint32_t>
FindPlanes(const TopologyGraph& graph)
{
    std::vector<uint32_t> planes(graph.GetNNodes());
    for (uint32_t node = 0; node < planes.size(); ++node)
    {
        planes[node] = node;
    }
    const auto find = [&planes](uint32_t node) {
        while (planes[node] != node)
        {
            node = planes[node];
        }
        return node;
    };
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        if (graph.GetNode(link.a).kind == TopologyGraph::SWITCH &&
            graph.GetNode(link.b).kind == TopologyGraph::SWITCH)
        {
            const auto [low, high] = std::minmax({find(link.a), find(link.b)});
            planes[high] = low;
        }
    }
    for (auto& plane : planes)
    {
        plane = find(plane);
    }
    return planes;
}

/**
 * @param use what was used
 * @return planes of the network, those idle that no host has sent a message to
 */
Count
CountPlanes(const NetworkUse& use)
{
    const auto planes = FindPlanes(use.graph);
    std::map<uint32_t, bool> isIdle;
    for (const auto host : use.graph.GetHosts())
    {
        for (const auto link : use.graph.GetLinksOf(host))
        {
            const auto peer = use.graph.GetPeer(link, host);
            if (use.graph.GetNode(peer).kind == TopologyGraph::SWITCH)
            {
                const bool sends = use.sending.count(use.graph.GetDirection(link, host)) > 0;
                auto& idle = isIdle.try_emplace(planes[peer], true).first->second;
                idle = idle && !sends;
            }
        }
    }
    Count count;
    for (const auto& [plane, idle] : isIdle)
    {
        count.Add(idle, "that of " + use.graph.GetNode(plane).name);
    }
    return count;
}

/// Links inside a network, by how much of the time they were used.
struct LinkCounters
{
    Count idle;     //!< those that have carried nothing
    Count hardly;   //!< those that have carried something, but for HARDLY of the time at most
    double most{0}; //!< share of the time that the busiest one was used, of 1
};

/**
 * @param use what was used
 * @return the links between switches, but those of NICs that hosts share, or between hosts
 */
LinkCounters
CountInnerLinks(const NetworkUse& use)
{
    const auto& graph = use.graph;
    // A NIC that hosts share is a switch of the graph.
    const auto byHost = FindNics(graph);
    const std::set<uint32_t> nics(byHost.begin(), byHost.end());
    const auto isInner = [&graph, &nics](uint32_t node) {
        const auto kind = graph.GetNode(node).kind;
        return kind == TopologyGraph::HOST ? graph.HostsRelay()
                                           : kind == TopologyGraph::SWITCH && nics.count(node) == 0;
    };
    const double seconds = use.duration.GetSeconds();
    LinkCounters counters;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        if (link.nvlink || !isInner(link.a) || !isInner(link.b))
        {
            continue;
        }
        uint64_t packets = 0;
        uint64_t bytes = 0;
        for (const auto direction : {2 * i, 2 * i + 1})
        {
            const auto found = use.counts.find(direction);
            packets += found != use.counts.end() ? found->second.packets : 0;
            bytes = std::max(bytes, found != use.counts.end() ? found->second.bytes : 0);
        }
        const auto rate = static_cast<double>(link.rate.GetBitRate());
        const double share = seconds > 0 ? static_cast<double>(bytes) * 8 / rate / seconds : 0;
        const auto name = graph.GetNode(link.a).name + " - " + graph.GetNode(link.b).name;
        counters.idle.Add(packets == 0, name);
        counters.hardly.Add(packets > 0 && share <= HARDLY, name);
        counters.most = std::max(counters.most, share);
    }
    return counters;
}

/**
 * @param graph the fabric
 * @return links from each node to the nearest host, by node; UINT32_MAX = none leads there
 */
std::vector<uint32_t>
FindLevels(const TopologyGraph& graph)
{
    auto reached = graph.GetHosts();
    std::vector<uint32_t> levels(graph.GetNNodes(), UINT32_MAX);
    for (const auto host : reached)
    {
        levels[host] = 0;
    }
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        const auto node = reached[i];
        for (const auto link : graph.GetLinksOf(node))
        {
            const auto peer = graph.GetPeer(link, node);
            if (levels[peer] == UINT32_MAX)
            {
                levels[peer] = levels[node] + 1;
                reached.push_back(peer);
            }
        }
    }
    return levels;
}

/**
 * @param graph the fabric
 * @return whether switches as far from hosts as each other are linked in circles, as routers of a
 *         dragonfly are: paths that are not shortest are of use there
 */
bool
HasDetours(const TopologyGraph& graph)
{
    const auto levels = FindLevels(graph);
    std::set<uint32_t> joined;
    std::size_t links = 0;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto isSwitch = graph.GetNode(link.a).kind == TopologyGraph::SWITCH;
        if (isSwitch && levels[link.a] == levels[link.b])
        {
            joined.insert({link.a, link.b});
            ++links;
        }
    }
    // Fewer links than nodes join them in chains and trees.
    return links > 0 && links >= joined.size();
}

/**
 * @param graph the fabric
 * @return whether there are two shortest paths between a switch and a host somewhere
 */
bool
HasEqualPaths(const TopologyGraph& graph)
{
    const EcmpRouteTable routes(graph);
    std::set<std::vector<uint32_t>> places;
    for (const auto host : graph.GetHosts())
    {
        std::vector<uint32_t> place;
        for (const auto link : graph.GetLinksOf(host))
        {
            place.push_back(graph.GetPeer(link, host));
        }
        // Paths to hosts of the same switches are alike.
        if (!places.insert(place).second)
        {
            continue;
        }
        for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
        {
            if (node != host &&
                (graph.HostsRelay() || graph.GetNode(node).kind != TopologyGraph::HOST) &&
                routes.GetNextLinks(node, host).size() > 1)
            {
                return true;
            }
        }
    }
    return false;
}

} // namespace

std::vector<std::string>
ListUnusedLinks(const NetworkUse& use)
{
    Count ports;
    bool haveAllSent = true;
    for (const auto host : use.graph.GetHosts())
    {
        const auto own = CountPorts(use, host);
        haveAllSent = haveAllSent && own.idle < own.all;
        // A host that has sent nothing is no sign of ports that are left unused.
        if (own.idle < own.all)
        {
            ports.all += own.all;
            ports.idle += own.idle;
        }
    }
    std::vector<std::string> sentences;
    if (ports.IsPartly())
    {
        sentences.push_back(ports.Describe("NIC ports have sent no messages", use.portRemedy));
    }
    // Idle planes and links mean something only if all hosts have sent.
    if (!haveAllSent)
    {
        return sentences;
    }
    const auto planes = CountPlanes(use);
    if (planes.IsPartly())
    {
        sentences.push_back(
            planes.Describe("planes of the network were left unused", use.portRemedy));
    }
    const auto links = CountInnerLinks(use);
    const std::string between =
        use.graph.HostsRelay() ? "links of the network" : "links between switches";
    const bool isUneven = links.hardly.IsPartly() && links.most >= BUSY;
    const bool mayDiffer = links.idle.IsPartly() || isUneven;
    const bool canDetour = mayDiffer && !use.detourRemedy.empty() && HasDetours(use.graph);
    const bool canSpread = mayDiffer && !use.pathRemedy.empty() && HasEqualPaths(use.graph);
    const std::string remedy = canDetour ? use.detourRemedy : canSpread ? use.pathRemedy : "";
    if (links.idle.IsPartly())
    {
        sentences.push_back(links.idle.Describe(between + " have carried nothing", remedy));
    }
    if (isUneven)
    {
        sentences.push_back(
            links.hardly.Describe(between + " were used 1 % of the time at most, others up to " +
                                      FormatFixed(100 * links.most, 0) + " %",
                                  remedy));
    }
    return sentences;
}

} // namespace ns3
