/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-net-device.h"

#include "rdma-credit-flow-control.h"
#include "rdma-enum-attribute.h"
#include "rdma-priority-flow-control.h"
#include "rdma-slot-flow-control.h"
#include "rdma-slot.h"

#include "ns3/input-values.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <memory>
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
            .AddAttribute(
                "DataRate",
                "Rate of the port, bit/s. It stays as it is once the cable is plugged in.",
                DataRateValue(DataRate("400Gbps")),
                MakeDataRateAccessor(&RdmaNetDevice::SetRate, &RdmaNetDevice::GetRate),
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
            .AddAttribute("FlowControl",
                          "What keeps packets from being lost for want of room: pfc (priority flow "
                          "control, IEEE 802.1Qbb) or credits (InfiniBand Architecture "
                          "Specification, volume 1, section 7.9), by which every priority is a "
                          "virtual lane. It must be the same at all ports of a fabric.",
                          EnumValue(PFC),
                          MakeRdmaEnumAccessor(&RdmaNetDevice::SetFlowControl,
                                               &RdmaNetDevice::GetFlowControlKind),
                          MakeEnumChecker(PFC, "pfc", CREDITS, "credits"))
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
    : m_transmitter(m_end, *this)
{
    NS_LOG_FUNCTION(this);
    m_end.port = this;
}

RdmaNetDevice::~RdmaNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    // The simulator may still hold the event.
    m_transmitter.Stop();
    m_transmitter.GetTurns().SetSource(nullptr);
    m_schedule.reset();
    m_cable = nullptr;
    m_transmitter.GetBacklog().GetMarking().Set(nullptr, m_rate);
    m_errorModel = nullptr;
    m_flow->Stop();
    RdmaNetDeviceBase::DoDispose();
}

void
RdmaNetDevice::SetOwner(RdmaPortOwner* owner,
                        uint32_t index,
                        uint32_t address,
                        bool writesTelemetry)
{
    m_owner = owner;
    m_end.index = index;
    m_end.address = address;
    m_transmitter.GetBacklog().SetOwner(owner);
    m_transmitter.GetWire().WriteTelemetry(writesTelemetry);
}

void
RdmaNetDevice::AddSchedule()
{
    m_schedule = std::make_unique<RdmaSendSchedule>(*this, m_transmitter);
    m_transmitter.GetTurns().SetSource(m_schedule.get());
}

void
RdmaNetDevice::Attach(Ptr<Channel> cable, const RdmaNetDevice& peer, Time delay, Time lookAhead)
{
    NS_LOG_FUNCTION(this << cable << delay << lookAhead);
    m_cable = cable;
    m_end.context = GetNode()->GetId();
    m_transmitter.GetClock().SetLink(m_rate, delay);
    m_transmitter.GetWire().Attach(peer.m_end, m_rate, lookAhead);
    SetEcnMarker(GetEcnMarker());
}

void
RdmaNetDevice::SetRate(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    if (m_cable && rate != m_rate)
    {
        // Marks, room for pauses, queue pairs and what trains foresee follow from it.
        throw WorkloadError({"ns3::RdmaNetDevice::DataRate", 0, 0, ""},
                            FormatRate(m_rate) +
                                ", which TopologyGraph::AddLink() states for the " +
                                "whole run (ReplayScene::setLinkUp takes a link down)",
                            FormatRate(rate));
    }
    m_rate = rate;
}

void
RdmaNetDevice::SetEcnMarker(Ptr<RdmaEcnMarker> marker)
{
    NS_LOG_FUNCTION(this << marker);
    m_transmitter.GetBacklog().SetMarker(marker, m_rate, m_shortQueueTime);
}

Ptr<RdmaEcnMarker>
RdmaNetDevice::GetEcnMarker() const
{
    return m_transmitter.GetBacklog().GetMarking().GetMarker();
}

int64_t
RdmaNetDevice::AssignStreams(int64_t stream)
{
    m_transmitter.GetBacklog().GetMarking().AssignStream(stream);
    // The numbers of other ports' streams do not depend on whether this one marks.
    return 1;
}

void
RdmaNetDevice::SetWeights(std::string weights)
{
    m_transmitter.GetBacklog().GetQueues().SetWeights(RdmaEgressQueues::ParseWeights(weights));
}

std::string
RdmaNetDevice::GetWeights() const
{
    return GetQueues().DescribeWeights();
}

void
RdmaNetDevice::SetFlowControl(FlowControlKind kind)
{
    if (kind == CREDITS)
    {
        m_flow = std::make_unique<RdmaCreditFlowControl>(m_transmitter);
    }
    else
    {
        m_flow = std::make_unique<RdmaPriorityFlowControl>(m_transmitter, *this);
    }
    m_usesCredits = kind == CREDITS;
    m_transmitter.SetFlowControl(m_flow.get());
}

RdmaNetDevice::FlowControlKind
RdmaNetDevice::GetFlowControlKind() const
{
    return m_usesCredits ? CREDITS : PFC;
}

void
RdmaNetDevice::BeginFlowControl(uint32_t largestFrame, const RdmaNetDevice* peer)
{
    NS_LOG_FUNCTION(this << largestFrame);
    if (peer && peer->m_usesCredits != m_usesCredits)
    {
        throw WorkloadError({"ns3::RdmaNetDevice::FlowControl", 0, 0, ""},
                            "the same at both ends of a link",
                            "pfc and credits");
    }
    m_flow->Begin(largestFrame, m_laneBuffer, m_pauseQuanta);
}

void
RdmaNetDevice::SetSlot(const SlotCycle& cycle, uint32_t slot)
{
    NS_LOG_FUNCTION(this << slot);
    m_slots = std::make_unique<RdmaSlotFlowControl>(m_end, m_transmitter, RdmaSlot(cycle, slot));
    m_transmitter.SetSlots(m_slots.get());
}

} // namespace ns3
