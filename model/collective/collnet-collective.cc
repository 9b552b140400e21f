/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-collective.h"

#include "chunk-pipeline.h"
#include "collective-costs.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollnetCollective");

NS_OBJECT_ENSURE_REGISTERED(CollnetCollective);

namespace
{

/// Largest chunk of CollNet, bytes (NCCL 2.30, enqueue.cc).
constexpr uint64_t CHUNK = 256 * 1024;

/**
 * @brief Moves the chunks of a share of the buffer up the tree of a server, through the switches
 *        of the network and down the tree.
 *
 * In a tree of height H a member of depth d sends chunk p up in round p + H - d, the head, of
 * depth 0, to the network. The head has the result at the end of that round, so that the pipeline
 * has one chunk in the network at a time; the member of depth d sends it down in round p + H + d
 * + 1.
 */
class CollnetPipeline : public StagedPipeline
{
  public:
    /**
     * @param place place of the member in the tree of its server; the nodes are members
     * @param share the share of the buffer
     * @param chunks the chunks of it that the pipeline moves
     * @param channel channel of the messages
     */
    CollnetPipeline(const TreePlace& place,
                    const BufferPart& share,
                    const PipelineItems& chunks,
                    uint32_t channel);

  private:
    void MakeRound(CollectiveStep& step) const override;

    TreePlace m_place; //!< place of the member in the tree of its server
};

CollnetPipeline::CollnetPipeline(const TreePlace& place,
                                 const BufferPart& share,
                                 const PipelineItems& chunks,
                                 uint32_t channel)
    : StagedPipeline(share, chunks, 2 * uint64_t{place.height} + 1, channel),
      m_place(place)
{
}

void
CollnetPipeline::MakeRound(CollectiveStep& step) const
{
    const bool isHead = m_place.parent == TreePlace::NO_PARENT;
    const uint64_t up = m_place.height - m_place.depth;
    const uint64_t down = uint64_t{m_place.height} + m_place.depth + 1;
    // What is finished goes first: others wait for it.
    for (const auto child : m_place.children)
    {
        AddTransfer(step, CollectiveTransfer::SEND, child, GetPart(down));
    }
    AddTransfer(step,
                isHead ? CollectiveTransfer::NETWORK_REDUCE : CollectiveTransfer::SEND,
                m_place.parent,
                GetPart(up));
    // Received in the round before it is passed on.
    AddTransfer(step,
                isHead ? CollectiveTransfer::NETWORK_RECV : CollectiveTransfer::RECV_COPY,
                m_place.parent,
                GetPart(down - 1));
    for (const auto child : m_place.children)
    {
        AddTransfer(step, CollectiveTransfer::RECV_REDUCE, child, GetPart(up - 1));
    }
}

} // namespace

TypeId
CollnetCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollnetCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("Channels",
                          "Equal shares of the buffer, each with a head in every server and a tree "
                          "of switches. They take the rails of a server in turn. 0 = one for each "
                          "NIC of the server that has fewest.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollnetCollective::m_channels),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ChunkBytes",
                          "Largest message, bytes: the slot of a switch. 0 = as in NCCL 2.30 "
                          "(enqueue.cc): 256 KiB, halved down to 32 KiB if a channel has few.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollnetCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "Window",
                "Chunks of a channel that the switches hold at most: the next one is sent when the "
                "result of one of them has come. The default is that of NCCL (NCCL_STEPS, "
                "transport/coll_net.cc). SHARP's low-latency trees have so many outstanding "
                "transactions of ChunkBytes each (SHARP_COLL_OSTS_PER_GROUP, "
                "SHARP_COLL_JOB_QUOTA_PAYLOAD_PER_OST), SwitchML has 512 of 128 bytes at 100 Gb/s.",
                UintegerValue(8),
                MakeUintegerAccessor(&CollnetCollective::m_window),
                MakeUintegerChecker<uint32_t>(1));
    return tid;
}

CollnetCollective::CollnetCollective(const std::string& name, TreePlace::Maker makePlace)
    : CollectiveAlgorithm(name, {CollectiveKind::ALL_REDUCE}),
      m_makePlace(makePlace)
{
    NS_LOG_FUNCTION(this << name);
}

