/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "communicator-reuse.h"

#include "collective-reuse.h"
#include "collective-run.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CommunicatorReuse");

namespace
{

/// How long members are held back while others have not begun, ms. Nothing depends on it but how
/// much past there may be to simulate.
constexpr uint32_t PATIENCE = 10;

} // namespace

CommunicatorReuse::CommunicatorReuse(CollectiveReuse& reuse,
                                     uint32_t communicator,
                                     std::vector<uint32_t> ranks,
                                     std::string shape)
    : m_reuse(reuse),
      m_communicator(communicator),
      m_ranks(std::move(ranks)),
      m_shape(std::move(shape))
{
}

CommunicatorReuse::~CommunicatorReuse()
{
    Close();
}

// -------------------------------------------------------------------------------- members begin

bool
CommunicatorReuse::Begin(const Entry& entry)
{
    if (m_state != LEADING && m_state != FOLLOWING && m_early.empty())
    {
        return Hold(entry, Simulator::Now());
    }
    // Others may end at this very time. Whether they are first makes no difference.
    if (m_early.empty())
    {
        m_earlySince = Simulator::Now();
        m_earlyEvent = Simulator::Schedule(TimeStep(1), &CommunicatorReuse::TakeEarly, this);
    }
    m_early.push_back(entry);
    return true;
}

bool
CommunicatorReuse::Hold(const Entry& entry, Time begin)
{
    if (m_state == ORDINARY && IsOver())
    {
        m_state = RESTING;
    }
    const bool isNew = entry.sequence >= m_calls;
    m_calls = std::max<uint64_t>(m_calls, entry.sequence + 1);
    if (m_state == GATHERING && (isNew || entry.call != m_call))
    {
        Simulate(ORDINARY);
    }
    if (m_state == RESTING)
    {
        const bool isHeld = !entry.call.empty() && !m_shape.empty() && Claim();
        m_state = isHeld ? GATHERING : ORDINARY;
        m_call = entry.call;
        m_since = begin;
        m_begun = 0;
        m_skipped = 0;
        m_parts.assign(m_ranks.size(), {});
    }
    if (m_state != GATHERING)
    {
        m_reuse.Count(isNew ? CollectiveReuse::SIMULATED : CollectiveReuse::NOTHING);
        return false;
    }
    m_parts[entry.member].run = entry.run;
    m_parts[entry.member].begin = begin;
    ++m_begun;
    if (m_begun == m_ranks.size())
    {
        Decide();
    }
    else if (m_begun == 1)
    {
        m_limit = Simulator::Schedule(MilliSeconds(PATIENCE), &CommunicatorReuse::GiveUp, this);
    }
    return true;
}

bool
CommunicatorReuse::Claim()
{
    return m_reuse.GetIsolation().Claim(m_ranks,
                                        m_communicator,
                                        MakeCallback(&CommunicatorReuse::Disturb, this),
                                        MakeCallback(&CommunicatorReuse::Quiet, this));
}

void
CommunicatorReuse::TakeEarly()
{
    // If they have not ended, they are late.
    if (m_state == LEADING && !IsOver())
    {
        // Those who would follow would begin, too, while messages of this call are under way.
        m_outcome->isUnfit = true;
    }
    Disturb();
    std::vector<CollectiveRun*> begun;
    for (const auto& entry : std::exchange(m_early, {}))
    {
        if (!Hold(entry, m_earlySince))
        {
            begun.push_back(entry.run);
        }
    }
    m_reuse.CatchUp(m_earlySince, [&begun]() {
        for (auto* const run : begun)
        {
            run->Start();
        }
    });
}

void
CommunicatorReuse::GiveUp()
{
    Simulate(ORDINARY);
}

void
CommunicatorReuse::Decide()
{
    m_limit.Cancel();
    std::string key = m_shape + m_call;
    for (const auto& part : m_parts)
    {
        const int64_t offset = (part.begin - m_since).GetTimeStep();
        key.append(reinterpret_cast<const char*>(&offset), sizeof(offset));
    }
    auto& outcome = m_reuse.GetOutcome(key);
    if (outcome && outcome->isUnfit)
    {
        Simulate(ORDINARY);
        return;
    }
    if (outcome)
    {
        m_reuse.Count(CollectiveReuse::REUSED);
        m_outcome = outcome;
        m_state = FOLLOWING;
        if (!outcome->length)
        {
            outcome->followers.push_back(this);
        }
        Follow(outcome);
        return;
    }
    outcome = std::make_shared<CollectiveOutcome>();
    outcome->ranks = m_ranks;
    outcome->ends.resize(m_ranks.size());
    for (const auto& part : m_parts)
    {
        outcome->received.push_back(part.run->CountReceivedBytes());
    }
    m_outcome = outcome;
    m_key = key;
    Simulate(LEADING);
}

void
CommunicatorReuse::Simulate(State state)
{
    NS_LOG_LOGIC("communicator " << m_communicator << " has packets from " << m_since << " on");
    m_limit.Cancel();
    // One that has followed was counted then.
    m_reuse.Count(m_state == GATHERING ? CollectiveReuse::SIMULATED : CollectiveReuse::NOTHING);
    m_state = state;
    if (state == LEADING)
    {
        m_reuse.GetIsolation().StartTally(m_ranks);
    }
    else
    {
        m_reuse.GetIsolation().Release(m_ranks);
    }
    const auto parts = m_parts;
    m_reuse.CatchUp(m_since, [this, &parts]() {
        for (const auto& part : parts)
        {
            if (part.run && part.begin == m_since)
            {
                part.run->Start();
            }
            else if (part.run)
            {
                Simulator::Schedule(part.begin - m_since, &CollectiveRun::Start, part.run);
            }
        }
    });
}

