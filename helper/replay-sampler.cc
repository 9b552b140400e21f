/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-sampler.h"

#include "ns3/abort.h"
#include "ns3/event-id.h"
#include "ns3/replay-application.h"
#include "ns3/simulation-singleton.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Has one event for all samplers of a simulation, so that it sees whether there are others.
 */
class ReplaySampler::Clock
{
  public:
    /// The simulation is over, and with it the samplers.
    ~Clock()
    {
        for (const auto& [time, sampler] : m_due)
        {
            sampler->m_ranks = {};
        }
    }

    /**
     * @param sampler is to be called
     * @param time when
     */
    void Add(ReplaySampler* sampler, Time time)
    {
        m_due.emplace(time, sampler);
        Schedule();
    }

    /**
     * @param sampler is not to be called any more
     */
    void Remove(ReplaySampler* sampler)
    {
        for (auto i = m_due.begin(); i != m_due.end();)
        {
            i = i->second == sampler ? m_due.erase(i) : std::next(i);
        }
        // Kept, as empty places: Call() may be in the midst of them.
        ReplaySampler* const none = nullptr;
        std::replace(m_called.begin(), m_called.end(), sampler, none);
        Schedule();
    }

  private:
    /// Have the event at the time of the next call.
    void Schedule()
    {
        // Removed rather than cancelled: it would count among those that are left.
        Simulator::Remove(m_event);
        if (!m_due.empty())
        {
            m_event =
                Simulator::Schedule(m_due.begin()->first - Simulator::Now(), &Clock::Call, this);
        }
    }

    /// Call those whose time it is.
    void Call()
    {
        m_called.clear();
        while (!m_due.empty() && m_due.begin()->first == Simulator::Now())
        {
            m_called.push_back(m_due.begin()->second);
            m_due.erase(m_due.begin());
        }
        // By index, and looked up each time: a function may stop any sampler.
        for (std::size_t i = 0; i < m_called.size(); ++i)
        {
            if (m_called[i])
            {
                m_called[i]->m_callback();
            }
        }
        // Samplers have no other event than this one.
        const bool isLeftAlone = Simulator::IsFinished();
        for (auto* sampler : std::exchange(m_called, {}))
        {
            if (sampler && !isLeftAlone && sampler->IsAnyAtWork())
            {
                m_due.emplace(Simulator::Now() + sampler->m_interval, sampler);
            }
            else if (sampler)
            {
                // Over: its destructor, or Start(), then has nothing to take back.
                sampler->m_ranks = {};
            }
        }
        if (!isLeftAlone)
        {
            Schedule();
        }
    }

    std::multimap<Time, ReplaySampler*> m_due; //!< who is to be called when
    std::vector<ReplaySampler*> m_called;      //!< who is called now; null = it has been stopped
    EventId m_event;                           //!< the next call
};

ReplaySampler::ReplaySampler(Time interval, std::function<void()> callback)
    : m_interval(interval),
      m_callback(std::move(callback))
{
    NS_ABORT_MSG_UNLESS(interval.IsStrictlyPositive(), "the interval of a sampler is above 0");
}

ReplaySampler::~ReplaySampler()
{
    Stop();
}

void
ReplaySampler::Start(const ApplicationContainer& ranks)
{
    Stop();
    m_ranks = ranks;
    SimulationSingleton<Clock>::Get()->Add(this, Simulator::Now() + m_interval);
}

void
ReplaySampler::Stop()
{
    // Without ranks it has not begun, or is over; the simulation may be, too.
    if (m_ranks.GetN() > 0)
    {
        SimulationSingleton<Clock>::Get()->Remove(this);
        m_ranks = {};
    }
}

bool
ReplaySampler::IsAnyAtWork() const
{
    return std::any_of(m_ranks.Begin(), m_ranks.End(), [](const Ptr<Application>& rank) {
        return !DynamicCast<ReplayApplication>(rank)->IsFinished();
    });
}

} // namespace ns3
