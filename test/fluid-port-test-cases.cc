/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-test-cases.h"
#include "fluid-test-flow.h"

#include "ns3/fluid-ports.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief What flows get that begin at a port which forwards those of others, round by round.
 */
class FluidForwardingPortTestCase : public TestCase
{
  public:
    FluidForwardingPortTestCase()
        : TestCase("fluid: a port that forwards changes what begins there by its part")
    {
    }

  private:
    /// What sums of rates may be rounded by.
    static constexpr double ROUNDING = 1e-12;

    /**
     * Share out the port once more.
     *
     * @param rates what flows get that begin there, in the order in which they were attached; they
     *        send at that from now on
     * @param isAsked whether it is to be shared out once more after that
     * @param what why
     */
    void Expect(const std::vector<double>& rates, bool isAsked, const std::string& what)
    {
        FluidLink& port = m_links[0];
        std::size_t nChanges = 0;
        for (const auto& [flow, rate] : m_ports->ShareOut({0}, 0))
        {
            port.load += rate - flow->rate;
            flow->rate = rate;
            m_ports->Note(*flow);
            ++nChanges;
        }
        NS_TEST_EXPECT_MSG_EQ((nChanges > 0), isAsked, what << ": something changes");
        NS_TEST_EXPECT_MSG_EQ(m_ports->IsRequested(), isAsked, what << ": once more");
        m_ports->TakeRequests();
        for (std::size_t i = 0; i < rates.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(m_own[i]->rate, rates[i], ROUNDING, what << ", flow " << i);
        }
    }

    /**
     * @param rate rate at which the flow comes that passes
     */
    void Forward(double rate)
    {
        FluidHop& hop = m_passing->hops[1];
        m_links[0].load += rate - hop.in;
        hop.in = rate;
    }

    void DoRun() override
    {
        FluidLink::Settings settings;
        settings.capacity = 1;
        settings.buffer = 0;
        m_links.emplace_back(settings);
        FluidPorts ports(m_links);
        m_ports = &ports;
        std::vector<FluidTestFlow> flows(3, FluidTestFlow({0}, 0, 0));
        FluidTestFlow passing({1, 0}, 0, 0);
        m_passing = &passing;
        passing.isActive = true;
        m_links[0].Attach(passing, 1);
        for (auto& flow : flows)
        {
            m_own.push_back(&flow);
            flow.isActive = true;
            flow.limit = 1;
            m_links[0].Attach(flow, 0);
            ++m_links[0].source.flows;
            ports.Note(flow);
        }
        // The third one has nothing to send.
        flows[2].isActive = false;
        ports.Note(flows[2]);
        // Two begin here, and one passes: if all change alike two thirds of what is left are
        // theirs.
        Expect({1 / 3.0, 1 / 3.0, 0}, true, "a third is left to what passes");
        Forward(0.5);
        // Of 1/6 too much they give two thirds, 1/9.
        Expect({5 / 18.0, 5 / 18.0, 0}, true, "half a byte comes");
        Forward(4 / 9.0);
        Expect({5 / 18.0, 5 / 18.0, 0}, false, "nothing is left");
        // Half of the flow takes this port. Of 2/9 that it leaves two in 2.5 are of the others.
        passing.hops[1].share = 0.5;
        Forward(2 / 9.0);
        Expect({11 / 30.0, 11 / 30.0, 0}, true, "half of it");
        // It has ended, and what waits of it still comes as it did.
        passing.isActive = false;
        Expect({7 / 18.0, 7 / 18.0, 0}, true, "all that is left");
        Expect({7 / 18.0, 7 / 18.0, 0}, false, "no more is");
        // More comes than the port carries.
        Forward(1.25);
        Expect({0, 0, 0}, true, "nothing is left");
        m_links[0].Detach(passing.hops[1].place);
        m_links[0].load = 0;
        // Nobody passes: what is left does not depend on what is taken.
        for (auto& flow : flows)
        {
            flow.rate = 0;
            ports.Note(flow);
        }
        ports.ShareOut({0}, 0);
        NS_TEST_EXPECT_MSG_EQ(ports.IsRequested(), false, "it does not forward");
    }

    std::vector<FluidLink> m_links;    //!< the port
    FluidPorts* m_ports{nullptr};      //!< shares it out
    std::vector<FluidTestFlow*> m_own; //!< flows that begin there
    FluidTestFlow* m_passing{nullptr}; //!< a flow that passes
};

/**
 * @ingroup workload-replay-tests
 * @brief Links that are full of what waits for each other carry nothing any more.
 */
