/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wall-clock-poll.h"

#include "ns3/nstime.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <system_error>
#include <utility>

namespace ns3
{

WallClockPoll::WallClockPoll(std::chrono::milliseconds interval,
                             std::function<void()> function,
                             bool usesEvents)
    : m_interval(interval),
      m_function(std::move(function)),
      m_usesEvents(usesEvents)
{
    // The simulator is made at its first use, which must not be that of the other thread.
    Simulator::GetImplementation();
    try
    {
        m_thread = std::thread(&WallClockPoll::KeepTime, this);
    }
    catch (const std::system_error& error)
    {
        throw WorkloadError({"WallClockPoll", 0, 0, ""},
                            "the system to give a thread that keeps the time, as it does within "
                            "its limits of memory and of processes",
                            error.code().message());
    }
}

WallClockPoll::~WallClockPoll()
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_hasEnded = true;
    }
    m_end.notify_one();
    m_thread.join();
}

uint64_t
WallClockPoll::GetCalls() const
{
    return m_calls;
}

void
WallClockPoll::KeepTime()
{
    std::unique_lock<std::mutex> lock(m_mutex);
    while (!m_end.wait_for(lock, m_interval, [this] { return m_hasEnded; }))
    {
        // One call at a time: an event may take longer than the interval.
        if (!m_isWaiting.exchange(true) && m_usesEvents)
        {
            Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                           Time(),
                                           &WallClockPoll::Call,
                                           this);
        }
    }
}

void
WallClockPoll::Look()
{
    if (m_isWaiting)
    {
        m_isWaiting = false;
        m_function();
    }
}

void
WallClockPoll::Call()
{
    ++m_calls;
    Look();
}

} // namespace ns3
