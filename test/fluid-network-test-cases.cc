/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-network-test-case.h"
#include "fluid-test-cases.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <string>
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
        settings.buffer = next.AddBuffer({[](double) { return 1e9; }});
        const uint32_t other = AddLink(settings);
        int64_t end = 0;
        leaving.emptied = [&end](int64_t now) { end = now; };
        RunTo(2500);
        NS_TEST_EXPECT_MSG_EQ(next.IsAtRest(), true, "nobody has sent there");
        const auto waiting = m_network->Leave(leaving);
        next.Take(leaving, FluidTestFlow::MakeHops({port, other}), 3, waiting);
        // Half of what was too much for the queue, 0.5 in each of 2500 steps, is of the flow.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_links[other].GetQueue(2500), 625, 1e-3, "moved");
        NS_TEST_EXPECT_MSG_EQ(next.IsAtRest(), false, "what waits is looked at");
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
        StandStill();
    }

    /// Around a ring of switches each flow waits for the next one: once nothing moves all have
    /// stopped, and nothing happens any more.
    void StandStill()
    {
        Begin();
        constexpr uint32_t count = 4;
        std::vector<uint32_t> ring;
        for (uint32_t i = 0; i < count; ++i)
        {
            ring.push_back(AddQueue(1, 1000));
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            Send({AddPort(), ring[i], ring[(i + 1) % count], ring[(i + 2) % count]}, 0);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_network->GetPorts().StandsStill(), true, "nothing moves");
        for (const auto& flow : m_flows)
        {
            NS_TEST_EXPECT_MSG_EQ(flow->rate, 0, "it has stopped");
            NS_TEST_EXPECT_MSG_EQ(flow->isActive, true, "it has something to send still");
        }
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
        EndByPackets();
        JoinByPackets();
        ReplaceByPackets();
        KeepToWire(PACKET, PACKET * 7 / 10, 0);
        KeepToWire(PACKET / 5, 1, 1);
    }

    /// Bytes of a packet.
    static constexpr int64_t PACKET = 100;

    /**
     * Have a port send packets from now on.
     *
     * @return its number
     */
    uint32_t BeginPackets()
    {
        Begin();
        const uint32_t port = AddPort();
        m_links[port].counted.fullPacket = PACKET;
        return port;
    }

    /**
     * Begin a flow.
     *
     * @param port its port
     * @param bytes bytes of its message
     * @param nMore further messages of as many bytes
     * @param limit what it could send at; 1 = the port alone holds it back
     * @return when its messages have left, once they have
     */
    const std::vector<int64_t>& SendPackets(uint32_t port,
                                            double bytes,
                                            uint32_t nMore = 0,
                                            double limit = 1)
    {
        auto& flow = AddFlow({port, AddQueue(1)}, 0);
        auto& ends = m_ends.emplace_back();
        flow.most = [limit](int64_t) { return limit; };
        flow.next = bytes;
        flow.nMore = nMore;
        flow.emptied = [&ends](int64_t now) { ends.push_back(now); };
        m_network->Start(flow, bytes);
        return ends;
    }

    /**
     * @param ends when messages of a flow have left
     * @param expected when they should have
     * @param what what is sent
     */
    void ExpectEnds(const std::vector<int64_t>& ends,
                    const std::vector<int64_t>& expected,
                    const std::string& what)
    {
        NS_TEST_ASSERT_MSG_EQ(ends.size(), expected.size(), what);
        for (std::size_t i = 0; i < ends.size(); ++i)
        {
            // Flows end at the next whole time step.
            NS_TEST_EXPECT_MSG_EQ_TOL(ends[i], expected[i], 2, what << ", message " << i);
        }
    }

    /// Eight flows of ten packets begin together: 0 0 1 2 ... 7 0 1 2 ... The first is a packet
    /// ahead, so that the last two rounds are without it.
    void EndByPackets()
    {
        const auto port = BeginPackets();
        const auto& first = SendPackets(port, 5 * PACKET, 1);
        std::vector<const std::vector<int64_t>*> others;
        for (int i = 1; i < 8; ++i)
        {
            others.push_back(&SendPackets(port, 10 * PACKET));
        }
        Simulator::Run();
        ExpectEnds(first, {(2 + 3 * 8) * PACKET, (2 + 8 * 8) * PACKET}, "the first flow");
        for (int i = 1; i < 8; ++i)
        {
            ExpectEnds(*others[i - 1], {(80 - 7 + i) * PACKET}, "flow " + std::to_string(i));
        }
    }

    /// A flow joins another one that has six packets to send: 1 0 1 0 ...
    void JoinByPackets()
    {
        /// What joins, and what comes of it, in packets.
        struct Row
        {
            int64_t packets; //!< what joins
            int64_t end;     //!< when it ends
            int64_t other;   //!< when the other one does
        };

        for (const auto& row : std::vector<Row>{{1, 6, 11}, {3, 10, 13}, {10, 20, 15}})
        {
            const auto port = BeginPackets();
            const auto& other = SendPackets(port, 10 * PACKET);
            RunTo(4 * PACKET);
            const auto& joining = SendPackets(port, static_cast<double>(row.packets * PACKET));
            Simulator::Run();
            const auto what = std::to_string(row.packets) + " packets";
            ExpectEnds(joining, {row.end * PACKET}, what);
            ExpectEnds(other, {row.other * PACKET}, "what " + what + " join");
        }
        // Flows that are held back by limits of their own do not wait for each other.
        const auto port = BeginPackets();
        const auto& slow = SendPackets(port, 10 * PACKET, 0, 0.5);
        const auto& slower = SendPackets(port, 10 * PACKET, 0, 0.25);
        Simulator::Run();
        ExpectEnds(slow, {20 * PACKET}, "half the port");
        ExpectEnds(slower, {40 * PACKET}, "a quarter of it");
    }

    /// Two flows join one, 0 1 2 0 1 2 ..., and the last one of them ends when a fourth one begins.
    void ReplaceByPackets()
    {
        const auto port = BeginPackets();
        const auto& first = SendPackets(port, 10 * PACKET);
        RunTo(PACKET);
        const auto& second = SendPackets(port, 10 * PACKET);
        const auto& third = SendPackets(port, 4 * PACKET);
        RunTo(13 * PACKET);
        // Five times 0 1 3, of which the first one ends, 1, and what is left of the fourth one.
        const auto& fourth = SendPackets(port, 10 * PACKET);
        Simulator::Run();
        ExpectEnds(third, {13 * PACKET}, "the third flow");
        ExpectEnds(first, {26 * PACKET}, "the first flow");
        ExpectEnds(second, {29 * PACKET}, "the second flow");
        ExpectEnds(fourth, {34 * PACKET}, "the fourth flow");
    }

    /**
     * Seven flows of a packet join one that has less than a packet left: that takes as long as the
     * port takes for it, and all of them as long as it takes for all.
     *
     * @param bytes what is joined
     * @param joined when the first one joins
     * @param between time steps between them
     */
    void KeepToWire(int64_t bytes, int64_t joined, int64_t between)
    {
        const auto port = BeginPackets();
        const auto& first = SendPackets(port, static_cast<double>(bytes));
        std::vector<const std::vector<int64_t>*> others;
        for (int64_t i = 0; i < 7; ++i)
        {
            RunTo(joined + i * between);
            others.push_back(&SendPackets(port, PACKET));
        }
        Simulator::Run();
        ExpectEnds(first, {bytes}, "what is joined");
        for (int64_t i = 0; i < 7; ++i)
        {
            const int64_t end = bytes + (1 + i) * PACKET;
            const bool isRight = std::abs(others[i]->back() - end) < PACKET / 10;
            NS_TEST_EXPECT_MSG_EQ(isRight, true, others[i]->back() << ", flow " << i);
        }
        ExpectEnds(*others.back(), {bytes + 7 * PACKET}, "all of them");
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

    std::deque<std::vector<int64_t>> m_ends; //!< when messages of each flow have left
};

} // namespace

std::vector<TestCase*>
MakeFluidNetworkTestCases()
{
    return {new FluidRerouteTestCase, new FluidLinkChangeTestCase, new FluidEndTestCase};
}

} // namespace ns3
