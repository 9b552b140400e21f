/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliability-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/error-model.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Default time that a sender waits for an acknowledgement.
const Time TIMEOUT = NanoSeconds(4096 * 1024);

/// A full packet on a link of 100 Gb/s, ns.
constexpr int64_t PACKET = 324;

/// From the beginning of a packet to its arrival over two links of 500 ns.
constexpr int64_t THERE = 2 * (PACKET + 500);

/// From then to the arrival of the answer: 86 bytes take 6.88 ns, 7 on a clock of nanoseconds.
constexpr int64_t BACK = 2 * (7 + 500);

/// A clock of picoseconds makes two links of answers 0.24 ns faster.
const Time ROUNDING = NanoSeconds(1);

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases with loss: notes what is sent again, and who gives up.
 */
class LossTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Make the fabric and watch rank 0.
     *
     * @param graph the fabric
     */
    void InstallAndWatch(const TopologyGraph& graph)
    {
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(TIMEOUT));
        Install(graph);
        m_repeated.clear();
        m_repeatedAt.clear();
        m_failures.clear();
        m_fabric->GetNic(0)->TraceConnectWithoutContext("Retransmission",
                                                        MakeCallback(&LossTestCase::Repeat, this));
        m_fabric->GetNic(0)->TraceConnectWithoutContext("QueuePairFailed",
                                                        MakeCallback(&LossTestCase::Fail, this));
    }

    /**
     * Have packets lost on their way into a host of a star.
     *
     * @param host the host
     * @param packets which ones, from 0, of all that reach it
     */
    void Lose(uint32_t host, const std::list<uint32_t>& packets)
    {
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(packets);
        m_fabric->GetDevice(host, host)->SetReceiveErrorModel(model);
    }

    /**
     * Check when a message has arrived and was acknowledged.
     *
     * @param number the message
     * @param arrived when it was to arrive
     */
    void ExpectArrival(uint32_t number, Time arrived)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates.at(number).arrivedAt, arrived, ROUNDING, "arrival");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates.at(number).sentAt,
                                  arrived + NanoSeconds(BACK),
                                  ROUNDING,
                                  "acknowledged");
    }

    /**
     * @param first first number
     * @param last last number
     * @return all numbers between them, and they
     */
    static std::vector<uint64_t> Range(uint64_t first, uint64_t last)
    {
        std::vector<uint64_t> numbers;
        for (uint64_t number = first; number <= last; ++number)
        {
            numbers.push_back(number);
        }
        return numbers;
    }

    std::vector<uint64_t> m_repeated;                      //!< packets sent again
    std::vector<Time> m_repeatedAt;                        //!< when
    std::vector<std::pair<uint32_t, uint32_t>> m_failures; //!< node and peer
    Time m_failedAt;                                       //!< when the last one has given up

  private:
    /**
     * @param packet packet that is sent again
     */
    void Repeat(const RdmaPacket& packet)
    {
        m_repeated.push_back(packet.sequence);
        m_repeatedAt.push_back(Simulator::Now());
    }

    /**
     * @param node who has given up
     * @param peer whom it could not reach
     */
    void Fail(uint32_t node, uint32_t peer)
    {
        m_failures.emplace_back(node, peer);
        m_failedAt = Simulator::Now();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Losses by list, times and repeats by hand: in the middle, in bursts, of the last packet,
 * of acknowledgements.
 */
class LossListTestCase : public LossTestCase
{
  public:
    LossListTestCase()
        : LossTestCase("loss: what is sent again, and when")
    {
    }

  private:
    void DoRun() override
    {
        CheckMiddle();
        CheckBursts();
        for (const bool selective : {false, true})
        {
            CheckLast(selective);
            CheckAck(selective);
        }
        CheckOvertaken();
    }

    /**
     * Send a message from rank 0 to rank 1.
     *
     * @param selective whether repeat is selective
     * @param packets packets of the message
     * @param lost which ones are lost
     * @param reorderDistance how far a packet may be overtaken
     */
    void Run(bool selective,
             uint32_t packets,
             const std::list<uint32_t>& lost,
             uint32_t reorderDistance = 0)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("ReorderDistance", UintegerValue(reorderDistance));
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(500)));
        Lose(1, lost);
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
    }

    /// Packet 5 is lost; the negative acknowledgement of packet 6 is there at 4574 ns, in
    /// packet 14.
    void CheckMiddle()
    {
        Run(false, 100, {5});
        NS_TEST_EXPECT_MSG_EQ((m_repeated == Range(5, 14)), true, "go-back-N");
        NS_TEST_EXPECT_MSG_EQ(m_repeatedAt.at(0), NanoSeconds(15 * PACKET), "next after packet 14");
        ExpectArrival(0, NanoSeconds(15 * PACKET + 94 * PACKET + THERE));
        Run(true, 100, {5});
        NS_TEST_EXPECT_MSG_EQ((m_repeated == Range(5, 5)), true, "selective repeat");
        NS_TEST_EXPECT_MSG_EQ(m_repeatedAt.at(0), NanoSeconds(15 * PACKET), "next after packet 14");
        ExpectArrival(0, NanoSeconds(100 * PACKET + THERE));
        // It is lost again when it is sent again, 10th after itself: only the timeout notices.
        Run(false, 100, {5, 15});
        const Time timeout = NanoSeconds(15 * PACKET) + TIMEOUT;
        NS_TEST_EXPECT_MSG_EQ(m_repeated.size(), 10 + 95, "from 5 on after the timeout");
        ExpectArrival(0, timeout + NanoSeconds(94 * PACKET + THERE));
    }

    /// Whatever is lost, selective repeat sends that again and nothing else, without a timeout.
    void CheckBursts()
    {
        Run(true, 200, {5, 6, 7, 20, 50, 51, 52, 53, 54, 55, 100, 102, 104, 106});
        std::sort(m_repeated.begin(), m_repeated.end());
        // Repeats come between new packets, so what is the 50th to come is not packet 50.
        NS_TEST_EXPECT_MSG_EQ(m_repeated.size(), 14, "as many as were lost");
        NS_TEST_EXPECT_MSG_EQ(
            (std::unique(m_repeated.begin(), m_repeated.end()) == m_repeated.end()),
            true,
            "each once");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[0].arrivedAt,
                                  NanoSeconds(213 * PACKET + THERE),
                                  ROUNDING,
                                  "no time is lost but that of the packets");
    }

    /**
     * The last of 10 packets is lost. The last news was the acknowledgement of packet 7, the 8th.
     *
     * @param selective whether repeat is selective
     */
    void CheckLast(bool selective)
    {
        Run(selective, 10, {9});
        const Time timeout = NanoSeconds(7 * PACKET + THERE + BACK) + TIMEOUT;
        NS_TEST_EXPECT_MSG_EQ((m_repeated == Range(8, 9)), true, "of 8 nothing is known either");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_repeatedAt.at(0), timeout, ROUNDING, "timeout");
        ExpectArrival(0, timeout + NanoSeconds(PACKET + THERE));
    }

    /**
     * The acknowledgement is lost: the message has arrived long before it is known.
     *
     * @param selective whether repeat is selective
     */
    void CheckAck(bool selective)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(500)));
        Lose(0, {0, 1});
        const uint32_t first = Post(Time(0), 0, 1, MTU);
        const uint32_t second = Post(MilliSeconds(100), 0, 1, 8 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fates[first].arrivedAt, NanoSeconds(THERE), "not delayed");
        // Twice: after one timeout, and after two more.
        NS_TEST_EXPECT_MSG_EQ((m_repeated == std::vector<uint64_t>{0, 0}), true, "packet 0");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[first].sentAt,
                                  TIMEOUT * 3 + NanoSeconds(THERE + BACK),
                                  ROUNDING,
                                  "known after two timeouts");
        ExpectArrival(second, MilliSeconds(100) + NanoSeconds(7 * PACKET + THERE));
    }

    /// The last packet overtakes a lost one, which is to be acknowledged at once when it comes.
    void CheckOvertaken()
    {
        Run(true, 10, {8}, UINT32_MAX);
        const Time timeout = NanoSeconds(7 * PACKET + THERE + BACK) + TIMEOUT;
        NS_TEST_EXPECT_MSG_EQ((m_repeated == Range(8, 8)), true, "the last one is there");
        ExpectArrival(0, timeout + NanoSeconds(THERE));
        // Packet 5 counts as lost when packet 13 has come, 8 after it.
        Run(true, 100, {5}, 8);
        NS_TEST_EXPECT_MSG_EQ((m_repeated == Range(5, 5)), true, "no other is sent again");
        NS_TEST_EXPECT_MSG_LT(m_fates[0].sentAt, TIMEOUT, "there is no timeout");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Timeouts double, and end with a report.
 */
class LossGiveUpTestCase : public LossTestCase
{
  public:
    LossGiveUpTestCase()
        : LossTestCase("loss: timeouts double, then the queue pair gives up")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool selective : {false, true})
        {
            for (const uint32_t limit : {0, 3, 7})
            {
                Check(selective, limit);
            }
        }
    }

    /**
     * @param selective whether repeat is selective
     * @param limit retries
     */
    void Check(bool selective, uint32_t limit)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("RetryLimit", UintegerValue(limit));
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(500)));
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(1);
        m_fabric->GetDevice(1, 1)->SetReceiveErrorModel(model);
        Post(Time(0), 0, 1, 1000);
        const uint32_t other = Post(Time(0), 0, 2, 1000);
        const uint32_t late = Post(Seconds(5), 0, 1, 1000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_repeated.size(), limit, "retries");
        for (uint32_t retry = 0; retry < limit; ++retry)
        {
            // 1 + 2 + 4 + ... timeouts after the first try.
            NS_TEST_EXPECT_MSG_EQ(m_repeatedAt[retry],
                                  TIMEOUT * ((2 << retry) - 1),
                                  "time of retry " << retry);
        }
        NS_TEST_ASSERT_MSG_EQ(m_failures.size(), 1, "one gives up");
        NS_TEST_EXPECT_MSG_EQ(m_failures[0].first, 0, "node");
        NS_TEST_EXPECT_MSG_EQ(m_failures[0].second, 1, "peer");
        NS_TEST_EXPECT_MSG_EQ(m_failedAt, TIMEOUT * ((2 << limit) - 1), "when");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(0)->GetSender(0).HasFailed(), true, "its state");
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivals + m_fates[0].sents, 0, "never arrives");
        NS_TEST_EXPECT_MSG_EQ(m_fates[late].arrivals + m_fates[late].sents, 0, "nor what follows");
        NS_TEST_EXPECT_MSG_EQ(m_fates[other].sents, 1, "other queue pairs go on");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Random loss of everything, and loss by lack of room: all is delivered once, in order.
 */
