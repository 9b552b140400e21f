/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair-watch.h"

#include "rdma-sender.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePairWatch");

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePairWatch);

TypeId
RdmaQueuePairWatch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaQueuePairWatch")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaQueuePairWatch>()
            .AddTraceSource("Rate",
                            "The rate at which the queue pair is to send, bit/s; 0 = it has not "
                            "sent.",
                            MakeTraceSourceAccessor(&RdmaQueuePairWatch::m_rate),
                            "ns3::TracedValueCallback::Double")
            .AddTraceSource("Window",
                            "The window of the queue pair, bytes of payload; 2^64 = it has none, "
                            "0 = it has not sent.",
                            MakeTraceSourceAccessor(&RdmaQueuePairWatch::m_window),
                            "ns3::TracedValueCallback::Double");
    return tid;
}

RdmaQueuePairWatch::RdmaQueuePairWatch()
{
    NS_LOG_FUNCTION(this);
}

RdmaQueuePairWatch::~RdmaQueuePairWatch()
{
    NS_LOG_FUNCTION(this);
    Disconnect();
}

void
RdmaQueuePairWatch::Watch(Ptr<RdmaNic> nic, uint32_t peer, uint32_t index)
{
    NS_LOG_FUNCTION(this << nic << peer << index);
    NS_ABORT_MSG_IF(m_nic, "an RdmaQueuePairWatch watches one queue pair; make another one");
    m_nic = nic;
    m_peer = peer;
    m_index = index;
    // As to any sinks of these, collectives that the NIC takes part in are simulated each time.
    nic->TraceConnectWithoutContext("Rate", MakeCallback(&RdmaQueuePairWatch::HandleRate, this));
    nic->TraceConnectWithoutContext("Window",
                                    MakeCallback(&RdmaQueuePairWatch::HandleWindow, this));
}

void
RdmaQueuePairWatch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Disconnect();
    Object::DoDispose();
}

void
RdmaQueuePairWatch::Disconnect()
{
    if (m_nic)
    {
        m_nic->TraceDisconnectWithoutContext("Rate",
                                             MakeCallback(&RdmaQueuePairWatch::HandleRate, this));
        m_nic->TraceDisconnectWithoutContext("Window",
                                             MakeCallback(&RdmaQueuePairWatch::HandleWindow, this));
        m_nic = nullptr;
    }
}

bool
RdmaQueuePairWatch::IsWatched(const RdmaSender& sender)
{
    if (sender.GetPeer() != m_peer)
    {
        return false;
    }
    // Numbers count the queue pairs of a NIC to all peers, in the order in which they were made.
    const auto found = std::find(m_numbers.begin(), m_numbers.end(), sender.GetNumber());
    const auto index = found - m_numbers.begin();
    if (found == m_numbers.end())
    {
        m_numbers.push_back(sender.GetNumber());
    }
    return index == m_index;
}

void
RdmaQueuePairWatch::HandleRate(const RdmaSender& sender,
                               double before [[maybe_unused]],
                               double after)
{
    if (IsWatched(sender))
    {
        m_rate = after;
    }
}

void
RdmaQueuePairWatch::HandleWindow(const RdmaSender& sender,
                                 double before [[maybe_unused]],
                                 double after)
{
    if (IsWatched(sender))
    {
        m_window = after;
    }
}

} // namespace ns3
