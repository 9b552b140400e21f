/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-cases.h"

#include "rdma-train-test-case.h"

#include "ns3/rdma-pcap-helper.h"
#include "ns3/rdma-train-policy.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A message alone on its path: the arrival to the time step, what each link carries, and how
 * many events it takes.
 */
class TrainAloneTestCase : public RdmaTrainTestCase
{
  public:
    TrainAloneTestCase()
        : RdmaTrainTestCase("trains: a message alone")
    {
    }

  private:
    /// Full packets of the message. The last one has 68 bytes, 150 on the wire.
    static constexpr int64_t FULL = 10000;

    /// The last packet on a link of 100 Gb/s and of 400 Gb/s, ns.
    static constexpr int64_t SHORT = 12;
    static constexpr int64_t FAST_SHORT = 3; //!< of 400 Gb/s

    void DoRun() override
    {
        // The last full packet goes through link by link, and the last one comes right behind it:
        // it waits at each switch, and its answer waits for the one before it where they come 3 ns
        // after each other to a link of 100 Gb/s.
        const std::string slow = "100Gbps";
        const std::string fast = "400Gbps";
        Check({slow, slow, slow}, (FULL + 2) * PACKET + SHORT, 2);
        Check({slow, fast, slow}, FULL * PACKET + FAST + PACKET + SHORT, 2);
        Check({slow, fast}, FULL * PACKET + FAST + FAST_SHORT, 2);
        Check({slow, fast, fast}, FULL * PACKET + 2 * FAST + FAST_SHORT, 3);
        Check({fast, slow}, FAST + FULL * PACKET + SHORT, 0);
        Check({fast, slow, fast}, FAST + FULL * PACKET + FAST + FAST_SHORT, 0);
        CheckFollower();
    }

    /**
     * @param rates rates of the links
     * @param sending time that sending takes on them, ns
     * @param waits how often something has to wait; not looked at if the first link is the faster
     */
    void Check(const std::vector<std::string>& rates, int64_t sending, int64_t waits)
    {
        const auto links = static_cast<int64_t>(rates.size());
        for (const uint32_t train : {1, 2, 7, 64})
        {
            const std::string what = rates[0] + "-" + rates[1] + " " + std::to_string(train);
            // What starts by itself, which newer versions of ns-3 have more of.
            Begin(train);
            InstallAndWatch(MakeChain(rates));
            Simulator::Run();
            const auto starts = static_cast<int64_t>(Simulator::GetEventCount());
            Begin(train);
            InstallAndWatch(MakeChain(rates));
            Post(Time(0), 0, 1, FULL * MTU + 68);
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                                  NanoSeconds(sending + links * DELAY),
                                  "arrival, " << what);
            NS_TEST_EXPECT_MSG_EQ(m_repeated.size(), 0, "repeats, " << what);
            const bool isQueued = rates[0] == "400Gbps";
            NS_TEST_EXPECT_MSG_EQ((GetLongest(Time(0), Time::Max()) == train || isQueued),
                                  true,
                                  "trains grow, " << what);
            ExpectLinks(what);
            if (!isQueued)
            {
                ExpectEvents(links, train, waits + starts + 2, what);
            }
        }
    }

    /**
     * Check what each link has carried: data there, and back an answer for every fourth packet and
     * for the last.
     *
     * @param what the run
     */
    void ExpectLinks(const std::string& what)
    {
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            const auto there = m_fabric->GetDevice(link, graph.GetLink(link).a)->GetCounters();
            const auto back = m_fabric->GetDevice(link, graph.GetLink(link).b)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(there.packets, FULL + 1, "packets, " << what);
            NS_TEST_EXPECT_MSG_EQ(there.bytes, FULL * FRAME + 62 + 68, "bytes, " << what);
            NS_TEST_EXPECT_MSG_EQ(back.packets, FULL / 4 + 1, "answers, " << what);
            NS_TEST_EXPECT_MSG_EQ(back.bytes, (FULL / 4 + 1) * ANSWER_FRAME, "theirs, " << what);
        }
    }

    /**
     * Check how many events it took: an arrival on each link for each unit of data and of answers,
     * and one when the sender's port is free or what waits may go on. Beside them there are those
     * that start nodes and ports, one that posts the message, and one of the retransmission timer
     * after 4.2 ms.
     *
     * @param links number of links
     * @param train most packets of a train
     * @param others how often something has to wait, starts, is posted or times out
     * @param what the run
     */
    void ExpectEvents(int64_t links, int64_t train, int64_t others, const std::string& what)
    {
        const auto events = static_cast<int64_t>(Simulator::GetEventCount());
        if (train == 1)
        {
            NS_TEST_EXPECT_MSG_EQ(events,
                                  (FULL + 1 + FULL / 4 + 1) * links + FULL + others,
                                  "events of plain packets, " << what);
            return;
        }
        // A length is used for a round trip of 13 packets, the last train sent before it, and 4
        // packets until an answer: 17/k + 2 units. Over lengths of 1, 2, 4, ... this is less than
        // 2 x 17 and 2 for each of the 6. Three more end the message.
        const int64_t units = FULL / train + 2 * 17 + 2 * 6 + 3;
        NS_TEST_EXPECT_MSG_LT(events, units * (2 * links + 1) + others, "events, " << what);
    }

    /// A short message behind one of full packets does not overtake it on a fast link.
    void CheckFollower()
    {
        for (const uint32_t train : {1, 64, 1024})
        {
            Begin(train);
            InstallAndWatch(MakeChain({"100Gbps", "400Gbps"}));
            Post(Time(0), 0, 1, 10000 * MTU);
            const uint32_t follower = Post(NanoSeconds(1), 0, 1, 68);
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                                  NanoSeconds(10000 * PACKET + FAST + 2 * DELAY),
                                  "trains of " << train);
            NS_TEST_EXPECT_MSG_EQ(m_fates[follower].arrivedAt,
                                  m_fates[0].arrivedAt + NanoSeconds(FAST_SHORT),
                                  "right behind");
            NS_TEST_EXPECT_MSG_EQ(m_repeated.size(), 0, "nothing is sent again");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Two messages against each other: the answers of each go between the packets of the other.
 */
class TrainOppositeTestCase : public RdmaTrainTestCase
{
  public:
    TrainOppositeTestCase()
        : RdmaTrainTestCase("trains: two messages against each other")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t packets = 10000;
        // Every link carries the packets and, for every fourth of the other message, an answer.
        const Time expected = NanoSeconds((packets + 2) * PACKET + packets / 4 * 6.88 + 3 * DELAY);
        for (const uint32_t train : {1, 7, 64})
        {
            Begin(train);
            InstallAndWatch(MakeChain({"100Gbps", "100Gbps", "100Gbps"}));
            Post(Time(0), 0, 1, packets * MTU);
            Post(Time(0), 1, 0, packets * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), Time::Max()), train, "trains");
            for (uint32_t number = 0; number < 2; ++number)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[number].arrivedAt.GetDouble(),
                                          expected.GetDouble(),
                                          expected.GetDouble() / 1000,
                                          "end with trains of " << train);
            }
            for (uint32_t link = 0; link < 3; ++link)
            {
                for (const uint32_t node : {m_fabric->GetNetwork()->GetGraph().GetLink(link).a,
                                            m_fabric->GetNetwork()->GetGraph().GetLink(link).b})
                {
                    NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(link, node)->GetCounters().bytes,
                                          packets * FRAME + packets / 4 * ANSWER_FRAME,
                                          "bytes with trains of " << train);
                }
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A pause goes out between two packets of the train that is being sent.
 */
