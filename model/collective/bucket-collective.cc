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
 * @param call a collective other than an all-to-all
 * @return steps of each part
 */
uint64_t
CountSteps(const CollectiveCall& call)
{
    const auto& sizes = GetGrid(call)->GetSizes();
    const uint64_t phases = call.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
    // A ring of n places takes n - 1 steps.
    return phases * (std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}) - sizes.size());
}

/**
 * Parts are as large as goes round the rings of their first dimension, where most of their bytes
 * are, in the same time: (n - 1) / n of a part over the links of one direction, or of both, at
 * their rate.
 *
 * @param grid how the members stand
 * @return shares of the parts that begin with each dimension, in whole numbers
 */
std::vector<uint64_t>
ListShares(const TorusGrid& grid)
{
    const auto& sizes = grid.GetSizes();
    std::vector<uint64_t> shares;
    uint64_t common = 0;
    for (uint32_t dimension = 0; dimension < sizes.size(); ++dimension)
    {
        uint64_t share =
            uint64_t{grid.GetRate(dimension)} * grid.CountWays(dimension) * sizes[dimension];
        for (uint32_t other = 0; other < sizes.size(); ++other)
        {
            share *= other == dimension ? 1 : sizes[other] - 1;
        }
        shares.push_back(share);
        common = std::gcd(common, share);
    }
    for (auto& share : shares)
    {
        share /= common; // 1 each if dimensions are alike
    }
    return shares;
}

/**
 * One part of the buffer, which goes round the rings of one dimension after another.
 */
class BucketPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call the collective
     * @param shares shares of the buffer that its parts are
     * @param part which of them
     * @param barrier has all parts go on to their next dimension together
     */
    BucketPipeline(const CollectiveCall& call,
                   const std::vector<uint64_t>& shares,
                   uint32_t part,
                   const StageBarrier& barrier);

    bool IsBlocked() const override;

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
     * @param whole a part of the buffer that belongs to all parts
     * @return what of it is this part's: its share, and of the bytes that are left over one of the
     *         first
     */
    BufferPart CutPart(const BufferPart& whole) const;

    /**
     * The part has a block for each member. What a member has when it begins with a dimension are
     * the blocks of members that stand where it does in all dimensions before.
     *
     * @param level which dimension of the order
     * @param place a place in the member's row
     * @return of these blocks those of members that have that place
     */
    std::vector<BufferPart> GetChunk(std::size_t level, uint32_t place) const;

    CollectiveCall m_call;          //!< the collective
    const TorusGrid& m_grid;        //!< how the members stand
    std::vector<uint32_t> m_order;  //!< dimensions, in the order of reduce-scatter
    std::vector<uint64_t> m_shares; //!< of all parts
    bool m_isBackward;              //!< sends to the place before its own
    StageBarrier m_barrier;         //!< a stage is a dimension
    uint64_t m_made{0};             //!< steps so far
};

BucketPipeline::BucketPipeline(const CollectiveCall& call,
                               const std::vector<uint64_t>& shares,
                               uint32_t part,
                               const StageBarrier& barrier)
    : SteppedPipeline({}, CountSteps(call), part),
      m_call(call),
      m_grid(*GetGrid(call)),
      m_order(m_grid.GetSizes().size()),
      m_shares(shares),
      m_isBackward(part >= m_order.size()),
      m_barrier(barrier)
{
    std::iota(m_order.begin(), m_order.end(), 0);
    const auto first = static_cast<std::ptrdiff_t>(part % m_order.size());
    // Each part begins with another dimension, so that all links are in use at once.
    std::rotate(m_order.begin(), m_order.begin() + first, m_order.end());
}

bool
BucketPipeline::IsBlocked() const
{
    if (m_made == CountSteps(m_call))
    {
        return false; // there is no next step
    }
    const Turn next = FindTurn(m_made);
    const auto last = m_order.size() - 1;
    // Gathering comes after reducing, if there is both.
    const auto before = m_call.kind == CollectiveKind::ALL_REDUCE ? m_order.size() : 0;
    const auto stage = next.isReduced ? next.level : before + last - next.level;
    return m_barrier.IsBlocked(GetChannel(), stage);
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
    m_made = turn + 1;
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

BufferPart
BucketPipeline::CutPart(const BufferPart& whole) const
{
    const auto all = std::accumulate(m_shares.begin(), m_shares.end(), uint64_t{0});
    const uint64_t turns = whole.bytes / all;
    const uint64_t rest = whole.bytes % all;
    // What division leaves over is below the number of parts, and goes to the first ones, a byte
    // each.
    uint64_t left = rest;
    for (const auto share : m_shares)
    {
        left -= rest * share / all;
    }
    BufferPart part{whole.offset, 0};
    for (uint32_t i = 0; i <= GetChannel(); ++i)
    {
        part.offset += part.bytes;
        part.bytes = turns * m_shares[i] + rest * m_shares[i] / all + (i < left ? 1 : 0);
    }
    return part;
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
                             ? CutPart(buffer).Cut(m_call.size, owner)
                             : CutPart(buffer.Cut(m_call.size, owner)));
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
    const auto& grid = *GetGrid(call);
    const auto dimensions = static_cast<uint32_t>(grid.GetSizes().size());
    bool isTwoWay = false;
    for (uint32_t i = 0; i < dimensions; ++i)
    {
        isTwoWay = isTwoWay || grid.CountWays(i) > 1;
    }
    // Rings in the opposite direction use the other half of each link. With two places, and in a
    // mesh, where what closes the ring goes back over the whole row, a ring already uses both
    // halves; an all-to-all sends in both directions by itself.
    return call.kind != CollectiveKind::ALL_TO_ALL && isTwoWay ? 2 * dimensions : dimensions;
}

ChunkPipelines
BucketCollective::DoPlan(const CollectiveCall& call) const
{
    const auto parts = GetChannels(call);
    const StageBarrier barrier(parts);
    // Parts that go round in the opposite direction are like those before them.
    auto shares = ListShares(*GetGrid(call));
    const auto dimensions = shares.size();
    while (shares.size() < parts)
    {
        shares.push_back(shares[shares.size() - dimensions]);
    }
    ChunkPipelines pipelines;
    for (uint32_t part = 0; part < parts; ++part)
    {
        if (call.kind == CollectiveKind::ALL_TO_ALL)
        {
            pipelines.push_back(std::make_unique<TorusExchangePipeline>(call, part, barrier));
            continue;
        }
        pipelines.push_back(std::make_unique<BucketPipeline>(call, shares, part, barrier));
    }
    return pipelines;
}

} // namespace ns3
