/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_PROGRESS_H
#define REPLAY_PROGRESS_H

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Shows how much of a replay is done and how long the rest will take.
 */
class ReplayProgress
{
  public:
    /// Time left from which on it is said what may take less, s.
    static constexpr double LONG_TIME{600};

    /// Where the progress is shown.
    enum Display
    {
        TERMINAL, //!< on standard error, in one line that is written again and again
        LOG       //!< as messages of RunLog, at first every 5 s, later less often
    };

    /// How far a replay has come.
    struct State
    {
        double share{0};    //!< share of the work that is done, 0 to 1
        double elapsed{0};  //!< real time since the start, s
        uint64_t events{0}; //!< simulator events since the start
    };

    /**
     * @param display where to
     * @param hint what may take less time, said once if LONG_TIME or more is left; empty =
     *             nothing
     */
    explicit ReplayProgress(Display display, std::string hint = "");

    /**
     * @param elapsed real time since the start, s
     * @return whether the progress is to be shown again
     */
    bool IsDue(double elapsed) const;

    /**
     * Show the progress.
     *
     * @param state how far the replay has come
     */
    void Show(const State& state);

    /**
     * Take the line off the terminal.
     */
    void Finish();

    /**
     * The rest of the work is taken to go as fast as what is done.
     *
     * @param state how far a replay has come
     * @return what is shown besides the simulated time; the time left is shown once a hundredth is
     *         done or 30 s have passed
     */
    static std::string Format(const State& state);

  private:
    /**
     * @param state how far a replay has come
     * @return real time that the rest will take, s; empty = that cannot be estimated yet
     */
    static std::optional<double> GetTimeLeft(const State& state);

    Display m_display;     //!< where it is shown
    std::string m_hint;    //!< what may take less time; empty = nothing, or it has been said
    double m_next;         //!< when to show it again, s since the start
    bool m_isShown{false}; //!< a line stands on the terminal
};

/**
 * @ingroup workload-replay
 * @param seconds a time, s
 * @return it in s, min or h, with two digits at least where it is not short
 */
std::string FormatRealTime(double seconds);

} // namespace ns3

#endif /* REPLAY_PROGRESS_H */
