/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-plans.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectivePlans");

namespace
{

/// Plans at most that a rank keeps, some 200 bytes each: recorded programs may have thousands of
/// sizes that none of them repeats.
constexpr std::size_t MOST_PLANS = 256;

} // namespace

CollectivePlans::CollectivePlans(const RankMessenger& messenger)
    : m_messenger(messenger)
{
    NS_LOG_FUNCTION(this);
}

void
CollectivePlans::SetSelection(Ptr<const CollectiveSelection> algorithms)
{
    NS_LOG_FUNCTION(this << algorithms);
    m_algorithms = algorithms;
    m_plans.clear();
}

CollectivePlans::Key
CollectivePlans::MakeKey(const WorkloadOp& op, const CollectiveCall& call)
{
    return {op.communicator, call.kind, call.bytes, call.root};
}

CollectivePlan
CollectivePlans::Find(const WorkloadOp& op, const CollectiveCall& call) const
{
    const auto select = [this, &op, &call] {
        return m_algorithms->Select(call, m_messenger.GetCommunicator(op).dimension);
    };
    // Splits differ from call to call, and would have to be compared number by number.
    if (call.splits)
    {
        return select();
    }
    const auto key = MakeKey(op, call);
    const auto known = m_plans.find(key);
    if (known != m_plans.end())
    {
        return known->second;
    }
    const auto plan = select();
    if (m_plans.size() < MOST_PLANS)
    {
        m_plans.emplace(key, plan);
    }
    return plan;
}

uint64_t
CollectivePlans::CountExpectedBytes(const WorkloadProgram& program) const
{
    // To count what a call receives may mean to walk through its steps: once for each of its kind.
    std::map<Key, uint64_t> counts;
    uint64_t bytes = 0;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::RECV)
        {
            bytes += op.amount;
        }
        else if (op.kind == OpKind::COLLECTIVE)
        {
            const auto call = m_messenger.MakeCall(op);
            const auto [count, isNew] = counts.try_emplace(MakeKey(op, call), 0);
            if (isNew || call.splits)
            {
                const auto plan = Find(op, call);
                count->second = plan.algorithm->GetReceivedBytes(plan.Complete(call));
            }
            bytes += count->second;
        }
    }
    return bytes;
}

uint64_t
CollectivePlans::CountExpectedMessages(const WorkloadProgram& program,
                                       CollectiveMessageCount& counts) const
{
    uint64_t messages = 0;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::RECV)
        {
            ++messages;
        }
        else if (op.kind == OpKind::COLLECTIVE)
        {
            const auto call = m_messenger.MakeCall(op);
            const auto plan = Find(op, call);
            messages += counts.Get(*plan.algorithm, plan.Complete(call));
        }
    }
    return messages;
}

} // namespace ns3