class LossRandomTestCase : public LossTestCase
{
  public:
    LossRandomTestCase()
        : LossTestCase("loss: random, and at a switch without flow control")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool selective : {false, true})
        {
            CheckRandom(selective);
            CheckLossySwitch(selective);
        }
    }

    /**
     * @param selective whether repeat is selective
     */
    void CheckRandom(bool selective)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(500)));
        for (uint32_t host = 0; host < 3; ++host)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(0.01);
            model->AssignStreams(10 + host);
            m_fabric->GetDevice(host, host)->SetReceiveErrorModel(model);
        }
        for (uint32_t number = 0; number < 900; ++number)
        {
            Post(MicroSeconds(number),
                 number % 3,
                 (number + 1) % 3,
                 number * 7919ULL % 50000,
                 number % 2);
        }
        Simulator::Run();
        ExpectAllDelivered();
        // 300 messages of 25 kB have about 2000 packets; 1 % of them is 20.
        NS_TEST_EXPECT_MSG_GT(m_repeated.size(), 8, "something is lost");
        NS_TEST_EXPECT_MSG_EQ(m_failures.size(), 0, "nobody gives up");
    }

    /**
     * @param selective whether repeat is selective
     */
    void CheckLossySwitch(bool selective)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetSwitchAttribute("LosslessPriorities", UintegerValue(0));
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(100000));
        InstallAndWatch(MakeStar(5, "100Gbps", NanoSeconds(500)));
        for (uint32_t sender = 0; sender < 4; ++sender)
        {
            Post(Time(0), sender, 4, 200 * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        const auto forwarding = m_fabric->GetSwitch(5);
        uint64_t drops = 0;
        uint64_t pauses = 0;
        for (uint32_t host = 0; host < 5; ++host)
        {
            drops += m_fabric->GetDevice(host, 5)->GetCounters().drops;
            pauses += m_fabric->GetDevice(host, 5)->GetCounters().pauses;
        }
        NS_TEST_EXPECT_MSG_GT(drops, 0, "the buffer is too small");
        NS_TEST_EXPECT_MSG_EQ(pauses, 0, "no flow control");
        NS_TEST_EXPECT_MSG_EQ(forwarding->GetLosslessDrops(), 0, "nothing was lossless");
        NS_TEST_EXPECT_MSG_EQ(forwarding->GetBuffer().GetStored(), 0, "empty at the end");
        // Alpha 1: a packet of 3980 bytes is stored if the queue is then not above what was free.
        NS_TEST_EXPECT_MSG_LT(forwarding->GetBuffer().GetMaxStored(), 51991, "threshold");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaReliabilityTestCases()
{
    return {new LossListTestCase, new LossGiveUpTestCase, new LossRandomTestCase};
}

} // namespace ns3
