/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-arrows.h"

namespace ns3
{

TraceArrows::TraceArrows(const Workload& workload)
    : m_workload(workload)
{
}

TraceArrows::Key
TraceArrows::FindKey(const OpRecord& record) const
{
    const auto& op = record.program->GetOps()[record.op];
    const auto communicator = m_workload.GetCommunicatorSlots(record.rank).at(op.communicator);
    const auto peer = m_workload.GetCommunicators().at(communicator).ranks.at(op.peer);
    const bool isSend = op.kind == OpKind::SEND;
    return {isSend ? record.rank : peer, isSend ? peer : record.rank, communicator, op.tag};
}

std::optional<uint32_t>
TraceArrows::FindPeer(const OpRecord& record) const
{
    const auto kind = record.program->GetOps()[record.op].kind;
    if ((kind != OpKind::SEND && kind != OpKind::RECV) || record.program->HasLanes())
    {
        return std::nullopt;
    }
    const auto key = FindKey(record);
    return kind == OpKind::SEND ? std::get<1>(key) : std::get<0>(key);
}

std::optional<TraceArrows::Arrow>
TraceArrows::Add(const OpRecord& record, const End& end)
{
    const bool isSend = record.program->GetOps()[record.op].kind == OpKind::SEND;
    const auto key = FindKey(record);
    auto& queue = m_queues[key];
    if (queue.ends.empty() || queue.areSends == isSend)
    {
        queue.areSends = isSend;
        queue.ends.push_back(end);
        return std::nullopt;
    }
    const auto other = queue.ends.front();
    queue.ends.pop_front();
    if (queue.ends.empty())
    {
        m_queues.erase(key);
    }
    if (end.thread == 0 || other.thread == 0)
    {
        return std::nullopt;
    }
    return isSend ? Arrow{end, other} : Arrow{other, end};
}

} // namespace ns3
