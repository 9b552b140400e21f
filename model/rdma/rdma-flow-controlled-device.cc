/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flow-controlled-device.h"

#include "rdma-pfc-watchdog.h"
#include "rdma-slot.h"

#include "ns3/event-id.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaFlowControlledDevice");

namespace
{

/// Bytes that are sent in a quantum: 512 bits.
constexpr uint64_t QUANTUM_BYTES = 512 / 8;

/// Words of the attribute FlowControl, by RdmaFlowControlledDevice::FlowControl.
const std::array<std::string, 2> FLOW_CONTROLS{"pfc", "credits"};

} // namespace

/// Events of pauses that end by themselves, by priority.
struct RdmaFlowControlledDevice::PauseTimers
{
    std::array<EventId, RdmaEgressQueues::PRIORITIES> repeats;  //!< of own pauses
    std::array<EventId, RdmaEgressQueues::PRIORITIES> expiries; //!< of the far end's pauses
};

RdmaFlowControlledDevice::RdmaFlowControlledDevice() = default;

RdmaFlowControlledDevice::~RdmaFlowControlledDevice() = default;

void
RdmaFlowControlledDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    CancelPauseTimers();
    m_watchdog.reset();
    RdmaNetDeviceBase::DoDispose();
}

void
RdmaFlowControlledDevice::SetFlowControl(std::string name)
{
    const auto found = std::find(FLOW_CONTROLS.begin(), FLOW_CONTROLS.end(), name);
    if (found == FLOW_CONTROLS.end())
    {
        throw WorkloadError({"ns3::RdmaNetDevice::FlowControl", 0, 0, ""},
                            "pfc or credits",
                            "'" + name + "'");
    }
    m_flowControl = static_cast<FlowControl>(found - FLOW_CONTROLS.begin());
}

std::string
RdmaFlowControlledDevice::GetFlowControl() const
{
    return FLOW_CONTROLS[m_flowControl];
}

void
RdmaFlowControlledDevice::BeginFlowControl(uint32_t largestFrame,
                                           const RdmaFlowControlledDevice* peer)
{
    NS_LOG_FUNCTION(this << largestFrame);
    if (peer && peer->m_flowControl != m_flowControl)
    {
        throw WorkloadError({"ns3::RdmaNetDevice::FlowControl", 0, 0, ""},
                            "the same at both ends of a link",
                            "pfc and credits");
    }
    if (m_flowControl != CREDITS)
    {
        return;
    }
    if (m_pauseQuanta > 0)
    {
        throw WorkloadError({"ns3::RdmaNetDevice::PauseQuanta", 0, 0, ""},
                            "0 with flow control by credits, which pauses nobody",
                            std::to_string(m_pauseQuanta));
    }
    const uint32_t buffer = m_laneBuffer / RdmaCredits::BLOCK_BYTES;
    const uint32_t frame = RdmaCredits::GetBlocks(largestFrame);
    if (buffer < frame)
    {
        throw WorkloadError({"ns3::RdmaNetDevice::LaneBuffer", 0, 0, ""},
                            "at least " + std::to_string(frame * RdmaCredits::BLOCK_BYTES) +
                                " bytes, the blocks of the largest frame",
                            std::to_string(m_laneBuffer));
    }
    // Each way a frame has begun, and the flow control packet is on its way.
    const auto bytes = static_cast<uint32_t>(m_clock.GetBytes(2 * m_clock.GetDelay()));
    const uint32_t flying = RdmaCredits::GetBlocks(bytes) + 3 * frame;
    m_credits = std::make_unique<RdmaCredits>(buffer, frame, flying);
}

void
RdmaFlowControlledDevice::SetShort(uint8_t lane, bool isShort)
{
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << lane);
    if (((m_short & bit) != 0) != isShort)
    {
        m_short ^= bit;
        UpdateAllowed();
    }
}

void
RdmaFlowControlledDevice::StoreOnCredit(const RdmaPacket& packet, bool isStored)
{
    m_credits->Store(packet.priority, RdmaCredits::GetBlocks(packet.size), isStored);
    if (!isStored)
    {
        AnnounceCredit(packet.priority);
    }
}

void
RdmaFlowControlledDevice::SendCredit(uint8_t lane)
{
    RdmaPacketPtr frame(new RdmaPacket(RdmaPacket::ROOM, RdmaPacket::ROOM_BYTES));
    frame->priority = lane;
    frame->sequence = m_credits->Announce(lane);
    SendControl(std::move(frame));
}

void
RdmaFlowControlledDevice::AnnounceCredits()
{
    for (uint8_t lane = 0; lane < RdmaEgressQueues::PRIORITIES; ++lane)
    {
        AnnounceCredit(lane);
    }
}

void
RdmaFlowControlledDevice::SendPause(uint8_t priority, bool pause)
{
    NS_LOG_FUNCTION(this << +priority << pause);
    if (!m_up)
    {
        return;
    }
    CatchUp();
    RdmaPacketPtr frame(
        new RdmaPacket(pause ? RdmaPacket::PAUSE : RdmaPacket::RESUME, RdmaPacket::PFC_BYTES));
    frame->priority = priority;
    m_counters.pauses += pause ? 1 : 0;
    if (m_pauseQuanta > 0)
    {
        frame->sequence = pause ? m_pauseQuanta : 0;
        RepeatPause(priority, pause);
    }
    SendControl(std::move(frame));
}

RdmaFlowControlledDevice::PauseTimers&
RdmaFlowControlledDevice::GetPauseTimers()
{
    if (!m_pauseTimers)
    {
        m_pauseTimers = std::make_unique<PauseTimers>();
    }
    return *m_pauseTimers;
}

