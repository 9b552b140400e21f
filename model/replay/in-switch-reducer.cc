/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "in-switch-reducer.h"

#include "collective-claim.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InSwitchReducer");

NS_OBJECT_ENSURE_REGISTERED(InSwitchReducer);

TypeId
InSwitchReducer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InSwitchReducer")
            .SetParent<Application>()
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

void
InSwitchReducer::Setup(std::shared_ptr<const Workload> workload,
                       std::shared_ptr<const RankPlacement> placement,
                       uint32_t address,
                       Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << address << transport);
    m_workload = std::move(workload);
    m_placement = std::move(placement);
    m_address = address;
    m_transport = transport;
    m_transport->SetCallbacks(MakeCallback(&InSwitchReducer::MessageArrived, this),
                              MakeCallback(&InSwitchReducer::MessageSent, this));
}

void
InSwitchReducer::SetFaultCallback(FaultCallback callback)
{
    m_fault = callback;
}

void
InSwitchReducer::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_failed = true;
    m_transport = nullptr;
    m_placement = nullptr;
    m_fault = FaultCallback();
    Application::DoDispose();
}

std::vector<uint32_t>
InSwitchReducer::GetAwaited(uint64_t context) const
{
    std::vector<uint32_t> ranks;
    const auto found = m_conversations.find(context);
    if (found == m_conversations.end())
    {
        return ranks;
    }
    const auto group = FindGroup(context, found->second.claim.rank);
    for (const auto& [tag, sums] : found->second.sums)
    {
        for (std::size_t rail = 0; rail < sums.given.size(); ++rail)
        {
            if (sums.given[rail] == 0)
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
InSwitchReducer::GetOpenConversations() const
{
    return m_conversations.size();
}

InSwitchReducer::Group
InSwitchReducer::FindGroup(uint64_t context, uint32_t rank) const
{
    const auto id = static_cast<uint32_t>(context >> 32);
    const auto& communicator = m_workload->GetCommunicators().at(id);
    const auto& placement = m_placement->Get(id);
    const auto& place = placement.GetPlace(communicator.IndexOf(rank));
    return {communicator.ranks, placement.GetServers()[place.server], place.rail};
}

void
InSwitchReducer::MessageArrived(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.bytes);
    if (m_failed || Contradicts(message))
    {
        return;
    }
    if (SwitchTag::Unpack(message.envelope.tag).rail == SwitchTag::ALL)
    {
        const auto group = FindGroup(message.envelope.context, message.source);
        for (uint32_t rail = 0; rail < group.members.size(); ++rail)
        {
            SendOn(message, group, rail, group.rail);
        }
        return;
    }
    const Time wait = TakeIn(message);
    if (wait.IsZero())
    {
        Add(message);
    }
    else
    {
        Simulator::Schedule(wait, &InSwitchReducer::Add, this, message);
    }
}

void
InSwitchReducer::MessageSent(uint64_t cookie [[maybe_unused]])
{
    // Nothing waits for it.
}

Time
InSwitchReducer::TakeIn(const Message& message)
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
    const auto& envelope = message.envelope;
    const auto found = m_conversations.find(envelope.context);
    if (found == m_conversations.end())
    {
        return false;
    }
    const MessageMatcher::Claim claim{message.source,
                                      envelope.kind,
                                      envelope.total,
                                      envelope.origin};
    const auto& first = found->second.claim;
    if (first.kind == claim.kind && first.total == claim.total)
    {
        return false;
    }
    m_failed = true;
    const auto text = DescribeContradiction(*m_workload, envelope.context, claim, first);
    NS_ABORT_MSG_IF(m_fault.IsNull(), text);
    m_fault({message.source, text});
    return true;
}

void
InSwitchReducer::Add(Message message)
{
    // A contribution that was delayed may have met nobody before.
    if (m_failed || Contradicts(message))
    {
        return;
    }
    const auto& envelope = message.envelope;
    const auto [found, isNew] = m_conversations.try_emplace(envelope.context);
    auto& conversation = found->second;
    if (isNew)
    {
        conversation.claim = {message.source, envelope.kind, envelope.total, envelope.origin};
    }
    auto& sums = conversation.sums[envelope.tag];
    const auto group = FindGroup(envelope.context, message.source);
    const auto target = SwitchTag::Unpack(envelope.tag).rail;
    sums.given.resize(group.members.size(), 0);
    auto& given = sums.given[group.rail];
    if (given == sums.lengths.size())
    {
        sums.lengths.push_back(message.bytes);
    }
    NS_ASSERT_MSG(sums.lengths[given] == message.bytes, "contributions of different lengths");
    sums.origin = group.rail == target ? envelope.origin : sums.origin;
    if (given++ > 0 || ++sums.complete < sums.given.size())
    {
        return;
    }
    message.envelope.origin = sums.origin;
    sums.lengths.pop_front();
    sums.complete = 0;
    for (auto& other : sums.given)
    {
        sums.complete += --other > 0 ? 1 : 0;
    }
    if (sums.lengths.empty())
    {
        conversation.sums.erase(envelope.tag);
    }
    if (conversation.sums.empty())
    {
        m_conversations.erase(found);
    }
    SendOn(message, group, target, target);
}

void
InSwitchReducer::SendOn(Message message, const Group& group, uint32_t rail, uint32_t author)
{
    message.source = m_address;
    message.destination = group.all[group.members[rail]];
    message.envelope.tag = SwitchTag{SwitchTag::Unpack(message.envelope.tag).lane, author}.Pack();
    m_transport->Send(message);
}

} // namespace ns3
