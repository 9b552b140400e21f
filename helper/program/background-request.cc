/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-request.h"

#include "option-values.h"

#include "ns3/flow-list.h"
#include "ns3/input-values.h"
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
FindHosts(const KeyedValues& spec, const TopologyGraph& graph)
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

/**
 * @param spec the traffic
 * @return its load
 */
double
GetLoad(const KeyedValues& spec)
{
    if (!spec.Has("load"))
    {
        throw spec.MakeError("load, the share of its rate that a host sends, such as load=0.3",
                             "none");
    }
    const auto load = spec.GetRatio("load", 0);
    if (load > MAX_LOAD)
    {
        const auto field = spec.GetField("load");
        throw WorkloadError(field.where, "load to be a share, at most 10", field.text);
    }
    return load;
}

/**
 * @param spec the traffic
 * @param absent its size if the user does not say
 * @return its size, bytes
 */
uint64_t
GetBytes(const KeyedValues& spec, const std::string& absent)
{
    return ParseBytes(spec.GetField("bytes", absent), 1);
}

/**
 * @param spec an incast
 * @param hosts its hosts
 * @return what is sent
 */
IncastTraffic::Shape
GetShape(const KeyedValues& spec, const TrafficHosts& hosts)
{
    const auto others = static_cast<uint32_t>(hosts.hosts.size() - 1);
    IncastTraffic::Shape shape;
    shape.senders = spec.GetCount("senders", std::min(INCAST_SENDERS, others));
    shape.bytes = GetBytes(spec, INCAST_BYTES);
    shape.load = GetLoad(spec);
    if (shape.senders > others)
    {
        throw WorkloadError(spec.GetField("senders").where,
                            "at most " + std::to_string(others) +
                                " senders, as many as there are other hosts",
                            std::to_string(shape.senders));
    }
    if (spec.Has("receiver"))
    {
        const auto field = spec.GetField("receiver");
        const auto receiver = ReadWhole(field.text);
        const auto found = std::find(hosts.hosts.begin(), hosts.hosts.end(), receiver);
        if (found == hosts.hosts.end())
        {
            throw WorkloadError(field.where, "a receiver that is one of the hosts", field.text);
        }
        // Its place among the hosts of this traffic, not among all.
        shape.receiver = static_cast<uint32_t>(found - hosts.hosts.begin());
    }
    return shape;
}

/**
 * @param file file of flows, as flows.csv has them or as other simulators do
 * @param graph the topology
 * @return the flows
 */
std::vector<BackgroundFlow>
ReadFlows(const std::string& file, const TopologyGraph& graph)
{
    const auto& nodes = graph.GetHosts();
    if (!IsFlowList(file))
    {
        return ReadFlowFile(file, static_cast<uint32_t>(nodes.size()));
    }
    auto list = ReadFlowList(file);
    if (list.byNode)
    {
        NumberByHost(list, nodes);
    }
    if (list.hosts > nodes.size())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "at most the " + std::to_string(nodes.size()) +
                                " hosts of the topology",
                            std::to_string(list.hosts));
    }
    return MakeBackgroundFlows(list);
}

/**
 * @param spec the traffic
 * @param graph the topology
 * @return its flows
 */
std::unique_ptr<TrafficPattern>
MakePattern(const KeyedValues& spec, const TopologyGraph& graph)
{
    const std::vector<std::string> kinds{"poisson", "permutation", "incast", "file"};
    const auto kind =
        FindWord(spec.GetNameField(), kinds, "background traffic: " + JoinWords(kinds));
    if (kinds[kind] == "file")
    {
        if (!spec.Has("name"))
        {
            throw spec.MakeError("name of the file of flows, such as file:name=flows.csv", "none");
        }
        return std::make_unique<ListedTraffic>(ReadFlows(spec.GetText("name"), graph));
    }
    const auto hosts = FindHosts(spec, graph);
    if (kinds[kind] == "poisson")
    {
        const auto sizes = spec.GetField("sizes", "web-search");
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
MakeBackground(const std::vector<KeyedField>& fields,
               const TransportKind& transport,
               const TopologyGraph& graph,
               int64_t stream)
{
    std::vector<BackgroundRequest> requests;
    for (const auto& field : fields)
    {
        const KeyedValues spec(field);
        BackgroundRequest request;
        request.pattern = MakePattern(spec, graph);
        request.period.start = spec.GetTime("start", Time());
        request.period.until = spec.GetTime("until", Time::Max());
        request.isTcp = spec.GetWord("transport", {"same", "tcp"}) == "tcp";
        spec.CheckUnusedKeys();
        if (request.isTcp && !transport.Supports(TransportKind::Use::TCP_BESIDE))
        {
            throw WorkloadError(spec.GetField("transport").where,
                                "transport=same with jobs over " + transport.GetName() +
                                    "; beside rdma it may be tcp",
                                "tcp");
        }
        if (request.period.until <= request.period.start)
        {
            const auto until = spec.GetField("until");
            throw WorkloadError(until.where, "until to be later than start", until.text);
        }
        // Each kind of traffic has streams of its own: one more changes none before it.
        stream += request.pattern->AssignStreams(stream);
        requests.push_back(std::move(request));
    }
    return requests;
}

} // namespace ns3
