/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn-reaction-point.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

RdmaDcqcnReactionPoint::RdmaDcqcnReactionPoint(
    std::shared_ptr<const RdmaDcqcnParameters> parameters,
    double lineRate)
    : m_parameters(std::move(parameters)),
      m_lineRate(lineRate),
      m_rate(lineRate),
      m_target(lineRate),
      m_alpha(m_parameters->initialAlpha)
{
}

double
RdmaDcqcnReactionPoint::GetRate(Time now)
{
    Advance(now);
    return m_rate;
}

Time
RdmaDcqcnReactionPoint::GetPause(Time now, Time pause)
{
    Advance(now);
    if (now + pause <= GetTimerEnd())
    {
        return pause;
    }
    // The rate grows within the pause: a copy goes through the steps to come.
    RdmaDcqcnReactionPoint future(*this);
    Time at = now;
    double left = static_cast<double>(pause.GetTimeStep()) * m_rate;
    for (Time next = future.GetTimerEnd();; next = future.GetTimerEnd())
    {
        const double rate = future.m_rate;
        const double sent = static_cast<double>((next - at).GetTimeStep()) * rate;
        if (left <= sent)
        {
            return at + TimeStep(static_cast<int64_t>(left / rate)) - now;
        }
        left -= sent;
        at = next;
        future.Advance(at);
    }
}

void
RdmaDcqcnReactionPoint::PacketSent(Time now, uint32_t bytes)
{
    Advance(now);
    if (!IsRecovering() || m_parameters->byteCounter == 0)
    {
        return;
    }
    const auto step = static_cast<uint64_t>(m_parameters->byteCounter);
    for (m_bytes += bytes; m_bytes >= step && IsRecovering(); m_bytes -= step)
    {
        ++m_byteSteps;
        Increase();
    }
}

void
RdmaDcqcnReactionPoint::CnpReceived(Time now)
{
    Advance(now);
    if (!m_isCutDue)
    {
        m_cutDue = GetCutTime(now);
        m_isCutDue = true;
    }
    SampleAlpha(now);
    m_alphaNoted = m_notified && m_parameters->alphaByTimer != 0;
    if (!m_notified)
    {
        m_notified = true;
        m_alpha = m_parameters->initialAlpha;
        m_alphaAt = now;
        m_cutsAt = now;
    }
    if (m_cutDue == now)
    {
        m_isCutDue = false;
        Cut(now);
    }
    if (m_parameters->alphaByTimer == 0)
    {
        m_alpha = (1 - m_parameters->gain) * m_alpha + m_parameters->gain;
        m_alphaAt = now;
    }
}

bool
RdmaDcqcnReactionPoint::UsesAcknowledgements() const
{
    return false;
}

Time
RdmaDcqcnReactionPoint::GetNextChange(Time now, double rate)
{
    Advance(now);
    const Time timer = GetTimerEnd();
    if (!IsRecovering() || m_parameters->byteCounter == 0)
    {
        return timer;
    }
    const auto bytes =
        static_cast<double>(m_parameters->byteCounter) - static_cast<double>(m_bytes);
    const double seconds = bytes * 8 / rate;
    // The timer is not far, whatever the byte counter takes.
    const double most = (timer - now).GetSeconds();
    return seconds < most ? now + Seconds(seconds) : timer;
}

Time
RdmaDcqcnReactionPoint::GetTimerEnd() const
{
    const Time never = TimeStep(std::numeric_limits<int64_t>::max());
    const Time cut = m_isCutDue ? m_cutDue : never;
    return IsRecovering() ? std::min(cut, m_nextStep) : cut;
}

void
RdmaDcqcnReactionPoint::Advance(Time now)
{
    if (m_isCutDue && m_cutDue <= now)
    {
        m_isCutDue = false;
        RunTimer(m_cutDue);
        Cut(m_cutDue);
    }
    RunTimer(now);
}

void
RdmaDcqcnReactionPoint::RunTimer(Time now)
{
    while (IsRecovering() && m_nextStep <= now)
    {
        m_nextStep += m_parameters->timer;
        ++m_timerSteps;
        Increase();
    }
}

void
RdmaDcqcnReactionPoint::SampleAlpha(Time now)
{
    const double kept = 1 - m_parameters->gain;
    const int64_t period = m_parameters->alphaPeriod.GetTimeStep();
    int64_t periods = (now - m_alphaAt).GetTimeStep() / period;
    m_alphaAt += TimeStep(periods * period);
    if (periods > 0 && m_alphaNoted)
    {
        m_alpha = kept * m_alpha + m_parameters->gain;
        m_alphaNoted = false;
        --periods;
    }
    // At this alpha 1 - alpha / 2 is 1 and (1 - g) alpha + g is g, in doubles and for any g
    // allowed: smaller ones are all the same.
    constexpr double nothing = 1.0 / (1ULL << 62) / 4;
    for (; periods > 0 && m_alpha > nothing; --periods)
    {
        m_alpha *= kept;
    }
}

Time
RdmaDcqcnReactionPoint::GetCutTime(Time now) const
{
    const Time period = m_parameters->cutPeriod;
    if (period.IsZero())
    {
        return now;
    }
    if (m_parameters->firstCutAtOnce != 0)
    {
        return m_notified ? std::max(now, m_cutsAt + period) : now;
    }
    const int64_t ended =
        m_notified ? (now - m_cutsAt).GetTimeStep() / period.GetTimeStep() : int64_t{0};
    return (m_notified ? m_cutsAt : now) + period * (ended + 1);
}

void
RdmaDcqcnReactionPoint::Cut(Time now)
{
    SampleAlpha(now);
    // Unless the parameters clamp the target, a cut soon after another one keeps it, so that the
    // rate recovers to what it was before both.
    if (m_parameters->clampTarget != 0 || m_byteSteps > 0 ||
        (m_parameters->clampAfterTimer != 0 && m_timerSteps > 0))
    {
        m_target = m_rate;
    }
    const double rate = m_rate * std::max(1 - m_alpha / 2, m_parameters->minDecreaseFactor);
    const auto least = static_cast<double>(m_parameters->minRate.GetBitRate());
    m_rate = std::min(std::max(rate, least), m_lineRate);
    if (m_parameters->firstCutAtOnce != 0)
    {
        m_cutsAt = now;
    }
    m_nextStep = now + m_parameters->timer;
    m_timerSteps = 0;
    m_byteSteps = 0;
    m_bytes = 0;
}

void
RdmaDcqcnReactionPoint::Increase()
{
    m_target = std::min(m_target + GetTargetIncrease(), m_lineRate);
    m_rate = m_target - m_rate < 1 ? m_target : (m_target + m_rate) / 2;
    if (m_parameters->release != 0 && !IsRecovering() && !m_isCutDue)
    {
        m_notified = false;
    }
}

double
RdmaDcqcnReactionPoint::GetTargetIncrease() const
{
    // Without a byte counter the timer goes through the stages alone, one step of it additive.
    const bool isTimerAlone = m_parameters->byteCounter == 0;
    const auto fastRecovery = static_cast<uint32_t>(m_parameters->fastRecovery);
    const uint32_t most = std::max(m_timerSteps, m_byteSteps);
    const uint32_t least = isTimerAlone ? most - 1 : std::min(m_timerSteps, m_byteSteps);
    if (most <= fastRecovery)
    {
        return 0;
    }
    const DataRate& rate = least > fastRecovery ? m_parameters->rateHai : m_parameters->rateAi;
    return static_cast<double>(rate.GetBitRate());
}

} // namespace ns3
