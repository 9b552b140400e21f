/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-conweave-source.h"

#include "ns3/simulator.h"

#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param leaf a leaf
 * @param link an uplink
 * @return key of the paths there by the uplink
 */
uint64_t
GetPathKey(uint32_t leaf, uint32_t link)
{
    return static_cast<uint64_t>(leaf) << 32 | link;
}

} // namespace

RdmaConweaveSource::RdmaConweaveSource(const RdmaConweave::Parameters& parameters,
                                       Table table,
                                       uint32_t node,
                                       uint64_t salt)
    : m_parameters(parameters),
      m_table(std::move(table)),
      m_node(node),
      m_salt(salt)
{
}

uint32_t
RdmaConweaveSource::Choose(const RdmaPacket& packet, uint32_t leaf, const RdmaNextHops& hops)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    ForgetOld(now);
    Flow& flow = m_flows[RdmaConweave::GetFlow(packet)];
    uint32_t choice = Find(flow, hops);
    uint8_t mark = 0;
    // After a long pause none of its packets counts as under way: it may take any path.
    const bool isNew = choice == NONE || now - flow.lastAt > m_parameters.inactiveSteps;
    if (isNew || flow.isClear)
    {
        choice = isNew ? Sample(packet, leaf, hops, NONE) : choice;
        flow.link = hops.GetLink(choice);
        flow.epoch = (flow.epoch + 1) & RdmaConweave::EPOCH;
        flow.isRerouted = false;
        flow.isClear = false;
        flow.replyBy =
            now + m_parameters.replyMargin +
            GetRoundTrip(packet, leaf, flow.link, hops[choice]->GetFlowControl().GetLinkLayer());
        mark = RdmaConweave::REQUEST;
    }
    else if (flow.isRerouted)
    {
        // Until the last switch says CLEAR the flow does not move again.
        mark = RdmaConweave::REROUTED;
    }
    else if (now > flow.replyBy)
    {
        // This packet still takes the old path, as the last one; flow.link is for those behind it.
        flow.isRerouted = true;
        flow.tailAt = now;
        flow.link = hops.GetLink(Sample(packet, leaf, hops, choice));
        mark = RdmaConweave::TAIL;
        m_reroutes += flow.link != hops.GetLink(choice) ? 1 : 0;
    }
    flow.lastAt = now;
    m_tag.path = hops.GetLink(choice);
    m_tag.about = static_cast<uint32_t>(now);
    m_tag.reported = static_cast<uint32_t>(flow.tailAt);
    m_tag.congestion = flow.epoch | mark;
    return choice;
}

RdmaPathTag
RdmaConweaveSource::TakeTag()
{
    return std::exchange(m_tag, RdmaPathTag());
}

void
RdmaConweaveSource::Hear(const RdmaPacket& packet)
{
    const RdmaPathTag& tag = packet.pathTag;
    const int64_t now = Simulator::Now().GetTimeStep();
    if (tag.congestion & RdmaConweave::NOTIFY)
    {
        m_busy[GetPathKey(packet.source, tag.path)] = now + m_parameters.busySteps;
        return;
    }
    const auto found = m_flows.find(packet.sequence);
    if (found == m_flows.end() || found->second.epoch != (tag.congestion & RdmaConweave::EPOCH))
    {
        return;
    }
    Flow& flow = found->second;
    const bool isReply = tag.congestion & RdmaConweave::REPLY;
    flow.isClear =
        flow.isClear || (isReply ? !flow.isRerouted && now <= flow.replyBy : flow.isRerouted);
}

uint32_t
RdmaConweaveSource::Find(const Flow& flow, const RdmaNextHops& hops)
{
    for (uint32_t i = 0; i < hops.size(); ++i)
    {
        if (hops.GetLink(i) == flow.link)
        {
            return hops[i]->IsLinkUp() ? i : NONE;
        }
    }
    return NONE;
}

uint32_t
RdmaConweaveSource::Sample(const RdmaPacket& packet,
                           uint32_t leaf,
                           const RdmaNextHops& hops,
                           uint32_t current)
{
    m_others.clear();
    for (uint32_t i = 0; i < hops.size(); ++i)
    {
        if (i != current && hops[i]->IsLinkUp())
        {
            m_others.push_back(i);
        }
    }
    const auto others = static_cast<uint32_t>(m_others.size());
    if (others == 0)
    {
        return current == NONE ? 0 : current;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    const uint64_t hash = EcmpMix(packet.flowHash ^ EcmpMix(static_cast<uint64_t>(now)));
    const uint32_t first = EcmpChoose(hash, m_salt, others);
    // The second draw differs from the first.
    const uint32_t step = others == 1 ? 0 : 1 + EcmpChoose(EcmpMix(hash), m_salt, others - 1);
    for (const uint32_t drawn : {first, (first + step) % others})
    {
        const auto busy = m_busy.find(GetPathKey(leaf, hops.GetLink(m_others[drawn])));
        if (busy == m_busy.end() || busy->second <= now)
        {
            return m_others[drawn];
        }
    }
    return current == NONE ? m_others[first] : current;
}

int64_t
RdmaConweaveSource::GetRoundTrip(const RdmaPacket& packet,
                                 uint32_t leaf,
                                 uint32_t link,
                                 const RdmaLinkLayer& layer) const
{
    const uint32_t reply = layer.GetWireBytes(RdmaConweave::GetReportBytes(layer));
    const TopologyGraph& graph = m_table->GetGraph();
    auto path = m_table->GetPath(graph.GetPeer(link, m_node), leaf, 0, 0);
    path.push_back(link);
    Time sum;
    for (const uint32_t number : path)
    {
        const auto& onWay = graph.GetLink(number);
        sum += onWay.delay * 2 + onWay.rate.CalculateBytesTxTime(packet.GetWireBytes()) +
               onWay.rate.CalculateBytesTxTime(reply);
    }
    return sum.GetTimeStep();
}

void
RdmaConweaveSource::ForgetOld(int64_t now)
{
    // The last switch, which hears of a flow later, must have forgotten it first, lest it take a
    // flow that begins again for one that goes on.
    const int64_t memory = 4 * m_parameters.inactiveSteps;
    if (now < m_nextForgetAt)
    {
        return;
    }
    m_nextForgetAt = now + memory;
    for (auto flow = m_flows.begin(); flow != m_flows.end();)
    {
        flow = now - flow->second.lastAt > memory ? m_flows.erase(flow) : std::next(flow);
    }
}

} // namespace ns3
