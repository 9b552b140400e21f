/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "unused-links.h"

#include "ns3/input-values.h"
#include "ns3/text-table.h"
#include "ns3/topology-servers.h"
#include "ns3/workload-error.h"

#include <cstddef>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Things, and those of them that have done nothing.
 */
struct Count
{
    std::size_t all{0};  //!< how many there are
    std::size_t idle{0}; //!< how many have done nothing

    /**
     * @param isIdle whether one more has done nothing
     */
    void Add(bool isIdle)
    {
        ++all;
        idle += isIdle ? 1 : 0;
    }

    /// @return whether some have done nothing, others something
    bool IsPartly() const
    {
        return idle > 0 && idle < all;
    }

    /**
     * @param things what they are, and have not done
     * @return how many of them
     */
    std::string Describe(const std::string& things) const
    {
        return std::to_string(idle) + " of " + std::to_string(all) + " " + things;
    }
};

/**
 * @param graph the fabric
 * @param host a host
 * @param sending ports by which hosts have sent messages
 * @return its ports to the network
 */
Count
CountPorts(const TopologyGraph& graph, uint32_t host, const std::set<uint32_t>& sending)
{
    Count ports;
    for (const auto link : graph.GetLinksOf(host))
    {
        if (!graph.GetLink(link).nvlink)
        {
            ports.Add(sending.count(graph.GetDirection(link, host)) == 0);
        }
    }
    return ports;
}

/**
 * @param graph the fabric
 * @param counts what directions of links have seen
 * @return the links between switches, but those of NICs that hosts share
 */
Count
CountLinksBetweenSwitches(const TopologyGraph& graph, const ReplayFabric::LinkCounts& counts)
{
    // A NIC that hosts share is a switch of the graph.
    const auto byHost = FindNics(graph);
    const std::set<uint32_t> nics(byHost.begin(), byHost.end());
    const auto isSwitch = [&graph, &nics](uint32_t node) {
        return graph.GetNode(node).kind == TopologyGraph::SWITCH && nics.count(node) == 0;
    };
    const auto hasCarried = [&counts](uint32_t direction) {
        const auto found = counts.find(direction);
        return found != counts.end() && found->second.packets > 0;
    };
    Count links;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        if (isSwitch(graph.GetLink(link).a) && isSwitch(graph.GetLink(link).b))
        {
            links.Add(!hasCarried(2 * link) && !hasCarried(2 * link + 1));
        }
    }
    return links;
}

} // namespace

std::vector<std::string>
ListUnusedLinks(const TopologyGraph& graph,
                const std::set<uint32_t>& sending,
                const ReplayFabric::LinkCounts& counts,
                const std::string& remedy)
{
    Count ports;
    bool haveAllSent = true;
    for (const auto host : graph.GetHosts())
    {
        const auto own = CountPorts(graph, host, sending);
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
        sentences.push_back(ports.Describe("NIC ports have sent no messages") +
                            (remedy.empty() ? "" : ": ") + remedy);
    }
    const auto between = CountLinksBetweenSwitches(graph, counts);
    // Idle links mean something only if all hosts have sent.
    if (haveAllSent && between.IsPartly())
    {
        sentences.push_back(between.Describe("links between switches have carried nothing"));
    }
    return sentences;
}

std::vector<std::string>
ListLosses(const TopologyGraph& graph,
           const std::vector<LinkUse>& links,
           const std::string& timeoutAttribute)
{
    uint64_t random = 0;
    uint64_t others = 0;
    for (const auto& use : links)
    {
        (graph.GetLink(use.link).lossRate > 0 ? random : others) += use.drops;
    }
    if (random + others == 0)
    {
        return {};
    }
    std::vector<std::string> causes;
    if (random > 0)
    {
        causes.push_back(FormatCount(random, "packet") + " at links that lose some at random");
    }
    if (others > 0)
    {
        causes.push_back(FormatCount(others, "packet") +
                         " where there was no room or no link up, or by a watchdog");
    }
    // What other transports do about losses is no choice of theirs.
    const bool isRdma = BeginsWith(timeoutAttribute, "ns3::RdmaNic::");
    return {"lost were " + JoinWords(causes) +
            (isRdma ? "; with --ns3::RdmaNic::LossRecovery=selective-repeat only these are sent "
                      "again, with a shorter --" +
                          timeoutAttribute + " sooner"
                    : "")};
}

} // namespace ns3
