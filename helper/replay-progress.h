/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_PROGRESS_H
#define REPLAY_PROGRESS_H

#include "ns3/application-container.h"
#include "ns3/message-transport.h"
#include "ns3/ptr.h"
#include "ns3/replay-application.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Shows how much of a replay is done and how long the rest will take.
 *
 * The share is that of the bytes that the ranks have received. It is looked at whenever a message
 * arrives, which is just when it changes, and shown when enough real time has passed. So no event
 * of the simulator is needed for it: results cannot change, and a replay that hangs still runs out
 * of events.
 */
class ReplayProgress
{
  public:
    /// Where the progress is shown.
    enum Display
    {
        TERMINAL, //!< on standard error, in one line that is written again and again
        LOG       //!< as messages of RunLog
    };

    /**
     * @param applications applications of ReplayHelper
     * @param transports their transports; this object must outlive the simulation
     * @param display where to
     */
    ReplayProgress(const ApplicationContainer& applications,
                   const std::vector<Ptr<MessageTransport>>& transports,
                   Display display);

    /**
     * Take the line off the terminal.
     */
    void Finish();

    /**
     * @param share share done, 0 to 1
     * @param elapsed real time since the start, s
     * @return what is shown; the time left is told once a hundredth is done
     */
    static std::string Format(double share, double elapsed);

  private:
    using Clock = std::chrono::steady_clock;

    /**
     * Trace sink: a message has arrived.
     *
     * @param message the message
     */
    void HandleArrival(const Message& message);

    /**
     * @return share done, 0 to 1
     */
    double GetShare() const;

    std::vector<Ptr<ReplayApplication>> m_applications; //!< the ranks
    uint64_t m_expected{0};                             //!< bytes that all ranks receive
    Display m_display;                                  //!< where it is shown
    Clock::duration m_interval;                         //!< real time between two displays
    Clock::time_point m_start;                          //!< when this object was made
    Clock::time_point m_next;                           //!< when to show it again
    bool m_isShown{false};                              //!< a line stands on the terminal
};

} // namespace ns3

#endif /* REPLAY_PROGRESS_H */
