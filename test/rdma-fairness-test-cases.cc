/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-fairness-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/// Bytes of a message that does not end within a test.
constexpr uint64_t ENDLESS = 1ULL << 40;

/**
 * @ingroup workload-replay-tests
 * @brief Long flows into one port of 100 Gb/s, after they have converged.
 *
 * The index of fairness is (sum x)^2 / (n sum x^2) of the rates x (R. Jain, D. Chiu, W. Hawe, A
 * quantitative measure of fairness, DEC TR-301, 1984): 1 if all are alike, 1 / n if one has all.
 */
class FairnessTestCase : public RdmaTestCase
{
  public:
    FairnessTestCase()
        : RdmaTestCase("fairness: 2 and 16 flows into one port")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t flows : {2, 16})
        {
            Run("ns3::RdmaNoCongestionControl", flows, MilliSeconds(2), MilliSeconds(4));
            ExpectFair("no congestion control", 0.99);
            Run("ns3::RdmaDcqcn", flows, MilliSeconds(20), MilliSeconds(40));
            ExpectFair("dcqcn", 0.95);
            Run("ns3::RdmaHpcc", flows, MilliSeconds(5), MilliSeconds(10));
            ExpectFair("hpcc", 0.95);
            ExpectShortQueue();
        }
    }

    /**
     * @param control TypeId name of the congestion control
     * @param flows number of flows
     * @param begin when to begin to measure
     * @param end when to end
     */
    void Run(const std::string& control, uint32_t flows, Time begin, Time end)
    {
        Reset();
        m_fabric->SetCongestionControl(control);
        Install(MakeStar(flows + 1, "100Gbps", MicroSeconds(1)));
        if (m_fabric->GetCongestionControl()->GetName() == "hpcc")
        {
            // The paper's rule: the additive increase is for the flows expected on a link.
            m_fabric->GetCongestionControl()->SetAttribute("Flows", UintegerValue(flows));
        }
        m_duration = end - begin;
        m_fabric->GetDevice(flows, flows)
            ->TraceConnectWithoutContext("PhyRxEnd",
                                         MakeCallback(&FairnessTestCase::Receive, this));
        m_fabric->GetDevice(flows, flows + 1)
            ->TraceConnectWithoutContext("QueueLength",
                                         MakeCallback(&FairnessTestCase::NoteQueue, this));
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            Post(Time(0), flow, flows, ENDLESS);
        }
        Simulator::Schedule(begin, &FairnessTestCase::Clear, this, flows);
        m_packets.assign(flows, 0);
        Simulator::Stop(end);
        Simulator::Run();
    }

    /**
     * @param control name of the congestion control
     * @param least least index
     */
    void ExpectFair(const std::string& control, double least)
    {
        double sum = 0;
        double squares = 0;
        for (const double packets : m_packets)
        {
            sum += packets;
            squares += packets * packets;
        }
        const double flows = m_packets.size();
        const double index = sum * sum / (flows * squares);
        // In packets of 324 ns.
        const double load = sum * 324e-9 / m_duration.GetSeconds();
        NS_TEST_EXPECT_MSG_GT(index, least, "index of " << flows << " flows, " << control);
        NS_TEST_EXPECT_MSG_GT(load, 0.85, "load by " << flows << " flows, " << control);
    }

    /// HPCC: the queue is less than what the path holds, and mostly a few packets.
    void ExpectShortQueue()
    {
        // Two links of 1 us each way and the packet itself twice: 4.66 us of 12.5 kB.
        NS_TEST_EXPECT_MSG_LT(m_mostQueued, 58000, "longest queue, bytes");
        const double mean = m_queueTime / m_duration.GetSeconds();
        NS_TEST_EXPECT_MSG_LT(mean, 4 * 4050, "mean queue, bytes");
    }

    /**
     * The measurement begins.
     *
     * @param flows number of flows
     */
    void Clear(uint32_t flows)
    {
        m_packets.assign(flows, 0);
        m_mostQueued = 0;
        m_queueTime = 0;
        m_queueSince = Simulator::Now();
    }

    /**
     * @param packet packet that the sink has got
     */
    void Receive(const RdmaPacket& packet)
    {
        m_packets[packet.source] += packet.train.count;
    }

    /**
     * @param priority priority of the queue
     * @param bytes its length
     */
    void NoteQueue(uint8_t priority [[maybe_unused]], uint64_t bytes)
    {
        const Time now = Simulator::Now();
        m_queueTime += static_cast<double>(m_queued) * (now - m_queueSince).GetSeconds();
        m_queueSince = now;
        m_queued = bytes;
        m_mostQueued = std::max(m_mostQueued, bytes);
    }

    std::vector<double> m_packets; //!< packets received, by flow
    Time m_duration;               //!< duration of the measurement
    Time m_queueSince;             //!< since when the queue has its length
    uint64_t m_queued{0};          //!< length of the queue, bytes
    uint64_t m_mostQueued{0};      //!< longest queue, bytes
    double m_queueTime{0};         //!< length of the queue over time, bytes x seconds
};

