/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-collective.h"

#include "channel-tuning.h"
#include "collective-costs.h"
#include "nvls-pipeline.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvlsCollective");

NS_STRATEGY_ENSURE_REGISTERED(NvlsCollective, NvlsCollective::NAME, "NVSwitches reduce", 5);

namespace
{

/// Part of NVLink's rate that NCCL counts on (tuning.cc): of eight channels it leaves out one.
constexpr double CHANNEL_SHARE = 7.0 / 8;

/// Chunks of NCCL 2.18.6 (enqueue.cc, computeColl): with fewer than so many loops of a chunk on all
/// channels a smaller one is used.
/// @{
constexpr uint64_t CHANNELS = 16;           //!< of NVLS (transport/nvls.cc)
constexpr uint64_t CHUNK = 128 * 1024;      //!< the largest of NVLS, bytes
constexpr uint64_t TREE_CHUNK = 512 * 1024; //!< the largest of NVLSTree: a step's buffer, bytes
using Chunks = std::vector<std::pair<uint64_t, uint64_t>>;
const Chunks CHUNKS = {{64, 64 * 1024}, {8, 32 * 1024}, {2, 16 * 1024}};
const Chunks TREE_CHUNKS = {{32, 256 * 1024}, {16, 128 * 1024}, {4, 64 * 1024}, {1, 32 * 1024}};

/// @}

/**
 * @param call the collective
 * @return number of shards, the same for all members
 */
uint32_t
CountShards(const CollectiveCall& call)
{
    return HasRoot(call.kind) ? 1 : call.placement->CountNvlsHeads();
}

/**
 * @param call the collective
 * @return number of trees over the servers
 */
uint32_t
CountTrees(const CollectiveCall& call)
{
    return call.placement->GetServers().size() > 1 ? 2 : 1;
}

/**
 * @param call the collective
 * @param shard a shard
 * @param channels channels in all
 * @param channel a channel
 * @param tree a tree
 * @return what of the shard moves along the tree in the channel
 */
BufferPart
GetShare(const CollectiveCall& call,
         uint32_t shard,
         uint32_t channels,
         uint32_t channel,
         uint32_t tree)
{
    return BufferPart{0, call.bytes}
        .Cut(CountShards(call), shard)
        .Cut(channels, channel)
        .Cut(CountTrees(call), tree);
}

/**
 * @param call the collective, of two members or more
 * @param shard a shard
 * @param tree one of the trees over the servers
 * @return the part that the member plays
 */
NvlsRole
FindRole(const CollectiveCall& call, uint32_t shard, uint32_t tree)
{
    const auto& servers = call.placement->GetServers();
    const auto own = call.placement->GetPlace(call.index).server;
    // Two trees, as in NCCL: inner servers of one are leaves of the other, so that links carry data
    // both ways.
    const auto make = tree == 0 ? &TreePlace::MakeInOrder : &TreePlace::MakeInOrderTwin;
    const auto findHead = [&call, shard](uint32_t server) {
        // With a root there is one shard, whose head is the root.
        return HasRoot(call.kind) ? call.root : call.placement->GetNvlsHead(server, shard);
    };
    NvlsRole role;
    role.member = call.index;
    role.head = findHead(own);
    role.isAlone = servers[own].size() == 1;
    role.place = make(static_cast<uint32_t>(servers.size()), own).Rename(findHead);
    return role;
}

/**
 * @param call the collective, whose placement knows its channels
 * @return how often all channels of NCCL take a chunk of each shard
 */
uint64_t
CountLoops(const CollectiveCall& call)
{
    const uint64_t shares = CHANNELS * uint64_t{CountShards(call)};
    const bool isTree = CountTrees(call) > 1;
    uint64_t chunk = isTree ? TREE_CHUNK : CHUNK;
    for (const auto& [loops, bytes] : isTree ? TREE_CHUNKS : CHUNKS)
    {
        if (call.bytes < loops * shares * chunk && chunk > bytes)
        {
            chunk = bytes;
        }
    }
    return (call.bytes - 1) / (shares * chunk) + 1;
}

} // namespace

