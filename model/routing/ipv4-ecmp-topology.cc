/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv4-ecmp-topology.h"

#include <algorithm>

namespace ns3
{

Ipv4EcmpTopology::Ipv4EcmpTopology(TopologyGraph graph)
    : m_table(std::move(graph)),
      m_ports(2UL * GetGraph().GetNLinks()),
      m_portDown(m_ports.size(), false),
      m_sources(GetGraph().GetNNodes(), Ipv4Address::GetAny())
{
}

const TopologyGraph&
Ipv4EcmpTopology::GetGraph() const
{
    return m_table.GetGraph();
}

void
Ipv4EcmpTopology::SetPort(uint32_t link, uint32_t node, const Port& port)
{
    m_ports[GetGraph().GetDirection(link, node)] = port;
}

const Ipv4EcmpTopology::Port&
Ipv4EcmpTopology::GetPort(uint32_t link, uint32_t node) const
{
    return m_ports[GetGraph().GetDirection(link, node)];
}

void
Ipv4EcmpTopology::AddAddress(Ipv4Address address, uint32_t node)
{
    m_addresses[address.Get()] = node;
}

void
Ipv4EcmpTopology::RemoveAddress(Ipv4Address address)
{
    m_addresses.erase(address.Get());
}

uint32_t
Ipv4EcmpTopology::FindNode(Ipv4Address address) const
{
    const auto found = m_addresses.find(address.Get());
    return found == m_addresses.end() ? NO_NODE : found->second;
}

std::vector<std::pair<Ipv4Address, uint32_t>>
Ipv4EcmpTopology::GetAddresses() const
{
    std::vector<std::pair<Ipv4Address, uint32_t>> addresses;
    addresses.reserve(m_addresses.size());
    for (const auto& [address, node] : m_addresses)
    {
        addresses.emplace_back(Ipv4Address(address), node);
    }
    std::sort(addresses.begin(), addresses.end());
    return addresses;
}

void
Ipv4EcmpTopology::SetSource(uint32_t node, Ipv4Address address)
{
    m_sources[node] = address;
}

Ipv4Address
Ipv4EcmpTopology::GetSource(uint32_t node, Ipv4Address absent) const
{
    return m_sources[node].IsAny() ? absent : m_sources[node];
}

void
Ipv4EcmpTopology::SetInterfaceUp(uint32_t node, uint32_t interface, bool up)
{
    for (const auto link : GetGraph().GetLinksOf(node))
    {
        const auto end = GetGraph().GetDirection(link, node);
        if (m_ports[end].interface != interface)
        {
            continue;
        }
        m_portDown[end] = !up;
        // The interfaces at both ends have to be up. Routes are computed when they are next asked
        // for.
        const bool linkUp = !m_portDown[2 * link] && !m_portDown[2 * link + 1];
        if (linkUp != m_table.IsLinkUp(link))
        {
            m_table.SetLinkUp(link, linkUp);
            m_stale = true;
        }
    }
}

EcmpRouteTable::LinkSpan
Ipv4EcmpTopology::GetNextLinks(uint32_t node, uint32_t destination) const
{
    // Once for all links that have changed at this time.
    if (m_stale)
    {
        m_table.Recompute();
        m_stale = false;
    }
    return m_table.GetNextLinks(node, destination);
}

} // namespace ns3
