/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-priority-flow-control.h"

#include "rdma-port-monitor.h"
#include "rdma-port-transmitter.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPriorityFlowControl");

namespace
{

/// Bytes that are sent in a quantum: 512 bits (IEEE 802.1Qbb, as of 802.3 annex 31B).
constexpr uint64_t QUANTUM_BYTES = 512 / 8;

} // namespace

RdmaPriorityFlowControl::RdmaPriorityFlowControl(RdmaPortTransmitter& transmitter,
                                                 RdmaPortMonitor& monitor)
    : m_transmitter(transmitter),
      m_monitor(monitor)
{
}

RdmaPriorityFlowControl::~RdmaPriorityFlowControl() = default;

void
RdmaPriorityFlowControl::Stop()
{
    CancelPauseTimers();
    m_watchdog.reset();
}

void
RdmaPriorityFlowControl::SendPause(uint8_t priority, bool pause, uint16_t quanta)
{
    NS_LOG_FUNCTION(this << +priority << pause << quanta);
    if (!m_transmitter.IsLinkUp())
    {
        return;
    }
    // What was due before the frame has left before it.
    m_transmitter.CatchUp();
    RdmaPacketPtr frame(
        new RdmaPacket(pause ? RdmaPacket::PAUSE : RdmaPacket::RESUME, RdmaPacket::PFC_BYTES));
    frame->priority = priority;
    m_monitor.counters.pauses += pause ? 1 : 0;
    if (quanta > 0)
    {
        // How long the pause is to last, in quanta of 512 bits; 0 = until the resume frame.
        frame->sequence = pause ? quanta : 0;
        RepeatPause(priority, pause, quanta);
    }
    m_transmitter.SendControl(std::move(frame));
}

void
RdmaPriorityFlowControl::RepeatPause(uint8_t priority, bool pause, uint16_t quanta)
{
    EventId& repeat = GetPauseTimers().repeats[priority];
    repeat.Cancel();
    if (pause)
    {
        // Though a frame is in the way, the next one is there in time; and pauses of all priorities
        // take no more than half of the link.
        const RdmaPortClock& clock = m_transmitter.GetClock();
        // Half the pause, in time steps.
        const int64_t half = clock.GetSendingSteps(quanta * QUANTUM_BYTES / 2);
        const int64_t frames = clock.GetSendingSteps(
            2 * RdmaEgressQueues::PRIORITIES * GetLinkLayer().GetWireBytes(RdmaPacket::PFC_BYTES));
        repeat = Simulator::Schedule(TimeStep(std::max(half, frames)),
                                     &RdmaPriorityFlowControl::SendPause,
                                     this,
                                     priority,
                                     true,
                                     quanta);
    }
}

RdmaPriorityFlowControl::PauseTimers&
RdmaPriorityFlowControl::GetPauseTimers()
{
    if (!m_pauseTimers)
    {
        m_pauseTimers = std::make_unique<PauseTimers>();
    }
    return *m_pauseTimers;
}

void
RdmaPriorityFlowControl::CancelPauseTimers()
{
    for (uint8_t priority = 0; m_pauseTimers && priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        m_pauseTimers->repeats[priority].Cancel();
        m_pauseTimers->expiries[priority].Cancel();
    }
}

void
RdmaPriorityFlowControl::HandleControl(const RdmaPacket& frame)
{
    const bool pause = frame.type == RdmaPacket::PAUSE;
    const uint8_t priority = frame.priority;
    if (m_pauseTimers)
    {
        // A newer frame takes the place of the one before, whatever it says.
        m_pauseTimers->expiries[priority].Cancel();
    }
    if (frame.sequence > 0)
    {
        // A quantum is a time of the link, so both ends take it to be as long.
        const int64_t steps =
            m_transmitter.GetClock().GetSendingSteps(frame.sequence * QUANTUM_BYTES);
        GetPauseTimers().expiries[priority] =
            Simulator::Schedule(TimeStep(steps),
                                &RdmaPriorityFlowControl::SetPaused,
                                this,
                                priority,
                                false);
    }
    // A pause that is repeated changes nothing but when it ends.
    if ((m_paused >> priority & 1U) != (pause ? 1U : 0U))
    {
        SetPaused(priority, pause);
    }
}

void
RdmaPriorityFlowControl::SetPaused(uint8_t priority, bool pause)
{
    NS_LOG_FUNCTION(this << +priority << pause);
    // Packets that began before the pause came have left.
    m_transmitter.CatchUp();
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << priority);
    m_paused = static_cast<RdmaEgressQueues::Mask>(pause ? m_paused | bit : m_paused & ~bit);
    (pause ? m_monitor.pauseTrace : m_monitor.resumeTrace)(priority);
    if (m_watchdog)
    {
        m_watchdog->PauseChanged(priority, pause);
    }
    // Strictly the whole priority: PFC knows neither queue pairs nor messages.
    m_transmitter.Hold(GetHeld());
}

void
RdmaPriorityFlowControl::Reset()
{
    // A pause does not outlive the link that it came over (IEEE 802.1Qbb).
    CancelPauseTimers();
    for (uint8_t priority = 0; m_watchdog && priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        m_watchdog->PauseChanged(priority, false);
    }
    m_paused = 0;
    m_transmitter.ResetHeld(GetHeld());
}

void
RdmaPriorityFlowControl::SetWatchdog(const RdmaPfcWatchdog::Parameters& parameters)
{
    m_watchdog = std::make_unique<RdmaPfcWatchdog>(
        m_transmitter.GetBacklog().GetQueues(),
        parameters,
        [this, drops = parameters.action == RdmaPfcWatchdog::DROP](uint8_t priority, bool isStorm) {
            SetStorm(priority, isStorm, drops);
        });
}

void
RdmaPriorityFlowControl::Waits(uint8_t priority)
{
    if (m_watchdog)
    {
        m_watchdog->Watch(priority);
    }
}

void
RdmaPriorityFlowControl::SetStorm(uint8_t priority, bool isStorm, bool drops)
{
    NS_LOG_FUNCTION(this << +priority << isStorm << drops);
    // As for a pause: what was due before leaves by the old rule.
    m_transmitter.CatchUp();
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << priority);
    auto& mask = drops ? m_dropped : m_unbridled;
    mask = static_cast<RdmaEgressQueues::Mask>(isStorm ? mask | bit : mask & ~bit);
    // Beginnings are counted, not ends.
    m_monitor.counters.storms += isStorm ? 1 : 0;
    m_transmitter.Hold(GetHeld());
    m_transmitter.SetDropped(m_dropped);
}

} // namespace ns3
