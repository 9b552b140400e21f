/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-isolation.h"

#include "ns3/log.h"
#include "ns3/rdma-message-transport.h"
#include "ns3/rdma-net-device.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPortIsolation");

NS_OBJECT_ENSURE_REGISTERED(RdmaPortIsolation);

TypeId
RdmaPortIsolation::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPortIsolation")
                            .SetParent<PortIsolation>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaPortIsolation>();
    return tid;
}

RdmaPortIsolation::RdmaPortIsolation()
{
    NS_LOG_FUNCTION(this);
}

RdmaPortIsolation::~RdmaPortIsolation()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaPortIsolation::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_groups.clear();
    m_transports.clear();
    if (m_network)
    {
        m_network->SetObserver(nullptr);
        m_network = nullptr;
    }
    Object::DoDispose();
}

void
RdmaPortIsolation::Setup(Ptr<RdmaNetwork> network,
                         std::vector<Ptr<RdmaMessageTransport>> transports,
                         bool hasNvlink)
{
    NS_LOG_FUNCTION(this << network << transports.size() << hasNvlink);
    m_hasNvlink = hasNvlink;
    m_network = network;
    m_transports = std::move(transports);
    // Two places for each node: its ports to NVLink, and those to the network.
    m_reservations.Resize(2 * network->GetGraph().GetNNodes());
    network->SetObserver(this);
}

// ---------------------------------------------------------------------------------- messages

void
RdmaPortIsolation::Begin(uint32_t source, uint32_t destination, const Message& message)
{
    const auto linkKind = RdmaCommonSwitchPorts::GetLinkKind(*m_network, source, destination);
    m_reservations.Begin(GetPlace(source, linkKind), message);
    m_reservations.Begin(GetPlace(destination, linkKind), message);
}

void
RdmaPortIsolation::Count(uint32_t source, uint32_t destination, const Message& message)
{
    const auto& graph = m_network->GetGraph();
    const bool isFromHost = graph.GetNode(source).kind == TopologyGraph::HOST;
    // Each message is counted at one place: the sender's, or the receiver's if a switch sends.
    m_reservations.Count(
        GetPlace(isFromHost ? source : destination,
                 RdmaCommonSwitchPorts::GetLinkKind(*m_network, source, destination)),
        message);
}

void
RdmaPortIsolation::End(uint32_t source, uint32_t destination)
{
    const auto linkKind = RdmaCommonSwitchPorts::GetLinkKind(*m_network, source, destination);
    m_reservations.End(GetPlace(source, linkKind));
    m_reservations.End(GetPlace(destination, linkKind));
}

void
RdmaPortIsolation::InterruptAll()
{
    m_reservations.InterruptAll();
}

// ------------------------------------------------------------------------------------ reservations

const RdmaPortIsolation::Group&
RdmaPortIsolation::GetGroup(const Ranks& ranks) const
{
    return m_groups.find(ranks)->second;
}

std::string
RdmaPortIsolation::Describe(const Ranks& ranks)
{
    std::vector<uint32_t> hosts;
    std::vector<Ptr<RdmaNic>> nics;
    for (const auto rank : ranks)
    {
        hosts.push_back(m_network->GetGraph().GetHosts()[rank]);
        nics.push_back(m_transports[rank]->GetNic());
    }
    const auto found = RdmaCommonSwitchPorts::Find(*m_network, hosts);
    if (!found || (found->GetLinkKind() == RdmaCommonSwitchPorts::NVLINK && !m_hasNvlink))
    {
        return "";
    }
    const RdmaProtocol& protocol = nics[0]->GetProtocol(hosts[1]);
    // Others at the switches would be part of a past that catches up.
    if (!protocol.SeparatesHosts() && !found->AreAllOfSwitch())
    {
        return "";
    }
    // What trains of so many queue pairs have left behind is hardly ever the same twice.
    const bool hasTrains =
        protocol.HasPackets() && nics[0]->MakeQueuePairConfig().trains.maxTrain > 1;
    if (hasTrains && found->GetNSwitches() > 1)
    {
        return "";
    }
    PortReservations::Places places;
    for (const auto host : hosts)
    {
        places.push_back(GetPlace(host, found->GetLinkKind()));
    }
    std::vector<uint32_t> directions;
    for (std::size_t i = 0; i < found->GetNSwitches(); ++i)
    {
        directions.push_back(
            m_network->GetGraph().GetDirection(found->GetFirstLink(i), hosts.front()));
    }
    m_groups.try_emplace(
        ranks,
        Group{*found,
              RdmaCommonSwitchSenders(*found, m_transports, ranks, protocol.HasPackets()),
              &protocol,
              directions,
              places,
              {},
              {}});
    return found->Describe(nics);
}

bool
RdmaPortIsolation::IsAtRest(uint32_t rank, RdmaCommonSwitchPorts::LinkKind linkKind) const
{
    const RdmaNic& nic = *m_transports[rank]->GetNic();
    for (uint32_t number = 0; number < nic.GetNSenders(); ++number)
    {
        const RdmaSender& sender = nic.GetSender(number);
        if (RdmaCommonSwitchPorts::GetLinkKind(*m_network, nic.GetAddress(), sender.GetPeer()) ==
                linkKind &&
            !sender.IsAtRest())
        {
            return false;
        }
    }
    return true;
}

bool
RdmaPortIsolation::Reserve(const Ranks& ranks,
                           uint32_t communicator,
                           Action interrupted,
                           Action quiet)
{
    // Messages may take other paths while a link is down.
    if (!m_network->IsIntact())
    {
        return false;
    }
    const Group& group = GetGroup(ranks);
    if (!AreSwitchesAtRest(group))
    {
        return false;
    }
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        if (!m_reservations.IsFree(group.places[i]) ||
            m_transports[ranks[i]]->GetNic()->HasIpInterface() ||
            !IsAtRest(ranks[i], group.ports.GetLinkKind()))
        {
            return false;
        }
    }
    m_reservations.Reserve(group.places, communicator, interrupted, quiet);
    return true;
}

