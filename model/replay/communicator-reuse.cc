/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "communicator-reuse.h"

#include "collective-run.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
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

CommunicatorReuse::CommunicatorReuse(Host& host,
                                     uint32_t communicator,
                                     std::vector<uint32_t> ranks,
                                     std::string shape)
    : m_host(host),
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
    const auto& isolation = m_host.GetIsolation();
    const auto rank = m_ranks[entry.member];
    if (m_state == LEADING && m_early.empty() && isolation.IsBusy(m_ranks, rank))
    {
        // The call cannot be over in this time step. What begins goes at once, as without reuse:
        // its packets leave before the acknowledgement of the message that it has waited for.
        StopLeading();
    }
    if (!entry.isFirst)
    {
        // What a rank begins at one time goes in this order, so that one of them alone may wait.
        GoNow();
        return Hold(entry);
    }
    const bool isUnderWay =
        m_state == LEADING || m_state == FOLLOWING || m_isConcluding || !m_early.empty();
    const bool mayBeHeld =
        !entry.call.empty() && !m_shape.empty() && (m_state != ORDINARY || IsOver());
    if (!isUnderWay && !(mayBeHeld && isolation.HasJustSent(m_ranks, rank)))
    {
        return Hold(entry);
    }
    // Others may end at this very time, and who has sent may be about to note what came of it.
    // Whether they are first makes no difference.
    RequestLast();
    entry.run->Wait();
    m_early.push_back(entry);
    return true;
}

