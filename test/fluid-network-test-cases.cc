/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-network-test-case.h"
#include "fluid-test-cases.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Flows that take another path free the old one at once, and what waits there moves.
 */
class FluidRerouteTestCase : public FluidNetworkTestCase
{
  public:
    FluidRerouteTestCase()
        : FluidNetworkTestCase("fluid: what takes another path leaves nothing behind")
    {
    }

  private:
    void DoRun() override
    {
        ChangePort();
        for (const int64_t change : {int64_t{0}, FluidFlow::NEVER})
        {
            MoveBacklog(change);
        }
        LeaveIdle();
        ChangeNetwork();
    }

    /// Two flows have half of a port each, until one of them goes by another port.
    void ChangePort()
    {
        Begin();
        const uint32_t port = AddPort();
        const uint32_t other = AddPort();
        const uint32_t shared = AddQueue(4);
        const auto& staying = Send({port, shared}, 0);
        auto& leaving = Send({port, shared}, 0);
        RunTo(2500);
        NS_TEST_EXPECT_MSG_EQ_TOL(staying.rate, 0.5, ROUNDING, "half of the port");
        m_network->Take(leaving,
                        FluidTestFlow::MakeHops({other, shared}),
                        3,
                        m_network->Leave(leaving));
        RunTo(2502);
        NS_TEST_EXPECT_MSG_EQ_TOL(staying.rate, 0.75, ROUNDING, "it has its port for itself");
        NS_TEST_EXPECT_MSG_EQ_TOL(leaving.rate, 0.75, ROUNDING, "so has the other");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[shared].load, 1.5, ROUNDING, "both");
    }

    /**
     * Half of a queue moves to a link that was not busy.
     *
     * @param change see AddFlow()
     */
    void MoveBacklog(int64_t change)
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        const uint32_t other = AddQueue(1);
        const uint32_t port = AddPort();
        auto& leaving = Send({port, queue}, change);
        Send({AddPort(), queue}, change);
        auto& beside = AddFlow({AddPort(), other}, change);
        beside.most = [](int64_t) { return 0.3; };
        m_network->Start(beside, 1e9);
        RunTo(2500);
        m_network->Take(leaving,
                        FluidTestFlow::MakeHops({port, other}),
                        3,
                        m_network->Leave(leaving));
        // 1.5 come in and 1 leaves; half of the rest is of each. Beside the third flow's 0.3 there
        // is room for 0.7 on the other link.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[other].GetQueue(2500), 625, 1e-3, "moved");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[other].load, 1.05, ROUNDING, "0.3 and 0.75");
        RunTo(3000);
        auto& to = m_links[other];
        to.Advance(3000);
        NS_TEST_EXPECT_MSG_EQ_TOL(to.queue, 625 + 500 * 0.05, 1e-3, "it grows by what is too much");
        NS_TEST_EXPECT_MSG_EQ_TOL(to.served, 2500 * 0.3 + 500, 1e-3, "what has left");
        // Nothing was marked before anything waited, and the part of then for half a step.
        NS_TEST_EXPECT_MSG_EQ_TOL(to.marked, 500 * 625e-6, 1e-6, "marks");
        RunTo(3001);
        // The other flow's 0.75 come to a link that carries 1.
        const double stays = 625 - 501 * 0.25;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[queue].GetQueue(3001), stays, 1, "what stays");
    }

    /// Where nothing waits no link becomes busy.
    void LeaveIdle()
    {
        Begin();
        const uint32_t port = AddPort();
        auto& flow = Send({port, AddQueue(1)}, 0);
        const uint32_t other = AddQueue(1);
        RunTo(2500);
        m_network->Take(flow, FluidTestFlow::MakeHops({port, other}), 3, m_network->Leave(flow));
        NS_TEST_EXPECT_MSG_EQ(m_links[other].isBusy, false, "nothing waits there");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[other].load, 0.75, ROUNDING, "it has come");
    }

    /// A flow goes on in another network, by a link that nobody else uses.
    void ChangeNetwork()
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        auto& leaving = AddFlow({AddPort(), queue}, 0);
        m_network->Start(leaving, 3000);
        Send({AddPort(), queue}, 0);
        FluidNetwork next(m_links, TimeStep(STEP));
        const uint32_t port = AddPort();
        FluidLink::Settings settings = m_links[queue].settings;
        settings.buffer = next.AddBuffer([](double) { return 1e9; });
        const uint32_t other = AddLink(settings);
        int64_t end = 0;
        leaving.emptied = [&end](int64_t now) { end = now; };
        RunTo(2500);
        NS_TEST_EXPECT_MSG_EQ(next.CountLooks().value_or(1), 0, "nobody has sent there");
        const auto waiting = m_network->Leave(leaving);
        next.Take(leaving, FluidTestFlow::MakeHops({port, other}), 3, waiting);
        // Half of what was too much for the queue, 0.5 in each of 2500 steps, is of the flow.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[other].GetQueue(2500), 625, 1e-3, "moved");
        NS_TEST_EXPECT_MSG_EQ(next.CountLooks().has_value(), false, "what waits is looked at");
        RunTo(5001);
        NS_TEST_EXPECT_MSG_EQ(end, 4000, "3000 bytes at 0.75");
        // By now 0.75 has come for 1500 steps, and 1 has left for 2125 until nothing was left.
        m_links[other].Advance(5001);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[other].served, 625 + 1500 * 0.75, 1, "all has left");
        NS_TEST_EXPECT_MSG_EQ(m_links[other].uses.size(), 0, "nothing of it is left");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Links that go down and come up: what they have carried, what waits, and what others get.
 */
