/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "straddling-groups.h"

#include "group-traffic.h"
#include "whole-placement.h"

#include "ns3/object-factory.h"
#include "ns3/strategy-registry.h"
#include "ns3/text-table.h"
#include "ns3/topology-file.h"
#include "ns3/topology-generator.h"
#include "ns3/topology-servers.h"
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

/// Most ranges of hosts that are listed; of more, the first ones show how they go on.
constexpr std::size_t MOST_RANGES = 16;

/// Groups of one dimension that could stand in one part of a fabric.
struct Groups
{
    uint32_t count{0};      //!< how many there are
    uint32_t straddling{0}; //!< how many stand in several parts
    std::size_t largest{0}; //!< ranks of the largest of the latter

    /**
     * @param ranks ranks of a group
     * @param places part that each rank stands in
     * @return whether it stands in several
     */
    bool Add(const std::vector<uint32_t>& ranks, const std::vector<uint32_t>& places)
    {
        const bool isWhole = std::all_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
            return places[rank] == places[ranks.front()];
        });
        ++count;
        straddling += isWhole ? 0 : 1;
        largest = std::max(largest, isWhole ? 0 : ranks.size());
        return !isWhole;
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

/// Parts of a fabric in which groups of ranks are to stand whole.
struct Tier
{
    std::vector<uint32_t> places; //!< part that each rank stands in
    uint32_t unit{1};             //!< ranks that it has a multiple of
    uint32_t largest{0};          //!< ranks of the largest one
    std::string name;             //!< what it is
    std::string links;            //!< what joins the parts
};

/**
 * @param places part that each rank stands in
 * @return ranks of the largest one
 */
uint32_t
CountLargest(const std::vector<uint32_t>& places)
{
    std::map<uint32_t, uint32_t> sizes;
    uint32_t largest = 0;
    for (const auto place : places)
    {
        largest = std::max(largest, ++sizes[place]);
    }
    return largest;
}

/**
 * @param graph a fabric
 * @param node a node
 * @param place number of the part that it is in
 * @param [in,out] places part of each node; that of what NVLink joins to it is set
 */
void
FillDomain(const TopologyGraph& graph, uint32_t node, uint32_t place, std::vector<uint32_t>& places)
{
    std::vector<uint32_t> reached{node};
    places[node] = place;
    while (!reached.empty())
    {
        const auto from = reached.back();
        reached.pop_back();
        for (const auto link : graph.GetLinksOf(from))
        {
            const auto peer = graph.GetPeer(link, from);
            if (graph.GetLink(link).nvlink && places[peer] != place)
            {
                places[peer] = place;
                reached.push_back(peer);
            }
        }
    }
}

/**
 * @param graph a fabric
 * @return its servers, or what NVLink makes one of them
 */
Tier
FindServers(const TopologyGraph& graph)
{
    std::vector<uint32_t> places(graph.GetNNodes(), TopologyGraph::NO_SERVER);
    std::map<uint32_t, uint32_t> hosts;
    for (const auto host : graph.GetHosts())
    {
        const auto server = graph.GetNode(host).server;
        // A host that stands in no server is one of its own, and the first host numbers a server.
        const auto first = server == TopologyGraph::NO_SERVER
                               ? host
                               : hosts.try_emplace(server, host).first->second;
        places[host] = places[host] == TopologyGraph::NO_SERVER ? places[first] : places[host];
        if (places[host] == TopologyGraph::NO_SERVER)
        {
            FillDomain(graph, host, host, places);
        }
    }
    Tier tier;
    for (const auto host : graph.GetHosts())
    {
        tier.places.push_back(places[host]);
    }
    tier.largest = CountLargest(tier.places);
    tier.name = "a server";
    tier.links = "NICs";
    return tier;
}

/**
 * @param graph a fabric
 * @param servers its servers
 * @return servers whose NICs are at the same switches: those of a leaf, or of a rail group
 */
Tier
FindLeafGroups(const TopologyGraph& graph, const Tier& servers)
{
    const auto nics = FindNics(graph);
    const std::set<uint32_t> shared(nics.begin(), nics.end());
    std::map<uint32_t, std::set<uint32_t>> leaves; // of each server
    std::size_t most = 0;                          // of one rank
    for (uint32_t rank = 0; rank < nics.size(); ++rank)
    {
        std::set<uint32_t> own;
        for (const auto link : graph.GetLinksOf(nics[rank]))
        {
            const auto peer = graph.GetPeer(link, nics[rank]);
            if (graph.GetNode(peer).kind == TopologyGraph::SWITCH && shared.count(peer) == 0)
            {
                own.insert(peer);
            }
        }
        most = std::max(most, own.size());
        leaves[servers.places[rank]].insert(own.begin(), own.end());
    }
    std::map<std::set<uint32_t>, uint32_t> numbers;
    Tier tier;
    bool isRail = false;
    for (const auto server : servers.places)
    {
        const auto& own = leaves[server];
        isRail = isRail || own.size() > most;
        tier.places.push_back(
            numbers.try_emplace(own, static_cast<uint32_t>(numbers.size())).first->second);
    }
    tier.unit = servers.largest;
    // Hosts that are at no switch are at no leaf.
    tier.largest = most == 0 ? 0 : CountLargest(tier.places);
    tier.name = isRail ? "a rail group" : "a leaf switch";
    tier.links = "spines";
    return tier;
}

