/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-collective.h"

#include "channel-tuning.h"
#include "collective-costs.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RingCollective");

NS_STRATEGY_ENSURE_REGISTERED(RingCollective,
                              "ring",
                              "neighbours pass parts on, over every rail",
                              0);

namespace
{

// What NCCL assumes for rings (tuning.cc).
constexpr double PLATEAU_FACTOR = 1.4; //!< on the latency of Simple in several servers ...
constexpr uint64_t PLATEAU_BYTES = 64; //!< ... from so many bytes per step and channel on
constexpr double LL128_SHARE = 0.92;   //!< payload share of LL128

/**
 * @param call the collective
 * @param channel a channel
 * @return the channel's ring; null = the members as they stand in the communicator
 */
const RailRing*
FindRing(const CollectiveCall& call, uint32_t channel)
{
    return call.placement ? &call.placement->GetRing(channel) : nullptr;
}

/**
 * @param call the collective
 * @param ring the ring of a channel, or null
 * @return the member's position in it
 */
uint32_t
GetPosition(const CollectiveCall& call, const RailRing* ring)
{
    return ring ? ring->GetPosition(call.index) : call.index;
}

/**
 * @param call the collective
 * @param ring the ring of a channel, or null
 * @param position a position in it, which may be beyond its end by less than a round
 * @return the member that stands there
 */
uint32_t
GetMember(const CollectiveCall& call, const RailRing* ring, uint32_t position)
{
    // Cheaper than a division, in a function that runs for each message.
    const uint32_t place = position < call.size ? position : position - call.size;
    return ring ? ring->GetMember(place) : place;
}

/**
 * @param call the collective
 * @return steps of a ring
 */
uint64_t
CountSteps(const CollectiveCall& call)
{
    return (call.kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * (call.size - uint64_t{1});
}

/**
 * One of a channel's pipelines: its pieces of the channel's share of each chunk go round the ring
 * one after another.
 */
class RingPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call the collective
     * @param channels channels in all
     * @param channel the pipeline's channel
     * @param pieces pieces of the channel's share that the pipeline moves
     * @param position position in the ring of whom the pipeline is about
     * @param steps steps with each piece
     */
    RingPipeline(const CollectiveCall& call,
                 uint32_t channels,
                 uint32_t channel,
                 const PipelineItems& pieces,
                 uint32_t position,
                 uint64_t steps)
        : SteppedPipeline(pieces, steps, channel),
          m_call(call),
          m_channels(channels),
          m_ring(FindRing(call, channel)),
          m_position(position)
    {
    }

  protected:
    void MakeStep(CollectiveStep& step, uint64_t /* piece */, uint64_t turn) override
    {
        // The position before its own; size is added so that it does not become negative.
        const uint32_t before = m_position + m_call.size - 1;
        AddTransfer(step,
                    CollectiveTransfer::SEND,
                    GetReceiver(m_position),
                    GetSent(m_position, turn));
        AddTransfer(step,
                    IsReduced(turn) ? CollectiveTransfer::RECV_REDUCE
                                    : CollectiveTransfer::RECV_COPY,
                    GetSender(before),
                    GetSent(before, turn));
    }

    /**
     * @param turn a step
     * @return whether what is received in it is added
     */
    bool IsReduced(uint64_t turn) const
    {
        return m_call.kind != CollectiveKind::ALL_GATHER && turn < m_call.size - uint64_t{1};
    }

    /**
     * @param position a position, which may be beyond the end by less than a round
     * @param turn a step
     * @return what the member there sends in it
     */
    BufferPart GetSent(uint32_t position, uint64_t turn) const
    {
        // Reduce-scatter ends with each member owning the chunk of its own index; all-gather
        // begins from there. So the chunk sent is that of the member so many positions back.
        const auto size = m_call.size;
        const auto back = static_cast<uint32_t>(turn % (size - 1)) + (IsReduced(turn) ? 1 : 0);
        return GetPiece((position + size - back) % size);
    }

    /**
     * @param position a position
     * @return to whom the member there hands what it sends: the next one, or who passes it on
     */
    uint32_t GetReceiver(uint32_t position) const
    {
        const auto own = GetMember(m_call, m_ring, position);
        const auto relay = m_ring ? m_ring->GetRelay(position) : own;
        // Across rails NCCL hands data to the GPU at the NIC of the ring (PXN).
        return relay == own ? GetMember(m_call, m_ring, position + 1) : relay;
    }

    /**
     * @param position a position, which may be beyond the end by less than a round
     * @return from whom the next member gets what the member there sends: that one, or who passes
     *         it on
     */
    uint32_t GetSender(uint32_t position) const
    {
        const auto place = position % m_call.size;
        return m_ring ? m_ring->GetRelay(place) : GetMember(m_call, m_ring, place);
    }

    /**
     * @param owner position of the member that owns a chunk
     * @return the present piece of the channel's share of the chunk
     */
    BufferPart GetPiece(uint32_t owner) const
    {
        return CutPiece(BufferPart{0, m_call.bytes}
                            .Cut(m_call.size, GetMember(m_call, m_ring, owner))
                            .Cut(m_channels, GetChannel()));
    }

    CollectiveCall m_call;  //!< the collective
    uint32_t m_channels;    //!< channels in all
    const RailRing* m_ring; //!< the channel's ring; null = as in the communicator
    uint32_t m_position;    //!< position in it of whom the pipeline is about
};

/**
 * What a member does for another one, in whose place it talks to the next one: it passes on piece
 * by piece, whatever becomes of its own, as a proxy does whose GPU only lends the memory (PXN).
 */
class RelayPipeline : public RingPipeline
{
  public:
    /**
     * @param call the collective
     * @param channels channels in all
     * @param channel the pipeline's channel
     * @param pieces pieces of the channel's share that the pipeline moves
     * @param served position in the ring of whom it serves
     */
    RelayPipeline(const CollectiveCall& call,
                  uint32_t channels,
                  uint32_t channel,
                  const PipelineItems& pieces,
                  uint32_t served)
        : RingPipeline(call, channels, channel, pieces, served, CountSteps(call) + 1)
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t /* piece */, uint64_t turn) override
    {
        // One step behind the ring: what came in the step before goes on.
        if (turn > 0)
        {
            AddTransfer(step,
                        CollectiveTransfer::SEND,
                        GetMember(m_call, m_ring, m_position + 1),
                        GetHeld(turn - 1));
        }
        if (turn < CountSteps(m_call))
        {
            AddTransfer(step,
                        CollectiveTransfer::RECV_COPY,
                        GetMember(m_call, m_ring, m_position),
                        GetHeld(turn));
        }
    }

