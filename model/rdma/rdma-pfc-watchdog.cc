/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pfc-watchdog.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPfcWatchdog");

RdmaPfcWatchdog::RdmaPfcWatchdog(const RdmaEgressQueues& queues,
                                 const Parameters& parameters,
                                 StormCallback storm)
    : m_queues(queues),
      m_parameters(parameters),
      m_storm(std::move(storm))
{
}

RdmaPfcWatchdog::~RdmaPfcWatchdog()
{
    for (auto& state : m_states)
    {
        state.due.Cancel();
    }
}

void
RdmaPfcWatchdog::PauseChanged(uint8_t priority, bool isPaused)
{
    State& state = m_states[priority];
    if (state.isPaused == isPaused)
    {
        return;
    }
    // Any change ends what was waited for: a storm in the making, or the end of one.
    state.isPaused = isPaused;
    state.due.Cancel();
    if (isPaused)
    {
        // Repeated pauses do not come here: waiting counts from the first one.
        state.pausedAt = Simulator::Now();
        Watch(priority);
    }
    else if (state.isStorm)
    {
        state.due = Simulator::Schedule(m_parameters.restoration,
                                        &RdmaPfcWatchdog::Restore,
                                        this,
                                        priority);
    }
}

void
RdmaPfcWatchdog::Watch(uint8_t priority)
{
    State& state = m_states[priority];
    if (state.isPaused && !state.isStorm && state.due.IsExpired() &&
        m_queues.GetBytes(priority) > 0)
    {
        // Waiting counts from when both are true: it is paused, and its first packet is there.
        const Time front = TimeStep(m_queues.Front(priority).train.head);
        const Time since = Max(state.pausedAt, front);
        state.due =
            Simulator::Schedule(Max(since + m_parameters.detection - Simulator::Now(), Time(0)),
                                &RdmaPfcWatchdog::Detect,
                                this,
                                priority);
    }
}

void
RdmaPfcWatchdog::Detect(uint8_t priority)
{
    NS_LOG_FUNCTION(this << +priority);
    m_states[priority].isStorm = true;
    m_storm(priority, true);
}

void
RdmaPfcWatchdog::Restore(uint8_t priority)
{
    NS_LOG_FUNCTION(this << +priority);
    m_states[priority].isStorm = false;
    m_storm(priority, false);
}

} // namespace ns3
