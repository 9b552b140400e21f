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
    m_claims.Resize(2 * network->GetGraph().GetNNodes());
    network->SetObserver(this);
}

// ---------------------------------------------------------------------------------- messages

void
RdmaPortIsolation::Begin(uint32_t source, uint32_t destination, const Message& message)
{
    const auto side = RdmaStar::GetSide(*m_network, source, destination);
    m_claims.Begin(GetPlace(source, side), message);
    m_claims.Begin(GetPlace(destination, side), message);
}

void
RdmaPortIsolation::Count(uint32_t source, uint32_t destination, const Message& message)
{
    const auto& graph = m_network->GetGraph();
    const bool isFromHost = graph.GetNode(source).kind == TopologyGraph::HOST;
    // Each message is counted at one place: the sender's, or the receiver's if a switch sends.
    m_claims.Count(GetPlace(isFromHost ? source : destination,
                            RdmaStar::GetSide(*m_network, source, destination)),
                   message);
}

void
RdmaPortIsolation::End(uint32_t source, uint32_t destination)
{
    const auto side = RdmaStar::GetSide(*m_network, source, destination);
    m_claims.End(GetPlace(source, side));
    m_claims.End(GetPlace(destination, side));
}

void
RdmaPortIsolation::DisturbAll()
{
    m_claims.DisturbAll();
}

// ------------------------------------------------------------------------------------ claims

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
    const auto star = RdmaStar::Find(*m_network, hosts);
    if (!star || (star->GetSide() == RdmaStar::NVLINK && !m_hasNvlink))
    {
        return "";
    }
    PortClaims::Places places;
    for (const auto host : hosts)
    {
        places.push_back(GetPlace(host, star->GetSide()));
    }
    m_groups.try_emplace(ranks,
                         Group{*star, RdmaStarSenders(*star, m_transports, ranks), places, {}, {}});
    return star->Describe(nics);
}

bool
RdmaPortIsolation::IsAtRest(uint32_t rank, RdmaStar::Side side) const
{
    const RdmaNic& nic = *m_transports[rank]->GetNic();
    for (uint32_t number = 0; number < nic.GetNSenders(); ++number)
    {
        const RdmaSender& sender = nic.GetSender(number);
        if (RdmaStar::GetSide(*m_network, nic.GetAddress(), sender.GetPeer()) == side &&
            !sender.IsAtRest())
        {
            return false;
        }
    }
    return true;
}

bool
RdmaPortIsolation::Claim(const Ranks& ranks, uint32_t communicator, Action disturbed, Action quiet)
{
    // Messages may go other ways while a link is down.
    if (!m_network->IsIntact())
    {
        return false;
    }
    const Group& group = GetGroup(ranks);
    if (IsObserved(group))
    {
        return false;
    }
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        if (!m_claims.IsFree(group.places[i]) ||
            m_transports[ranks[i]]->GetNic()->HasIpInterface() ||
            !IsAtRest(ranks[i], group.star.GetSide()))
        {
            return false;
        }
    }
    m_claims.Claim(group.places, communicator, disturbed, quiet);
    return true;
}

void
RdmaPortIsolation::Release(const Ranks& ranks)
{
    m_claims.Release(GetGroup(ranks).places);
}

bool
RdmaPortIsolation::IsQuiet(const Ranks& ranks) const
{
    return m_claims.IsQuiet(GetGroup(ranks).places.front());
}

// ------------------------------------------------------------------------------------ counts

void
RdmaPortIsolation::StartTally(const Ranks& ranks)
{
    Group& group = m_groups.find(ranks)->second;
    group.since.clear();
    for (auto* const port : group.star.GetPorts())
    {
        // Begins a new maximum, so that Count() tells that of the collective alone.
        port->TakeMaxQueue();
        group.since.push_back(port->GetCounters());
    }
}

PortCounters
RdmaPortIsolation::Count(const Group& group, std::size_t port)
{
    RdmaNetDevice& device = *group.star.GetPorts()[port];
    auto counters = device.GetCounters().GetSince(group.since[port]);
    counters.maxQueue = device.GetRecentMaxQueue();
    return counters;
}

bool
RdmaPortIsolation::IsSteady(const Ranks& ranks) const
{
    const Group& group = GetGroup(ranks);
    const auto& ports = group.star.GetPorts();
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
    for (const auto rank : ranks)
    {
        if (!IsAtRest(rank, group.star.GetSide()))
        {
            return false;
        }
    }
    return group.senders.IsLoneStill(group.memory);
}

std::shared_ptr<PortIsolation::Tally>
RdmaPortIsolation::TakeTally(const Ranks& ranks, uint32_t communicator, Time since) const
{
    const Group& group = GetGroup(ranks);
    auto tally = std::make_shared<Counters>();
    m_claims.Tell(group.places.front(), *tally);
    for (std::size_t i = 0; i < group.star.GetPorts().size(); ++i)
    {
        tally->ports.push_back(Count(group, i));
    }
    tally->isSteady = tally->isSteady && IsSteady(ranks);
    tally->memory.ports = group.senders.TakePorts(communicator, since);
    return tally;
}

void
RdmaPortIsolation::TakeMemory(const Ranks& ranks, uint32_t communicator, Tally& tally) const
{
    static_cast<Counters&>(tally).memory.connections =
        GetGroup(ranks).senders.TakeConnections(communicator);
}

void
RdmaPortIsolation::AddTally(const Ranks& ranks,
                            uint32_t communicator,
                            Time since,
                            const Tally& tally)
{
    const auto& counters = static_cast<const Counters&>(tally);
    const Group& group = GetGroup(ranks);
    const auto& ports = group.star.GetPorts();
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        ports[i]->Credit(counters.ports[i]);
    }
    group.senders.Give(counters.memory, communicator, since);
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
RdmaPortIsolation::HasJustSent(uint32_t rank) const
{
    const uint32_t host = m_network->GetGraph().GetHosts()[rank];
    return m_claims.HasJustEnded(GetPlace(host, RdmaStar::NVLINK)) ||
           m_claims.HasJustEnded(GetPlace(host, RdmaStar::NETWORK));
}

bool
RdmaPortIsolation::IsObserved(const Group& group) const
{
    const auto& ports = group.star.GetPorts();
    return std::any_of(ports.begin(),
                       ports.end(),
                       [](const RdmaNetDevice* port) { return port->HasListeners(); }) ||
           group.senders.HaveListeners();
}

} // namespace ns3
