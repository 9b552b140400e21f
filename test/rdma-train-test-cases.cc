/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-cases.h"

#include "rdma-train-test-case.h"

#include "ns3/rdma-packet.h"
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
 * @brief How the length of trains grows and shrinks, by hand.
 */
class TrainLengthTestCase : public TestCase
{
  public:
    TrainLengthTestCase()
        : TestCase("trains: their length")
    {
    }

  private:
    void DoRun() override
    {
        const auto most = MakeParameters(64);
        const auto seven = MakeParameters(7);
        const auto one = MakeParameters(1);
        RdmaTrainPolicy length;
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 1, "at first");
        length.Adapt(false, 0, 10, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 1, "nothing is acknowledged");
        length.Adapt(false, 4, 12, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 2, "the first acknowledgement");
        length.Adapt(false, 8, 14, most);
        length.Adapt(false, 12, 16, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 2, "of packets sent before");
        length.Adapt(false, 14, 20, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 4, "of packets sent with length 2");
        length.Adapt(false, 20, 30, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 4, "all before 20 were not sent with length 4");
        length.Adapt(true, 24, 36, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 1, "one has waited");
        length.Adapt(false, 36, 40, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 1, "of packets sent before");
        length.Adapt(false, 37, 44, most);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 2, "anew");
        length.Restart(50);
        NS_TEST_EXPECT_MSG_EQ(GetLength(length), 1, "after a loss");
        for (const uint32_t expected : {2, 4, 7, 7})
        {
            length.Adapt(false, 51 + 10 * expected, 52 + 10 * expected, seven);
            NS_TEST_EXPECT_MSG_EQ(GetLength(length), std::min(expected, 7U), "no more than 7");
        }
        RdmaTrainPolicy plain;
        plain.Adapt(false, 4, 8, one);
        NS_TEST_EXPECT_MSG_EQ(GetLength(plain), 1, "no more than 1");
        NS_TEST_EXPECT_MSG_EQ(plain.AllowsTrains(), false, "and none is asked for");
        CheckBounds();
        CheckCompany();
    }

    /// Who has met others has short trains for as long as sixteen of the longest take.
    void CheckCompany()
    {
        auto parameters = MakeParameters(64);
        parameters.maxSharedTrain = 8;
        RdmaTrainPolicy policy;
        const auto grow = [&](uint64_t from) {
            for (uint64_t sent = from; sent <= from + 60; sent += 10)
            {
                policy.Adapt(false, sent, sent + 1, parameters);
            }
        };
        grow(1);
        NS_TEST_EXPECT_MSG_EQ(GetLength(policy), 64, "alone");
        policy.Adapt(true, 100, 110, parameters);
        grow(111);
        NS_TEST_EXPECT_MSG_EQ(GetLength(policy), 8, "in company");
        grow(110 + 16 * 64 - 70);
        NS_TEST_EXPECT_MSG_EQ(GetLength(policy), 8, "until then");
        grow(110 + 16 * 64);
        NS_TEST_EXPECT_MSG_EQ(GetLength(policy), 64, "alone again");
        const RdmaTrainPolicy::Situation shared{100000, 100000, 100000, 100000, true};
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, shared), 8, "at a shared port");
    }

    /**
     * @param most most packets of a train, whoever is met
     * @return parameters that say so
     */
    static RdmaTrainPolicy::Parameters MakeParameters(uint32_t most)
    {
        RdmaTrainPolicy::Parameters parameters;
        parameters.maxTrain = most;
        parameters.maxSharedTrain = most;
        return parameters;
    }

    /**
     * @param policy a policy
     * @return packets that it allows where nothing else bounds them
     */
    static uint16_t GetLength(const RdmaTrainPolicy& policy)
    {
        RdmaTrainPolicy::Parameters parameters;
        parameters.maxTrain = 4096;
        return policy.GetLength(parameters, {100000, 100000, 100000, 100000, false});
    }

    /// Each bound by itself, where the present length is 64.
    void CheckBounds()
    {
        RdmaTrainPolicy policy;
        for (uint64_t sent = 1; sent <= 6; ++sent)
        {
            policy.Adapt(false, 10 * sent, 10 * sent + 1, MakeParameters(64));
        }
        auto parameters = MakeParameters(64);
        parameters.trainsPerMessage = 8;
        parameters.trainsPerSharingMessage = 100;
        parameters.trainsPerWindow = 32;
        // packets of the message, full ones left, of the window, until another one is due, shared
        const std::vector<std::pair<RdmaTrainPolicy::Situation, uint16_t>> cases{
            {{10000, 10000, 100000, 10000, false}, 64}, // the present length
            {{400, 400, 100000, 10000, false}, 50},     // an eighth of the message
            {{400, 400, 100000, 10000, true}, 4},       // a hundredth of it
            {{400, 21, 100000, 10000, false}, 20},      // all but the last full packet
            {{400, 1, 100000, 10000, false}, 1},        // that one
            {{400, 0, 100000, 10000, false}, 1},        // a short one
            {{10000, 10000, 320, 10000, false}, 10},    // a share of the window
            {{10000, 10000, 100000, 9, false}, 9},      // until another one is due
            {{7, 7, 31, 0, true}, 1},                   // never none
        };
        for (const auto& [situation, expected] : cases)
        {
            NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, situation),
                                  expected,
                                  situation.messagePackets << ", " << situation.fullPackets << ", "
                                                           << situation.window);
        }
        parameters.maxTrain = 16;
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, cases[0].first), 16, "the most");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A train in parts has the same packets, bytes and times.
 */
