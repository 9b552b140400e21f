/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bucket-collective.h"

#include "torus-exchange-pipeline.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("BucketCollective");

NS_STRATEGY_ENSURE_REGISTERED(BucketCollective,
                              "bucket",
                              "rings along all dimensions of a torus at once",
                              12);

namespace
{

/**
 * @param call a collective
 * @return how its members stand in a torus; null = they do not
 */
const TorusGrid*
GetGrid(const CollectiveCall& call)
{
    return call.placement ? call.placement->GetGrid() : nullptr;
}

/**
 * One part of the buffer, which goes round the rings of one dimension after another.
 */
class BucketPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call the collective
     * @param parts parts of the buffer
     * @param part which of them
     * @param steps steps of a member
     */
    BucketPipeline(const CollectiveCall& call, uint32_t parts, uint32_t part, uint64_t steps);

  private:
    /// A step within a ring.
    struct Turn
    {
        std::size_t level{0};  //!< which dimension of the order
        uint32_t number{0};    //!< number of the step in its ring
        bool isReduced{false}; //!< what is received is added
    };

    void MakeStep(CollectiveStep& step, uint64_t item, uint64_t turn) override;

    /**
     * @param turn number of a step
     * @return where it is
     */
    Turn FindTurn(uint64_t turn) const;

    /**
     * The part has a block for each member. What a member has when it begins with a dimension are
     * the blocks of members that stand where it does in all dimensions before.
     *
     * @param level which dimension of the order
     * @param place a place in the member's row
     * @return of these blocks those of members that have that place
     */
    std::vector<BufferPart> GetChunk(std::size_t level, uint32_t place) const;

    CollectiveCall m_call;         //!< the collective
    const TorusGrid& m_grid;       //!< how the members stand
    std::vector<uint32_t> m_order; //!< dimensions, in the order of reduce-scatter
    uint32_t m_parts;              //!< parts of the buffer
    bool m_isBackward;             //!< sends to the place before its own
};

BucketPipeline::BucketPipeline(const CollectiveCall& call,
                               uint32_t parts,
                               uint32_t part,
                               uint64_t steps)
    : SteppedPipeline({}, steps, part),
      m_call(call),
      m_grid(*GetGrid(call)),
      m_order(m_grid.GetSizes().size()),
      m_parts(parts),
      m_isBackward(part >= m_order.size())
{
    std::iota(m_order.begin(), m_order.end(), 0);
    const auto first = static_cast<std::ptrdiff_t>(part % m_order.size());
    // Each part begins with another dimension, so that all links are in use at once.
    std::rotate(m_order.begin(), m_order.begin() + first, m_order.end());
}

BucketPipeline::Turn
BucketPipeline::FindTurn(uint64_t turn) const
{
    const auto& sizes = m_grid.GetSizes();
    if (m_call.kind != CollectiveKind::ALL_GATHER)
    {
        for (std::size_t level = 0; level < m_order.size(); ++level)
        {
            // A ring of n places reduces in n - 1 steps.
            const uint32_t steps = sizes[m_order[level]] - 1;
            if (turn < steps)
            {
                return {level, static_cast<uint32_t>(turn), true};
            }
            turn -= steps;
        }
    }
    // Gathering takes the dimensions in the opposite order of reducing.
    std::size_t level = m_order.size() - 1;
    for (; turn >= sizes[m_order[level]] - 1; --level)
    {
        turn -= sizes[m_order[level]] - 1;
    }
    return {level, static_cast<uint32_t>(turn), false};
}

