/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_DEFERRAL_TEST_CASES_H
#define FLUID_DEFERRAL_TEST_CASES_H

#include "fluid-test-flow.h"

#include "ns3/fluid-arrivals.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief What has come to a queue by when.
 */
class FluidArrivalsTestCase : public TestCase
{
  public:
    FluidArrivalsTestCase()
        : TestCase("fluid: what leaves a queue first has come first")
    {
    }

  private:
    /// Bytes that sums of a few of them may lose.
    static constexpr double ROUNDING = 1e-9;

    void DoRun() override
    {
        // A byte each time step up to 10, then three up to 20, none up to 30, and two.
        FluidArrivals arrivals;
        arrivals.Begin(0, 1);
        arrivals.Change(10, 3);
        arrivals.Change(20, 5);
        arrivals.Change(20, 0);
        arrivals.Change(30, 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.GetSince(4, 12), 6 + 6, ROUNDING, "over a change");
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.GetSince(-5, 35), 15 + 30 + 10, ROUNDING, "over all");
        // Of the last 19 bytes until 35 ten have come since 30, and nine since 17.
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.FindEntry(35, 19), 17, ROUNDING, "before a pause");
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.FindEntry(35, 0), 35, ROUNDING, "nothing waits");
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.FindEntry(35, 45), 5, ROUNDING, "before the first");
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.GetLargestRate(15), 3, ROUNDING, "still to leave");
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.GetLargestRate(25), 2, ROUNDING, "it has left");
        arrivals.Forget(15);
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.GetSince(15, 35), 15 + 10, ROUNDING, "what is known");
        AddAndTakeAway();
        ForgetMany();
    }

    /// What one flow brings, by its rate or from elsewhere, is gone with it.
    void AddAndTakeAway()
    {
        FluidArrivals all;
        FluidArrivals one;
        all.Begin(0, 2);
        one.Begin(0, 1);
        all.Change(10, 4);
        one.Change(10, 3);
        // 20 bytes between 15 and 25, of which half have come by 20.
        all.Insert(15, 25, 20);
        one.Insert(15, 25, 20);
        NS_TEST_EXPECT_MSG_EQ_TOL(all.GetSince(10, 20), 40 + 10, ROUNDING, "a half of it");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.GetSince(20, 30), 40 + 10, ROUNDING, "and the other one");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.FindEntry(30, 30), 25 - 10 / 6.0, ROUNDING, "among others");
        all.Remove(one);
        NS_TEST_EXPECT_MSG_EQ_TOL(all.GetSince(-3, 30), 33, ROUNDING, "a byte each time step");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.GetLargestRate(0), 1, ROUNDING, "at all times");
    }

    /// A queue that does not end asks for the last moments only, and they stay exact.
    void ForgetMany()
    {
        FluidArrivals arrivals;
        arrivals.Begin(0, 1);
        for (int64_t i = 1; i <= 1000; ++i)
        {
            // One and two bytes, by turns: three in two time steps.
            arrivals.Change(i, i % 2 == 0 ? 1 : 2);
            const auto now = static_cast<double>(i);
            const double entry = arrivals.FindEntry(now, 30);
            arrivals.Forget(entry);
            NS_TEST_ASSERT_MSG_EQ_TOL(arrivals.GetSince(entry, now), 30, ROUNDING, "these wait");
            if (i > 20)
            {
                NS_TEST_ASSERT_MSG_EQ_TOL(entry, now - 20, ROUNDING, "20 time steps ago");
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Flows that hear of marks alone hear of as many, when they would, and no other flow can
 *        tell that they do not listen in between.
 */
class FluidDeferralTestCase : public TestCase
{
  public:
    FluidDeferralTestCase()
        : TestCase("fluid: flows are deferred until marks have gathered")
    {
    }

  private:
    /// Time steps between two looks.
    static constexpr int64_t STEP = 1000;

    /// Queue at which all is marked, bytes.
    static constexpr double ALL_MARKED = 1e6;

    /**
     * Send two flows of 0.75 over a link that carries 1.
     *
     * @param changes from when on the limit of each may change at any time, time steps
     * @param marks bytes that are marked of a flow before it has to hear
     * @param end when to stop, steps
     * @return what each has heard
     */
    std::vector<std::vector<FluidTestFlow::Heard>> Send(const std::vector<int64_t>& changes,
                                                        double marks,
                                                        int64_t end)
    {
        std::vector<FluidLink> links;
        FluidNetwork network(links, TimeStep(STEP));
        std::vector<PortCounters> counters(3);
        FluidLink::Settings port;
        port.capacity = 1;
        port.counters = &counters[0];
        links.emplace_back(port);
        port.counters = &counters[1];
        links.emplace_back(port);
        port.buffer = network.AddBuffer({[](double) { return 1e9; }});
        port.marking = [](double queue) { return queue / ALL_MARKED; };
        port.counters = &counters[2];
        links.emplace_back(port);
        constexpr uint32_t shared = 2;
        std::vector<std::unique_ptr<FluidTestFlow>> flows;
        for (std::size_t i = 0; i < changes.size(); ++i)
        {
            flows.push_back(
                std::make_unique<FluidTestFlow>(std::vector<uint32_t>{i == 0 ? 0U : 1U, shared},
                                                marks,
                                                changes[i]));
            flows.back()->id = static_cast<uint32_t>(flows.size());
            network.Start(*flows.back(), 1e9);
        }
        Simulator::Stop(TimeStep(end * STEP + 1));
        Simulator::Run();
        // Half of what comes in too much waits of each.
        const FluidLink& link = links[shared];
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetQueue(end * STEP), 0.5 * end * STEP, 1e-3, "queue");
        std::vector<std::vector<FluidTestFlow::Heard>> heard;
        for (const auto& flow : flows)
        {
            network.Stop(*flow);
            NS_TEST_EXPECT_MSG_EQ_TOL(network.GetProgress(*flow).waiting,
                                      0.25 * end * STEP,
                                      1,
                                      "what waits of a flow");
            heard.push_back(flow->heard);
        }
        Simulator::Destroy();
        return heard;
    }

    void DoRun() override
    {
        // In step k the queue has 500 k bytes and adds 0.5 k to the marks, in time steps. From the
        // first step on 26.9 have gathered when 2 + ... + n is 53.8 or more: 54 at n = 10, and
        // 11 + ... + 15 = 65 at n = 15.
        const auto deferred = Send({FluidFlow::NEVER, FluidFlow::NEVER}, 26.9, 17);
        for (const auto& heard : deferred)
        {
            NS_TEST_ASSERT_MSG_EQ(heard.size(), 3, "steps in which it hears of anything");
            NS_TEST_EXPECT_MSG_EQ(heard[0].now, STEP, "the queue has begun");
            NS_TEST_EXPECT_MSG_EQ(heard[1].now, 10 * STEP, "first marks");
            NS_TEST_EXPECT_MSG_EQ(heard[2].now, 15 * STEP, "second marks");
            // Each gets half of what the link carries.
            NS_TEST_EXPECT_MSG_EQ_TOL(heard[1].arrived, 0.5 * 9 * STEP, 1e-6, "what has come");
            NS_TEST_EXPECT_MSG_EQ_TOL(heard[1].marked, 27.0 / (9 * STEP), 1e-9, "marks");
            NS_TEST_EXPECT_MSG_EQ_TOL(heard[2].marked, 32.5 / (5 * STEP), 1e-9, "marks");
        }
        // The one that listens in each step hears the same in the sum, and the other at least
        // once in 63 steps.
        const auto mixed = Send({FluidFlow::NEVER, 0}, 26.9, 17);
        NS_TEST_EXPECT_MSG_EQ(mixed[1].size(), 17, "it hears in each step");
        NS_TEST_ASSERT_MSG_EQ(mixed[0].size(), 3, "it hears as if the other were deferred, too");
        double arrived = 0;
        double marks = 0;
        for (std::size_t step = 1; step < 10; ++step)
        {
            arrived += mixed[1][step].arrived;
            marks += mixed[1][step].marked * STEP;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(arrived, mixed[0][1].arrived, 1e-6, "what has come");
        NS_TEST_EXPECT_MSG_EQ_TOL(marks, 27, 1e-9, "marks");
        // Limits that change with the third step count from it on, those that change between the
        // fourth step and the fifth, or with the fifth, from the fifth on.
        CheckChange(3 * STEP, 3);
        CheckChange(4 * STEP + 1, 5);
        CheckChange(5 * STEP - 1, 5);
        CheckChange(5 * STEP, 5);
        CheckChange(5 * STEP + 1, 6);
    }

    /**
     * @param change from when on limits may change at any time, time step
     * @param step number of the first step in which flows have to hear of it
     */
    void CheckChange(int64_t change, int64_t step)
    {
        const int64_t end = 8;
        for (const auto& heard : Send({change, change}, FluidLink::NO_MARKS, end))
        {
            // Once that the queue has begun, then from the change on.
            NS_TEST_ASSERT_MSG_EQ(heard.size(),
                                  static_cast<std::size_t>(end - step + 2),
                                  "steps in which it hears");
            NS_TEST_EXPECT_MSG_EQ(heard[1].now, step * STEP, "change " << change);
        }
    }
};

#endif /* FLUID_DEFERRAL_TEST_CASES_H */
