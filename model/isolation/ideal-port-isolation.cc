/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-port-isolation.h"

#include "ns3/log.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IdealPortIsolation");

NS_OBJECT_ENSURE_REGISTERED(IdealPortIsolation);

namespace
{

/// Most members of a communicator that is looked at: the ways between all of them are.
constexpr std::size_t MOST_MEMBERS = 1024;

} // namespace

TypeId
IdealPortIsolation::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IdealPortIsolation")
                            .SetParent<PortIsolation>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<IdealPortIsolation>();
    return tid;
}

IdealPortIsolation::IdealPortIsolation()
{
    NS_LOG_FUNCTION(this);
}

IdealPortIsolation::~IdealPortIsolation()
{
    NS_LOG_FUNCTION(this);
}

void
IdealPortIsolation::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_network)
    {
        m_network->SetObserver(nullptr);
        m_network = nullptr;
    }
    PortIsolation::DoDispose();
}

void
IdealPortIsolation::Setup(Ptr<IdealNetwork> network, uint32_t ranks, std::vector<Switches> switches)
{
    NS_LOG_FUNCTION(this << network << ranks);
    m_network = network;
    m_nRanks = ranks;
    m_switches = std::move(switches);
    m_reservations.Resize(network->GetNPorts());
    network->SetObserver(this);
}

void
IdealPortIsolation::Begin(uint32_t sendPort, uint32_t receivePort, const Message& message)
{
    const bool isSteady = IsNextTo(message.source, message.destination) ||
                          IsNextTo(message.destination, message.source);
    for (const auto port : {sendPort, receivePort})
    {
        m_reservations.Begin(port, message);
        if (!isSteady)
        {
            // What switches send each other goes by ports that no member has.
            m_reservations.NoteUnsteady(port);
        }
    }
}

bool
IdealPortIsolation::BeginTrain(uint32_t sendPort, uint32_t receivePort, const Message& message)
{
    if (m_reservations.IsReserved(sendPort) || m_reservations.IsReserved(receivePort))
    {
        return false;
    }
    Begin(sendPort, receivePort, message);
    return true;
}

void
IdealPortIsolation::Arrive(uint32_t sendPort, uint32_t receivePort, const Message& message)
{
    // Ports of switches are nobody's own.
    m_reservations.Count(message.source < m_nRanks ? sendPort : receivePort, message);
    m_reservations.End(sendPort);
    m_reservations.End(receivePort);
}

std::size_t
IdealPortIsolation::RanksHash::operator()(const Ranks& ranks) const
{
    // FNV-1a, by words.
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (const auto rank : ranks)
    {
        hash = (hash ^ rank) * 0x100000001b3ULL;
    }
    return hash;
}

const PortReservations::Places&
IdealPortIsolation::GetPorts(const Ranks& ranks) const
{
    return m_ports.find(ranks)->second;
}

bool
IdealPortIsolation::IsNextTo(uint32_t address, uint32_t other) const
{
    if (address >= m_nRanks || other < m_nRanks)
    {
        return address < m_nRanks;
    }
    const auto switches = m_switches.empty() ? Switches() : m_switches[address];
    return other >= switches.first && other - switches.first < switches.count;
}

std::string
IdealPortIsolation::DescribeSwitches(uint32_t rank) const
{
    std::ostringstream text;
    const auto switches = m_switches.empty() ? Switches() : m_switches[rank];
    for (uint32_t i = 0; i < switches.count; ++i)
    {
        const auto up = m_network->FindPath(rank, switches.first + i);
        const auto down = m_network->FindPath(switches.first + i, rank);
        text << m_network->GetRate(up.sendPort) << ":" << m_network->GetRate(up.receivePort) << ":"
             << m_network->GetRate(down.sendPort) << ":" << up.delay.GetTimeStep() << ":"
             << down.delay.GetTimeStep() << " ";
    }
    return text.str();
}

std::string
IdealPortIsolation::Describe(const Ranks& ranks)
{
    if (ranks.size() > MOST_MEMBERS)
    {
        return "";
    }
    PortReservations::Places ports;
    // The port to one other member; all others have to be reached by it as well.
    for (const auto rank : ranks)
    {
        const auto other = rank == ranks[0] ? ranks[1] : ranks[0];
        ports.push_back(m_network->FindPath(rank, other).sendPort);
    }
    // Each member needs a port of its own.
    if (std::set<uint32_t>(ports.begin(), ports.end()).size() < ports.size())
    {
        return "";
    }
    std::ostringstream text;
    for (std::size_t from = 0; from < ranks.size(); ++from)
    {
        text << m_network->GetRate(ports[from]) << ":";
        Time delay = Time::Max();
        for (std::size_t to = 0; to < ranks.size(); ++to)
        {
            if (to == from)
            {
                continue;
            }
            const IdealPath path = m_network->FindPath(ranks[from], ranks[to]);
            if (path.sendPort != ports[from] || path.receivePort != ports[to])
            {
                return "";
            }
            // Equal delays in a row are written once, so that the text stays short.
            if (path.delay != delay)
            {
                delay = path.delay;
                text << to << "=" << delay.GetTimeStep() << " ";
            }
        }
        text << DescribeSwitches(ranks[from]);
    }
    m_ports.try_emplace(ranks, ports);
    return text.str();
}

bool
IdealPortIsolation::Reserve(const Ranks& ranks,
                            uint32_t communicator,
                            Action interrupted,
                            Action quiet)
{
    const auto& ports = GetPorts(ranks);
    const bool areFree = std::all_of(ports.begin(), ports.end(), [this](uint32_t port) {
        return m_reservations.IsFree(port);
    });
    if (areFree)
    {
        m_reservations.Reserve(ports, communicator, interrupted, quiet);
    }
    return areFree;
}

void
IdealPortIsolation::Release(const Ranks& ranks)
{
    m_reservations.Release(GetPorts(ranks));
}

bool
IdealPortIsolation::IsQuiet(const Ranks& ranks) const
{
    return m_reservations.IsQuiet(GetPorts(ranks).front());
}

void
IdealPortIsolation::StartCounting(const Ranks& ranks [[maybe_unused]])
{
    // Messages are counted from the reservation on, and ports here do not count.
}

bool
IdealPortIsolation::IsSteady(const Ranks& ranks) const
{
    return m_reservations.IsSteady(GetPorts(ranks).front());
}

std::shared_ptr<PortIsolation::Counters>
IdealPortIsolation::TakeCounters(const Ranks& ranks,
                                 uint32_t communicator [[maybe_unused]],
                                 Time since [[maybe_unused]]) const
{
    auto counters = std::make_shared<Counters>();
    m_reservations.AddTo(GetPorts(ranks).front(), *counters);
    return counters;
}

void
IdealPortIsolation::AddCounters(const Ranks& ranks,
                                uint32_t communicator [[maybe_unused]],
                                Time since [[maybe_unused]],
                                const Counters& counters [[maybe_unused]])
{
    for (const auto port : GetPorts(ranks))
    {
        m_network->NoteSending(port);
    }
}

} // namespace ns3
