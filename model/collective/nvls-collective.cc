/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-collective.h"

#include "channel-tuning.h"
#include "collective-costs.h"
#include "tree-lane.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvlsCollective");

NS_OBJECT_ENSURE_REGISTERED(NvlsCollective);

namespace
{

/// Part of NVLink's rate that NCCL counts on (tuning.cc): of eight channels it leaves out one.
constexpr double CHANNEL_SHARE = 7.0 / 8;

// Chunks of NCCL 2.18.6 (enqueue.cc, computeColl): with fewer than so many loops of a chunk on all
// channels a smaller one is used.
constexpr uint64_t CHANNELS = 16;           //!< of NVLS (transport/nvls.cc)
constexpr uint64_t CHUNK = 128 * 1024;      //!< the largest of NVLS, bytes
constexpr uint64_t TREE_CHUNK = 512 * 1024; //!< the largest of NVLSTree: a step's buffer, bytes
using Chunks = std::vector<std::pair<uint64_t, uint64_t>>;
const Chunks CHUNKS = {{64, 64 * 1024}, {8, 32 * 1024}, {2, 16 * 1024}};
const Chunks TREE_CHUNKS = {{32, 256 * 1024}, {16, 128 * 1024}, {4, 64 * 1024}, {1, 32 * 1024}};

/// The part that a member plays in moving a shard along a tree.
struct NvlsRole
{
    uint32_t member{0};  //!< the member
    uint32_t head{0};    //!< the head of its server
    bool isAlone{false}; //!< it is the only member of its server
    /// Place of its server in the tree; the nodes are heads, and members of other servers than
    /// the own one count only for the head.
    TreePlace place;

