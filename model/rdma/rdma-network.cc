/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-network.h"

#include "rdma-channel.h"
#include "rdma-message-observer.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetwork");

NS_OBJECT_ENSURE_REGISTERED(RdmaNetwork);

TypeId
RdmaNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNetwork")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaNetwork>()
            .AddAttribute("ConvergenceTime",
                          "From the change of a link to that of the routes. In the meantime "
                          "packets that are routed over a link that is down are lost. 0 = at once.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaNetwork::m_convergenceTime),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("LinkChange",
                            "A link goes down or comes up. The routes do not know yet.",
                            MakeTraceSourceAccessor(&RdmaNetwork::m_linkTrace),
                            "ns3::RdmaNetwork::LinkTracedCallback")
            .AddTraceSource("RoutesChange",
                            "The routes have followed changes of links.",
                            MakeTraceSourceAccessor(&RdmaNetwork::m_routesTrace),
                            "ns3::RdmaNetwork::RoutesTracedCallback")
            .AddTraceSource("Convergence",
                            "The routes have followed a link that has gone down or come up, and "
                            "not one of a circuit that was switched.",
                            MakeTraceSourceAccessor(&RdmaNetwork::m_convergenceTrace),
                            "ns3::RdmaNetwork::LinkTracedCallback");
    return tid;
}

RdmaNetwork::RdmaNetwork()
{
    NS_LOG_FUNCTION(this);
}

RdmaNetwork::~RdmaNetwork()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaNetwork::SetGraph(const TopologyGraph& graph, Ptr<RdmaRouting> routing)
{
    NS_LOG_FUNCTION(this << routing);
    m_table = std::make_unique<EcmpRouteTable>(graph);
    m_routing = routing;
    // What it does may depend on the fabric.
    m_routing->SetGraph(graph);
    m_isSpread = routing->SplitsTrains();
    m_writesPackets = routing->WritesPackets();
    m_takesDetours = routing->TakesDetours();
    m_ends.resize(graph.GetNLinks());
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto& links = graph.GetLinksOf(node);
        const auto nvlinks = std::count_if(links.begin(), links.end(), [&graph](uint32_t link) {
            return graph.GetLink(link).nvlink;
        });
        const bool isHost = graph.GetNode(node).kind == TopologyGraph::HOST;
        // Looked up for each message: worked out once.
        m_hasPlanes.push_back(isHost && nvlinks > 1);
        m_hasPorts.push_back(isHost && links.size() - nvlinks > 1);
    }
    SetSeed(0);
}

void
RdmaNetwork::SetSeed(uint64_t seed)
{
    NS_LOG_FUNCTION(this << seed);
    m_seed = seed;
    m_choices.clear();
    for (uint32_t node = 0; node < GetGraph().GetNNodes(); ++node)
    {
        // A choice per node, with a salt of its own.
        m_choices.push_back(m_routing->Create(node, EcmpSalt(seed, node)));
        if (!m_choices.back())
        {
            throw WorkloadError({m_routing->GetInstanceTypeId().GetName(), 0, 0, ""},
                                "an RdmaPathChoice from Create()",
                                "none");
        }
    }
}

void
RdmaNetwork::RefuseTarget(uint32_t node, uint32_t target) const
{
    throw WorkloadError({m_routing->GetInstanceTypeId().GetName(), 0, 0, ""},
                        "from FindTarget() at node " + std::to_string(node) +
                            " another node, from 0 to " + std::to_string(m_choices.size() - 1),
                        std::to_string(target));
}

void
RdmaNetwork::RefuseChoice(uint32_t node, uint32_t choice, uint32_t hops) const
{
    throw WorkloadError({m_routing->GetInstanceTypeId().GetName(), 0, 0, ""},
                        "from Choose() at node " + std::to_string(node) + " a port from 0 to " +
                            std::to_string(hops - 1),
                        std::to_string(choice));
}

void
RdmaNetwork::SetPorts(uint32_t link, Ptr<RdmaNetDevice> atA, Ptr<RdmaNetDevice> atB)
{
    NS_LOG_FUNCTION(this << link << atA << atB);
    m_ends.at(link) = {GetGraph().GetLink(link).a, PeekPointer(atA), PeekPointer(atB)};
}

const TopologyGraph&
RdmaNetwork::GetGraph() const
{
    return m_table->GetGraph();
}

Ptr<RdmaRouting>
RdmaNetwork::GetRouting() const
{
    return m_routing;
}

RdmaNetDevice*
RdmaNetwork::GetPort(uint32_t link, uint32_t node) const
{
    const RdmaNextHops::Ends& ends = m_ends.at(link);
    return ends.a == node ? ends.atA : ends.atB;
}

void
RdmaNetwork::SetCutThrough(uint32_t link, uint32_t node)
{
    NS_LOG_FUNCTION(this << link << node);
    // Noted also of ports of other processes: round trips are worked out here, too.
    m_cutThrough.emplace(link, node);
    if (RdmaNetDevice* const port = GetPort(link, node))
    {
        port->CutThrough();
    }
}

uint32_t
RdmaNetwork::GetAwaitedBytes(uint32_t link,
                             uint32_t node,
                             uint32_t frame,
                             const RdmaLinkLayer& layer) const
{
    const uint32_t wireBytes = layer.GetWireBytes(frame);
    if (const RdmaNetDevice* const port = GetPort(link, node))
    {
        return port->GetAwaitedBytes(wireBytes);
    }
    const bool isCutThrough = m_cutThrough.count({link, node}) > 0;
    // The port is in another process, so what was noted of it decides.
    return isCutThrough ? std::min<uint32_t>(layer.head, wireBytes) : wireBytes;
}

