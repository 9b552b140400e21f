/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-collective.h"

#include "equal-exchange.h"
#include "hierarchical-exchange-lane.h"
#include "hierarchical-lane.h"
#include "rail-grid.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HierarchicalCollective");

NS_OBJECT_ENSURE_REGISTERED(HierarchicalCollective);

namespace
{

/**
 * @param call an all-reduce, all-gather or reduce-scatter of two members or more
 * @param rail a rail
 * @return bytes the member receives of the rail's share
 */
uint64_t
CountReceivedBytes(const CollectiveCall& call, uint32_t rail)
{
    const RailGrid grid(call);
    const uint32_t servers = grid.CountServers();
    const uint32_t server = grid.GetServer(call.index);
    uint64_t share = 0;
    for (uint32_t other = 0; other < servers; ++other)
    {
        share += HierarchicalLane::FindPart(call, grid, rail, other).bytes;
    }
    const bool reduces = call.kind != CollectiveKind::ALL_GATHER;
    const bool gathers = call.kind != CollectiveKind::REDUCE_SCATTER;
    if (grid.GetMember(server, rail) != call.index)
    {
        return gathers ? share : 0;
    }
    // A round of the ring brings all parts but one: to reduce, all but the one that is sent first,
    // which is that of the server before; to gather, all but the own one.
    const uint32_t before = (server + servers - 1) % servers;
    const auto first = HierarchicalLane::FindPart(call, grid, rail, before).bytes;
    const auto own = HierarchicalLane::FindPart(call, grid, rail, server).bytes;
    const uint64_t collected = (grid.CountMembers(server) - 1) * share;
    return (reduces ? collected + share - first : 0) + (gathers ? share - own : 0);
}

} // namespace

TypeId
HierarchicalCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HierarchicalCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<HierarchicalCollective>()
            .AddAttribute(
                "ChunkBytes",
                "Longest message between servers, bytes, but in an all-to-all: the grain "
                "in which the phases inside and between servers overlap. A message inside "
                "a server has as much for each server. 0 = what a rail carries is moved "
                "in one go.",
                UintegerValue(0),
                MakeUintegerAccessor(&HierarchicalCollective::m_chunkBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("PipelineDepth",
                          "Pieces of a rail on their way at the same time, when ChunkBytes cuts "
                          "what it carries into several.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&HierarchicalCollective::m_pipelineDepth),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Concurrency",
                          "All-to-all: servers a member exchanges messages with at the same time.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&HierarchicalCollective::m_concurrency),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

HierarchicalCollective::HierarchicalCollective()
{
    NS_LOG_FUNCTION(this);
}

HierarchicalCollective::~HierarchicalCollective()
{
    NS_LOG_FUNCTION(this);
}

std::string
HierarchicalCollective::GetName() const
{
    return "hierarchical";
}

bool
HierarchicalCollective::Supports(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::ALL_GATHER ||
           kind == CollectiveKind::REDUCE_SCATTER || kind == CollectiveKind::ALL_TO_ALL;
}

std::string
HierarchicalCollective::FindObstacle(const CollectiveCall& call) const
{
    return EqualExchange::FindObstacle(call);
}

std::vector<std::unique_ptr<CollectiveLane>>
HierarchicalCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << ToString(call.kind) << call.bytes << call.index << call.size);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    if (call.size == 1 || call.bytes == 0)
    {
        return lanes;
    }
    const RailGrid grid(call);
    const uint32_t servers = grid.CountServers();
    if (call.kind == CollectiveKind::ALL_TO_ALL)
    {
        // In a single server there is nobody at any distance, but there is an exchange inside.
        const uint32_t nLanes = std::max(1U, std::min(servers - 1, m_concurrency));
        for (uint32_t lane = 0; lane < nLanes; ++lane)
        {
            lanes.push_back(std::make_unique<HierarchicalExchangeLane>(call, lane + 1, nLanes));
        }
        return lanes;
    }
    // All members must cut alike, so the longest part of all decides. No part is longer than this.
    const BufferPart buffer{0, call.bytes};
    const auto longest = call.kind == CollectiveKind::ALL_REDUCE
                             ? buffer.Cut(grid.CountRails(), 0).Cut(servers, 0)
                             : buffer.Cut(call.size, 0);
    const uint64_t pieces =
        m_chunkBytes == 0 ? 1 : std::max<uint64_t>(1, (longest.bytes - 1) / m_chunkBytes + 1);
    const uint64_t depth = std::min<uint64_t>(pieces, m_pipelineDepth);
    for (uint32_t rail = 0; rail < grid.CountRails(); ++rail)
    {
        for (uint64_t first = 0; first < depth; ++first)
        {
            lanes.push_back(std::make_unique<HierarchicalLane>(
                call,
                HierarchicalLane::Share{rail, pieces, first, depth}));
        }
    }
    return lanes;
}

uint64_t
HierarchicalCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    if (call.size == 1)
    {
        return 0;
    }
    if (call.kind == CollectiveKind::ALL_TO_ALL)
    {
        return EqualExchange(call).CountReceivedBytes();
    }
    uint64_t bytes = 0;
    for (uint32_t rail = 0; rail < RailGrid(call).CountRails(); ++rail)
    {
        bytes += CountReceivedBytes(call, rail);
    }
    return bytes;
}

uint32_t
HierarchicalCollective::GetChannels(const CollectiveCall& call) const
{
    return call.kind == CollectiveKind::ALL_TO_ALL ? 1 : RailGrid(call).CountRails();
}

} // namespace ns3
