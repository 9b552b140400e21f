/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-protocol.h"

#include "fluid-fabric.h"
#include "fluid-sender.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-network.h"
#include "ns3/rdma-queue-pair-host.h"
#include "ns3/rdma-routing.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <set>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FluidProtocol");

NS_STRATEGY_ENSURE_REGISTERED(FluidProtocol,
                              "fluid",
                              "rdma without packets: rates and queues as numbers",
                              3);

namespace
{

/**
 * @param name name of a TypeId
 * @return whether it is a routing that goes by packets, or by pauses between them: a fluid is
 *         spread, or keeps its path, whatever the routing's attributes say
 */
bool
IsRoutingOfPackets(const std::string& name)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid) || !tid.HasConstructor() ||
        !tid.IsChildOf(RdmaRouting::GetTypeId()))
    {
        return false;
    }
    const auto routing = ObjectFactory(name).Create<RdmaRouting>();
    return routing->MovesFlows() || !routing->KeepsPaths();
}

} // namespace

TypeId
FluidProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FluidProtocol")
            .SetParent<RdmaProtocol>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<FluidProtocol>()
            .AddAttribute("Step",
                          "Time between two looks at what is congested, in which queues, marks and "
                          "rates change, and queue pairs hear of it. The default is "
                          "RdmaNic::CnpInterval, and about a round trip of a fabric of two tiers, "
                          "in which congestion control hears of what it has done; with HPCC a step "
                          "is an eighth longer than a round trip at least. Above 1 ms no control "
                          "would be followed.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&FluidProtocol::m_step),
                          MakeTimeChecker(NanoSeconds(1), MilliSeconds(1)));
    return tid;
}

FluidProtocol::FluidProtocol()
{
    NS_LOG_FUNCTION(this);
}

FluidProtocol::~FluidProtocol()
{
    NS_LOG_FUNCTION(this);
}

void
FluidProtocol::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_fabric = nullptr;
    m_senders.clear();
    RdmaProtocol::DoDispose();
}

bool
FluidProtocol::Reorders() const
{
    return false;
}

bool
FluidProtocol::ServesServers() const
{
    return true;
}

std::string
FluidProtocol::GetUnsupportedReason(const RdmaCongestionControl& control) const
{
    return control.UsesCredits() ? "a fluid has no packets that credit could be granted for"
                                 : control.GetFluidUnsupportedReason();
}

std::string
FluidProtocol::GetRoutingUnsupportedReason(const RdmaRouting& routing) const
{
    return routing.TakesDetours() ? "a fluid goes by shortest paths" : "";
}

std::string
FluidProtocol::FindUnsupportedReason(Feature feature) const
{
    switch (feature)
    {
    case Feature::TRAINS:
    case Feature::EXACT:
    case Feature::CAPTURE:
    case Feature::PORT_TRACES:
        return ", which has no packets";
    case Feature::TIME_SLOTS:
        return "; only ports of rdma wait for time slots";
    case Feature::OTHER_TRAFFIC:
        return ", which has no packets that TCP could meet";
    case Feature::PROCESSES:
        return ", which one process simulates";
    case Feature::PRIORITIES:
        return ", where all queue pairs are of one class";
    case Feature::LOSSES:
        return ", which loses nothing";
    case Feature::FLOW_CONTROL:
    case Feature::LINK_CHANGES:
    case Feature::FLOW_PATHS:
    case Feature::REUSE:
        break;
    }
    return "";
}

