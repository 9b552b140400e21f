/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "halving-doubling-collective.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HalvingDoublingCollective");

NS_STRATEGY_ENSURE_REGISTERED(HalvingDoublingCollective,
                              "halving-doubling",
                              "partners at doubling distances",
                              4);

namespace
{

/**
 * Exchanges ranges of blocks, of which the buffer has one for each member, in logarithmic steps.
 */
class BlockPipeline : public SteppedPipeline
{
  protected:
    /**
     * @param call the collective, of two members or more
     * @param phases how often it goes through a logarithmic number of steps
     */
    BlockPipeline(const CollectiveCall& call, uint32_t phases)
        : SteppedPipeline({}, phases * uint64_t{CeilLog2(call.size)}),
          m_call(call),
          m_rounds(CeilLog2(call.size))
    {
    }

    /**
     * @param step where to add a transfer of blocks, unless they are empty
     * @param action what to do
     * @param peer index of the member with whom
     * @param begin the first block
     * @param end the block after the last one, at most as many as members
     */
    void AddBlocks(CollectiveStep& step,
                   CollectiveTransfer::Action action,
                   uint32_t peer,
                   uint32_t begin,
                   uint32_t end) const
    {
        const uint64_t offset = GetOffset(begin);
        AddTransfer(step, action, peer, BufferPart{offset, GetOffset(end) - offset});
    }

    CollectiveCall m_call; //!< the collective
    uint32_t m_rounds;     //!< steps of a phase: the logarithm of the number of members, rounded up

  private:
    /**
     * @param block a block, or the number of blocks
     * @return where it begins
     */
    uint64_t GetOffset(uint32_t block) const
    {
        return block == m_call.size ? m_call.bytes
                                    : BufferPart{0, m_call.bytes}.Cut(m_call.size, block).offset;
    }
};

/**
 * All-reduce of 2^k members by recursive halving and doubling.
 *
 * In step t of halving the members whose positions differ in bit t alone exchange halves of the
 * range of blocks that both work on: the member whose bit is set keeps and adds up the upper half.
 * So after k steps a member has the sum of a single block. Doubling takes the bits from the highest
 * one down: the two exchange their ranges, which stand side by side, and go on with both.
 */
class HalvingPipeline : public BlockPipeline
{
  public:
    /**
     * @param call the collective, of two members or more
     */
    explicit HalvingPipeline(const CollectiveCall& call)
        : BlockPipeline(call, 2),
          m_end(call.size)
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t /* item */, uint64_t turn) override
    {
        // Halving is a reduce-scatter, doubling an all-gather over the same distances backwards.
        const bool halves = turn < m_rounds;
        const uint32_t distance = 1U << (halves ? turn : 2 * m_rounds - 1 - turn);
        const uint32_t position = m_call.GetPosition();
        const uint32_t peer = m_call.GetMemberAt(position ^ distance);
        const bool isUpper = (position & distance) != 0;
        if (halves)
        {
            // The number of blocks is a power of 2 here, so that both halves have whole blocks.
            const uint32_t middle = (m_begin + m_end) / 2;
            AddBlocks(step,
                      CollectiveTransfer::SEND,
                      peer,
                      isUpper ? m_begin : middle,
                      isUpper ? middle : m_end);
            // Narrowed before the transfer that receives: only the half that stays is added up.
            (isUpper ? m_begin : m_end) = middle;
            AddBlocks(step, CollectiveTransfer::RECV_REDUCE, peer, m_begin, m_end);
            return;
        }
        const uint32_t length = m_end - m_begin;
        AddBlocks(step, CollectiveTransfer::SEND, peer, m_begin, m_end);
        // The partner's range is as long, and stands right before or behind this one.
        const uint32_t other = isUpper ? m_begin - length : m_end;
        AddBlocks(step, CollectiveTransfer::RECV_COPY, peer, other, other + length);
        m_begin = std::min(m_begin, other);
        m_end = m_begin + 2 * length;
    }

    uint32_t m_begin{0}; //!< first block that the member works on
    uint32_t m_end;      //!< block after the last one
};

