/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-egress-queues.h"

#include "ns3/workload-error.h"

#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// Largest weight of a priority; its bytes per round fit 32 bits.
constexpr uint32_t MAX_WEIGHT = 65535;

} // namespace

void
RdmaVirtualQueues::Push(RdmaPacketPtr packet, uint32_t quantum)
{
    const uint32_t ingress = packet->ingress;
    if (ingress >= m_queues.size())
    {
        m_queues.resize(ingress + 1);
    }
    Queue& queue = m_queues[ingress];
    if (queue.packets.IsEmpty())
    {
        queue.deficit = quantum;
        m_turns.push_back(ingress);
    }
    m_bytes += packet->size;
    queue.packets.Push(std::move(packet));
}

RdmaPacketPtr
RdmaVirtualQueues::Pop(uint32_t quantum)
{
    if (m_turns.empty())
    {
        return nullptr;
    }
    while (m_queues[m_turns.front()].deficit < m_queues[m_turns.front()].packets.Front().size)
    {
        m_queues[m_turns.front()].deficit += quantum;
        m_turns.push_back(m_turns.front());
        m_turns.pop_front();
    }
    Queue& queue = m_queues[m_turns.front()];
    RdmaPacketPtr packet = queue.packets.Pop();
    queue.deficit -= packet->size;
    m_bytes -= packet->size;
    if (queue.packets.IsEmpty())
    {
        m_turns.pop_front();
    }
    return packet;
}

RdmaEgressQueues::Weights
RdmaEgressQueues::ParseWeights(const std::string& text)
{
    Weights weights{};
    std::istringstream stream(text);
    bool isGood = true;
    for (uint32_t priority = 0; isGood && priority < PRIORITIES; ++priority)
    {
        char comma = ',';
        isGood = (priority == 0 || stream >> comma) && comma == ',' &&
                 stream >> weights[priority] && weights[priority] <= MAX_WEIGHT;
    }
    if (!isGood || stream.peek() != std::istringstream::traits_type::eof())
    {
        throw WorkloadError({"ns3::RdmaNetDevice::Weights", 0, 0, ""},
                            "eight numbers from 0 to " + std::to_string(MAX_WEIGHT) +
                                " separated by commas, one for each priority",
                            "'" + text + "'");
    }
    return weights;
}

std::string
RdmaEgressQueues::DescribeWeights() const
{
    std::ostringstream text;
    for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
    {
        text << (priority == 0 ? "" : ",") << m_weights[priority];
    }
    return text.str();
}

void
RdmaEgressQueues::SetWeights(const Weights& weights)
{
    m_weights = weights;
    m_weighted = 0;
    for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
    {
        m_weighted |= static_cast<Mask>((weights[priority] > 0 ? 1U : 0U) << priority);
    }
}

void
RdmaEgressQueues::SetVirtual()
{
    m_virtual = std::make_unique<std::array<RdmaVirtualQueues, PRIORITIES>>();
}

uint8_t
RdmaEgressQueues::GetHighest(Mask mask)
{
    uint8_t priority = PRIORITIES - 1;
    while (!(mask >> priority & 1U))
    {
        --priority;
    }
    return priority;
}

RdmaPacketPtr
RdmaEgressQueues::Pop(Mask allowed)
{
    const Mask candidates = m_filled & allowed;
    if (candidates == 0)
    {
        return nullptr;
    }
    const Mask strict = candidates & static_cast<Mask>(~m_weighted);
    const uint8_t priority = strict != 0 ? GetHighest(strict) : ChooseWeighted(candidates);
    RdmaPacketPtr packet = m_queues[priority].Pop();
    // With virtual output queues m_queues holds only the packet that goes next.
    const bool isEmpty = m_queues[priority].IsEmpty();
    if (isEmpty && !(m_virtual && PushNext(priority)))
    {
        m_filled &= static_cast<Mask>(~(1U << priority));
        // A queue that has run dry saves nothing for later.
        m_deficits[priority] = 0;
    }
    else if (m_weights[priority] > 0)
    {
        m_deficits[priority] -= packet->size;
    }
    return packet;
}

bool
RdmaEgressQueues::PushNext(uint8_t priority)
{
    RdmaPacketPtr next = (*m_virtual)[priority].Pop(QUANTUM);
    const bool hasNext = next != nullptr;
    if (hasNext)
    {
        m_queues[priority].Push(std::move(next));
    }
    return hasNext;
}

uint8_t
RdmaEgressQueues::ChooseWeighted(Mask candidates)
{
    while (true)
    {
        // A queue keeps its turn while its deficit covers the packet in front.
        const bool mayGo = candidates >> m_turn & 1U;
        if (mayGo && m_deficits[m_turn] >= m_queues[m_turn].Front().size)
        {
            return m_turn;
        }
        m_turn = (m_turn + 1) % PRIORITIES;
        if (candidates >> m_turn & 1U)
        {
            m_deficits[m_turn] += GetQuantum(m_turn);
        }
    }
}

uint64_t
RdmaEgressQueues::GetTotalBytes() const
{
    uint64_t bytes = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        bytes += GetBytes(priority);
    }
    return bytes;
}

} // namespace ns3
