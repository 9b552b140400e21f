/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "catching-up.h"
#include "scheduled-call.h"

#include "ns3/make-event.h"
#include "ns3/test.h"

#include <string>
#include <thread>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A part of a model that catches up runs at its own times and ends in the present.
 */
class CatchUpTestCase : public TestCase
{
  public:
    CatchUpTestCase()
        : TestCase("events of the past run in their order, those of the future in theirs")
    {
    }

  private:
    void DoRun() override;

    /// A timer that is due in the present, before whose turn many events of the past have run, can
    /// be cancelled from there.
    void CancelTimer();

    /**
     * @param what what happens
     */
    void Note(const std::string& what)
    {
        m_log += what + "@" + std::to_string(Simulator::Now().GetMicroSeconds()) + " ";
    }

    /// The event that was scheduled for a context.
    void NoteContext()
    {
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetContext(), 7, "context of the past");
        Note("context");
    }

    std::string m_log; //!< what has happened
};

void
CatchUpTestCase::DoRun()
{
    const CatchingUp catchingUp;
    Simulator::Schedule(MicroSeconds(20), &CatchUpTestCase::Note, this, "main");
    Simulator::Schedule(MicroSeconds(40), &CatchUpTestCase::Note, this, "main");
    EventId cancelled;
    EventId later;
    ScheduleCall(MicroSeconds(30), [&]() {
        CatchUpSimulatorImpl::Get()->CatchUp(MicroSeconds(10), [&]() {
            Note("begin");
            Simulator::Schedule(MicroSeconds(20), &CatchUpTestCase::Note, this, "due");
            Simulator::Schedule(MicroSeconds(5), &CatchUpTestCase::Note, this, "past");
            later = Simulator::Schedule(MicroSeconds(25), &CatchUpTestCase::Note, this, "future");
            Simulator::Schedule(MicroSeconds(26), &CatchUpTestCase::Note, this, "last");
            cancelled = Simulator::Schedule(MicroSeconds(7), &CatchUpTestCase::Note, this, "no");
            ScheduleCall(MicroSeconds(4), [&]() {
                // As who looks at the wall clock does; it belongs to the present.
                std::thread other([this]() {
                    Simulator::ScheduleWithContext(
                        Simulator::NO_CONTEXT,
                        MicroSeconds(1),
                        MakeEvent(&CatchUpTestCase::Note, this, "other"));
                });
                other.join();
            });
            ScheduleCall(MicroSeconds(6), [&]() {
                NS_TEST_EXPECT_MSG_EQ(Simulator::GetDelayLeft(cancelled), MicroSeconds(1), "left");
                cancelled.Cancel();
                Simulator::ScheduleWithContext(7,
                                               MicroSeconds(2),
                                               &CatchUpTestCase::NoteContext,
                                               this);
            });
        });
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), MicroSeconds(30), "back in the present");
        NS_TEST_EXPECT_MSG_EQ(later.IsExpired(), false, "what is to come has not run");
        NS_TEST_EXPECT_MSG_EQ(cancelled.IsExpired(), true, "what was cancelled will not");
        later.Cancel();
        Note("caught up");
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(
        m_log,
        "main@20 begin@10 past@15 context@18 due@30 caught up@30 other@31 last@36 "
        "main@40 ",
        "times and order");
    CancelTimer();
}

void
CatchUpTestCase::CancelTimer()
{
    const CatchingUp catchingUp;
    uint32_t calls = 0;
    EventId timer;
    ScheduleCall(MicroSeconds(30), [&]() {
        CatchUpSimulatorImpl::Get()->CatchUp(MicroSeconds(10), [&]() {
            for (uint32_t i = 0; i < 100; ++i)
            {
                ScheduleCall(MicroSeconds(10 + i / 10), [&]() { ++calls; });
            }
            ScheduleCall(MicroSeconds(20), [&]() {
                NS_TEST_EXPECT_MSG_EQ(timer.IsExpired(), false, "it has not run");
                timer.Cancel();
            });
        });
    });
    timer = Simulator::Schedule(MicroSeconds(30), &CatchUpTestCase::Note, this, "timer");
    m_log.clear();
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(calls, 100, "events of the past");
    NS_TEST_EXPECT_MSG_EQ(m_log, "", "the timer was cancelled");
}

