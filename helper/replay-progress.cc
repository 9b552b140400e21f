/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-progress.h"

#include "run-log.h"
#include "text-table.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>

namespace ns3
{

namespace
{

/// Takes the cursor to the start of the line and erases the line (ECMA-48).
constexpr const char* ERASE_LINE = "\r\033[K";

/// Share below which the time left is not told, for it would jump about.
constexpr double LEAST_SHARE = 0.01;

} // namespace

ReplayProgress::ReplayProgress(const ApplicationContainer& applications,
                               const std::vector<Ptr<MessageTransport>>& transports,
                               Display display)
    : m_display(display),
      m_interval(std::chrono::milliseconds(display == TERMINAL ? 200 : 5000)),
      m_start(Clock::now()),
      m_next(m_start + m_interval)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        m_applications.push_back(DynamicCast<ReplayApplication>(*i));
        m_expected += m_applications.back()->GetExpectedBytes();
    }
    for (const auto& transport : transports)
    {
        transport->TraceConnectWithoutContext("Arrived",
                                              MakeCallback(&ReplayProgress::HandleArrival, this));
    }
}

void
ReplayProgress::HandleArrival(const Message& /* message */)
{
    const auto now = Clock::now();
    if (now < m_next)
    {
        return;
    }
    m_next = now + m_interval;
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    const auto line = Format(GetShare(), elapsed);
    if (m_display == LOG)
    {
        RunLog::Write(RunLog::INFO, line);
        return;
    }
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

double
ReplayProgress::GetShare() const
{
    uint64_t received = 0;
    for (const auto& application : m_applications)
    {
        received += application->GetReceivedBytes();
    }
    return m_expected == 0
               ? 1
               : std::min(1.0, static_cast<double>(received) / static_cast<double>(m_expected));
}

std::string
ReplayProgress::Format(double share, double elapsed)
{
    std::string line = FormatFixed(100 * share, 0) + " % done in " + FormatFixed(elapsed, 0) + " s";
    if (share >= LEAST_SHARE)
    {
        line += ", about " + FormatFixed(elapsed * (1 - share) / share, 0) + " s left";
    }
    return line;
}

} // namespace ns3
