/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "job-request.h"

#include "ns3/random-variable-stream.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/// Random stream of placements, beyond those of the ranks.
constexpr int64_t PLACEMENT_STREAM = 1LL << 41;

/**
 * @param jobs the jobs
 * @param hosts number of hosts
 * @return hosts that no job lists
 * @throws WorkloadError if a host that is listed is not there, or wanted twice
 */
std::vector<uint32_t>
FindFreeHosts(const std::vector<JobRequest>& jobs, uint32_t hosts)
{
    std::vector<bool> isTaken(hosts, false);
    for (const auto& job : jobs)
    {
        for (const auto host : job.hosts)
        {
            if (host >= hosts)
            {
                throw WorkloadError(job.listedAt,
                                    "hosts from 0 to " + std::to_string(hosts - 1) +
                                        ", which the topology has",
                                    std::to_string(host));
            }
            if (isTaken[host])
            {
                throw WorkloadError(job.listedAt,
                                    "each host for one rank",
                                    "host " + std::to_string(host) + " twice");
            }
            isTaken[host] = true;
        }
    }
    std::vector<uint32_t> free;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        if (!isTaken[host])
        {
            free.push_back(host);
        }
    }
    return free;
}

/**
 * @param free hosts
 * @param graph the topology
 * @return the same, one of each server in turn
 */
std::vector<uint32_t>
SpreadOverServers(const std::vector<uint32_t>& free, const TopologyGraph& graph)
{
    const auto& nodes = graph.GetHosts();
    std::map<uint32_t, uint32_t> counts;
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (const auto host : free)
    {
        const auto server = graph.GetNode(nodes[host]).server;
        // A host that stands in no server is one of its own.
        order.emplace_back(server == TopologyGraph::NO_SERVER ? 0 : counts[server]++, host);
    }
    // By how many of the server came before: the first host of each server, then the second ones.
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> spread;
    spread.reserve(order.size());
    for (const auto& [round, host] : order)
    {
        spread.push_back(host);
    }
    return spread;
}

/**
 * @param free hosts
 * @param random draws
 * @return the same in any order
 */
std::vector<uint32_t>
Shuffle(std::vector<uint32_t> free, UniformRandomVariable& random)
{
    // Fisher and Yates, with draws of the stream: std::shuffle() is another one in each library.
    for (std::size_t left = free.size(); left > 1; --left)
    {
        std::swap(free[left - 1], free[random.GetInteger(0, static_cast<uint32_t>(left - 1))]);
    }
    return free;
}

} // namespace

std::vector<PlacedJob>
PlaceJobs(const std::vector<JobRequest>& jobs, const TopologyGraph& graph)
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(PLACEMENT_STREAM);
    // Hosts that a job lists are not free, wherever it stands among the jobs.
    auto free = FindFreeHosts(jobs, static_cast<uint32_t>(graph.GetHosts().size()));
    std::vector<PlacedJob> placed;
    for (const auto& job : jobs)
    {
        placed.push_back({job.name, job.workload, job.hosts});
        if (!job.hosts.empty())
        {
            continue;
        }
        auto order = free;
        if (job.placement == "spread")
        {
            order = SpreadOverServers(free, graph);
        }
        else if (job.placement == "random")
        {
            order = Shuffle(free, *random);
        }
        const auto world = job.workload->GetLayout().world;
        if (order.size() < world)
        {
            throw WorkloadError(job.where,
                                "a topology with free hosts for " + std::to_string(world) +
                                    " ranks",
                                std::to_string(order.size()));
        }
        order.resize(world);
        // Ranks of a server stay neighbours in their job.
        std::sort(order.begin(), order.end());
        const std::set<uint32_t> taken(order.begin(), order.end());
        free.erase(std::remove_if(free.begin(),
                                  free.end(),
                                  [&taken](uint32_t host) { return taken.count(host) > 0; }),
                   free.end());
        placed.back().hosts = std::move(order);
    }
    return placed;
}

} // namespace ns3
