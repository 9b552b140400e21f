/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-protocol.h"

#include "fluid-network.h"
#include "fluid-sender.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-ecn-marker.h"
#include "ns3/rdma-network.h"
#include "ns3/rdma-queue-pair-host.h"
#include "ns3/rdma-routing.h"
#include "ns3/rdma-switch.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FluidProtocol");

NS_STRATEGY_ENSURE_REGISTERED(FluidProtocol,
                              "fluid",
                              "rdma without packets: rates and queues as numbers",
                              3);

namespace
{

/// The priority that is lossless unless RdmaSwitch::LosslessPriorities, which has no effect here,
/// says another.
constexpr uint8_t LOSSLESS = 3;

/**
 * @param forwarding a switch
 * @param port one of its ports, which are alike
 * @return what a link that brings more is held back at: a share of the common buffer, or the
 *         receive buffer that there are credits for
 */
FluidBuffer::Threshold
DescribeBuffer(Ptr<RdmaSwitch> forwarding, const RdmaNetDevice& port)
{
    if (port.UsesCredits())
    {
        return [lane = port.GetLaneBuffer()](double) { return lane; };
    }
    return [forwarding](double stored) {
        return forwarding->GetBuffer().GetThreshold(LOSSLESS, stored);
    };
}

/**
 * A full packet may be sent again when its credit is back: the packet and the flow control packet
 * have been sent, each over the link.
 *
 * @param port a port with credits
 * @param delay propagation delay of its link
 * @param wireBytes a full packet on the wire
 * @return bytes per time step that the receive buffer at the far end lets it send at most
 */
double
GetCreditLimit(const RdmaNetDevice& port, Time delay, uint32_t wireBytes)
{
    const uint32_t packets =
        port.GetLaneBuffer() / RdmaCredits::BLOCK_BYTES / RdmaCredits::GetBlocks(wireBytes);
    const auto roundTrip = static_cast<double>(
        2 * delay.GetTimeStep() + port.GetSendingSteps(wireBytes + RdmaPacket::ROOM_BYTES));
    return static_cast<double>(packets) * wireBytes / roundTrip;
}

/**
 * @param [in,out] port a port, which counts what goes over its link
 * @param buffer number of the buffer of its node; FluidLink::NO_BUFFER = it forwards nothing
 * @param delay propagation delay of the link
 * @param wireBytes a full packet on the wire
 * @return what a fluid needs to know of its link
 */
FluidLink::Settings
DescribeLink(RdmaNetDevice& port, uint32_t buffer, Time delay, uint32_t wireBytes)
{
    FluidLink::Settings settings;
    const DataRate rate = port.GetRate();
    settings.bitRate = rate.GetBitRate();
    // bytes per time step
    settings.capacity =
        static_cast<double>(rate.GetBitRate()) / 8 / static_cast<double>(Seconds(1).GetTimeStep());
    if (port.UsesCredits())
    {
        settings.capacity = std::min(settings.capacity, GetCreditLimit(port, delay, wireBytes));
    }
    settings.buffer = buffer;
    settings.counters = &port.counters;
    const auto marker = port.GetEcnMarker();
    if (buffer != FluidLink::NO_BUFFER && marker)
    {
        settings.marking = [marker, rate](double queue) {
            // The queue is in bytes; thresholds depend on the port's rate.
            return marker->GetProbability(static_cast<uint64_t>(queue), rate);
        };
    }
    return settings;
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
                          "rates change. The default is about a round trip of a fabric of two "
                          "tiers, in which congestion control hears of what it has done. Above "
                          "1 ms no control would be followed.",
                          TimeValue(MicroSeconds(5)),
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
    m_network = nullptr;
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
        return ", which has no packets";
    case Feature::TIME_SLOTS:
        return "; only ports of rdma wait for time slots";
    case Feature::OTHER_TRAFFIC:
        return ", which has no packets that TCP could meet";
    case Feature::REUSE:
        return ", which simulates every collective";
    case Feature::PROCESSES:
        return ", which one process simulates";
    case Feature::PRIORITIES:
        return ", where all queue pairs are of one class";
    case Feature::LOSSES:
        return ", which loses nothing";
    case Feature::FLOW_CONTROL:
    case Feature::LINK_CHANGES:
    case Feature::FLOW_PATHS:
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
    return isOfPackets && used.count(name) == 0 ? ", which has no packets" : "";
}

std::string
FluidProtocol::DescribeDeparture(const RdmaRouting& routing) const
{
    return routing.KeepsPaths()
               ? ""
               : "messages are spread evenly over all shortest paths, as the routing " +
                     routing.GetName() + " does not keep them on one, whatever queues stand there";
}

uint64_t
FluidProtocol::GetQueuedBytes(uint32_t direction) const
{
    const int64_t now = Simulator::Now().GetTimeStep();
    return m_network ? static_cast<uint64_t>(m_network->GetLink(direction).GetQueue(now)) : 0;
}

double
FluidProtocol::GetUncountedBytes(uint32_t direction) const
{
    const int64_t now = Simulator::Now().GetTimeStep();
    return m_network ? m_network->GetLink(direction).GetUncountedBytes(now) : 0;
}

FluidNetwork&
FluidProtocol::GetNetwork(RdmaNetwork& network, const RdmaQueuePairConfig& config) const
{
    if (!m_network)
    {
        const TopologyGraph& graph = network.GetGraph();
        // Made with the first queue pair: before it nobody knows which protocol runs.
        m_network = std::make_unique<FluidNetwork>(m_step);
        const RdmaLinkLayer& layer = *config.linkLayer;
        const uint32_t wireBytes =
            layer.GetWireBytes(layer.GetDataBytes(config.mtu, config.usesTelemetry));
        std::map<uint32_t, uint32_t> buffers;
        for (uint32_t number = 0; number < graph.GetNLinks(); ++number)
        {
            const auto& link = graph.GetLink(number);
            // The order of the directions is that of their numbers.
            for (const auto node : {link.a, link.b})
            {
                const auto port = network.GetPort(number, node);
                const auto forwarding = port->GetNode()->GetObject<RdmaSwitch>();
                // Hosts have no buffer that others fill: only ports of switches hold back who
                // sends.
                if (forwarding && buffers.count(node) == 0)
                {
                    buffers[node] = m_network->AddBuffer(DescribeBuffer(forwarding, *port));
                }
                const uint32_t direction = m_network->AddLink(
                    DescribeLink(*port,
                                 forwarding ? buffers[node] : FluidLink::NO_BUFFER,
                                 link.delay,
                                 wireBytes));
                if (!port->IsLinkUp())
                {
                    m_network->SetLinkUp(direction, false);
                }
            }
        }
        network.TraceConnectWithoutContext("LinkChange",
                                           MakeCallback(&FluidProtocol::ChangeLink, this));
        network.TraceConnectWithoutContext("RoutesChange",
                                           MakeCallback(&FluidProtocol::ChangeRoutes, this));
    }
    return *m_network;
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
                                      GetNetwork(nic.GetNetwork(), nic.GetQueuePairConfig()));
    m_senders.push_back(sender.get());
    return sender;
}

void
FluidProtocol::ChangeLink(uint32_t link, bool up) const
{
    NS_LOG_FUNCTION(this << link << up);
    for (const uint32_t direction : {2 * link, 2 * link + 1})
    {
        if (m_network)
        {
            m_network->SetLinkUp(direction, up);
        }
    }
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
