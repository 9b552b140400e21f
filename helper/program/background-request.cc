/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-request.h"

#include "option-values.h"

#include "ns3/topology-spec.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/// Bytes of a permutation's flow unless the user says more: large enough to fill a path.
constexpr const char* PERMUTATION_BYTES = "1MiB";

/// Bytes of a sender of an incast, and most senders, unless the user says more (Y. Li et al.,
/// "HPCC", SIGCOMM 2019, section 5.3).
/// @{
constexpr const char* INCAST_BYTES = "500000";
constexpr uint32_t INCAST_SENDERS = 60;
/// @}

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

/**
 * @param spec the traffic
 * @param graph the topology
 * @return the hosts that it is about
 */
TrafficHosts
FindHosts(const TopologySpec& spec, const TopologyGraph& graph)
{
    const auto& nodes = graph.GetHosts();
    TrafficHosts traffic;
    if (spec.Has("hosts"))
    {
        traffic.hosts = ParseHosts({spec.GetText("hosts"), spec.GetLocation()});
    }
    else
    {
        traffic.hosts.resize(nodes.size());
        std::iota(traffic.hosts.begin(), traffic.hosts.end(), 0);
    }
    if (std::set<uint32_t>(traffic.hosts.begin(), traffic.hosts.end()).size() <
        traffic.hosts.size())
    {
        throw spec.MakeError("each of the hosts once", Quoted(spec.GetText("hosts")));
    }
    if (traffic.hosts.size() < 2)
    {
        throw spec.MakeError("two hosts at least", std::to_string(traffic.hosts.size()));
    }
    // A host that stands in no server is one of its own.
    auto alone = static_cast<uint32_t>(nodes.size());
    traffic.rate = UINT64_MAX;
    for (const auto host : traffic.hosts)
    {
        if (host >= nodes.size())
        {
            throw spec.MakeError("hosts from 0 to " + std::to_string(nodes.size() - 1) +
                                     ", which the topology has",
                                 std::to_string(host));
        }
        const auto server = graph.GetNode(nodes[host]).server;
        traffic.servers.push_back(server == TopologyGraph::NO_SERVER ? alone++ : server);
        traffic.rate = std::min(traffic.rate, GetNetworkRate(graph, nodes[host]));
    }
    return traffic;
}

/**
 * @param spec the traffic
 * @return its load
 */
double
GetLoad(const TopologySpec& spec)
{
    if (!spec.Has("load"))
    {
        throw spec.MakeError("load, the share of its rate that a host sends, such as load=0.3",
                             "none");
    }
    const auto load = spec.GetRatio("load", 0);
    if (load > MAX_LOAD)
    {
        throw spec.MakeError("load to be a share, at most 10", spec.GetText("load"));
    }
    return load;
}

/**
 * @param spec the traffic
 * @param absent its size if the user does not say
 * @return its size, bytes
 */
uint64_t
GetBytes(const TopologySpec& spec, const std::string& absent)
{
    return ParseBytes({spec.GetText("bytes", absent), spec.GetLocation()}, 1);
}

/**
 * @param spec an incast
 * @param hosts its hosts
 * @return what is sent
 */
IncastTraffic::Shape
GetShape(const TopologySpec& spec, const TrafficHosts& hosts)
{
    const auto others = static_cast<uint32_t>(hosts.hosts.size() - 1);
    IncastTraffic::Shape shape;
    shape.senders = spec.GetCount("senders", std::min(INCAST_SENDERS, others));
    shape.bytes = GetBytes(spec, INCAST_BYTES);
    shape.load = GetLoad(spec);
    if (shape.senders > others)
    {
        throw spec.MakeError("at most " + std::to_string(others) +
                                 " senders, as many as there are other hosts",
                             std::to_string(shape.senders));
    }
    if (spec.Has("receiver"))
    {
        const auto receiver = ReadWhole(spec.GetText("receiver"));
        const auto found = std::find(hosts.hosts.begin(), hosts.hosts.end(), receiver);
        if (found == hosts.hosts.end())
        {
            throw spec.MakeError("a receiver that is one of the hosts", spec.GetText("receiver"));
        }
        // Its place among the hosts of this traffic, not among all.
        shape.receiver = static_cast<uint32_t>(found - hosts.hosts.begin());
    }
    return shape;
}

/**
 * @param spec the traffic
 * @param graph the topology
 * @return its flows
 */
std::unique_ptr<TrafficPattern>
MakePattern(const TopologySpec& spec, const TopologyGraph& graph)
{
    const std::vector<std::string> kinds{"poisson", "permutation", "incast", "file"};
    const TextField name{spec.GetName(), spec.GetLocation()};
    const auto kind = FindWord(name, kinds, "background traffic: " + JoinWords(kinds));
    if (kinds[kind] == "file")
    {
        if (!spec.Has("name"))
        {
            throw spec.MakeError("name of the file of flows, such as file:name=flows.csv", "none");
        }
        const auto hosts = static_cast<uint32_t>(graph.GetHosts().size());
        return std::make_unique<ListedTraffic>(ReadFlowFile(spec.GetText("name"), hosts));
    }
    const auto hosts = FindHosts(spec, graph);
    if (kinds[kind] == "poisson")
    {
        const TextField sizes{spec.GetText("sizes", "web-search"), spec.GetLocation()};
        return std::make_unique<PoissonTraffic>(hosts, FlowSizes::Parse(sizes), GetLoad(spec));
    }
    if (kinds[kind] == "permutation")
    {
        return std::make_unique<PermutationTraffic>(hosts,
                                                    GetBytes(spec, PERMUTATION_BYTES),
                                                    GetLoad(spec));
    }
    return std::make_unique<IncastTraffic>(hosts, GetShape(spec, hosts));
}

} // namespace

std::vector<BackgroundRequest>
MakeBackground(const std::vector<TextField>& fields,
               const TransportKind& transport,
               const TopologyGraph& graph,
               int64_t stream)
{
    std::vector<BackgroundRequest> requests;
    for (const auto& field : fields)
    {
        const TopologySpec spec(field.text, field.where.ToString());
        BackgroundRequest request;
        request.pattern = MakePattern(spec, graph);
        request.period.start = spec.GetTime("start", Time());
        request.period.until = spec.GetTime("until", Time::Max());
        request.isTcp = spec.GetWord("transport", {"same", "tcp"}) == "tcp";
        spec.CheckUnusedKeys();
        if (request.isTcp && !transport.Supports(TransportKind::Use::TCP_BESIDE))
        {
            throw spec.MakeError("transport=same with jobs over " + transport.GetName() +
                                     "; beside rdma it may be tcp",
                                 "tcp");
        }
        if (request.period.until <= request.period.start)
        {
            throw spec.MakeError("until to be later than start", spec.GetText("until"));
        }
        // Each kind of traffic has streams of its own: one more changes none before it.
        stream += request.pattern->AssignStreams(stream);
        requests.push_back(std::move(request));
    }
    return requests;
}

} // namespace ns3