void
RdmaFlowControlledDevice::CancelPauseTimers()
{
    for (uint8_t priority = 0; m_pauseTimers && priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        m_pauseTimers->repeats[priority].Cancel();
        m_pauseTimers->expiries[priority].Cancel();
    }
}

void
RdmaFlowControlledDevice::RepeatPause(uint8_t priority, bool pause)
{
    EventId& repeat = GetPauseTimers().repeats[priority];
    repeat.Cancel();
    if (pause)
    {
        // Though a frame is in the way, the next one is there in time; and pauses of all priorities
        // take no more than half of the link.
        const int64_t half = m_clock.GetSendingSteps(m_pauseQuanta * QUANTUM_BYTES / 2);
        const int64_t frames = m_clock.GetSendingSteps(
            2 * RdmaEgressQueues::PRIORITIES * (RdmaPacket::PFC_BYTES + RdmaPacket::GAP_BYTES));
        repeat = Simulator::Schedule(TimeStep(std::max(half, frames)),
                                     &RdmaFlowControlledDevice::SendPause,
                                     this,
                                     priority,
                                     true);
    }
}

void
RdmaFlowControlledDevice::HandleControl(const RdmaPacket& frame)
{
    const bool pause = frame.type == RdmaPacket::PAUSE;
    const uint8_t priority = frame.priority;
    if (frame.type == RdmaPacket::ROOM)
    {
        CatchUp();
        SetShort(priority, !m_credits->Grant(priority, frame.sequence));
        return;
    }
    if (m_pauseTimers)
    {
        m_pauseTimers->expiries[priority].Cancel();
    }
    if (frame.sequence > 0)
    {
        const int64_t steps = m_clock.GetSendingSteps(frame.sequence * QUANTUM_BYTES);
        GetPauseTimers().expiries[priority] =
            Simulator::Schedule(TimeStep(steps),
                                &RdmaFlowControlledDevice::SetPaused,
                                this,
                                priority,
                                false);
    }
    if ((m_paused >> priority & 1U) != (pause ? 1U : 0U))
    {
        SetPaused(priority, pause);
    }
}

void
RdmaFlowControlledDevice::SetPaused(uint8_t priority, bool pause)
{
    NS_LOG_FUNCTION(this << +priority << pause);
    CatchUp();
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << priority);
    m_paused = static_cast<RdmaEgressQueues::Mask>(pause ? m_paused | bit : m_paused & ~bit);
    (pause ? m_pauseTrace : m_resumeTrace)(priority);
    if (m_watchdog)
    {
        m_watchdog->PauseChanged(priority, pause);
    }
    UpdateAllowed();
}

void
RdmaFlowControlledDevice::SetAllowed()
{
    const auto held =
        static_cast<RdmaEgressQueues::Mask>((m_paused & ~m_unbridled) | m_dropped | m_short);
    m_allowed = m_isInSlot ? static_cast<RdmaEgressQueues::Mask>(~held) : 0;
    m_clock.SetPaused(held != 0, Simulator::Now().GetTimeStep());
}

void
RdmaFlowControlledDevice::UpdateAllowed()
{
    const auto before = m_allowed;
    SetAllowed();
    m_clock.Idle(Simulator::Now().GetTimeStep());
    if (m_up && (m_allowed & ~before) != 0)
    {
        Resume();
    }
}

void
RdmaFlowControlledDevice::ResetFlowControl()
{
    // A pause does not outlive the link that it came over (IEEE 802.1Qbb).
    CancelPauseTimers();
    for (uint8_t priority = 0; m_watchdog && priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        m_watchdog->PauseChanged(priority, false);
    }
    m_paused = 0;
    m_short = m_credits ? RdmaEgressQueues::ALL : 0;
    SetAllowed();
    if (m_credits)
    {
        m_credits->Reset();
    }
}

void
RdmaFlowControlledDevice::SetWatchdog(std::unique_ptr<RdmaPfcWatchdog> watchdog)
{
    m_watchdog = std::move(watchdog);
}

void
RdmaFlowControlledDevice::WatchPaused(uint8_t priority)
{
    if (m_watchdog)
    {
        m_watchdog->Watch(priority);
    }
}

void
RdmaFlowControlledDevice::SetStorm(uint8_t priority, bool isStorm, bool drops)
{
    NS_LOG_FUNCTION(this << +priority << isStorm << drops);
    CatchUp();
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << priority);
    auto& mask = drops ? m_dropped : m_unbridled;
    mask = static_cast<RdmaEgressQueues::Mask>(isStorm ? mask | bit : mask & ~bit);
    m_counters.storms += isStorm ? 1 : 0;
    UpdateAllowed();
    Flush(m_dropped);
}

void
RdmaFlowControlledDevice::SetSlot(const SlotCycle& cycle, uint32_t slot)
{
    NS_LOG_FUNCTION(this << slot);
    m_slot = std::make_unique<RdmaSlot>(cycle, slot);
}

void
RdmaFlowControlledDevice::UpdateSlot()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const bool isOpen = m_slot->IsOpen(now);
    if (isOpen != m_isInSlot)
    {
        CatchUp();
        m_isInSlot = isOpen;
        SetAllowed();
        m_clock.Idle(now);
    }
    if (!m_awaitsSlot)
    {
        m_awaitsSlot = true;
        Simulator::ScheduleWithContext(GetNode()->GetId(),
                                       TimeStep(m_slot->GetStepsToChange(now)),
                                       &RdmaFlowControlledDevice::SlotChanged,
                                       this);
    }
}

void
RdmaFlowControlledDevice::SlotChanged()
{
    m_awaitsSlot = false;
    // A port without work sleeps: it looks when something comes.
    if (HasQueued())
    {
        UpdateSlot();
        Resume();
    }
}

} // namespace ns3
