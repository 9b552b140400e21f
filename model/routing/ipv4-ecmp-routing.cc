/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv4-ecmp-routing.h"

#include "ecmp-hash.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <array>
#include <iomanip>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Ipv4EcmpRouting");

NS_OBJECT_ENSURE_REGISTERED(Ipv4EcmpRouting);

TypeId
Ipv4EcmpRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Ipv4EcmpRouting")
            .SetParent<Ipv4RoutingProtocol>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<Ipv4EcmpRouting>()
            .AddAttribute(
                "Seed",
                "Seed of the hash that chooses among paths of equal cost; the same on all "
                "nodes. All numbers give equally good choices. With 0 for a default, "
                "EcmpRoutingHelper::AssignStreams() draws one.",
                UintegerValue(0),
                MakeUintegerAccessor(&Ipv4EcmpRouting::SetSeed, &Ipv4EcmpRouting::GetSeed),
                MakeUintegerChecker<uint64_t>());
    return tid;
}

Ipv4EcmpRouting::Ipv4EcmpRouting()
{
    NS_LOG_FUNCTION(this);
}

Ipv4EcmpRouting::~Ipv4EcmpRouting()
{
    NS_LOG_FUNCTION(this);
}

void
Ipv4EcmpRouting::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ipv4 = nullptr;
    m_topology = nullptr;
    Ipv4RoutingProtocol::DoDispose();
}

void
Ipv4EcmpRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    NS_LOG_FUNCTION(this << ipv4);
    m_ipv4 = ipv4;
}

void
Ipv4EcmpRouting::SetTopology(Ptr<Ipv4EcmpTopology> topology, uint32_t node)
{
    NS_LOG_FUNCTION(this << node);
    m_topology = topology;
    m_node = node;
    // Without a salt for each node all switches would choose alike, and the tiers above would use a
    // fraction of their links (hash polarization).
    m_salt = EcmpSalt(m_seed, m_node);
}

void
Ipv4EcmpRouting::SetSeed(uint64_t seed)
{
    NS_LOG_FUNCTION(this << seed);
    m_seed = seed;
    m_salt = EcmpSalt(m_seed, m_node);
}

uint64_t
Ipv4EcmpRouting::GetSeed() const
{
    return m_seed;
}

uint64_t
Ipv4EcmpRouting::HashFlow(const Ipv4Header& header, Ptr<const Packet> packet, bool hasPorts)
{
    uint32_t ports = 0;
    const auto protocol = header.GetProtocol();
    // Later fragments have no ports: for all to take one path, the first one's do not count.
    const bool whole = header.IsLastFragment() && header.GetFragmentOffset() == 0;
    if (hasPorts && whole && packet && packet->GetSize() >= 4 &&
        (protocol == TcpL4Protocol::PROT_NUMBER || protocol == UdpL4Protocol::PROT_NUMBER))
    {
        // Both headers start with the source port and the destination port, 16 bits each.
        std::array<uint8_t, 4> start;
        packet->CopyData(start.data(), start.size());
        for (const auto byte : start)
        {
            ports = (ports << 8) | byte;
        }
    }
    return EcmpFlowHash(header.GetSource().Get(), header.GetDestination().Get(), protocol, ports);
}

uint32_t
Ipv4EcmpRouting::ChooseLink(uint32_t destination, uint64_t flowHash) const
{
    const auto links = m_topology->GetNextLinks(m_node, destination);
    return links.size() == 0 ? NO_LINK : links[EcmpChoose(flowHash, m_salt, links.size())];
}

