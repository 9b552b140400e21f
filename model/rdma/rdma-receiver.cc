/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver.h"

#include "rdma-queue-pair-host.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

RdmaReceiver::RdmaReceiver(RdmaQueuePairHost& nic, uint32_t number, const RdmaPacket& packet)
    : m_nic(nic),
      m_config(nic.GetQueuePairConfig()),
      m_flowHash(RdmaFlowHash(nic.GetAddress(), packet.source, packet.udpSourcePort)),
      m_number(number)
{
}

RdmaReceiver::~RdmaReceiver()
{
    if (m_notifications)
    {
        m_notifications->next.Cancel();
    }
}

void
RdmaReceiver::Deliver(const Message& message)
{
    ++m_messages;
    m_nic.Deliver(message);
}

void
RdmaReceiver::NotifyCongestion(const RdmaPacket& packet)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_config.usesCnp && now >= m_nextCnpAt)
    {
        // A NIC makes at most one notification per queue pair and interval.
        m_nextCnpAt = now + m_config.cnpInterval.GetTimeStep();
        RdmaPacketPtr response =
            MakeResponse(RdmaPacket::CNP, m_config.linkLayer->GetCnpBytes(), packet);
        if (m_config.cnpDelay.IsZero())
        {
            Send(std::move(response));
            return;
        }
        if (!m_notifications)
        {
            // Made when it is needed: with the default delay of 0 it never is.
            m_notifications = std::make_unique<Notifications>();
        }
        auto& responses = m_notifications->responses;
        responses.emplace_back(now + m_config.cnpDelay.GetTimeStep(), std::move(response));
        // The delay is the same for all, so they leave in the order in which they were made: one
        // event for the first is enough.
        if (responses.size() == 1)
        {
            m_notifications->next =
                Simulator::Schedule(m_config.cnpDelay, &RdmaReceiver::SendNotification, this);
        }
    }
}

void
RdmaReceiver::SendNotification()
{
    auto& responses = m_notifications->responses;
    Send(std::move(responses.front().second));
    responses.pop_front();
    if (!responses.empty())
    {
        const Time wait = TimeStep(responses.front().first) - Simulator::Now();
        m_notifications->next = Simulator::Schedule(wait, &RdmaReceiver::SendNotification, this);
    }
}

RdmaPacketPtr
RdmaReceiver::MakeResponse(RdmaPacket::Type type,
                           uint32_t frameBytes,
                           const RdmaPacket& packet) const
{
    RdmaPacketPtr response(new RdmaPacket(type, frameBytes, *m_config.linkLayer));
    response->source = packet.destination;
    response->destination = packet.source;
    // Acknowledgements have a priority of their own, so that data does not delay them.
    response->priority = m_config.ackPriority;
    response->flowHash = m_flowHash;
    response->udpSourcePort = packet.udpSourcePort;
    response->senderQp = packet.senderQp;
    response->receiverQp = m_number;
    return response;
}

void
RdmaReceiver::Send(RdmaPacketPtr response)
{
    const uint32_t epoch = m_nic.GetNetwork().GetEpoch();
    // Looked up once per epoch of routes, not for each response.
    if (!m_port || m_epoch != epoch)
    {
        m_epoch = epoch;
        m_port = m_nic.ChoosePort(response->destination, m_flowHash, response->senderQp);
    }
    // An idle port sends it in this event; else it queues.
    if (!m_port->TrySend(response))
    {
        m_port->Enqueue(std::move(response));
    }
}

} // namespace ns3
