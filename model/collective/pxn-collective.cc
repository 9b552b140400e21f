/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pxn-collective.h"

#include "peer-channels.h"
#include "rail-grid.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PxnCollective");

NS_STRATEGY_ENSURE_REGISTERED(PxnCollective, "pxn", "along the rails", 7);

namespace
{

/**
 * Carries pieces of the blocks of several distances, one after another: first one piece of all
 * distances, then the next. A piece takes two steps: it leaves its sender, and what came to be
 * passed on is passed on.
 */
class PxnPipeline : public SteppedPipeline
{
  public:
    /**
     * @param call an all-to-all without splits, of two members or more
     * @param items its pieces: as many distances as there are other members, and again
     * @param pieces pieces of each block
     */
    PxnPipeline(const CollectiveCall& call, const PipelineItems& items, uint64_t pieces)
        : SteppedPipeline(items, 2),
          m_exchange(call),
          m_pieces(pieces)
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t item, uint64_t turn) override
    {
        // Distances change fastest: all members move a piece of every block before the next piece,
        // so that no receiver waits for the whole of one block.
        const uint64_t others = m_exchange.call.size - 1;
        const auto distance = 1 + item % others;
        m_piece = item / others;
        if (turn == 0)
        {
            // Both steps ask for it, and relays take long to find.
            FindServed(distance);
            Leave(step, distance);
        }
        else
        {
            PassOn(step, distance);
        }
    }

    /**
     * Send the own block, and receive what comes straight from its sender.
     *
     * @param step where to add the transfers
     * @param distance from sender to receiver, members
     */
    void Leave(CollectiveStep& step, uint64_t distance) const
    {
        const auto& call = m_exchange.call;
        const uint32_t to = call.GetMemberAfter(distance);
        // NCCL's PXN: the GPU on the rail of the receiver sends, so that the message stays within
        // one rail and does not cross the spine.
        const uint32_t relay = m_exchange.grid.FindRelay(call.index, to);
        AddTransfer(step,
                    CollectiveTransfer::SEND,
                    relay == call.index ? to : relay,
                    CutBlock(m_exchange.GetSent(to)));
        // A block that goes by a relay comes in PassOn().
        const uint32_t from = call.GetMemberAfter(call.size - distance);
        if (m_exchange.grid.FindRelay(from, call.index) == from)
        {
            AddTransfer(step,
                        CollectiveTransfer::RECV_COPY,
                        from,
                        CutBlock(m_exchange.GetReceived(from)));
        }
        // What is to be relayed arrives in scratch memory in this step, and leaves from there in
        // the next.
        for (const auto& [other, receiver] : m_served)
        {
            const auto block = CutBlock(m_exchange.GetRelayed(other, receiver));
            AddTransfer(step, CollectiveTransfer::RECV_COPY, other, block);
        }
    }

    /**
     * Pass on what others have sent for that, and receive what others pass on.
     *
     * @param step where to add the transfers
     * @param distance from sender to receiver, members
     */
    void PassOn(CollectiveStep& step, uint64_t distance) const
    {
        for (const auto& [other, receiver] : m_served)
        {
            const auto block = CutBlock(m_exchange.GetRelayed(other, receiver));
            AddTransfer(step, CollectiveTransfer::SEND, receiver, block);
        }
        const auto& call = m_exchange.call;
        const uint32_t from = call.GetMemberAfter(call.size - distance);
        const uint32_t relay = m_exchange.grid.FindRelay(from, call.index);
        if (relay != from)
        {
            AddTransfer(step,
                        CollectiveTransfer::RECV_COPY,
                        relay,
                        CutBlock(m_exchange.GetReceived(from)));
        }
    }

    /**
     * Find the blocks that the member passes on.
     *
     * @param distance from sender to receiver, members
     */
    void FindServed(uint64_t distance)
    {
        const auto& grid = m_exchange.grid;
        const uint32_t index = m_exchange.call.index;
        const uint32_t server = grid.GetServer(index);
        m_served.clear();
        // Each member of the server sends one block over this distance, so these are all blocks
        // that may go by this member.
        for (uint32_t rail = 0; rail < grid.CountMembers(server); ++rail)
        {
            auto sender = m_exchange.call;
            sender.index = grid.GetMember(server, rail);
            const uint32_t receiver = sender.GetMemberAfter(distance);
            if (sender.index != index && grid.FindRelay(sender.index, receiver) == index)
            {
                m_served.emplace_back(sender.index, receiver);
            }
        }
    }

    /**
     * @param block a block
     * @return the present piece of it
     */
    BufferPart CutBlock(const BufferPart& block) const
    {
        return block.Cut(m_pieces, m_piece);
    }

    RailExchange m_exchange; //!< the blocks
    uint64_t m_pieces;       //!< pieces of each
    uint64_t m_piece{0};     //!< the present one
    /// Sender and receiver of each block that the member passes on of the present distance.
    std::vector<std::pair<uint32_t, uint32_t>> m_served;
};

} // namespace

TypeId
PxnCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PxnCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<PxnCollective>()
            .AddAttribute("Concurrency",
                          "Members a member exchanges blocks with at the same time, straight or by "
                          "way of another member.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&PxnCollective::m_concurrency),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ChunkBytes",
                          "Largest message, bytes: blocks are cut into pieces of at most that. The "
                          "default is what the buffers of a channel between servers hold: 8 steps "
                          "of 128 KiB (NCCL, NCCL_STEPS and NCCL_P2P_NET_CHUNKSIZE). 0 = a block "
                          "is one message.",
                          UintegerValue(8 * 128 * 1024),
                          MakeUintegerAccessor(&PxnCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

PxnCollective::PxnCollective()
    : CollectiveAlgorithm("pxn", {CollectiveKind::ALL_TO_ALL})
{
    NS_LOG_FUNCTION(this);
}

std::string
PxnCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    return RailExchange::FindUnsupportedReason(call);
}

std::optional<uint32_t>
PxnCollective::CountMultiprocessors(const CollectiveCall& call) const
{
    return PeerChannels::FindChannels(call);
}

double
PxnCollective::GetUsedShare(const CollectiveCall& call) const
{
    return PeerChannels::GetUsedShare(call);
}

ChunkPipelines
PxnCollective::DoPlan(const CollectiveCall& call) const
{
    // All members must cut alike, so the largest block decides: the first one.
    const auto block = BufferPart{0, call.bytes}.Cut(call.size, 0).bytes;
    const auto pieces = PipelineItems::CountPieces(block, m_chunkBytes);
    ChunkPipelines pipelines;
    for (const auto& items :
         PipelineItems::Distribute(0, pieces * (call.size - uint64_t{1}), m_concurrency))
    {
        pipelines.push_back(std::make_unique<PxnPipeline>(call, items, pieces));
    }
    return pipelines;
}

} // namespace ns3