/**
 * @ingroup workload-replay-tests
 * @brief What is to be done at the end of a time step comes behind all that is due in it.
 */
class LastTestCase : public TestCase
{
  public:
    LastTestCase()
        : TestCase("events for the end of a time step come behind what others schedule for it")
    {
    }

  private:
    void DoRun() override;

    /**
     * Note something, and more of it at the same time, each scheduled by the one before.
     *
     * @param what what to note
     * @param more how often
     */
    void Note(const std::string& what, uint32_t more)
    {
        m_log += what + "@" + std::to_string(Simulator::Now().GetTimeStep()) + " ";
        if (more > 0)
        {
            ScheduleCall(Time(0), [this, what, more]() { Note(what, more - 1); });
        }
    }

    /**
     * @param what what to note at the end of the present time step
     * @param more how often it is noted again at the same time
     * @return the event
     */
    Ptr<EventImpl> NoteLast(const std::string& what, uint32_t more)
    {
        const ScheduledCall call = [this, what, more]() { Note(what, more); };
        const auto event = Ptr<EventImpl>(MakeEvent(&RunCall, call), false);
        CatchUpSimulatorImpl::Get()->ScheduleLast(event);
        return event;
    }

    std::string m_log; //!< what has happened
};

void
LastTestCase::DoRun()
{
    const CatchingUp catchingUp;
    // Before the first event there is a time step, too.
    NoteLast("first", 0);
    ScheduleCall(Time(0), [this]() { Note("begin", 1); });
    ScheduleCall(TimeStep(5), [this]() {
        NoteLast("end", 1);
        NoteLast("cancelled", 0)->Cancel();
        // More comes of events before and behind, also while it is looked who is last.
        Note("chain", 3);
        ScheduleCall(Time(0), [this]() { NoteLast("other", 0); });
    });
    ScheduleCall(TimeStep(5), [this]() { Note("beside", 0); });
    ScheduleCall(TimeStep(6), [this]() { Note("next", 0); });
    ScheduleCall(TimeStep(7), [this]() {
        // From a past that ends in the present, and from the end of a time step.
        CatchUpSimulatorImpl::Get()->CatchUp(TimeStep(3), [this]() {
            ScheduleCall(TimeStep(4), [this]() { NoteLast("of the past", 0); });
            ScheduleCall(TimeStep(4), [this]() { Note("past", 1); });
        });
        const ScheduledCall call = [this]() { NoteLast("behind the end", 0); };
        CatchUpSimulatorImpl::Get()->ScheduleLast(Ptr<EventImpl>(MakeEvent(&RunCall, call), false));
        Note("now", 2);
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_log,
                          "begin@0 begin@0 first@0 "
                          "chain@5 beside@5 chain@5 chain@5 chain@5 end@5 other@5 end@5 next@6 "
                          "past@7 past@7 now@7 now@7 now@7 of the past@7 behind the end@7 ",
                          "order");
    // 19 events are noted; one is cancelled and three only schedule others. What it takes to see
    // which is the last does not count: it depends on when other threads hand over their events.
    NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 19 + 1 + 3, "events");
}

/**
 * @ingroup workload-replay-tests
 * @brief A simulator that goes back to what it has skipped.
 */
class WorkloadReplayCatchUpTestSuite : public TestSuite
{
  public:
    WorkloadReplayCatchUpTestSuite()
        : TestSuite("workload-replay-catch-up", TestSuite::Type::UNIT)
    {
        AddTestCase(new CatchUpTestCase);
        AddTestCase(new LastTestCase);
    }
};

WorkloadReplayCatchUpTestSuite g_workloadReplayCatchUpTestSuite; //!< the suite

} // namespace
