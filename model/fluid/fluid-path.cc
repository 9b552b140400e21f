/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-path.h"

#include "ns3/rdma-net-device.h"
#include "ns3/rdma-routing.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param rate rate of a link
 * @return time steps that a byte takes there
 */
double
GetStepsPerByte(DataRate rate)
{
    return 8.0 * static_cast<double>(Seconds(1).GetTimeStep()) /
           static_cast<double>(rate.GetBitRate());
}

} // namespace

FluidPath::FluidPath(const RdmaNetwork& network, const RdmaNetDevice& port, RdmaPacket& probe)
{
    const RdmaLinkLayer& layer = port.GetFlowControl().GetLinkLayer();
    m_ackBytes = layer.GetWireBytes(layer.GetAckBytes());
    const TopologyGraph& graph = network.GetGraph();
    // Nodes are numbered along the path, from 0 at the sender.
    NumberNode(probe.source);
    Parts parts;
    for (const auto link : graph.GetLinksOf(probe.source))
    {
        if (network.GetPort(link, probe.source) == &port)
        {
            Add(graph, link, probe.source, 1, 1, parts);
        }
    }
    // All shortest paths are of one length, so that the parts of a flow are at nodes of one
    // distance at a time.
    while (!parts.empty() && parts.count(probe.destination) == 0)
    {
        parts = GoOn(network, probe, parts);
    }
    if (parts.empty())
    {
        m_hops.clear();
        return;
    }
    m_nNodes = static_cast<uint32_t>(m_nodes.size());
    // There are as many paths as queue pairs, which have no use for the nodes.
    m_nodes = {};
    m_lastSteps = GetStepsPerByte(graph.GetLink(m_hops.back().link / 2).rate);
    const uint32_t bytes = probe.GetWireBytes();
    m_roundTrip = GetFirstSteps(bytes) + GetDelay(bytes) + GetAckDelay();
}

FluidPath::Parts
FluidPath::GoOn(const RdmaNetwork& network, RdmaPacket& probe, const Parts& parts)
{
    const bool isKept = network.GetRouting()->KeepsPaths();
    Parts next;
    for (const auto& [node, share] : parts)
    {
        const RdmaNextHops hops = network.GetNextHops(node, probe.destination);
        if (hops.size() == 0)
        {
            // No route now: the sender waits for routes to change.
            return {};
        }
        const RdmaNetDevice* const chosen = isKept ? network.Route(node, probe) : nullptr;
        for (uint32_t hop = 0; hop < hops.size(); ++hop)
        {
            if (!chosen || hops[hop] == chosen)
            {
                // Equal parts over all next hops where the routing does not keep a flow on one.
                const double fraction = chosen ? 1 : 1.0 / hops.size();
                Add(network.GetGraph(), hops.GetLink(hop), node, fraction, share, next);
            }
        }
    }
    return next;
}

void
FluidPath::Add(const TopologyGraph& graph,
               uint32_t link,
               uint32_t node,
               double fraction,
               double share,
               Parts& parts)
{
    const uint32_t to = graph.GetPeer(link, node);
    FluidHop hop;
    hop.link = graph.GetDirection(link, node);
    hop.from = NumberNode(node);
    hop.to = NumberNode(to);
    hop.fraction = fraction;
    hop.share = share * fraction;
    AddDelay(graph.GetLink(link), hop.share, m_hops.empty());
    m_hops.push_back(hop);
    // Parts that meet at a node go on as one.
    parts[to] += hop.share;
}

uint32_t
FluidPath::NumberNode(uint32_t node)
{
    // A path has few nodes, so that a search is short.
    const auto found = std::find(m_nodes.begin(), m_nodes.end(), node);
    const auto number = static_cast<uint32_t>(found - m_nodes.begin());
    if (found == m_nodes.end())
    {
        m_nodes.push_back(node);
    }
    return number;
}

void
FluidPath::AddDelay(const TopologyGraph::Link& link, double share, bool isFirst)
{
    const double delay = share * static_cast<double>(link.delay.GetTimeStep());
    const double perByte = share * GetStepsPerByte(link.rate);
    m_propagation += delay;
    (isFirst ? m_firstSteps : m_stepsPerByte) += perByte;
    m_ackSteps += delay + perByte * m_ackBytes;
}

int64_t
FluidPath::GetDelay(uint32_t wireBytes) const
{
    return static_cast<int64_t>(m_propagation + m_stepsPerByte * wireBytes);
}

int64_t
FluidPath::GetDelayBehind(const TopologyGraph& graph,
                          const std::vector<FluidHop>& hops,
                          uint32_t hop,
                          uint32_t wireBytes)
{
    double steps = 0;
    for (std::size_t i = hop + 1; i < hops.size(); ++i)
    {
        const auto& link = graph.GetLink(hops[i].link / 2);
        const auto delay = static_cast<double>(link.delay.GetTimeStep());
        steps += hops[i].share * (delay + GetStepsPerByte(link.rate) * wireBytes);
    }
    return static_cast<int64_t>(steps);
}

} // namespace ns3