std::string
FluidProtocol::FindUnusedReason(const std::string& attribute) const
{
    // All other attributes of these classes are about packets.
    static const std::set<std::string> used{"RdmaNic::Mtu",
                                            "RdmaNic::AckInterval",
                                            "RdmaNic::CnpInterval",
                                            "RdmaNic::InFlightLimit",
                                            "RdmaNic::PairRate",
                                            "RdmaNic::RetransmissionTimeout",
                                            "RdmaNic::RetryLimit",
                                            "RdmaNic::ShortTimeout",
                                            "RdmaNic::ShortTimeoutPackets",
                                            "RdmaNic::CongestionControl",
                                            "RdmaSwitch::BufferSize",
                                            "RdmaSwitch::IngressAlpha",
                                            "RdmaSwitch::MaxFrame",
                                            "RdmaNetDevice::DataRate",
                                            "RdmaNetDevice::EcnMarker",
                                            "RdmaNetDevice::FlowControl",
                                            "RdmaNetDevice::LaneBuffer"};
    const std::string space = "ns3::";
    const auto name = attribute.substr(space.size());
    const auto type = name.substr(0, name.find(':'));
    const bool isOfPackets = type == "RdmaNic" || type == "RdmaSwitch" || type == "RdmaNetDevice" ||
                             name == "RdmaMessageTransport::Priority";
    const bool isUnused = isOfPackets ? used.count(name) == 0 : IsRoutingOfPackets(space + type);
    return isUnused ? ", which has no packets" : "";
}

std::string
FluidProtocol::DescribeDeparture(const RdmaRouting& routing) const
{
    if (routing.MovesFlows())
    {
        return "queue pairs keep the path that they draw first, as a fluid has no pauses in which "
               "the routing " +
               routing.GetName() + " could move them";
    }
    return routing.KeepsPaths()
               ? ""
               : "messages are spread evenly over all shortest paths, as the routing " +
                     routing.GetName() + " does not keep them on one, whatever queues stand there";
}

bool
FluidProtocol::SeparatesHosts() const
{
    return false;
}

bool
FluidProtocol::HasPackets() const
{
    return false;
}

bool
FluidProtocol::IsAtRest(uint32_t direction) const
{
    return !m_fabric || m_fabric->GetDomain(direction).IsAtRest();
}

std::vector<uint32_t>
FluidProtocol::ListAwaited(uint32_t direction) const
{
    return m_fabric ? m_fabric->GetDomain(direction).GetPorts().ListAwaited(direction)
                    : std::vector<uint32_t>();
}

FluidFabric&
FluidProtocol::GetFabric(RdmaNetwork& network, const RdmaQueuePairConfig& config) const
{
    if (!m_fabric)
    {
        // Made with the first queue pair: before it nobody knows which protocol runs.
        m_fabric = std::make_unique<FluidFabric>(network, config, m_step);
        network.TraceConnectWithoutContext("LinkChange",
                                           MakeCallback(&FluidProtocol::ChangeLink, this));
        network.TraceConnectWithoutContext("RoutesChange",
                                           MakeCallback(&FluidProtocol::ChangeRoutes, this));
    }
    return *m_fabric;
}

std::unique_ptr<RdmaSender>
FluidProtocol::CreateSender(RdmaQueuePairHost& nic,
                            uint32_t number,
                            uint32_t peer,
                            uint16_t udpSourcePort,
                            uint8_t priority) const
{
    auto sender =
        std::make_unique<FluidSender>(nic,
                                      number,
                                      peer,
                                      udpSourcePort,
                                      priority,
                                      GetFabric(nic.GetNetwork(), nic.GetQueuePairConfig()));
    m_senders.push_back(sender.get());
    return sender;
}

void
FluidProtocol::ChangeLink(uint32_t link, bool up) const
{
    NS_LOG_FUNCTION(this << link << up);
    m_fabric->SetLinkUp(link, up);
}

void
FluidProtocol::ChangeRoutes(uint32_t epoch) const
{
    NS_LOG_FUNCTION(this << epoch);
    for (auto* const sender : m_senders)
    {
        // Every sender may be concerned: routes know links, not queue pairs.
        sender->UpdatePath();
    }
}

std::unique_ptr<RdmaReceiver>
FluidProtocol::CreateReceiver(RdmaQueuePairHost& nic [[maybe_unused]],
                              uint32_t number [[maybe_unused]],
                              const RdmaPacket& packet [[maybe_unused]]) const
{
    NS_ABORT_MSG("a fluid has no packets");
}

} // namespace ns3
