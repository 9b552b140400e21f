/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"

#include "ns3/double.h"
#include "ns3/rdma-ecn-marker.h"

#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Trains of four go through queues as a whole.
 */
class TrainShortTestCase : public RdmaTrainTestCase
{
  public:
    TrainShortTestCase()
        : RdmaTrainTestCase("trains: short ones in queues")
    {
    }

  private:
    void DoRun() override
    {
        CheckOrder();
        CheckSlowHosts();
        CheckPace();
    }

    /// Trains of four, and no limits by message.
    void BeginWithFours()
    {
        Begin(4, 4);
        m_fabric->SetNicAttribute("TrainsPerMessage", UintegerValue(1));
        m_fabric->SetNicAttribute("TrainsPerSharingMessage", UintegerValue(1));
    }

    /**
     * Send five packets each to one host at the same time, after as many in turn that let queue
     * pairs begin with trains of four. ExpectEnd() is about the former.
     *
     * @param senders how many; they are the ranks from 0 on, the next one receives
     */
    void PostFives(uint32_t senders)
    {
        for (uint32_t sender = 0; sender < senders; ++sender)
        {
            Post(MicroSeconds(100) * sender, sender, senders, 40 * MTU);
        }
        for (uint32_t sender = 0; sender < senders; ++sender)
        {
            Post(m_start, sender, senders, 5 * MTU);
        }
    }

    /**
     * @param senders as above
     * @param sender one of them
     * @param packets packet times from the start until its last packet has left the last port
     */
    void ExpectEnd(uint32_t senders, uint32_t sender, int64_t packets)
    {
        NS_TEST_EXPECT_MSG_EQ(m_fates[senders + sender].arrivedAt - m_start,
                              NanoSeconds(packets * PACKET + 2 * DELAY),
                              "end of " << sender);
    }

    /// A port begins to send a packet, or train.
    void NotePacket(const RdmaPacket& packet)
    {
        if (Simulator::Now() > m_start)
        {
            m_counts.push_back(packet.train.count);
            m_sources.push_back(packet.source);
        }
    }

    /// Three send five packets each to a fourth one. Marks are for queues of 6.5 packets.
    void CheckOrder()
    {
        BeginWithFours();
        InstallAndWatch(MakeStar(4, "100Gbps", NanoSeconds(DELAY)));
        const auto port = m_fabric->GetDevice(3, 4);
        auto marker = CreateObject<RdmaEcnMarker>();
        const Time threshold = NanoSeconds(13 * PACKET / 2);
        marker->SetAttribute("Kmin", TimeValue(threshold));
        marker->SetAttribute("Kmax", TimeValue(threshold));
        marker->SetAttribute("Pmax", DoubleValue(1));
        port->SetEcnMarker(marker);
        port->TraceConnectWithoutContext("PhyTxBegin",
                                         MakeCallback(&TrainShortTestCase::NotePacket, this));
        // Only one packet, or train, may wait as a whole because the queue is short.
        port->SetAttribute("ShortQueueTime", TimeValue(Time(0)));
        PostFives(3);
        Simulator::Run();
        ExpectAllDelivered();
        // The last full packet of a message goes by itself.
        NS_TEST_EXPECT_MSG_EQ((m_counts == std::vector<uint32_t>{4, 4, 4, 1, 1, 1}), true, "sizes");
        NS_TEST_EXPECT_MSG_EQ((m_sources == std::vector<uint32_t>{0, 1, 2, 0, 1, 2}),
                              true,
                              "order");
        for (uint32_t sender = 0; sender < 3; ++sender)
        {
            ExpectEnd(3, sender, 13 + sender + 1);
        }
        // Packets of the second train find 8, 7, 6 and 5 packets, those of the third one 7, 6, 5
        // and 4.
        NS_TEST_EXPECT_MSG_EQ(port->GetCounters().marks, 3, "packets marked");
    }

