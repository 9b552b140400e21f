/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-progress.h"

#include "run-log.h"

#include "ns3/simulator.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <iostream>
#include <utility>

namespace ns3
{

namespace
{

/// Takes the cursor to the start of the line and erases the line (ECMA-48).
constexpr const char* ERASE_LINE = "\r\033[K";

/// Share below which the time left is not shown at first, for it would jump about.
constexpr double LEAST_SHARE = 0.01;

/// Time from which on it is shown whatever the share, s: who waits for hours should know it soon.
constexpr double LONGEST_SILENCE = 30;

/// Time between two displays on a terminal, s.
constexpr double TERMINAL_INTERVAL = 0.5;

/// Time between the first displays in a log, s.
constexpr double LOG_INTERVAL = 5;

/// Least growth of the time from one display in a log to the next: an hour takes some 60 lines.
constexpr double LOG_GROWTH = 0.1;

} // namespace

ReplayProgress::ReplayProgress(Display display, std::string hint)
    : m_display(display),
      m_hint(std::move(hint)),
      m_next(display == TERMINAL ? TERMINAL_INTERVAL : LOG_INTERVAL)
{
}

bool
ReplayProgress::IsDue(double elapsed) const
{
    return elapsed >= m_next;
}

void
ReplayProgress::Show(const State& state)
{
    if (!m_hint.empty() && GetTimeLeft(state).value_or(0) >= LONG_TIME)
    {
        // The line of the terminal is erased first, so that the warning has one of its own.
        Finish();
        RunLog::Write(RunLog::WARNING, m_hint);
        m_hint.clear();
    }
    const auto line = Format(state);
    if (m_display == LOG)
    {
        m_next = state.elapsed + std::max(LOG_INTERVAL, LOG_GROWTH * state.elapsed);
        RunLog::Write(RunLog::INFO, line);
        return;
    }
    m_next = state.elapsed + TERMINAL_INTERVAL;
    std::cerr << ERASE_LINE << "[" << FormatMs(Simulator::Now()) << " ms] " << line << std::flush;
    m_isShown = true;
}

void
ReplayProgress::Finish()
{
    if (m_isShown)
    {
        std::cerr << ERASE_LINE << std::flush;
        m_isShown = false;
    }
}

std::optional<double>
ReplayProgress::GetTimeLeft(const State& state)
{
    if (state.share >= LEAST_SHARE || (state.share > 0 && state.elapsed >= LONGEST_SILENCE))
    {
        return state.elapsed * (1 - state.share) / state.share;
    }
    return std::nullopt;
}

std::string
ReplayProgress::Format(const State& state)
{
    std::string line = FormatFixed(100 * state.share, state.share < LEAST_SHARE ? 2 : 1) +
                       " % done in " + FormatRealTime(state.elapsed);
    if (const auto left = GetTimeLeft(state))
    {
        line += ", about " + FormatRealTime(*left) + " left";
    }
    if (state.elapsed > 0)
    {
        line += ", " + FormatFixed(static_cast<double>(state.events) / state.elapsed / 1e6, 2) +
                " million events/s";
    }
    return line;
}

std::string
FormatRealTime(double seconds)
{
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    if (seconds < 100)
    {
        return FormatFixed(seconds, 0) + " s";
    }
    if (seconds < 100 * minute)
    {
        return FormatFixed(seconds / minute, seconds < 10 * minute ? 1 : 0) + " min";
    }
    return FormatFixed(seconds / hour, 1) + " h";
}

} // namespace ns3