TypeId
NvlsCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvlsCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<NvlsCollective>()
            .AddAttribute("Channels",
                          "Shares that each shard is cut into, each on connections of its own; "
                          "they take the NVSwitches of a server in turn. 0 = one for each "
                          "NVSwitch of a server.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NvlsCollective::m_channels),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Merged",
                          "Whether the channels of a collective in one server are one message of "
                          "the simulation each time, as long as they together. They go up and "
                          "down at the same time, so that it makes no difference where a member's "
                          "NVLinks are one port: wl-replay sets it with the transport ideal.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&NvlsCollective::m_isMerged),
                          MakeBooleanChecker())
            .AddAttribute("ChunkBytes",
                          "Largest message, bytes: the grain of pipelining. The default is "
                          "NCCL_NVLS_CHUNKSIZE of NCCL. 0 = a share is one message.",
                          UintegerValue(128 * 1024),
                          MakeUintegerAccessor(&NvlsCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("SmallestChunkBytes",
                          "ChunkBytes is halved, but not to less than this, bytes, as long as a "
                          "share has fewer than Pieces. The default is that of NCCL, which halves "
                          "down to it likewise.",
                          UintegerValue(16 * 1024),
                          MakeUintegerAccessor(&NvlsCollective::m_smallestChunkBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Pieces",
                          "Pieces that a share should have at least. Links idle for the time of 2 "
                          "PipelineDepth pieces of each share, so the default costs 3 %. 0 = no "
                          "chunk is halved.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&NvlsCollective::m_fewestPieces),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PipelineDepth",
                          "Pieces of a share that are added up at the same time, so that no link "
                          "idles while a sum is on its way to its head.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&NvlsCollective::m_pipelineDepth),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

NvlsCollective::NvlsCollective()
    : CollectiveAlgorithm(NAME,
                          {CollectiveKind::ALL_REDUCE,
                           CollectiveKind::ALL_GATHER,
                           CollectiveKind::REDUCE_SCATTER,
                           CollectiveKind::BROADCAST,
                           CollectiveKind::REDUCE})
{
    NS_LOG_FUNCTION(this);
}

std::string
NvlsCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    if (call.size == 1)
    {
        return "";
    }
    if (!call.placement)
    {
        return "it is not known where its members stand";
    }
    const auto nServers = call.placement->GetServers().size();
    if (nServers == call.size)
    {
        return "no two of its members share a server";
    }
    if (call.placement->GetNSwitches() == 0)
    {
        return "not all of its servers have an NVSwitch that links all of their ranks";
    }
    if (nServers > 1 && call.kind != CollectiveKind::ALL_REDUCE)
    {
        return "its members stand in " + std::to_string(nServers) +
               " servers, and only all-reduce goes beyond one";
    }
    return "";
}

std::optional<double>
NvlsCollective::Estimate(const CollectiveCall& call,
                         CollectiveProtocol protocol,
                         const CollectiveCosts& costs) const
{
    // NCCL has no NVLS for the others (tuning.cc).
    const std::set<CollectiveKind> kinds = {CollectiveKind::ALL_REDUCE,
                                            CollectiveKind::ALL_GATHER,
                                            CollectiveKind::REDUCE_SCATTER};
    if (kinds.count(call.kind) == 0 || costs.GetNvlsShare() == 0 || !Suits(call))
    {
        return std::nullopt;
    }
    if (call.placement->GetChannels())
    {
        const bool isOneServer = call.placement->GetServers().size() == 1;
        return ChannelTuning(call, costs)
            .Estimate(isOneServer ? ChannelTuning::NVLS : ChannelTuning::NVLS_TREE, protocol);
    }
    const auto layout = CollectiveLayout::Of(call);
    if (protocol != CollectiveProtocol::SIMPLE || layout.servers > 1 || call.size <= 2)
    {
        return std::nullopt;
    }
    const double size = call.size;
    const double rate = costs.GetBusRate(layout) * costs.GetNvlsShare() * CHANNEL_SHARE;
    // What a ring would have to carry. Both halves of an all-reduce overlap.
    const bool isAllReduce = call.kind == CollectiveKind::ALL_REDUCE;
    const auto buffer = static_cast<double>(call.bytes);
    const double bytes = isAllReduce ? buffer * 2 * (size - 1) / size : buffer;
    const double factor = isAllReduce ? 2 : (size - 1) / size;
    const auto latencies = GetLatencies(protocol, layout, costs);
    return latencies.base.GetSeconds() + bytes / (rate * factor);
}

CollectiveLatencies::Entry
NvlsCollective::GetLatencies(CollectiveProtocol protocol,
                             const CollectiveLayout& layout,
                             const CollectiveCosts& costs) const
{
    return costs.GetLatencies(layout.servers > 1 ? "nvls-tree" : NAME, protocol);
}

CollectiveTerms
NvlsCollective::GetTerms(CollectiveProtocol protocol,
                         const CollectiveLayout& layout,
                         const CollectiveCosts& costs) const
{
    auto latencies = costs.GetMessageLatencies(GetLatencies(protocol, layout, costs));
    const bool isTree = layout.servers > 1;
    if (latencies.server.IsZero())
    {
        const auto hop = costs.GetLatencies("tree", protocol).server;
        const auto each = isTree ? Time(0) : std::min(hop / 2, latencies.base / 2);
        latencies.server = costs.ScaleServerLatency(each);
        // Up and down: what messages now cost is taken from the base, so that the total stays
        // NCCL's.
        latencies.base -= 2 * each;
        latencies.base += 2 * (isTree ? layout.servers - 1 : 0) * latencies.network;
        latencies.network = Time(0);
    }
    auto terms = costs.MakeTerms(latencies, protocol);
    if (protocol == CollectiveProtocol::SIMPLE && costs.GetNvlsShare() > 0)
    {
        terms.serverShare = isTree ? costs.GetNvlsTreeShare() : costs.GetNvlsShare();
    }
    return terms;
}

uint64_t
NvlsCollective::CountPieces(uint64_t largest) const
{
    if (m_chunkBytes == 0)
    {
        return 1;
    }
    uint64_t chunk = m_chunkBytes;
    // As NCCL's computeColl(): smaller chunks fill the pipeline where there is little to move.
    while (chunk / 2 >= m_smallestChunkBytes && largest / chunk < m_fewestPieces)
    {
        chunk /= 2;
    }
    return (largest - 1) / chunk + 1;
}

std::vector<CollectiveProtocol>
NvlsCollective::GetProtocols() const
{
    return {CollectiveProtocol::SIMPLE};
}

CollectiveAlgorithm::Switches
NvlsCollective::GetSwitches() const
{
    return Switches::NVLINK;
}

ChunkPipelines
NvlsCollective::DoPlan(const CollectiveCall& call) const
{
    const uint32_t channels = GetChannels(call);
    const uint32_t trees = CountTrees(call);
    const uint32_t shards = CountShards(call);
    const auto direction = GetTreeDirection(call.kind);
    // All members must cut alike, so the largest share decides: the first one.
    const auto share = GetShare(call, 0, channels, 0, 0).bytes;
    // Chunks are cut up so that a piece has soon left the NVSwitch. In one server the pieces of a
    // chunk move together; on a tree they follow each other.
    const bool isDescribed = call.placement->GetChannels() != nullptr;
    const auto nPieces =
        isDescribed ? std::min(share, CountLoops(call) * (trees > 1 ? 8 : 4)) : CountPieces(share);
    const auto depth = isDescribed && trees == 1 ? 2 * m_pipelineDepth : m_pipelineDepth;
    // Merged channels are one message of the same length.
    const auto apart = m_isMerged && trees == 1 ? 1 : channels;
    ChunkPipelines pipelines;
    for (uint32_t channel = 0; channel < apart; ++channel)
    {
        for (const auto& pieces : PipelineItems::Distribute(0, nPieces, depth))
        {
            for (uint32_t i = 0; i < shards * trees; ++i)
            {
                const auto share = GetShare(call, i / trees, apart, channel, i % trees);
                pipelines.push_back(
                    std::make_unique<NvlsPipeline>(direction,
                                                   FindRole(call, i / trees, i % trees),
                                                   share,
                                                   pieces,
                                                   channel));
            }
        }
    }
    return pipelines;
}

uint64_t
NvlsCollective::CountReceivedBytes(const CollectiveCall& call) const
{
    uint64_t bytes = 0;
    const auto direction = GetTreeDirection(call.kind);
    const uint32_t channels = GetChannels(call);
    const uint32_t trees = CountTrees(call);
    for (uint32_t i = 0; i < CountShards(call) * trees; ++i)
    {
        const auto role = FindRole(call, i / trees, i % trees);
        // A sum and results from the own NVSwitch, and what the heads of other servers send.
        uint64_t count = role.isAlone || direction == TreeDirection::UP ? 0 : 1;
        if (role.IsHead())
        {
            count += role.isAlone || direction == TreeDirection::DOWN ? 0 : 1;
            count += role.place.children.size();
            count += role.place.parent == TreePlace::NO_PARENT ? 0 : 1;
        }
        for (uint32_t channel = 0; channel < channels; ++channel)
        {
            bytes += count * GetShare(call, i / trees, channels, channel, i % trees).bytes;
        }
    }
    return bytes;
}

std::optional<uint32_t>
NvlsCollective::CountMultiprocessors(const CollectiveCall& call) const
{
    const bool isDescribed = call.placement && call.placement->GetChannels();
    return isDescribed ? std::optional(static_cast<uint32_t>(CHANNELS)) : std::nullopt;
}

uint32_t
NvlsCollective::GetChannels(const CollectiveCall& call) const
{
    const bool hasSwitch = call.placement && call.placement->GetNSwitches() > 0;
    return m_channels > 0 ? m_channels : hasSwitch ? call.placement->GetNSwitches() : 1;
}

} // namespace ns3
