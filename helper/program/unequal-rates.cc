/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "unequal-rates.h"

#include "ns3/text-table.h"
#include "ns3/topology-servers.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param graph the fabric
 * @param node a node
 * @param nvlink which kind of links to look for
 * @return rates of its links of that kind, bit/s
 */
std::multiset<uint64_t>
ListRates(const TopologyGraph& graph, uint32_t node, bool nvlink)
{
    std::multiset<uint64_t> rates;
    for (const auto number : graph.GetLinksOf(node))
    {
        const auto& link = graph.GetLink(number);
        if (link.nvlink == nvlink)
        {
            rates.insert(link.rate.GetBitRate());
        }
    }
    return rates;
}

/**
 * @param least a rate, bit/s
 * @param most another one
 * @return both
 */
std::string
FormatRates(uint64_t least, uint64_t most)
{
    return FormatFixed(static_cast<double>(least) / 1e9, 1) + " and " +
           FormatFixed(static_cast<double>(most) / 1e9, 1) + " Gb/s";
}

/**
 * @param graph the fabric
 * @param nvlink which kind of ports to look for
 * @param [in,out] sentences receives which hosts have different ones
 * @param what the ports, and why the slowest rules
 */
void
AddUnequalPorts(const TopologyGraph& graph,
                bool nvlink,
                const std::string& what,
                std::vector<std::string>& sentences)
{
    uint64_t count = 0;
    std::string example;
    for (const auto host : graph.GetHosts())
    {
        const auto rates = ListRates(graph, host, nvlink);
        if (!rates.empty() && *rates.begin() != *rates.rbegin())
        {
            ++count;
            example = example.empty() ? graph.GetNode(host).name + " with " +
                                            FormatRates(*rates.begin(), *rates.rbegin())
                                      : example;
        }
    }
    if (count > 0)
    {
        sentences.push_back(FormatCount(count, "host") + ", such as " + example + ", " + what);
    }
}

} // namespace

std::vector<std::string>
ListUnequalPorts(const TopologyGraph& graph, bool splitsPorts, bool hasReducers)
{
    std::vector<std::string> sentences;
    // Where hosts relay, each port leads another way.
    if (splitsPorts && !graph.HostsRelay())
    {
        AddUnequalPorts(graph,
                        false,
                        "have NIC ports of unequal rates: messages are split over them in equal "
                        "parts, as by NCCL, so that the slowest port rules",
                        sentences);
    }
    if (hasReducers)
    {
        AddUnequalPorts(graph,
                        true,
                        "have NVLinks of unequal rates to NVSwitches: reductions in these take "
                        "equal parts, so that the slowest rules; other messages take parts by rate",
                        sentences);
    }
    return sentences;
}

std::vector<std::string>
ListUnequalNics(const TopologyGraph& graph)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    std::string slowest;
    for (const auto nic : graph.HostsRelay() ? std::vector<uint32_t>() : FindNics(graph))
    {
        // Ports of a NIC carry parts of the same message, and their rates add up.
        uint64_t sum = 0;
        for (const auto rate : ListRates(graph, nic, false))
        {
            sum += rate;
        }
        slowest = sum < least ? graph.GetNode(nic).name : slowest;
        least = std::min(least, sum);
        most = std::max(most, sum);
    }
    // There are no NICs, all are alike, or one has no link to the network.
    if (least >= most || least == 0)
    {
        return {};
    }
    return {"NICs of ranks have between " + FormatRates(least, most) +
            ": channels take equal parts, so that what all ranks do together goes at the pace of "
            "the slowest, such as that of " +
            slowest};
}

} // namespace ns3
