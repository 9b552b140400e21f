/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-detour-routing.h"

#include "rdma-network.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ecmp-hash.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"
#include "ns3/topology-servers.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDetourRouting);

NS_STRATEGY_ENSURE_REGISTERED(RdmaValiantRouting, "valiant", "by way of a random switch", 8);

NS_STRATEGY_ENSURE_REGISTERED(RdmaUgalRouting,
                              "ugal",
                              "by way of a random switch where that seems faster",
                              9);

NS_STRATEGY_ENSURE_REGISTERED(RdmaUgalGlobalRouting,
                              "ugal-g",
                              "as ugal, by the queues of all switches on the way",
                              10);

namespace
{

/// Salt of the draw of a switch, which is not to go with that of a port.
constexpr uint64_t DETOUR_SALT = 0x6465746f75727321;

/// @brief Where a packet is sent first, and the least queued port that leads there.
class DetourChoice : public RdmaPathChoice
{
  public:
    /**
     * @param parameters what the node goes by
     * @param node its number
     * @param salt its salt
     */
    DetourChoice(std::shared_ptr<const RdmaDetourRouting::Parameters> parameters,
                 uint32_t node,
                 uint64_t salt)
        : m_parameters(std::move(parameters)),
          m_node(node),
          m_salt(salt),
          m_decides(std::binary_search(m_parameters->switches.begin(),
                                       m_parameters->switches.end(),
                                       node))
    {
    }

    uint32_t FindTarget(RdmaPacket& packet, const RdmaNetwork& network) override
    {
        uint32_t& target = packet.pathTag.path;
        // Acknowledgements take shortest paths, and only the first switch decides.
        if (packet.type != RdmaPacket::DATA || (target == RdmaPathTag::NONE && !m_decides))
        {
            return packet.destination;
        }
        const bool decides = target == RdmaPathTag::NONE;
        if (decides)
        {
            target = Decide(packet, network);
        }
        else if (target != m_node)
        {
            return target;
        }
        else
        {
            // The switch of the detour is reached: from here on the path is the shortest.
            target = packet.destination;
        }
        if (m_parameters->channels)
        {
            m_parameters->channels->Begin(packet, target != packet.destination);
        }
        return target;
    }

    bool Forward(RdmaPacket& packet, uint32_t link, RdmaNetDevice& port [[maybe_unused]]) override
    {
        // Only once the first switch has decided: not at hosts, nor acknowledgements.
        if (packet.pathTag.path != RdmaPathTag::NONE)
        {
            m_parameters->channels->Move(packet, link, m_node);
        }
        return true;
    }

    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        const auto count = hops.size();
        // Ties are broken by the hash, beginning at another port for each packet.
        const uint32_t first = EcmpChoose(GetHash(packet), m_salt, count);
        const int64_t now = Simulator::Now().GetTimeStep();
        uint32_t best = hops.SkipDown(first);
        int64_t least = hops[best]->GetBacklogSteps(now);
        for (uint32_t i = 1; i < count && least > 0; ++i)
        {
            const uint32_t next = (first + i) % count;
            const int64_t steps = hops[next]->GetBacklogSteps(now);
            if (hops[next]->IsLinkUp() && steps < least)
            {
                best = next;
                least = steps;
            }
        }
        return best;
    }

  private:
    /**
     * @param packet a packet
     * @return a number of its own: a queue pair never sends two at the same time
     */
    static uint64_t GetHash(const RdmaPacket& packet)
    {
        // Packets of a queue pair differ by the time at which they were sent.
        return packet.flowHash ^ EcmpMix(static_cast<uint64_t>(packet.sentAt));
    }

