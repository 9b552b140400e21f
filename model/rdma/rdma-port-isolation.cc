/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-isolation.h"

#include "rdma-net-device.h"
#include "rdma-nic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPortIsolation");

NS_OBJECT_ENSURE_REGISTERED(RdmaPortIsolation);

namespace
{

/**
 * @param now what a port has done
 * @param before what it had done before
 * @return what it has done in between
 */
RdmaPortCounters
Subtract(const RdmaPortCounters& now, const RdmaPortCounters& before)
{
    RdmaPortCounters counters;
    counters.packets = now.packets - before.packets;
    counters.bytes = now.bytes - before.bytes;
    counters.wireBytes = now.wireBytes - before.wireBytes;
    counters.drops = now.drops - before.drops;
    counters.marks = now.marks - before.marks;
    counters.pauses = now.pauses - before.pauses;
    counters.paused = now.paused - before.paused;
    return counters;
}

} // namespace

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
    m_nics.clear();
    m_use.clear();
    if (m_network)
    {
        m_network->SetIsolation(nullptr);
        m_network = nullptr;
    }
    Object::DoDispose();
}

void
RdmaPortIsolation::Setup(Ptr<RdmaNetwork> network, std::vector<Ptr<RdmaNic>> nics, bool hasNvlink)
{
    NS_LOG_FUNCTION(this << network << nics.size() << hasNvlink);
    m_hasNvlink = hasNvlink;
    m_network = network;
    m_nics = std::move(nics);
    m_use.resize(network->GetGraph().GetNNodes());
    network->SetIsolation(this);
}

// ---------------------------------------------------------------------------------- messages

RdmaPortIsolation::Use&
RdmaPortIsolation::GetUse(uint32_t node, RdmaStar::Side side)
{
    return m_use[node][side];
}

void
RdmaPortIsolation::Begin(uint32_t source, uint32_t destination, const Message& message)
{
    const auto side = RdmaStar::GetSide(*m_network, source, destination);
    for (const uint32_t node : {source, destination})
    {
        Use& use = GetUse(node, side);
        ++use.underWay;
        const auto claimed = use.claimed;
        if (claimed && (claimed->communicator != message.communicator || message.IsBackground()))
        {
            claimed->disturbed();
        }
        else if (claimed)
        {
            ++claimed->underWay;
        }
    }
}

void
RdmaPortIsolation::Count(uint32_t source, uint32_t destination, const Message& message)
{
    const auto& graph = m_network->GetGraph();
    const bool isFromHost = graph.GetNode(source).kind == TopologyGraph::HOST;
    const Use& use = GetUse(isFromHost ? source : destination,
                            RdmaStar::GetSide(*m_network, source, destination));
    if (use.claimed && message.channel != Message::CONTROL_CHANNEL)
    {
        const Time duration = Simulator::Now() - message.postedAt;
        ++use.claimed->messages[{message.source, message.destination, message.bytes, duration}];
    }
}

void
RdmaPortIsolation::End(uint32_t source, uint32_t destination)
{
    const auto side = RdmaStar::GetSide(*m_network, source, destination);
    for (const uint32_t node : {source, destination})
    {
        Use& use = GetUse(node, side);
        --use.underWay;
        const auto claimed = use.claimed;
        if (claimed && --claimed->underWay == 0)
        {
            claimed->quiet();
        }
    }
}

void
RdmaPortIsolation::DisturbAll()
{
    for (auto& sides : m_use)
    {
        for (auto& use : sides)
        {
            if (const auto claimed = use.claimed)
            {
                claimed->disturbed();
            }
        }
    }
}

// ------------------------------------------------------------------------------------ claims

const RdmaStar&
RdmaPortIsolation::GetStar(const Ranks& ranks) const
{
    return m_stars.find(ranks)->second;
}

std::string
RdmaPortIsolation::Describe(const Ranks& ranks)
{
    std::vector<uint32_t> hosts;
    std::vector<Ptr<RdmaNic>> nics;
    for (const auto rank : ranks)
    {
        hosts.push_back(m_network->GetGraph().GetHosts()[rank]);
        nics.push_back(m_nics[rank]);
    }
    const auto star = RdmaStar::Find(*m_network, hosts);
    if (!star || (star->GetSide() == RdmaStar::NVLINK && !m_hasNvlink))
    {
        return "";
    }
    m_stars.try_emplace(ranks, *star);
    return star->Describe(nics);
}

bool
RdmaPortIsolation::IsAtRest(uint32_t rank, RdmaStar::Side side) const
{
    const RdmaNic& nic = *m_nics[rank];
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
    const RdmaStar& star = GetStar(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        const Use& use = GetUse(star.GetHosts()[i], star.GetSide());
        if (use.underWay > 0 || use.claimed || m_nics[ranks[i]]->HasIpInterface() ||
            !IsAtRest(ranks[i], star.GetSide()))
        {
            return false;
        }
    }
    const auto claimed = std::make_shared<Claimed>();
    claimed->communicator = communicator;
    claimed->disturbed = disturbed;
    claimed->quiet = quiet;
    for (const auto host : star.GetHosts())
    {
        GetUse(host, star.GetSide()).claimed = claimed;
    }
    return true;
}

void
RdmaPortIsolation::Release(const Ranks& ranks)
{
    const RdmaStar& star = GetStar(ranks);
    for (const auto host : star.GetHosts())
    {
        GetUse(host, star.GetSide()).claimed = nullptr;
    }
}

const std::shared_ptr<RdmaPortIsolation::Claimed>&
RdmaPortIsolation::GetClaimed(const RdmaStar& star) const
{
    return m_use[star.GetHosts().front()][star.GetSide()].claimed;
}

bool
RdmaPortIsolation::IsQuiet(const Ranks& ranks) const
{
    return GetClaimed(GetStar(ranks))->underWay == 0;
}

// ------------------------------------------------------------------------------------ counts

void
RdmaPortIsolation::StartTally(const Ranks& ranks)
{
    const RdmaStar& star = GetStar(ranks);
    Claimed& claimed = *GetClaimed(star);
    claimed.since.clear();
    claimed.messages.clear();
    for (auto* const port : star.GetPorts())
    {
        port->TakeMaxQueue();
        claimed.since.push_back(port->GetCounters());
    }
}

std::shared_ptr<const PortIsolation::Tally>
RdmaPortIsolation::TakeTally(const Ranks& ranks) const
{
    const RdmaStar& star = GetStar(ranks);
    const Claimed& claimed = *GetClaimed(star);
    const auto& ports = star.GetPorts();
    auto tally = std::make_shared<Counters>();
    for (const auto& [key, count] : claimed.messages)
    {
        const auto& [source, destination, bytes, duration] = key;
        tally->messages.push_back({source, destination, bytes, duration, count});
    }
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        auto counters = Subtract(ports[i]->GetCounters(), claimed.since[i]);
        counters.maxQueue = ports[i]->GetRecentMaxQueue();
        const bool hasTrouble = counters.drops + counters.marks + counters.pauses > 0 ||
                                counters.paused.IsStrictlyPositive();
        tally->isSteady = tally->isSteady && !hasTrouble;
        tally->ports.push_back(counters);
    }
    for (const auto rank : ranks)
    {
        tally->isSteady = tally->isSteady && IsAtRest(rank, star.GetSide());
    }
    return tally;
}

void
RdmaPortIsolation::AddTally(const Ranks& ranks, const Tally& tally)
{
    const auto& counters = static_cast<const Counters&>(tally).ports;
    const auto& ports = GetStar(ranks).GetPorts();
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        ports[i]->Credit(counters[i]);
    }
}

} // namespace ns3
