/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-net-device.h"

#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDevice");

NS_OBJECT_ENSURE_REGISTERED(RdmaNetDevice);

TypeId
RdmaNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNetDevice")
            .SetParent<RdmaNetDeviceBase>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaNetDevice>()
            .AddAttribute("DataRate",
                          "Rate of the port, bit/s. Set it before the cable is plugged in.",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&RdmaNetDevice::m_rate),
                          MakeDataRateChecker())
            .AddAttribute(
                "Weights",
                "Weights of the priorities 0 to 7, separated by commas. 0 = strict: goes "
                "before all lower priorities and all that have a weight; those share "
                "what is left in proportion to their weights.",
                StringValue("0,0,0,0,0,0,0,0"),
                MakeStringAccessor(&RdmaNetDevice::SetWeights, &RdmaNetDevice::GetWeights),
                MakeStringChecker())
            .AddAttribute("EcnMarker",
                          "Marks packets by the length of the queue; null = none is marked.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNetDevice::SetEcnMarker),
                          MakePointerChecker<RdmaEcnMarker>())
            .AddAttribute("ShortQueueTime",
                          "Sending time of a queue that is short: trains may wait in it as a "
                          "whole, but for a quarter of the queue from which on packets are "
                          "marked. 0 = only in an empty one.",
                          TimeValue(MicroSeconds(8)),
                          MakeTimeAccessor(&RdmaNetDevice::m_shortQueueTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "FlowControl",
                "What keeps packets from being lost for want of room: pfc (priority flow "
                "control, IEEE 802.1Qbb) or credits (InfiniBand Architecture "
                "Specification, volume 1, section 7.9), by which every priority is a "
                "virtual lane. It must be the same at all ports of a fabric.",
                StringValue("pfc"),
                MakeStringAccessor(&RdmaNetDevice::SetFlowControl, &RdmaNetDevice::GetFlowControl),
                MakeStringChecker())
            .AddAttribute(
                "LaneBuffer",
                "With credits: receive buffer of each virtual lane, bytes, of which "
                "whole blocks of 64 count. The default is the most that a receiver may "
                "give credit for, 2048 blocks (InfiniBand specification, 7.9.4.4).",
                UintegerValue(RdmaCredits::MOST_BLOCKS * RdmaCredits::BLOCK_BYTES),
                MakeUintegerAccessor(&RdmaNetDevice::m_laneBuffer),
                MakeUintegerChecker<uint32_t>(RdmaCredits::BLOCK_BYTES,
                                              RdmaCredits::MOST_BLOCKS * RdmaCredits::BLOCK_BYTES))
            .AddAttribute("PauseQuanta",
                          "Time for which a pause frame of this port stops its peer, in quanta of "
                          "512 bit times (IEEE 802.1Qbb; 65535 at most). While the peer is to "
                          "stay paused the frame is repeated halfway; a pause that is not "
                          "repeated in time expires. 0 = a pause lasts until the resume frame, as "
                          "in HPCC's simulator.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNetDevice::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("ReceiveErrorModel",
                          "Decides which packets are lost on their way in; null = none. Flow "
                          "control is never lost.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNetDevice::SetReceiveErrorModel,
                                              &RdmaNetDevice::GetReceiveErrorModel),
                          MakePointerChecker<ErrorModel>());
    return tid;
}

RdmaNetDevice::RdmaNetDevice()
    : m_free(MakeEvent(&RdmaNetDevice::Free, this), false)
{
    NS_LOG_FUNCTION(this);
}

RdmaNetDevice::~RdmaNetDevice()
{
    NS_LOG_FUNCTION(this);
    m_free->Cancel();
}

void
RdmaNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_free->Cancel();
    m_channel = nullptr;
    m_marking.Set(nullptr, m_rate);
    m_errorModel = nullptr;
    RdmaFlowControlledDevice::DoDispose();
}

void
RdmaNetDevice::SetOwner(RdmaPortOwner* owner,
                        uint32_t index,
                        uint32_t address,
                        bool writesTelemetry)
{
    m_owner = owner;
    m_portIndex = index;
    m_address = address;
    m_writesTelemetry = writesTelemetry;
}

void
RdmaNetDevice::TakeTurns()
{
    m_takesTurns = true;
}

void
RdmaNetDevice::Attach(Ptr<RdmaChannel> channel, Ptr<RdmaNetDevice> peer)
{
    NS_LOG_FUNCTION(this << channel << peer);
    m_channel = channel;
    m_peer = PeekPointer(peer);
    m_context = GetNode()->GetId();
    m_clock.SetLink(m_rate, channel->GetDelay());
    SetEcnMarker(m_marking.GetMarker());
}

void
RdmaNetDevice::SetEcnMarker(Ptr<RdmaEcnMarker> marker)
{
    NS_LOG_FUNCTION(this << marker);
    m_marking.Set(marker, m_rate);
    const double rate = static_cast<double>(m_rate.GetBitRate()) / 8;
    const auto bytes = static_cast<uint64_t>(m_shortQueueTime.GetSeconds() * rate);
    m_shortBytes = std::min(bytes, m_marking.GetKmin() / 4);
}

Ptr<RdmaEcnMarker>
RdmaNetDevice::GetEcnMarker() const
{
    return m_marking.GetMarker();
}

int64_t
RdmaNetDevice::AssignStreams(int64_t stream)
{
    m_marking.AssignStream(stream);
    // The numbers of other ports' streams do not depend on whether this one marks.
    return 1;
}

void
RdmaNetDevice::SetWeights(std::string weights)
{
    m_queues.SetWeights(RdmaEgressQueues::ParseWeights(weights));
}

std::string
RdmaNetDevice::GetWeights() const
{
    return m_queues.DescribeWeights();
}

} // namespace ns3
