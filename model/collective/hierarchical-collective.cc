/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-collective.h"

#include "rail-grid.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HierarchicalCollective");

NS_STRATEGY_ENSURE_REGISTERED(HierarchicalCollective,
                              "hierarchical",
                              "within servers, between them, within them",
                              6);

namespace
{

/**
 * Carries pieces of one rail's share of an all-reduce, all-gather or reduce-scatter, which is its
 * channel too, one after another.
 *
 * The share has a part for each server. In each server the member that stands for the rail owns it:
 *
 * - to reduce, the others of the server first send their share to the owner, all at once; then the
 *   owners of all servers reduce-scatter the parts along a ring, which leaves the sum of the part
 *   of a server at its owner;
 * - to gather, the owners all-gather the parts along the ring, and each then sends the whole share
 *   to the others of its server, all at once.
 *
 * So an owner makes 1 + (servers - 1) steps each way, and the others, which have no part in the
 * ring, make 1.
 */
class HierarchicalPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call the collective, of two members or more
     * @param rail the rail
     * @param pieces the pieces of each part that the pipeline moves
     */
    HierarchicalPipeline(const CollectiveCall& call, uint32_t rail, const PipelineItems& pieces)
        : SteppedPipeline(pieces, CountSteps(call, rail), rail),
          m_call(call),
          m_grid(call),
          m_server(m_grid.GetServer(call.index)),
          m_owner(m_grid.GetMember(m_server, rail)),
          m_crossings(m_owner == call.index ? m_grid.CountServers() - 1 : 0)
    {
    }

  private:
    /**
     * @param call the collective
     * @param rail the rail
     * @return steps of the member with each piece
     */
    static uint64_t CountSteps(const CollectiveCall& call, uint32_t rail)
    {
        const RailGrid grid(call);
        const bool isOwner = grid.GetMember(grid.GetServer(call.index), rail) == call.index;
        // Owners exchange within the server and make a ring of servers - 1 steps; others only
        // exchange.
        const uint64_t oneWay = isOwner ? grid.CountServers() : 1;
        return call.kind == CollectiveKind::ALL_REDUCE ? 2 * oneWay : oneWay;
    }

    void MakeStep(CollectiveStep& step, uint64_t /* piece */, uint64_t turn) override
    {
        const bool reduces = m_call.kind != CollectiveKind::ALL_GATHER && turn <= m_crossings;
        // Steps of gathering are counted anew.
        const uint64_t before = m_call.kind == CollectiveKind::ALL_REDUCE ? m_crossings + 1 : 0;
        const auto own = static_cast<uint32_t>(reduces ? turn : turn - before);
        if (own == (reduces ? 0 : m_crossings))
        {
            ExchangeInServer(step, reduces);
        }
        else
        {
            Cross(step, reduces, reduces ? own - 1 : own);
        }
    }

    /**
     * Bring the share from the others of the server to the owner, or from it to them.
     *
     * @param step where to add the transfers
     * @param reduces whether it goes to the owner
     */
    void ExchangeInServer(CollectiveStep& step, bool reduces) const
    {
        std::vector<BufferPart> pieces;
        for (uint32_t server = 0; server < m_grid.CountServers(); ++server)
        {
            pieces.push_back(GetPiece(server));
        }
        const bool isOwner = m_owner == m_call.index;
        const auto receive =
            reduces ? CollectiveTransfer::RECV_REDUCE : CollectiveTransfer::RECV_COPY;
        // Reducing goes to the owner, gathering comes from it.
        const auto action = isOwner == reduces ? receive : CollectiveTransfer::SEND;
        if (!isOwner)
        {
            AddTransfer(step, action, m_owner, pieces);
            return;
        }
        const uint32_t members = m_grid.CountMembers(m_server);
        for (uint32_t distance = 1; distance < members; ++distance)
        {
            // Each rail begins at another member, so that owners do not all serve one first.
            const auto peer = m_grid.GetMember(m_server, GetChannel() % members + distance);
            AddTransfer(step, action, peer, pieces);
        }
    }

    /**
     * Make a step of the ring of owners.
     *
     * @param step where to add the transfers
     * @param reduces whether it is one of reduce-scatter, not of all-gather
     * @param turn its number, counted from 0
     */
    void Cross(CollectiveStep& step, bool reduces, uint32_t turn) const
    {
        const uint32_t servers = m_grid.CountServers();
        // Reduce-scatter ends with the part of the own server; all-gather begins from there.
        // servers is added so that the number does not become negative.
        const uint32_t sent = m_server + servers - turn - (reduces ? 1 : 0);
        const uint32_t received = sent - 1;
        AddTransfer(step,
                    CollectiveTransfer::SEND,
                    m_grid.GetMember((m_server + 1) % servers, GetChannel()),
                    GetPiece(sent % servers));
        AddTransfer(step,
                    reduces ? CollectiveTransfer::RECV_REDUCE : CollectiveTransfer::RECV_COPY,
                    m_grid.GetMember((m_server + servers - 1) % servers, GetChannel()),
                    GetPiece(received % servers));
    }

