/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipelined-collective.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PipelinedCollective");

NS_OBJECT_ENSURE_REGISTERED(PipelinedCollective);

namespace
{

/**
 * @param kind all-reduce, reduce or broadcast
 * @return which way its pieces go
 */
TreeLane::Way
GetWay(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::REDUCE:
        return TreeLane::UP;
    case CollectiveKind::BROADCAST:
        return TreeLane::DOWN;
    default:
        return TreeLane::UP_DOWN;
    }
}

} // namespace

TypeId
PipelinedCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PipelinedCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("Channels",
                          "Trees or chains in parallel; each carries an equal share on connections "
                          "of its own. All-reduce uses its two trees in turn. 0 = chosen by the "
                          "algorithm from how the members are spread over servers.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PipelinedCollective::m_channels),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ChunkBytes",
                          "Largest message, bytes: the grain of pipelining. 0 = a channel's share "
                          "is one message.",
                          UintegerValue(128 * 1024),
                          MakeUintegerAccessor(&PipelinedCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "PipelineDepth",
                "Broadcast, reduce: pieces of a channel that a member handles at the same "
                "time. All-reduce: the same for each edge between a leaf and the root and "
                "back, so that no edge idles while pieces are on others; with 1, delays "
                "make edges idle.",
                UintegerValue(2),
                MakeUintegerAccessor(&PipelinedCollective::m_pipelineDepth),
                MakeUintegerChecker<uint32_t>(1));
    return tid;
}

PipelinedCollective::PipelinedCollective()
{
    NS_LOG_FUNCTION(this);
}

PipelinedCollective::~PipelinedCollective()
{
    NS_LOG_FUNCTION(this);
}

std::vector<std::unique_ptr<CollectiveLane>>
PipelinedCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << ToString(call.kind) << call.bytes << call.index << call.size);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    if (call.size == 1 || call.bytes == 0)
    {
        return lanes;
    }
    const auto way = GetWay(call.kind);
    const uint32_t channels = GetChannels(call);
    const BufferPart buffer{0, call.bytes};
    // All members must cut alike, so the largest share decides: the first one.
    const auto largest = buffer.Cut(channels, 0).bytes;
    const uint64_t pieces = m_chunkBytes == 0 ? 1 : (largest - 1) / m_chunkBytes + 1;
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto place = FindPlace(call, channel);
        const uint64_t edges = way == TreeLane::UP_DOWN ? 2 * uint64_t{place.height} : 1;
        const uint64_t depth = std::min(pieces, edges * m_pipelineDepth);
        const auto acts =
            std::make_shared<const std::vector<TreeLane::Act>>(TreeLane::MakeActs(way, place));
        const auto part = buffer.Cut(channels, channel);
        // Of a share of fewer bytes than pieces the last pieces are empty.
        const TreeLane::Share share{part, std::min(pieces, part.bytes), depth, channel};
        for (uint64_t first = 0; first < depth; ++first)
        {
            lanes.push_back(std::make_unique<TreeLane>(acts, share, first));
        }
    }
    return lanes;
}

uint64_t
PipelinedCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    uint64_t bytes = 0;
    if (call.size == 1)
    {
        return bytes;
    }
    const auto way = GetWay(call.kind);
    const uint32_t channels = GetChannels(call);
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto share = BufferPart{0, call.bytes}.Cut(channels, channel);
        for (const auto& act : TreeLane::MakeActs(way, FindPlace(call, channel)))
        {
            bytes += act.action == CollectiveTransfer::SEND ? 0 : act.peers.size() * share.bytes;
        }
    }
    return bytes;
}

uint32_t
PipelinedCollective::GetChannels(const CollectiveCall& call) const
{
    return m_channels > 0 ? m_channels : GetAutomaticChannels(call);
}

uint32_t
PipelinedCollective::GetAutomaticChannels(const CollectiveCall& call) const
{
    return CountNetworkChannels(call);
}

} // namespace ns3
