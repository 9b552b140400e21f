/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-test-cases.h"
#include "fluid-test-flow.h"

#include "ns3/fluid-path.h"
#include "ns3/fluid-ports.h"

#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief What a link carries and counts, by hand.
 */
class FluidLinkTestCase : public FluidTestCase
{
  public:
    FluidLinkTestCase()
        : FluidTestCase("fluid: links carry and count what comes")
    {
    }

  private:
    void DoRun() override
    {
        PortCounters counters;
        FluidLink::Settings settings;
        settings.capacity = 1;
        settings.counters = &counters;
        FluidLink link(settings);
        link.load = 0.5;
        FluidTestFlow flow({0}, 0, 0);
        link.Attach(flow, 0);
        flow.hops[0].in = 0.5;
        // Ten packets leave at half a byte per time step.
        const auto wire = static_cast<double>(10 * WIRE);
        link.Serve(2 * 10 * WIRE, 1000, 1);
        NS_TEST_EXPECT_MSG_EQ(link.served, wire, "what has left so far");
        NS_TEST_EXPECT_MSG_EQ(flow.hops[0].backlog, 0, "nothing waits at a link that is not busy");
        const double frames = wire - 10 * RdmaLinkLayer::ETHERNET.gap;
        link.counted.fullPacket = WIRE;
        link.counted.gap = RdmaLinkLayer::ETHERNET.gap;
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetUncountedBytes(2 * 10 * WIRE), frames, 1e-6, "frames");
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetUncountedBytes(2 * 11 * WIRE),
                                  frames / 10 * 11,
                                  1e-6,
                                  "a packet later");
        NS_TEST_EXPECT_MSG_EQ(link.GetQueue(2 * 11 * WIRE), 0, "nothing waits");
        link.Count(10, frames);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetUncountedBytes(2 * 10 * WIRE), 0, 1e-6, "counted now");
        NS_TEST_EXPECT_MSG_EQ(counters.packets, 10, "packets");
        NS_TEST_EXPECT_MSG_EQ(counters.bytes, 10 * (WIRE - RdmaLinkLayer::ETHERNET.gap), "frames");
        NS_TEST_EXPECT_MSG_EQ(counters.wireBytes, 10 * WIRE, "with gaps");
        // A port without an ECN marker marks nothing, however much waits.
        link.isBusy = true;
        link.queue = 1e6;
        link.Advance(3 * 10 * WIRE);
        NS_TEST_EXPECT_MSG_EQ(link.marked, 0, "no marker");
        link.UpdateQueue(4 * 10 * WIRE);
        NS_TEST_EXPECT_MSG_EQ(link.service.markTime, 0, "nor does anybody hear of marks");
        PassLink();
        KeepPlaces();
        LeaveAndTake();
        ChangeWithinStep();
        ResumeAtPace();
    }

    /// A link that carries a byte in a time step, of which two flows bring one each from the
    /// beginning on, and a third one nothing.
    struct Queue
    {
        /**
         * @param step time steps until the next look
         */
        explicit Queue(double step)
            : link(Describe(counters)),
              flows(3, FluidTestFlow({0}, 0, 0))
        {
            link.BeginQueue(0);
            for (auto& flow : flows)
            {
                link.Attach(flow, 0);
            }
            link.ChangeInput(flows[0].hops[0], 1, 0);
            link.ChangeInput(flows[1].hops[0], 1, 0);
            link.Serve(0, step, 1);
        }

        /**
         * @param counters what its port counts
         * @return what it is like
         */
        static FluidLink::Settings Describe(PortCounters& counters)
        {
            FluidLink::Settings settings;
            settings.capacity = 1;
            settings.buffer = 0;
            settings.counters = &counters;
            return settings;
        }

        PortCounters counters;            //!< what its port counts
        FluidLink link;                   //!< the link
        std::vector<FluidTestFlow> flows; //!< what it brings
    };

    /// Of two flows that wait one is deferred: asked for at a look, it leaves at the pace of the
    /// last step, before anything else is known of the next one.
    void ResumeAtPace()
    {
        constexpr double step = 100;
        constexpr double rounding = 1e-9;
        Queue queue(step);
        auto& [counters, link, flows] = queue;
        link.Defer(flows[0].hops[0].place);
        link.UpdateQueue(100);
        link.Resume(flows[0].hops[0].place);
        // What had come by 50 has left by 100, and what had come by 100 will have left by 200.
        NS_TEST_EXPECT_MSG_EQ_TOL(flows[0].hops[0].backlog, 50, rounding, "it has come since 50");
        NS_TEST_EXPECT_MSG_EQ_TOL(flows[0].hops[0].passed, 50, rounding, "it had come by 50");
        NS_TEST_EXPECT_MSG_EQ_TOL(flows[0].hops[0].out, 0.5, rounding, "as before");
        link.Serve(100, step, 1);
        link.Drop(flows[1].hops[0], 150);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.queue, 75, rounding, "the half of 150 that is left");
    }

    /// Between two looks one of two flows that wait ends, and another one begins: it leaves by what
    /// the one that has ended does not use any more.
    void ChangeWithinStep()
    {
        constexpr double step = 100;
        constexpr double rounding = 1e-9;
        Queue queue(step);
        auto& [counters, link, flows] = queue;
        NS_TEST_EXPECT_MSG_EQ_TOL(link.service.leaving, 1, rounding, "half of each");
        // 20 bytes of it wait, which leave in the 60 time steps until the next look.
        link.ChangeInput(flows[0].hops[0], 0, 40);
        NS_TEST_EXPECT_MSG_EQ_TOL(flows[0].hops[0].out, 1 / 3.0, rounding, "it ends");
        NS_TEST_EXPECT_MSG_EQ_TOL(link.service.leaving, 5 / 6.0, rounding, "a sixth is left over");
        link.ChangeInput(flows[2].hops[0], 1, 40);
        NS_TEST_EXPECT_MSG_EQ_TOL(flows[2].hops[0].out, 1 / 6.0, rounding, "what is left over");
        NS_TEST_EXPECT_MSG_EQ_TOL(link.service.leaving, 1, rounding, "all that the link carries");
        link.Advance(100);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.service.held, 100, rounding, "half of 200 waits");
    }

    /// Of two flows that a link has a queue of one goes with all that waits of it, and comes again
    /// with as much as the other has: in each step leaves what the link carries.
    void LeaveAndTake()
    {
        constexpr double step = 100;
        constexpr double rounding = 1e-9;
        Queue queue(step);
        auto& [counters, link, flows] = queue;
        link.UpdateQueue(100);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.queue, 100, rounding, "half of 200");
        link.Serve(100, step, 1);
        link.UpdateQueue(200);
        link.Drop(flows[0].hops[0], 200);
        link.Serve(200, step, 1);
        FluidHop& stays = flows[1].hops[0];
        NS_TEST_EXPECT_MSG_EQ_TOL(link.queue, 100, rounding, "the half of 200 that is left");
        NS_TEST_EXPECT_MSG_EQ_TOL(stays.out, 1, rounding, "all that the link carries is its own");
        link.UpdateQueue(300);
        NS_TEST_EXPECT_MSG_EQ_TOL(stays.backlog, 100, rounding, "what has come since 200");
        link.Attach(flows[0], 0);
        link.Take(flows[0].hops[0], 100, 300);
        link.Serve(300, step, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.queue, 200, rounding, "as much as waited");
        NS_TEST_EXPECT_MSG_EQ_TOL(stays.out, 0.5, rounding, "its half of what has come by 250");
        NS_TEST_EXPECT_MSG_EQ_TOL(flows[0].hops[0].out, 0.5, rounding, "the other half");
    }

    /// Flows that are deferred stand behind the others, also when one of these has gone.
    void KeepPlaces()
    {
        FluidLink::Settings settings;
        settings.capacity = 1;
        FluidLink link(settings);
        std::vector<FluidTestFlow> flows(3, FluidTestFlow({0}, 0, 0));
        for (auto& flow : flows)
        {
            link.Attach(flow, 0);
        }
        link.Defer(flows[0].hops[0].place);
        NS_TEST_EXPECT_MSG_EQ(link.nServed, 2, "two are looked at");
        link.Detach(flows[1].hops[0].place);
        NS_TEST_ASSERT_MSG_EQ(link.uses.size(), 2, "one has gone");
        NS_TEST_EXPECT_MSG_EQ((link.uses[0].flow == &flows[2]), true, "it is looked at");
        NS_TEST_EXPECT_MSG_EQ((link.uses[1].flow == &flows[0]), true, "it is deferred");
    }

    /// What has passed a link takes the links behind it to arrive: each delays it, and sends it
    /// whole.
    void PassLink()
    {
        const TopologyGraph graph = MakeStar(2, "100Gbps", MicroSeconds(1));
        const auto hops =
            FluidTestFlow::MakeHops({graph.GetDirection(0, 0), graph.GetDirection(1, 2)});
        const Time behind = MicroSeconds(1) + PACKET;
        NS_TEST_EXPECT_MSG_EQ(TimeStep(FluidPath::GetDelayBehind(graph, hops, 0, WIRE)),
                              behind,
                              "the second link");
        NS_TEST_EXPECT_MSG_EQ(FluidPath::GetDelayBehind(graph, hops, 1, WIRE), 0, "no other link");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Links that have brought more than their part are held back to what leaves of it.
 */
class FluidPauseTestCase : public TestCase
{
  public:
    FluidPauseTestCase()
        : TestCase("fluid: links are held back by what waits where they lead to")
    {
    }

  private:
    /// Time steps between two looks.
    static constexpr int64_t STEP = 100;

    /// Bytes that what a link has brought may hold.
    static constexpr double PART = 100;

    /// How far below that it sends again, bytes.
    static constexpr double OFFSET = 10;

    /// Numbers of the link that is held back, of another one, and of the queue.
    /// @{
    static constexpr uint32_t INPUT = 0;
    static constexpr uint32_t OTHER = 1;
    static constexpr uint32_t QUEUE = 2;

    /// @}

    /**
     * Look at the queue, a step later.
     *
     * @param held what the input has brought of it
     * @return links that have a queue from now on
     */
    std::vector<uint32_t> Look(double held)
    {
        m_now += STEP;
        m_flow->hops[1].backlog = held;
        m_links[QUEUE].queue = held;
        m_ports->FindFull({QUEUE});
        return m_ports->HoldBack(m_now, STEP);
    }

    /**
     * @param held what the input has brought of what waits
     * @param carries what the input carries from now on
     */
    void Expect(double held, double carries)
    {
        const bool isNew = !Look(held).empty();
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[INPUT].carries, carries, 1e-9, held << " bytes wait");
        NS_TEST_EXPECT_MSG_EQ(isNew, (carries < 1), held << " bytes: the input gets a queue");
    }

    void DoRun() override
    {
        PortCounters counters;
        FluidLink::Settings settings;
        settings.capacity = 1;
        settings.counters = &counters;
        settings.buffer = 0;
        settings.reaction = 30;
        for (uint32_t i = 0; i < 3; ++i)
        {
            m_links.emplace_back(settings);
        }
        m_links[QUEUE].isBusy = true;
        FluidPorts ports(m_links);
        m_ports = &ports;
        ports.AddBuffer({[](double) { return PART; }, OFFSET});
        // A flow of which nothing waits comes the same way.
        FluidTestFlow idle({INPUT, QUEUE}, 0, 0);
        idle.hops[1].in = 0.1;
        idle.hops[1].out = 0.1;
        FluidTestFlow flow({INPUT, QUEUE}, 0, 0);
        m_flow = &flow;
        m_links[QUEUE].Attach(idle, 1);
        m_links[QUEUE].Attach(flow, 1);
        m_links[INPUT].load = 0.75;
        flow.hops[1].in = 0.5;
        flow.hops[1].out = 0.4;
        Expect(PART - 1, 1);
        // Of all that the input can carry two thirds go there, the rest slows down alike. In 30
        // time steps up to (2/3 - 0.4) * 30 = 8 bytes more come than leave, or 0.4 * 30 = 12 leave:
        // it swings between 108 and 100 - 10 - 12 bytes.
        const double mean = 93;
        const double kept = 0.4 * 0.9;     // a tenth of what leaves waits for room
        Expect(PART, (kept - 0.07) * 1.5); // 7 bytes less in a step of 100
        Expect(PART + 5, (kept - 0.12) * 1.5);
        Expect(PART + 50, 0.2 * 1.5); // half of what leaves at least
        Expect(mean, kept * 1.5);
        Expect(mean - 20, (kept + 0.2) * 1.5);
        // It comes to as much by what it can carry; and is let go.
        Expect(mean - 42, 1);
        Expect(PART / 2 - 1, 1);
        Expect(mean, 1);
        // What it did not carry counts as a pause.
        const double carried = (0.29 + 0.24 + 0.2 + 0.36 + 0.56) * 1.5;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[INPUT].pause.paused, STEP * (5 - carried), 1e-9, "pause");
        NS_TEST_EXPECT_MSG_EQ(m_links[OTHER].carries, 1, "it has brought nothing");
        // Nothing more comes of what waits: what the input brings elsewhere is held back to half of
        // what leaves.
        flow.hops[1].in = 0;
        Expect(PART + 50, 0.2);
        // Sums of rates that are none are rounded.
        m_links[INPUT].load = -1e-17;
        flow.hops[1].in = 1e-17;
        Expect(PART + 50, 0.2);
        // It swings between 100 + (1 - 0.75) * 30 = 107.5 and 100 - 10 - 0.75 * 30 = 67.5 bytes. A
        // little more than 32.5 of room in a step of 100, and what leaves, are all it can carry.
        flow.hops[1].out = 0.75;
        Expect(87.5 - 32.6, 1);
        Expect(87.5 - 32.4, 0.999);
    }

    std::vector<FluidLink> m_links; //!< the links
    FluidPorts* m_ports{nullptr};   //!< what holds them back
    FluidTestFlow* m_flow{nullptr}; //!< what waits
    int64_t m_now{0};               //!< time step
};

} // namespace

std::vector<TestCase*>
MakeFluidLinkTestCases()
{
    return {new FluidLinkTestCase, new FluidPauseTestCase};
}

} // namespace ns3
