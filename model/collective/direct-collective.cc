/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-collective.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DirectCollective");

NS_OBJECT_ENSURE_REGISTERED(DirectCollective);

namespace
{

/**
 * @param blocks lengths of blocks that stand one after another
 * @param index one of them
 * @return where it stands
 */
BufferPart
FindBlock(const std::vector<uint64_t>& blocks, uint32_t index)
{
    return {std::accumulate(blocks.begin(), blocks.begin() + index, uint64_t{0}), blocks[index]};
}

/**
 * @param call the collective
 * @param to index of another member
 * @return what the member sends to it
 */
BufferPart
GetSentBlock(const CollectiveCall& call, uint32_t to)
{
    const BufferPart buffer{0, call.bytes};
    switch (call.kind)
    {
    case CollectiveKind::SHIFT:
        return buffer;
    case CollectiveKind::ALL_GATHER:
        return buffer.Cut(call.size, call.index);
    case CollectiveKind::GATHER:
        return to == call.root ? buffer.Cut(call.size, call.index) : BufferPart();
    case CollectiveKind::SCATTER:
        return call.index == call.root ? buffer.Cut(call.size, to) : BufferPart();
    default:
        break;
    }
    return call.splits ? FindBlock(call.splits->send, to) : buffer.Cut(call.size, to);
}

/**
 * @param call the collective
 * @param from index of another member
 * @return where the member keeps what it receives from it
 */
BufferPart
GetReceivedBlock(const CollectiveCall& call, uint32_t from)
{
    const BufferPart buffer{0, call.bytes};
    switch (call.kind)
    {
    case CollectiveKind::SHIFT:
        return buffer;
    case CollectiveKind::ALL_GATHER:
        return buffer.Cut(call.size, from);
    case CollectiveKind::REDUCE_SCATTER:
        return buffer.Cut(call.size, call.index);
    case CollectiveKind::GATHER:
        return call.index == call.root ? buffer.Cut(call.size, from) : BufferPart();
    case CollectiveKind::SCATTER:
        return from == call.root ? buffer.Cut(call.size, call.index) : BufferPart();
    default:
        break;
    }
    if (call.splits)
    {
        return FindBlock(call.splits->receive, from);
    }
    // All that a member receives is cut for its own index, so its blocks are equally long.
    const auto length = buffer.Cut(call.size, call.index).bytes;
    return {from * length, length};
}

/**
 * Exchanges with the members at every stride-th distance, one after another.
 */
class DirectLane : public CollectiveLane
{
  public:
    /**
     * @param call the collective
     * @param first the first distance of this lane, at least 1
     * @param stride from one distance of this lane to the next
     */
    DirectLane(const CollectiveCall& call, uint32_t first, uint32_t stride)
        : m_call(call),
          m_distance(first),
          m_stride(stride)
    {
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        const uint32_t furthest = m_call.kind == CollectiveKind::SHIFT ? 1 : m_call.size - 1;
        if (m_distance > furthest)
        {
            return false;
        }
        const uint32_t to = (m_call.index + m_distance) % m_call.size;
        const uint32_t from = (m_call.index + m_call.size - m_distance) % m_call.size;
        const auto sent = GetSentBlock(m_call, to);
        if (sent.bytes > 0)
        {
            step.push_back({CollectiveTransfer::SEND, to, sent.offset, sent.bytes});
        }
        const auto received = GetReceivedBlock(m_call, from);
        if (received.bytes > 0)
        {
            const auto action = m_call.kind == CollectiveKind::REDUCE_SCATTER
                                    ? CollectiveTransfer::RECV_REDUCE
                                    : CollectiveTransfer::RECV_COPY;
            step.push_back({action, from, received.offset, received.bytes});
        }
        m_distance += m_stride;
        return true;
    }

    uint32_t GetChannel() const override
    {
        return 0;
    }

  private:
    CollectiveCall m_call; //!< the collective
    uint32_t m_distance;   //!< distance of the next exchange
    uint32_t m_stride;     //!< from one distance to the next
};

} // namespace

TypeId
DirectCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DirectCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<DirectCollective>()
            .AddAttribute("Concurrency",
                          "All-to-all, all-gather, reduce-scatter: members a member exchanges "
                          "blocks with at the same time; gather: members the root receives from at "
                          "the same time.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&DirectCollective::m_concurrency),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

DirectCollective::DirectCollective()
{
    NS_LOG_FUNCTION(this);
}

DirectCollective::~DirectCollective()
{
    NS_LOG_FUNCTION(this);
}

std::string
DirectCollective::GetName() const
{
    return "direct";
}

bool
DirectCollective::Supports(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_TO_ALL || kind == CollectiveKind::ALL_GATHER ||
           kind == CollectiveKind::REDUCE_SCATTER || kind == CollectiveKind::SHIFT ||
           kind == CollectiveKind::GATHER || kind == CollectiveKind::SCATTER;
}

std::vector<std::unique_ptr<CollectiveLane>>
DirectCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << ToString(call.kind) << call.bytes << call.index << call.size);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    // With splits a member that has nothing to send may have something to receive.
    if (call.size == 1 || (call.bytes == 0 && !call.splits))
    {
        return lanes;
    }
    const uint32_t exchanges = call.kind == CollectiveKind::SHIFT ? 1 : call.size - 1;
    const uint32_t nLanes = std::min(exchanges, m_concurrency);
    for (uint32_t lane = 0; lane < nLanes; ++lane)
    {
        lanes.push_back(std::make_unique<DirectLane>(call, lane + 1, nLanes));
    }
    return lanes;
}

uint64_t
DirectCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    if (call.size == 1)
    {
        return 0;
    }
    if (call.splits)
    {
        const auto& blocks = call.splits->receive;
        return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0}) - blocks[call.index];
    }
    const uint64_t own = BufferPart{0, call.bytes}.Cut(call.size, call.index).bytes;
    const bool isRoot = call.index == call.root;
    switch (call.kind)
    {
    case CollectiveKind::SHIFT:
        return call.bytes;
    case CollectiveKind::ALL_GATHER:
        return call.bytes - own;
    case CollectiveKind::GATHER:
        return isRoot ? call.bytes - own : 0;
    case CollectiveKind::SCATTER:
        return isRoot ? 0 : own;
    default:
        return own * (call.size - 1);
    }
}

uint32_t
DirectCollective::GetChannels(const CollectiveCall& call) const
{
    return 1;
}

} // namespace ns3
