/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-fabric.h"

#include "ns3/node.h"
#include "ns3/rdma-ecn-marker.h"
#include "ns3/rdma-net-device.h"
#include "ns3/rdma-network.h"
#include "ns3/rdma-port-load.h"
#include "ns3/rdma-queue-pair-config.h"
#include "ns3/rdma-switch.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// The priority that is lossless unless RdmaSwitch::LosslessPriorities, which has no effect here,
/// says another.
constexpr uint8_t LOSSLESS = 3;

/**
 * @param forwarding a switch
 * @param port one of its ports, which are alike
 * @return what links that bring too much are held back by: shares of the common buffer, or the
 *         receive buffer that there are credits for
 */
FluidBuffer
DescribeBuffer(Ptr<RdmaSwitch> forwarding, const RdmaNetDevice& port)
{
    if (port.UsesCredits())
    {
        return {[lane = port.GetLaneBuffer()](double) { return lane; }};
    }
    return {[forwarding](double stored) {
                return forwarding->GetBuffer().GetThreshold(LOSSLESS, stored);
            },
            static_cast<double>(forwarding->GetBuffer().GetResumeOffset())};
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
    else
    {
        // The packet that it has begun is sent to its end, and a packet counts when it has come.
        settings.reaction =
            static_cast<double>(2 * delay.GetTimeStep() + port.GetSendingSteps(wireBytes) +
                                port.GetSendingSteps(RdmaPacket::PFC_BYTES));
    }
    settings.packet = wireBytes;
    settings.buffer = buffer;
    settings.counters = &port.counters;
    const auto marker = port.GetEcnMarker();
    if (buffer != FluidLink::NO_BUFFER && marker)
    {
        settings.marking = [marker, rate](double queue) {
            // The queue is in bytes; thresholds depend on the port's rate.
            return marker->AskProbability(static_cast<uint64_t>(queue), rate);
        };
    }
    return settings;
}

/**
 * Number the domains of a fabric. Flows meet at what forwards: links that a switch, or a host that
 * relays, joins are of one domain.
 *
 * @param graph the fabric
 * @return number of each link's domain, from 0 on in the order of links
 */
std::vector<uint32_t>
FindDomains(const TopologyGraph& graph)
{
    constexpr uint32_t unknown = UINT32_MAX;
    std::vector<uint32_t> domains(graph.GetNLinks(), unknown);
    uint32_t count = 0;
    for (uint32_t first = 0; first < graph.GetNLinks(); ++first)
    {
        if (domains[first] != unknown)
        {
            continue;
        }
        // Breadth first from the link, over all nodes that forward.
        domains[first] = count;
        std::vector<uint32_t> found{first};
        for (std::size_t i = 0; i < found.size(); ++i)
        {
            const auto& link = graph.GetLink(found[i]);
            for (const auto node : {link.a, link.b})
            {
                if (graph.GetNode(node).kind == TopologyGraph::HOST && !graph.HostsRelay())
                {
                    continue;
                }
                for (const auto next : graph.GetLinksOf(node))
                {
                    if (domains[next] == unknown)
                    {
                        domains[next] = count;
                        found.push_back(next);
                    }
                }
            }
        }
        ++count;
    }
    return domains;
}

/**
 * @param a a path
 * @param b another one
 * @return whether both take the same links
 */
bool
IsSamePath(const std::vector<FluidHop>& a, const std::vector<FluidHop>& b)
{
    const auto isSame = [](const FluidHop& x, const FluidHop& y) { return x.link == y.link; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), isSame);
}

} // namespace

/// A link, as its port shows it to others.
class FluidFabric::PortLoad : public RdmaPortLoad
{
  public:
    /**
     * @param link the link
     * @param port its port, which has this load from now on
     */
    PortLoad(const FluidLink& link, Ptr<RdmaNetDevice> port)
        : m_link(link),
          m_port(port)
    {
        m_port->load = this;
    }

    ~PortLoad() override
    {
        m_port->load = nullptr;
    }

    // The port refers to it.
    PortLoad(const PortLoad&) = delete;
    PortLoad& operator=(const PortLoad&) = delete;

    uint64_t GetQueuedBytes() const override
    {
        return static_cast<uint64_t>(m_link.GetQueue(Simulator::Now().GetTimeStep()));
    }

    double GetUncountedBytes() const override
    {
        return m_link.GetUncountedBytes(Simulator::Now().GetTimeStep());
    }

  private:
    const FluidLink& m_link;   //!< the link
    Ptr<RdmaNetDevice> m_port; //!< its port
};

FluidFabric::~FluidFabric() = default;

FluidFabric::FluidFabric(RdmaNetwork& network, const RdmaQueuePairConfig& config, Time step)
    : m_domainOf(FindDomains(network.GetGraph()))
{
    const TopologyGraph& graph = network.GetGraph();
    // Networks refer to the links, which must not move.
    m_links.reserve(std::size_t{2} * graph.GetNLinks());
    const RdmaLinkLayer& layer = *config.linkLayer;
    const uint32_t frame = layer.GetDataBytes(config.mtu, config.usesTelemetry);
    const uint32_t wireBytes = layer.GetWireBytes(frame);
    if (config.usesTelemetry)
    {
        // Telemetry comes once a step, and HPCC goes on from it when what it has sent since is
        // acknowledged: in steps a little shorter than a round trip that would be every other one.
        step = Max(step, network.GetLongestBaseRtt(frame, layer) * 9 / 8);
    }
    std::map<uint32_t, uint32_t> buffers;
    for (uint32_t number = 0; number < graph.GetNLinks(); ++number)
    {
        if (m_domainOf[number] == m_domains.size())
        {
            m_domains.push_back(std::make_unique<FluidNetwork>(m_links, step));
        }
        const auto& link = graph.GetLink(number);
        // The order of the directions is that of their numbers.
        for (const auto node : {link.a, link.b})
        {
            const auto port = network.GetPort(number, node);
            const auto forwarding = port->GetNode()->GetObject<RdmaSwitch>();
            // Hosts have no buffer that others fill: only ports of switches hold back who sends.
            if (forwarding && buffers.count(node) == 0)
            {
                // All links of a switch are of one domain, and so is its buffer.
                buffers[node] =
                    m_domains[m_domainOf[number]]->AddBuffer(DescribeBuffer(forwarding, *port));
            }
            m_links.emplace_back(DescribeLink(*port,
                                              forwarding ? buffers[node] : FluidLink::NO_BUFFER,
                                              link.delay,
                                              wireBytes));
            m_links.back().isDown = !port->IsLinkUp();
            m_loads.push_back(std::make_unique<PortLoad>(m_links.back(), port));
        }
    }
}

void
FluidFabric::Reroute(FluidFlow& flow, std::vector<FluidHop> hops, uint32_t nodes)
{
    if (IsSamePath(flow.hops, hops))
    {
        return;
    }
    FluidNetwork& next = GetDomain(hops.front().link);
    std::vector<double> waiting;
    if (!flow.hops.empty())
    {
        waiting = GetDomain(flow.hops.front().link).Leave(flow);
    }
    next.Take(flow, std::move(hops), nodes, waiting);
}

void
FluidFabric::SetLinkUp(uint32_t number, bool isUp)
{
    // A cable that is cut carries nothing either way.
    for (const uint32_t direction : {2 * number, 2 * number + 1})
    {
        GetDomain(direction).SetLinkUp(direction, isUp);
    }
}

} // namespace ns3
