/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/radix-heap-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Events come in the order of their times, and of their insertion where those are equal.
 *
 * The reference is a sorted list. Times lie ahead by 0 to 45 bits.
 */
class RadixHeapOrderTestCase : public TestCase
{
  public:
    RadixHeapOrderTestCase()
        : TestCase("a radix heap gives events in order")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937_64 random(7);
        for (uint32_t step = 0; step < 30000; ++step)
        {
            const uint64_t dice = random() % 16;
            if (m_expected.empty() || (dice < 8 && step < 20000))
            {
                // As many bits ahead as the dice say; every second one at a round time.
                const uint64_t ahead = random() & ((uint64_t{1} << random() % 46) - 1);
                Insert(dice % 2 == 0 ? ahead : ahead / 1000 * 1000);
            }
            else if (dice == 15)
            {
                Remove(random() % m_expected.size());
            }
            else
            {
                TakeNext();
            }
            NS_TEST_ASSERT_MSG_EQ(m_scheduler->IsEmpty(), m_expected.empty(), "step " << step);
        }
        while (!m_expected.empty())
        {
            TakeNext();
        }
        NS_TEST_EXPECT_MSG_EQ(m_scheduler->IsEmpty(), true, "all are taken");
        NS_TEST_EXPECT_MSG_EQ(m_taken + m_removed, m_inserted, "each once");
        NS_TEST_EXPECT_MSG_GT(m_taken, 10000, "taken");
        NS_TEST_EXPECT_MSG_GT(m_removed, 500, "removed");
    }

    /**
     * @param ahead how far ahead of the last one, time steps
     */
    void Insert(uint64_t ahead)
    {
        Scheduler::Event event;
        event.impl = nullptr;
        event.key.m_ts = m_now + ahead;
        event.key.m_uid = ++m_inserted;
        event.key.m_context = 0;
        m_scheduler->Insert(event);
        const auto place = std::upper_bound(m_expected.begin(), m_expected.end(), event);
        m_expected.insert(place, event);
    }

    /**
     * @param index of an event in the list
     */
    void Remove(std::size_t index)
    {
        m_scheduler->Remove(m_expected[index]);
        m_expected.erase(m_expected.begin() + static_cast<int64_t>(index));
        ++m_removed;
    }

    /// Take the next one from both.
    void TakeNext()
    {
        const uint32_t expected = m_expected.front().key.m_uid;
        NS_TEST_EXPECT_MSG_EQ(m_scheduler->PeekNext().key.m_uid, expected, "looked at");
        const Scheduler::Event next = m_scheduler->RemoveNext();
        NS_TEST_EXPECT_MSG_EQ(next.key.m_uid, expected, "taken");
        NS_TEST_EXPECT_MSG_EQ(next.key.m_ts, m_expected.front().key.m_ts, "its time");
        m_now = next.key.m_ts;
        m_expected.erase(m_expected.begin());
        ++m_taken;
    }

    Ptr<Scheduler> m_scheduler{CreateObject<RadixHeapScheduler>()}; //!< what is tested
    std::vector<Scheduler::Event> m_expected;                       //!< events in order
    uint64_t m_now{0};                                              //!< time of the last one
    uint32_t m_inserted{0};                                         //!< how many were inserted
    uint32_t m_taken{0};                                            //!< how many were taken
    uint32_t m_removed{0};                                          //!< how many were removed
};

/**
 * @ingroup workload-replay-tests
 * @brief A simulation runs on it, also when it takes over from another one.
 */
class RadixHeapSimulationTestCase : public TestCase
{
  public:
    RadixHeapSimulationTestCase()
        : TestCase("a simulation runs on a radix heap")
    {
    }

  private:
    void DoRun() override
    {
        for (const int64_t at : {500, 20, 500, 3})
        {
            Simulator::Schedule(NanoSeconds(at), &RadixHeapSimulationTestCase::Note, this);
        }
        const EventId removed =
            Simulator::Schedule(NanoSeconds(30), &RadixHeapSimulationTestCase::Note, this);
        const EventId cancelled =
            Simulator::Schedule(NanoSeconds(40), &RadixHeapSimulationTestCase::Note, this);
        Simulator::Schedule(NanoSeconds(20), &RadixHeapSimulationTestCase::Follow, this);
        ObjectFactory factory;
        factory.SetTypeId("ns3::RadixHeapScheduler");
        Simulator::SetScheduler(factory);
        Simulator::Remove(removed);
        Simulator::Cancel(cancelled);
        Simulator::Run();
        Simulator::Destroy();
        const std::vector<int64_t> expected{3, 20, 20, 27, 500, 500};
        NS_TEST_EXPECT_MSG_EQ((m_times == expected), true, "six events");
    }

    /// Note the time.
    void Note()
    {
        m_times.push_back(Simulator::Now().GetNanoSeconds());
    }

    /// Have something happen now, and a little later.
    void Follow()
    {
        Simulator::ScheduleNow(&RadixHeapSimulationTestCase::Note, this);
        Simulator::Schedule(NanoSeconds(7), &RadixHeapSimulationTestCase::Note, this);
    }

    std::vector<int64_t> m_times; //!< when events ran, ns
};

/**
 * @ingroup workload-replay-tests
 * @brief Observers come before all else of their time, whenever they were inserted.
 */
class RadixHeapObserverTestCase : public TestCase
{
  public:
    RadixHeapObserverTestCase()
        : TestCase("observers come first")
    {
    }

  private:
    void DoRun() override
    {
        ObjectFactory factory;
        factory.SetTypeId("ns3::RadixHeapScheduler");
        Simulator::SetScheduler(factory);
        const auto schedule = [this](int64_t at, char name, uint32_t context) {
            Simulator::ScheduleWithContext(context,
                                           NanoSeconds(at),
                                           &RadixHeapObserverTestCase::Note,
                                           this,
                                           name);
        };
        for (const int64_t at : {1000, 70})
        {
            schedule(at, 'a', 0);
            schedule(at, 'b', Simulator::NO_CONTEXT);
            schedule(at, 'o', RadixHeapScheduler::OBSERVER);
            schedule(at, 'c', 0);
        }
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(m_names, "oabcoabc", "the observer is first, the others in order");
    }

    /**
     * @param name name of the event that runs
     */
    void Note(char name)
    {
        m_names += name;
    }

    std::string m_names; //!< events in the order in which they ran
};

/**
 * @ingroup workload-replay-tests
 * @brief The event list.
 */
class WorkloadReplaySchedulerTestSuite : public TestSuite
{
  public:
    WorkloadReplaySchedulerTestSuite()
        : TestSuite("workload-replay-scheduler", TestSuite::Type::UNIT)
    {
        AddTestCase(new RadixHeapOrderTestCase);
        AddTestCase(new RadixHeapSimulationTestCase);
        AddTestCase(new RadixHeapObserverTestCase);
    }
};

/// The suite registers itself.
static WorkloadReplaySchedulerTestSuite g_workloadReplaySchedulerTestSuite;
