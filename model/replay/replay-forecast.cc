/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-forecast.h"

#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/**
 * @param op a collective
 * @param call the call
 * @param messenger speaks for the rank
 * @param algorithms how collectives are carried out
 * @return how it is carried out
 */
CollectivePlan
FindPlan(const WorkloadOp& op,
         const CollectiveCall& call,
         const RankMessenger& messenger,
         const CollectiveSelection& algorithms)
{
    return algorithms.Select(call, messenger.GetCommunicator(op).dimension);
}

} // namespace

uint64_t
CountExpectedBytes(const WorkloadProgram& program,
                   const RankMessenger& messenger,
                   const CollectiveSelection& algorithms)
{
    // Programs repeat their calls, and to count what one of them receives may mean to plan it.
    std::map<std::tuple<uint32_t, CollectiveKind, uint64_t, uint32_t>, uint64_t> counts;
    uint64_t bytes = 0;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::RECV)
        {
            bytes += op.amount;
        }
        else if (op.kind == OpKind::COLLECTIVE)
        {
            const auto call = messenger.MakeCall(op);
            const auto [count, isNew] =
                counts.try_emplace({op.communicator, call.kind, call.bytes, call.root}, 0);
            if (isNew || call.splits)
            {
                const auto plan = FindPlan(op, call, messenger, algorithms);
                count->second = plan.algorithm->GetReceivedBytes(plan.Complete(call));
            }
            bytes += count->second;
        }
    }
    return bytes;
}

uint64_t
CountExpectedMessages(const WorkloadProgram& program,
                      const RankMessenger& messenger,
                      const CollectiveSelection& algorithms,
                      CollectiveMessageCount& counts)
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
            const auto call = messenger.MakeCall(op);
            const auto plan = FindPlan(op, call, messenger, algorithms);
            messages += counts.Get(*plan.algorithm, plan.Complete(call));
        }
    }
    return messages;
}

} // namespace ns3
