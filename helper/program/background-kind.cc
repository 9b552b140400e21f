/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-kind.h"

#include "option-values.h"

#include "ns3/input-values.h"
#include "ns3/log.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("BackgroundKind");

NS_OBJECT_ENSURE_REGISTERED(BackgroundKind);

namespace
{

/// Most of its hosts' rate that traffic can have: ten times what they can send.
constexpr double MAX_LOAD = 10;

/**
 * @param graph the topology
 * @param host a node
 * @return rate of its links to the network; of one that has none, of its NVLink links, bit/s
 */
uint64_t
GetNetworkRate(const TopologyGraph& graph, uint32_t host)
{
    uint64_t network = 0;
    uint64_t nvlink = 0;
    for (const auto link : graph.GetLinksOf(host))
    {
        const auto& properties = graph.GetLink(link);
        (properties.nvlink ? nvlink : network) += properties.rate.GetBitRate();
    }
    return network > 0 ? network : nvlink;
}

} // namespace

TypeId
BackgroundKind::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::BackgroundKind").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

BackgroundKind::BackgroundKind()
{
    NS_LOG_FUNCTION(this);
}

BackgroundKind::~BackgroundKind()
{
    NS_LOG_FUNCTION(this);
}

TrafficHosts
BackgroundKind::FindHosts(const KeyedValues& spec, const TopologyGraph& graph)
{
    const auto& nodes = graph.GetHosts();
    const auto where = spec.GetField("hosts").where;
    TrafficHosts traffic;
    if (spec.Has("hosts"))
    {
        traffic.hosts = ParseHosts(spec.GetField("hosts"));
    }
    else
    {
        traffic.hosts.resize(nodes.size());
        std::iota(traffic.hosts.begin(), traffic.hosts.end(), 0);
    }
    if (std::set<uint32_t>(traffic.hosts.begin(), traffic.hosts.end()).size() <
        traffic.hosts.size())
    {
        throw WorkloadError(spec.GetField("hosts"), "each of the hosts once");
    }
    if (traffic.hosts.size() < 2)
    {
        throw WorkloadError(where, "two hosts at least", std::to_string(traffic.hosts.size()));
    }
    // A host that stands in no server is one of its own.
    auto alone = static_cast<uint32_t>(nodes.size());
    // Loads are shares of the slowest host's rate, so that all hosts send as much.
    traffic.rate = UINT64_MAX;
    for (const auto host : traffic.hosts)
    {
        if (host >= nodes.size())
        {
            throw WorkloadError(where,
                                "hosts from 0 to " + std::to_string(nodes.size() - 1) +
                                    ", which the topology has",
                                std::to_string(host));
        }
        const auto server = graph.GetNode(nodes[host]).server;
        traffic.servers.push_back(server == TopologyGraph::NO_SERVER ? alone++ : server);
        traffic.rate = std::min(traffic.rate, GetNetworkRate(graph, nodes[host]));
    }
    return traffic;
}

double
BackgroundKind::GetLoad(const KeyedValues& spec)
{
    if (!spec.Has("load"))
    {
        throw spec.MakeMissingError(
            "load",
            "load, the share of its rate that a host sends, such as load=0.3");
    }
    const auto load = spec.GetRatio("load", 0);
    if (load > MAX_LOAD)
    {
        const auto field = spec.GetField("load");
        throw WorkloadError(field.where, "load to be a share, at most 10", field.text);
    }
    return load;
}

uint64_t
BackgroundKind::GetBytes(const KeyedValues& spec, const std::string& absent)
{
    return ParseBytes(spec.GetField("bytes", absent), 1);
}

} // namespace ns3