/**
 * @ingroup workload-replay-tests
 * @brief The paper's DCQCN of a single flow that meets a slower link, which marks all that waits:
 * the first notification halves the rate, the second one 50 us later halves it again, since alpha
 * is still 1, and packets leave at that pace.
 */
class DcqcnReactionTestCase : public RdmaTestCase
{
  public:
    DcqcnReactionTestCase()
        : RdmaTestCase("fairness: DCQCN's first notifications in a network")
    {
    }

  private:
    void DoRun() override
    {
        RunFor(Time(0));
        Check();
        // A card that takes longer than from one notification to the next has two in hand. While
        // all is marked, which packets are told of does not depend on it.
        const auto prompt = m_notified;
        m_notified.clear();
        m_traced.clear();
        RunFor(MicroSeconds(70));
        for (std::size_t index = 0; index < 2; ++index)
        {
            NS_TEST_EXPECT_MSG_EQ(m_notified.at(index) - prompt[index],
                                  MicroSeconds(70),
                                  "notification " << index << " of a slow card");
        }
    }

    /**
     * Send a message without end.
     *
     * @param delay what the receiver takes to make a notification
     */
    void RunFor(Time delay)
    {
        Reset();
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        // What is calculated by hand are single packets.
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        m_fabric->SetNicAttribute("CnpDelay", TimeValue(delay));
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(50000000));
        TopologyGraph graph;
        graph.AddHost("h0");
        graph.AddHost("h1");
        graph.AddSwitch("s");
        graph.AddLink(0, 2, DataRate("100Gbps"), MicroSeconds(1));
        graph.AddLink(1, 2, DataRate("50Gbps"), MicroSeconds(1));
        Install(graph);
        m_fabric->GetCongestionControl()->SetAttribute("Preset", StringValue("paper"));
        auto marker = CreateObject<RdmaEcnMarker>();
        marker->SetAttribute("Kmin", TimeValue(MicroSeconds(10)));
        marker->SetAttribute("Kmax", TimeValue(MicroSeconds(10)));
        marker->SetAttribute("Pmax", DoubleValue(1));
        m_fabric->GetDevice(1, 2)->SetEcnMarker(marker);
        m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
            "PhyRxEnd",
            MakeCallback(&DcqcnReactionTestCase::Receive, this));
        m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&DcqcnReactionTestCase::Send, this));
        m_fabric->GetNic(0)->TraceConnectWithoutContext(
            "Rate",
            MakeCallback(&DcqcnReactionTestCase::NoteChange, this));
        Post(Time(0), 0, 1, ENDLESS);
        Simulator::Stop(MicroSeconds(180));
        Simulator::Run();
    }

    /// Compare with the calculation by hand.
    void Check()
    {
        NS_TEST_ASSERT_MSG_GT(m_notified.size(), 1, "there are notifications");
        for (std::size_t index = 1; index < m_notified.size(); ++index)
        {
            const Time interval = m_notified[index] - m_notified[index - 1];
            // While the queue is long all is marked, so the next packet of the slow link tells.
            NS_TEST_EXPECT_MSG_GT(interval, MicroSeconds(50) - NanoSeconds(1), "interval");
        }
        NS_TEST_EXPECT_MSG_LT(m_notified[1] - m_notified[0],
                              MicroSeconds(50) + NanoSeconds(641),
                              "second notification");
        // The queue grows by 50 Gb/s: 62.5 kB = 10 us of the slow link take 10 us. The packet that
        // is marked takes 648 ns and 1 us to the host, and the notification 1 us on each link.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_notified[0],
                                  MicroSeconds(10 + 1 + 3),
                                  MicroSeconds(2),
                                  "first notification");
        NS_TEST_EXPECT_MSG_EQ(m_rates.at(0), 50e9, "half");
        NS_TEST_EXPECT_MSG_EQ(m_rates.at(1), 25e9, "half of it");
        const std::vector<double> traced(m_traced.begin(), m_traced.begin() + 4);
        NS_TEST_EXPECT_MSG_EQ((traced == std::vector<double>{0, 100e9, 50e9, 25e9}),
                              true,
                              "the trace source tells the rate at first and each change");
        ExpectPace(m_notified[0] + MicroSeconds(10), m_notified[1], NanoSeconds(648));
        // The timer raises the rate 55 us after the last notification.
        ExpectPace(m_notified[1] + MicroSeconds(10),
                   m_notified[1] + MicroSeconds(55),
                   NanoSeconds(1296));
    }

    /**
     * @param begin from when on
     * @param end until when
     * @param interval interval between packets that is expected
     */
    void ExpectPace(Time begin, Time end, Time interval)
    {
        uint32_t packets = 0;
        for (std::size_t index = 1; index < m_sent.size(); ++index)
        {
            if (m_sent[index - 1] > begin && m_sent[index] < end)
            {
                NS_TEST_EXPECT_MSG_EQ(m_sent[index] - m_sent[index - 1], interval, "pace");
                ++packets;
            }
        }
        NS_TEST_EXPECT_MSG_GT(packets, 10, "packets looked at");
    }

    /**
     * @param packet packet that the sender has got
     */
    void Receive(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::CNP)
        {
            m_notified.push_back(Simulator::Now());
            Simulator::ScheduleNow(&DcqcnReactionTestCase::NoteRate, this);
        }
    }

    /**
     * @param sender the queue pair
     * @param oldRate rate until now, bit/s; 0 = none was told
     * @param newRate rate from now on, bit/s
     */
    void NoteChange(const RdmaSender& sender, double oldRate, double newRate)
    {
        NS_TEST_EXPECT_MSG_EQ(&sender, &m_fabric->GetNic(0)->GetSender(0), "the queue pair");
        if (m_traced.empty())
        {
            m_traced.push_back(oldRate);
        }
        NS_TEST_EXPECT_MSG_EQ(m_traced.back(), oldRate, "goes on from there");
        m_traced.push_back(newRate);
    }

    /// Note the rate.
    void NoteRate()
    {
        const RdmaSender& sender = m_fabric->GetNic(0)->GetSender(0);
        m_rates.push_back(sender.GetRateControl().GetRate(Simulator::Now()));
    }

    /**
     * @param packet packet that begins to be sent
     */
    void Send(const RdmaPacket& packet [[maybe_unused]])
    {
        m_sent.push_back(Simulator::Now());
    }

    std::vector<Time> m_notified; //!< when notifications came
    std::vector<double> m_rates;  //!< rate after each
    std::vector<double> m_traced; //!< rates that the trace source has told, bit/s
    std::vector<Time> m_sent;     //!< when packets were sent
};

