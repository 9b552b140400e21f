/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-collective.h"

#include "peer-channels.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

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
          m_serverSize(GetServerSize(call))
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t distance, uint64_t /* turn */) override
    {
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
                          "blocks with at the same time; gather: members the root receives from at "
                          "the same time.",
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

ChunkPipelines
DirectCollective::DoPlan(const CollectiveCall& call) const
{
    // A shift goes to the next member only, at distance 1.
    const uint32_t end = call.kind == CollectiveKind::SHIFT ? 2 : call.size;
    ChunkPipelines pipelines;
    for (const auto& distances : PipelineItems::Distribute(1, end, m_concurrency))
    {
        pipelines.push_back(std::make_unique<DirectPipeline>(call, distances));
    }
    return pipelines;
}

} // namespace ns3
