/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-conweave-destination.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace ns3
{

RdmaConweaveDestination::RdmaConweaveDestination(const RdmaConweave::Parameters& parameters,
                                                 RdmaRouting::Leaves leaves,
                                                 uint32_t node)
    : m_parameters(parameters),
      m_leaves(std::move(leaves)),
      m_node(node)
{
}

void
RdmaConweaveDestination::Take(RdmaPacketKeeper& keeper,
                              RdmaNetDevice& from,
                              RdmaNetDevice& to,
                              RdmaPacketPtr packet)
{
    m_keeper = &keeper;
    const int64_t now = Simulator::Now().GetTimeStep();
    ForgetOld(now);
    const Origin origin{RdmaConweave::GetFlow(*packet),
                        (*m_leaves)[packet->source],
                        packet->pathTag.path,
                        &from};
    if (packet->marked)
    {
        Report(origin, RdmaConweave::NOTIFY);
    }
    Flow& flow = m_flows[origin.flow];
    if (!Follow(flow, *packet))
    {
        keeper.SendOn(from, to, std::move(packet));
        return;
    }
    flow.lastAt = now;
    if (packet->pathTag.congestion & RdmaConweave::REROUTED)
    {
        TakeRerouted(flow, origin, to, std::move(packet));
    }
    else
    {
        TakeOld(flow, origin, to, std::move(packet));
    }
}

bool
RdmaConweaveDestination::Follow(Flow& flow, const RdmaPacket& packet)
{
    const uint8_t epoch = packet.pathTag.congestion & RdmaConweave::EPOCH;
    // Numbers wrap at 4, so that 3 ahead is 1 behind.
    const uint8_t ahead = (epoch - flow.epoch) & RdmaConweave::EPOCH;
    const bool isIdle =
        flow.held.empty() && Simulator::Now().GetTimeStep() - flow.lastAt > GetMemory();
    if (flow.isKnown && !isIdle && ahead == RdmaConweave::EPOCH)
    {
        return false;
    }
    if (!flow.isKnown || isIdle || ahead > 0)
    {
        // What waits was sent before.
        Resume(flow);
        flow = Flow();
        flow.isKnown = true;
        flow.epoch = epoch;
    }
    return true;
}

void
RdmaConweaveDestination::TakeRerouted(Flow& flow,
                                      const Origin& origin,
                                      RdmaNetDevice& to,
                                      RdmaPacketPtr packet)
{
    if (flow.isInOrder || (flow.held.empty() && !HasQueue(to)))
    {
        m_counters.withoutQueue += flow.isInOrder ? 0 : 1;
        m_keeper->SendOn(*origin.from, to, std::move(packet));
        return;
    }
    if (!m_keeper->Admit(*origin.from, to, *packet))
    {
        return;
    }
    ++m_counters.held;
    flow.tailSentAt = packet->pathTag.reported;
    flow.held.push_back(std::move(packet));
    if (flow.held.size() == 1)
    {
        flow.to = &to;
        ++m_queues[to.GetIndex()];
        Await(flow, origin);
    }
}

void
RdmaConweaveDestination::TakeOld(Flow& flow,
                                 const Origin& origin,
                                 RdmaNetDevice& to,
                                 RdmaPacketPtr packet)
{
    const uint8_t flags = packet->pathTag.congestion;
    flow.hasOld = true;
    flow.oldAt = flow.lastAt;
    flow.oldSentAt = packet->pathTag.about;
    m_keeper->SendOn(*origin.from, to, std::move(packet));
    if (flags & RdmaConweave::REQUEST)
    {
        Report(origin, RdmaConweave::REPLY | flow.epoch);
    }
    if (flags & RdmaConweave::TAIL)
    {
        m_counters.resumedByTail += flow.held.empty() ? 0 : 1;
        flow.isInOrder = true;
        Resume(flow);
        Report(origin, RdmaConweave::CLEAR | flow.epoch);
    }
    else if (!flow.held.empty())
    {
        Await(flow, origin);
    }
}

void
RdmaConweaveDestination::Await(Flow& flow, const Origin& origin)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    int64_t expected = now + m_parameters.resumeSteps;
    if (flow.hasOld)
    {
        // The last packet is expected as long behind the one that came as it was sent behind it;
        // the difference of the lower 32 bits has a sign.
        expected = flow.oldAt + static_cast<int32_t>(flow.tailSentAt - flow.oldSentAt);
    }
    const int64_t at = std::max(now, expected + m_parameters.resumeMargin);
    flow.timer.Cancel();
    flow.timer =
        Simulator::Schedule(TimeStep(at - now), &RdmaConweaveDestination::GiveUp, this, origin);
}

void
RdmaConweaveDestination::GiveUp(Origin origin)
{
    Flow& flow = m_flows[origin.flow];
    ++m_counters.resumedByTimer;
    flow.isInOrder = true;
    Resume(flow);
    Report(origin, RdmaConweave::CLEAR | flow.epoch);
}

void
RdmaConweaveDestination::Resume(Flow& flow)
{
    if (flow.held.empty())
    {
        return;
    }
    flow.timer.Cancel();
    --m_queues[flow.to->GetIndex()];
    for (RdmaPacketPtr& packet : flow.held)
    {
        // It has its place in the buffer.
        flow.to->Enqueue(std::move(packet));
    }
    flow.held.clear();
}

void
RdmaConweaveDestination::Report(const Origin& origin, uint8_t what)
{
    const RdmaLinkLayer& layer = origin.from->GetFlowControl().GetLinkLayer();
    RdmaPacketPtr packet(
        new RdmaPacket(RdmaPacket::PATH, RdmaConweave::GetReportBytes(layer), layer));
    packet->source = m_node;
    packet->destination = origin.leaf;
    packet->priority = RdmaConweave::PRIORITY;
    packet->flowHash = origin.flow;
    packet->sequence = origin.flow;
    packet->pathTag.path = origin.path;
    packet->pathTag.congestion = what;
    m_keeper->Originate(*origin.from, std::move(packet));
}

bool
RdmaConweaveDestination::HasQueue(const RdmaNetDevice& to)
{
    if (to.GetIndex() >= m_queues.size())
    {
        m_queues.resize(to.GetIndex() + 1);
    }
    const uint32_t most = m_parameters.reorderQueues;
    return most == 0 || m_queues[to.GetIndex()] < most;
}

uint32_t
RdmaConweaveDestination::GetNQueues() const
{
    return std::accumulate(m_queues.begin(), m_queues.end(), 0U);
}

void
RdmaConweaveDestination::ForgetOld(int64_t now)
{
    if (now < m_nextForgetAt)
    {
        return;
    }
    m_nextForgetAt = now + GetMemory();
    for (auto flow = m_flows.begin(); flow != m_flows.end();)
    {
        const bool isOver = flow->second.held.empty() && now - flow->second.lastAt > GetMemory();
        flow = isOver ? m_flows.erase(flow) : std::next(flow);
    }
}

} // namespace ns3