/**
 * @param spans groups that fit a server, or another part of a fabric
 * @param most ranks of it
 * @param unit ranks that it has a multiple of
 * @return fewer, as many as possible, with which none of the groups stands in two; 0 = it is
 *         not possible
 */
uint32_t
FindSize(const std::set<RankSpan>& spans, uint32_t most, uint32_t unit)
{
    // The largest first, which leaves the fewest GPUs empty.
    for (uint32_t size = (most - 1) / unit * unit; size > 1; size -= unit)
    {
        if (std::all_of(spans.begin(), spans.end(), [size](const RankSpan& span) {
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
 * @param size ranks of a server, or another part of a fabric
 * @param unit ranks of which it has a multiple, if it consists of others
 * @return its ranks, if the former could hold them; none = it could not, or the latter could
 */
std::optional<RankSpan>
FindSpan(const Communicator& communicator, uint32_t size, uint32_t unit = 1)
{
    const auto& ranks = communicator.ranks;
    const auto [first, last] = std::minmax_element(ranks.begin(), ranks.end());
    // What no server could hold is not reported.
    const bool isMeant = !ranks.empty() && *last - *first >= unit && *last - *first < size;
    return isMeant ? std::optional<RankSpan>({*first, *last}) : std::nullopt;
}

/**
 * @param workload a job
 * @param size ranks of a server, or another part of a fabric
 * @param unit ranks of which it has a multiple, if it consists of others
 * @return its groups that the former could hold, and the latter could not
 */
std::set<RankSpan>
ListSpans(const Workload& workload, uint32_t size, uint32_t unit = 1)
{
    std::set<RankSpan> spans;
    for (const auto& communicator : workload.GetCommunicators())
    {
        if (const auto span = FindSpan(communicator, size, unit))
        {
            spans.insert(*span);
        }
    }
    return spans;
}

/**
 * @param options what the user asks for
 * @param graph the fabric
 * @param tier parts of it
 * @param spans groups that fit one
 * @return what has smaller parts, which keep them whole; empty = nothing is known
 */
std::string
FindSizeRemedy(const NetworkOptions& options,
               const TopologyGraph& graph,
               const Tier& tier,
               const std::set<RankSpan>& spans)
{
    const bool isFile = TopologyFile::IsFileName(options.topology);
    // Other sizes help only where ranks fill one part after the other.
    if (isFile || !std::is_sorted(tier.places.begin(), tier.places.end()))
    {
        return "";
    }
    const auto size = FindSize(spans, tier.largest, tier.unit);
    if (size == 0)
    {
        return "";
    }
    if (tier.unit > 1)
    {
        const auto entries = StrategyRegistry::List(TopologyGenerator::GetTypeId());
        const auto* const found = StrategyRegistry::FindEntry(entries, graph.GetName());
        const auto key = found ? ObjectFactory(found->type.GetName())
                                     .Create<TopologyGenerator>()
                                     ->GetLeafKey(size, options.fabric)
                               : "";
        return key.empty() ? "" : key + " of --topology";
    }
    const bool isPlain = options.fabric.server.IsEmpty() && options.fabric.nvlinkServers <= 1;
    return isPlain ? "--gpusPerServer=" + std::to_string(size) : "";
}

/**
 * @param tier servers of a topology that is built, one after the other
 * @return parts of its hosts, and of as many again, which it gets where they are listed
 */
std::vector<uint32_t>
AddServers(const Tier& tier)
{
    auto places = tier.places;
    const auto size = static_cast<uint32_t>(places.size());
    const auto last = (size - 1) / tier.largest;
    for (uint32_t host = size; host < 2 * size + tier.largest; ++host)
    {
        // The last server may not be full. No node has the numbers of new ones.
        const auto number = host / tier.largest;
        places.push_back(number == last ? tier.places.back() : UINT32_MAX - number);
    }
    return places;
}

/**
 * @param workload a job
 * @param tier parts of a fabric
 * @param hosts host of each rank; empty = that of its number
 * @return groups that would fit a part and stand in several
 */
std::size_t
CountStraddling(const Workload& workload, const Tier& tier, const std::vector<uint32_t>& hosts)
{
    const auto& all = workload.GetCommunicators();
    return std::count_if(all.begin(), all.end(), [&](const Communicator& communicator) {
        const auto getPlace = [&](uint32_t rank) {
            return tier.places[hosts.empty() ? rank : hosts[rank]];
        };
        const auto& ranks = communicator.ranks;
        // As long as what is reported, wherever its ranks stand.
        return FindSpan(communicator, tier.largest, tier.unit) &&
               std::any_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
                   return getPlace(rank) != getPlace(ranks.front());
               });
    });
}

/**
 * @param options what the user asks for
 * @param workload a job
 * @param tiers all parts of the fabric
 * @param tier those of them in which groups straddle
 * @param spans groups that fit one
 * @return where ranks are to stand so that groups are whole, and no more of them straddle other
 *         parts; empty = nothing is known
 */
std::string
FindPlacementRemedy(const NetworkOptions& options,
                    const Workload& workload,
                    const std::vector<Tier>& tiers,
                    const Tier& tier,
                    const std::set<RankSpan>& spans)
{
    const bool canGrow = !TopologyFile::IsFileName(options.topology) && tier.unit == 1 &&
                         std::is_sorted(tier.places.begin(), tier.places.end());
    const auto world = workload.GetLayout().world;
    const auto hosts = FindWholePlacement(canGrow ? AddServers(tier) : tier.places, spans, world);
    // Where servers are added, what they are at is not known before they are there.
    const bool isWorse =
        !canGrow && !hosts.empty() &&
        std::any_of(tiers.begin(), tiers.end(), [&](const Tier& other) {
            return CountStraddling(workload, other, hosts) > CountStraddling(workload, other, {});
        });
    return hosts.empty() || isWorse ? "" : "--placement=" + FormatPlacement(hosts, MOST_RANGES);
}

/**
 * @param workload a job
 * @param graph what it runs on
 * @param options what the user asks for of the network
 * @param tiers all parts of the fabric
 * @param tier some of them
 * @return what groups that would fit one stand in several, a sentence; empty = none does
 */
std::string
DescribeStraddling(const std::shared_ptr<const Workload>& workload,
                   const TopologyGraph& graph,
                   const NetworkOptions& options,
                   const std::vector<Tier>& tiers,
                   const Tier& tier)
{
    std::map<Dimension, Groups> byDimension;
    std::unique_ptr<GroupTraffic> traffic;
    double bytes = 0;
    const auto& communicators = workload->GetCommunicators();
    for (uint32_t id = 0; id < communicators.size(); ++id)
    {
        const auto& ranks = communicators[id].ranks;
        if (FindSpan(communicators[id], tier.largest, tier.unit) &&
            byDimension[communicators[id].dimension].Add(ranks, tier.places))
        {
            // Placing collectives takes time, which is spared where all groups are whole.
            traffic = traffic ? std::move(traffic)
                              : std::make_unique<GroupTraffic>(options, graph, workload);
            bytes += traffic->Count(id, tier.places);
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
        return "";
    }
    std::string remedy;
    // Several jobs have placements of their own.
    if (workload->GetJobs().empty())
    {
        const auto spans = ListSpans(*workload, tier.largest, tier.unit);
        remedy = FindSizeRemedy(options, graph, tier, spans);
        remedy =
            remedy.empty() ? FindPlacementRemedy(options, *workload, tiers, tier, spans) : remedy;
    }
    return JoinWords(straddling) + " would fit " + tier.name + " of " +
           FormatCount(tier.largest, "rank") + ", and stand in several, so that " +
           FormatFixed(bytes, 0) + " bytes an iteration go through " + tier.links +
           (remedy.empty() ? "" : "; " + remedy + " keeps them whole, and saves these");
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
    if (std::all_of(spans.begin(), spans.end(), [size](const RankSpan& span) {
            return span.first / size == span.second / size;
        }))
    {
        return {};
    }
    const auto better = isPlain ? FindSize(spans, size, 1) : 0;
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
            " ranks each, so that no group that fits one stands in two; "
            "--placement=in-order fills "
            "them"};
}

std::vector<std::string>
ListStraddlingGroups(const std::shared_ptr<const Workload>& workload,
                     const TopologyGraph& graph,
                     const NetworkOptions& options)
{
    // Where hosts relay there are no leaves; whoever is in no server is a server of one.
    std::vector<Tier> tiers{FindServers(graph)};
    if (!graph.HostsRelay())
    {
        tiers.push_back(FindLeafGroups(graph, tiers.front()));
    }
    std::vector<std::string> sentences;
    for (const auto& tier : tiers)
    {
        const auto sentence = DescribeStraddling(workload, graph, options, tiers, tier);
        if (!sentence.empty())
        {
            sentences.push_back(sentence);
        }
    }
    return sentences;
}

} // namespace ns3