class TrainPartsTestCase : public TestCase
{
  public:
    TrainPartsTestCase()
        : TestCase("trains: parts")
    {
    }

  private:
    void DoRun() override
    {
        // Seven packets of 324 ns each, sent 81 ns apart from 500 on. The first has come at 1000.
        RdmaPacketPtr train(new RdmaPacket(RdmaPacket::DATA, 7 * 4030));
        train->train.count = 7;
        train->train.head = 1000;
        train->payload = 7 * 3968;
        train->sequence = 100;
        train->isFirst = true;
        train->isLast = true;
        train->delayed = true;
        train->marked = true;
        train->message = std::make_unique<const Message>();
        train->destination = 1;
        train->source = 2;
        train->flowHash = 3;
        train->priority = 4;
        train->udpSourcePort = 5;
        train->senderQp = 6;
        train->receiverQp = 7;
        train->train.interval = 81;
        train->sentAt = 500 + 6 * 81;
        train->train.tail = 1000 + 6 * 324;
        NS_TEST_EXPECT_MSG_EQ(train->GetWireBytes(), 7 * 4050, "on the wire");
        NS_TEST_EXPECT_MSG_EQ(train->GetSingleWireBytes(), 4050, "one of them");

        const RdmaPacketPtr two = train->Split(2);
        Expect(*two, {2, 100, true, false, 500 + 81, 1000 + 324}, "two packets");
        NS_TEST_EXPECT_MSG_EQ(train->train.head, 1000 + 2 * 324, "when the third has come");
        Expect(*train, {5, 102, false, true, 500 + 6 * 81, 1000 + 6 * 324}, "the other five");

        const RdmaPacketPtr one = train->Split(1);
        Expect(*one, {1, 102, false, false, 500 + 2 * 81, 1000 + 2 * 324}, "the third");
        NS_TEST_EXPECT_MSG_EQ(train->train.head, 1000 + 3 * 324, "when the fourth has come");

        const RdmaPacketPtr three = train->Split(3);
        Expect(*three, {3, 103, false, false, 500 + 5 * 81, 1000 + 5 * 324}, "three");
        NS_TEST_EXPECT_MSG_EQ(train->train.head, 1000 + 6 * 324, "when the last has come");
        Expect(*train, {1, 106, false, true, 500 + 6 * 81, 1000 + 6 * 324}, "the last");
        NS_TEST_EXPECT_MSG_EQ((train->message != nullptr), true, "ends the message");
        NS_TEST_EXPECT_MSG_EQ((three->message == nullptr), true, "does not");
        CheckUneven();
        CheckAnswers();
    }