    /**
     * @param packet a packet that has come from its host
     * @param network the routes
     * @return where it is to go first: another switch, or its destination
     */
    uint32_t Decide(const RdmaPacket& packet, const RdmaNetwork& network)
    {
        const uint32_t hops = network.GetHopCount(m_node, packet.destination);
        const auto& switches = m_parameters->switches;
        const auto drawn = EcmpChoose(GetHash(packet),
                                      m_salt ^ DETOUR_SALT,
                                      static_cast<uint32_t>(switches.size()));
        const uint32_t via = switches[drawn];
        const RdmaNextHops ports = network.GetNextHops(m_node, via);
        const uint32_t rest = network.GetHopCount(via, packet.destination);
        // One hop leads to hosts of this switch. There is no way to a switch of another plane.
        if (hops == 1 || rest == 1 || ports.size() == 0 || rest == EcmpRouteTable::UNREACHABLE ||
            hops == EcmpRouteTable::UNREACHABLE)
        {
            return packet.destination;
        }
        if (!m_parameters->isAdaptive)
        {
            return via;
        }
        if (m_parameters->isGlobal)
        {
            return MeasurePath(network, m_node, packet.destination) <=
                           MeasurePath(network, m_node, via) +
                               MeasurePath(network, via, packet.destination)
                       ? packet.destination
                       : via;
        }
        // UGAL: queue times hops estimates the delay of a path (A. Singh, 2005).
        const uint32_t detour = network.GetHopCount(m_node, via) + rest;
        const RdmaNextHops shortest = network.GetNextHops(m_node, packet.destination);
        const Wait direct = Measure(shortest);
        const Wait around = Measure(ports);
        const double bias =
            m_parameters->bias *
            static_cast<double>(shortest[0]->GetSendingSteps(packet.GetSingleWireBytes()));
        const bool isSame = m_parameters->comparesChannels && direct.port == around.port;
        // Time steps; the bias keeps idle networks on shortest paths.
        return hops * (isSame ? MeasureChannel(*direct.port, false) : direct.steps) <=
                       detour * (isSame ? MeasureChannel(*direct.port, true) : around.steps) + bias
                   ? packet.destination
                   : via;
    }

    /// How long a packet waits at a node.
    struct Wait
    {
        RdmaNetDevice* port{nullptr}; //!< the least queued port
        double steps{0};              //!< time steps that it needs for what it has to send
    };

    /**
     * @param hops ports that a packet may leave by
     * @return the least queued one
     */
    static Wait Measure(const RdmaNextHops& hops)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        Wait least{nullptr, std::numeric_limits<double>::max()};
        for (uint32_t i = 0; i < hops.size(); ++i)
        {
            const auto steps = static_cast<double>(hops[i]->GetBacklogSteps(now));
            least = steps < least.steps ? Wait{hops[i], steps} : least;
        }
        return least;
    }

    /**
     * @param port a port
     * @param isDetour whether of a path that leads to another switch first
     * @return time steps that it needs for what waits there on the first channel of such paths
     */
    double MeasureChannel(const RdmaNetDevice& port, bool isDetour) const
    {
        const uint8_t priority = m_parameters->channels->GetFirst(isDetour);
        return static_cast<double>(port.GetSendingSteps(port.GetQueues().GetBytes(priority)));
    }

    /**
     * @param network the routes
     * @param from a node
     * @param to another one
     * @return time steps that the ports of a shortest path need for what they have to send, of
     *         several at a node the least queued one
     */
    static double MeasurePath(const RdmaNetwork& network, uint32_t from, uint32_t to)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        double sum = 0;
        while (from != to)
        {
            const RdmaNextHops hops = network.GetNextHops(from, to);
            uint32_t best = 0;
            int64_t least = hops[0]->GetBacklogSteps(now);
            for (uint32_t i = 1; i < hops.size() && least > 0; ++i)
            {
                const int64_t steps = hops[i]->GetBacklogSteps(now);
                best = steps < least ? i : best;
                least = std::min(least, steps);
            }
            sum += static_cast<double>(least);
            from = network.GetGraph().GetPeer(hops.GetLink(best), from);
        }
        return sum;
    }

    std::shared_ptr<const RdmaDetourRouting::Parameters> m_parameters; //!< what the node goes by
    uint32_t m_node;                                                   //!< its number
    uint64_t m_salt;                                                   //!< its salt
    bool m_decides; //!< hosts are attached to it, and it sends their packets on detours
};

/**
 * @param graph a fabric
 * @return switches that hosts are attached to, or NICs that hosts share, ascending
 */
std::vector<uint32_t>
ListAttachedSwitches(const TopologyGraph& graph)
{
    const auto nics = FindNics(graph);
    std::set<uint32_t> switches;
    for (const auto nic : nics)
    {
        for (const auto link : graph.GetLinksOf(nic))
        {
            const auto peer = graph.GetPeer(link, nic);
            if (graph.GetNode(peer).kind == TopologyGraph::SWITCH)
            {
                switches.insert(peer);
            }
        }
    }
    return {switches.begin(), switches.end()};
}

} // namespace

TypeId
RdmaDetourRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaDetourRouting")
            .SetParent<RdmaRouting>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("VirtualChannels",
                          "Where flow control holds packets back, have data packets change their "
                          "priority on the way, so that they do not wait for each other in a "
                          "circle, as routers of dragonflies do (J. Kim et al., ISCA 2008, section "
                          "4.1). False: they keep it, and may.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaDetourRouting::m_hasChannels),
                          MakeBooleanChecker());
    return tid;
}

