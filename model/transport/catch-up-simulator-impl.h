/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CATCH_UP_SIMULATOR_IMPL_H
#define CATCH_UP_SIMULATOR_IMPL_H

#include "ns3/default-simulator-impl.h"
#include "ns3/nstime.h"
#include "ns3/scheduler.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief ns-3's default simulator, in which a part of the model may lag behind and catch up.
 *
 * What nobody can see need not be simulated as it happens. Who has put off a part of the model, and
 * finds that it matters after all, begins it in the past: within CatchUp() the clock runs from
 * there to the present, over the events of that part alone. Those that lie in the present or past
 * stand in an event list of its own, and all others go where they belong at once, so that nothing
 * remains to be moved. The part must not have to do with anything else in that time.
 *
 * Of a simulation that nobody has catch up, the results are those of DefaultSimulatorImpl. It is
 * chosen as any is in ns-3, before the first call of Simulator, see Choose(). Events keep the
 * context of the one that had them scheduled; those of other threads belong to the present.
 */
class CatchUpSimulatorImpl : public DefaultSimulatorImpl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CatchUpSimulatorImpl();
    ~CatchUpSimulatorImpl() override;

    /**
     * Have simulations run on this implementation from now on, by the global value
     * SimulatorImplementationType, unless that names another one than ns-3's default. Nothing must
     * have been asked of Simulator yet.
     */
    static void Choose();

    /**
     * @return the implementation of the simulation under way, if it is this one; else null. If
     *         there is none yet, it is made.
     */
    static Ptr<CatchUpSimulatorImpl> Get();

    /// Does something that was put off, at its time.
    using Action = std::function<void()>;

    /**
     * Go back, and run what follows up to the present and what is due in it.
     *
     * @param since where to begin, not after the present
     * @param begin called there, once
     */
    void CatchUp(Time since, Action begin);

    /**
     * @return whether it is the past that runs
     */
    bool IsBehind() const
    {
        return m_isBehind;
    }

    /**
     * Schedule an event that is not of what is put off alone: in the past if it is due there, but
     * else after CatchUp(), also if it is due in the very present.
     *
     * @param delay time from now on
     * @param event the event
     * @return what it is known by
     */
    EventId ScheduleAfterwards(const Time& delay, EventImpl* event);

    /**
     * Schedule an event for the end of the present time step: all others that are due in it come
     * before, also those that are still to be scheduled. Those for the end run in the order in
     * which they were scheduled. Each counts as one event (Simulator::GetEventCount()).
     *
     * @param event the event, which may be cancelled
     */
    void ScheduleLast(Ptr<EventImpl> event);

    void Destroy() override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

  private:
    /**
     * Put an event into the list of the past.
     *
     * @param context its context
     * @param time when it is due, at most the present
     * @param event the event
     * @return what it is known by
     */
    EventId Insert(uint32_t context, int64_t time, EventImpl* event);

    /**
     * @param id an event
     * @return whether it stands, or stood, in the list of the past
     */
    bool IsOfPast(const EventId& id) const;

    /// Have RunLast() called behind the events that are known to be due in this time step.
    void LookForLast();

    /// Run the events of ScheduleLast(), unless others may be due in this time step.
    void RunLast();

    std::atomic<bool> m_isBehind{false}; //!< CatchUp() is at work
    std::thread::id m_thread;            //!< where it is
    ObjectFactory m_factory;             //!< makes event lists
    Ptr<Scheduler> m_past;               //!< events up to the present, while it is at work
    Scheduler::EventKey m_current;       //!< the event that runs there
    int64_t m_present{0};                //!< where to stop, time steps
    uint32_t m_uid{FIRST_UID};           //!< number of the next event of the past
    uint64_t m_ownEvents{0};             //!< events of the past, and of m_last, that have run
    std::vector<Ptr<EventImpl>> m_last;  //!< for the end of the present time step
    uint64_t m_looked{0};                //!< RunLast(): ordinary events when it looked before
    uint64_t m_looks{0};                 //!< calls of RunLast(), each an ordinary event

    /// First number of an event of the past. Ordinary events, which are numbered in the order of
    /// scheduling, have lower ones in runs of up to two thousand million of them.
    static constexpr uint32_t FIRST_UID = 1U << 31;
};

} // namespace ns3

#endif /* CATCH_UP_SIMULATOR_IMPL_H */