std::string
CollnetCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    if (call.size == 1)
    {
        return "";
    }
    if (!call.placement)
    {
        return "it is not known where its members stand";
    }
    if (call.placement->GetServers().size() == 1)
    {
        return "its members stand in one server, so that nothing crosses the network";
    }
    return call.placement->GetReductionUnsupportedReason();
}

uint32_t
CollnetCollective::GetChannels(const CollectiveCall& call) const
{
    return m_channels > 0 ? m_channels : call.placement ? call.placement->CountNetworkHeads() : 1;
}

TreePlace
CollnetCollective::FindPlace(const CollectiveCall& call, uint32_t channel) const
{
    const auto& own = call.placement->GetPlace(call.index);
    const auto& members = call.placement->GetServers()[own.server];
    const auto size = static_cast<uint32_t>(members.size());
    // Each channel has another head, so that every NIC carries one share.
    const auto head = call.placement->GetNetworkHead(own.server, channel);
    const auto first = call.placement->GetPlace(head).rail;
    return m_makePlace(size, (own.rail + size - first) % size)
        .Rename([&members, first, size](uint32_t node) { return members[(first + node) % size]; });
}

uint64_t
CollnetCollective::Halve(uint64_t share, uint64_t depth, std::initializer_list<Halving> halvings)
{
    uint64_t chunk = CHUNK;
    for (const auto& [times, least] : halvings)
    {
        while (chunk > least && share / chunk < times * depth)
        {
            chunk /= 2;
        }
    }
    return chunk;
}

std::vector<CollectiveProtocol>
CollnetCollective::GetProtocols() const
{
    return {CollectiveProtocol::SIMPLE};
}

CollectiveAlgorithm::Switches
CollnetCollective::GetSwitches() const
{
    return Switches::NETWORK;
}

CollectiveTerms
CollnetCollective::GetTerms(CollectiveProtocol protocol,
                            const CollectiveLayout& layout,
                            const CollectiveCosts& costs) const
{
    // NCCL adds the network's latency once to a call (tuning.cc), not to each chunk, since chunks
    // follow each other through the switches.
    auto latencies = costs.GetMessageLatencies(GetLatencies(protocol, layout, costs));
    latencies.base += latencies.network;
    latencies.network = Time(0);
    latencies.base += GetExtraLatency(layout.perServer);
    return costs.MakeTerms(latencies, protocol);
}

ChunkPipelines
CollnetCollective::DoPlan(const CollectiveCall& call) const
{
    const uint32_t channels = GetChannels(call);
    const BufferPart buffer{0, call.bytes};
    // All members must cut alike, so the largest share decides: the first one.
    const auto largest = buffer.Cut(channels, 0).bytes;
    const uint64_t chunk = m_chunkBytes > 0
                               ? m_chunkBytes
                               : GetDefaultChunk(largest, call.placement->GetLargestServer());
    const uint64_t nChunks = PipelineItems::CountPieces(largest, chunk);
    ChunkPipelines pipelines;
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto share = buffer.Cut(channels, channel);
        const auto place = FindPlace(call, channel);
        // A pipeline has one chunk at a time in the switches.
        for (auto chunks : PipelineItems::Distribute(0, nChunks, m_window))
        {
            // Of a share of fewer bytes than chunks the last chunks are empty.
            chunks.end = std::min(nChunks, share.bytes);
            pipelines.push_back(std::make_unique<CollnetPipeline>(place, share, chunks, channel));
        }
    }
    return pipelines;
}

uint64_t
CollnetCollective::CountReceivedBytes(const CollectiveCall& call) const
{
    uint64_t bytes = 0;
    const uint32_t channels = GetChannels(call);
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        // What the rest of the tree has, if there is one, and the result, from wherever.
        bytes += BufferPart{0, call.bytes}.Cut(channels, channel).bytes *
                 (FindPlace(call, channel).children.size() + 1);
    }
    return bytes;
}

} // namespace ns3
