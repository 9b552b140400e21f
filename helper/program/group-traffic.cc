/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "group-traffic.h"

#include "networked-job.h"

#include <utility>

namespace ns3
{

ProgramCalls::ProgramCalls(const WorkloadProgram& program)
{
    for (const auto& op : program.GetOps())
    {
        // What is received is what others send.
        if (op.kind == OpKind::COLLECTIVE)
        {
            ++calls[{op.communicator, op.collective, op.amount, op.peer, program.GetSplits(op)}];
        }
        else if (op.kind == OpKind::SEND)
        {
            ++sends[{op.communicator, op.peer, op.amount}];
        }
    }
}

CollectiveCall
ProgramCalls::MakeCall(const ReplayHelper& helper, uint32_t id, const CallKey& key)
{
    auto call = helper.MakeCall(id, std::get<1>(key), std::get<2>(key));
    call.root = std::get<3>(key);
    call.splits = std::get<4>(key);
    return call;
}

GroupTraffic::GroupTraffic(const NetworkOptions& options,
                           const TopologyGraph& graph,
                           std::shared_ptr<const Workload> workload)
    : m_workload(std::move(workload)),
      m_helper(m_workload),
      m_algorithms(CreateAlgorithms(options))
{
    SetUpCollectives(options, graph, m_helper);
}

const ProgramCalls&
GroupTraffic::Summarise(const WorkloadProgram& program)
{
    return m_calls.try_emplace(&program, program).first->second;
}

double
GroupTraffic::Count(uint32_t id, const std::vector<uint32_t>& places)
{
    const auto& communicator = m_workload->GetCommunicators()[id];
    std::map<uint32_t, uint32_t> numbers;
    Shape shape;
    std::get<0>(shape) = communicator.dimension;
    for (const auto rank : communicator.ranks)
    {
        const auto number = static_cast<uint32_t>(numbers.size());
        std::get<1>(shape).push_back(numbers.try_emplace(places[rank], number).first->second);
        std::get<2>(shape).push_back(&m_workload->GetProgram(rank));
    }
    const auto [counted, isNew] = m_counts.try_emplace(std::move(shape), 0);
    for (uint32_t index = 0; isNew && index < communicator.ranks.size(); ++index)
    {
        counted->second += CountMember(id, std::get<1>(counted->first), index);
    }
    return counted->second;
}

double
GroupTraffic::CountMember(uint32_t id, const std::vector<uint32_t>& places, uint32_t index)
{
    const auto& communicator = m_workload->GetCommunicators()[id];
    const auto rank = communicator.ranks[index];
    const auto& slots = m_workload->GetCommunicatorSlots(rank);
    const auto& summary = Summarise(m_workload->GetProgram(rank));
    double bytes = 0;
    for (const auto& [key, count] : summary.calls)
    {
        if (slots[std::get<0>(key)] == id)
        {
            auto call = ProgramCalls::MakeCall(m_helper, id, key);
            const auto plan = m_algorithms->Select(call, communicator.dimension);
            call = plan.Complete(call);
            call.index = index;
            bytes += count * CountCall(call, plan, places);
        }
    }
    for (const auto& [key, count] : summary.sends)
    {
        const auto [slot, peer, size] = key;
        if (slots[slot] == id && places[peer] != places[index])
        {
            bytes += count * static_cast<double>(size);
        }
    }
    return bytes;
}

double
GroupTraffic::CountCall(const CollectiveCall& call,
                        const CollectivePlan& plan,
                        const std::vector<uint32_t>& places)
{
    double bytes = 0;
    for (const auto& pipeline : plan.algorithm->Plan(call))
    {
        CollectiveStep step;
        while (pipeline->Next(step))
        {
            for (const auto& transfer : step)
            {
                // What goes to a switch that takes part has no peer elsewhere, but in a network.
                const bool isElsewhere =
                    transfer.UsesNetworkSwitch() ||
                    (!transfer.UsesSwitch() && places[transfer.peer] != places[call.index]);
                if (transfer.IsSend() && isElsewhere)
                {
                    bytes += static_cast<double>(plan.GetWireBytes(call, transfer));
                }
            }
            step.clear();
        }
    }
    return bytes;
}

} // namespace ns3
