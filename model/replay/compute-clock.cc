/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-clock.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

void
ComputeClock::SetCallback(EndedCallback ended)
{
    m_ended = ended;
}

void
ComputeClock::SetShare(Reach reach, double share)
{
    m_shares[reach] = static_cast<uint64_t>(std::llround(share * static_cast<double>(UNIT)));
}

double
ComputeClock::GetShare(Reach reach) const
{
    return static_cast<double>(m_shares[reach]) / static_cast<double>(UNIT);
}

void
ComputeClock::SetMultiprocessors(uint32_t multiprocessors)
{
    m_multiprocessors = multiprocessors;
}

uint32_t
ComputeClock::GetMultiprocessors() const
{
    return m_multiprocessors;
}

void
ComputeClock::Start(std::size_t track, uint64_t picoseconds, bool isSlowed)
{
    m_computations.resize(std::max(m_computations.size(), track + 1));
    auto& computation = m_computations[track];
    NS_ASSERT_MSG(computation.end.IsExpired(), "a track computes one thing at a time");
    computation.work.picoseconds += picoseconds;
    computation.since = Simulator::Now();
    computation.isSlowed = isSlowed;
    computation.rate = isSlowed ? m_rate : UNIT;
    Schedule(track);
}

void
ComputeClock::StartCommunication(const Kernel& kernel)
{
    if (kernel.multiprocessors)
    {
        m_occupied += *kernel.multiprocessors;
    }
    else
    {
        ++m_underWay[kernel.reach];
    }
    ChangeRate();
}

void
ComputeClock::StopCommunication(const Kernel& kernel)
{
    NS_ASSERT_MSG(kernel.multiprocessors ? m_occupied >= *kernel.multiprocessors
                                         : m_underWay[kernel.reach] > 0,
                  "no communication is under way");
    if (kernel.multiprocessors)
    {
        m_occupied -= *kernel.multiprocessors;
    }
    else
    {
        --m_underWay[kernel.reach];
    }
    ChangeRate();
}

bool
ComputeClock::IsShared() const
{
    return m_shares[SERVER] > 0 || m_shares[NETWORK] > 0 || m_multiprocessors > 0;
}

void
ComputeClock::Close()
{
    for (auto& computation : m_computations)
    {
        computation.end.Cancel();
    }
}

void
ComputeClock::Advance(Computation& computation)
{
    const Time now = Simulator::Now();
    const auto elapsed = static_cast<uint64_t>((now - computation.since).GetPicoSeconds());
    computation.since = now;
    // elapsed x rate parts, where the product may need more than 64 bits.
    const uint64_t rest = elapsed % UNIT * computation.rate;
    Work done{elapsed / UNIT * computation.rate + rest / UNIT, rest % UNIT};
    auto& work = computation.work;
    NS_ASSERT_MSG(done.picoseconds <= work.picoseconds, "a computation does no more than its work");
    // Subtract with a borrow: parts of both are below UNIT.
    if (done.parts > work.parts)
    {
        ++done.picoseconds;
        work.parts += UNIT;
    }
    work.parts -= done.parts;
    work.picoseconds -= done.picoseconds;
}

void
ComputeClock::Schedule(std::size_t track)
{
    auto& computation = m_computations[track];
    const auto& [picoseconds, parts] = computation.work;
    const auto rate = computation.rate;
    NS_ABORT_MSG_IF(picoseconds / rate >= INT64_MAX / UNIT,
                    "a computation lasts longer beside communication than ns3::Time can count");
    // (picoseconds x UNIT + parts) / rate, where the product may need more than 64 bits.
    const uint64_t duration =
        picoseconds / rate * UNIT + (picoseconds % rate * UNIT + parts) / rate;
    computation.end = Simulator::Schedule(PicoSeconds(duration), &ComputeClock::End, this, track);
}

uint64_t
ComputeClock::GetTaken() const
{
    uint64_t share = 0;
    for (std::size_t reach = 0; reach < N_REACHES; ++reach)
    {
        share = m_underWay[reach] > 0 ? std::max(share, m_shares[reach]) : share;
    }
    if (m_multiprocessors == 0)
    {
        return share;
    }
    // Computations keep one multiprocessor at least.
    const auto occupied = std::min<uint64_t>(m_occupied, m_multiprocessors - 1);
    return std::max(share, occupied * UNIT / m_multiprocessors);
}

void
ComputeClock::ChangeRate()
{
    const uint64_t rate = UNIT - GetTaken();
    if (m_rate == rate)
    {
        return;
    }
    m_rate = rate;
    for (std::size_t track = 0; track < m_computations.size(); ++track)
    {
        auto& computation = m_computations[track];
        if (computation.isSlowed && !computation.end.IsExpired())
        {
            // What was done by now was done at the old rate.
            Advance(computation);
            computation.rate = m_rate;
            computation.end.Cancel();
            Schedule(track);
        }
    }
}

void
ComputeClock::End(std::size_t track)
{
    // What is left is what the resolution of the clock cut off from the duration.
    Advance(m_computations[track]);
    m_ended(track);
}

} // namespace ns3
