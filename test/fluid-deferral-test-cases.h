/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_DEFERRAL_TEST_CASES_H
#define FLUID_DEFERRAL_TEST_CASES_H

#include "fluid-test-flow.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief What the history of a queue says of a flow is what a look in each step finds.
 */
class FluidQueueHistoryTestCase : public TestCase
{
  public:
    FluidQueueHistoryTestCase()
        : TestCase("fluid: what waits of a flow follows from the history of the queue")
    {
    }

  private:
    void DoRun() override
    {
        // Of 8 bytes, and one more each time step, half leaves in a step of two, twice:
        // (8 + 2) / 2 = 5, (5 + 2) / 2 = 3.5. Then nothing for one time step of the two, and all.
        FluidQueueHistory history;
        history.Advance(0.25, 2, 2); // before it looks
        const FluidQueueHistory before = history;
        const auto getBacklog = [&]() {
            const double kept = std::exp(history.logKept - before.logKept);
            return 8 * kept + history.unit - before.unit * kept;
        };
        history.Advance(0.5, 2, 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(getBacklog(), 5, 1e-12, "after a step");
        history.Advance(0.5, 2, 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(getBacklog(), 3.5, 1e-12, "after two steps");
        history.Advance(0, 2, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(getBacklog(), 4.5, 1e-12, "after half a step without service");
        history.Advance(1, 2, 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(getBacklog(), 0, 1e-9, "after one that empties the queue");
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
        port.buffer = network.AddBuffer([](double) { return 1e9; });
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