    /**
     * Find a server's part of the rail's share. Of an all-reduce it is an equal part of the rail's
     * equal part of the buffer; otherwise it is the block of the member that stands for the rail
     * there, or an equal part of it if that member stands for several.
     *
     * @param server a server
     * @return the piece under way of its part
     */
    BufferPart GetPiece(uint32_t server) const
    {
        const BufferPart buffer{0, m_call.bytes};
        const uint32_t rail = GetChannel();
        const uint32_t rails = m_grid.CountRails();
        if (m_call.kind == CollectiveKind::ALL_REDUCE)
        {
            return CutPiece(buffer.Cut(rails, rail).Cut(m_grid.CountServers(), server));
        }
        const uint32_t members = m_grid.CountMembers(server);
        // In a smaller server a member stands for several rails, which share its block.
        const uint32_t railsOfMember = (rails - 1 - rail % members) / members + 1;
        return CutPiece(buffer.Cut(m_call.size, m_grid.GetMember(server, rail))
                            .Cut(railsOfMember, rail / members));
    }

    CollectiveCall m_call; //!< the collective
    RailGrid m_grid;       //!< its members
    uint32_t m_server;     //!< the member's server
    uint32_t m_owner;      //!< who owns the share there
    uint32_t m_crossings;  //!< steps of the ring of owners that the member makes one way
};

/**
 * Carries the blocks of an all-to-all to several servers.
 *
 * First the members of a server hand each other the blocks that go along their rails, each one
 * message to each other, all at once. Then they exchange one message for each member they serve
 * with one server after another: the one d places further on is sent to while the one d places back
 * is received from. The pipeline of the first distance also carries the blocks inside the server.
 */
class HierarchicalExchangePipeline : public ChunkPipeline
{
  public:
    /**
     * @param call an all-to-all without splits, of two members or more
     * @param distances its distances between servers, from 1 on
     */
    HierarchicalExchangePipeline(const CollectiveCall& call, const PipelineItems& distances)
        : ChunkPipeline(0),
          m_exchange(call),
          m_grid(m_exchange.grid),
          m_server(m_grid.GetServer(call.index)),
          m_distances(distances),
          m_distance(distances.first)
    {
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        // What goes along a rail must first be at the member of that rail.
        if (!m_isHandedOver)
        {
            HandOver(step);
            m_isHandedOver = true;
            return true;
        }
        if (m_distance >= m_grid.CountServers())
        {
            return false;
        }
        Cross(step);
        m_distance += m_distances.stride;
        return true;
    }

  private:
    /**
     * Hand the other members of the server what goes along their rails.
     *
     * @param step where to add the transfers
     */
    void HandOver(CollectiveStep& step) const
    {
        const uint32_t index = m_exchange.call.index;
        const uint32_t members = m_grid.CountMembers(m_server);
        const uint32_t rail = m_grid.GetRail(index);
        // By distance: in each turn every member sends to one and receives from one.
        for (uint32_t turn = 1; turn < members; ++turn)
        {
            const uint32_t to = m_grid.GetMember(m_server, rail + turn);
            const uint32_t from = m_grid.GetMember(m_server, rail + members - turn);
            // Sender and receiver list blocks in the same order, which distinguishes them in the
            // message.
            std::vector<BufferPart> sent;
            std::vector<BufferPart> received;
            // The first pipeline also carries the blocks that stay in the server.
            if (m_distances.first == 1)
            {
                sent.push_back(m_exchange.GetSent(to));
                received.push_back(m_exchange.GetReceived(from));
            }
            for (auto distance = m_distances.first; distance < m_grid.CountServers();
                 distance += m_distances.stride)
            {
                const uint32_t server = GetServerAfter(distance);
                for (const auto member : GetServed(to, server))
                {
                    sent.push_back(m_exchange.GetSent(member));
                }
                for (const auto member : GetServed(index, server))
                {
                    received.push_back(m_exchange.GetRelayed(from, member));
                }
            }
            AddTransfer(step, CollectiveTransfer::SEND, to, sent);
            AddTransfer(step, CollectiveTransfer::RECV_COPY, from, received);
        }
    }

