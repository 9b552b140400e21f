/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "in-switch-reducer.h"

#include "message-context.h"
#include "message-envelope.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InSwitchReducer");

NS_OBJECT_ENSURE_REGISTERED(InSwitchReducer);

TypeId
InSwitchReducer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InSwitchReducer")
            .SetParent<SwitchReducer>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<InSwitchReducer>()
            .AddAttribute(
                "ReductionRate",
                "Rate at which the switch adds what comes in by one port, bit/s of "
                "payload. 0 = as fast as it comes in. To use a share u of the ports' rate "
                "B in an all-reduce of N members, set it to u B / (1 + 1/N): nccl-tests "
                "measured 8.877 ms for 1 GiB on 8 H800, which is u = 0.85 of the 160 "
                "GB/s that a ring of 2 reaches with as much (6.694 ms).",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&InSwitchReducer::m_reductionRate),
                MakeDataRateChecker());
    return tid;
}

InSwitchReducer::InSwitchReducer()
{
    NS_LOG_FUNCTION(this);
}

InSwitchReducer::~InSwitchReducer()
{
    NS_LOG_FUNCTION(this);
}

std::vector<uint32_t>
InSwitchReducer::GetAwaited(uint64_t context) const
{
    std::vector<uint32_t> ranks;
    const auto found = m_pending.find(context);
    if (found == m_pending.end())
    {
        return ranks;
    }
    const auto group = FindGroup(context, found->second.signature.rank);
    for (const auto& [tag, sums] : found->second.sums)
    {
        for (std::size_t rail = 0; rail < sums.contributions.size(); ++rail)
        {
            if (sums.contributions[rail] == 0)
            {
                ranks.push_back(group.all[group.members[rail]]);
            }
        }
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

std::size_t
InSwitchReducer::CountPendingReductions() const
{
    return m_pending.size();
}

InSwitchReducer::Group
InSwitchReducer::FindGroup(uint64_t context, uint32_t rank) const
{
    const auto id = MessageContext::Unpack(context).communicator;
    const auto& communicator = GetWorkload().GetCommunicators().at(id);
    const auto& placement = GetPlacement().Get(id);
    const auto& place = placement.GetPlace(communicator.IndexOf(rank));
    return {communicator.ranks, placement.GetServers()[place.server], place.rail};
}

void
InSwitchReducer::DoReceive(const Message& message)
{
    if (Contradicts(message))
    {
        return;
    }
    if (SwitchTag::Of(message).rail == SwitchTag::ALL)
    {
        // All members get it, its sender included.
        const auto group = FindGroup(MessageEnvelope::Of(message).context, message.source);
        for (uint32_t rail = 0; rail < group.members.size(); ++rail)
        {
            SendOn(message, group, rail, group.rail);
        }
        return;
    }
    const Time wait = QueueContribution(message);
    if (wait.IsZero())
    {
        Add(message);
    }
    else
    {
        Simulator::Schedule(wait, &InSwitchReducer::Add, this, message);
    }
}

Time
InSwitchReducer::QueueContribution(const Message& message)
{
    if (m_reductionRate.GetBitRate() == 0)
    {
        return Time();
    }
    auto& freeAt = m_freeAt[message.source];
    const auto seconds =
        8 * static_cast<double>(message.bytes) / static_cast<double>(m_reductionRate.GetBitRate());
    freeAt = Max(freeAt, Simulator::Now()) + Seconds(seconds);
    return freeAt - Simulator::Now();
}

bool
InSwitchReducer::Contradicts(const Message& message)
{
    const auto envelope = MessageEnvelope::Of(message);
    const auto found = m_pending.find(envelope.context);
    return found != m_pending.end() &&
           !Agree(envelope.context, {message.source, envelope}, found->second.signature);
}

void
InSwitchReducer::Add(Message message)
{
    // A contribution that was delayed may have met no other before.
    if (HasFailed() || Contradicts(message))
    {
        return;
    }
    auto envelope = MessageEnvelope::Of(message);
    const auto [found, isNew] = m_pending.try_emplace(envelope.context);
    auto& reduction = found->second;
    if (isNew)
    {
        reduction.signature = {message.source, envelope};
    }
    const auto group = FindGroup(envelope.context, message.source);
    const auto target = SwitchTag::Unpack(envelope.tag).rail;
    auto& sums = reduction.sums[envelope.tag];
    // The sum bears the line of the member that it is for.
    if (group.rail == target)
    {
        sums.origin = envelope.origin;
    }
    if (!sums.Add(group, message.bytes))
    {
        NS_LOG_LOGIC("switch " << GetAddress() << " waits for "
                               << group.members.size() - sums.contributors << " members");
        return;
    }
    envelope.origin = sums.origin;
    envelope.AttachTo(message);
    // Members may have contributed to sums behind this one.
    if (sums.lengths.empty())
    {
        reduction.sums.erase(envelope.tag);
    }
    if (reduction.sums.empty())
    {
        m_pending.erase(found);
    }
    SendOn(message, group, target, target);
}

bool
InSwitchReducer::Sums::Add(const Group& group, uint64_t bytes)
{
    contributions.resize(group.members.size(), 0);
    auto& own = contributions[group.rail];
    if (own == lengths.size())
    {
        lengths.push_back(bytes);
    }
    NS_ASSERT_MSG(lengths[own] == bytes, "contributions of different lengths");
    if (own++ > 0 || ++contributors < contributions.size())
    {
        return false;
    }
    // The first sum is complete; those who have contributed to the next one count for that now.
    lengths.pop_front();
    contributors = 0;
    for (auto& count : contributions)
    {
        contributors += --count > 0 ? 1 : 0;
    }
    return true;
}

void
InSwitchReducer::SendOn(Message message, const Group& group, uint32_t rail, uint32_t contributor)
{
    message.source = GetAddress();
    message.destination = group.all[group.members[rail]];
    auto envelope = MessageEnvelope::Of(message);
    const auto tag = SwitchTag::Of(message);
    envelope.tag = SwitchTag{tag.pipeline, contributor, tag.isSum}.Pack();
    envelope.AttachTo(message);
    Send(message);
}

} // namespace ns3
