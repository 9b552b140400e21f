/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Flow control of an RdmaNetDevice: it pauses the far end and is paused by it (IEEE 802.1Qbb), and
 * a watchdog may put an end to that; or both ends tell each other how much they can take in
 * (InfiniBand).
 */

#include "rdma-net-device.h"
#include "rdma-pfc-watchdog.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNetDevicePause");

namespace
{

/// Bytes that are sent in a quantum: 512 bits.
constexpr uint64_t QUANTUM_BYTES = 512 / 8;

/// Words of the attribute FlowControl, by RdmaNetDevice::FlowControl.
const std::array<std::string, 2> FLOW_CONTROLS{"pfc", "credits"};

} // namespace

void
RdmaNetDevice::SetFlowControl(std::string name)
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
RdmaNetDevice::GetFlowControl() const
{
    return FLOW_CONTROLS[m_flowControl];
}

void
RdmaNetDevice::BeginFlowControl(uint32_t largestFrame)
{
    NS_LOG_FUNCTION(this << largestFrame);
    if (!m_peer->m_remote && m_peer->m_flowControl != m_flowControl)
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
RdmaNetDevice::SetShort(uint8_t lane, bool isShort)
{
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << lane);
    if (((m_short & bit) != 0) != isShort)
    {
        m_short ^= bit;
        UpdateAllowed();
    }
}

void
RdmaNetDevice::StoreOnCredit(const RdmaPacket& packet, bool isStored)
{
    m_credits->Store(packet.priority, RdmaCredits::GetBlocks(packet.size), isStored);
    if (!isStored)
    {
        AnnounceCredit(packet.priority);
    }
}

void
RdmaNetDevice::AnnounceCredit(uint8_t lane)
{
    if (m_up && m_credits->IsNews(lane))
    {
        RdmaPacketPtr frame(new RdmaPacket(RdmaPacket::ROOM, RdmaPacket::ROOM_BYTES));
        frame->priority = lane;
        frame->sequence = m_credits->Announce(lane);
        SendControl(std::move(frame));
    }
}

void
RdmaNetDevice::SendPause(uint8_t priority, bool pause)
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

RdmaNetDevice::PauseTimers&
RdmaNetDevice::GetPauseTimers()
{
    if (!m_pauseTimers)
    {
        m_pauseTimers = std::make_unique<PauseTimers>();
    }
    return *m_pauseTimers;
}

void
RdmaNetDevice::CancelPauseTimers()
{
    for (uint8_t priority = 0; m_pauseTimers && priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        m_pauseTimers->repeats[priority].Cancel();
        m_pauseTimers->expiries[priority].Cancel();
    }
}

void
RdmaNetDevice::RepeatPause(uint8_t priority, bool pause)
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
                                     &RdmaNetDevice::SendPause,
                                     this,
                                     priority,
                                     true);
    }
}

void
RdmaNetDevice::SendControl(RdmaPacketPtr frame)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_clock.IsSendingTrain(now) && m_control.IsEmpty())
    {
        Preempt(std::move(frame), now, now);
        return;
    }
    m_control.Push(std::move(frame));
    Kick();
}

void
RdmaNetDevice::HandleControl(const RdmaPacket& frame)
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
            Simulator::Schedule(TimeStep(steps), &RdmaNetDevice::SetPaused, this, priority, false);
    }
    if ((m_paused >> priority & 1U) != (pause ? 1U : 0U))
    {
        SetPaused(priority, pause);
    }
}

void
RdmaNetDevice::SetPaused(uint8_t priority, bool pause)
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
RdmaNetDevice::SetAllowed()
{
    const auto held =
        static_cast<RdmaEgressQueues::Mask>((m_paused & ~m_unbridled) | m_dropped | m_short);
    const bool isShut = m_slot && !m_slot->isOpen;
    m_allowed = isShut ? 0 : static_cast<RdmaEgressQueues::Mask>(~held);
    m_clock.SetPaused(held != 0, Simulator::Now().GetTimeStep());
}

void
RdmaNetDevice::UpdateAllowed()
{
    const auto before = m_allowed;
    SetAllowed();
    m_clock.Idle(Simulator::Now().GetTimeStep());
    if (m_up && (m_allowed & ~before) != 0 && IsBacklogged())
    {
        Kick();
    }
}

void
RdmaNetDevice::ResetFlowControl()
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
RdmaNetDevice::Flush(RdmaEgressQueues::Mask priorities)
{
    while (RdmaPacketPtr packet = m_queues.Pop(priorities))
    {
        m_queued -= packet->size;
        m_queueTrace(packet->priority, m_queues.GetBytes(packet->priority));
        Drop(*packet);
        m_owner->Dequeued(*this, *packet);
    }
}

void
RdmaNetDevice::SetWatchdog(std::unique_ptr<RdmaPfcWatchdog> watchdog)
{
    m_watchdog = std::move(watchdog);
}

void
RdmaNetDevice::SetStorm(uint8_t priority, bool isStorm, bool drops)
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

} // namespace ns3
