/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-common-switch-senders.h"

#include "ns3/assert.h"
#include "ns3/node.h"
#include "ns3/rdma-message-transport.h"
#include "ns3/rdma-nic.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param [in,out] key where to put a number
 * @param number the number
 */
void
Append(std::string& key, int64_t number)
{
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/**
 * @param connection what a connection remembers
 * @return whether a new one would do the same
 */
bool
IsAsNew(const RdmaCommonSwitchSenders::Connection& connection)
{
    return connection.turn == 0 &&
           std::all_of(connection.trains.begin(), connection.trains.end(), [](const auto& train) {
               return train.length == 1 && train.untilLone == 0;
           });
}

} // namespace

std::string
RdmaCommonSwitchSenders::Memory::Describe() const
{
    std::string key;
    for (const auto& port : ports)
    {
        Append(key, port.deficit);
        Append(key, port.isTrainsTurn);
        Append(key, port.isOwn + 2 * port.isLone);
        // To the one who has always sent by a port it is all the same when that was last.
        Append(key, port.isLone ? 0 : port.servedAt);
        if (port.isOwn)
        {
            Append(key, port.peer);
            Append(key, port.channel);
            Append(key, port.pair);
            Append(key, port.othersAt);
        }
    }
    for (const auto& list : connections)
    {
        for (const auto& connection : list)
        {
            if (IsAsNew(connection))
            {
                continue;
            }
            Append(key, connection.peer);
            Append(key, connection.channel);
            Append(key, connection.turn);
            for (const auto& train : connection.trains)
            {
                Append(key, train.length);
                Append(key, static_cast<int64_t>(train.untilLone));
            }
        }
        // Ends the list, lest entries of the next sender be taken for those of this one.
        Append(key, -1);
    }
    return key;
}

RdmaCommonSwitchSenders::RdmaCommonSwitchSenders(
    const RdmaCommonSwitchPorts& links,
    const std::vector<Ptr<RdmaMessageTransport>>& transports,
    const std::vector<uint32_t>& ranks,
    bool hasPackets)
{
    auto addresses = ranks;
    const auto& ports = links.GetPorts();
    const auto count = links.GetNSwitches();
    // Switches that take part in collectives have NICs, and transports behind those of the hosts.
    for (std::size_t i = 0; i < count; ++i)
    {
        const auto joint = ports[2 * i + 1]->GetNode()->GetObject<RdmaNic>();
        for (uint32_t address = 0; joint && address < transports.size(); ++address)
        {
            if (transports[address]->GetNic() == joint)
            {
                addresses.push_back(address);
            }
        }
    }
    for (const auto address : addresses)
    {
        const auto trains = transports[address]->GetNic()->MakeQueuePairConfig().trains;
        m_senders.push_back({address,
                             transports[address],
                             hasPackets && trains.maxTrain > 1,
                             trains.sharingMemory});
    }
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        // RdmaCommonSwitchPorts::GetPorts() has the host's port and the switch's port of each link
        // in turn.
        const std::size_t sender = i % 2 == 0 ? i / 2 / count : ranks.size() + i / 2 % count;
        if (sender < m_senders.size())
        {
            m_outlets.push_back({ports[i], sender});
        }
    }
}

uint32_t
RdmaCommonSwitchSenders::FindPlace(uint32_t address) const
{
    uint32_t place = 0;
    while (place < m_senders.size() && m_senders[place].address != address)
    {
        ++place;
    }
    return place;
}

int64_t
RdmaCommonSwitchSenders::GetTime(int64_t at, int64_t since, const Sender& sender)
{
    if (at == RdmaSendSchedule::NEVER)
    {
        return at;
    }
    return since - at < sender.sharingMemory ? at - since : LONG_AGO;
}

RdmaCommonSwitchSenders::Memory
RdmaCommonSwitchSenders::Take(uint32_t communicator, Time since) const
{
    return {TakePorts(communicator, since), TakeConnections(communicator)};
}

std::vector<std::vector<RdmaCommonSwitchSenders::Connection>>
RdmaCommonSwitchSenders::TakeConnections(uint32_t communicator) const
{
    std::vector<std::vector<Connection>> connections(m_senders.size());
    for (std::size_t i = 0; i < m_senders.size(); ++i)
    {
        const auto nic = m_senders[i].transport->GetNic();
        for (const auto& open : m_senders[i].transport->GetConnections(communicator))
        {
            Connection connection{FindPlace(open.peer), open.channel, open.turn, {}};
            for (uint32_t pair = 0; pair < open.pairs; ++pair)
            {
                connection.trains.push_back(
                    m_senders[i].hasTrains ? nic->GetSender(open.firstPair + pair).GetTrainMemory()
                                           : RdmaTrainPolicy::Memory());
            }
            if (connection.peer < m_senders.size())
            {
                connections[i].push_back(connection);
            }
        }
        std::sort(connections[i].begin(), connections[i].end(), [](const auto& a, const auto& b) {
            return a.peer != b.peer ? a.peer < b.peer : a.channel < b.channel;
        });
    }
    return connections;
}