class TrainPauseTestCase : public RdmaTrainTestCase
{
  public:
    TrainPauseTestCase()
        : RdmaTrainTestCase("trains: a pause cuts in")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t packets = 2000;
        // The switch begins to send packet i at 824 + i x 324.
        const int64_t first = PACKET + DELAY;
        for (const uint32_t train : {1, 64, 1024})
        {
            // In the middle of a packet, just before its end, and just after.
            for (const int64_t after : {100, 323, 325})
            {
                Begin(train);
                InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
                m_pausedAt.clear();
                m_fabric->GetDevice(1, 1)->TraceConnectWithoutContext(
                    "Pause",
                    MakeCallback(&TrainPauseTestCase::NotePause, this));
                const auto port = m_fabric->GetDevice(1, 2);
                for (const uint8_t priority : {3, 2})
                {
                    // The second one waits for the first.
                    Simulator::Schedule(NanoSeconds(first + 1000 * PACKET + after),
                                        &RdmaNetDevice::SendPause,
                                        port,
                                        priority,
                                        true);
                }
                Post(Time(0), 0, 1, packets * MTU);
                Simulator::Run();
                ExpectAllDelivered();
                const int64_t boundary = first + (after < PACKET ? 1001 : 1002) * PACKET;
                NS_TEST_ASSERT_MSG_EQ(m_pausedAt.size(), 2, "pauses");
                for (uint32_t pause = 0; pause < 2; ++pause)
                {
                    // 84 bytes take 6.72 ns, 7 on a clock of nanoseconds.
                    NS_TEST_EXPECT_MSG_EQ_TOL(m_pausedAt[pause],
                                              NanoSeconds(boundary + (pause + 1) * 7 + DELAY),
                                              NanoSeconds(1),
                                              "with trains of " << train << " after " << after);
                }
                NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[0].arrivedAt,
                                          NanoSeconds((packets + 1) * PACKET + 2 * DELAY + 2 * 7),
                                          NanoSeconds(1),
                                          "the message ends later by the two frames");
            }
        }
    }

    /**
     * @param priority priority that is paused
     */
    void NotePause(uint8_t priority [[maybe_unused]])
    {
        m_pausedAt.push_back(Simulator::Now());
    }

    std::vector<Time> m_pausedAt; //!< when pauses have come in
};

/**
 * @ingroup workload-replay-tests
 * @brief Files of packets want hosts that send packet by packet, and change nothing themselves.
 */
class TrainPcapTestCase : public RdmaTrainTestCase
{
  public:
    TrainPcapTestCase()
        : RdmaTrainTestCase("trains: none where pcap files are written")
    {
    }

  private:
    void DoRun() override
    {
        SetDataDir(".");
        for (const uint32_t maxTrain : {64, 1})
        {
            Begin(maxTrain);
            InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
            std::string error;
            try
            {
                RdmaPcapHelper().EnablePcap(CreateTempDirFilename("train.pcap"),
                                            m_fabric->GetDevice(1, 2),
                                            false,
                                            true);
            }
            catch (const WorkloadError& caught)
            {
                error = caught.what();
            }
            const std::string refusal =
                "ns3::RdmaNic::MaxTrain: error: expected 1, since a train has no frame, found 64";
            NS_TEST_EXPECT_MSG_EQ(error, (maxTrain == 1 ? "" : refusal), "what it says");
            Post(Time(0), 0, 1, 1000 * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ((m_units.size() < 1000), (maxTrain > 1), "as they were");
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainTestCases()
{
    return {new TrainAloneTestCase,
            new TrainOppositeTestCase,
            new TrainPauseTestCase,
            new TrainPcapTestCase};
}

} // namespace ns3
