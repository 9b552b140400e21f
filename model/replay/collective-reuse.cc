/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-reuse.h"

#include "collective-run.h"

#include "ns3/catch-up-simulator-impl.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveReuse");

NS_OBJECT_ENSURE_REGISTERED(CollectiveReuse);

namespace
{

/**
 * @param run a member's part of a collective
 * @return the call, in words, as all members have it; empty = a member may end before others begin,
 *         or members differ in what they call
 */
std::string
DescribeCall(const CollectiveRun& run)
{
    const auto& call = run.GetCollective().call;
    return CollectiveReuse::CanReuse(call)
               ? ToString(call.kind) + " " + std::to_string(call.bytes) + " " +
                     run.GetPlan().GetName()
               : "";
}

} // namespace

TypeId
CollectiveReuse::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveReuse")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<CollectiveReuse>()
            .AddTraceSource("Skipped",
                            "A collective is over that had no packets: messages that it would "
                            "have sent.",
                            MakeTraceSourceAccessor(&CollectiveReuse::m_skippedTrace),
                            "ns3::CollectiveReuse::SkippedTracedCallback");
    return tid;
}

bool
CollectiveReuse::CanReuse(const CollectiveCall& call)
{
    switch (call.kind)
    {
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
        // Where parts have no bytes, members whose parts they are wait for nobody.
        return !call.splits && call.bytes >= call.size;
    case CollectiveKind::ALL_REDUCE:
    case CollectiveKind::BARRIER:
        return true;
    default:
        return false;
    }
}

CollectiveReuse::CollectiveReuse()
{
    NS_LOG_FUNCTION(this);
}

CollectiveReuse::~CollectiveReuse()
{
    NS_LOG_FUNCTION(this);
}

void
CollectiveReuse::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_communicators.clear();
    m_outcomes.clear();
    m_isolation = nullptr;
    m_ranks.clear();
    m_switches.clear();
    Object::DoDispose();
}

void
CollectiveReuse::Setup(std::shared_ptr<const Workload> workload,
                       std::shared_ptr<const RankPlacement> placement,
                       Ptr<PortIsolation> isolation)
{
    NS_LOG_FUNCTION(this << isolation);
    m_workload = std::move(workload);
    m_placement = std::move(placement);
    m_isolation = isolation;
    m_communicators.resize(m_workload->GetCommunicators().size());
}

void
CollectiveReuse::SetTransports(const Transports& ranks, const Transports& switches)
{
    m_ranks = ranks;
    m_switches = switches;
}

bool
CollectiveReuse::Begin(uint32_t communicator, CollectiveRun& run)
{
    const auto& collective = run.GetCollective();
    const auto member = collective.call.index;
    const auto rank = m_workload->GetCommunicators()[communicator].ranks[member];
    const bool isFirst = NoteBegin(rank);
    return Find(communicator)
        .Begin({member, collective.sequence, isFirst ? DescribeCall(run) : "", &run, isFirst});
}

void
CollectiveReuse::End(uint32_t communicator,
                     std::unique_ptr<CollectiveRun> run,
                     const CommunicatorReuse::TakeBack& takeBack)
{
    const uint32_t member = run->GetCollective().call.index;
    Find(communicator).End(member, std::move(run), takeBack);
}

void
CollectiveReuse::Interrupt(uint32_t communicator)
{
    if (m_communicators.at(communicator))
    {
        m_communicators[communicator]->Interrupt();
    }
}

bool
CollectiveReuse::NoteBegin(uint32_t rank)
{
    const auto [begun, isNew] = m_begunAt.try_emplace(rank, Simulator::Now());
    return isNew || std::exchange(begun->second, Simulator::Now()) < Simulator::Now();
}

void
CollectiveReuse::StartBeside(uint32_t rank, uint32_t communicator)
{
    NoteBegin(rank);
    for (const auto id : m_workload->GetCommunicatorSlots(rank))
    {
        if (id != communicator && m_communicators[id])
        {
            m_communicators[id]->GoBefore(rank);
        }
    }
}

