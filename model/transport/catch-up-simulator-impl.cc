/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "catch-up-simulator-impl.h"

#include "ns3/assert.h"
#include "ns3/global-value.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <limits>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CatchUpSimulatorImpl");

NS_OBJECT_ENSURE_REGISTERED(CatchUpSimulatorImpl);

namespace
{

/// Number of all events of ScheduleDestroy(): EventId::DESTROY, which ns-3 does not name up
/// to 3.35.
constexpr uint32_t DESTROY_UID = 2;

/// Events that have run before the first look of RunLast(): no number that another one follows.
constexpr uint64_t NOT_LOOKED = std::numeric_limits<uint64_t>::max();

} // namespace

TypeId
CatchUpSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CatchUpSimulatorImpl")
                            .SetParent<DefaultSimulatorImpl>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<CatchUpSimulatorImpl>();
    return tid;
}

CatchUpSimulatorImpl::CatchUpSimulatorImpl()
{
    NS_LOG_FUNCTION(this);
}

CatchUpSimulatorImpl::~CatchUpSimulatorImpl()
{
    NS_LOG_FUNCTION(this);
}

void
CatchUpSimulatorImpl::Choose()
{
    StringValue chosen;
    GlobalValue::GetValueByName("SimulatorImplementationType", chosen);
    if (chosen.Get() == "ns3::DefaultSimulatorImpl")
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::CatchUpSimulatorImpl"));
    }
}

Ptr<CatchUpSimulatorImpl>
CatchUpSimulatorImpl::Get()
{
    return DynamicCast<CatchUpSimulatorImpl>(Simulator::GetImplementation());
}

void
CatchUpSimulatorImpl::CatchUp(Time since, Action begin)
{
    NS_LOG_FUNCTION(this << since);
    // Catching up may show that something else has to.
    const auto outer = std::make_pair(m_past, m_current);
    const bool wasBehind = m_isBehind.exchange(false);
    m_present = DefaultSimulatorImpl::Now().GetTimeStep();
    NS_ASSERT_MSG(since.GetTimeStep() <= m_present, "what is to come cannot be caught up with");
    m_past = m_factory.Create<Scheduler>();
    m_current = {static_cast<uint64_t>(since.GetTimeStep()), 0, DefaultSimulatorImpl::GetContext()};
    m_thread = std::this_thread::get_id();
    m_isBehind = true;
    begin();
    // Events up to the present; later ones are in the ordinary list.
    while (!m_past->IsEmpty())
    {
        const Scheduler::Event next = m_past->RemoveNext();
        m_current = next.key;
        ++m_ownEvents;
        next.impl->Invoke();
        next.impl->Unref();
    }
    m_isBehind = wasBehind;
    std::tie(m_past, m_current) = outer;
    m_uid = wasBehind ? m_uid : FIRST_UID;
}

void
CatchUpSimulatorImpl::Destroy()
{
    NS_LOG_FUNCTION(this);
    m_past = nullptr;
    m_last.clear();
    DefaultSimulatorImpl::Destroy();
}

EventId
CatchUpSimulatorImpl::Insert(uint32_t context, int64_t time, EventImpl* event)
{
    NS_ASSERT_MSG(static_cast<uint64_t>(time) >= m_current.m_ts,
                  "an event before the one that runs");
    Scheduler::Event inserted;
    inserted.impl = event;
    inserted.key = {static_cast<uint64_t>(time), m_uid++, context};
    m_past->Insert(inserted);
    return EventId(event, inserted.key.m_ts, context, inserted.key.m_uid);
}

EventId
CatchUpSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    if (!m_isBehind)
    {
        return DefaultSimulatorImpl::Schedule(delay, event);
    }
    // The ordinary list counts delays from the present, not from the past that is caught up with.
    const int64_t time = Now().GetTimeStep() + delay.GetTimeStep();
    return time <= m_present ? Insert(GetContext(), time, event)
                             : DefaultSimulatorImpl::Schedule(TimeStep(time - m_present), event);
}

