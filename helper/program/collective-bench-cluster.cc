/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-cluster.h"

#include "networked-job.h"
#include "replay-part.h"

#include "ns3/simulator.h"
#include "ns3/topology-file.h"
#include "ns3/topology-servers.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// Hosts by server, as their ranks in the topology.
using Servers = std::vector<std::vector<uint32_t>>;

/**
 * @param ranks number of ranks
 * @param servers number of servers, at least 1
 * @param server one of them
 * @return number of ranks that it gets
 */
uint32_t
GetShare(uint32_t ranks, uint32_t servers, uint32_t server)
{
    return ranks / servers + (server < ranks % servers ? 1 : 0);
}

/**
 * @param graph a topology
 * @return its hosts by server, in the order of the first host
 */
Servers
FindServers(const TopologyGraph& graph)
{
    Servers servers;
    std::map<uint32_t, std::size_t> positions;
    for (const auto host : graph.GetHosts())
    {
        const auto& node = graph.GetNode(host);
        // A host that stands in no server is one of its own.
        const bool isAlone = node.server == TopologyGraph::NO_SERVER;
        if (isAlone || positions.count(node.server) == 0)
        {
            positions[node.server] = servers.size();
            servers.emplace_back();
        }
        servers[positions[node.server]].push_back(node.rank);
    }
    return servers;
}

/**
 * @param servers the servers of a topology
 * @param ranks number of ranks
 * @param count number of servers to deal them out to, of the first ones
 * @return the first server that does not hold its share; count = all of them do
 */
uint32_t
FindOverfull(const Servers& servers, uint32_t ranks, uint32_t count)
{
    uint32_t server = 0;
    while (server < count && GetShare(ranks, count, server) <= servers[server].size())
    {
        ++server;
    }
    return server;
}

/**
 * @param servers the servers of a topology
 * @param ranks number of ranks
 * @return as few servers as hold them, of the first ones; 0 = no number of servers does
 */
uint32_t
FindLeastServers(const Servers& servers, uint32_t ranks)
{
    // With more servers than ranks some would be empty.
    const auto most = std::min(ranks, static_cast<uint32_t>(servers.size()));
    for (uint32_t count = 1; count <= most; ++count)
    {
        if (FindOverfull(servers, ranks, count) == count)
        {
            return count;
        }
    }
    return 0;
}

/**
 * @param options what the user asks for; the topology is one that is built
 * @return the topology, with servers enough if it has any; those after the last rank are missing
 * @throws WorkloadError if it is wrong
 */
TopologyGraph
BuildServers(const CollectiveBenchOptions& options)
{
    const auto least = DivideUp(options.ranks, options.fabric.gpusPerServer);
    const auto servers = std::max(least, options.servers);
    // The last server has only the GPUs that ranks need.
    const uint64_t hosts = uint64_t{servers - 1} * options.fabric.gpusPerServer +
                           GetShare(options.ranks, servers, servers - 1);
    if (hosts > MAX_WORLD)
    {
        throw WorkloadError(options.Locate("gpusPerServer"),
                            "at most " + std::to_string(MAX_WORLD) + " GPUs on all servers",
                            std::to_string(hosts) + " on " + std::to_string(servers));
    }
    auto graph = BuildTopology(options, static_cast<uint32_t>(hosts));
    const auto& nodes = graph.GetHosts();
    // Without servers, hosts are ranks.
    const bool hasServers = std::any_of(nodes.begin(), nodes.end(), [&graph](uint32_t host) {
        return graph.GetNode(host).server != TopologyGraph::NO_SERVER;
    });
    return hasServers ? graph : BuildTopology(options, options.ranks);
}

/**
 * @param options what the user asks for
 * @param servers the servers of the topology
 * @return number of servers to deal out the ranks to
 * @throws WorkloadError if they do not hold them
 */