bool
RdmaDetourRouting::WritesPackets() const
{
    return GetChannels() != 0;
}

bool
RdmaDetourRouting::WantsChannels() const
{
    return m_hasChannels && m_offered != 0;
}

void
RdmaDetourRouting::OfferChannels(RdmaEgressQueues::Mask priorities)
{
    m_offered = priorities;
}

RdmaEgressQueues::Mask
RdmaDetourRouting::GetChannels() const
{
    return m_parameters && m_parameters->channels ? m_parameters->channels->GetPriorities() : 0;
}

bool
RdmaDetourRouting::Reorders() const
{
    return true;
}

bool
RdmaDetourRouting::TakesDetours() const
{
    return true;
}

std::string
RdmaDetourRouting::DescribeRisk() const
{
    if (GetChannels() != 0)
    {
        return "";
    }
    return "on paths that are not shortest, packets that are held back may wait for each other in "
           "a circle: --transport=uec, or ns3::RdmaSwitch::LosslessPriorities without that of "
           "data, holds none back, and ns3::RdmaDetourRouting::VirtualChannels breaks the circle";
}

void
RdmaDetourRouting::SetGraph(const TopologyGraph& graph)
{
    if (graph.HostsRelay())
    {
        throw WorkloadError({GetInstanceTypeId().GetName(), 0, 0, ""},
                            "a topology in which all hosts are attached to switches, which send "
                            "packets on detours",
                            "hosts that are linked to hosts");
    }
    auto parameters = std::make_shared<Parameters>(GetParameters());
    parameters->switches = ListAttachedSwitches(graph);
    if (WantsChannels())
    {
        parameters->channels =
            std::make_shared<const RdmaVirtualChannels>(graph, parameters->switches, m_offered);
    }
    if (parameters->comparesChannels && !parameters->channels)
    {
        throw WorkloadError({"ns3::RdmaUgalRouting::ChannelQueues", 0, 0, ""},
                            "flow control of data, and "
                            "ns3::RdmaDetourRouting::VirtualChannels=true, without which there "
                            "are no virtual channels",
                            "neither, or one of them");
    }
    m_parameters = parameters;
}

std::unique_ptr<RdmaPathChoice>
RdmaDetourRouting::Create(uint32_t node, uint64_t salt) const
{
    return std::make_unique<DetourChoice>(m_parameters, node, salt);
}

TypeId
RdmaValiantRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaValiantRouting")
                            .SetParent<RdmaDetourRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaValiantRouting>();
    return tid;
}

RdmaDetourRouting::Parameters
RdmaValiantRouting::GetParameters() const
{
    return {};
}

TypeId
RdmaUgalRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaUgalRouting")
            .SetParent<RdmaDetourRouting>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaUgalRouting>()
            .AddAttribute("Bias",
                          "Hops times waiting time that a shortest path may have more than a "
                          "detour, in sending times of a packet: the more, the fewer detours; "
                          "negative = detours even where shortest paths are as fast. The default "
                          "is the rule of the sources.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaUgalRouting::m_bias),
                          MakeDoubleChecker<double>())
            .AddAttribute("ChannelQueues",
                          "Where a shortest path and a detour begin at one port, compare the "
                          "queues of the virtual channels that they begin with (UGAL-L_VCH of J. "
                          "Kim et al., ISCA 2008, section 4.3.1). False: the port's, by which the "
                          "shortest path always wins there (UGAL-L).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaUgalRouting::m_comparesChannels),
                          MakeBooleanChecker());
    return tid;
}

RdmaDetourRouting::Parameters
RdmaUgalRouting::GetParameters() const
{
    Parameters parameters;
    parameters.isAdaptive = true;
    parameters.bias = m_bias;
    parameters.comparesChannels = m_comparesChannels;
    return parameters;
}

TypeId
RdmaUgalGlobalRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaUgalGlobalRouting")
                            .SetParent<RdmaDetourRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaUgalGlobalRouting>();
    return tid;
}

bool
RdmaUgalGlobalRouting::ReadsOtherNodes() const
{
    return true;
}

RdmaDetourRouting::Parameters
RdmaUgalGlobalRouting::GetParameters() const
{
    Parameters parameters;
    parameters.isAdaptive = true;
    parameters.isGlobal = true;
    return parameters;
}

} // namespace ns3
