/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_MONITOR_H
#define REPLAY_MONITOR_H

#include "networked-job.h"
#include "replay-progress.h"
#include "replay-work.h"

#include "ns3/replay-result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @return largest resident set of this process so far, bytes
 */
uint64_t GetPeakMemory();

/**
 * @ingroup workload-replay
 * @brief Runs the simulation of a replay: measures what it costs, shows the progress, and stops it
 *        when somebody wants that.
 */
class ReplayMonitor
{
  public:
    /**
     * @param job what is simulated; must outlive this object
     * @param progress shows the progress; null = nobody looks
     * @param stopCondition says whether to stop, asked ten times per second of real time; null =
     *        never
     */
    ReplayMonitor(const NetworkedJob& job,
                  std::unique_ptr<ReplayProgress> progress,
                  std::function<bool()> stopCondition);

    /**
     * Run the simulation. All processes that simulate it must call this.
     *
     * @return what it has cost this process
     */
    RunCost Run();

    /**
     * @return when it was stopped and how much was done; empty = it was not
     */
    const std::string& GetInterruption() const;

  private:
    /// Stop the simulation if somebody wants it, show the progress if it is due.
    void Watch();

    /**
     * @return share of the work that is done, 0 to 1
     */
    double GetShare();

    /**
     * @return real time since the start, s
     */
    double GetElapsed() const;

    const NetworkedJob& m_job;                     //!< what is simulated
    std::unique_ptr<ReplayProgress> m_progress;    //!< shows the progress; null = nobody looks
    std::function<bool()> m_stopCondition;         //!< says whether to stop; null = never
    std::unique_ptr<ReplayWork> m_work;            //!< how much is done; null = nobody asked yet
    std::chrono::steady_clock::time_point m_start; //!< when the simulation began
    std::string m_interruption;                    //!< when it was stopped; empty = never
    bool m_tellsShare{false}; //!< the first process shows the progress, and this is another one
};

} // namespace ns3

#endif /* REPLAY_MONITOR_H */
