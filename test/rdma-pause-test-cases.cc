/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-lossless-test-cases.h"
#include "rdma-test-case.h"
#include "scheduled-call.h"

#include "ns3/rdma-deadlock.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Priority of data.
constexpr uint8_t DATA_PRIORITY = 3;

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases that look when a host is paused.
 */
class PauseTimesTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Forget all times.
     *
     * @param host port of a host to listen to from now on
     */
    void Listen(Ptr<RdmaNetDevice> host)
    {
        m_pauses.clear();
        m_resumes.clear();
        host->TraceConnectWithoutContext("Pause", MakeCallback(&PauseTimesTestCase::Pause, this));
        host->TraceConnectWithoutContext("Resume", MakeCallback(&PauseTimesTestCase::Resume, this));
    }

    std::vector<int64_t> m_pauses;  //!< when the host was paused, ns
    std::vector<int64_t> m_resumes; //!< when it went on, ns

  private:
    /**
     * @param priority priority that is paused
     */
    void Pause(uint8_t priority [[maybe_unused]])
    {
        m_pauses.push_back(Simulator::Now().GetNanoSeconds());
    }

    /**
     * @param priority priority that goes on
     */
    void Resume(uint8_t priority [[maybe_unused]])
    {
        m_resumes.push_back(Simulator::Now().GetNanoSeconds());
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A pause that the switch sends by hand at 1000 ns and ends at 10000 ns, over a link of
 * 32 Gb/s and 500 ns: a quantum takes 16 ns, a pause frame 21 ns.
 */
class PauseExpiryTestCase : public PauseTimesTestCase
{
  public:
    PauseExpiryTestCase()
        : PauseTimesTestCase("pauses: quanta")
    {
    }

  private:
    void DoRun() override
    {
        // From 1000 + 521 to 10000 + 521 ns.
        Check(0, 1, {1521}, {10521}, 9000);
        // Repeated each 800 ns, 11 times within 9000 ns.
        Check(100, 12, {1521}, {10521}, 9000);
        // Repeated each 16 frames at most, which is 16 ns too late for 320 ns: 27 times.
        std::vector<int64_t> pauses;
        std::vector<int64_t> resumes;
        for (int64_t i = 0; i < 27; ++i)
        {
            pauses.push_back(1521 + i * 336);
            resumes.push_back(i < 26 ? pauses.back() + 320 : 10521);
        }
        Check(20, 27, pauses, resumes, 26 * 320 + 264);
    }

    /**
     * @param quanta quanta that pauses ask for
     * @param frames pause frames that are sent
     * @param pauses when the host is paused, ns
     * @param resumes when it goes on, ns
     * @param paused for how long it is paused in all, ns
     */
    void Check(uint32_t quanta,
               uint64_t frames,
               const std::vector<int64_t>& pauses,
               const std::vector<int64_t>& resumes,
               int64_t paused)
    {
        Reset();
        m_fabric->SetDeviceAttribute("PauseQuanta", UintegerValue(quanta));
        Install(MakeStar(2, "32Gbps", NanoSeconds(500)));
        const auto host = m_fabric->GetDevice(0, 0);
        const auto port = m_fabric->GetDevice(0, 2);
        Listen(host);
        Simulator::Schedule(NanoSeconds(1000),
                            &RdmaNetDevice::SendPause,
                            port,
                            DATA_PRIORITY,
                            true);
        Simulator::Schedule(NanoSeconds(10000),
                            &RdmaNetDevice::SendPause,
                            port,
                            DATA_PRIORITY,
                            false);
        Simulator::Run();
        const std::string what = std::to_string(quanta) + " quanta";
        NS_TEST_EXPECT_MSG_EQ(port->GetCounters().pauses, frames, "frames, " << what);
        NS_TEST_EXPECT_MSG_EQ((m_pauses == pauses), true, "begin of pauses, " << what);
        NS_TEST_EXPECT_MSG_EQ((m_resumes == resumes), true, "end of pauses, " << what);
        NS_TEST_EXPECT_MSG_EQ(host->GetCounters().paused,
                              NanoSeconds(paused),
                              "time paused, " << what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A host of 100 Gb/s sends to one of 25 over a switch that marks nothing, as one of deep
 * queues does: it is paused by the dynamic threshold of what it came in by, as in Broadcom's chips
 * and in the reference simulator of HPCC (switch-mmu), and nothing is lost.
 */
class TwoRateTestCase : public PauseTimesTestCase
{
  public:
    TwoRateTestCase()
        : PauseTimesTestCase("pauses: 100 to 25 Gb/s")
    {
    }

  private:
    /// Packets that are sent.
    static constexpr int64_t PACKETS = 40;

    void DoRun() override
    {
        Run(1);
        // The i-th packet has come at 500 + 324 i ns, and leaves each 1296 ns from 824 ns on. Of a
        // pool of 100 packets one port may hold an eighth of what is free: 11, as 11 are at most
        // 90 / 8, and 12 more than 89 / 8. When the 16th comes, at 5684 ns, 4 have left and 11 are
        // there. A pause takes 507 ns: it comes amid the 20th packet, and 5 are in the headroom.
        // These leave first; then the port goes on two packets below its threshold: 9 + 2 are at
        // most 91 / 8, 10 + 2 more than 90 / 8. 9 are left when the 11th has begun to leave, at
        // 824 + 10 x 1296 ns. The 21st comes at 15115 ns, when 12 have; 11 are there when the 24th
        // comes, at 16087 ns.
        ExpectTimes(m_pauses, {6191, 16593}, "pauses");
        ExpectTimes(m_resumes, {14291}, "resumes");
        Run(1024);
        NS_TEST_EXPECT_MSG_EQ(m_pauses.empty(), false, "pauses of trains");
    }

    /**
     * @param train packets of the longest train
     */
    void Run(uint32_t train)
    {
        Reset();
        TopologyGraph graph;
        graph.AddHost("fast");
        graph.AddHost("slow");
        graph.AddSwitch("s");
        graph.AddLink(0, 2, DataRate("100Gbps"), NanoSeconds(500));
        graph.AddLink(1, 2, DataRate("25Gbps"), NanoSeconds(500));
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(train));
        // Headroom: a round trip, three packets of 4050 bytes and a pause of 84.
        constexpr uint64_t HEADROOM = 12500 + 3125 + 2 * (3 * 4050 + 84);
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(HEADROOM + 100 * (MTU + 62)));
        Install(graph);
        const auto& buffer = m_fabric->GetSwitch(2)->GetBuffer();
        NS_TEST_EXPECT_MSG_EQ(buffer.GetFree(), 100 * (MTU + 62), "pool");
        Listen(m_fabric->GetDevice(0, 0));
        Post(Time(0), 0, 1, PACKETS * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(0, 2)->GetCounters().drops, 0, "drops");
        // The slow link never idles.
        NS_TEST_EXPECT_MSG_EQ(m_fates.at(0).arrivedAt,
                              NanoSeconds(824 + 1296 * PACKETS + 500),
                              "the last packet");
    }

    /**
     * @param times times, ns
     * @param expected the first of them, to 2 ns
     * @param what what they are
     */
    void ExpectTimes(const std::vector<int64_t>& times,
                     const std::vector<int64_t>& expected,
                     const std::string& what)
    {
        NS_TEST_ASSERT_MSG_GT_OR_EQ(times.size(), expected.size(), what);
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(times[i], expected[i], 2, what << ", " << i);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief An incast whose pauses are repeated ends as one whose pauses last until the resume frame:
 * with the longest pauses, which end before they would be repeated, at the same time step.
 */
class PauseRepetitionTestCase : public RdmaTestCase
{
  public:
    PauseRepetitionTestCase()
        : RdmaTestCase("pauses: repeated or not")
    {
    }

  private:
    void DoRun() override
    {
        const auto unlimited = Run(0);
        NS_TEST_EXPECT_MSG_EQ((Run(65535) == unlimited), true, "the longest pauses");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(100).back().GetSeconds() / unlimited.back().GetSeconds(),
                                  1,
                                  0.01,
                                  "pauses of 512 ns, repeated each 256 ns");
    }

    /**
     * @param quanta quanta that pauses ask for
     * @return when the messages arrive
     */
    std::vector<Time> Run(uint32_t quanta)
    {
        Reset();
        m_fabric->SetDeviceAttribute("PauseQuanta", UintegerValue(quanta));
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(400000));
        Install(MakeStar(5, "100Gbps", NanoSeconds(500)));
        for (uint32_t sender = 0; sender < 4; ++sender)
        {
            Post(Time(0), sender, 4, 500 * MTU);
        }
        Simulator::Run();
        uint64_t pauses = 0;
        for (uint32_t link = 0; link < 5; ++link)
        {
            const auto counters = m_fabric->GetDevice(link, 5)->GetCounters();
            pauses += counters.pauses;
            NS_TEST_EXPECT_MSG_EQ(counters.drops, 0, "drops with " << quanta << " quanta");
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 0, "pauses with " << quanta << " quanta");
        ExpectAllDelivered();
        std::vector<Time> arrivals;
        for (const auto& fate : m_fates)
        {
            arrivals.push_back(fate.arrivedAt);
        }
        return arrivals;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The watchdog of a switch whose port to the receiver is paused by hand from 0 to 30 us.
 *
 * Links have 100 Gb/s and 500 ns. A full packet takes 324 ns, a pause frame 7 ns.
 */
class WatchdogTestCase : public RdmaTestCase
{
  public:
    WatchdogTestCase()
        : RdmaTestCase("pauses: watchdog")
    {
    }

  private:
    void DoRun() override
    {
        // Sent at 1000, it waits from 1824 ns on, and is dropped 10 us later.
        Begin("drop");
        At(NanoSeconds(11823), 0, 0);
        At(NanoSeconds(11825), 1, 1);
        // So is what comes until 5 us after the end of the pause at 30.507 us; the rest arrives.
        Post(NanoSeconds(34600), 0, 1, MTU, 1);
        At(NanoSeconds(35500), 2, 1);
        Post(NanoSeconds(34700), 0, 1, MTU, 2);
        At(NanoSeconds(36500), 2, 1);
        Simulator::Run();
        // Sent again 100 us after it was sent.
        CheckArrival(0, NanoSeconds(1000 + 100000 + 2 * 824));
        CheckArrival(1, NanoSeconds(34600 + 100000 + 2 * 824));
        // It waits for the one before.
        CheckArrival(2, NanoSeconds(34600 + 324 + 2 * 824));
        ExpectAllDelivered();

        // It leaves after 10 us, and so does at once what comes later.
        Begin("forward");
        At(NanoSeconds(11823), 0, 0);
        At(NanoSeconds(11825), 0, 1);
        Post(NanoSeconds(15000), 0, 1, MTU, 1);
        Simulator::Run();
        CheckArrival(0, NanoSeconds(1824 + 10000 + 824));
        CheckArrival(1, NanoSeconds(15000 + 2 * 824));
        ExpectAllDelivered();

        // Nobody looks: it leaves when the pause ends.
        Begin("off");
        At(NanoSeconds(29999), 0, 0);
        Simulator::Run();
        CheckArrival(0, NanoSeconds(30507 + 824));
        ExpectAllDelivered();
        CheckQueueBefore();
    }

    /**
     * What waits before the pause has waited since the pause. Ten packets of either of two hosts
     * come from 1824 ns on, and leave half as fast, each 324 ns; when the pause arrives at 7507 ns,
     * 18 have left or begun to.
     */
    void CheckQueueBefore()
    {
        Reset();
        m_action = "forward";
        m_fabric->SetSwitchAttribute("Watchdog", StringValue(m_action));
        m_fabric->SetSwitchAttribute("WatchdogDetectionTime", TimeValue(MicroSeconds(10)));
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        Simulator::Schedule(NanoSeconds(7000),
                            &RdmaNetDevice::SendPause,
                            m_fabric->GetDevice(1, 1),
                            DATA_PRIORITY,
                            true);
        const auto port = m_fabric->GetDevice(1, 3);
        ScheduleCall(NanoSeconds(15000), [this, port]() {
            NS_TEST_EXPECT_MSG_EQ(port->GetCounters().packets, 18, "what has left");
        });
        const auto look = &WatchdogTestCase::Look;
        Simulator::Schedule(NanoSeconds(17506), look, this, port, 0, 0);
        Simulator::Schedule(NanoSeconds(17520), look, this, port, 0, 1);
        Post(NanoSeconds(1000), 0, 1, 10 * MTU);
        Post(NanoSeconds(1000), 2, 1, 10 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
    }

    /**
     * Begin anew, and send a packet at 1000 ns.
     *
     * @param action what the watchdog does
     */
    void Begin(const std::string& action)
    {
        Reset();
        m_action = action;
        m_fabric->SetSwitchAttribute("Watchdog", StringValue(action));
        m_fabric->SetSwitchAttribute("WatchdogDetectionTime", TimeValue(MicroSeconds(10)));
        m_fabric->SetSwitchAttribute("WatchdogRestorationTime", TimeValue(MicroSeconds(5)));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
        const auto receiver = m_fabric->GetDevice(1, 1);
        receiver->SendPause(DATA_PRIORITY, true);
        Simulator::Schedule(MicroSeconds(30),
                            &RdmaNetDevice::SendPause,
                            receiver,
                            DATA_PRIORITY,
                            false);
        Post(NanoSeconds(1000), 0, 1, MTU);
    }

    /**
     * @param at when to look
     * @param drops packets that the port to the receiver has dropped by then
     * @param storms how often its watchdog has acted
     */
    void At(Time at, uint64_t drops, uint64_t storms)
    {
        const auto port = m_fabric->GetDevice(1, 2);
        Simulator::Schedule(at, &WatchdogTestCase::Look, this, port, drops, storms);
    }

    /**
     * @param port the port to the receiver
     * @param drops packets that it has dropped
     * @param storms how often its watchdog has acted
     */
    void Look(Ptr<RdmaNetDevice> port, uint64_t drops, uint64_t storms)
    {
        const auto counters = port->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.drops, drops, m_action << " at " << Simulator::Now());
        NS_TEST_EXPECT_MSG_EQ(counters.storms, storms, m_action << " at " << Simulator::Now());
    }

    /**
     * @param number a message
     * @param at when it is to arrive, to a few ns
     */
    void CheckArrival(uint32_t number, Time at)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates.at(number).arrivedAt,
                                  at,
                                  NanoSeconds(20),
                                  m_action << ", message " << number);
    }

    std::string m_action; //!< what the watchdog does
};

/**
 * @ingroup workload-replay-tests
 * @brief Five switches in a ring, and from each a host sends to the one two switches on. Each of
 * the five links in that direction carries two messages, so that they fill up together; then each
 * waits for the next one. The routes hold the cyclic buffer dependency of Hu et al. (HotNets 2016,
 * section 2), and the load that it takes to lock up.
 */
class DeadlockTestCase : public RdmaTestCase
{
  public:
    DeadlockTestCase()
        : RdmaTestCase("pauses: deadlock in a ring")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        m_fabric->SetSwitchAttribute("BufferSize", BUFFER);
        Send();
        ExpectDeadlock("pauses");

        Reset();
        m_fabric->SetDeviceAttribute("FlowControl", StringValue("credits"));
        Send();
        ExpectDeadlock("credits");

        for (const std::string action : {"drop", "forward"})
        {
            Reset();
            m_fabric->SetSwitchAttribute("BufferSize", BUFFER);
            m_fabric->SetSwitchAttribute("Watchdog", StringValue(action));
            m_fabric->SetSwitchAttribute("WatchdogDetectionTime", TimeValue(MicroSeconds(100)));
            m_fabric->SetSwitchAttribute("WatchdogRestorationTime", TimeValue(MicroSeconds(100)));
            m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
            Send();
            Simulator::Run();
            ExpectAllDelivered();
            uint64_t storms = 0;
            for (uint32_t ring = 0; ring < SIZE; ++ring)
            {
                storms += m_fabric->GetDevice(SIZE + ring, SIZE + ring)->GetCounters().storms;
            }
            NS_TEST_EXPECT_MSG_GT(storms, 0, "storms, " << action);
            NS_TEST_EXPECT_MSG_EQ(FindDeadlocks(ListPortWaits(*m_fabric)).size(),
                                  0,
                                  "deadlocks at the end, " << action);
        }
    }

    /// Make the fabric and send the messages.
    void Send()
    {
        TopologyGraph graph;
        for (uint32_t host = 0; host < SIZE; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        for (uint32_t ring = 0; ring < SIZE; ++ring)
        {
            graph.AddSwitch("s" + std::to_string(ring));
        }
        for (uint32_t host = 0; host < SIZE; ++host)
        {
            graph.AddLink(host, SIZE + host, DataRate("100Gbps"), NanoSeconds(500));
        }
        for (uint32_t ring = 0; ring < SIZE; ++ring)
        {
            graph.AddLink(SIZE + ring,
                          SIZE + (ring + 1) % SIZE,
                          DataRate("100Gbps"),
                          NanoSeconds(500));
        }
        Install(graph);
        for (uint32_t host = 0; host < SIZE; ++host)
        {
            Post(Time(0), host, (host + 2) % SIZE, 1000 * MTU);
        }
    }

    /**
     * @param what flow control
     */
    void ExpectDeadlock(const std::string& what)
    {
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        for (const auto& fate : m_fates)
        {
            NS_TEST_EXPECT_MSG_EQ(fate.arrivals, 0, "arrivals, " << what);
        }
        const auto deadlocks = FindDeadlocks(ListPortWaits(*m_fabric));
        NS_TEST_ASSERT_MSG_EQ(deadlocks.size(), 1, "deadlocks, " << what);
        NS_TEST_EXPECT_MSG_EQ(+deadlocks.front().priority, DATA_PRIORITY, "priority, " << what);
        const std::vector<uint32_t> ports{10, 12, 14, 16, 18};
        NS_TEST_EXPECT_MSG_EQ((deadlocks.front().ports == ports), true, "ports, " << what);
        NS_TEST_EXPECT_MSG_EQ(
            DescribeDeadlock(deadlocks.front(), m_fabric->GetNetwork()->GetGraph()),
            "deadlock of priority 3, each port waits for buffer that packets for the next one "
            "hold: s0 -> s1 -> s2 -> s3 -> s4 -> s0 (links 5, 6, 7, 8, 9)",
            what);
    }

    static constexpr uint32_t SIZE = 5; //!< switches, and hosts
    const UintegerValue BUFFER{400000}; //!< hardly more than headroom
};

/**
 * @ingroup workload-replay-tests
 * @brief Cycles among ports that wait for each other, by hand.
 */
class WaitCycleTestCase : public TestCase
{
  public:
    WaitCycleTestCase()
        : TestCase("pauses: cycles of ports")
    {
    }

  private:
    void DoRun() override
    {
        // 1 waits for 2 and 4; 2 for 3; 3 for nobody; 4 and 6 for each other, of priority 5.
        const std::vector<RdmaPortWait> chain{{1, 2, 3, 3},
                                              {1, 4, 5, 5},
                                              {2, 3, 3, 3},
                                              {4, 6, 3, 3}};
        NS_TEST_EXPECT_MSG_EQ(FindDeadlocks(chain).size(), 0, "a chain");
        auto both = chain;
        both.insert(both.end(), {{4, 6, 5, 5}, {6, 4, 5, 5}, {3, 1, 3, 3}, {7, 7, 3, 3}});
        const auto deadlocks = FindDeadlocks(both);
        NS_TEST_ASSERT_MSG_EQ(deadlocks.size(), 2, "one of each priority");
        NS_TEST_EXPECT_MSG_EQ((deadlocks[0].ports == std::vector<uint32_t>{1, 2, 3}),
                              true,
                              "the first of priority 3");
        NS_TEST_EXPECT_MSG_EQ(+deadlocks[0].priority, 3, "its priority");
        NS_TEST_EXPECT_MSG_EQ((deadlocks[1].ports == std::vector<uint32_t>{4, 6}),
                              true,
                              "that of priority 5");
        // Packets of 1 that have come with priority 3 wait on priority 4, which waits for nobody.
        const std::vector<RdmaPortWait> channels{{1, 2, 4, 3}, {2, 1, 4, 3}};
        NS_TEST_EXPECT_MSG_EQ(FindDeadlocks(channels).size(), 0, "from channel to channel");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaPauseTestCases()
{
    return {new PauseExpiryTestCase,
            new TwoRateTestCase,
            new PauseRepetitionTestCase,
            new WatchdogTestCase,
            new DeadlockTestCase,
            new WaitCycleTestCase};
}

} // namespace ns3
