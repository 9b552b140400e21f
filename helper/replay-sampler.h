/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_SAMPLER_H
#define REPLAY_SAMPLER_H

#include "ns3/application-container.h"
#include "ns3/nstime.h"

#include <functional>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Calls a function at regular times, for as long as ranks are at work.
 *
 * A function that schedules itself again and again keeps a simulation running for ever. A sampler
 * ends when all ranks have finished, and when nothing but samplers is left to happen, as is so when
 * ranks wait for each other. In several processes of one simulation the latter is not seen.
 */
class ReplaySampler
{
  public:
    /**
     * @param interval time between two calls, above 0; the first is so long after Start()
     * @param callback is called
     */
    ReplaySampler(Time interval, std::function<void()> callback);

    /// Calls no more.
    ~ReplaySampler();

    // Events refer to it.
    ReplaySampler(const ReplaySampler&) = delete;
    ReplaySampler& operator=(const ReplaySampler&) = delete;

    /**
     * Begin. This object must outlive the simulation, or is then stopped.
     *
     * @param ranks applications of ReplayHelper, as of ReplayScene
     */
    void Start(const ApplicationContainer& ranks);

    /// Call no more.
    void Stop();

  private:
    class Clock;

    /**
     * @return whether a rank has not finished
     */
    bool IsAnyAtWork() const;

    Time m_interval;                  //!< between two calls
    std::function<void()> m_callback; //!< is called
    ApplicationContainer m_ranks;     //!< whose work it watches
};

} // namespace ns3

#endif /* REPLAY_SAMPLER_H */