void
BucketPipeline::MakeStep(CollectiveStep& step, uint64_t /* item */, uint64_t turn)
{
    const Turn now = FindTurn(turn);
    const auto dimension = m_order[now.level];
    const auto size = m_grid.GetSizes()[dimension];
    const auto own = m_grid.GetPlace(m_call.index, dimension);
    // Places further on against the direction of the ring.
    const auto getPlace = [this, size, own](uint32_t back) {
        return (m_isBackward ? own + back : own + size - back % size) % size;
    };
    // A chunk that is reduced ends at the place of its number, and is gathered from there.
    const auto back = now.number + (now.isReduced ? 1 : 0);
    AddTransfer(step,
                CollectiveTransfer::SEND,
                m_grid.GetInRow(m_call.index, dimension, getPlace(size - 1)),
                GetChunk(now.level, getPlace(back)));
    AddTransfer(step,
                now.isReduced ? CollectiveTransfer::RECV_REDUCE : CollectiveTransfer::RECV_COPY,
                m_grid.GetInRow(m_call.index, dimension, getPlace(1)),
                GetChunk(now.level, getPlace(back + 1)));
}

std::vector<BufferPart>
BucketPipeline::GetChunk(std::size_t level, uint32_t place) const
{
    std::vector<uint32_t> owners{m_grid.GetInRow(m_call.index, m_order[level], place)};
    for (std::size_t i = level + 1; i < m_order.size(); ++i)
    {
        std::vector<uint32_t> more;
        for (const auto owner : owners)
        {
            for (uint32_t other = 0; other < m_grid.GetSizes()[m_order[i]]; ++other)
            {
                more.push_back(m_grid.GetInRow(owner, m_order[i], other));
            }
        }
        owners = std::move(more);
    }
    // Blocks in the order of the buffer, so that neighbouring ones become one part.
    std::sort(owners.begin(), owners.end());
    const BufferPart buffer{0, m_call.bytes};
    std::vector<BufferPart> blocks;
    for (const auto owner : owners)
    {
        // An all-reduce does not say whose a block is: those of a part stand together.
        blocks.push_back(m_call.kind == CollectiveKind::ALL_REDUCE
                             ? buffer.Cut(m_parts, GetChannel()).Cut(m_call.size, owner)
                             : buffer.Cut(m_call.size, owner).Cut(m_parts, GetChannel()));
    }
    return blocks;
}

} // namespace

TypeId
BucketCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BucketCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<BucketCollective>();
    return tid;
}

BucketCollective::BucketCollective()
    : CollectiveAlgorithm("bucket",
                          {CollectiveKind::ALL_REDUCE,
                           CollectiveKind::ALL_GATHER,
                           CollectiveKind::REDUCE_SCATTER,
                           CollectiveKind::ALL_TO_ALL})
{
    NS_LOG_FUNCTION(this);
}

std::string
BucketCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    if (call.splits)
    {
        return "whoever passes blocks of different sizes on does not know them";
    }
    return GetGrid(call) ? "" : "its members do not fill rows of a torus";
}

uint32_t
BucketCollective::GetChannels(const CollectiveCall& call) const
{
    const auto& sizes = GetGrid(call)->GetSizes();
    // Rings in the opposite direction use the other half of each link. With two places, and in a
    // mesh, where what closes the ring goes back over the whole row, a ring already uses both
    // halves; an all-to-all sends in both directions by itself.
    const bool isTwoWay = call.kind != CollectiveKind::ALL_TO_ALL && GetGrid(call)->HasTwoWays();
    return static_cast<uint32_t>(sizes.size()) * (isTwoWay ? 2 : 1);
}

ChunkPipelines
BucketCollective::DoPlan(const CollectiveCall& call) const
{
    const auto& sizes = GetGrid(call)->GetSizes();
    const uint64_t phases = call.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
    // A ring of n places takes n - 1 steps.
    const uint64_t steps = std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}) - sizes.size();
    const auto parts = GetChannels(call);
    ChunkPipelines pipelines;
    for (uint32_t part = 0; part < parts; ++part)
    {
        if (call.kind == CollectiveKind::ALL_TO_ALL)
        {
            pipelines.push_back(std::make_unique<TorusExchangePipeline>(call, part));
            continue;
        }
        pipelines.push_back(std::make_unique<BucketPipeline>(call, parts, part, phases * steps));
    }
    return pipelines;
}

} // namespace ns3