// ---------------------------------------------------------------------------------- members end

bool
CommunicatorReuse::IsOver() const
{
    return m_ended == m_calls * m_ranks.size();
}

void
CommunicatorReuse::End(uint32_t member)
{
    ++m_ended;
    if (!m_key.empty())
    {
        const bool isFirst = m_ended == (m_calls - 1) * m_ranks.size() + 1;
        if (isFirst && m_state == LEADING && !m_reuse.GetIsolation().TakeTally(m_ranks)->isSteady)
        {
            StopLeading();
        }
        m_outcome->ends[member] = Simulator::Now() - m_since;
        TellFollowers();
        if (IsOver() && (m_state != LEADING || m_reuse.GetIsolation().IsQuiet(m_ranks)))
        {
            Conclude();
        }
    }
}

void
CommunicatorReuse::Quiet()
{
    if (m_state == LEADING && IsOver())
    {
        Conclude();
    }
}

void
CommunicatorReuse::Conclude()
{
    if (m_state == LEADING)
    {
        m_outcome->tally = m_reuse.GetIsolation().TakeTally(m_ranks);
        m_reuse.GetIsolation().Release(m_ranks);
        m_state = ORDINARY;
        if (!m_outcome->tally->isSteady)
        {
            m_reuse.Forget(m_key);
        }
    }
    m_outcome->length = Simulator::Now() - m_since;
    TellFollowers();
    m_outcome->followers.clear();
    m_outcome = nullptr;
    m_key.clear();
}

void
CommunicatorReuse::TellFollowers()
{
    for (auto* const follower : std::vector<CommunicatorReuse*>(m_outcome->followers))
    {
        follower->Follow(m_outcome);
    }
}

void
CommunicatorReuse::Follow(const std::shared_ptr<CollectiveOutcome>& outcome)
{
    for (uint32_t member = 0; m_outcome == outcome && member < m_parts.size(); ++member)
    {
        Part& part = m_parts[member];
        if (outcome->ends[member] && !part.hasEnd)
        {
            part.hasEnd = true;
            part.end = Simulator::Schedule(GetDelay(*outcome->ends[member]),
                                           &CommunicatorReuse::Skip,
                                           this,
                                           member);
        }
    }
    if (outcome->length)
    {
        m_settling = Simulator::Schedule(GetDelay(*outcome->length),
                                         &CommunicatorReuse::Settle,
                                         this,
                                         outcome);
    }
}

Time
CommunicatorReuse::GetDelay(Time offset) const
{
    // Members that began early were looked at a time step late.
    return Max(m_since + offset - Simulator::Now(), Time(0));
}

void
CommunicatorReuse::Skip(uint32_t member)
{
    ++m_skipped;
    m_parts[member].run->Skip(m_outcome->received[member]);
}

void
CommunicatorReuse::Settle(std::shared_ptr<const CollectiveOutcome> outcome)
{
    m_reuse.AddTally(m_communicator, *outcome);
    if (m_state == FOLLOWING && m_outcome == outcome)
    {
        m_outcome = nullptr;
        m_reuse.GetIsolation().Release(m_ranks);
        m_state = ORDINARY;
    }
}

// --------------------------------------------------------------------------------- disturbances

void
CommunicatorReuse::Disturb()
{
    if (m_state == GATHERING)
    {
        Simulate(ORDINARY);
    }
    else if (m_state == LEADING)
    {
        StopLeading();
    }
    else if (m_state == FOLLOWING)
    {
        StopFollowing();
    }
}

void
CommunicatorReuse::StopLeading()
{
    if (!m_outcome->isUnfit)
    {
        m_reuse.Forget(m_key);
    }
    m_outcome->tally = m_reuse.GetIsolation().TakeTally(m_ranks);
    m_reuse.GetIsolation().Release(m_ranks);
    m_state = ORDINARY;
    for (auto* const follower : std::vector<CommunicatorReuse*>(m_outcome->followers))
    {
        follower->Disturb();
    }
}

void
CommunicatorReuse::StopFollowing()
{
    if (m_skipped > 0)
    {
        // Who has ended cannot have sent anything else. The rest is a few packets at most.
        m_reuse.Count(CollectiveReuse::CUT_SHORT);
        m_reuse.GetIsolation().Release(m_ranks);
        m_state = ORDINARY;
        return;
    }
    m_reuse.Count(CollectiveReuse::MADE_UP);
    auto& followers = m_outcome->followers;
    followers.erase(std::remove(followers.begin(), followers.end(), this), followers.end());
    m_outcome = nullptr;
    m_settling.Cancel();
    for (auto& part : m_parts)
    {
        part.end.Cancel();
    }
    Simulate(ORDINARY);
}

void
CommunicatorReuse::Close()
{
    m_limit.Cancel();
    m_earlyEvent.Cancel();
    m_settling.Cancel();
    for (auto& part : m_parts)
    {
        part.end.Cancel();
    }
    m_state = ORDINARY;
    m_shape.clear();
}

} // namespace ns3