    /**
     * @param turn a step of the ring
     * @return where that stands which the served member sends in it
     */
    BufferPart GetHeld(uint64_t turn) const
    {
        auto part = GetSent(m_position, turn);
        // Passed on from scratch memory: the relay's own buffer is not touched.
        part.offset |= CollectiveTransfer::SCRATCH;
        return part;
    }
};

/**
 * @param call the collective
 * @param channels channels in all
 * @param channel a channel
 * @return bytes that the member receives in the channel to pass them on
 */
uint64_t
CountRelayedBytes(const CollectiveCall& call, uint32_t channels, uint32_t channel)
{
    const auto* ring = FindRing(call, channel);
    if (!ring)
    {
        return 0;
    }
    const auto getShare = [&](uint32_t position) {
        const auto owner = ring->GetMember(position % call.size);
        return BufferPart{0, call.bytes}.Cut(call.size, owner).Cut(channels, channel).bytes;
    };
    uint64_t all = 0;
    for (uint32_t position = 0; position < call.size; ++position)
    {
        all += getShare(position);
    }
    uint64_t bytes = 0;
    for (const auto position : ring->GetServed(call.index))
    {
        // A member sends all chunks but its own while they are added, and all but that of the next
        // one while they are handed out.
        bytes += call.kind != CollectiveKind::ALL_GATHER ? all - getShare(position) : 0;
        bytes += call.kind != CollectiveKind::REDUCE_SCATTER ? all - getShare(position + 1) : 0;
    }
    return bytes;
}

/**
 * @param latencies latencies of a ring
 * @param protocol how it runs
 * @param layout where the members stand
 * @param costs what latencies and wires cost
 * @return the same, where all members of a ring over several servers wait for the proxies that post
 *         to the network, as all steps go at the pace of the slowest
 */
