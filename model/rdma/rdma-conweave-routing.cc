/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-conweave-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaConweaveRouting");

NS_STRATEGY_ENSURE_REGISTERED(RdmaConweaveRouting,
                              "conweave",
                              "flows leave late paths, and last switches put them in order",
                              6);

TypeId
RdmaConweaveRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaConweaveRouting")
            .SetParent<RdmaRouting>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaConweaveRouting>()
            .AddAttribute("ReplyMargin",
                          "How much longer than the round trip of an idle path the reply of the "
                          "last switch may take before the flow is moved; with that round trip, "
                          "theta_reply. The default is that of the reference simulator "
                          "(conweave-ns3, run.py: cwh_extra_reply_deadline).",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&RdmaConweaveRouting::m_replyMargin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PathBusyTime",
                          "For how long no flow is moved to a path that has marked a packet: "
                          "theta_path_busy (conweave-ns3, run.py: cwh_path_pause_time). 0 = "
                          "marks do not matter.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&RdmaConweaveRouting::m_pathBusyTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InactiveTime",
                          "Pause after which a flow may take any path: theta_inactive (conweave-"
                          "ns3, run.py: cwh_tx_expiry_time of two levels of switches).",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&RdmaConweaveRouting::m_inactiveTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ResumeMargin",
                          "How much later than estimated the last packet by the old path may come "
                          "before those that wait for it go on (conweave-ns3, run.py: "
                          "cwh_extra_voq_flush_time of two levels).",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&RdmaConweaveRouting::m_resumeMargin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ResumeTime",
                          "When the last packet by the old path is estimated to come where none "
                          "has come yet, from the first one by the new path on (conweave-ns3, "
                          "run.py: cwh_default_voq_waiting_time of two levels).",
                          TimeValue(MicroSeconds(200)),
                          MakeTimeAccessor(&RdmaConweaveRouting::m_resumeTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReorderQueues",
                          "Most flows that may have packets waiting for one port; those of others "
                          "go on out of order. 0 = no limit, as in the reference simulator.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaConweaveRouting::m_reorderQueues),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

RdmaConweaveRouting::RdmaConweaveRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaConweaveRouting::~RdmaConweaveRouting()
{
    NS_LOG_FUNCTION(this);
}

bool
RdmaConweaveRouting::KeepsPaths() const
{
    // A flow leaves a path that is late.
    return false;
}

bool
RdmaConweaveRouting::Reorders() const
{
    return false;
}

bool
RdmaConweaveRouting::SplitsTrains() const
{
    return true;
}

bool
RdmaConweaveRouting::WritesPackets() const
{
    return true;
}

void
RdmaConweaveRouting::SetGraph(const TopologyGraph& graph)
{
    NS_LOG_FUNCTION(this);
    m_leaves = FindLeaves(graph);
    for (const uint32_t host : graph.GetHosts())
    {
        for (const uint32_t link : graph.GetLinksOf(host))
        {
            const auto& peer = graph.GetNode(graph.GetPeer(link, host));
            if (peer.kind == TopologyGraph::SWITCH &&
                graph.GetPeer(link, host) != (*m_leaves)[host])
            {
                throw WorkloadError({"routing conweave", 0, 0, ""},
                                    "a topology in which each host is attached to one switch, "
                                    "which puts its packets in order",
                                    graph.GetNode(host).name + " at " +
                                        graph.GetNode((*m_leaves)[host]).name + " and " +
                                        peer.name);
            }
        }
    }
    m_table = std::make_shared<const EcmpRouteTable>(graph);
}

std::unique_ptr<RdmaPathChoice>
RdmaConweaveRouting::Create(uint32_t node, uint64_t salt) const
{
    return std::make_unique<Choice>(*this, node, salt);
}

RdmaConweave::Parameters
RdmaConweaveRouting::GetParameters() const
{
    RdmaConweave::Parameters parameters;
    parameters.replyMargin = m_replyMargin.GetTimeStep();
    parameters.busySteps = m_pathBusyTime.GetTimeStep();
    parameters.inactiveSteps = m_inactiveTime.GetTimeStep();
    parameters.resumeMargin = m_resumeMargin.GetTimeStep();
    parameters.resumeSteps = m_resumeTime.GetTimeStep();
    parameters.reorderQueues = m_reorderQueues;
    return parameters;
}

RdmaConweaveRouting::Choice::Choice(const RdmaConweaveRouting& routing,
                                    uint32_t node,
                                    uint64_t salt)
    : m_leaves(routing.m_leaves),
      m_node(node),
      m_salt(salt),
      m_source(routing.GetParameters(), routing.m_table, node, salt),
      m_destination(routing.GetParameters(), routing.m_leaves, node)
{
}

bool
RdmaConweaveRouting::Choice::IsWatched(const RdmaPacket& packet) const
{
    return packet.type == RdmaPacket::DATA &&
           (*m_leaves)[packet.source] != (*m_leaves)[packet.destination];
}

uint32_t
RdmaConweaveRouting::Choice::Choose(const RdmaPacket& packet, const RdmaNextHops& hops)
{
    const uint32_t leaf = (*m_leaves)[packet.destination];
    if (IsWatched(packet) && (*m_leaves)[packet.source] == m_node && leaf != RdmaPathTag::NONE)
    {
        return m_source.Choose(packet, leaf, hops);
    }
    return hops.SkipDown(EcmpChoose(packet.flowHash, m_salt, hops.size()));
}

bool
RdmaConweaveRouting::Choice::Forward(RdmaPacket& packet,
                                     uint32_t link [[maybe_unused]],
                                     RdmaNetDevice& port)
{
    if (!IsWatched(packet))
    {
        return true;
    }
    if ((*m_leaves)[packet.source] == m_node)
    {
        packet.pathTag = m_source.TakeTag();
    }
    else if ((*m_leaves)[packet.destination] == m_node && packet.pathTag.path != RdmaPathTag::NONE)
    {
        m_to = &port;
        return false;
    }
    return true;
}

bool
RdmaConweaveRouting::Choice::Keep(RdmaPacketKeeper& keeper,
                                  RdmaNetDevice& from,
                                  RdmaPacketPtr& packet)
{
    if (packet->type == RdmaPacket::PATH && packet->destination == m_node)
    {
        m_source.Hear(*packet);
        packet.reset();
        return true;
    }
    RdmaNetDevice* const to = std::exchange(m_to, nullptr);
    if (!to)
    {
        return false;
    }
    m_destination.Take(keeper, from, *to, std::move(packet));
    return true;
}

} // namespace ns3