class FluidLinkChangeTestCase : public FluidNetworkTestCase
{
  public:
    FluidLinkChangeTestCase()
        : FluidNetworkTestCase("fluid: links that go down and come up count at once")
    {
    }

  private:
    void DoRun() override
    {
        Begin();
        const uint32_t cut = AddQueue(1);
        const auto& first = Send({AddPort(), cut}, FluidFlow::NEVER);
        auto& second = Send({AddPort(), cut}, FluidFlow::NEVER);
        RunTo(1500);
        m_network->Stop(second);
        RunTo(2500);
        m_network->SetLinkUp(cut, false);
        // 2000 bytes had come by 1333 1/3, so that 500 of it wait at 2000; 3000 by 2500, so that
        // 875 leave in the step after it.
        const double waiting = 500 + (750 - 875) / 2.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(first.lost, waiting, 1e-3, "what waits of a deferred flow");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[cut].served, 2500, 1e-3, "1 has left");
        ChangeUpstream();
        PassOn();
    }

    /// More leaves a queue of what goes on over a slower link, from a step on: no more leaves that.
    void PassOn()
    {
        Begin();
        const uint32_t first = AddQueue(1);
        const uint32_t slower = AddQueue(0.6);
        Send({AddPort(), first, slower}, 0);
        auto& other = Send({AddPort(), first}, 0);
        RunTo(2500);
        NS_TEST_EXPECT_MSG_EQ(m_links[slower].isBusy, false, "half a byte comes");
        m_network->Stop(other);
        RunTo(3001);
        // 3000 bytes had come by 2000, and 4000 will have by 2833 1/3, three quarters of them its
        // own.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[slower].load, 0.625, ROUNDING, "what comes");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[slower].service.leaving, 0.6, ROUNDING, "what leaves");
    }

    /// A link that feeds a queue goes down, and comes up when the queue has gone.
    void ChangeUpstream()
    {
        Begin();
        const uint32_t cut = AddQueue(1);
        const uint32_t last = AddQueue(1);
        Send({AddPort(), cut, last}, 0);
        Send({AddPort(), last}, 0);
        RunTo(2500);
        m_network->SetLinkUp(cut, false);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[last].load, 0.75, ROUNDING, "one is left");
        // 1250 bytes become a quarter of a byte less in each time step.
        RunTo(9500);
        NS_TEST_EXPECT_MSG_EQ(m_links[last].isBusy, false, "the queue has gone");
        m_network->SetLinkUp(cut, true);
        RunTo(9502);
        const auto& link = m_links[last];
        NS_TEST_EXPECT_MSG_EQ_TOL(link.load, 1.5, ROUNDING, "both again");
        NS_TEST_EXPECT_MSG_EQ_TOL(link.service.leaving, 1, ROUNDING, "no more than it carries");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What flows hear and when, and that nothing of it depends on who listens.
 */
class FluidHearingTestCase : public FluidNetworkTestCase
{
  public:
    FluidHearingTestCase()
        : FluidNetworkTestCase("fluid: flows hear of what concerns them, when it does")
    {
    }

  private:
    void DoRun() override
    {
        HearFromBeginning();
        HearOfEnd();
        for (const int64_t change : {int64_t{0}, FluidFlow::NEVER})
        {
            GoOn(change);
            FillBuffer(change);
        }
        SlowDown();
        HearTelemetry();
        HearPackets();
        HearInTurn();
    }