CollectiveLatencies::Entry
WaitForProxies(CollectiveLatencies::Entry latencies,
               CollectiveProtocol protocol,
               const CollectiveLayout& layout,
               const CollectiveCosts& costs)
{
    if (layout.servers > 1)
    {
        latencies.server = std::max(latencies.server, costs.GetNetworkOverhead(protocol));
    }
    return latencies;
}

} // namespace

TypeId
RingCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RingCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RingCollective>()
            .AddAttribute("Channels",
                          "Rings in parallel; each carries an equal share on connections of its "
                          "own. 0 = one in one server, one for each member of the largest server "
                          "in several; where the server is described, those of NCCL; where links "
                          "join ranks in no torus, two for each ring of links that is found.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RingCollective::m_channels),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ChunkBytes",
                          "Largest message of a ring, bytes: the grain of pipelining. 0 = what "
                          "NCCL cuts it into where the server is described, else a channel's share "
                          "of a step is one message.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RingCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PipelineDepth",
                          "Messages of one channel and step on their way at the same time, when "
                          "ChunkBytes cuts the channel's share into several.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&RingCollective::m_pipelineDepth),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RingCollective::RingCollective()
    : CollectiveAlgorithm(
          "ring",
          {CollectiveKind::ALL_REDUCE, CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER})
{
    NS_LOG_FUNCTION(this);
}

ChunkPipelines
RingCollective::DoPlan(const CollectiveCall& call) const
{
    const uint32_t channels = GetChannels(call);
    // All members must cut alike, so the largest share of all decides: the first of the first
    // chunk.
    const auto largest = BufferPart{0, call.bytes}.Cut(call.size, 0).Cut(channels, 0);
    const bool isDescribed = call.placement && call.placement->GetChannels();
    const auto nPieces =
        // ChunkBytes that the user sets goes before NCCL's tuning.
        m_chunkBytes == 0 && isDescribed
            ? std::min(largest.bytes, ChannelTuning::CountPieces(call, ChannelTuning::RING))
            : PipelineItems::CountPieces(largest.bytes, m_chunkBytes);
    ChunkPipelines pipelines;
    const auto items = PipelineItems::Distribute(0, nPieces, m_pipelineDepth);
    // Own pipelines have the same numbers at all members. Those of a relay stand behind them, and
    // talk to the pipelines that they serve.
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        for (const auto& pieces : items)
        {
            const uint32_t position = GetPosition(call, FindRing(call, channel));
            pipelines.push_back(std::make_unique<RingPipeline>(call,
                                                               channels,
                                                               channel,
                                                               pieces,
                                                               position,
                                                               CountSteps(call)));
        }
    }
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto* ring = FindRing(call, channel);
        for (const auto served : ring ? ring->GetServed(call.index) : std::vector<uint32_t>())
        {
            for (uint32_t i = 0; i < items.size(); ++i)
            {
                auto pipeline =
                    std::make_unique<RelayPipeline>(call, channels, channel, items[i], served);
                // The number that the served member's own pipeline has, see the loop above.
                pipeline->Serve(channel * static_cast<uint32_t>(items.size()) + i);
                pipelines.push_back(std::move(pipeline));
            }
        }
    }
    return pipelines;
}

uint64_t
RingCollective::CountReceivedBytes(const CollectiveCall& call) const
{
    const BufferPart buffer{0, call.bytes};
    // A round brings every chunk but one: all-gather all but the member's own, reduce-scatter all
    // but the one it sends first, which is that of the member before it in the channel's ring.
    const uint64_t gathered = call.bytes - buffer.Cut(call.size, call.index).bytes;
    uint64_t scattered = call.bytes;
    const uint32_t channels = GetChannels(call);
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        const auto* ring = FindRing(call, channel);
        const uint32_t before = GetMember(call, ring, GetPosition(call, ring) + call.size - 1);
        scattered -= buffer.Cut(call.size, before).Cut(channels, channel).bytes;
    }
    uint64_t relayed = 0;
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        relayed += CountRelayedBytes(call, channels, channel);
    }
    switch (call.kind)
    {
    case CollectiveKind::ALL_GATHER:
        return gathered + relayed;
    case CollectiveKind::REDUCE_SCATTER:
        return scattered + relayed;
    default:
        return gathered + scattered + relayed;
    }
}