uint32_t
Ipv4EcmpRouting::FindLink(uint32_t destination, Ptr<const NetDevice> device) const
{
    for (const auto link : m_topology->GetNextLinks(m_node, destination))
    {
        if (m_ipv4->GetNetDevice(m_topology->GetPort(link, m_node).interface) == device)
        {
            return link;
        }
    }
    return NO_LINK;
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::MakeRoute(uint32_t link, const Ipv4Header& header) const
{
    const auto& port = m_topology->GetPort(link, m_node);
    auto route = Create<Ipv4Route>();
    route->SetDestination(header.GetDestination());
    route->SetGateway(port.gateway);
    route->SetOutputDevice(m_ipv4->GetNetDevice(port.interface));
    // A flow keeps its source address when its route moves to another interface. A header without
    // one has the default address, which is not the "any" address in all releases.
    const auto source = header.GetSource();
    if (source != Ipv4Address() && !source.IsAny())
    {
        route->SetSource(source);
    }
    else
    {
        const auto own = m_ipv4->GetAddress(port.interface, 0).GetLocal();
        route->SetSource(m_topology->GetSource(m_node, own));
    }
    return route;
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::MakeLocalRoute(Ipv4Address destination) const
{
    // By the loopback device, so that a node reaches itself also when its interfaces are down.
    auto route = Create<Ipv4Route>();
    route->SetDestination(destination);
    route->SetSource(destination);
    route->SetGateway(Ipv4Address::GetAny());
    route->SetOutputDevice(
        m_ipv4->GetNetDevice(m_ipv4->GetInterfaceForAddress(Ipv4Address::GetLoopback())));
    return route;
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::RouteOutput(Ptr<Packet> p,
                             const Ipv4Header& header,
                             Ptr<NetDevice> oif,
                             Socket::SocketErrno& sockerr)
{
    NS_LOG_FUNCTION(this << p << header << oif);
    const auto address = header.GetDestination();
    const auto destination = m_topology ? m_topology->FindNode(address) : Ipv4EcmpTopology::NO_NODE;
    auto link = NO_LINK;
    if (destination == m_node && destination != Ipv4EcmpTopology::NO_NODE)
    {
        sockerr = Socket::ERROR_NOTERROR;
        return MakeLocalRoute(address);
    }
    if (destination != Ipv4EcmpTopology::NO_NODE)
    {
        // TCP asks for a route with its header in place, UDP does so before it adds its own.
        const bool hasPorts = header.GetProtocol() == TcpL4Protocol::PROT_NUMBER;
        link = oif ? FindLink(destination, oif)
                   : ChooseLink(destination, HashFlow(header, p, hasPorts));
    }
    if (link == NO_LINK)
    {
        NS_LOG_LOGIC("no route to " << address);
        sockerr = Socket::ERROR_NOROUTETOHOST;
        return nullptr;
    }
    sockerr = Socket::ERROR_NOTERROR;
    return MakeRoute(link, header);
}

bool
Ipv4EcmpRouting::RouteInput(Ptr<const Packet> p,
                            const Ipv4Header& header,
                            Ptr<const NetDevice> idev,
                            RouteInputTypes::Unicast ucb,
                            RouteInputTypes::Multicast /* mcb */,
                            RouteInputTypes::Local lcb,
                            RouteInputTypes::Error ecb)
{
    NS_LOG_FUNCTION(this << p << header << idev);
    const auto address = header.GetDestination();
    const auto interface = m_ipv4->GetInterfaceForDevice(idev);
    NS_ASSERT_MSG(interface >= 0, "a packet came in by a device without an IPv4 interface");
    const auto iif = static_cast<uint32_t>(interface);
    const auto destination = m_topology ? m_topology->FindNode(address) : Ipv4EcmpTopology::NO_NODE;
    const bool known = destination != Ipv4EcmpTopology::NO_NODE;
    // An address of the node is local whatever interface the packet came in by.
    if (known ? destination == m_node : m_ipv4->IsDestinationAddress(address, iif))
    {
        if (lcb.IsNull())
        {
            return false;
        }
        lcb(p, header, iif);
        return true;
    }
    if (!known)
    {
        // Ipv4ListRouting asks the next protocol.
        return false;
    }
    if (!m_ipv4->IsForwarding(iif))
    {
        NS_LOG_LOGIC("interface " << iif << " does not forward");
        ecb(p, header, Socket::ERROR_NOROUTETOHOST);
        return true;
    }
    const auto link = ChooseLink(destination, HashFlow(header, p, true));
    if (link == NO_LINK)
    {
        NS_LOG_LOGIC("no route to " << address);
        return false;
    }
    ucb(MakeRoute(link, header), p, header);
    return true;
}

void
Ipv4EcmpRouting::NotifyInterfaceUp(uint32_t interface)
{
    NS_LOG_FUNCTION(this << interface);
    if (m_topology)
    {
        m_topology->SetInterfaceUp(m_node, interface, true);
    }
}

void
Ipv4EcmpRouting::NotifyInterfaceDown(uint32_t interface)
{
    NS_LOG_FUNCTION(this << interface);
    if (m_topology)
    {
        m_topology->SetInterfaceUp(m_node, interface, false);
    }
}

void
Ipv4EcmpRouting::NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    NS_LOG_FUNCTION(this << interface << address);
    if (m_topology)
    {
        m_topology->AddAddress(address.GetLocal(), m_node);
    }
}

void
Ipv4EcmpRouting::NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    NS_LOG_FUNCTION(this << interface << address);
    if (m_topology)
    {
        m_topology->RemoveAddress(address.GetLocal());
    }
}

void
Ipv4EcmpRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    auto& os = *stream->GetStream();
    os << "Node: " << m_ipv4->GetObject<Node>()->GetId() << ", Time: " << Simulator::Now().As(unit)
       << ", Ipv4EcmpRouting table\n"
       << "Destination     Gateways (interface)\n";
    if (!m_topology)
    {
        return;
    }
    for (const auto& [address, node] : m_topology->GetAddresses())
    {
        if (node == m_node)
        {
            continue;
        }
        // Setting a width affects an address piece by piece, so it is made one string first.
        std::ostringstream text;
        text << address;
        os << std::setw(16) << std::left << text.str();
        for (const auto link : m_topology->GetNextLinks(m_node, node))
        {
            const auto& port = m_topology->GetPort(link, m_node);
            os << port.gateway << " (" << port.interface << ") ";
        }
        os << "\n";
    }
}

} // namespace ns3