void
CollectiveReuse::Close(uint32_t communicator)
{
    Find(communicator).Close();
}

void
CollectiveReuse::CatchUp(Time since, const std::function<void()>& begin) const
{
    if (since == Simulator::Now())
    {
        begin();
        return;
    }
    CatchUpSimulatorImpl::Get()->CatchUp(since, begin);
}

void
CollectiveReuse::ScheduleLast(Ptr<EventImpl> event) const
{
    CatchUpSimulatorImpl::Get()->ScheduleLast(event);
}

bool
CollectiveReuse::IsObserved(const PortIsolation::Ranks& ranks)
{
    const auto isTraced = [](const auto& transport) { return transport->HasListeners(); };
    const bool isObserved = m_isolation->IsObserved(ranks) ||
                            std::any_of(ranks.begin(),
                                        ranks.end(),
                                        [&](auto rank) { return isTraced(m_ranks[rank]); }) ||
                            std::any_of(m_switches.begin(), m_switches.end(), isTraced);
    m_observed += isObserved ? 1 : 0;
    return isObserved;
}

void
CollectiveReuse::Count(Treatment treatment)
{
    ++m_counts[treatment];
}

PortIsolation&
CollectiveReuse::GetIsolation() const
{
    return *m_isolation;
}

std::shared_ptr<CollectiveOutcome>&
CollectiveReuse::GetOutcome(const std::string& key)
{
    return m_outcomes[key];
}

void
CollectiveReuse::Forget(const std::string& key)
{
    m_outcomes.erase(key);
}

void
CollectiveReuse::AddCounters(uint32_t communicator, Time since, const CollectiveOutcome& outcome)
{
    const auto& ranks = m_workload->GetCommunicators()[communicator].ranks;
    m_isolation->AddCounters(ranks, communicator, since, *outcome.counters);
    std::unordered_map<uint32_t, uint32_t> members;
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        members[outcome.ranks[i]] = ranks[i];
    }
    // Of a switch that takes part, the one that stands in its place.
    const auto find = [this, &members, &ranks, &outcome](uint32_t address) {
        const auto member = members.find(address);
        return member != members.end() ? member->second
                                       : address - m_placement->GetSwitch(outcome.ranks[0], 0) +
                                             m_placement->GetSwitch(ranks[0], 0);
    };
    for (auto messages : outcome.counters->messages)
    {
        messages.source = find(messages.source);
        messages.destination = find(messages.destination);
        m_skippedTrace(communicator, messages);
    }
}

CommunicatorReuse&
CollectiveReuse::Find(uint32_t id)
{
    auto& communicator = m_communicators.at(id);
    if (!communicator)
    {
        communicator = std::make_unique<CommunicatorReuse>(*this,
                                                           id,
                                                           m_workload->GetCommunicators()[id].ranks,
                                                           FindShape(id));
    }
    return *communicator;
}

std::string
CollectiveReuse::FindShape(uint32_t id)
{
    const auto& communicator = m_workload->GetCommunicators()[id];
    const auto& ranks = communicator.ranks;
    if (ranks.size() < 2 || !CatchUpSimulatorImpl::Get())
    {
        return "";
    }
    std::string shape = m_isolation->Describe(ranks);
    if (shape.empty())
    {
        return "";
    }
    shape += " " + ToString(communicator.dimension) + " " + std::to_string(ranks.size());
    for (const auto rank : ranks)
    {
        // The channels of a communicator follow from which GPUs of a described server are its
        // members.
        const bool isSeen = m_placement && m_placement->Get(id).GetChannels();
        shape += isSeen ? " " + std::to_string(m_placement->GetDevice(rank)) : "";
    }
    // Shapes are long and keys are many: a number stands for the shape.
    return std::to_string(m_shapes.try_emplace(shape, m_shapes.size()).first->second) + " ";
}

} // namespace ns3
