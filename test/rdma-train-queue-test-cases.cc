/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"

#include "ns3/rdma-shared-buffer.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Headroom that is full keeps what was behind the front of a train, and nothing else.
 */
class TrainBufferTestCase : public TestCase
{
  public:
    TrainBufferTestCase()
        : TestCase("trains: headroom")
    {
    }

  private:
    void DoRun() override
    {
        RdmaSharedBuffer::Parameters parameters;
        parameters.bytes = 3000;
        parameters.ingressAlpha = 1;
        parameters.egressAlpha = 1;
        parameters.lossless = 1U << 3;
        RdmaSharedBuffer buffer;
        NS_TEST_ASSERT_MSG_EQ(buffer.Configure(parameters, {1000, 1000}), true, "a pool of 1000");
        // A port may hold what is free: 500 of 1000.
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(0, 3, 1000, 0), true, "all is free");
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(0, 3, 1001, 0), false, "more than the pool");
        // The last of five finds four before it: 575 in all, and 540 free. Of 545 it is 545 and
        // 564.
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(0, 3, 575, 0, 5), false, "five packets of 115");
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(0, 3, 545, 0, 5), true, "five packets of 109");
        Expect(buffer.Store(0, 3, 500, 0), RdmaSharedBuffer::STORE, "half");
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(0, 3, 100, 0), false, "above its threshold");
        Expect(buffer.Store(0, 3, 900, 0), RdmaSharedBuffer::STORE_AND_PAUSE, "headroom");
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(0, 3, 1, 0), false, "it is to pause");
        NS_TEST_EXPECT_MSG_EQ(buffer.HasRoom(1, 3, 500, 0), true, "the other port is not");
        Expect(buffer.Store(0, 3, 200, 0), RdmaSharedBuffer::DROP, "100 are left");
        Expect(buffer.Store(0, 3, 200, 0, true), RdmaSharedBuffer::STORE, "behind a front");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetHeadroomUsed(0, 3), 1100, "more than there is");
        Expect(buffer.Store(0, 3, 1, 0), RdmaSharedBuffer::DROP, "nothing is left");
        // Lossy priorities have no headroom. Theirs is what is free, 500.
        Expect(buffer.Store(0, 1, 501, 0, true), RdmaSharedBuffer::DROP, "lossy");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetStored(), 1600, "500 + 900 + 200");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, 3, 500), false, "600 of the headroom are left");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, 3, 900), true, "all of them, and 300 of the pool");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, 3, 200), false, "goes on already");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetStored(), 0, "empty");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetFree(), 1000, "the pool is as it was");
    }

    /**
     * @param found a verdict
     * @param expected the verdict expected
     * @param what what came in
     */
    void Expect(RdmaSharedBuffer::Verdict found,
                RdmaSharedBuffer::Verdict expected,
                const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(found, expected, what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Many senders and one receiver: its link is busy all the time, nothing is lost, and trains
 * end where the queue begins.
 */
class TrainIncastTestCase : public RdmaTrainTestCase
{
  public:
    TrainIncastTestCase()
        : RdmaTrainTestCase("trains: incast")
    {
    }

  private:
    void DoRun() override
    {
        Check(2, 4000, 0);
        Check(4, 2000, 0);
        Check(16, 500, 0);
        Check(64, 100, 0);
        // Pools of three packets for each port, and of eight packets in all.
        Check(4, 2000, 5 * (HEADROOM + 3 * FRAME));
        Check(4, 2000, 5 * HEADROOM + 8 * FRAME);
        Check(64, 100, 65 * (HEADROOM + 3 * FRAME));
        Check(2, 4000, 0, 4);
        Check(16, 500, 0, 4);
        Check(4, 2000, 5 * HEADROOM + 8 * FRAME, 4);
        CheckLate(0);
        CheckLate(5 * HEADROOM + 8 * FRAME);
        CheckLate(0, 4);
        CheckLate(5 * HEADROOM + 8 * FRAME, 4);
    }

    /**
     * @param hosts hosts at a switch; the last one receives
     * @param buffer memory of the switch, bytes; 0 = as usual
     * @param queued most packets that wait as a whole
     */
    void Prepare(uint32_t hosts, uint64_t buffer, uint32_t queued)
    {
        Begin(64, queued);
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(buffer));
        // No sender is to run out of time however long it waits for its turn.
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(Seconds(1)));
        InstallAndWatch(MakeStar(hosts, "100Gbps", NanoSeconds(DELAY)));
    }

    /**
     * Check that all has arrived, none twice, and the last of it when the receiver's link has
     * carried all packets one after the other. Flow control with a buffer of few packets leaves it
     * idle now and then.
     *
     * @param packets packets of all messages
     * @param buffer memory of the switch, bytes; 0 = as usual
     * @param what the run
     */
    void ExpectBusy(int64_t packets, uint64_t buffer, const std::string& what)
    {
        ExpectAllDelivered();
        ExpectEmpty();
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops, " << what);
        NS_TEST_EXPECT_MSG_EQ(m_repeated.size(), 0, "repeats, " << what);
        Time end;
        for (const Fate& fate : m_fates)
        {
            end = std::max(end, fate.arrivedAt);
        }
        const Time busy = NanoSeconds((packets + 1) * PACKET + 2 * DELAY);
        const Time tolerance = buffer == 0 ? NanoSeconds(PACKET) : busy / 50;
        NS_TEST_EXPECT_MSG_EQ_TOL(end, busy, tolerance, "the last arrival, " << what);
        const auto sink = static_cast<uint32_t>(m_transports.size() - 1);
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(sink, sink + 1)->GetCounters().bytes,
                              packets * FRAME,
                              "bytes, " << what);
    }

    /**
     * All begin at once.
     *
     * @param senders number of senders
     * @param packets packets of each
     * @param buffer memory of the switch, bytes; 0 = as usual
     * @param queued most packets that wait as a whole
     */
    void Check(uint32_t senders, int64_t packets, uint64_t buffer, uint32_t queued = 1)
    {
        const std::string what = std::to_string(senders) + " senders, " + std::to_string(buffer) +
                                 ", " + std::to_string(queued);
        Prepare(senders + 1, buffer, queued);
        for (uint32_t sender = 0; sender < senders; ++sender)
        {
            Post(Time(0), sender, senders, packets * MTU);
        }
        Simulator::Run();
        ExpectBusy(senders * packets, buffer, what);
        // The queue is 8 us long when 25 packets are in it, which takes 25 x senders / (senders -
        // 1) of the link's packets; the sender knows a round trip of 17 packets later. Until then
        // it may have doubled its trains each 6 packets, a round trip of 2 us.
        uint64_t inTrains = 0;
        for (const Unit& unit : m_units)
        {
            inTrains += unit.count > queued ? unit.count : 0;
        }
        NS_TEST_EXPECT_MSG_LT(inTrains, 100, "packets in long trains, " << what);
    }

    /**
     * Three join one whose trains are as long as they get.
     *
     * @param buffer memory of the switch, bytes; 0 = as usual
     * @param queued most packets that wait as a whole
     */
    void CheckLate(uint64_t buffer, uint32_t queued = 1)
    {
        const Time join = MicroSeconds(300);
        Prepare(5, buffer, queued);
        Post(Time(0), 0, 4, 3000 * MTU);
        for (uint32_t sender = 1; sender < 4; ++sender)
        {
            Post(join, sender, 4, 800 * MTU);
        }
        Simulator::Run();
        ExpectBusy(3000 + 3 * 800, buffer, "late, " + std::to_string(buffer));
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), join), 64, "alone");
        // The others are 2400 packets, 778 us, with as many of rank 0 in between.
        NS_TEST_EXPECT_MSG_EQ(GetLongest(join + MicroSeconds(60), join + MicroSeconds(700)),
                              1,
                              "in company, " << buffer);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Who sends no trains, and how long they get with windows.
 */
