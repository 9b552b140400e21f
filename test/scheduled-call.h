/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULED_CALL_H
#define SCHEDULED_CALL_H

#include "ns3/simulator.h"

#include <functional>
#include <utility>

namespace ns3
{

/// Something to be done at some time.
using ScheduledCall = std::function<void()>;

/**
 * Do something. Events of ns-3 up to 3.35 do not hold functions with a state, but this one and its
 * argument.
 *
 * @param call what to do
 */
inline void
RunCall(const ScheduledCall& call)
{
    call();
}

/**
 * @param delay how long from now
 * @param call what to do then
 * @return the event
 */
inline EventId
ScheduleCall(Time delay, ScheduledCall call)
{
    return Simulator::Schedule(delay, &RunCall, std::move(call));
}

} // namespace ns3

#endif /* SCHEDULED_CALL_H */
