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
 * @return the algorithm that carries it out
 */
const CollectiveAlgorithm&
FindAlgorithm(const WorkloadOp& op,
              const CollectiveCall& call,
              const RankMessenger& messenger,
              const CollectiveSelection& algorithms)
{
    return *algorithms.Select(call, messenger.GetCommunicator(op).dimension).algorithm;
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
                const auto& algorithm = FindAlgorithm(op, call, messenger, algorithms);
                count->second = algorithm.GetReceivedBytes(call);
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
            messages += counts.Get(FindAlgorithm(op, call, messenger, algorithms), call);
        }
    }
    return messages;
}

} // namespace ns3