    /**
     * Exchange messages along the rail, over the present distance.
     *
     * @param step where to add the transfers
     */
    void Cross(CollectiveStep& step) const
    {
        const uint32_t index = m_exchange.call.index;
        for (const auto to : GetServed(index, GetServerAfter(m_distance)))
        {
            // One message for each member that is served, with the blocks of all members of this
            // server.
            std::vector<BufferPart> sent;
            for (uint32_t rail = 0; rail < m_grid.CountMembers(m_server); ++rail)
            {
                const uint32_t from = m_grid.GetMember(m_server, rail);
                sent.push_back(from == index ? m_exchange.GetSent(to)
                                             : m_exchange.GetRelayed(from, to));
            }
            AddTransfer(step, CollectiveTransfer::SEND, to, sent);
        }
        const uint32_t before = GetServerAfter(m_grid.CountServers() - m_distance);
        std::vector<BufferPart> received;
        for (uint32_t rail = 0; rail < m_grid.CountMembers(before); ++rail)
        {
            received.push_back(m_exchange.GetReceived(m_grid.GetMember(before, rail)));
        }
        const uint32_t relay = m_grid.GetMember(before, m_grid.GetRail(index));
        AddTransfer(step, CollectiveTransfer::RECV_COPY, relay, received);
    }

    /**
     * @param distance a number of servers, at most all
     * @return the server so far after the member's
     */
    uint32_t GetServerAfter(uint64_t distance) const
    {
        return static_cast<uint32_t>((m_server + distance) % m_grid.CountServers());
    }

    /**
     * @param relay a member of the member's server
     * @param server another server
     * @return the members there to which the relay brings what its server sends
     */
    std::vector<uint32_t> GetServed(uint32_t relay, uint32_t server) const
    {
        std::vector<uint32_t> served;
        const uint32_t members = m_grid.CountMembers(m_server);
        // A larger server has more rails than relays: a relay takes every members-th of them.
        for (auto rail = m_grid.GetRail(relay); rail < m_grid.CountMembers(server); rail += members)
        {
            served.push_back(m_grid.GetMember(server, rail));
        }
        return served;
    }

    RailExchange m_exchange;    //!< the blocks
    RailGrid m_grid;            //!< the members
    uint32_t m_server;          //!< the member's server
    PipelineItems m_distances;  //!< its distances
    uint64_t m_distance;        //!< the present one
    bool m_isHandedOver{false}; //!< whether the first step has been made
};

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
    : CollectiveAlgorithm("hierarchical",
                          {CollectiveKind::ALL_REDUCE,
                           CollectiveKind::ALL_GATHER,
                           CollectiveKind::REDUCE_SCATTER,
                           CollectiveKind::ALL_TO_ALL}),
      m_byDimension(CreateObject<BucketCollective>())
{
    NS_LOG_FUNCTION(this);
}

std::string
HierarchicalCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    return RailExchange::FindUnsupportedReason(call);
}

bool
HierarchicalCollective::GoesByDimension(const CollectiveCall& call)
{
    return call.placement && call.placement->GetGrid() && call.placement->GetLargestServer() == 1;
}

ChunkPipelines
HierarchicalCollective::DoPlan(const CollectiveCall& call) const
{
    if (GoesByDimension(call))
    {
        return m_byDimension->Plan(call);
    }
    const RailGrid grid(call);
    const uint32_t servers = grid.CountServers();
    ChunkPipelines pipelines;
    if (call.kind == CollectiveKind::ALL_TO_ALL)
    {
        // In a single server there is nobody at any distance, but there is an exchange inside.
        const uint32_t end = std::max(2U, servers);
        for (const auto& distances : PipelineItems::Distribute(1, end, m_concurrency))
        {
            pipelines.push_back(std::make_unique<HierarchicalExchangePipeline>(call, distances));
        }
        return pipelines;
    }
    // All members must cut alike, so the longest part of all decides. No part is longer than this.
    const BufferPart buffer{0, call.bytes};
    const auto longest = call.kind == CollectiveKind::ALL_REDUCE
                             ? buffer.Cut(grid.CountRails(), 0).Cut(servers, 0)
                             : buffer.Cut(call.size, 0);
    const uint64_t nPieces = PipelineItems::CountPieces(longest.bytes, m_chunkBytes);
    for (uint32_t rail = 0; rail < grid.CountRails(); ++rail)
    {
        for (const auto& pieces : PipelineItems::Distribute(0, nPieces, m_pipelineDepth))
        {
            pipelines.push_back(std::make_unique<HierarchicalPipeline>(call, rail, pieces));
        }
    }
    return pipelines;
}

uint32_t
HierarchicalCollective::GetChannels(const CollectiveCall& call) const
{
    if (GoesByDimension(call))
    {
        return m_byDimension->GetChannels(call);
    }
    return call.kind == CollectiveKind::ALL_TO_ALL ? 1 : RailGrid(call).CountRails();
}

} // namespace ns3