    /// What is to be found in a part.
    struct Part
    {
        uint16_t count;    //!< packets
        uint64_t sequence; //!< number of the first
        bool isFirst;      //!< begins the message
        bool isLast;       //!< ends it
        int64_t sentAt;    //!< when its last packet was sent
        int64_t tail;      //!< when its last packet comes
    };

    /**
     * @param packet a part
     * @param part what is to be found
     * @param what which one it is
     */
    void Expect(const RdmaPacket& packet, const Part& part, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(packet.train.count, part.count, what << ": packets");
        NS_TEST_EXPECT_MSG_EQ(packet.size, part.count * 4030U, what << ": size");
        NS_TEST_EXPECT_MSG_EQ(packet.payload, part.count * 3968U, what << ": payload");
        NS_TEST_EXPECT_MSG_EQ(packet.sequence, part.sequence, what << ": sequence");
        NS_TEST_EXPECT_MSG_EQ(packet.isFirst, part.isFirst, what << ": first");
        NS_TEST_EXPECT_MSG_EQ(packet.isLast, part.isLast, what << ": last");
        NS_TEST_EXPECT_MSG_EQ(packet.sentAt, part.sentAt, what << ": time of sending");
        NS_TEST_EXPECT_MSG_EQ(packet.train.tail, part.tail, what << ": tail");
        NS_TEST_EXPECT_MSG_EQ(packet.delayed, true, what << ": waited");
        NS_TEST_EXPECT_MSG_EQ(packet.marked, true, what << ": marked");
        NS_TEST_EXPECT_MSG_EQ(packet.destination, 1, what << ": destination");
        NS_TEST_EXPECT_MSG_EQ(packet.source, 2, what << ": source");
        NS_TEST_EXPECT_MSG_EQ(packet.flowHash, 3, what << ": flow");
        NS_TEST_EXPECT_MSG_EQ(+packet.priority, 4, what << ": priority");
        NS_TEST_EXPECT_MSG_EQ(packet.udpSourcePort, 5, what << ": port");
        NS_TEST_EXPECT_MSG_EQ(packet.senderQp, 6, what << ": sender");
        NS_TEST_EXPECT_MSG_EQ(packet.receiverQp, 7, what << ": receiver");
    }

    /// Times that do not divide: the last packet comes at the tail all the same.
    void CheckUneven()
    {
        RdmaPacketPtr train(new RdmaPacket(RdmaPacket::DATA, 4 * 4030));
        train->train.count = 4;
        train->train.tail = 11;
        for (const int64_t expected : {3, 7, 11})
        {
            train->Split(1);
            NS_TEST_EXPECT_MSG_EQ(train->train.head, expected, "11/3, then 8/2, then 4/1");
        }
    }

    /// An acknowledgement says the same in all its parts.
    void CheckAnswers()
    {
        RdmaPacketPtr answers(new RdmaPacket(RdmaPacket::ACK, 3 * 66));
        answers->train.count = 3;
        answers->sequence = 12;
        answers->ackedSequence = 11;
        answers->sack = 5;
        answers->msn = 2;
        const RdmaPacketPtr first = answers->Split(1);
        for (const RdmaPacket* answer : {answers.get(), first.get()})
        {
            NS_TEST_EXPECT_MSG_EQ(answer->sequence, 12, "next one expected");
            NS_TEST_EXPECT_MSG_EQ(answer->ackedSequence, 11, "answered");
            NS_TEST_EXPECT_MSG_EQ(answer->sack, 5, "received");
        }
        NS_TEST_EXPECT_MSG_EQ(first->msn, 2, "messages");
        NS_TEST_EXPECT_MSG_EQ(first->size, 66, "size");
        NS_TEST_EXPECT_MSG_EQ(answers->size, 2 * 66, "size of the rest");
    }
};

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
    return {new TrainLengthTestCase,
            new TrainPartsTestCase,
            new TrainAloneTestCase,
            new TrainOppositeTestCase,
            new TrainPauseTestCase,
            new TrainPcapTestCase};
}

} // namespace ns3