class TrainBoundsTestCase : public RdmaTrainTestCase
{
  public:
    TrainBoundsTestCase()
        : RdmaTrainTestCase("trains: windows, telemetry, short messages")
    {
    }

  private:
    void DoRun() override
    {
        // 1/32 of a window of 320 packets, and of windows that are just too small.
        CheckWindow(320, 10);
        CheckWindow(319, 9);
        CheckWindow(63, 1);
        // 1/8 of a message.
        NS_TEST_EXPECT_MSG_EQ(SendBy("ns3::RdmaNoCongestionControl", 400, 8), 50, "of 400 packets");
        NS_TEST_EXPECT_MSG_EQ(SendBy("ns3::RdmaNoCongestionControl", 15, 8), 1, "of 15 packets");
        NS_TEST_EXPECT_MSG_EQ(SendBy("ns3::RdmaNoCongestionControl", 400, 400), 1, "400 trains");
        CheckSharing();
        CheckMemory();
        CheckPaced();
        NS_TEST_EXPECT_MSG_EQ(SendBy("ns3::RdmaDcqcn", 3000, 8), 64, "DCQCN at line rate");
        NS_TEST_EXPECT_MSG_EQ(SendBy("ns3::RdmaTimely", 3000, 8), 64, "Timely at line rate");
        NS_TEST_EXPECT_MSG_EQ(SendBy("ns3::RdmaHpcc", 3000, 8), 1, "telemetry");
        // The largest window is what the link sends in a round trip of 2 us and the 60 us allowed:
        // 196 packets of 3968 bytes.
        const uint32_t swift = SendBy("ns3::RdmaSwift", 3000, 8);
        NS_TEST_EXPECT_MSG_LT(swift, 196 / 32 + 1, "Swift");
        NS_TEST_EXPECT_MSG_GT(swift, 1, "Swift sends trains");
    }

