/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pat-collective.h"

#include "collective-costs.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PatCollective");

NS_STRATEGY_ENSURE_REGISTERED(PatCollective, "pat", "logarithmic trees for small parts", 8);

namespace
{

// What NCCL assumes for PAT (tuning.cc).
constexpr double RATE_SHARE = 0.75;       //!< of the bus rate that PAT reaches
constexpr double LATENCY_SHARE = 1 / 3.5; //!< of the network's latency that a doubling costs
constexpr double MEMBER_TIME = 2.8e-6;    //!< the linear part: time for each member, s

/**
 * Carries its pieces of the blocks, one after another.
 *
 * The place of a member in the tree of a block is its position counted from that of the block's
 * owner. The parent of a place is the place without its lowest bit. All trees are alike, so a step
 * is the same for all members: over one distance, for the blocks in whose trees the member stands
 * at the places that send over it.
 */
class PatPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call the collective, of two members or more
     * @param aggregation most blocks of a message, a power of two
     * @param pieces pieces of each block that the pipeline carries
     */
    PatPipeline(const CollectiveCall& call, uint64_t aggregation, const PipelineItems& pieces)
        : SteppedPipeline(pieces, CountSteps(call, aggregation)),
          m_call(call),
          m_steps(CountSteps(call, aggregation)),
          m_logarithmic(CeilLog2(aggregation)),
          m_spacing(GetSpacing(call, aggregation))
    {
    }

  private:
    /// What a step of an all-gather does: places first, first + stride, ... send to their children.
    struct Hop
    {
        uint64_t distance; //!< from parent to child
        uint64_t first;    //!< the first parent
        uint64_t stride;   //!< from one parent to the next
    };

    /**
     * @param call the collective
     * @param aggregation most blocks of a message, a power of two
     * @return from one holder of a block to the next after the logarithmic phase
     */
    static uint64_t GetSpacing(const CollectiveCall& call, uint64_t aggregation)
    {
        return (uint64_t{1} << CeilLog2(call.size)) / aggregation;
    }

    /**
     * @param call the collective
     * @param aggregation most blocks of a message, a power of two
     * @return steps with each piece
     */
    static uint64_t CountSteps(const CollectiveCall& call, uint64_t aggregation)
    {
        const auto spacing = GetSpacing(call, aggregation);
        return CeilLog2(aggregation) + std::min<uint64_t>(spacing, call.size) - 1;
    }

    void MakeStep(CollectiveStep& step, uint64_t /* piece */, uint64_t turn) override
    {
        const bool isGather = m_call.kind == CollectiveKind::ALL_GATHER;
        const auto hop = GetHop(isGather ? turn : m_steps - 1 - turn);
        // Blocks that the member and one further on have in common, as parent and child.
        const auto asParent = GetPieces(hop, 0);
        const uint32_t child = m_call.GetMemberAt(m_call.GetPosition() + hop.distance);
        // Blocks in which it is the child of one further back.
        const auto asChild = GetPieces(hop, hop.distance);
        const uint32_t parent =
            m_call.GetMemberAt(m_call.GetPosition() + m_call.size - hop.distance);
        if (isGather)
        {
            AddTransfer(step, CollectiveTransfer::SEND, child, asParent);
            AddTransfer(step, CollectiveTransfer::RECV_COPY, parent, asChild);
        }
        else
        {
            AddTransfer(step, CollectiveTransfer::SEND, parent, asChild);
            AddTransfer(step, CollectiveTransfer::RECV_REDUCE, child, asParent);
        }
    }

    /**
     * @param step a step of an all-gather, counted from 0
     * @return what it does
     */
    Hop GetHop(uint64_t step) const
    {
        if (step < m_logarithmic)
        {
            // Holders of a block are twice as many, and half as far apart, as in the step before.
            const uint64_t distance = (m_spacing << m_logarithmic) >> (step + 1);
            return {distance, 0, 2 * distance};
        }
        // Each holder serves the places up to the next one in order: the e-th gets the block from
        // where it is without the lowest bit of e.
        const uint64_t child = step - m_logarithmic + 1;
        const uint64_t distance = child & (~child + 1);
        return {distance, child - distance, m_spacing};
    }

