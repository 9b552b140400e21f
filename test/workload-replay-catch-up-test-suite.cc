/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "catching-up.h"
#include "scheduled-call.h"

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
 * @brief A simulator that goes back to what it has skipped.
 */
class WorkloadReplayCatchUpTestSuite : public TestSuite
{
  public:
    WorkloadReplayCatchUpTestSuite()
        : TestSuite("workload-replay-catch-up", TestSuite::Type::UNIT)
    {
        AddTestCase(new CatchUpTestCase);
    }
};

WorkloadReplayCatchUpTestSuite g_workloadReplayCatchUpTestSuite; //!< the suite

} // namespace
