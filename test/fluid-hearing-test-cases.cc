/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-network-test-case.h"
#include "fluid-test-cases.h"

#include <algorithm>
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
        HearAtOnce();
        HearPackets(9);
        HearPackets(2);
        HearInTurn();
        ShareRelayingPort(true);
        ShareRelayingPort(false);
        ShareRing(5, 2);
        ShareRing(8, 3);
        ShareRing(16, 8);
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

    /// A link is held back for what it brings to a full buffer. Who goes elsewhere by it hears at
    /// once, of a moment in which nothing is marked.
    void HearAtOnce()
    {
        Begin();
        const uint32_t input = AddQueue(1);
        const uint32_t slow = AddQueue(0.5, 1000);
        Send({AddPort(), input, slow}, 0);
        auto& passing = AddFlow({AddPort(), input, AddQueue(1)}, 0);
        passing.most = [](int64_t) { return 0.2; };
        m_network->Start(passing, 1e9);
        RunTo(3 * STEP);
        NS_TEST_EXPECT_MSG_EQ(m_links[slow].service.steps, STEP, "a step until the next look");
        RunTo(6 * STEP);
        NS_TEST_EXPECT_MSG_EQ(m_links[slow].service.steps, STEP / 2, "half a step, as it is full");
        // A quarter of a byte more waits with each time step.
        NS_TEST_ASSERT_MSG_GT(passing.heard.size(), 0, "it hears");
        NS_TEST_EXPECT_MSG_EQ(passing.heard[0].now, 4 * STEP, "the buffer is full");
        NS_TEST_EXPECT_MSG_EQ(passing.heard[0].passed, 0, "of this moment");
        NS_TEST_EXPECT_MSG_EQ(passing.heard[0].marked, 0, "nothing is marked");
    }

    /**
     * Telemetry says how many packets wait that come from several ports at random moments, and says
     * the same to all at a moment.
     *
     * @param count how many ports, which use three quarters of the link that they lead to
     */
    void HearPackets(uint32_t count)
    {
        Begin();
        const uint32_t queue = AddQueue(count / 0.75);
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
        NS_TEST_ASSERT_MSG_GT(steps, 24000, "a part of the steps");
        double sum = 0;
        double longer = 0;
        for (const auto& [now, waits] : said)
        {
            sum += static_cast<double>(waits);
            longer += waits > 1000 ? 1 : 0;
        }
        // Of N others at a load of 3/4 more than x packets wait with probability
        // exp(-2 x (x / N + 1/4)), of which the integral is the mean: that of a Gaussian from some
        // point on. Errors of the mean are 0.004 at most.
        const double others = count - 1.0;
        const double mean = std::sqrt(std::acos(-1) * others / 8) * std::exp(others / 32) *
                            std::erfc(std::sqrt(others / 32));
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / steps / 1000, mean, 0.015, "mean of " << count);
        NS_TEST_EXPECT_MSG_EQ_TOL(longer / steps,
                                  std::exp(-2 * (1 / others + 0.25)),
                                  0.008,
                                  "longer than a packet, of " << count);
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

    /**
     * A host relays what holds two queue pairs of its own back, and these are deferred at their
     * port: what it relays more slows that one down which has no limit of its own, and the other
     * one not at all.
     *
     * @param isLimitedFirst whether the one with a limit begins first
     */
    void ShareRelayingPort(bool isLimitedFirst)
    {
        Begin();
        const uint32_t port = AddQueue(1);
        std::map<bool, FluidTestFlow*> own;
        for (const bool isLimited : {isLimitedFirst, !isLimitedFirst})
        {
            own[isLimited] = &AddFlow({port}, 1000 * STEP);
            own[isLimited]->most = [isLimited](int64_t) { return isLimited ? 0.02 : 0.75; };
            m_network->Start(*own[isLimited], 1e9);
        }
        const auto relay = [this, port](double rate, double bytes) {
            FluidTestFlow& flow = AddFlow({AddPort(), port}, FluidFlow::NEVER);
            flow.most = [rate](int64_t) { return rate; };
            m_network->Start(flow, bytes);
        };
        relay(0.6, 1e9);
        // A queue, which stays when this has ended: the port carries what comes.
        relay(0.75, 3 * STEP);
        RunTo(20 * STEP + 1);
        NS_TEST_ASSERT_MSG_EQ(m_links[port].isBusy, true, "something waits");
        NS_TEST_EXPECT_MSG_EQ_TOL(own[true]->rate, 0.02, ROUNDING, "its limit");
        NS_TEST_EXPECT_MSG_EQ_TOL(own[false]->rate, 0.38, ROUNDING, "what is left of the port");
        relay(0.1, 1e9);
        RunTo(22 * STEP + 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(own[true]->rate, 0.02, ROUNDING, "its limit still");
        NS_TEST_EXPECT_MSG_EQ_TOL(own[false]->rate, 0.28, ROUNDING, "what is left now");
    }

    /**
     * Hosts of a ring, each of which sends to the next ones and relays for those before it: by each
     * port go as many flows as there are pairs of a sender and a receiver beyond it, and all end
     * together.
     *
     * @param hosts hosts of the ring
     * @param receivers to how many of the next hosts each sends, from 2 on, fewer than hosts
     */
    void ShareRing(uint32_t hosts, uint32_t receivers)
    {
        Begin();
        std::vector<uint32_t> ports;
        for (uint32_t host = 0; host < hosts; ++host)
        {
            ports.push_back(AddQueue(1));
        }
        for (uint32_t host = 0; host < hosts; ++host)
        {
            std::vector<uint32_t> path;
            for (uint32_t distance = 0; distance < receivers; ++distance)
            {
                path.push_back(ports[(host + distance) % hosts]);
                Send(path, 0, STEP);
            }
        }
        const double flows = receivers * (receivers + 1) / 2.0;
        RunTo(1);
        for (const auto& flow : m_flows)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(flow->rate,
                                      1 / flows,
                                      ROUNDING,
                                      "an equal part of each port");
        }
        for (const auto port : ports)
        {
            NS_TEST_EXPECT_MSG_EQ(m_links[port].isBusy, false, "no queue at " << port);
        }
        const auto isActive = [](const auto& flow) { return flow->isActive; };
        RunTo(static_cast<int64_t>(flows * STEP) - 2);
        NS_TEST_EXPECT_MSG_EQ(std::all_of(m_flows.begin(), m_flows.end(), isActive),
                              true,
                              "none ends before the others");
        RunTo(static_cast<int64_t>(flows * STEP) + 2);
        NS_TEST_EXPECT_MSG_EQ(std::any_of(m_flows.begin(), m_flows.end(), isActive),
                              false,
                              "all end together");
    }
};

} // namespace

std::vector<TestCase*>
MakeFluidHearingTestCases()
{
    return {new FluidHearingTestCase};
}

} // namespace ns3
