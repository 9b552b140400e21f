/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-virtual-queues.h"

#include <utility>

namespace ns3
{

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

} // namespace ns3