bool
CommunicatorReuse::Hold(const Entry& entry)
{
    if (m_state == ORDINARY && IsOver())
    {
        m_state = RESTING;
    }
    const bool isNew = entry.sequence >= m_calls;
    m_calls = std::max<uint64_t>(m_calls, entry.sequence + 1);
    // A member calls something else: those that are held back would wait in vain.
    if (m_state == GATHERING && (isNew || entry.call != m_call))
    {
        Simulate(ORDINARY);
    }
    if (m_state == RESTING)
    {
        const bool isHeld =
            !entry.call.empty() && !m_shape.empty() && !m_host.IsObserved(m_ranks) && Reserve();
        m_state = isHeld ? GATHERING : ORDINARY;
        m_call = entry.call;
        // All times of the call count from its first member's beginning.
        m_since = Simulator::Now();
        m_begun = 0;
        m_skipped = 0;
        m_parts.clear();
        m_parts.resize(m_ranks.size());
    }
    if (m_state != GATHERING)
    {
        m_host.Count(isNew ? Host::SIMULATED : Host::NOTHING);
        return false;
    }
    entry.run->Wait();
    m_parts[entry.member].run = entry.run;
    m_parts[entry.member].begin = Simulator::Now();
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
CommunicatorReuse::Reserve()
{
    return m_host.GetIsolation().Reserve(m_ranks,
                                         m_communicator,
                                         MakeCallback(&CommunicatorReuse::Interrupt, this),
                                         MakeCallback(&CommunicatorReuse::Quiet, this));
}

void
CommunicatorReuse::RequestLast()
{
    if (!m_last)
    {
        m_last = Ptr<EventImpl>(MakeEvent(&CommunicatorReuse::FinishTimeStep, this), false);
        m_host.ScheduleLast(m_last);
    }
}

void
CommunicatorReuse::FinishTimeStep()
{
    m_last = nullptr;
    if (m_isConcluding)
    {
        FinishConclusion();
    }
    if (!m_early.empty())
    {
        TakeEarly();
    }
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
    Interrupt();
    std::vector<CollectiveRun*> begun;
    for (const auto& entry : std::exchange(m_early, {}))
    {
        if (!Hold(entry))
        {
            begun.push_back(entry.run);
        }
    }
    for (auto* const run : begun)
    {
        run->Start();
    }
}

void
CommunicatorReuse::GiveUp()
{
    // The limit bounds how far CatchUp() may have to go back.
    Simulate(ORDINARY);
}

void
CommunicatorReuse::Decide()
{
    // Nobody is late any more.
    m_limit.Cancel();
    std::string key =
        m_shape + m_call + m_host.GetIsolation().DescribeMemory(m_ranks, m_communicator, m_since);
    // How far apart members have begun decides when messages meet, so that it counts to the time
    // step.
    for (const auto& part : m_parts)
    {
        const int64_t offset = (part.begin - m_since).GetTimeStep();
        key.append(reinterpret_cast<const char*>(&offset), sizeof(offset));
    }
    auto& outcome = m_host.GetOutcome(key);
    // Packets of this call and the next one meet: the outcome depends on more than the key says.
    if (outcome && outcome->isUnfit)
    {
        Simulate(ORDINARY);
        return;
    }
    if (outcome)
    {
        m_host.Count(Host::REUSED);
        m_outcome = outcome;
        m_state = FOLLOWING;
        // The call that leads is still under way: it reports each end as it comes.
        if (!outcome->length)
        {
            outcome->followers.push_back(this);
        }
        Follow(outcome);
        return;
    }
    // Entered before it is known, so that equal calls that begin meanwhile follow this one.
    outcome = std::make_shared<CollectiveOutcome>();
    outcome->ranks = m_ranks;
    outcome->ends.resize(m_ranks.size());
    for (const auto& part : m_parts)
    {
        // Payload, bytes: what a member that is skipped counts as received.
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
    m_host.Count(m_state == GATHERING ? Host::SIMULATED : Host::NOTHING);
    m_state = state;
    if (state == LEADING)
    {
        m_host.GetIsolation().StartCounting(m_ranks);
    }
    else
    {
        // An ordinary call need not be notified of others.
        m_host.GetIsolation().Release(m_ranks);
    }
    // More may begin while those catch up.
    std::vector<std::pair<CollectiveRun*, Time>> begun;
    for (const auto& part : m_parts)
    {
        if (part.run)
        {
            begun.emplace_back(part.run, part.begin - m_since);
        }
    }
    // The first member starts at m_since, mostly in the past; the others as much later as they have
    // begun.
    m_host.CatchUp(m_since, [&begun]() {
        for (const auto& [run, delay] : begun)
        {
            if (delay.IsZero())
            {
                run->Start();
            }
            else
            {
                Simulator::Schedule(delay, &CollectiveRun::Start, run);
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
CommunicatorReuse::End(uint32_t member,
                       std::unique_ptr<CollectiveRun> run,
                       const TakeBack& takeBack)
{
    ++m_ended;
    if (m_state == FOLLOWING)
    {
        // Kept until the call is settled: an interruption has its packets simulated after all.
        m_parts[member].skipped = std::move(run);
        m_parts[member].takeBack = takeBack;
    }
    else if (m_state == LEADING && !m_host.GetIsolation().IsSteady(m_ranks))
    {
        StopLeading();
    }
    else if (m_state == LEADING)
    {
        // Relative to the first member's beginning, as those who follow began at another time.
        m_outcome->ends[member] = Simulator::Now() - m_since;
        NotifyFollowers();
        Quiet();
    }
}

void
CommunicatorReuse::Quiet()
{
    if (m_state == LEADING && IsOver() && m_host.GetIsolation().IsQuiet(m_ranks))
    {
        Conclude();
    }
}

void
CommunicatorReuse::Conclude()
{
    auto& isolation = m_host.GetIsolation();
    const auto counters = isolation.TakeCounters(m_ranks, m_communicator, m_since);
    if (!counters->isSteady)
    {
        StopLeading();
        return;
    }
    isolation.Release(m_ranks);
    m_state = ORDINARY;
    m_outcome->counters = counters;
    // Only when queue pairs have had all acknowledgements of this time is what they remember
    // complete.
    m_isConcluding = true;
    RequestLast();
}

void
CommunicatorReuse::FinishConclusion()
{
    m_isConcluding = false;
    const auto outcome = std::exchange(m_outcome, nullptr);
    m_key.clear();
    m_host.GetIsolation().TakeMemory(m_ranks, m_communicator, *outcome->counters);
    outcome->length = Simulator::Now() - m_since;
    for (auto* const follower : std::exchange(outcome->followers, {}))
    {
        follower->Follow(outcome);
    }
}

void
CommunicatorReuse::ForgetOutcome()
{
    m_isConcluding = false;
    const auto outcome = std::exchange(m_outcome, nullptr);
    if (!outcome->isUnfit)
    {
        // Unfit outcomes stay, so that equal calls are simulated without a second try.
        m_host.Forget(m_key);
    }
    m_key.clear();
    for (auto* const follower : std::exchange(outcome->followers, {}))
    {
        follower->Interrupt();
    }
}

void
CommunicatorReuse::NotifyFollowers()
{
    // A copy: a follower that settles may leave the list from within.
    for (auto* const follower : std::vector<CommunicatorReuse*>(m_outcome->followers))
    {
        follower->Follow(m_outcome);
    }
}

void
CommunicatorReuse::Follow(const std::shared_ptr<CollectiveOutcome>& outcome)
{
    // It has been interrupted meanwhile and follows nothing, or another call.
    if (m_outcome != outcome)
    {
        return;
    }
    for (uint32_t member = 0; member < m_parts.size(); ++member)
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
        // The ports' counters are added when the last packet would have been acknowledged.
        m_settling =
            Simulator::Schedule(GetDelay(*outcome->length), &CommunicatorReuse::Settle, this);
    }
}

Time
CommunicatorReuse::GetDelay(Time offset) const
{
    return m_since + offset - Simulator::Now();
}

void
CommunicatorReuse::Skip(uint32_t member)
{
    ++m_skipped;
    m_parts[member].run->Skip(m_outcome->received[member]);
}

void
CommunicatorReuse::Settle()
{
    NS_ASSERT_MSG(m_skipped == m_ranks.size(), "a call is over when all members have ended");
    m_host.AddCounters(m_communicator, m_since, *m_outcome);
    m_outcome = nullptr;
    m_host.GetIsolation().Release(m_ranks);
    // Members have ended, but the next call is looked at anew by Hold().
    m_state = ORDINARY;
    m_parts.clear();
}

// --------------------------------------------------------------------------------- interruptions

void
CommunicatorReuse::Interrupt()
{
    if (m_isConcluding)
    {
        // Messages of the communicator itself are about to go, while acknowledgements of this
        // time may be outstanding: what queue pairs remember is not complete.
        ForgetOutcome();
    }
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
CommunicatorReuse::GoNow()
{
    if (!m_early.empty())
    {
        TakeEarly();
    }
    Interrupt();
}

void
CommunicatorReuse::GoBefore(uint32_t rank)
{
    const auto isOfRank = [this, rank](const Entry& entry) {
        return m_ranks[entry.member] == rank;
    };
    if (std::any_of(m_early.begin(), m_early.end(), isOfRank))
    {
        TakeEarly();
    }
    const auto member = std::find(m_ranks.begin(), m_ranks.end(), rank) - m_ranks.begin();
    const bool isHeld = m_state == GATHERING || m_state == FOLLOWING;
    if (isHeld && m_parts[member].run && m_parts[member].begin == Simulator::Now())
    {
        Interrupt();
    }
}

void
CommunicatorReuse::StopLeading()
{
    m_host.GetIsolation().Release(m_ranks);
    m_state = ORDINARY;
    ForgetOutcome();
}

std::shared_ptr<CollectiveOutcome>
CommunicatorReuse::LeaveOutcome()
{
    auto& followers = m_outcome->followers;
    followers.erase(std::remove(followers.begin(), followers.end(), this), followers.end());
    return std::exchange(m_outcome, nullptr);
}

void
CommunicatorReuse::StopFollowing()
{
    const auto& length = m_outcome->length;
    // An interrupted call adds no counters: its packets count themselves.
    m_settling.Cancel();
    // By now it would be over with packets, too: nothing of it can be in the way.
    if (m_skipped == m_ranks.size() && length && m_since + *length <= Simulator::Now())
    {
        Settle();
        return;
    }
    m_host.Count(Host::RESIMULATED);
    const auto outcome = LeaveOutcome();
    for (uint32_t member = 0; member < m_parts.size(); ++member)
    {
        Part& part = m_parts[member];
        // Members that have not ended do so when their packets have come.
        part.end.Cancel();
        // Its op has ended and stays so; only its packets are simulated.
        if (part.skipped)
        {
            part.takeBack(std::move(part.skipped), outcome->received[member]);
        }
    }
    Simulate(ORDINARY);
}

void
CommunicatorReuse::Close()
{
    m_limit.Cancel();
    m_settling.Cancel();
    m_isConcluding = false;
    if (m_last)
    {
        m_last->Cancel();
        m_last = nullptr;
    }
    for (auto& part : m_parts)
    {
        part.end.Cancel();
        part.skipped.reset();
    }
    if (m_state == FOLLOWING)
    {
        LeaveOutcome();
    }
    m_state = ORDINARY;
    m_shape.clear();
}

} // namespace ns3