    /// A flow that was alone hears of what comes after another one has come, not before.
    void HearFromBeginning()
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        const auto& flow = Send({AddPort(), queue}, 0);
        RunTo(2500);
        Send({AddPort(), queue}, 0);
        RunTo(3600);
        NS_TEST_ASSERT_MSG_EQ(flow.heard.size(), 1, "a step after the queue has begun");
        NS_TEST_EXPECT_MSG_EQ(flow.heard[0].now, 3500, "when");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.heard[0].passed, STEP, ROUNDING, "a step");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.heard[0].sent, 750, ROUNDING, "of that step");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.heard[0].arrived, 500, ROUNDING, "half of the link");
    }

    /// A deferred flow hears when the queue has gone, and no more after that.
    void HearOfEnd()
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        const auto& flow = Send({AddPort(), queue}, FluidFlow::NEVER);
        auto& other = Send({AddPort(), queue}, FluidFlow::NEVER);
        RunTo(2500);
        m_network->Stop(other);
        RunTo(80 * STEP);
        // 1250 bytes become a quarter of a byte less in each time step, from 2500 on.
        NS_TEST_ASSERT_MSG_EQ(flow.heard.size(), 2, "the queue has begun, and has gone");
        NS_TEST_EXPECT_MSG_EQ(flow.heard[1].now, 8 * STEP, "the first step without a queue");
        const double arrived = flow.heard[0].arrived + flow.heard[1].arrived;
        NS_TEST_EXPECT_MSG_EQ_TOL(arrived, 0.75 * 8 * STEP, 1e-3, "all that it has sent");
        NS_TEST_EXPECT_MSG_EQ(m_counters[0].maxQueue, 1250, "when the other flow ended");
    }

    /**
     * A flow ends, and goes on when a part of it waits still.
     *
     * @param change see AddFlow()
     */
    void GoOn(int64_t change)
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        auto& flow = Send({AddPort(), queue}, change, 0.75 * 2500);
        Send({AddPort(), queue}, 0);
        RunTo(3500);
        // Until 3000 has left what had come by 2000: 375 bytes of it wait, which leave in the next
        // step, as what will have left by 4000 has come by 2833 1/3.
        const double waiting = 375 / 2.0;
        // As a sender does that wants to know how long its next message will wait.
        m_network->GetProgress(flow);
        m_network->Start(flow, 1e9);
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.waiting, waiting, 1e-3, "what waits of it still");
        RunTo(5001);
        // 1000 bytes wait at 3500, and half a byte more with each time step.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[queue].GetQueue(5000), 1750, 1, "no byte less");
    }

    /**
     * A link is held back by what waits where it leads to, whoever listens.
     *
     * @param change see AddFlow()
     */
    void FillBuffer(int64_t change)
    {
        Begin();
        const uint32_t queue = AddQueue(1, 2000);
        Send({AddPort(), queue}, change);
        Send({AddPort(), queue}, change);
        RunTo(20 * STEP);
        // Two links hold 2000 each, after 8 steps; half a byte more comes in each time step before.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[queue].GetQueue(20 * STEP), 4000, 100, "full");
    }

    /// A flow whose rate changes between two steps had the old one until then.
    void SlowDown()
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        const uint32_t port = AddPort();
        auto& flow = Send({port, queue}, 0);
        Send({AddPort(), queue}, 0);
        RunTo(2500);
        Send({port, queue}, 0);
        RunTo(2900);
        // It comes at half a byte from then on, and leaves at that until the next step.
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.rate, 0.5, ROUNDING, "half of its port");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_network->GetProgress(flow).waiting, 625, 1e-3, "as before");
    }

    /// Links that are not busy count in telemetry, too.
    void HearTelemetry()
    {
        Begin();
        auto& flow = AddFlow({AddPort(), AddQueue(4)}, 0);
        flow.isAtRest = false;
        flow.wantsTelemetry = true;
        m_network->Start(flow, 1e9);
        RunTo(1001);
        NS_TEST_ASSERT_MSG_EQ(flow.heard.size(), 1, "a step");
        NS_TEST_EXPECT_MSG_EQ(flow.heard[0].bytes, 750, "what the link has carried");
        HearLate();
    }

    /// What a packet has found at a queue is heard of when it has come, and its acknowledgement
    /// has.
    void HearLate()
    {
        Begin();
        const uint32_t queue = AddQueue(1);
        auto& flow = AddFlow({AddPort(), queue}, 0);
        flow.isAtRest = false;
        flow.wantsTelemetry = true;
        flow.hops[1].behind = 400;
        m_network->Start(flow, 1e9);
        Send({AddPort(), queue}, 0);
        RunTo(3 * STEP + 1);
        // Half a byte more waits with each time step.
        NS_TEST_ASSERT_MSG_EQ(flow.heard.size(), 3, "steps");
        NS_TEST_EXPECT_MSG_EQ(flow.heard[2].bytes, 2600, "what has left by 2600");
        NS_TEST_EXPECT_MSG_EQ(flow.heard[2].queue, 1300, "what waits then");
    }

    /// Telemetry says how many packets wait that come from nine ports at random moments, and says
    /// the same to all at a moment.
    void HearPackets()
    {
        Begin();
        constexpr uint32_t count = 9;
        const uint32_t queue = AddQueue(12);
        m_links[queue].counted.fullPacket = 1000;
        std::vector<FluidTestFlow*> flows;
        for (uint32_t i = 0; i < count; ++i)
        {
            flows.push_back(&AddFlow({AddPort(), queue}, 0));
            flows.back()->isAtRest = false;
            flows.back()->wantsTelemetry = true;
            // Above what the port carries, so that rates stay, and another one each time that it
            // hears.
            flows.back()->most = [](int64_t now) { return 2 + now / STEP / 8 % 2; };
            m_network->Start(*flows.back(), 1e9);
        }
        RunTo(100000 * STEP + 1);
        std::map<int64_t, uint64_t> said;
        for (const auto* const flow : flows)
        {
            for (const auto& heard : flow->heard)
            {
                const auto first = said.emplace(heard.now, heard.queue).first;
                NS_TEST_EXPECT_MSG_EQ(heard.queue, first->second, "the same to all");
            }
        }
        const auto steps = static_cast<double>(said.size());
        NS_TEST_ASSERT_MSG_GT(steps, 49000, "a part of the steps");
        double sum = 0;
        double longer = 0;
        for (const auto& [now, waits] : said)
        {
            sum += static_cast<double>(waits);
            longer += waits > 2000 ? 1 : 0;
        }
        // Of 8 others at a load of 3/4: the integral of exp(-2 x (x / 8 + 1/4)) is 1.0913 packets,
        // by Simpson's rule, and at x = 2 it is exp(-2). Errors of the mean are 0.004 and 0.002.
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / steps / 1000, 1.0913, 0.015, "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(longer / steps, std::exp(-2), 0.008, "longer than two packets");
    }

    /// Patient flows of a port hear in each eighth step, and in the same.
    void HearInTurn()
    {
        Begin();
        const uint32_t port = AddPort();
        const uint32_t queue = AddQueue(4);
        std::vector<FluidTestFlow*> flows;
        for (const int64_t begin : {0, 3100})
        {
            RunTo(begin);
            flows.push_back(&AddFlow({port, queue}, 0));
            flows.back()->isAtRest = false;
            flows.back()->most = [](int64_t) { return 0.4; };
            m_network->Start(*flows.back(), 1e9);
        }
        RunTo(60 * STEP);
        NS_TEST_ASSERT_MSG_EQ(flows[0]->heard.size(), flows[1]->heard.size(), "as often");
        // The first step is heard by each that begins.
        for (std::size_t i = 1; i < flows[0]->heard.size(); ++i)
        {
            const int64_t now = flows[0]->heard[i].now;
            NS_TEST_EXPECT_MSG_EQ(flows[1]->heard[i].now, now, "in the same step");
            NS_TEST_EXPECT_MSG_EQ(now, 8 * STEP * static_cast<int64_t>(i), "each eighth step");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief When flows end, in which order, and what they leave.
 */
class FluidEndTestCase : public FluidNetworkTestCase
{
  public:
    FluidEndTestCase()
        : FluidNetworkTestCase("fluid: flows end when their bytes have gone, in order")
    {
    }

  private:
    void DoRun() override
    {
        // Messages one after another, which end within time steps: nothing is lost between them.
        Begin();
        auto& flow = AddFlow({AddPort(), AddQueue(1)}, 0);
        flow.next = 10;
        flow.nMore = 99;
        int64_t last = 0;
        flow.emptied = [&last](int64_t now) { last = now; };
        m_network->Start(flow, flow.next);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(last, std::ceil(100 * 10 / 0.75), "a hundred messages");
        for (const auto& hop : flow.hops)
        {
            const bool isEmpty = hop.in == 0 && hop.out == 0 && hop.backlog == 0;
            NS_TEST_EXPECT_MSG_EQ(isEmpty, true, "nothing of it is left at link " << hop.link);
        }
        KeepOrder();
    }

    /// Flows that end together do so in the order in which they have begun.
    void KeepOrder()
    {
        Begin();
        constexpr std::size_t count = 8;
        const uint32_t queue = AddQueue(count);
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < count; ++i)
        {
            auto& flow = AddFlow({AddPort(), queue}, 0);
            flow.emptied = [&order, i](int64_t) { order.push_back(i); };
            m_network->Start(flow, 750);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(order.size(), count, "all end");
        for (std::size_t i = 0; i < count; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(order[i], i, "in order");
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeFluidNetworkTestCases()
{
    return {new FluidRerouteTestCase,
            new FluidLinkChangeTestCase,
            new FluidHearingTestCase,
            new FluidEndTestCase};
}

} // namespace ns3
