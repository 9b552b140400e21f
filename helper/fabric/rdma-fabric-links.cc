/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * How an RdmaFabricHelper makes the links of a fabric, those to nodes of other processes included.
 */

#include "rdma-fabric-helper.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/rdma-channel.h"
#include "ns3/string.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

/**
 * Have a port serve virtual channels in turn, unless it has weights of its own.
 *
 * @param port port of a switch
 * @param channels priorities of the channels; 0 = there are none
 */
void
ServeChannels(RdmaNetDevice& port, RdmaEgressQueues::Mask channels)
{
    if (channels == 0 || port.GetQueues().GetWeighted() != 0)
    {
        return;
    }
    // By strict priority what has come far would keep all else back.
    std::string weights;
    for (uint32_t priority = 0; priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        weights += priority > 0 ? "," : "";
        weights += (channels >> priority & 1U) != 0 ? "1" : "0";
    }
    port.SetAttribute("Weights", StringValue(weights));
}

} // namespace

void
RdmaFabricHelper::InstallLink(uint32_t link)
{
    const TopologyGraph::Link& properties = m_network->GetGraph().GetLink(link);
    if (!IsOwn(properties.a) && !IsOwn(properties.b))
    {
        // Streams are counted as if it were here.
        m_losses.resize(m_losses.size() + (properties.lossRate > 0 ? 2 : 0));
        return;
    }
    auto channel = CreateObjectWithAttributes<RdmaChannel>("Delay", TimeValue(properties.delay));
    const auto install = [&](uint32_t node) {
        return IsOwn(node) ? InstallPort(properties, node) : InstallRemotePort(link, node);
    };
    const auto atA = install(properties.a);
    const auto atB = install(properties.b);
    channel->Connect(atA, atB);
    m_network->SetPorts(link, atA, atB);
    if (properties.slot != TopologyGraph::ALWAYS)
    {
        const SlotCycle& cycle = m_network->GetGraph().GetSlotCycle();
        atA->SetSlot(cycle, properties.slot);
        atB->SetSlot(cycle, properties.slot);
    }
    AddPort(properties.a, atA);
    AddPort(properties.b, atB);
}

Ptr<RdmaNetDevice>
RdmaFabricHelper::InstallRemotePort(uint32_t link, uint32_t node)
{
    const TopologyGraph& graph = m_network->GetGraph();
    const auto& links = graph.GetLinksOf(node);
    // The other process counts the ports of the node in the order of its links.
    const auto index = std::lower_bound(links.begin(), links.end(), link) - links.begin();
    auto device = CreateObject<RdmaNetDevice>();
    device->SetAttribute("DataRate", DataRateValue(graph.GetLink(link).rate));
    device->SetRemote(m_links.at(m_partition->GetPart(node)).get(),
                      static_cast<uint32_t>(index),
                      node);
    m_nodes.Get(node)->AddDevice(device);
    if (graph.GetLink(link).lossRate > 0)
    {
        m_losses.emplace_back(nullptr);
    }
    return device;
}

void
RdmaFabricHelper::CutThroughElsewhere()
{
    const TopologyGraph& graph = m_network->GetGraph();
    BooleanValue isCutThrough;
    m_switch.Create<RdmaSwitch>()->GetAttribute("CutThrough", isCutThrough);
    for (uint32_t node = 0; isCutThrough.Get() && node < graph.GetNNodes(); ++node)
    {
        const bool forwards = graph.GetNode(node).kind != TopologyGraph::HOST || graph.HostsRelay();
        DataRate fastest;
        for (const auto link : graph.GetLinksOf(node))
        {
            fastest = std::max(fastest, graph.GetLink(link).rate);
        }
        for (const auto link : graph.GetLinksOf(node))
        {
            if (forwards && !IsOwn(node) && graph.GetLink(link).rate == fastest)
            {
                m_network->SetCutThrough(link, node);
            }
        }
    }
}

Ptr<RdmaNetDevice>
RdmaFabricHelper::InstallPort(const TopologyGraph::Link& link, uint32_t node)
{
    auto device = m_device.Create<RdmaNetDevice>();
    device->SetAttribute("DataRate", DataRateValue(link.rate));
    const bool mayMark = GetSwitch(node) && (!link.nvlink || m_marker->MarksNvlink());
    if (mayMark && !device->GetEcnMarker())
    {
        device->SetEcnMarker(m_marker);
    }
    if (link.lossRate > 0)
    {
        if (device->GetReceiveErrorModel())
        {
            throw WorkloadError({"ns3::RdmaNetDevice::ReceiveErrorModel", 0, 0, ""},
                                "either an error model of ports or a loss rate of their links",
                                "both");
        }
        auto loss = CreateObject<RateErrorModel>();
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->SetRate(link.lossRate);
        device->SetReceiveErrorModel(loss);
        m_losses.push_back(loss);
    }
    if (m_network->GetGraph().GetNode(node).kind == TopologyGraph::SWITCH)
    {
        ServeChannels(*device, m_network->GetRouting()->GetChannels());
    }
    m_nodes.Get(node)->AddDevice(device);
    return device;
}

void
RdmaFabricHelper::AddPort(uint32_t node, Ptr<RdmaNetDevice> port)
{
    // Nodes of other processes have neither.
    if (auto forwarding = GetSwitch(node))
    {
        forwarding->AddPort(port);
    }
    if (auto nic = m_nodes.Get(node)->GetObject<RdmaNic>())
    {
        nic->AddPort(port);
        // A switch that takes part in collectives sends packets of its own by ports by which it
        // forwards others. Both alternate, so that neither starves.
        if (m_network->GetGraph().GetNode(node).kind != TopologyGraph::HOST)
        {
            port->GetTransmitter().GetTurns().Alternate();
        }
    }
}

} // namespace ns3
