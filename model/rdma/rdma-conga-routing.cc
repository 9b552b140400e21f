/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-conga-routing.h"

#include "ns3/double.h"
#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCongaRouting");

NS_STRATEGY_ENSURE_REGISTERED(RdmaCongaRouting, "conga", "flowlets, by the load of whole paths", 5);

uint8_t
RdmaRateEstimator::GetMetric(const Parameters& parameters, RdmaNetDevice& port, int64_t now)
{
    const double carried = port.GetSentBytes();
    const double fresh = carried - std::exchange(m_carried, carried);
    const int64_t decays = now / parameters.interval;
    const auto passed = static_cast<double>(decays - std::exchange(m_decays, decays));
    if (passed > 0)
    {
        // What was carried since the last look counts as spread evenly over the intervals that have
        // passed: a geometric sum.
        const double kept = std::pow(1 - parameters.decay, passed);
        m_register = m_register * kept + fresh / passed * (1 - kept) / parameters.decay;
    }
    else
    {
        m_register += fresh;
    }
    const Time memory(static_cast<int64_t>(parameters.interval / parameters.decay));
    // Bytes in the register of a port that is always busy.
    const double most = static_cast<double>(port.GetRate().GetBitRate()) / 8 * memory.GetSeconds();
    const auto level = static_cast<uint32_t>(m_register / most * parameters.levels);
    return static_cast<uint8_t>(std::min(level, parameters.levels - 1));
}

TypeId
RdmaCongaRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongaRouting")
            .SetParent<RdmaFlowletRouting>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaCongaRouting>()
            .AddAttribute("EstimatorInterval",
                          "Time between two decays of the rate of a link. With EstimatorDecay the "
                          "default measures over 160 us (CONGA, SIGCOMM 2014, section 3.6).",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&RdmaCongaRouting::m_interval),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("EstimatorDecay",
                          "Share of the measured rate that goes with each EstimatorInterval, above "
                          "0, at most 1.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RdmaCongaRouting::m_decay),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("MetricBits",
                          "Bits of the metric of a link (CONGA, section 3.6: 3).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaCongaRouting::m_bits),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("AgingTime",
                          "Time after which the metric of a path, if nothing more was heard, "
                          "counts as 0 (CONGA, section 3.3: 10 ms).",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RdmaCongaRouting::m_aging),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

RdmaCongaRouting::RdmaCongaRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaCongaRouting::~RdmaCongaRouting()
{
    NS_LOG_FUNCTION(this);
}

bool
RdmaCongaRouting::WritesPackets() const
{
    return true;
}

void
RdmaCongaRouting::SetGraph(const TopologyGraph& graph)
{
    NS_LOG_FUNCTION(this);
    m_graph = graph;
    m_leaves = FindLeaves(graph);
}

std::unique_ptr<RdmaPathChoice>
RdmaCongaRouting::Create(uint32_t node, uint64_t salt) const
{
    return std::make_unique<Choice>(*this, node, salt);
}

RdmaCongaRouting::Choice::Choice(const RdmaCongaRouting& routing, uint32_t node, uint64_t salt)
    : RdmaFlowletRouting::Choice(routing.GetGap(), salt),
      m_graph(routing.m_graph),
      m_leaves(routing.m_leaves),
      m_node(node),
      m_agingSteps(routing.m_aging.GetTimeStep())
{
    m_parameters.interval = routing.m_interval.GetTimeStep();
    m_parameters.decay = routing.m_decay;
    m_parameters.levels = 1U << routing.m_bits;
    if (m_graph.GetNode(node).kind != TopologyGraph::SWITCH)
    {
        return;
    }
    for (const uint32_t link : m_graph.GetLinksOf(node))
    {
        const uint32_t peer = m_graph.GetPeer(link, node);
        if (m_graph.GetNode(peer).kind == TopologyGraph::HOST)
        {
            // Packets of these hosts enter the fabric here, see Departs().
            m_hosts.insert(peer);
        }
    }
}

bool
RdmaCongaRouting::Choice::Departs(const RdmaPacket& packet) const
{
    // The rest of a train that is split here may have been written into before.
    return m_hosts.count(packet.source) > 0 && (*m_leaves)[packet.destination] != RdmaPathTag::NONE;
}

uint32_t
RdmaCongaRouting::Choice::Choose(const RdmaPacket& packet, const RdmaNextHops& hops)
{
    return Departs(packet) ? RdmaFlowletRouting::Choice::Choose(packet, hops)
                           : hops.SkipDown(EcmpChoose(packet.flowHash, GetSalt(), hops.size()));
}

