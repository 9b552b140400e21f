/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_METER_H
#define RUN_METER_H

#include "ns3/replay-result.h"

#include <chrono>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Measures what a simulation costs the machine it runs on, from its making on.
 */
class RunMeter
{
  public:
    RunMeter();

    /**
     * @return real time since this object was made, s
     */
    double GetElapsed() const;

    /**
     * @return the cost since this object was made; the count of events is the simulator's
     */
    RunCost Read() const;

  private:
    std::chrono::steady_clock::time_point m_start; //!< when it was made
    double m_cpuStart;                             //!< processor time used until then, s
};

} // namespace ns3

#endif /* RUN_METER_H */
