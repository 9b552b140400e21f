/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "halving-doubling-collective.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HalvingDoublingCollective");

NS_OBJECT_ENSURE_REGISTERED(HalvingDoublingCollective);

namespace
{

/**
 * @param step where to add a transfer, unless it is empty
 * @param transfer the transfer
 */
void
AddTransfer(CollectiveStep& step, const CollectiveTransfer& transfer)
{
    if (transfer.bytes > 0)
    {
        step.push_back(transfer);
    }
}

/**
 * @param size number of members, at least 1
 * @return the ceiling of its logarithm to base 2
 */
uint32_t
GetRounds(uint32_t size)
{
    uint32_t rounds = 0;
    while ((uint64_t{1} << rounds) < size)
    {
        ++rounds;
    }
    return rounds;
}

/**
 * All-reduce of 2^k members by recursive halving and doubling. The buffer has a block for each.
 */
class HalvingLane : public CollectiveLane
{
  public:
    /**
     * @param call the collective, of two members or more
     */
    explicit HalvingLane(const CollectiveCall& call)
        : m_call(call),
          m_position(call.placement ? call.placement->GetPlace(call.index).position : call.index),
          m_rounds(GetRounds(call.size)),
          m_end(call.size)
    {
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        const uint32_t turn = m_step++;
        if (turn < m_rounds)
        {
            Halve(step, 1U << turn);
        }
        else if (turn < 2 * m_rounds)
        {
            Double(step, 1U << (2 * m_rounds - 1 - turn));
        }
        else
        {
            return false;
        }
        return true;
    }

    uint32_t GetChannel() const override
    {
        return 0;
    }

  private:
    /**
     * Keep one half of the blocks and give the other away.
     *
     * @param step where to add the transfers
     * @param distance the other member is so far away
     */
    void Halve(CollectiveStep& step, uint32_t distance)
    {
        const uint32_t middle = (m_begin + m_end) / 2;
        const bool isUpper = (m_position & distance) != 0;
        const uint32_t peer = m_position ^ distance;
        Add(step,
            CollectiveTransfer::SEND,
            peer,
            isUpper ? m_begin : middle,
            isUpper ? middle : m_end);
        (isUpper ? m_begin : m_end) = middle;
        Add(step, CollectiveTransfer::RECV_REDUCE, peer, m_begin, m_end);
    }

    /**
     * Exchange the blocks that are complete.
     *
     * @param step where to add the transfers
     * @param distance the other member is so far away
     */
    void Double(CollectiveStep& step, uint32_t distance)
    {
        const uint32_t length = m_end - m_begin;
        const bool isUpper = (m_position & distance) != 0;
        const uint32_t peer = m_position ^ distance;
        Add(step, CollectiveTransfer::SEND, peer, m_begin, m_end);
        const uint32_t other = isUpper ? m_begin - length : m_end;
        Add(step, CollectiveTransfer::RECV_COPY, peer, other, other + length);
        m_begin = std::min(m_begin, other);
        m_end = m_begin + 2 * length;
    }

    /**
     * @param block a block, or the number of blocks
     * @return where it begins
     */
    uint64_t GetOffset(uint32_t block) const
    {
        return block == m_call.size ? m_call.bytes
                                    : BufferPart{0, m_call.bytes}.Cut(m_call.size, block).offset;
    }

    /**
     * @param step where to add a transfer, unless it is empty
     * @param action what to do
     * @param position position of the member with whom
     * @param begin the first block
     * @param end the block after the last one
     */
    void Add(CollectiveStep& step,
             CollectiveTransfer::Action action,
             uint32_t position,
             uint32_t begin,
             uint32_t end) const
    {
        const uint32_t peer = m_call.placement ? m_call.placement->GetOrder()[position] : position;
        const uint64_t offset = GetOffset(begin);
        AddTransfer(step, {action, peer, offset, GetOffset(end) - offset});
    }

