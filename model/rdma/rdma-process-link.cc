/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-process-link.h"

#include "rdma-link-end.h"
#include "rdma-net-device-base.h"
#include "rdma-packet-bytes.h"

#include "ns3/byte-record.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/process-exchange.h"
#include "ns3/simulation-singleton.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Held bytes from which on they are sent: no packet but one of IP then needs a second message.
constexpr std::size_t FULL_BYTES = 1600;

/// What goes before a packet.
struct PacketHead
{
    int64_t arrival{0}; //!< when the packet comes in, time step
    uint32_t node{0};   //!< node that it comes to
    uint32_t port{0};   //!< index of the device there

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.arrival);
        visit(record.node);
        visit(record.port);
    }
};

/**
 * @return what carries bytes in this simulation
 */
ProcessExchange&
GetExchange()
{
    return *SimulationSingleton<ProcessExchange>::Get();
}

} // namespace

RdmaProcessLink::RdmaProcessLink(uint32_t process)
    : m_process(process)
{
}

std::vector<std::unique_ptr<RdmaProcessLink>>
RdmaProcessLink::MakeAll()
{
    std::vector<std::unique_ptr<RdmaProcessLink>> links(ProcessExchange::GetSize());
    for (uint32_t process = 0; process < links.size(); ++process)
    {
        if (process != ProcessExchange::GetRank())
        {
            links[process] = std::make_unique<RdmaProcessLink>(process);
        }
    }
    GetExchange().SetHandler(ProcessExchange::PACKETS, MakeCallback(&RdmaProcessLink::Receive));
    return links;
}

void
RdmaProcessLink::Send(RdmaPacketPtr packet,
                      uint32_t node,
                      uint32_t port,
                      int64_t arrival,
                      int64_t lookAhead)
{
    RecordWriter{m_held}(PacketHead{arrival, node, port});
    WritePacket(*packet, m_held);
    m_firstArrival = std::min(m_firstArrival, arrival);
    // Any later, and it would come within the look-ahead that the other process may have been
    // granted.
    m_deadline = std::min(m_deadline, arrival - lookAhead - 1);
    if (m_held.GetBytes().size() >= FULL_BYTES)
    {
        SendAll();
    }
    else if (m_deadline < m_flushAt)
    {
        m_flushAt = m_deadline;
        const int64_t now = Simulator::Now().GetTimeStep();
        Simulator::ScheduleWithContext(GetExchange().GetNodeId(ProcessExchange::GetRank()),
                                       TimeStep(m_flushAt - now),
                                       &RdmaProcessLink::Flush,
                                       this);
    }
}

void
RdmaProcessLink::Flush()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now != m_flushAt)
    {
        // An earlier one has taken its place.
        return;
    }
    m_flushAt = NEVER;
    if (m_deadline <= now)
    {
        SendAll();
    }
    else if (m_deadline != NEVER)
    {
        // What this was scheduled for went with a full message.
        m_flushAt = m_deadline;
        Simulator::ScheduleWithContext(GetExchange().GetNodeId(ProcessExchange::GetRank()),
                                       TimeStep(m_flushAt - now),
                                       &RdmaProcessLink::Flush,
                                       this);
    }
}

void
RdmaProcessLink::SendAll()
{
    GetExchange().Send(m_process,
                       ProcessExchange::PACKETS,
                       TimeStep(m_firstArrival),
                       m_held.GetBytes());
    m_held.GetBytes().clear();
    m_firstArrival = NEVER;
    m_deadline = NEVER;
}

void
RdmaProcessLink::Receive(uint32_t from [[maybe_unused]], const std::string& bytes)
{
    for (ByteReader reader(bytes); !reader.IsAtEnd();)
    {
        PacketHead head;
        RecordReader{reader}(head);
        const auto device = NodeList::GetNode(head.node)->GetDevice(head.port);
        const RdmaLinkEnd& end = StaticCast<RdmaNetDeviceBase>(device)->GetLinkEnd();
        RdmaPacketPtr packet = ReadPacket(reader);
        // As RdmaPortWire::HandOver() does for a port of this process.
        packet->receiver = end.port;
        packet->ingress = static_cast<uint16_t>(end.index);
        Simulator::ScheduleWithContext(end.context,
                                       TimeStep(head.arrival - Simulator::Now().GetTimeStep()),
                                       static_cast<EventImpl*>(packet.release()));
    }
}

} // namespace ns3