    /**
     * @param hop what a step does
     * @param further 0 = blocks for which the member is a parent, distance = a child
     * @return the piece under way of each of them
     */
    std::vector<BufferPart> GetPieces(const Hop& hop, uint64_t further) const
    {
        const uint64_t position = m_call.GetPosition();
        std::vector<BufferPart> pieces;
        for (auto parent = hop.first; parent + hop.distance < m_call.size; parent += hop.stride)
        {
            const auto owner = m_call.GetMemberAt(position + m_call.size - parent - further);
            pieces.push_back(CutPiece(BufferPart{0, m_call.bytes}.Cut(m_call.size, owner)));
        }
        return pieces;
    }

    CollectiveCall m_call;  //!< the collective
    uint64_t m_steps;       //!< steps with each piece
    uint32_t m_logarithmic; //!< steps of the logarithmic phase
    uint64_t m_spacing;     //!< from one holder of a block to the next after that phase
};

} // namespace

TypeId
PatCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PatCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<PatCollective>()
            .AddAttribute("AggregationBytes",
                          "Longest message, bytes: blocks are joined up to that length, and longer "
                          "blocks are cut into pieces of it. 0 = any length. The default is the "
                          "buffer of a step in NCCL, NCCL_BUFFSIZE of 4 MiB shared by 8 steps.",
                          UintegerValue(524288),
                          MakeUintegerAccessor(&PatCollective::m_aggregationBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PipelineDepth",
                          "Pieces of a block on their way at the same time, when blocks are longer "
                          "than AggregationBytes.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&PatCollective::m_pipelineDepth),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

PatCollective::PatCollective()
    : CollectiveAlgorithm("pat", {CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER})
{
    NS_LOG_FUNCTION(this);
}

ChunkPipelines
PatCollective::DoPlan(const CollectiveCall& call) const
{
    // All members must cut alike, so the longest block decides.
    const uint64_t block = BufferPart{0, call.bytes}.Cut(call.size, 0).bytes;
    // The last step of the longest run has half of the blocks, rounded up to a power of two.
    const uint64_t fitting = m_aggregationBytes > 0 ? m_aggregationBytes / block : call.size;
    uint64_t aggregation = 1;
    // Powers of two only: the logarithmic phase doubles the blocks of a message in each step.
    while (2 * aggregation <= fitting && 2 * aggregation < call.size)
    {
        aggregation *= 2;
    }
    const uint64_t nPieces = PipelineItems::CountPieces(block, m_aggregationBytes);
    ChunkPipelines pipelines;
    for (const auto& pieces : PipelineItems::Distribute(0, nPieces, m_pipelineDepth))
    {
        pipelines.push_back(std::make_unique<PatPipeline>(call, aggregation, pieces));
    }
    return pipelines;
}

std::optional<double>
PatCollective::Estimate(const CollectiveCall& call,
                        CollectiveProtocol protocol,
                        const CollectiveCosts& costs) const
{
    const auto layout = CollectiveLayout::Of(call);
    // The version whose rules hold where the servers are described has no PAT.
    const bool isDescribed = call.placement && call.placement->GetChannels();
    if (protocol != CollectiveProtocol::SIMPLE || layout.perServer > 1 || isDescribed)
    {
        return std::nullopt;
    }
    const auto latencies = GetLatencies(protocol, layout, costs);
    const double rounds = std::floor(std::log2(call.size));
    return latencies.base.GetSeconds() + rounds * LATENCY_SHARE * latencies.network.GetSeconds() +
           MEMBER_TIME * call.size +
           static_cast<double>(call.bytes) / (RATE_SHARE * costs.GetBusRate(layout));
}

} // namespace ns3
