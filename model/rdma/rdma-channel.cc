/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-channel.h"

#include "rdma-net-device.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaChannel");

NS_OBJECT_ENSURE_REGISTERED(RdmaChannel);

TypeId
RdmaChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaChannel")
            .SetParent<Channel>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaChannel>()
            .AddAttribute("Delay",
                          "Propagation delay. Set it before the ports are connected. What is read "
                          "of it, by ns-3's MPI engine for one, is GetLookAhead().",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&RdmaChannel::SetDelay, &RdmaChannel::GetLookAhead),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HoldShare",
                          "Between two processes: share of the delay for which "
                          "packets may be held to go with others in one message. "
                          "The more, the fewer messages, but the less the "
                          "processes may run ahead of each other.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&RdmaChannel::m_holdShare),
                          MakeDoubleChecker<double>(0, 0.9));
    return tid;
}

RdmaChannel::RdmaChannel()
{
    NS_LOG_FUNCTION(this);
}

RdmaChannel::~RdmaChannel()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaChannel::Connect(Ptr<RdmaNetDevice> a, Ptr<RdmaNetDevice> b)
{
    NS_LOG_FUNCTION(this << a << b);
    NS_ABORT_MSG_IF(m_devices[0], "this channel has its two ports already");
    m_devices = {a, b};
    m_isCut = a->GetNode()->GetSystemId() != b->GetNode()->GetSystemId();
    const auto steps = static_cast<double>(m_delay.GetTimeStep()) * (1 - m_holdShare);
    m_lookAhead = TimeStep(std::max<int64_t>(1, std::llround(steps)));
    a->Attach(this, *b, m_delay, GetLookAhead());
    b->Attach(this, *a, m_delay, GetLookAhead());
}

Time
RdmaChannel::GetDelay() const
{
    return m_delay;
}

void
RdmaChannel::SetDelay(Time delay)
{
    NS_ABORT_MSG_IF(m_devices[0] && delay != m_delay,
                    "ns3::RdmaChannel::Delay is set before the ports are connected");
    m_delay = delay;
}

Time
RdmaChannel::GetLookAhead() const
{
    return m_isCut ? m_lookAhead : m_delay;
}

void
RdmaChannel::SetUp(bool up)
{
    NS_LOG_FUNCTION(this << up);
    if (m_up != up)
    {
        m_up = up;
        for (const auto& device : m_devices)
        {
            device->LinkChanged(up);
        }
    }
}

bool
RdmaChannel::IsUp() const
{
    return m_up;
}

std::size_t
RdmaChannel::GetNDevices() const
{
    return m_devices[0] ? 2 : 0;
}

Ptr<NetDevice>
RdmaChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

void
RdmaChannel::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_devices = {};
    Channel::DoDispose();
}

} // namespace ns3
