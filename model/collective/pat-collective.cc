/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pat-collective.h"

#include "collective-costs.h"
#include "scattered-transfer.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PatCollective");

NS_OBJECT_ENSURE_REGISTERED(PatCollective);

namespace
{

// What NCCL estimates for PAT (tuning.cc).
constexpr double RATE_SHARE = 0.75;       //!< of the bus rate that PAT reaches
constexpr double LATENCY_SHARE = 1 / 3.5; //!< of the network's latency that a doubling costs
constexpr double MEMBER_TIME = 2.8e-6;    //!< the linear part: time for each member, s

/**
 * @param call the collective
 * @param member a member
 * @return its position in the order of the servers
 */
uint32_t
GetPosition(const CollectiveCall& call, uint32_t member)
{
    return call.placement ? call.placement->GetPlace(member).position : member;
}

/**
 * @param call the collective
 * @param position a position, which may be beyond the end by less than all members
 * @return the member that stands there
 */
uint32_t
GetMember(const CollectiveCall& call, uint64_t position)
{
    const auto place = static_cast<uint32_t>(position % call.size);
    return call.placement ? call.placement->GetOrder()[place] : place;
}

/**
 * Carries every depth-th piece of the blocks, one after another.
 *
 * The place of a member in the tree of a block is its position counted from that of the block's
 * owner. The parent of a place is the place without its lowest bit.
 */
class PatLane : public CollectiveLane
{
  public:
    /// How blocks are joined and cut.
    struct Cut
    {
        uint64_t aggregation; //!< most blocks of a message, a power of two
        uint64_t pieces;      //!< pieces of a block
        uint64_t depth;       //!< from one piece of a lane to the next
    };

    /**
     * @param call the collective, of two members or more
     * @param cut how blocks are joined and cut
     * @param first the first piece of this lane
     */
    PatLane(const CollectiveCall& call, const Cut& cut, uint64_t first)
        : m_call(call),
          m_cut(cut),
          m_position(GetPosition(call, call.index)),
          m_piece(first)
    {
        while ((uint64_t{1} << m_logarithmic) < cut.aggregation)
        {
            ++m_logarithmic;
        }
        m_spacing = 1;
        while (m_spacing * cut.aggregation < call.size)
        {
            m_spacing *= 2;
        }
        m_steps = m_logarithmic + std::min<uint64_t>(m_spacing, call.size) - 1;
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        if (m_step == m_steps)
        {
            m_piece += m_cut.depth;
            m_step = 0;
        }
        if (m_piece >= m_cut.pieces)
        {
            return false;
        }
        const bool isGather = m_call.kind == CollectiveKind::ALL_GATHER;
        const auto hop = GetHop(isGather ? m_step : m_steps - 1 - m_step);
        ++m_step;
        // Blocks that the member and one further on have in common, as parent and child.
        const auto asParent = GetPieces(hop, 0);
        const uint32_t child = GetMember(m_call, m_position + hop.distance);
        // Blocks in which it is the child of one further back.
        const auto asChild = GetPieces(hop, hop.distance);
        const uint32_t parent = GetMember(m_call, m_position + m_call.size - hop.distance);
        if (isGather)
        {
            AddScatteredTransfer(step, CollectiveTransfer::SEND, child, asParent);
            AddScatteredTransfer(step, CollectiveTransfer::RECV_COPY, parent, asChild);
        }
        else
        {
            AddScatteredTransfer(step, CollectiveTransfer::SEND, parent, asChild);
            AddScatteredTransfer(step, CollectiveTransfer::RECV_REDUCE, child, asParent);
        }
        return true;
    }

