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
                          "Largest message, bytes: the grain of pipelining. 0 = what NCCL cuts it "
                          "into where the server is described, else a channel's share is one "
                          "message.",
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

PipelinedCollective::PipelinedCollective(const std::string& name,
                                         const std::set<CollectiveKind>& kinds)
    : CollectiveAlgorithm(name, kinds)
{
    NS_LOG_FUNCTION(this);
}

ChunkPipelines
PipelinedCollective::DoPlan(const CollectiveCall& call) const
{
    const auto direction = GetTreeDirection(call.kind);
    const uint32_t channels = GetChannels(call);
    const BufferPart buffer{0, call.bytes};
    // All members must cut alike, so the largest share decides: the first one.
    const auto largest = buffer.Cut(channels, 0).bytes;
    const bool isDescribed = call.placement && call.placement->GetChannels();
    const auto ofNccl = m_chunkBytes == 0 && isDescribed ? CountNcclPieces(call) : std::nullopt;
    const uint64_t nPieces =
        ofNccl ? std::min(largest, *ofNccl) : PipelineItems::CountPieces(largest, m_chunkBytes);
    ChunkPipelines pipelines;
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto place = FindPlace(call, channel);
        const auto share = buffer.Cut(channels, channel);
        const uint64_t edges = direction == TreeDirection::UP_DOWN ? 2 * uint64_t{place.height} : 1;
        const auto actions = std::make_shared<const std::vector<TreePipeline::Action>>(
            TreePipeline::MakeActions(direction, place));
        for (auto pieces : PipelineItems::Distribute(0, nPieces, edges * m_pipelineDepth))
        {
            // Of a share of fewer bytes than pieces the last pieces are empty.
            pieces.end = std::min(nPieces, share.bytes);
            pipelines.push_back(std::make_unique<TreePipeline>(actions, share, pieces, channel));
        }
    }
    return pipelines;
}

uint64_t
PipelinedCollective::CountReceivedBytes(const CollectiveCall& call) const
{
    uint64_t bytes = 0;
    const uint32_t channels = GetChannels(call);
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto share = BufferPart{0, call.bytes}.Cut(channels, channel);
        const auto place = FindPlace(call, channel);
        for (const auto& action : TreePipeline::MakeActions(GetTreeDirection(call.kind), place))
        {
            const bool isSend = action.transfer == CollectiveTransfer::SEND;
            bytes += isSend ? 0 : action.peers.size() * share.bytes;
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