void
RdmaPortIsolation::Release(const Ranks& ranks)
{
    m_reservations.Release(GetGroup(ranks).places);
}

bool
RdmaPortIsolation::IsQuiet(const Ranks& ranks) const
{
    return m_reservations.IsQuiet(GetGroup(ranks).places.front());
}

bool
RdmaPortIsolation::AreSwitchesAtRest(const Group& group)
{
    return std::all_of(
        group.directions.begin(),
        group.directions.end(),
        [&group](uint32_t direction) { return group.protocol->IsAtRest(direction); });
}

// ------------------------------------------------------------------------------------ counts

void
RdmaPortIsolation::StartCounting(const Ranks& ranks)
{
    Group& group = m_groups.find(ranks)->second;
    group.since.clear();
    for (auto* const port : group.ports.GetPorts())
    {
        // Begins a new maximum, so that Count() reports that of the collective alone.
        port->TakeMaxQueue();
        group.since.push_back(port->GetCounters());
    }
}

PortCounters
RdmaPortIsolation::Count(const Group& group, std::size_t port)
{
    RdmaNetDevice& device = *group.ports.GetPorts()[port];
    auto counters = device.GetCounters().GetSince(group.since[port]);
    counters.maxQueue = device.GetRecentMaxQueue();
    return counters;
}

bool
RdmaPortIsolation::IsSteady(const Ranks& ranks) const
{
    const Group& group = GetGroup(ranks);
    const auto& ports = group.ports.GetPorts();
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        const auto counters = Count(group, i);
        const auto marker = ports[i]->GetEcnMarker();
        // Whether a packet is marked is drawn, another time with another result.
        const bool mayMark = marker && counters.maxQueue > marker->GetKmin(ports[i]->GetRate());
        if (mayMark || counters.drops + counters.marks + counters.pauses > 0 ||
            counters.paused.IsStrictlyPositive())
        {
            return false;
        }
    }
    return group.senders.IsLoneStill(group.memory);
}

std::shared_ptr<PortIsolation::Counters>
RdmaPortIsolation::TakeCounters(const Ranks& ranks, uint32_t communicator, Time since) const
{
    const Group& group = GetGroup(ranks);
    auto counters = std::make_shared<RdmaCounters>();
    m_reservations.AddTo(group.places.front(), *counters);
    for (std::size_t i = 0; i < group.ports.GetPorts().size(); ++i)
    {
        counters->ports.push_back(Count(group, i));
    }
    // What is congested, and what congestion control has heard, counts when all is over.
    const auto isAtRest = [this, &group](uint32_t rank) {
        return IsAtRest(rank, group.ports.GetLinkKind());
    };
    counters->isSteady = counters->isSteady && IsSteady(ranks) && AreSwitchesAtRest(group) &&
                         std::all_of(ranks.begin(), ranks.end(), isAtRest);
    counters->memory.ports = group.senders.TakePorts(communicator, since);
    return counters;
}

void
RdmaPortIsolation::TakeMemory(const Ranks& ranks, uint32_t communicator, Counters& counters) const
{
    static_cast<RdmaCounters&>(counters).memory.connections =
        GetGroup(ranks).senders.TakeConnections(communicator);
}

void
RdmaPortIsolation::AddCounters(const Ranks& ranks,
                               uint32_t communicator,
                               Time since,
                               const Counters& counters)
{
    const auto& carried = static_cast<const RdmaCounters&>(counters);
    const Group& group = GetGroup(ranks);
    const auto& ports = group.ports.GetPorts();
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        ports[i]->Credit(carried.ports[i]);
    }
    group.senders.Give(carried.memory, communicator, since);
}

// ------------------------------------------------------------------------ what is remembered

std::string
RdmaPortIsolation::DescribeMemory(const Ranks& ranks, uint32_t communicator, Time since)
{
    Group& group = m_groups.find(ranks)->second;
    group.memory = group.senders.Take(communicator, since);
    return std::to_string(m_transports[ranks.front()]->GetPriority(communicator)) + " " +
           group.memory.Describe();
}

bool
RdmaPortIsolation::HasJustSent(const Ranks& ranks, uint32_t rank) const
{
    const uint32_t host = m_network->GetGraph().GetHosts()[rank];
    return !IsBusy(ranks, rank) &&
           (m_reservations.HasJustEnded(GetPlace(host, RdmaCommonSwitchPorts::NVLINK)) ||
            m_reservations.HasJustEnded(GetPlace(host, RdmaCommonSwitchPorts::NETWORK)));
}

bool
RdmaPortIsolation::IsBusy(const Ranks& ranks, uint32_t rank) const
{
    const uint32_t host = m_network->GetGraph().GetHosts()[rank];
    const auto& group = GetGroup(ranks);
    // Acknowledgements of packets take longer than a time step. Those of a fluid may be heard at
    // the time at which messages arrive.
    return group.protocol->HasPackets() &&
           m_reservations.IsInUse(GetPlace(host, group.ports.GetLinkKind()));
}

bool
RdmaPortIsolation::IsObserved(const Ranks& ranks) const
{
    const Group& group = GetGroup(ranks);
    const auto& ports = group.ports.GetPorts();
    return std::any_of(ports.begin(),
                       ports.end(),
                       [](const RdmaNetDevice* port) { return port->HasListeners(); }) ||
           group.senders.HaveListeners();
}

} // namespace ns3