std::unordered_map<const RdmaScheduledSender*, RdmaCommonSwitchSenders::Port>
RdmaCommonSwitchSenders::FindOwn(uint32_t communicator) const
{
    std::unordered_map<const RdmaScheduledSender*, Port> own;
    for (const auto& sender : m_senders)
    {
        const auto nic = sender.transport->GetNic();
        for (const auto& open : sender.transport->GetConnections(communicator))
        {
            for (uint32_t pair = 0; sender.hasTrains && pair < open.pairs; ++pair)
            {
                Port& port = own[&nic->GetSender(open.firstPair + pair)];
                port.isOwn = true;
                // By place and not by pointer, so that it means the same behind another switch.
                port.peer = FindPlace(open.peer);
                port.channel = open.channel;
                port.pair = pair;
            }
        }
    }
    return own;
}

std::vector<RdmaCommonSwitchSenders::Port>
RdmaCommonSwitchSenders::TakePorts(uint32_t communicator, Time since) const
{
    const auto own = FindOwn(communicator);
    std::vector<Port> ports;
    for (const auto& outlet : m_outlets)
    {
        const Sender& sender = m_senders[outlet.sender];
        const auto& memory = outlet.port->GetSchedule().GetMemory();
        const auto found = own.find(memory.served);
        Port port = found == own.end() ? Port() : found->second;
        port.deficit = outlet.port->GetTransmitter().GetTurns().GetDeficit();
        if (sender.hasTrains)
        {
            port.isTrainsTurn = memory.isTrainsTurn;
            port.isLone = port.isOwn && memory.othersAt == RdmaSendSchedule::NEVER;
            port.servedAt = GetTime(memory.servedAt, since.GetTimeStep(), sender);
            port.othersAt = GetTime(memory.othersAt, since.GetTimeStep(), sender);
        }
        ports.push_back(port);
    }
    return ports;
}

bool
RdmaCommonSwitchSenders::IsLoneStill(const Memory& before) const
{
    for (std::size_t i = 0; i < before.ports.size(); ++i)
    {
        const auto& schedule = m_outlets[i].port->GetSchedule();
        if (before.ports[i].isLone && schedule.GetMemory().othersAt != RdmaSendSchedule::NEVER)
        {
            return false;
        }
    }
    return true;
}

bool
RdmaCommonSwitchSenders::HaveListeners() const
{
    return std::any_of(m_senders.begin(), m_senders.end(), [](const Sender& sender) {
        return sender.transport->GetNic()->IsControlTraced();
    });
}

void
RdmaCommonSwitchSenders::Give(const Memory& memory, uint32_t communicator, Time since) const
{
    for (std::size_t i = 0; i < m_senders.size(); ++i)
    {
        const auto& transport = m_senders[i].transport;
        for (const auto& connection : memory.connections[i])
        {
            const uint32_t peer = m_senders[connection.peer].address;
            const auto first =
                transport->Open({peer, communicator, connection.channel}, connection.turn);
            for (std::size_t pair = 0; pair < connection.trains.size(); ++pair)
            {
                transport->GetNic()
                    ->GetSender(first + pair)
                    .SetTrainMemory(connection.trains[pair]);
            }
        }
    }
    const auto restore = [since](int64_t at) {
        // NEVER and LONG_AGO, the least of all, are no times.
        return at <= LONG_AGO ? at : at + since.GetTimeStep();
    };
    for (std::size_t i = 0; i < m_outlets.size(); ++i)
    {
        const Port& port = memory.ports[i];
        const Sender& sender = m_senders[m_outlets[i].sender];
        m_outlets[i].port->GetTransmitter().GetTurns().SetDeficit(port.deficit);
        auto& schedule = m_outlets[i].port->GetSchedule();
        auto own = schedule.GetMemory();
        own.isTrainsTurn = port.isTrainsTurn;
        // Who has sent nothing remembers what it did.
        if (port.isOwn)
        {
            const auto& peer = m_senders[port.peer].address;
            const auto connections = sender.transport->GetConnections(communicator);
            const auto served =
                std::find_if(connections.begin(), connections.end(), [&](const auto& open) {
                    return open.peer == peer && open.channel == port.channel;
                });
            NS_ASSERT_MSG(served != connections.end(), "who has sent has a connection");
            own.served = &sender.transport->GetNic()->GetSender(served->firstPair + port.pair);
            own.servedAt = restore(port.servedAt);
            own.othersAt = restore(port.othersAt);
        }
        schedule.SetMemory(own);
    }
}

} // namespace ns3
