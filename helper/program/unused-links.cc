/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "unused-links.h"

#include "spare-paths.h"

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

/// Share of the time, of 1, that a link is used in by all-to-alls that leave nothing to be desired.
constexpr double FULL = 0.9;

/// By how much a link is used more than others that lead to the same hosts where they are uneven.
constexpr double UNEVEN_FACTOR = 1.25;

/// How long packets wait, s, where several flows have met: a few acknowledged windows of a flow.
constexpr double WAIT = 10e-6;

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

/// What a link has carried in the direction in which it was used most.
struct LinkLoad
{
    bool isIdle{true}; //!< no packet has taken it
    double share{0};   //!< share of the time that it was used, of 1
    double wait{0};    //!< time that its longest queue takes to be sent, s
};

/**
 * @param use what was used
 * @param direction a direction of a link
 * @return share of the time that it was used, of 1
 */
double
ReadShare(const NetworkUse& use, uint32_t direction)
{
    const auto found = use.counts.find(direction);
    const auto rate = static_cast<double>(use.graph.GetLink(direction / 2).rate.GetBitRate());
    const double seconds = use.duration.GetSeconds();
    return found != use.counts.end() && seconds > 0
               ? static_cast<double>(found->second.bytes) * 8 / rate / seconds
               : 0;
}

/**
 * @param use what was used
 * @param number a link
 * @return what it has carried
 */
LinkLoad
ReadLoad(const NetworkUse& use, uint32_t number)
{
    const auto rate = static_cast<double>(use.graph.GetLink(number).rate.GetBitRate());
    LinkLoad load;
    for (const auto direction : {2 * number, 2 * number + 1})
    {
        load.share = std::max(load.share, ReadShare(use, direction));
        const auto found = use.counts.find(direction);
        if (found != use.counts.end())
        {
            const auto& counters = found->second;
            load.isIdle = load.isIdle && counters.packets == 0;
            load.wait = std::max(load.wait, static_cast<double>(counters.maxQueue) * 8 / rate);
        }
    }
    return load;
}

/// Links of a network, by how much of the time they were used.
struct LinkCounters
{
    Count idle;        //!< inner ones that have carried nothing
    Count hardly;      //!< inner ones that have carried something, for HARDLY of the time at most
    double most{0};    //!< share of the time that the busiest inner one was used, of 1
    double wait{0};    //!< time that the longest queue of an inner one takes to be sent, s
    double highest{0}; //!< as most, of all links
};

/**
 * @param use what was used
 * @return its links but NVLinks; inner ones are those between switches, but those of NICs that
 *         hosts share, or between hosts
 */
LinkCounters
CountNetworkLinks(const NetworkUse& use)
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
    LinkCounters counters;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        if (link.nvlink)
        {
            continue;
        }
        const auto load = ReadLoad(use, i);
        counters.highest = std::max(counters.highest, load.share);
        if (isInner(link.a) && isInner(link.b))
        {
            const auto name = graph.GetNode(link.a).name + " - " + graph.GetNode(link.b).name;
            counters.idle.Add(load.isIdle, name);
            counters.hardly.Add(!load.isIdle && load.share <= HARDLY, name);
            counters.most = std::max(counters.most, load.share);
            counters.wait = std::max(counters.wait, load.wait);
        }
    }
    return counters;
}

/**
 * @param use what was used
 * @return links that lead to the same switches, one of which has carried much more than the others
 *         in the mean, a sentence; empty = there are none that were busy, or nothing mends it
 */
std::string
DescribeUneven(const NetworkUse& use)
{
    double highest = 0;
    double mean = 0;
    uint32_t busiest = 0;
    for (const auto& directions : use.pathRemedy.empty() ? EqualLinks() : ListEqualLinks(use.graph))
    {
        // Sum of their shares, and the one that is used most.
        double sum = 0;
        double most = 0;
        uint32_t first = 0;
        for (const auto direction : directions)
        {
            const double share = ReadShare(use, direction);
            sum += share;
            first = share > most ? direction : first;
            most = std::max(most, share);
        }
        const double expected = sum / static_cast<double>(directions.size());
        if (most >= UNEVEN_FACTOR * expected && most > highest)
        {
            highest = most;
            mean = expected;
            busiest = first;
        }
    }
    if (highest < BUSY)
    {
        return "";
    }
    const auto& link = use.graph.GetLink(busiest / 2);
    const auto from = busiest % 2 == 0 ? link.a : link.b;
    return use.graph.GetNode(from).name + " -> " +
           use.graph.GetNode(use.graph.GetPeer(busiest / 2, from)).name + " was used " +
           FormatFixed(100 * highest, 0) + " % of the time, links that lead to the same hosts " +
           FormatFixed(100 * mean, 0) + " % in the mean: " + use.pathRemedy;
}

/**
 * @param use what was used
 * @param links its links
 * @return what all-to-alls have left unused, a sentence; empty = nothing, or nothing mends it
 */
std::string
DescribeExchanges(const NetworkUse& use, const LinkCounters& links)
{
    const double share = use.exchanging.GetSeconds() / use.duration.GetSeconds();
    // If a link was busy nearly all of that time, they cannot be much faster; if nothing waited, it
    // was not for want of links.
    // What relaying hosts send and pass on shares their ports, which other paths do not spare.
    if (share < BUSY || links.wait < WAIT || links.highest > FULL * share || use.graph.HostsRelay())
    {
        return "";
    }
    // Between other switches all shortest paths together carry what hosts send, in any order.
    std::string remedy = HasDetours(use.graph) ? use.peerRemedy : "";
    if (!use.pathRemedy.empty() && HasEqualPaths(use.graph))
    {
        remedy += (remedy.empty() ? "" : "; ") + use.pathRemedy;
    }
    return remedy.empty()
               ? ""
               : "all-to-alls took " + FormatFixed(100 * share, 0) +
                     " % of the time, in which no link of the network was used more than " +
                     FormatFixed(100 * links.highest / share, 0) +
                     " %, though packets waited up to " + FormatFixed(1e6 * links.wait, 0) +
                     " us on their path: " + remedy;
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
    const auto links = CountNetworkLinks(use);
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
    // Links that lie idle are as uneven as can be.
    const bool isTold = remedy == use.pathRemedy;
    for (const auto& sentence : {isTold ? "" : DescribeUneven(use), DescribeExchanges(use, links)})
    {
        if (!sentence.empty())
        {
            sentences.push_back(sentence);
        }
    }
    return sentences;
}

} // namespace ns3
