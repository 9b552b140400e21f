/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-common-switch-ports.h"

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
std::optional<RdmaCommonSwitchPorts::LinkKind>
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
        return RdmaCommonSwitchPorts::NVLINK;
    }
    return alone + servers.size() == hosts.size() ? std::optional(RdmaCommonSwitchPorts::NETWORK)
                                                  : std::nullopt;
}

/**
 * @param graph the fabric
 * @param peers nodes that links of hosts lead to
 * @param linkKind kind of these links
 * @return whether they are switches that carry nothing but what goes among those who have links to
 *         them, and it is known which of them a message takes
 */
bool
AreCommon(const TopologyGraph& graph,
          const std::vector<uint32_t>& peers,
          RdmaCommonSwitchPorts::LinkKind linkKind)
{
    const bool isNvlink = linkKind == RdmaCommonSwitchPorts::NVLINK;
    // By several links to one switch, or NICs, which one a message takes depends on those before.
    const bool areAlone = std::set<uint32_t>(peers.begin(), peers.end()).size() == peers.size();
    const bool isKnown = isNvlink ? areAlone : peers.size() == 1;
    return !peers.empty() && isKnown &&
           std::all_of(peers.begin(), peers.end(), [&graph, isNvlink](uint32_t peer) {
               const auto& joint = graph.GetNode(peer);
               // NVSwitches that join servers carry what goes from server to server, too.
               return joint.kind != TopologyGraph::HOST &&
                      (!isNvlink || joint.server != TopologyGraph::NO_SERVER);
           });
}

} // namespace

RdmaCommonSwitchPorts::LinkKind
RdmaCommonSwitchPorts::GetLinkKind(const RdmaNetwork& network, uint32_t a, uint32_t b)
{
    const auto server = network.GetGraph().GetNode(a).server;
    const bool isSame = server == network.GetGraph().GetNode(b).server;
    return isSame && server != TopologyGraph::NO_SERVER ? NVLINK : NETWORK;
}

std::optional<RdmaCommonSwitchPorts>
RdmaCommonSwitchPorts::Find(const RdmaNetwork& network, const std::vector<uint32_t>& hosts)
{
    const auto& graph = network.GetGraph();
    const auto linkKind = FindLinkKind(graph, hosts);
    if (!linkKind || graph.HostsRelay() || hosts.size() < 2)
    {
        return std::nullopt;
    }
    RdmaCommonSwitchPorts result;
    result.m_hosts = hosts;
    result.m_linkKind = *linkKind;
    std::vector<uint32_t> switches;
    for (const auto host : hosts)
    {
        std::vector<uint32_t> peers;
        for (const auto link : graph.GetLinksOf(host))
        {
            if (graph.GetLink(link).nvlink == (*linkKind == NVLINK))
            {
                const auto peer = graph.GetPeer(link, host);
                peers.push_back(peer);
                result.m_links.push_back(link);
                result.m_ports.push_back(network.GetPort(link, host));
                result.m_ports.push_back(network.GetPort(link, peer));
            }
        }
        switches = host == hosts.front() ? peers : switches;
        // A message is cut into parts for switches in the order of links.
        if (peers != switches)
        {
            return std::nullopt;
        }
    }
    if (!AreCommon(graph, switches, *linkKind))
    {
        return std::nullopt;
    }
    result.m_description = " " + std::to_string(switches.size());
    for (const auto joint : switches)
    {
        const auto links = graph.GetLinksOf(joint).size();
        result.m_switchLinks += links;
        result.m_description += " " + std::to_string(links);
    }
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
RdmaCommonSwitchPorts::Describe(const std::vector<Ptr<RdmaNic>>& nics) const
{
    std::string text = (m_linkKind == NVLINK ? "NVLink" : "network") + m_description;
    const auto count = GetNSwitches();
    std::vector<std::vector<uint32_t>> places(count);
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
            places[i / 2 % count].push_back(port->GetIndex());
        }
        if (isAtSwitch && i / 2 < count)
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
    const bool isInOrder = std::all_of(places.begin(), places.end(), [](const auto& atSwitch) {
        return std::is_sorted(atSwitch.begin(), atSwitch.end());
    });
    return isInOrder ? text : "";
}

} // namespace ns3