/**
 * Bruck's algorithm: backwards for reduce-scatter, forwards for all-gather and barrier, backwards
 * and then forwards for all-reduce.
 *
 * Forwards, in round r, a member has the 2^r blocks from its own position on, sends as many of them
 * as are lacking to the member 2^r before it, and gets those that follow from the member 2^r after
 * it. Positions are counted in a circle, so that a range of blocks may go on at the beginning of
 * the buffer. Backwards the rounds come in the opposite order and what was received is sent.
 */
class BruckPipeline : public BlockPipeline
{
  public:
    /**
     * @param call the collective, of two members or more
     */
    explicit BruckPipeline(const CollectiveCall& call)
        : BlockPipeline(call, call.kind == CollectiveKind::ALL_REDUCE ? 2 : 1)
    {
        if (call.kind != CollectiveKind::ALL_REDUCE)
        {
            // It matters whose the blocks are, so that positions are indices.
            m_call.placement = nullptr;
        }
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t /* item */, uint64_t turn) override
    {
        const bool isBackward = m_call.kind == CollectiveKind::REDUCE_SCATTER ||
                                (m_call.kind == CollectiveKind::ALL_REDUCE && turn < m_rounds);
        const auto round = static_cast<uint32_t>(turn % m_rounds);
        const uint32_t distance = 1U << (isBackward ? m_rounds - 1 - round : round);
        const uint64_t position = m_call.GetPosition();
        // distance < size, so this does not wrap; GetMemberAt() takes it modulo size.
        const uint64_t before = position + m_call.size - distance;
        const uint64_t after = position + distance;
        if (m_call.kind == CollectiveKind::BARRIER)
        {
            // AddTransfer() leaves out what has no bytes.
            step.push_back({CollectiveTransfer::SEND, m_call.GetMemberAt(before), 0, 0});
            step.push_back({CollectiveTransfer::RECV_COPY, m_call.GetMemberAt(after), 0, 0});
            return;
        }
        // The last round brings only what is lacking.
        const uint32_t count = std::min(distance, m_call.size - distance);
        if (isBackward)
        {
            // What a forward round would have received is sent, and what it would have sent is
            // added.
            AddRange(step, CollectiveTransfer::SEND, after, after, count);
            AddRange(step, CollectiveTransfer::RECV_REDUCE, before, position, count);
        }
        else
        {
            AddRange(step, CollectiveTransfer::SEND, before, position, count);
            AddRange(step, CollectiveTransfer::RECV_COPY, after, after, count);
        }
    }

    /**
     * @param step where to add the transfers
     * @param action what to do
     * @param peer position of the member with whom
     * @param from position of the first block
     * @param count number of blocks; those beyond the end are the first ones of the buffer
     */
    void AddRange(CollectiveStep& step,
                  CollectiveTransfer::Action action,
                  uint64_t peer,
                  uint64_t from,
                  uint32_t count) const
    {
        const auto first = static_cast<uint32_t>(from % m_call.size);
        // Ranges beyond the end are two transfers; AddTransfer() drops the second if it is empty.
        const uint32_t end = std::min(count, m_call.size - first) + first;
        const uint32_t member = m_call.GetMemberAt(peer);
        AddBlocks(step, action, member, first, end);
        AddBlocks(step, action, member, 0, count - (end - first));
    }
};

} // namespace

TypeId
HalvingDoublingCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HalvingDoublingCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<HalvingDoublingCollective>();
    return tid;
}

HalvingDoublingCollective::HalvingDoublingCollective()
    : CollectiveAlgorithm("halving-doubling",
                          {CollectiveKind::ALL_REDUCE,
                           CollectiveKind::ALL_GATHER,
                           CollectiveKind::REDUCE_SCATTER,
                           CollectiveKind::BARRIER})
{
    NS_LOG_FUNCTION(this);
}

ChunkPipelines
HalvingDoublingCollective::DoPlan(const CollectiveCall& call) const
{
    // Halving needs a partner at each distance 2^t. Bruck's rounds serve any number of members, but
    // send blocks that are not side by side.
    const bool isPowerOfTwo = (call.size & (call.size - 1)) == 0;
    ChunkPipelines pipelines;
    if (call.kind == CollectiveKind::ALL_REDUCE && isPowerOfTwo)
    {
        pipelines.push_back(std::make_unique<HalvingPipeline>(call));
    }
    else
    {
        pipelines.push_back(std::make_unique<BruckPipeline>(call));
    }
    return pipelines;
}

} // namespace ns3
