/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ecmp-routing-helper.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/random-variable-stream.h"
#include "ns3/topology-graph.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief One end of a link of the network.
 */
struct FoundEnd
{
    uint32_t node{0}; //!< index of the node in the graph
    Ptr<Ipv4> ipv4;   //!< its IPv4
    uint32_t interface {
        0
    }; //!< index of its IPv4 interface
};

/**
 * @ingroup workload-replay
 * @brief A link of the network.
 */
struct FoundLink
{
    FoundEnd a;    //!< one end
    FoundEnd b;    //!< the other end
    DataRate rate; //!< of the device at the first end; 1 bit/s = it has no DataRate
    Time delay;    //!< of the channel; 0 = it has no Delay
};

/// Index in the graph of each node with IPv4, by node id.
using NodeIndex = std::map<uint32_t, uint32_t>;

/**
 * @param device a device
 * @param index the nodes
 * @param [out] end where the device is in the network
 * @return whether it is there: its node has index and IPv4, the interface an address
 */
bool
FindEnd(Ptr<NetDevice> device, const NodeIndex& index, FoundEnd& end)
{
    const auto found = index.find(device->GetNode()->GetId());
    if (found == index.end())
    {
        return false;
    }
    end.node = found->second;
    end.ipv4 = device->GetNode()->GetObject<Ipv4>();
    const auto interface = end.ipv4->GetInterfaceForDevice(device);
    end.interface = static_cast<uint32_t>(interface);
    return interface >= 0 && end.ipv4->GetNAddresses(end.interface) > 0;
}

/**
 * @param nodes nodes with IPv4
 * @param index index in the graph of each
 * @return the point-to-point links between them, each once, in the order of nodes and devices
 */
std::vector<FoundLink>
FindLinks(const std::vector<Ptr<Node>>& nodes, const NodeIndex& index)
{
    std::vector<FoundLink> links;
    for (const auto& node : nodes)
    {
        for (uint32_t i = 0; i < node->GetNDevices(); ++i)
        {
            const auto device = node->GetDevice(i);
            const auto channel = device->GetChannel();
            // Next hops are links, so that a device of a shared medium has none.
            if (!device->IsPointToPoint() || !channel || channel->GetNDevices() != 2)
            {
                continue;
            }
            FoundLink link;
            // A link is found once: from the device that comes first in its channel.
            const bool isFirst = channel->GetDevice(0) == device;
            if (isFirst && FindEnd(device, index, link.a) &&
                FindEnd(channel->GetDevice(1), index, link.b) && link.a.node != link.b.node)
            {
                DataRateValue rate(DataRate(1));
                TimeValue delay;
                device->GetAttributeFailSafe("DataRate", rate);
                channel->GetAttributeFailSafe("Delay", delay);
                link.rate = rate.Get();
                link.delay = delay.Get();
                links.push_back(link);
            }
        }
    }
    return links;
}

/**
 * Distinguish nodes that only send and receive from those that relay. Two nodes with one neighbour
 * only, each other, count as relays, so that a link between hosts is left to nodes that say of
 * themselves that they do not forward.
 *
 * @param nodes nodes with IPv4
 * @param links their links
 * @return by index: whether the node is a host
 */
std::vector<bool>
FindHosts(const std::vector<Ptr<Node>>& nodes, const std::vector<FoundLink>& links)
{
    constexpr uint32_t none = UINT32_MAX;
    constexpr uint32_t several = UINT32_MAX - 1;
    std::vector<uint32_t> neighbor(nodes.size(), none);
    const auto note = [&neighbor](uint32_t node, uint32_t peer) {
        // One neighbour, by however many links, or several.
        neighbor[node] = neighbor[node] == none || neighbor[node] == peer ? peer : several;
    };
    for (const auto& link : links)
    {
        note(link.a.node, link.b.node);
        note(link.b.node, link.a.node);
    }
    std::vector<bool> hosts(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        // An IPv4 without the attribute forwards.
        BooleanValue forwards(true);
        nodes[i]->GetObject<Ipv4>()->GetAttributeFailSafe("IpForward", forwards);
        hosts[i] = !forwards.Get();
    }
    auto all = hosts;
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        const auto peer = neighbor[i];
        // A node with one neighbour is a host if that one relays between several nodes.
        all[i] = hosts[i] || (peer < several && neighbor[peer] == several && !hosts[peer]);
    }
    return all;
}

/**
 * @param nodes nodes with IPv4
 * @param links their links
 * @return the network; node i and link i are those of the arguments
 */