uint32_t
ChooseServers(const CollectiveBenchOptions& options, const Servers& servers)
{
    const auto least = FindLeastServers(servers, options.ranks);
    const auto count = options.servers > 0 ? options.servers : least;
    const auto where = options.Locate(options.servers > 0 ? "servers" : "ranks");
    if (count > servers.size())
    {
        throw WorkloadError(where,
                            "at most " + std::to_string(servers.size()) +
                                ", the servers of the topology",
                            std::to_string(count));
    }
    if (count == 0)
    {
        throw WorkloadError(where,
                            "ranks that can be dealt out evenly to servers of the topology",
                            std::to_string(options.ranks));
    }
    const auto overfull = FindOverfull(servers, options.ranks, count);
    if (overfull < count)
    {
        throw WorkloadError(where,
                            "servers that hold " + std::to_string(options.ranks) + " ranks",
                            std::to_string(count) + ", of which server " +
                                std::to_string(overfull) + " would have " +
                                std::to_string(GetShare(options.ranks, count, overfull)) +
                                " ranks on " + std::to_string(servers[overfull].size()) + " GPUs",
                            least > 0 ? std::to_string(least) : "");
    }
    return count;
}

} // namespace

CollectiveBenchCluster
BuildCollectiveBenchCluster(const CollectiveBenchOptions& options)
{
    CollectiveBenchCluster cluster;
    cluster.graph = TopologyFile::IsFileName(options.topology)
                        ? BuildTopology(options, options.ranks)
                        : BuildServers(options);
    const auto servers = FindServers(cluster.graph);
    const auto count = ChooseServers(options, servers);
    for (uint32_t server = 0; server < count; ++server)
    {
        const auto share = GetShare(options.ranks, count, server);
        const auto first = servers[server].begin();
        cluster.hosts.insert(cluster.hosts.end(), first, first + share);
        cluster.serverShares.push_back(share);
    }
    return cluster;
}

std::shared_ptr<const Workload>
MakeCollectiveWorkload(const CollectiveBenchOptions& options,
                       const CollectiveBenchCluster& cluster,
                       uint64_t bytes)
{
    const std::string name = "wl-collective";
    ParallelLayout layout;
    layout.world = static_cast<uint32_t>(cluster.graph.GetHosts().size());
    auto workload = std::make_shared<Workload>(name, name, layout);
    const auto communicator = workload->AddCommunicator({"world", Dimension::WORLD, cluster.hosts});

    WorkloadProgramBuilder builder(name);
    WorkloadOp op;
    op.kind = OpKind::COLLECTIVE;
    op.collective = options.kind;
    op.amount = bytes;
    op.peer = options.root;
    op.stream = builder.AddStream({"world", false, Dimension::WORLD});
    builder.AddOp(op, ToString(options.kind));
    const auto program = builder.Build();
    // GPUs that do not take part have a program without ops.
    const auto idle = WorkloadProgramBuilder(name).Build();
    for (uint32_t host = 0; host < layout.world; ++host)
    {
        workload->SetRank(host, idle, {});
    }
    for (const auto host : cluster.hosts)
    {
        workload->SetRank(host, program, {communicator});
    }
    return workload;
}

CollectiveSample
SimulateCollective(const CollectiveBenchOptions& options,
                   const CollectiveBenchCluster& cluster,
                   uint64_t bytes,
                   const std::function<void(const NetworkedJob&)>& onReady,
                   const std::function<void(const NetworkedJob&, const ReplayPart&)>& onDone)
{
    CollectiveSample run;
    const NetworkedJob job(options,
                           cluster.graph,
                           MakeCollectiveWorkload(options, cluster, bytes),
                           options.iterations,
                           options.reuse == "on" && options.exact == "off");
    if (onReady)
    {
        onReady(job);
    }
    Simulator::Run();
    const ReplayPart part(job);
    run.reasons = part.FindReasons();
    if (!run.reasons.empty())
    {
        const auto deadlocks = part.DescribeDeadlocks(cluster.graph);
        run.reasons.insert(run.reasons.begin(), deadlocks.begin(), deadlocks.end());
    }
    else
    {
        // Calls follow one another: the mean is the total by their number.
        const auto total = static_cast<double>(job.statistics->GetTotalTime().GetPicoSeconds());
        run.microseconds = total * 1e-6 / options.iterations;
        run.algorithm = job.statistics->GetCollectives().begin()->first.algorithm;
        if (onDone)
        {
            onDone(job, part);
        }
    }
    Simulator::Destroy();
    return run;
}

} // namespace ns3