    /// Trains of two slow hosts have gaps on a fast link, which both use.
    void CheckSlowHosts()
    {
        BeginWithFours();
        TopologyGraph graph;
        for (const auto name : {"h0", "h1", "h2"})
        {
            graph.AddHost(name);
        }
        const auto center = graph.AddSwitch("s");
        graph.AddLink(0, center, DataRate("25Gbps"), NanoSeconds(DELAY));
        graph.AddLink(1, center, DataRate("25Gbps"), NanoSeconds(DELAY));
        graph.AddLink(2, center, DataRate("100Gbps"), NanoSeconds(DELAY));
        InstallAndWatch(graph);
        PostFives(2);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), Time::Max()), 4, "from the host");
        for (uint32_t sender = 0; sender < 2; ++sender)
        {
            // Packets come in together, four packet times apart.
            ExpectEnd(2, sender, 5 * 4 + sender + 1);
        }
    }

    /// Who is slowed down sends four packets at once and pauses for as long as they should take;
    /// or, when it has met no queue for a while, more of them at its pace.
    void CheckPace()
    {
        Begin(64, 4);
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        m_fabric->SetNicAttribute("CnpInterval", TimeValue(CNP_INTERVAL));
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 2, 4000 * MTU);
        Post(Time(0), 1, 2, 4000 * MTU);
        m_fabric->GetNic(0)->TraceConnectWithoutContext(
            "Rate",
            MakeCallback(&TrainShortTestCase::NoteRate, this));
        m_fabric->GetDevice(2, 3)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&TrainShortTestCase::NoteSpread, this));
        Simulator::Run();
        ExpectAllDelivered();
        CheckBursts();
        CheckSpread();
    }

    /// Trains of four: the time from one to what follows it.
    void CheckBursts()
    {
        uint32_t paced = 0;
        for (std::size_t i = 1; i < m_units.size(); ++i)
        {
            const Unit& unit = m_units[i - 1];
            const Time next = m_units[i].at;
            const double rate = GetRate(unit.at - NanoSeconds(1));
            // What has changed meanwhile is seen when the next one is sent.
            const bool isSteady = rate == GetRate(next);
            // In an eighth of the time between notifications four packets can be sent at 32.4 Gb/s.
            if (rate > 33e9 && rate < 90e9 && isSteady && unit.count == 4)
            {
                const auto interval = static_cast<int64_t>(PACKET * 100e9 / rate);
                NS_TEST_EXPECT_MSG_EQ(next - unit.at,
                                      NanoSeconds(4 * interval),
                                      "pause at " << rate);
                ++paced;
            }
        }
        NS_TEST_EXPECT_MSG_GT(paced, 20, "trains that are paced");
    }

    /// Longer ones: their packets come to the switch as far apart as the rate says.
    void CheckSpread()
    {
        uint32_t spread = 0;
        for (const auto& train : m_spread)
        {
            const Time sent = TimeStep(train.head) - NanoSeconds(DELAY + PACKET);
            const double rate = GetRate(sent);
            const auto interval = NanoSeconds(static_cast<int64_t>(PACKET * 100e9 / rate));
            // What has changed meanwhile is seen when the next one is sent.
            const bool isSteady = rate == GetRate(sent - NanoSeconds(1)) &&
                                  rate == GetRate(sent + train.count * interval);
            if (rate < 99e9 && isSteady)
            {
                NS_TEST_EXPECT_MSG_EQ(TimeStep(train.tail - train.head),
                                      (train.count - 1) * interval,
                                      train.count << " packets at " << rate);
                NS_TEST_EXPECT_MSG_LT_OR_EQ(train.count * interval,
                                            CNP_INTERVAL,
                                            "a notification's interval");
                ++spread;
            }
        }
        NS_TEST_EXPECT_MSG_GT(spread, 10, "long trains that are paced");
    }

    /**
     * A port of the switch begins to send a packet, or train.
     *
     * @param packet it
     */
    void NoteSpread(const RdmaPacket& packet)
    {
        if (packet.source == 0 && packet.train.count > 4)
        {
            m_spread.push_back(packet.train);
        }
    }

    /**
     * @param sender queue pair
     * @param before rate before, bit/s
     * @param rate rate from now on, bit/s
     */
    void NoteRate(const RdmaSender& sender [[maybe_unused]],
                  double before [[maybe_unused]],
                  double rate)
    {
        m_rates.emplace_back(Simulator::Now(), rate);
    }

    /**
     * @param at a time
     * @return rate of rank 0 from then on, bit/s
     */
    double GetRate(Time at) const
    {
        double rate = 100e9;
        for (const auto& [time, next] : m_rates)
        {
            rate = time <= at ? next : rate;
        }
        return rate;
    }

    const Time CNP_INTERVAL{MicroSeconds(32)};    //!< least time between notifications
    const Time m_start{MilliSeconds(1)};          //!< when messages of five packets begin
    std::vector<uint32_t> m_counts;               //!< packets of each train since then
    std::vector<uint32_t> m_sources;              //!< its rank
    std::vector<RdmaTrain> m_spread;              //!< trains of more than four that rank 0 has sent
    std::vector<std::pair<Time, double>> m_rates; //!< rates of rank 0, bit/s, and since when
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainShortTestCases()
{
    return {new TrainShortTestCase};
}

} // namespace ns3
