/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "unused-links.h"

#include "ns3/topology-servers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace ns3
{

namespace
{

/// Things, and those of them that have carried nothing.
struct Count
{
    std::size_t all{0};  //!< how many there are
    std::size_t idle{0}; //!< how many have carried nothing
};

/**
 * @param links some links
 * @param isUsed whether a link has carried something, by its number
 * @return how many there are, and are idle
 */
Count
CountIdle(const std::vector<uint32_t>& links, const std::vector<bool>& isUsed)
{
    const auto idle = std::count_if(links.begin(), links.end(), [&isUsed](uint32_t link) {
        return !isUsed[link];
    });
    return {links.size(), static_cast<std::size_t>(idle)};
}

/**
 * @param graph the fabric
 * @param nic a node that the links of a NIC start from: a host, or the NIC's own switch
 * @return those links
 */
std::vector<uint32_t>
ListPorts(const TopologyGraph& graph, uint32_t nic)
{
    const bool isHost = graph.GetNode(nic).kind == TopologyGraph::HOST;
    std::vector<uint32_t> ports;
    for (const auto link : graph.GetLinksOf(nic))
    {
        const auto& peer = graph.GetNode(graph.GetPeer(link, nic));
        if (!graph.GetLink(link).nvlink && (isHost || peer.kind != TopologyGraph::HOST))
        {
            ports.push_back(link);
        }
    }
    return ports;
}

/**
 * @param graph the fabric
 * @param nics the nodes that links of NICs start from
 * @return the links between switches, which join neither hosts nor NICs
 */
std::vector<uint32_t>
ListLinksBetweenSwitches(const TopologyGraph& graph, const std::set<uint32_t>& nics)
{
    const auto isSwitch = [&graph, &nics](uint32_t node) {
        return graph.GetNode(node).kind == TopologyGraph::SWITCH && nics.count(node) == 0;
    };
    std::vector<uint32_t> links;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        if (isSwitch(graph.GetLink(link).a) && isSwitch(graph.GetLink(link).b))
        {
            links.push_back(link);
        }
    }
    return links;
}

/**
 * @param count how many are idle
 * @param things what they are
 * @return the beginning of a sentence
 */
std::string
Describe(const Count& count, const std::string& things)
{
    return std::to_string(count.idle) + " of " + std::to_string(count.all) + " " + things +
           " carried nothing";
}

} // namespace

std::vector<std::string>
ListUnusedLinks(const TopologyGraph& graph,
                const std::vector<bool>& isUsed,
                const std::string& remedy)
{
    if (isUsed.empty())
    {
        return {};
    }
    const auto byHost = FindNics(graph);
    const std::set<uint32_t> nics(byHost.begin(), byHost.end());
    Count ports;
    bool haveAllTakenPart = true;
    for (const auto nic : nics)
    {
        const auto own = CountIdle(ListPorts(graph, nic), isUsed);
        const bool takesPart = own.idle < own.all;
        ports.all += takesPart ? own.all : 0;
        ports.idle += takesPart ? own.idle : 0;
        haveAllTakenPart = haveAllTakenPart && takesPart;
    }
    std::vector<std::string> sentences;
    if (ports.idle > 0)
    {
        sentences.push_back(Describe(ports, "NIC ports") + (remedy.empty() ? "" : ": ") + remedy);
    }
    const auto between = CountIdle(ListLinksBetweenSwitches(graph, nics), isUsed);
    if (haveAllTakenPart && between.idle > 0)
    {
        sentences.push_back(Describe(between, "links between switches"));
    }
    return sentences;
}

} // namespace ns3
