/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WALL_CLOCK_POLL_H
#define WALL_CLOCK_POLL_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Calls a function again and again while a simulation runs, by the time on the wall.
 *
 * The function is called between two events of the simulation, by its thread, so it may look at
 * everything. Another thread keeps the time, and hands the simulator an event for the present
 * moment by Simulator::ScheduleWithContext(), which other threads may call. With MPI's simulators
 * they may not: there it only notes that it is time, for who calls Look() now and then. That costs
 * the simulation nothing between two calls, and neither its order of events nor its end depends on
 * it; only the count of events does, see GetCalls().
 *
 * To be made before Simulator::Run() and destroyed after it has returned.
 */
class WallClockPoll
{
  public:
    /**
     * @param interval real time between two calls; more where an event takes longer
     * @param function what to call; must not throw
     * @param usesEvents whether to make events; if not, Look() calls
     */
    WallClockPoll(std::chrono::milliseconds interval,
                  std::function<void()> function,
                  bool usesEvents = true);

    /// Calls nothing any more.
    ~WallClockPoll();

    // The simulator holds a pointer to it.
    WallClockPoll(const WallClockPoll&) = delete;
    WallClockPoll& operator=(const WallClockPoll&) = delete;

    /// Call the function if it is time.
    void Look();

    /**
     * @return calls so far: simulator events that are not the simulation's own
     */
    uint64_t GetCalls() const;

  private:
    /// Keep the time. Runs in a thread of its own.
    void KeepTime();

    /// The event: call the function.
    void Call();

    std::chrono::milliseconds m_interval; //!< time between two calls
    std::function<void()> m_function;     //!< what to call
    bool m_usesEvents;                    //!< the function is called by events
    uint64_t m_calls{0};                  //!< calls so far, by events
    std::atomic<bool> m_isWaiting{false}; //!< the simulator has yet to make a call
    std::mutex m_mutex;                   //!< guards m_hasEnded
    std::condition_variable m_end;        //!< m_hasEnded is set
    bool m_hasEnded{false};               //!< the thread is to end
    std::thread m_thread;                 //!< keeps the time
};

} // namespace ns3

#endif /* WALL_CLOCK_POLL_H */