double
RingCollective::GetUsedShare(const CollectiveCall& call) const
{
    return ChannelTuning::GetUsedShare(call, ChannelTuning::RING);
}

std::optional<uint32_t>
RingCollective::CountMultiprocessors(const CollectiveCall& call) const
{
    return ChannelTuning::FindChannels(call, ChannelTuning::RING);
}

ChannelBundle
RingCollective::GetBundle(const CollectiveCall& call) const
{
    return ChannelTuning::GetBundle(call, ChannelTuning::RING, GetChannels(call));
}

std::optional<double>
RingCollective::Estimate(const CollectiveCall& call,
                         CollectiveProtocol protocol,
                         const CollectiveCosts& costs) const
{
    if (call.placement && call.placement->GetChannels())
    {
        return ChannelTuning(call, costs).Estimate(ChannelTuning::RING, protocol);
    }
    const auto layout = CollectiveLayout::Of(call);
    const bool isAllReduce = call.kind == CollectiveKind::ALL_REDUCE;
    const bool isSimple = protocol == CollectiveProtocol::SIMPLE;
    const double rounds = isAllReduce ? 2 : 1;
    const double steps = rounds * (call.size - 1);
    // In a round the data passes between servers once less than there are servers.
    const double crossings = rounds * (layout.servers - 1);

    const auto latencies =
        WaitForProxies(GetLatencies(protocol, layout, costs), protocol, layout, costs);
    double latency = latencies.base.GetSeconds() +
                     (steps - crossings) * latencies.server.GetSeconds() +
                     crossings * latencies.network.GetSeconds();
    const uint64_t perStep = call.bytes / (uint64_t{GetChannels(call)} * call.size);
    if (isAllReduce && isSimple && layout.servers > 1 && perStep >= PLATEAU_BYTES)
    {
        latency *= PLATEAU_FACTOR;
    }

    double rate = costs.GetBusRate(layout);
    if (protocol == CollectiveProtocol::LL)
    {
        // LL sends a flag of 4 bytes with each 4 bytes of data.
        rate = std::min(rate / 2, costs.GetLlMaxRate(layout));
    }
    else if (protocol == CollectiveProtocol::LL128)
    {
        rate *= LL128_SHARE;
    }
    // A step moves one chunk, the buffer divided by the number of members.
    return latency + static_cast<double>(call.bytes) * steps / call.size / rate;
}

CollectiveLatencies::Entry
RingCollective::GetLatencies(CollectiveProtocol protocol,
                             const CollectiveLayout& layout,
                             const CollectiveCosts& costs) const
{
    auto latencies = CollectiveAlgorithm::GetLatencies(protocol, layout, costs);
    if (layout.perServer == 1)
    {
        latencies.network = costs.GetLatencies("tree", protocol).network;
    }
    return latencies;
}

CollectiveTerms
RingCollective::GetTerms(CollectiveProtocol protocol,
                         const CollectiveLayout& layout,
                         const CollectiveCosts& costs) const
{
    const auto latencies = costs.GetMessageLatencies(GetLatencies(protocol, layout, costs));
    return costs.MakeTerms(WaitForProxies(latencies, protocol, layout, costs), protocol);
}

uint32_t
RingCollective::GetChannels(const CollectiveCall& call) const
{
    if (m_channels > 0 || !call.placement || call.placement->GetLinkRings().empty())
    {
        return m_channels > 0 ? m_channels : CountNetworkChannels(call);
    }
    // Links carry data both ways.
    return 2 * static_cast<uint32_t>(call.placement->GetLinkRings().size());
}

std::string
RingCollective::DescribeLayout(const CollectiveCall& call) const
{
    const bool hasGrid = call.placement && call.placement->GetGrid();
    if (!call.placement || call.placement->GetNeighbours().empty() || call.size < 3 ||
        (hasGrid && call.placement->GetGrid()->HasClosedRing()))
    {
        return "";
    }
    const auto count = call.placement->GetLinkRings().size();
    const auto ranks = std::to_string(call.size) + " ranks";
    return count == 0
               ? "no ring of " + ranks + " that follows links was found: what its members send " +
                     "each other passes other hosts on the way"
               : "rings of " + ranks + " follow links in an order that was searched for, " +
                     (count == 1 ? "one" : std::to_string(count) + " that share none") +
                     ", each in both directions";
}

} // namespace ns3