    /**
     * Send a message alone.
     *
     * @param control TypeId name of the congestion control
     * @param packets packets of the message
     * @param share fewest trains of a message
     * @return packets of the longest train
     */
    uint32_t SendBy(const std::string& control, int64_t packets, uint32_t share)
    {
        Begin(64);
        m_fabric->SetCongestionControl(control);
        m_fabric->SetNicAttribute("TrainsPerMessage", UintegerValue(share));
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        const uint32_t longest = GetLongest(Time(0), Time::Max());
        if (control != "ns3::RdmaHpcc")
        {
            NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                                  NanoSeconds((packets + 1) * PACKET + 2 * DELAY),
                                  "at line rate by " << control);
        }
        return longest;
    }

    /// Send a message of 400 packets to each of two hosts at a time: packet by packet, in turn.
    void CheckSharing()
    {
        Begin(64);
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 1, 400 * MTU);
        Post(Time(0), 0, 2, 400 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), NanoSeconds(700 * PACKET)), 1, "in turn");
        // The first one has sent a packet before the second one comes, and is next in the ring.
        for (uint32_t number = 0; number < 2; ++number)
        {
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].arrivedAt,
                                  NanoSeconds((798 + 2 * number + 1) * PACKET + 2 * DELAY),
                                  "in turn to the end, message " << number);
        }
    }

    /// One that sends by itself after another one has sent, within the sharing memory and later.
    void CheckMemory()
    {
        for (const int64_t pause : {10, 1000})
        {
            Begin(64);
            m_fabric->SetNicAttribute("TrainsPerMessage", UintegerValue(8));
            m_fabric->SetNicAttribute("TrainsPerSharingMessage", UintegerValue(32));
            m_fabric->SetNicAttribute("SharingMemory", TimeValue(MicroSeconds(500)));
            InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
            // 400 packets take 129.6 us.
            Post(Time(0), 0, 1, 400 * MTU);
            Post(MicroSeconds(140), 0, 2, MTU);
            Post(MicroSeconds(140 + pause), 0, 1, 400 * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), MicroSeconds(140)), 50, "the first");
            NS_TEST_EXPECT_MSG_EQ(GetLongest(MicroSeconds(141), Time::Max()),
                                  (pause < 500 ? 12 : 50),
                                  "the second, after " << pause);
        }
    }

    /// Two send at a quarter of the rate of their port: each is due within three packets.
    void CheckPaced()
    {
        Begin(64);
        m_fabric->SetNicAttribute("PairRate", DataRateValue(DataRate("25Gbps")));
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 1, 400 * MTU);
        Post(Time(0), 0, 2, 400 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_LT(GetLongest(Time(0), NanoSeconds(4 * 350 * PACKET)), 4, "paced");
    }

    /**
     * @param window window, packets: more than a round trip of 6.2
     * @param longest packets of the longest train
     */
    void CheckWindow(uint32_t window, uint32_t longest)
    {
        Begin(64);
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
        m_fabric->GetCongestionControl()->SetAttribute("Window", UintegerValue(window * MTU));
        Post(Time(0), 0, 1, 3000 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), Time::Max()), longest, "window of " << window);
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds(3001 * PACKET + 2 * DELAY),
                              "the window does not stall");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Where packets of a flow take different ways, each way carries its share of a train.
 */
class TrainSprayTestCase : public RdmaTrainTestCase
{
  public:
    TrainSprayTestCase()
        : RdmaTrainTestCase("trains: ways that part")
    {
    }

  private:
    void DoRun() override
    {
        TopologyGraph graph;
        graph.AddHost("h0");
        graph.AddHost("h1");
        for (const auto name : {"leaf0", "leaf1", "spine0", "spine1"})
        {
            graph.AddSwitch(name);
        }
        for (const auto& [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 2},
                                                                             {1, 3},
                                                                             {2, 4},
                                                                             {4, 3},
                                                                             {2, 5},
                                                                             {5, 3}})
        {
            graph.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(DELAY));
        }
        for (const uint32_t train : {1, 2, 64})
        {
            Begin(train);
            m_fabric->SetRouting("ns3::RdmaSprayRouting");
            InstallAndWatch(graph);
            Post(Time(0), 0, 1, 4000 * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), Time::Max()), train, "from the host");
            for (const uint32_t link : {2, 4})
            {
                const auto counters = m_fabric->GetDevice(link, 2)->GetCounters();
                NS_TEST_EXPECT_MSG_EQ(counters.packets, 2000, "half, with trains of " << train);
                NS_TEST_EXPECT_MSG_EQ(counters.bytes, 2000 * FRAME, "theirs");
            }
            NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                                  NanoSeconds((4000 + 3) * PACKET + 4 * DELAY),
                                  "arrival with trains of " << train);
            NS_TEST_EXPECT_MSG_EQ(m_repeated.size(), 0, "nothing is taken for lost");
        }
        Reset();
        NS_TEST_EXPECT_MSG_EQ(RdmaPacket::GetNPackets(), 0, "what was unfolded is gone");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainQueueTestCases()
{
    return {new TrainBufferTestCase,
            new TrainIncastTestCase,
            new TrainBoundsTestCase,
            new TrainSprayTestCase};
}

} // namespace ns3