class FluidStandstillTestCase : public TestCase
{
  public:
    FluidStandstillTestCase()
        : TestCase("fluid: links that wait for each other stand still, and say so")
    {
    }

  private:
    /// Time steps between two looks.
    static constexpr int64_t STEP = 100;

    /// Bytes that what a link has brought may hold.
    static constexpr double PART = 100;

    /// Looks after which nothing will move.
    static constexpr uint32_t LOOKS = 100;

    /// Look at all links, some of which have a queue.
    void Look()
    {
        m_ports->FindFull(m_busy);
        m_ports->HoldBack(m_now, STEP);
        m_ports->LookWhetherStill(m_busy, m_flows);
        m_now += STEP;
    }

    void DoRun() override
    {
        // Two links of a ring, and one that leaves it.
        constexpr uint32_t there = 0;
        constexpr uint32_t back = 1;
        constexpr uint32_t out = 2;
        PortCounters counters;
        FluidLink::Settings settings;
        settings.capacity = 1;
        settings.counters = &counters;
        FluidPorts ports(m_links);
        m_ports = &ports;
        for (uint32_t i = 0; i < 3; ++i)
        {
            settings.buffer = ports.AddBuffer({[](double) { return PART; }});
            m_links.emplace_back(settings);
            m_links.back().isBusy = true;
            m_busy.push_back(i);
        }
        FluidTestFlow first({there, back}, 0, 0);
        FluidTestFlow second({back, there}, 0, 0);
        FluidTestFlow third({there, out}, 0, 0);
        m_flows = {&first, &second, &third};
        for (auto* const flow : m_flows)
        {
            for (uint32_t hop = 0; hop < 2; ++hop)
            {
                m_links[flow->hops[hop].link].Attach(*flow, hop);
            }
        }
        const auto wait = [this](FluidFlow& flow, double bytes) {
            flow.hops[1].backlog = bytes;
            m_links[flow.hops[1].link].queue = bytes;
        };
        wait(first, PART);
        wait(second, PART);
        wait(third, PART / 2);
        second.isActive = true;
        for (uint32_t i = 1; i < LOOKS; ++i)
        {
            Look();
        }
        NS_TEST_EXPECT_MSG_EQ(m_links[there].carries, 0, "its part waits, of which nothing leaves");
        NS_TEST_EXPECT_MSG_EQ(m_links[back].carries, 0, "as does the other's");
        NS_TEST_EXPECT_MSG_EQ(m_links[out].carries, 1, "where it leads to nothing waits");
        NS_TEST_EXPECT_MSG_EQ(ports.StandsStill(), false, "not so many looks");
        NS_TEST_EXPECT_MSG_EQ(ports.ListAwaited(there).empty(), true, "not yet");
        Look();
        NS_TEST_EXPECT_MSG_EQ(ports.StandsStill(), true, "so many looks");
        ExpectAwaited(there, {back}, "but not the link where less than a part waits");
        ExpectAwaited(back, {there}, "the other way");
        ExpectAwaited(out, {}, "all that it brings has come");
        const std::vector<FluidFlow*> held{&second, &second};
        NS_TEST_EXPECT_MSG_EQ((ports.ListHeldFlows() == held), true, "one is active, on two links");
        // A byte is enough to wait for, and less is none.
        first.hops[1].backlog = 1;
        ExpectAwaited(there, {back}, "a byte");
        first.hops[1].backlog = 0.9;
        ExpectAwaited(there, {}, "less");
        first.hops[1].backlog = PART;
        // Something moves once: all begins anew.
        m_links[out].load = 0.1;
        Look();
        NS_TEST_EXPECT_MSG_EQ(ports.StandsStill(), false, "something moves");
        m_links[out].load = 0;
        Look();
        NS_TEST_EXPECT_MSG_EQ(ports.StandsStill(), false, "it has just done");
    }

    /**
     * @param number a link
     * @param expected links for which waits what it has brought
     * @param what why
     */
    void ExpectAwaited(uint32_t number,
                       const std::vector<uint32_t>& expected,
                       const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ((m_ports->ListAwaited(number) == expected), true, what);
    }

    std::vector<FluidLink> m_links;  //!< the links
    FluidPorts* m_ports{nullptr};    //!< holds them back
    std::vector<uint32_t> m_busy;    //!< links that have a queue
    std::vector<FluidFlow*> m_flows; //!< what waits
    int64_t m_now{0};                //!< time step
};

} // namespace

std::vector<TestCase*>
MakeFluidPortTestCases()
{
    return {new FluidForwardingPortTestCase, new FluidStandstillTestCase};
}

} // namespace ns3