EventId
CatchUpSimulatorImpl::ScheduleAfterwards(const Time& delay, EventImpl* event)
{
    const Time lag = m_isBehind ? TimeStep(m_present) - Now() : Time::Max();
    return delay < lag ? Schedule(delay, event)
                       : DefaultSimulatorImpl::Schedule(delay - lag, event);
}

void
CatchUpSimulatorImpl::ScheduleLast(Ptr<EventImpl> event)
{
    NS_ASSERT_MSG(!m_isBehind || Now().GetTimeStep() == m_present,
                  "the past has no end to wait for");
    if (m_last.empty())
    {
        m_looked = NOT_LOOKED;
        LookForLast();
    }
    m_last.push_back(event);
}

void
CatchUpSimulatorImpl::LookForLast()
{
    // In the ordinary list, also from the past: that has an end of its own.
    DefaultSimulatorImpl::Schedule(Time(0), MakeEvent(&CatchUpSimulatorImpl::RunLast, this));
}

void
CatchUpSimulatorImpl::RunLast()
{
    // Events of a time step run in the order of scheduling. If none has run between two looks, the
    // first one stood at the end of the list, and so does this one, which it has scheduled.
    const uint64_t events = DefaultSimulatorImpl::GetEventCount();
    const bool isAtEnd = events == m_looked + 1;
    ++m_looks;
    m_looked = events;
    if (!isAtEnd)
    {
        LookForLast();
        return;
    }
    // They may schedule more for an end that is still to come.
    for (const auto& event : std::exchange(m_last, {}))
    {
        ++m_ownEvents;
        event->Invoke();
    }
}

void
CatchUpSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    // Other threads do not know what is behind.
    if (!m_isBehind || std::this_thread::get_id() != m_thread)
    {
        DefaultSimulatorImpl::ScheduleWithContext(context, delay, event);
        return;
    }
    const int64_t time = Now().GetTimeStep() + delay.GetTimeStep();
    if (time <= m_present)
    {
        Insert(context, time, event);
        return;
    }
    DefaultSimulatorImpl::ScheduleWithContext(context, TimeStep(time - m_present), event);
}

EventId
CatchUpSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(TimeStep(0), event);
}

bool
CatchUpSimulatorImpl::IsOfPast(const EventId& id) const
{
    // Of the events that are due in the present, those of the past have the high numbers.
    const bool isDueBefore = static_cast<int64_t>(id.GetTs()) < m_present;
    return m_isBehind && id.GetUid() != DESTROY_UID &&
           (isDueBefore || (id.GetUid() >= FIRST_UID && id.GetUid() < m_uid));
}

void
CatchUpSimulatorImpl::Remove(const EventId& id)
{
    if (!IsOfPast(id))
    {
        DefaultSimulatorImpl::Remove(id);
        return;
    }
    // It stays in the list and does nothing.
    Cancel(id);
}

void
CatchUpSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
CatchUpSimulatorImpl::IsExpired(const EventId& id) const
{
    if (!IsOfPast(id))
    {
        return DefaultSimulatorImpl::IsExpired(id);
    }
    return id.PeekEventImpl() == nullptr || id.PeekEventImpl()->IsCancelled() ||
           id.GetTs() < m_current.m_ts ||
           (id.GetTs() == m_current.m_ts && id.GetUid() <= m_current.m_uid);
}

Time
CatchUpSimulatorImpl::Now() const
{
    return m_isBehind ? TimeStep(m_current.m_ts) : DefaultSimulatorImpl::Now();
}

Time
CatchUpSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? Time(0) : TimeStep(id.GetTs() - Now().GetTimeStep());
}

void
CatchUpSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    NS_LOG_FUNCTION(this << schedulerFactory);
    m_factory = schedulerFactory;
    DefaultSimulatorImpl::SetScheduler(schedulerFactory);
}

uint32_t
CatchUpSimulatorImpl::GetContext() const
{
    return m_isBehind ? m_current.m_context : DefaultSimulatorImpl::GetContext();
}

uint64_t
CatchUpSimulatorImpl::GetEventCount() const
{
    // How many looks it takes depends on what else is due, an event of another thread too, which
    // comes by the clock on the wall: with them, equal runs would count differently.
    return DefaultSimulatorImpl::GetEventCount() - m_looks + m_ownEvents;
}

} // namespace ns3
