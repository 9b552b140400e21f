/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-single-switch-ports.h"

#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-switch.h"
#include "ns3/string.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param object an object
 * @return values of its attributes, and of those of objects that they refer to
 */
std::string
DescribeAttributes(const Object& object)
{
    const TypeId type = object.GetInstanceTypeId();
    std::string text = type.GetName();
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const auto attribute = type.GetAttribute(i);
        if (!(attribute.flags & TypeId::ATTR_GET) || !attribute.accessor->HasGetter())
        {
            continue;
        }
        if (DynamicCast<const PointerChecker>(attribute.checker))
        {
            PointerValue pointer;
            object.GetAttribute(attribute.name, pointer);
            const auto other = pointer.GetObject();
            text += other ? "," + DescribeAttributes(*other) : ",";
            continue;
        }
        StringValue value;
        object.GetAttribute(attribute.name, value);
        text += "," + value.Get();
    }
    return text;
}

/**
 * @param graph the fabric
 * @param hosts hosts
 * @return by which of their ports messages among them go; nullopt = by both
 */
std::optional<RdmaSingleSwitchPorts::LinkKind>
FindLinkKind(const TopologyGraph& graph, const std::vector<uint32_t>& hosts)
{
    std::set<uint32_t> servers;
    uint32_t alone = 0;
    for (const auto host : hosts)
    {
        const auto server = graph.GetNode(host).server;
        if (server == TopologyGraph::NO_SERVER)
        {
            ++alone;
        }
        else
        {
            servers.insert(server);
        }
    }
    if (alone == 0 && servers.size() == 1)
    {
        return RdmaSingleSwitchPorts::NVLINK;
    }
    return alone + servers.size() == hosts.size() ? std::optional(RdmaSingleSwitchPorts::NETWORK)
                                                  : std::nullopt;
}

} // namespace

RdmaSingleSwitchPorts::LinkKind
RdmaSingleSwitchPorts::GetLinkKind(const RdmaNetwork& network, uint32_t a, uint32_t b)
{
    const auto server = network.GetGraph().GetNode(a).server;
    const bool isSame = server == network.GetGraph().GetNode(b).server;
    return isSame && server != TopologyGraph::NO_SERVER ? NVLINK : NETWORK;
}

std::optional<RdmaSingleSwitchPorts>
RdmaSingleSwitchPorts::Find(const RdmaNetwork& network, const std::vector<uint32_t>& hosts)
{
    const auto& graph = network.GetGraph();
    const auto linkKind = FindLinkKind(graph, hosts);
    if (!linkKind || graph.HostsRelay() || hosts.size() < 2)
    {
        return std::nullopt;
    }
    RdmaSingleSwitchPorts result;
    result.m_hosts = hosts;
    result.m_linkKind = *linkKind;
    std::vector<uint32_t> switches;
    for (std::size_t i = 0; i < hosts.size(); ++i)
    {
        const auto host = hosts[i];
        for (const auto link : graph.GetLinksOf(host))
        {
            if (graph.GetLink(link).nvlink == (*linkKind == NVLINK))
            {
                const auto peer = graph.GetPeer(link, host);
                switches.push_back(peer);
                result.m_links.push_back(link);
                result.m_ports.push_back(network.GetPort(link, host));
                result.m_ports.push_back(network.GetPort(link, peer));
            }
        }
        // With several links, which of them a message takes depends on those before it.
        if (switches.size() != i + 1)
        {
            return std::nullopt;
        }
    }
    const bool isOneSwitch = std::set<uint32_t>(switches.begin(), switches.end()).size() == 1;
    const auto& joint = graph.GetNode(switches.front());
    // NVSwitches that join servers carry what goes from server to server, too.
    const bool isOwn = *linkKind == NETWORK || joint.server != TopologyGraph::NO_SERVER;
    if (!isOneSwitch || joint.kind == TopologyGraph::HOST || !isOwn)
    {
        return std::nullopt;
    }
    result.m_switchLinks = graph.GetLinksOf(switches.front()).size();
    result.m_description = " " + std::to_string(result.m_switchLinks);
    for (const auto link : result.m_links)
    {
        const auto& properties = graph.GetLink(link);
        if (properties.slot != TopologyGraph::ALWAYS || properties.lossRate > 0)
        {
            return std::nullopt;
        }
        result.m_description += " " + std::to_string(properties.delay.GetTimeStep());
    }
    return result;
}

std::string
RdmaSingleSwitchPorts::Describe(const std::vector<Ptr<RdmaNic>>& nics) const
{
    std::string text = (m_linkKind == NVLINK ? "NVLink" : "network") + m_description;
    std::vector<uint32_t> places;
    for (std::size_t i = 0; i < m_ports.size(); ++i)
    {
        RdmaNetDevice* const port = m_ports[i];
        PointerValue errors;
        if (port)
        {
            port->GetAttribute("ReceiveErrorModel", errors);
        }
        // Priorities that share a port by weights owe each other what they have sent.
        if (!port || port->UsesCredits() || errors.GetObject() ||
            port->GetQueues().GetWeighted() != 0)
        {
            return "";
        }
        const bool isAtSwitch = i % 2 == 1;
        if (isAtSwitch)
        {
            places.push_back(port->GetIndex());
        }
        if (i == 1)
        {
            text += DescribeAttributes(*port->GetNode()->GetObject<RdmaSwitch>());
        }
        text += " " + DescribeAttributes(*port);
    }
    for (const auto& nic : nics)
    {
        text += " " + DescribeAttributes(*nic);
    }
    // What comes in at one time is taken in by the order of ports.
    return std::is_sorted(places.begin(), places.end()) ? text : "";
}

} // namespace ns3