    /**
     * @return true if the member is the head of its server
     */
    bool IsHead() const
    {
        return member == head;
    }
};

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
    const auto make = tree == 0 ? &TreePlace::MakeInOrder : &TreePlace::MakeInOrderTwin;
    const auto findHead = [&call, shard](uint32_t server) {
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
 * Moves the pieces of a share of the buffer through the NVSwitches of the servers and, if there are
 * several servers, through a tree over them.
 *
 * One member of each server is the head: the NVSwitch sends it the sum of what the members of the
 * server have, the heads add up their sums along the tree, and have their NVSwitches send the
 * result to all members.
 *
 * Time goes in slots, which all members count alike. In a tree of height H the server of depth d
 * adds up piece p in slot p + H - d, in which its head also receives what the heads below have; it
 * sends the total up one slot later. The root has all of it then, and a head of depth d sends it
 * down and to its own server in slot p + H + 1 + d. What only goes up or only goes down, which it
 * does in one server alone, does so in slot p. Slots in which a member has nothing to do make no
 * step.
 */
class NvlsLane : public CollectiveLane
{
  public:
    /**
     * @param direction which way the pieces go
     * @param role the part that the member plays
     * @param share the share of the buffer
     * @param pieces the pieces of it that the lane moves
     * @param channel channel of the messages
     */
    NvlsLane(TreeDirection direction,
             NvlsRole role,
             const BufferPart& share,
             const LaneItems& pieces,
             uint32_t channel)
        : CollectiveLane(channel),
          m_direction(direction),
          m_role(std::move(role)),
          m_share(share),
          m_pieces(pieces)
    {
        const uint64_t turns = (pieces.end - pieces.first - 1) / pieces.stride + 1;
        m_end = turns + 2 * uint64_t{m_role.place.height} + 1;
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        while (step.empty() && m_slot < m_end)
        {
            // What is finished goes first: others wait for it. And so a head gets its multicast of
            // this slot before the sum, which lacks its own contribution until then.
            if (m_direction != TreeDirection::UP)
            {
                AddDown(step);
            }
            if (m_direction != TreeDirection::DOWN)
            {
                AddUp(step);
            }
            ++m_slot;
        }
        return !step.empty();
    }

  private:
    /**
     * @param start the slot in which the lane's first piece is dealt with
     * @return what is dealt with in the present slot; no bytes if nothing is
     */
    BufferPart GetPart(uint64_t start) const
    {
        if (m_slot < start)
        {
            return {};
        }
        const uint64_t piece = m_pieces.first + (m_slot - start) * m_pieces.stride;
        return piece < m_pieces.end ? m_share.Cut(m_pieces.end, piece) : BufferPart();
    }

    /**
     * Add what goes down in the present slot.
     *
     * @param step where to add it
     */
    void AddDown(CollectiveStep& step) const
    {
        const auto& place = m_role.place;
        const uint64_t turn = m_direction == TreeDirection::DOWN ? 0 : place.height + uint64_t{1};
        const auto part = GetPart(turn + place.depth);
        if (m_role.IsHead())
        {
            for (const auto child : place.children)
            {
                AddTransfer(step, CollectiveTransfer::SEND, child, part);
            }
            if (place.parent != TreePlace::NO_PARENT)
            {
                const auto next = GetPart(turn + place.depth - 1);
                AddTransfer(step, CollectiveTransfer::RECV_COPY, place.parent, next);
            }
            if (!m_role.isAlone)
            {
                AddTransfer(step, CollectiveTransfer::SWITCH_MULTICAST, m_role.member, part);
            }
        }
        if (!m_role.isAlone)
        {
            AddTransfer(step, CollectiveTransfer::SWITCH_RECV, m_role.head, part);
        }
    }

    /**
     * Add what goes up in the present slot.
     *
     * @param step where to add it
     */
    void AddUp(CollectiveStep& step) const
    {
        const auto& place = m_role.place;
        const uint64_t start = place.height - place.depth;
        const auto part = GetPart(start);
        if (m_role.IsHead() && place.parent != TreePlace::NO_PARENT)
        {
            AddTransfer(step, CollectiveTransfer::SEND, place.parent, GetPart(start + 1));
        }
        if (!m_role.isAlone)
        {
            AddTransfer(step, CollectiveTransfer::SWITCH_REDUCE, m_role.head, part);
        }
        if (!m_role.IsHead())
        {
            return;
        }
        // The sum takes the place of the head's own bytes, then those of the other heads are added.
        if (!m_role.isAlone)
        {
            AddTransfer(step, CollectiveTransfer::SWITCH_RECV, m_role.member, part);
        }
        for (const auto child : place.children)
        {
            AddTransfer(step, CollectiveTransfer::RECV_REDUCE, child, part);
        }
    }

    TreeDirection m_direction; //!< which way the pieces go
    NvlsRole m_role;           //!< the part that the member plays
    BufferPart m_share;        //!< the share of the buffer
    LaneItems m_pieces;        //!< the pieces that the lane moves
    uint64_t m_slot{0};        //!< the next slot
    uint64_t m_end;            //!< number of slots
};

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
    const auto latencies = costs.GetLatencies(GetName(), protocol, layout);
    return latencies.base.GetSeconds() + bytes / (rate * factor);
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

CollectiveLanes
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
    CollectiveLanes lanes;
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        for (const auto& pieces : LaneItems::Distribute(0, nPieces, depth))
        {
            for (uint32_t i = 0; i < shards * trees; ++i)
            {
                const auto share = GetShare(call, i / trees, channels, channel, i % trees);
                lanes.push_back(std::make_unique<NvlsLane>(direction,
                                                           FindRole(call, i / trees, i % trees),
                                                           share,
                                                           pieces,
                                                           channel));
            }
        }
    }
    return lanes;
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

uint32_t
NvlsCollective::GetChannels(const CollectiveCall& call) const
{
    const bool hasSwitch = call.placement && call.placement->GetNSwitches() > 0;
    return m_channels > 0 ? m_channels : hasSwitch ? call.placement->GetNSwitches() : 1;
}

} // namespace ns3
