/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-collective.h"

#include "collective-estimates.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvlsCollective");

NS_OBJECT_ENSURE_REGISTERED(NvlsCollective);

namespace
{

/**
 * @param kind a supported kind
 * @return which way its pieces go
 */
TreeLane::Way
GetWay(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::REDUCE:
    case CollectiveKind::REDUCE_SCATTER:
        return TreeLane::UP;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::ALL_GATHER:
        return TreeLane::DOWN;
    default:
        return TreeLane::UP_DOWN;
    }
}

/**
 * @param call the collective
 * @return number of shards, the same for all members
 */
uint32_t
CountShards(const CollectiveCall& call)
{
    return HasRoot(call.kind) ? 1 : call.placement->GetSmallestServer();
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
{
    NS_LOG_FUNCTION(this);
}

NvlsCollective::~NvlsCollective()
{
    NS_LOG_FUNCTION(this);
}

std::string
NvlsCollective::GetName() const
{
    return NAME;
}

bool
NvlsCollective::Supports(CollectiveKind kind) const
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return true;
    default:
        return false;
    }
}

std::string
NvlsCollective::FindObstacle(const CollectiveCall& call) const
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

BufferPart
NvlsCollective::GetShard(const CollectiveCall& call, uint32_t shard)
{
    return BufferPart{0, call.bytes}.Cut(CountShards(call), shard);
}

NvlsLane::Role
NvlsCollective::FindRole(const CollectiveCall& call, uint32_t shard, uint32_t tree)
{
    const auto& servers = call.placement->GetServers();
    const auto own = call.placement->GetPlace(call.index).server;
    const auto make = tree == 0 ? &TreePlace::MakeInOrder : &TreePlace::MakeInOrderTwin;
    const uint32_t rail = HasRoot(call.kind) ? call.placement->GetPlace(call.root).rail : shard;
    NvlsLane::Role role;
    role.member = call.index;
    role.head = servers[own][rail];
    role.isAlone = servers[own].size() == 1;
    role.place = make(static_cast<uint32_t>(servers.size()), own).Rename([&](uint32_t server) {
        return servers[server][rail];
    });
    return role;
}

uint64_t
NvlsCollective::CountPieces(uint64_t largest) const
{
    if (m_chunkBytes == 0)
    {
        return 1;
    }
    uint64_t chunk = m_chunkBytes;
    while (chunk / 2 >= m_smallestChunkBytes && largest / chunk < m_fewestPieces)
    {
        chunk /= 2;
    }
    return (largest - 1) / chunk + 1;
}

std::optional<double>
NvlsCollective::Estimate(const CollectiveCall& call,
                         CollectiveProtocol protocol,
                         const CollectiveCosts& costs) const
{
    return Suits(call) ? EstimateNvls(call, protocol, costs) : std::nullopt;
}

std::vector<std::unique_ptr<CollectiveLane>>
NvlsCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << ToString(call.kind) << call.bytes << call.index << call.size);
    const auto obstacle = FindObstacle(call);
    NS_ABORT_MSG_UNLESS(obstacle.empty(),
                        "nvls cannot do a " << ToString(call.kind) << ": " << obstacle
                                            << "; see ReplayHelper::InstallSwitches");
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    if (call.size == 1 || call.bytes == 0)
    {
        return lanes;
    }
    const uint32_t channels = GetChannels(call);
    const uint32_t trees = CountTrees(call);
    const uint32_t shards = CountShards(call);
    const auto way = GetWay(call.kind);
    // All members must cut alike, so the largest share decides: the first one.
    const auto pieces = CountPieces(GetShard(call, 0).Cut(channels, 0).Cut(trees, 0).bytes);
    const uint64_t depth = std::min<uint64_t>(pieces, m_pipelineDepth);
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        for (uint64_t first = 0; first < depth; ++first)
        {
            for (uint32_t i = 0; i < shards * trees; ++i)
            {
                const uint32_t shard = i / trees;
                const uint32_t tree = i % trees;
                const auto part = GetShard(call, shard).Cut(channels, channel).Cut(trees, tree);
                const NvlsLane::Share share{part, pieces, first, depth, channel};
                lanes.push_back(
                    std::make_unique<NvlsLane>(way, FindRole(call, shard, tree), share));
            }
        }
    }
    return lanes;
}

uint64_t
NvlsCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    uint64_t bytes = 0;
    if (call.size == 1)
    {
        return bytes;
    }
    const auto way = GetWay(call.kind);
    const uint32_t channels = GetChannels(call);
    const uint32_t trees = CountTrees(call);
    for (uint32_t i = 0; i < CountShards(call) * trees; ++i)
    {
        const auto role = FindRole(call, i / trees, i % trees);
        const bool isHead = role.member == role.head;
        const uint64_t sums = way != TreeLane::DOWN && isHead && !role.isAlone ? 1 : 0;
        const uint64_t results = way != TreeLane::UP && !role.isAlone ? 1 : 0;
        const uint64_t fromHeads =
            !isHead
                ? 0
                : role.place.children.size() + (role.place.parent == TreePlace::NO_PARENT ? 0 : 1);
        for (uint32_t channel = 0; channel < channels; ++channel)
        {
            const auto part =
                GetShard(call, i / trees).Cut(channels, channel).Cut(trees, i % trees);
            bytes += (sums + results + fromHeads) * part.bytes;
        }
    }
    return bytes;
}

uint32_t
NvlsCollective::GetChannels(const CollectiveCall& call) const
{
    const bool hasSwitch = call.placement && call.placement->GetNSwitches() > 0;
    return m_channels > 0 ? m_channels : hasSwitch ? call.placement->GetNSwitches() : 1;
}

} // namespace ns3