uint32_t
RdmaCongaRouting::Choice::ChooseFlowlet(const RdmaPacket& packet,
                                        const RdmaNextHops& hops,
                                        uint32_t last,
                                        int64_t now)
{
    const uint64_t leaf = (*m_leaves)[packet.destination];
    std::vector<uint32_t> best;
    uint8_t least = UINT8_MAX;
    for (uint32_t i = 0; i < hops.size(); ++i)
    {
        if (!hops[i]->IsLinkUp())
        {
            continue;
        }
        uint8_t metric = Measure(*hops[i], now);
        const auto path = m_paths.find(leaf << 32 | hops.GetLink(i));
        // What was reported long ago does not count any more: the path counts as idle behind its
        // uplink.
        if (path != m_paths.end() && now - path->second.heardAt < m_agingSteps)
        {
            // A path is as loaded as its worst link: the uplink here, or one behind it.
            metric = std::max(metric, path->second.metric);
        }
        if (best.empty() || metric < least)
        {
            least = metric;
            best.clear();
        }
        if (metric == least)
        {
            best.push_back(i);
        }
    }
    // A flow moves only to an uplink that is better than its own.
    if (best.empty() || std::count(best.begin(), best.end(), last) > 0)
    {
        return last == NONE ? 0 : last;
    }
    const auto choices = static_cast<uint32_t>(best.size());
    return best[EcmpChoose(GetHash(packet, now), GetSalt(), choices)];
}

bool
RdmaCongaRouting::Choice::Forward(RdmaPacket& packet, uint32_t link, RdmaNetDevice& port)
{
    if (m_graph.GetNode(m_node).kind != TopologyGraph::SWITCH)
    {
        return true;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    const uint32_t peer = m_graph.GetPeer(link, m_node);
    if (m_graph.GetNode(peer).kind == TopologyGraph::HOST)
    {
        Learn(packet, now);
        return true;
    }
    if (Departs(packet))
    {
        // The last switch reports by this number.
        packet.pathTag.path = link;
        Report(packet);
    }
    // The path's metric is that of its worst link.
    packet.pathTag.congestion = std::max(packet.pathTag.congestion, Measure(port, now));
    return true;
}

void
RdmaCongaRouting::Choice::Learn(const RdmaPacket& packet, int64_t now)
{
    const RdmaPathTag& tag = packet.pathTag;
    const uint32_t leaf = (*m_leaves)[packet.source];
    if (tag.path == RdmaPathTag::NONE || leaf == RdmaPathTag::NONE)
    {
        return;
    }
    auto& paths = m_feedbacks[leaf].paths;
    const auto found = std::find_if(paths.begin(), paths.end(), [&tag](const Feedback& feedback) {
        return feedback.path == tag.path;
    });
    if (found == paths.end())
    {
        // New metrics are to be reported first.
        paths.push_back({tag.path, tag.congestion, true});
    }
    else if (found->metric != tag.congestion)
    {
        *found = {tag.path, tag.congestion, true};
    }
    if (tag.about != RdmaPathTag::NONE)
    {
        m_paths[static_cast<uint64_t>(leaf) << 32 | tag.about] = {
            static_cast<uint8_t>(tag.reported),
            now};
    }
}

void
RdmaCongaRouting::Choice::Report(RdmaPacket& packet)
{
    const auto found = m_feedbacks.find((*m_leaves)[packet.destination]);
    if (found == m_feedbacks.end())
    {
        return;
    }
    auto& [paths, next] = found->second;
    const auto count = static_cast<uint32_t>(paths.size());
    uint32_t chosen = next;
    // Metrics that have changed go first, the others in turn.
    for (uint32_t tried = 0; tried < count && !paths[chosen].isChanged; ++tried)
    {
        chosen = (chosen + 1) % count;
    }
    // Goes on behind the one chosen, so that all are reported in the end.
    next = (chosen + 1) % count;
    paths[chosen].isChanged = false;
    packet.pathTag.about = paths[chosen].path;
    packet.pathTag.reported = paths[chosen].metric;
}

uint8_t
RdmaCongaRouting::Choice::Measure(RdmaNetDevice& port, int64_t now)
{
    if (port.GetIndex() >= m_estimators.size())
    {
        m_estimators.resize(port.GetIndex() + 1);
    }
    return m_estimators[port.GetIndex()].GetMetric(m_parameters, port, now);
}

} // namespace ns3
