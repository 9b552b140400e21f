/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-messages.h"

#include <algorithm>
#include <utility>

namespace ns3
{

MscclMessages::MscclMessages(const MscclPlan& plan)
    : m_plan(plan)
{
}

void
MscclMessages::Send(uint32_t gpu, uint32_t tag, const MscclStep& step, const Sent& message)
{
    const bool isMulticast = step.sentBy == MscclStep::ALL;
    const auto receivers =
        isMulticast ? m_plan.groups[step.group] : std::vector<uint32_t>{step.receiver};
    for (const auto receiver : receivers)
    {
        m_messages[{gpu, receiver, tag, step.sentBy}].push_back(message);
    }
}

std::vector<MscclMessages::Sent>
MscclMessages::Take(uint32_t gpu, uint32_t tag, const MscclStep& step)
{
    const bool isSum = step.receivedBy == MscclStep::SUM;
    const auto senders = isSum ? m_plan.groups[step.group] : std::vector<uint32_t>{step.sender};
    std::vector<std::deque<Sent>*> queues;
    for (const auto sender : senders)
    {
        queues.push_back(&m_messages[{sender, gpu, tag, step.receivedBy}]);
    }
    std::vector<Sent> taken;
    const auto isEmpty = [](const auto* queue) { return queue->empty(); };
    if (std::none_of(queues.begin(), queues.end(), isEmpty))
    {
        for (auto* queue : queues)
        {
            taken.push_back(std::move(queue->front()));
            queue->pop_front();
        }
    }
    return taken;
}

std::optional<MscclMessages::Left>
MscclMessages::FindLeft() const
{
    for (const auto& [connection, messages] : m_messages)
    {
        if (!messages.empty())
        {
            return Left{messages.front().where, std::get<1>(connection)};
        }
    }
    return std::nullopt;
}

} // namespace ns3
