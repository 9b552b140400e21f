/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-collective.h"

#include "peer-channels.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DirectCollective");

NS_STRATEGY_ENSURE_REGISTERED(DirectCollective, "direct", "each member sends to each", 1);

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
 * @param from the member that sends
 * @param to the member that receives
 * @return the block that goes from one to the other, as the sender has it; in all kinds but
 *         all-to-all it stands at the same place at the receiver
 */
BufferPart
GetBlock(const CollectiveCall& call, uint32_t from, uint32_t to)
{
    const BufferPart buffer{0, call.bytes};
    switch (call.kind)
    {
    case CollectiveKind::SHIFT:
        return buffer;
    case CollectiveKind::ALL_GATHER:
        return buffer.Cut(call.size, from);
    case CollectiveKind::GATHER:
        return to == call.root ? buffer.Cut(call.size, from) : BufferPart();
    case CollectiveKind::SCATTER:
        return from == call.root ? buffer.Cut(call.size, to) : BufferPart();
    default:
        return call.splits ? FindBlock(call.splits->send, to) : buffer.Cut(call.size, to);
    }
}

/**
 * @param call the collective
 * @param from index of another member
 * @return where the member keeps what it receives from it
 */
BufferPart
GetReceivedBlock(const CollectiveCall& call, uint32_t from)
{
    if (call.splits)
    {
        return FindBlock(call.splits->receive, from);
    }
    const auto block = GetBlock(call, from, call.index);
    // All that a member receives is cut for its own index, so its blocks are equally long.
    const bool isAllToAll = call.kind == CollectiveKind::ALL_TO_ALL;
    return isAllToAll ? BufferPart{from * block.bytes, block.bytes} : block;
}

/**
 * Members in turn, as NCCL takes them (2.30, src/init.cc, p2pSchedule): at distance d of servers of
 * L members the one d mod L places further on in the server that is d / L further on. So all of a
 * server exchange with one server at a time, each with another member there. By index alone they
 * would all send to the first member of the next server when they have done with their own.
 *
 * @param call the collective
 * @param distance a distance, at least 0
 * @param size L; 1 = members are taken by index
 * @return the member so far after this one
 */
uint32_t
FindMember(const CollectiveCall& call, uint64_t distance, uint64_t size)
{
    if (size == 1)
    {
        return call.GetMemberAfter(distance);
    }
    const auto& servers = call.placement->GetServers();
    const auto& own = call.placement->GetPlace(call.index);
    return servers[(own.server + distance / size) % servers.size()]
                  [(own.rail + distance % size) % size];
}

/**
 * @param call the collective
 * @return members of each server; 1 = they differ, or the next member is the next one by index
 */
uint64_t
GetServerSize(const CollectiveCall& call)
{
    const auto* const placement = call.placement;
    const bool isByServer = placement && call.kind != CollectiveKind::SHIFT &&
                            placement->GetSmallestServer() == placement->GetLargestServer();
    return isByServer ? placement->GetLargestServer() : 1;
}

/**
 * @param call the collective
 * @return most links of a member to others; 0 = switches join the members, or there is but one
 *         distance
 */
uint32_t
CountMemberLinks(const CollectiveCall& call)
{
    std::size_t most = 0;
    if (call.placement && call.kind != CollectiveKind::SHIFT)
    {
        for (const auto& neighbours : call.placement->GetNeighbours())
        {
            most = std::max(most, neighbours.size());
        }
    }
    return static_cast<uint32_t>(most);
}

/// In which order distances come.
class DistanceOrder
{
  public:
    /**
     * @param call the collective
     */
    explicit DistanceOrder(const CollectiveCall& call)
        : m_size(call.size),
          m_stride(CountMemberLinks(call) > 0 ? FindStride(call.size) : 0)
    {
    }

    /**
     * Where links join members, the next distances by number lead in the same direction, and leave
     * most links idle. So they come apart by the golden ratio, which spreads any
     * number of them evenly, and each with its opposite.
     *
     * @param turn a place in the order, from 1 to below the number of members
     * @return the distance that comes there
     */
    uint64_t Get(uint64_t turn) const
    {
        const auto folded = turn % 2 == 1 ? (turn + 1) / 2 : m_size - turn / 2;
        return m_stride == 0 ? turn : folded * m_stride % m_size;
    }