    uint32_t GetChannel() const override
    {
        return 0;
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
     * @param step a step of an all-gather, counted from 0
     * @return what it does
     */
    Hop GetHop(uint64_t step) const
    {
        if (step < m_logarithmic)
        {
            const uint64_t distance = (m_spacing << m_logarithmic) >> (step + 1);
            return {distance, 0, 2 * distance};
        }
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
        std::vector<BufferPart> pieces;
        for (auto parent = hop.first; parent + hop.distance < m_call.size; parent += hop.stride)
        {
            const auto owner = GetMember(m_call, m_position + m_call.size - parent - further);
            pieces.push_back(
                BufferPart{0, m_call.bytes}.Cut(m_call.size, owner).Cut(m_cut.pieces, m_piece));
        }
        return pieces;
    }

    CollectiveCall m_call;     //!< the collective
    Cut m_cut;                 //!< how blocks are joined and cut
    uint64_t m_position;       //!< position of the member
    uint32_t m_logarithmic{0}; //!< steps of the logarithmic phase
    uint64_t m_spacing;        //!< from one holder of a block to the next after that phase
    uint64_t m_steps;          //!< steps of a piece
    uint64_t m_piece;          //!< piece under way
    uint64_t m_step{0};        //!< steps it has made
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
{
    NS_LOG_FUNCTION(this);
}

PatCollective::~PatCollective()
{
    NS_LOG_FUNCTION(this);
}

std::string
PatCollective::GetName() const
{
    return "pat";
}

bool
PatCollective::Supports(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER;
}

std::vector<std::unique_ptr<CollectiveLane>>
PatCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << ToString(call.kind) << call.bytes << call.index << call.size);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    if (call.size == 1 || call.bytes == 0)
    {
        return lanes;
    }
    // All members must cut alike, so the longest block decides.
    const uint64_t block = BufferPart{0, call.bytes}.Cut(call.size, 0).bytes;
    PatLane::Cut cut{1, 1, 1};
    if (m_aggregationBytes > 0)
    {
        cut.pieces = (block - 1) / m_aggregationBytes + 1;
        cut.depth = std::min<uint64_t>(cut.pieces, m_pipelineDepth);
    }
    // The last step of the longest run has half of the blocks, rounded up to a power of two.
    const uint64_t fitting = m_aggregationBytes > 0 ? m_aggregationBytes / block : call.size;
    while (2 * cut.aggregation <= fitting && 2 * cut.aggregation < call.size)
    {
        cut.aggregation *= 2;
    }
    for (uint64_t first = 0; first < cut.depth; ++first)
    {
        lanes.push_back(std::make_unique<PatLane>(call, cut, first));
    }
    return lanes;
}

uint64_t
PatCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    const BufferPart buffer{0, call.bytes};
    if (call.kind == CollectiveKind::ALL_GATHER)
    {
        return call.bytes - buffer.Cut(call.size, call.index).bytes;
    }
    // At each place, which is that of another block, the member hears of all children of the place.
    const uint64_t position = GetPosition(call, call.index);
    uint64_t bytes = 0;
    for (uint64_t child = 1; child < call.size; ++child)
    {
        const uint64_t place = child & (child - 1);
        bytes += buffer.Cut(call.size, GetMember(call, position + call.size - place)).bytes;
    }
    return bytes;
}

std::optional<double>
PatCollective::Estimate(const CollectiveCall& call,
                        CollectiveProtocol protocol,
                        const CollectiveCosts& costs) const
{
    const auto layout = CollectiveLayout::Of(call);
    if (protocol != CollectiveProtocol::SIMPLE || layout.perServer > 1)
    {
        return std::nullopt;
    }
    const auto latencies = costs.GetLatencies(GetName(), protocol, layout);
    const double doublings = std::floor(std::log2(call.size));
    return latencies.base.GetSeconds() +
           doublings * LATENCY_SHARE * latencies.network.GetSeconds() + MEMBER_TIME * call.size +
           static_cast<double>(call.bytes) / (RATE_SHARE * costs.GetBusRate(layout));
}

uint32_t
PatCollective::GetChannels(const CollectiveCall& call) const
{
    return 1;
}

} // namespace ns3