/**
 * @ingroup workload-replay-tests
 * @brief Ports of 100 and 25 Gb/s that send into one of 100 Gb/s: a common queue serves them in
 * proportion to what they send, virtual output queues by turns, so that the slow one has all that
 * it asks for.
 *
 * Both send for 400 packet times of 324 ns. The port is busy from 1324 ns on, for 500 packets.
 */
class VirtualQueuesTestCase : public RdmaTestCase
{
  public:
    VirtualQueuesTestCase()
        : RdmaTestCase("fairness: virtual output queues")
    {
    }

  private:
    void DoRun() override
    {
        const Time end = NanoSeconds(1324 + 500 * 324 + 1000);
        Run(false);
        const Time last = Max(m_fates[0].arrivedAt, m_fates[1].arrivedAt);
        NS_TEST_EXPECT_MSG_EQ(last, end, "both, one queue");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_fates[1].arrivedAt, end - NanoSeconds(324), "slow one");
        NS_TEST_EXPECT_MSG_GT(m_marks[1], 0, "marks of the slow one, one queue");

        Run(true);
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt, end, "fast, by turns");
        // What is being sent, what has the next credit, and a turn of 16384 bytes, with what a
        // packet leaves of the one before it.
        const Time alone = NanoSeconds(1000 + 100 * 1296 + 324 + 1000);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_fates[1].arrivedAt, alone, "slow, by turns");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_fates[1].arrivedAt,
                                    alone + NanoSeconds((1 + 1 + 5) * 324),
                                    "slow, by turns");
        NS_TEST_EXPECT_MSG_EQ(m_marks[1], 0, "marks of the slow one, by turns");
    }

    /**
     * @param isVirtual whether the switch has virtual output queues
     */
    void Run(bool isVirtual)
    {
        Config::SetDefault("ns3::RdmaEcnMarker::Kmin", TimeValue(MicroSeconds(10)));
        Config::SetDefault("ns3::RdmaEcnMarker::Kmax", TimeValue(MicroSeconds(10)));
        Reset();
        m_fabric->SetSwitchAttribute("VirtualOutputQueues", BooleanValue(isVirtual));
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        TopologyGraph graph;
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t center = graph.AddSwitch("s");
        for (const std::string rate : {"100Gbps", "25Gbps", "100Gbps"})
        {
            graph.AddLink(graph.GetNLinks(), center, DataRate(rate), MicroSeconds(1));
        }
        Install(graph);
        Config::Reset();
        m_marks.assign(2, 0);
        m_fabric->GetDevice(2, center)->TraceConnectWithoutContext(
            "Mark",
            MakeCallback(&VirtualQueuesTestCase::Mark, this));
        Post(Time(0), 0, 2, uint64_t{400} * MTU);
        Post(Time(0), 1, 2, uint64_t{100} * MTU);
        Simulator::Run();
        ExpectAllDelivered();
    }

    /**
     * @param packet packet that is marked
     */
    void Mark(const RdmaPacket& packet)
    {
        ++m_marks[packet.source];
    }

    std::vector<uint32_t> m_marks; //!< by sender
};

} // namespace

std::vector<TestCase*>
MakeRdmaFairnessTestCases()
{
    return {new FairnessTestCase, new DcqcnReactionTestCase, new VirtualQueuesTestCase};
}

} // namespace ns3
