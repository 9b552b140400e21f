/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "straddling-groups.h"

#include "ns3/text-table.h"
#include "ns3/topology-file.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// First and last rank of a group.
using Span = std::pair<uint32_t, uint32_t>;

/// Groups of one dimension that could stand in one server.
struct Groups
{
    uint32_t count{0};      //!< how many there are
    uint32_t straddling{0}; //!< how many stand in several servers
    std::size_t largest{0}; //!< ranks of the largest of the latter

    /**
     * @param ranks ranks of a group
     * @param servers server of each rank
     */
    void Add(const std::vector<uint32_t>& ranks, const std::vector<uint32_t>& servers)
    {
        const bool isWhole = std::all_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
            return servers[rank] == servers[ranks.front()];
        });
        ++count;
        straddling += isWhole ? 0 : 1;
        largest = std::max(largest, isWhole ? 0 : ranks.size());
    }

    /**
     * @param dimension their dimension
     * @return how many straddle
     */
    std::string Describe(Dimension dimension) const
    {
        return std::to_string(straddling) + " of " + FormatCount(count, "group") + " of " +
               ToString(dimension) + " (" + FormatCount(largest, "rank") + ")";
    }
};

/**
 * @param graph a fabric
 * @return whether NVLink reaches from one server to another
 */
bool
HasNvlinkBetweenServers(const TopologyGraph& graph)
{
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto& properties = graph.GetNode(node);
        if (properties.kind == TopologyGraph::NVSWITCH &&
            properties.server == TopologyGraph::NO_SERVER)
        {
            return true;
        }
    }
    return false;
}

/**
 * @param graph a fabric
 * @return the server of each host, by rank; a host that stands alone has NO_SERVER
 */
std::vector<uint32_t>
ListServers(const TopologyGraph& graph)
{
    std::vector<uint32_t> servers;
    for (const auto host : graph.GetHosts())
    {
        servers.push_back(graph.GetNode(host).server);
    }
    return servers;
}

/**
 * @param servers server of each host
 * @return hosts of the largest; 0 = there are none
 */
uint32_t
GetLargestServer(const std::vector<uint32_t>& servers)
{
    std::map<uint32_t, uint32_t> sizes;
    uint32_t largest = 0;
    for (const auto server : servers)
    {
        largest = server == TopologyGraph::NO_SERVER ? largest : std::max(largest, ++sizes[server]);
    }
    return largest;
}

/**
 * @param spans groups that fit a server
 * @param most GPUs of a server
 * @return fewer, as many as possible, with which none of the groups stands in two servers; 0 = it
 *         is not possible
 */
uint32_t
FindServerSize(const std::set<Span>& spans, uint32_t most)
{
    // The largest first, which leaves the fewest GPUs empty.
    for (uint32_t size = most - 1; size > 1; --size)
    {
        if (std::all_of(spans.begin(), spans.end(), [size](const Span& span) {
                return span.first / size == span.second / size;
            }))
        {
            return size;
        }
    }
    return 0;
}

/**
 * @param communicator a group
 * @param size GPUs of a server
 * @return its ranks, if a server could hold them; none = it could not, or there is but one
 */
std::optional<Span>
FindSpan(const Communicator& communicator, uint32_t size)
{
    const auto& ranks = communicator.ranks;
    const auto [first, last] = std::minmax_element(ranks.begin(), ranks.end());
    // What no server could hold is not reported.
    const bool isMeant = !ranks.empty() && *first != *last && *last - *first < size;
    return isMeant ? std::optional<Span>({*first, *last}) : std::nullopt;
}

/**
 * @param workload a job
 * @param size GPUs of a server
 * @return its groups that a server could hold
 */
std::set<Span>
ListSpans(const Workload& workload, uint32_t size)
{
    std::set<Span> spans;
    for (const auto& communicator : workload.GetCommunicators())
    {
        if (const auto span = FindSpan(communicator, size))
        {
            spans.insert(*span);
        }
    }
    return spans;
}

} // namespace

std::vector<std::string>
KeepGroupsWhole(const std::vector<JobRequest>& jobs, ReplayOptions& options)
{
    const auto& placement = options.placement.text;
    auto& fabric = options.fabric;
    const auto size = fabric.gpusPerServer;
    const bool isNamed = options.IsGiven("fabric") && !options.IsGiven("gpusPerServer");
    const bool isAsked = placement == "whole";
    const bool isPlain = !TopologyFile::IsFileName(options.topology) && fabric.server.IsEmpty() &&
                         fabric.nvlinkServers <= 1;
    if (!options.jobs.empty() || (!isAsked && !(placement == "auto" && isNamed && isPlain)))
    {
        return {};
    }
    const auto spans = ListSpans(*jobs.front().workload, size);
    if (std::all_of(spans.begin(), spans.end(), [size](const Span& span) {
            return span.first / size == span.second / size;
        }))
    {
        return {};
    }
    const auto better = isPlain ? FindServerSize(spans, size) : 0;
    // NICs in proportion to the GPUs, if that is a whole number.
    const auto nics = uint64_t{fabric.nicsPerServer} * better;
    const bool isPossible = better > 0 && nics % size == 0;
    if (isAsked && !isPossible)
    {
        throw WorkloadError(options.Locate("placement"),
                            "a fabric that is built of plain servers, of which fewer GPUs keep all "
                            "groups whole, for placement whole",
                            "servers of " + std::to_string(size));
    }
    // Unless it is asked for, at most a quarter of the GPUs of a server stays empty.
    if (!isPossible || (!isAsked && 4 * uint64_t{better} < 3 * uint64_t{size}))
    {
        return {};
    }
    fabric.gpusPerServer = better;
    fabric.nicsPerServer = static_cast<uint32_t>(nics / size);
    return {"servers of " + std::to_string(size) + " GPUs hold " + std::to_string(better) +
            " ranks each, so that no group that fits one stands in two; --placement=in-order fills "
            "them"};
}

std::vector<std::string>
ListStraddlingGroups(const Workload& workload,
                     const TopologyGraph& graph,
                     const NetworkOptions& options)
{
    const auto servers = ListServers(graph);
    const auto size = GetLargestServer(servers);
    if (size < 2 || HasNvlinkBetweenServers(graph))
    {
        return {};
    }
    std::map<Dimension, Groups> byDimension;
    for (const auto& communicator : workload.GetCommunicators())
    {
        if (FindSpan(communicator, size))
        {
            byDimension[communicator.dimension].Add(communicator.ranks, servers);
        }
    }
    std::vector<std::string> straddling;
    for (const auto& [dimension, groups] : byDimension)
    {
        if (groups.straddling > 0)
        {
            straddling.push_back(groups.Describe(dimension));
        }
    }
    if (straddling.empty())
    {
        return {};
    }
    // What says how large servers are is an option only of fabrics that are built, of plain
    // servers.
    const bool isGiven = TopologyFile::IsFileName(options.topology) ||
                         !options.fabric.server.IsEmpty() || !workload.GetJobs().empty();
    const auto better = isGiven ? 0 : FindServerSize(ListSpans(workload, size), size);
    return {
        JoinWords(straddling) + " would fit a server of " + std::to_string(size) +
        " ranks, and stand in several, so that they go through NICs" +
        (better > 0 ? "; --gpusPerServer=" + std::to_string(better) + " keeps them whole" : "")};
}

} // namespace ns3
