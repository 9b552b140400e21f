/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STALL_WATCH_H
#define STALL_WATCH_H

#include "networked-job.h"

#include "ns3/message-transport.h"
#include "ns3/replay-records.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Stops a simulation whose events never run out, since background traffic goes on, when the
 *        jobs have finished or cannot go on.
 *
 * They cannot if no rank computes, none of their messages is under way, unless the network has
 * given up, and nothing has come to pass for a while.
 */
class StallWatch
{
  public:
    /**
     * @param job what is simulated; it and this object must outlive the simulation
     */
    explicit StallWatch(const NetworkedJob& job);

  private:
    /// What the jobs have done so far.
    struct State
    {
        uint64_t ops{0};     //!< ops finished
        uint64_t posted{0};  //!< messages handed to transports
        uint64_t arrived{0}; //!< messages that have arrived
    };

    /**
     * A rank has finished an iteration.
     *
     * @param record the iteration
     */
    void HandleIteration(const IterationRecord& record);

    /**
     * A message of a rank or of background traffic is handed over.
     *
     * @param message the message
     */
    void HandlePosted(const Message& message);

    /**
     * A message of a rank or of background traffic has arrived.
     *
     * @param message the message
     */
    void HandleArrived(const Message& message);

    /// Look whether the jobs go on, and look again later.
    void Look();

    /**
     * @return whether a rank computes, or has not begun
     */
    bool IsAnyComputing() const;

    const NetworkedJob& m_job; //!< what is simulated
    uint32_t m_unfinished;     //!< ranks that have not finished
    State m_state;             //!< what they have done
    State m_before;            //!< what they had done at the last look
};

} // namespace ns3

#endif /* STALL_WATCH_H */