TopologyGraph
MakeGraph(const std::vector<Ptr<Node>>& nodes, const std::vector<FoundLink>& links)
{
    TopologyGraph graph;
    const auto hosts = FindHosts(nodes, links);
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        const auto name = "node" + std::to_string(nodes[i]->GetId());
        hosts[i] ? graph.AddHost(name) : graph.AddSwitch(name);
    }
    for (const auto& link : links)
    {
        graph.AddLink(link.a.node, link.b.node, link.rate, link.delay);
    }
    return graph;
}

/**
 * @param end end of a link
 * @return its address
 */
Ipv4Address
GetAddress(const FoundEnd& end)
{
    return end.ipv4->GetAddress(end.interface, 0).GetLocal();
}

/**
 * Note all addresses and the interfaces that are down.
 *
 * @param nodes nodes with IPv4
 * @param topology the topology
 */
void
NoteInterfaces(const std::vector<Ptr<Node>>& nodes, Ptr<Ipv4EcmpTopology> topology)
{
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        const auto ipv4 = nodes[node]->GetObject<Ipv4>();
        for (uint32_t interface = 0; interface < ipv4->GetNInterfaces(); ++interface)
        {
            topology->SetInterfaceUp(node, interface, ipv4->IsUp(interface));
            for (uint32_t i = 0; i < ipv4->GetNAddresses(interface); ++i)
            {
                const auto address = ipv4->GetAddress(interface, i).GetLocal();
                // Every node has the loopback address, so it leads nowhere.
                if (address != Ipv4Address::GetLoopback())
                {
                    topology->AddAddress(address, node);
                }
            }
        }
    }
}

/**
 * @return default of the attribute Seed, which the user may have changed
 */
uint64_t
GetDefaultSeed()
{
    TypeId::AttributeInformation seed;
    Ipv4EcmpRouting::GetTypeId().LookupAttributeByName("Seed", &seed);
    return DynamicCast<const UintegerValue>(seed.initialValue)->Get();
}

} // namespace

EcmpRoutingHelper::EcmpRoutingHelper()
{
    m_factory.SetTypeId("ns3::Ipv4EcmpRouting");
}

void
EcmpRoutingHelper::Set(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

EcmpRoutingHelper*
EcmpRoutingHelper::Copy() const
{
    return new EcmpRoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol>
EcmpRoutingHelper::Create(Ptr<Node> /* node */) const
{
    return m_factory.Create<Ipv4RoutingProtocol>();
}

void
EcmpRoutingHelper::PopulateRoutingTables(const NodeContainer& nodes)
{
    std::vector<Ptr<Node>> members;
    NodeIndex index;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        const auto next = static_cast<uint32_t>(members.size());
        if ((*i)->GetObject<Ipv4>() && index.emplace((*i)->GetId(), next).second)
        {
            members.push_back(*i);
        }
    }
    const auto links = FindLinks(members, index);
    auto topology = ns3::Create<Ipv4EcmpTopology>(MakeGraph(members, links));
    for (uint32_t i = 0; i < links.size(); ++i)
    {
        const auto& a = links[i].a;
        const auto& b = links[i].b;
        topology->SetPort(i, a.node, {a.interface, GetAddress(b)});
        topology->SetPort(i, b.node, {b.interface, GetAddress(a)});
    }
    NoteInterfaces(members, topology);
    for (uint32_t i = 0; i < members.size(); ++i)
    {
        const auto protocol = members[i]->GetObject<Ipv4>()->GetRoutingProtocol();
        const auto ecmp = protocol ? GetRouting<Ipv4EcmpRouting>(protocol) : nullptr;
        if (ecmp)
        {
            ecmp->SetTopology(topology, i);
        }
    }
}

void
EcmpRoutingHelper::PopulateRoutingTables()
{
    PopulateRoutingTables(NodeContainer::GetGlobal());
}

int64_t
EcmpRoutingHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    // A draw has 32 bits, the seed 64.
    const uint64_t upper = random->GetInteger(0, UINT32_MAX);
    const uint64_t drawn = (upper << 32) | random->GetInteger(0, UINT32_MAX);
    // A seed that the user has set wins; as many random streams are used either way.
    const uint64_t chosen = GetDefaultSeed();
    const uint64_t seed = chosen == 0 ? drawn : chosen;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        const auto ipv4 = (*i)->GetObject<Ipv4>();
        const auto protocol = ipv4 ? ipv4->GetRoutingProtocol() : nullptr;
        const auto ecmp = protocol ? GetRouting<Ipv4EcmpRouting>(protocol) : nullptr;
        if (ecmp)
        {
            ecmp->SetSeed(seed);
        }
    }
    return 1;
}

} // namespace ns3