std::vector<uint32_t>
RdmaNetwork::GetPath(uint32_t source, uint32_t destination, uint64_t flowHash) const
{
    return m_table->GetPath(source, destination, flowHash, m_seed);
}

RdmaNextHops
RdmaNetwork::GetPlanes(uint32_t node, uint32_t destination, bool hasNics) const
{
    if (!m_hasPlanes[node] && !(hasNics && m_hasPorts[node]))
    {
        return {EcmpRouteTable::LinkSpan(), m_ends.data(), node};
    }
    const auto links = m_table->GetNextLinks(node, destination);
    const bool isSpread = links.size() > 1 && (hasNics || GetGraph().GetLink(links[0]).nvlink);
    return {isSpread ? links : EcmpRouteTable::LinkSpan(), m_ends.data(), node};
}

std::vector<std::vector<uint32_t>>
RdmaNetwork::GetPlanePaths(uint32_t source,
                           uint32_t destination,
                           uint64_t flowHash,
                           bool hasNics) const
{
    std::vector<std::vector<uint32_t>> paths;
    if (GetPlanes(source, destination, hasNics).size() > 0)
    {
        for (const auto link : m_table->GetNextLinks(source, destination))
        {
            paths.push_back(GetPath(GetGraph().GetPeer(link, source), destination, flowHash));
            // From the far end of the first link on, the flow's hash decides.
            paths.back().insert(paths.back().begin(), link);
        }
    }
    return paths;
}

Time
RdmaNetwork::GetBaseRtt(uint32_t source,
                        uint32_t destination,
                        uint64_t flowHash,
                        uint32_t frameBytes,
                        const RdmaLinkLayer& layer) const
{
    Time rtt;
    uint32_t node = source;
    for (const uint32_t number : GetPath(source, destination, flowHash))
    {
        const auto& link = GetGraph().GetLink(number);
        const uint32_t next = GetGraph().GetPeer(number, node);
        // Each end waits for the whole packet, or for its head where it cuts through.
        rtt += link.delay * 2 +
               link.rate.CalculateBytesTxTime(GetAwaitedBytes(number, next, frameBytes, layer)) +
               link.rate.CalculateBytesTxTime(
                   GetAwaitedBytes(number, node, layer.GetAckBytes(), layer));
        node = next;
    }
    return rtt;
}

Time
RdmaNetwork::GetLongestBaseRtt(uint32_t frameBytes, const RdmaLinkLayer& layer) const
{
    if (m_longestRtt.IsZero())
    {
        const auto& hosts = GetGraph().GetHosts();
        for (const uint32_t host : hosts)
        {
            // From the first host to all others: topologies here are regular, and all pairs would
            // be too many.
            m_longestRtt = Max(m_longestRtt, GetBaseRtt(hosts.front(), host, 0, frameBytes, layer));
        }
    }
    return m_longestRtt;
}

bool
RdmaNetwork::IsReachable(uint32_t source, uint32_t destination) const
{
    return m_table->GetNextLinks(source, destination).size() > 0;
}

void
RdmaNetwork::SetObserver(RdmaMessageObserver* observer)
{
    NS_LOG_FUNCTION(this << observer);
    m_observer = observer;
}

void
RdmaNetwork::NotePause() const
{
    if (m_observer)
    {
        m_observer->InterruptAll();
    }
}

void
RdmaNetwork::Change(uint32_t link, bool up)
{
    if (m_observer)
    {
        // Before the change: collectives that are reused are simulated up to here on the old links.
        m_observer->InterruptAll();
    }
    ++m_changes;
    if (up)
    {
        m_linksDown.erase(link);
    }
    else
    {
        m_linksDown.insert(link);
    }
    const RdmaNextHops::Ends& ends = m_ends.at(link);
    m_table->SetLinkUp(link, up);
    if (ends.atA)
    {
        DynamicCast<RdmaChannel>(ends.atA->GetChannel())->SetUp(up);
    }
    m_linkTrace(link, up);
}

void
RdmaNetwork::SetLinkUp(uint32_t link, bool up)
{
    NS_LOG_FUNCTION(this << link << up);
    Change(link, up);
    // Until routing has converged packets still go to the dead link and are lost.
    Simulator::Schedule(m_convergenceTime, &RdmaNetwork::Follow, this, link, up);
}

void
RdmaNetwork::Reconfigure(const std::vector<uint32_t>& links, bool up)
{
    NS_LOG_FUNCTION(this << links.size() << up);
    for (const auto link : links)
    {
        Change(link, up);
    }
    // The controller has asked for the change, so that routes follow at once.
    Converge(static_cast<uint32_t>(links.size()));
}

void
RdmaNetwork::Follow(uint32_t link, bool up)
{
    NS_LOG_FUNCTION(this << link << up);
    Converge(1);
    // Queue pairs that are sending change their ports: what they send next may go by others.
    m_convergenceTrace(link, up);
}

void
RdmaNetwork::Converge(uint32_t changes)
{
    NS_LOG_FUNCTION(this << changes);
    m_changes -= changes;
    m_table->Recompute();
    // Queue pairs and receivers compare it to see whether their port is still right.
    ++m_epoch;
    m_routesTrace(m_epoch);
}

void
RdmaNetwork::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_routing = nullptr;
    m_observer = nullptr;
    Object::DoDispose();
}

} // namespace ns3