    CollectiveCall m_call; //!< the collective
    uint32_t m_position;   //!< the member in the order of the servers
    uint32_t m_rounds;     //!< logarithm of the number of members
    uint32_t m_begin{0};   //!< first block that the member works on
    uint32_t m_end;        //!< block after the last one
    uint32_t m_step{0};    //!< steps made
};

/**
 * Bruck's algorithm: backwards for reduce-scatter, forwards for all-gather and barrier, backwards
 * and then forwards for all-reduce.
 */
class BruckLane : public CollectiveLane
{
  public:
    /**
     * @param call the collective, of two members or more
     */
    explicit BruckLane(const CollectiveCall& call)
        : m_call(call),
          m_isAllReduce(call.kind == CollectiveKind::ALL_REDUCE),
          m_position(call.index),
          m_rounds(GetRounds(call.size))
    {
        // Whose the blocks are matters in all other kinds.
        if (m_isAllReduce && call.placement)
        {
            m_order = &call.placement->GetOrder();
            m_position = call.placement->GetPlace(call.index).position;
        }
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        const uint32_t turn = m_step++;
        if (turn == (m_isAllReduce ? 2 * m_rounds : m_rounds))
        {
            return false;
        }
        const bool isBackward =
            m_call.kind == CollectiveKind::REDUCE_SCATTER || (m_isAllReduce && turn < m_rounds);
        const uint32_t round = turn % m_rounds;
        const uint32_t distance = 1U << (isBackward ? m_rounds - 1 - round : round);
        const uint32_t before = Turn(m_call.size - distance);
        const uint32_t after = Turn(distance);
        if (m_call.kind == CollectiveKind::BARRIER)
        {
            step.push_back({CollectiveTransfer::SEND, before, 0, 0});
            step.push_back({CollectiveTransfer::RECV_COPY, after, 0, 0});
            return true;
        }
        const uint32_t count = std::min(distance, m_call.size - distance);
        if (isBackward)
        {
            Add(step, CollectiveTransfer::SEND, after, after, count);
            Add(step, CollectiveTransfer::RECV_REDUCE, before, m_position, count);
        }
        else
        {
            Add(step, CollectiveTransfer::SEND, before, m_position, count);
            Add(step, CollectiveTransfer::RECV_COPY, after, after, count);
        }
        return true;
    }

    uint32_t GetChannel() const override
    {
        return 0;
    }

  private:
    /**
     * @param distance a number of positions, at most as many as members
     * @return the position so far after the member's
     */
    uint32_t Turn(uint32_t distance) const
    {
        return static_cast<uint32_t>((uint64_t{m_position} + distance) % m_call.size);
    }

    /**
     * @param block a block, or the number of blocks
     * @return where it begins
     */
    uint64_t GetOffset(uint32_t block) const
    {
        return block == m_call.size ? m_call.bytes
                                    : BufferPart{0, m_call.bytes}.Cut(m_call.size, block).offset;
    }

    /**
     * @param step where to add the transfers
     * @param action what to do
     * @param position position of the member with whom
     * @param first the first block
     * @param count number of blocks; those beyond the end are the first ones of the buffer
     */
    void Add(CollectiveStep& step,
             CollectiveTransfer::Action action,
             uint32_t position,
             uint32_t first,
             uint32_t count) const
    {
        const uint32_t peer = m_order ? (*m_order)[position] : position;
        const uint32_t end = std::min(count, m_call.size - first) + first;
        const uint64_t offset = GetOffset(first);
        AddTransfer(step, {action, peer, offset, GetOffset(end) - offset});
        AddTransfer(step, {action, peer, 0, GetOffset(count - (end - first))});
    }

    CollectiveCall m_call;                         //!< the collective
    bool m_isAllReduce;                            //!< the collective is an all-reduce
    const std::vector<uint32_t>* m_order{nullptr}; //!< members by position; null = as they are
    uint32_t m_position;                           //!< position of the member
    uint32_t m_rounds;                             //!< steps one way
    uint32_t m_step{0};                            //!< steps made
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
{
    NS_LOG_FUNCTION(this);
}

HalvingDoublingCollective::~HalvingDoublingCollective()
{
    NS_LOG_FUNCTION(this);
}

std::string
HalvingDoublingCollective::GetName() const
{
    return "halving-doubling";
}

bool
HalvingDoublingCollective::Supports(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::ALL_GATHER ||
           kind == CollectiveKind::REDUCE_SCATTER || kind == CollectiveKind::BARRIER;
}

std::vector<std::unique_ptr<CollectiveLane>>
HalvingDoublingCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << ToString(call.kind) << call.bytes << call.index << call.size);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    if (call.size == 1 || (call.bytes == 0 && call.kind != CollectiveKind::BARRIER))
    {
        return lanes;
    }
    const bool isPowerOfTwo = (call.size & (call.size - 1)) == 0;
    if (call.kind == CollectiveKind::ALL_REDUCE && isPowerOfTwo)
    {
        lanes.push_back(std::make_unique<HalvingLane>(call));
    }
    else
    {
        lanes.push_back(std::make_unique<BruckLane>(call));
    }
    return lanes;
}

uint64_t
HalvingDoublingCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    uint64_t bytes = 0;
    // There are few steps, and what they bring depends on how the buffer divides.
    CollectiveStep step;
    for (const auto& lane : Plan(call))
    {
        while (lane->Next(step))
        {
            for (const auto& transfer : step)
            {
                bytes += transfer.action == CollectiveTransfer::SEND ? 0 : transfer.bytes;
            }
        }
    }
    return bytes;
}

uint32_t
HalvingDoublingCollective::GetChannels(const CollectiveCall& call) const
{
    return 1;
}

} // namespace ns3
