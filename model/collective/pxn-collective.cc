/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pxn-collective.h"

#include "equal-exchange.h"
#include "rail-grid.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PxnCollective");

NS_OBJECT_ENSURE_REGISTERED(PxnCollective);

namespace
{

/**
 * Carries the blocks of every stride-th distance, one distance after another. A distance takes up
 * to two steps: blocks leave their senders, and what came to be passed on is passed on.
 */
class PxnLane : public CollectiveLane
{
  public:
    /**
     * @param call an all-to-all without splits, of two members or more
     * @param first the first distance of this lane, at least 1
     * @param stride from one distance of this lane to the next
     */
    PxnLane(const CollectiveCall& call, uint32_t first, uint32_t stride)
        : m_exchange(call),
          m_index(call.index),
          m_size(call.size),
          m_distance(first),
          m_stride(stride)
    {
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        if (m_distance >= m_size)
        {
            return false;
        }
        if (m_isPassingOn)
        {
            PassOn(step);
            m_distance += m_stride;
        }
        else
        {
            Leave(step);
        }
        m_isPassingOn = !m_isPassingOn;
        return true;
    }

    uint32_t GetChannel() const override
    {
        return 0;
    }

  private:
    /**
     * Send the own block, and receive what comes straight from its sender.
     *
     * @param step where to add the transfers
     */
    void Leave(CollectiveStep& step) const
    {
        const auto& grid = m_exchange.GetGrid();
        const uint32_t to = Turn(m_index, m_distance);
        const uint32_t relay = grid.FindRelay(m_index, to);
        Add(step, CollectiveTransfer::SEND, relay == m_index ? to : relay, m_exchange.GetSent(to));
        const uint32_t from = Turn(m_index, m_size - m_distance);
        if (grid.FindRelay(from, m_index) == from)
        {
            Add(step, CollectiveTransfer::RECV_COPY, from, m_exchange.GetReceived(from));
        }
        for (const auto other : GetServed())
        {
            const auto block = m_exchange.GetRelayed(other, Turn(other, m_distance));
            Add(step, CollectiveTransfer::RECV_COPY, other, block);
        }
    }

    /**
     * Pass on what others have sent for that, and receive what others pass on.
     *
     * @param step where to add the transfers
     */
    void PassOn(CollectiveStep& step) const
    {
        for (const auto other : GetServed())
        {
            const uint32_t to = Turn(other, m_distance);
            Add(step, CollectiveTransfer::SEND, to, m_exchange.GetRelayed(other, to));
        }
        const uint32_t from = Turn(m_index, m_size - m_distance);
        const uint32_t relay = m_exchange.GetGrid().FindRelay(from, m_index);
        if (relay != from)
        {
            Add(step, CollectiveTransfer::RECV_COPY, relay, m_exchange.GetReceived(from));
        }
    }

    /**
     * @return the other members whose blocks of the distance the member passes on
     */
    std::vector<uint32_t> GetServed() const
    {
        const auto& grid = m_exchange.GetGrid();
        const uint32_t server = grid.GetServer(m_index);
        std::vector<uint32_t> served;
        for (uint32_t rail = 0; rail < grid.CountMembers(server); ++rail)
        {
            const uint32_t other = grid.GetMember(server, rail);
            if (other != m_index && grid.FindRelay(other, Turn(other, m_distance)) == m_index)
            {
                served.push_back(other);
            }
        }
        return served;
    }

    /**
     * @param member a member
     * @param distance a number of members, at most all
     * @return the member so far after it
     */
    uint32_t Turn(uint32_t member, uint32_t distance) const
    {
        return static_cast<uint32_t>((uint64_t{member} + distance) % m_size);
    }

    /**
     * @param step where to add a transfer, unless it is empty
     * @param action what to do
     * @param peer with whom
     * @param block the block
     */
    static void Add(CollectiveStep& step,
                    CollectiveTransfer::Action action,
                    uint32_t peer,
                    const BufferPart& block)
    {
        if (block.bytes > 0)
        {
            step.push_back({action, peer, block.offset, block.bytes});
        }
    }

    EqualExchange m_exchange;  //!< the blocks
    uint32_t m_index;          //!< index of the member
    uint32_t m_size;           //!< number of members
    uint32_t m_distance;       //!< distance under way
    uint32_t m_stride;         //!< from one distance to the next
    bool m_isPassingOn{false}; //!< whether the next step passes on
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
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

PxnCollective::PxnCollective()
{
    NS_LOG_FUNCTION(this);
}

PxnCollective::~PxnCollective()
{
    NS_LOG_FUNCTION(this);
}

std::string
PxnCollective::GetName() const
{
    return "pxn";
}

bool
PxnCollective::Supports(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_TO_ALL;
}

std::string
PxnCollective::FindObstacle(const CollectiveCall& call) const
{
    return EqualExchange::FindObstacle(call);
}

std::vector<std::unique_ptr<CollectiveLane>>
PxnCollective::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << call.bytes << call.index << call.size);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    if (call.size == 1 || call.bytes == 0)
    {
        return lanes;
    }
    const uint32_t nLanes = std::min(call.size - 1, m_concurrency);
    for (uint32_t lane = 0; lane < nLanes; ++lane)
    {
        lanes.push_back(std::make_unique<PxnLane>(call, lane + 1, nLanes));
    }
    return lanes;
}

uint64_t
PxnCollective::GetReceivedBytes(const CollectiveCall& call) const
{
    return call.size == 1 ? 0 : EqualExchange(call).CountReceivedBytes();
}

uint32_t
PxnCollective::GetChannels(const CollectiveCall& call) const
{
    return 1;
}

} // namespace ns3