  private:
    /**
     * @param size number of members
     * @return the least number from size divided by the golden ratio on that has no divisor in
     *         common with it, so that multiples meet all distances
     */
    static uint64_t FindStride(uint64_t size)
    {
        auto stride = std::max<uint64_t>(1, static_cast<uint64_t>(0.6180339887 * size));
        while (std::gcd(stride, size) != 1)
        {
            ++stride;
        }
        return stride;
    }

    uint64_t m_size;   //!< number of members
    uint64_t m_stride; //!< from one distance to the next; 0 = they come by number
};

/**
 * Exchanges with the members at several distances, one after another.
 */
class DirectPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call the collective
     * @param distances the distances of this pipeline, from 1 on
     */
    DirectPipeline(const CollectiveCall& call, const PipelineItems& distances)
        : SteppedPipeline(distances, 1),
          m_call(call),
          m_order(call),
          m_serverSize(GetServerSize(call))
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t item, uint64_t /* turn */) override
    {
        const uint64_t distance = m_order.Get(item);
        const uint32_t to = FindMember(m_call, distance, m_serverSize);
        // The member at the same distance before, in servers and in places of a server: whoever
        // sends in a step receives in it.
        const uint64_t rest = m_call.size - distance;
        const uint64_t back = rest % m_serverSize == 0 ? rest : rest + m_serverSize;
        const uint32_t from = FindMember(m_call, back, m_serverSize);
        const bool reduces = m_call.kind == CollectiveKind::REDUCE_SCATTER;
        AddTransfer(step, CollectiveTransfer::SEND, to, GetBlock(m_call, m_call.index, to));
        AddTransfer(step,
                    reduces ? CollectiveTransfer::RECV_REDUCE : CollectiveTransfer::RECV_COPY,
                    from,
                    GetReceivedBlock(m_call, from));
    }

    CollectiveCall m_call; //!< the collective
    DistanceOrder m_order; //!< of the distances
    uint64_t m_serverSize; //!< members of each server, see GetServerSize()
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
                          "blocks with at the same time, for each of its links where links join "
                          "members; gather: members the root receives from at the same time.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&DirectCollective::m_concurrency),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

DirectCollective::DirectCollective()
    : CollectiveAlgorithm("direct",
                          {CollectiveKind::ALL_TO_ALL,
                           CollectiveKind::ALL_GATHER,
                           CollectiveKind::REDUCE_SCATTER,
                           CollectiveKind::SHIFT,
                           CollectiveKind::GATHER,
                           CollectiveKind::SCATTER})
{
    NS_LOG_FUNCTION(this);
}

std::optional<uint32_t>
DirectCollective::CountMultiprocessors(const CollectiveCall& call) const
{
    return PeerChannels::FindChannels(call);
}

double
DirectCollective::GetUsedShare(const CollectiveCall& call) const
{
    return PeerChannels::GetUsedShare(call);
}

uint64_t
DirectCollective::CountUnderWay(const CollectiveCall& call) const
{
    return uint64_t{m_concurrency} * std::max(1U, CountMemberLinks(call));
}

std::string
DirectCollective::GetAllAtOnceOption(const CollectiveCall& call) const
{
    const auto others = call.size - 1;
    return call.kind == CollectiveKind::SHIFT || CountUnderWay(call) >= others
               ? ""
               : GetTypeId().GetName() + "::Concurrency=" + std::to_string(others);
}

ChunkPipelines
DirectCollective::DoPlan(const CollectiveCall& call) const
{
    // A shift goes to the next member only, at distance 1.
    const uint32_t end = call.kind == CollectiveKind::SHIFT ? 2 : call.size;
    ChunkPipelines pipelines;
    for (const auto& distances : PipelineItems::Distribute(1, end, CountUnderWay(call)))
    {
        pipelines.push_back(std::make_unique<DirectPipeline>(call, distances));
    }
    return pipelines;
}

} // namespace ns3
