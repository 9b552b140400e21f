/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-cases.h"

#include "ns3/rdma-packet.h"
#include "ns3/rdma-train-policy.h"

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
        CheckBounds();
        CheckCompany();
        CheckQueued();
    }

    /// Short trains are for who is slowed down and may meet queues.
    void CheckQueued()
    {
        RdmaTrainPolicy policy;
        auto parameters = MakeParameters(64);
        parameters.maxQueuedTrain = 4;
        parameters.trainsPerWindow = 32;
        // As above, packets between notifications, and whether it is slowed down.
        const uint64_t most = UINT64_MAX;
        const std::vector<std::pair<RdmaTrainPolicy::Situation, uint16_t>> cases{
            {{10000, 10000, 100000, 10000, most, most, false, false}, 1}, // at first
            {{10000, 10000, 100000, 10000, most, most, true, true}, 4},   // slowed down
            {{16, 16, 100000, 0, most, most, true, true}, 4},       // however short the message is
            {{16, 4, 100000, 0, most, most, true, true}, 3},        // all but the last full packet
            {{10000, 10000, 64, 10000, most, most, true, true}, 2}, // a share of the window
            {{10000, 10000, 100000, 10000, 24, 3, true, true}, 3},  // as many as news may wait for
            {{10000, 10000, 100000, 10000, 0, 0, true, true}, 1},   // each is notified of
        };
        for (const auto& [situation, expected] : cases)
        {
            NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, situation),
                                  expected,
                                  situation.messagePackets << ", " << situation.fullPackets << ", "
                                                           << situation.perNotification);
        }
        for (uint64_t sent = 1; sent <= 6; ++sent)
        {
            policy.Adapt(false, 10 * sent, 10 * sent + 1, parameters);
        }
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, cases[0].first), 64, "at line rate");
        // It has met no queue for long.
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, cases[1].first), 64, "slowed down");
        auto slow = cases[1].first;
        slow.perNotification = 37;
        slow.unnoticed = 3;
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, slow), 37, "as many as a notification");
        slow.untilDue = 5;
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, slow), 5, "before the next one is due");
        slow.untilDue = 1;
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, slow), 3, "as many as news waits for");
        policy.Adapt(true, 100, 110, parameters);
        NS_TEST_EXPECT_MSG_EQ(policy.GetLength(parameters, cases[1].first), 4, "after a queue");
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
        const RdmaTrainPolicy::Situation
            shared{100000, 100000, 100000, 100000, UINT64_MAX, UINT64_MAX, true};
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
        return policy.GetLength(parameters, {100000, 100000, 100000, 100000});
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
            {{10000, 10000, 100000, 10000}, 64}, // the present length
            {{400, 400, 100000, 10000}, 50},     // an eighth of the message
            {{400, 400, 100000, 10000, UINT64_MAX, UINT64_MAX, true}, 4}, // a hundredth
            {{400, 21, 100000, 10000}, 20},                   // all but the last full packet
            {{400, 1, 100000, 10000}, 1},                     // that one
            {{400, 0, 100000, 10000}, 1},                     // a short one
            {{10000, 10000, 320, 10000}, 10},                 // a share of the window
            {{10000, 10000, 100000, 9}, 9},                   // until another one is due
            {{7, 7, 31, 0, UINT64_MAX, UINT64_MAX, true}, 1}, // never none
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

        train->isInTrain = true;
        const RdmaPacketPtr two = train->Split(2);
        NS_TEST_EXPECT_MSG_EQ(two->isInTrain, true, "stored by the switch before, as all of it");
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

} // namespace

std::vector<TestCase*>
MakeRdmaTrainPartsTestCases()
{
    return {new TrainLengthTestCase, new TrainPartsTestCase};
}

} // namespace ns3
