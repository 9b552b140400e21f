/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// From the first bit at one end of a link of 100 Gb/s to the last one at the other, ns.
constexpr int64_t HOP = 324 + 500;

/// Packets of the message whose trains others go into.
constexpr int64_t LONG = 4000;

/**
 * @ingroup workload-replay-tests
 * @brief Single packets meet trains of others at a switch: first come, first served, packet by
 * packet.
 */
class TrainGapAtSwitchTestCase : public RdmaTrainTestCase
{
  public:
    TrainGapAtSwitchTestCase()
        : RdmaTrainTestCase("trains: gaps at a switch")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t train : {1, 64, 1024})
        {
            Check(train, {400100});
            // Neighbours at the switch's port: in one packet's time, in the next one's, trains
            // later.
            Check(train, {400100, 400200, 400500, 430000, 471234, 600001, 612345});
        }
    }

    /**
     * The receiver's link is busy from the first packet of the long message on. Who comes to it
     * finds one packet for each 324 ns since then, and those that came late before it.
     *
     * @param train most packets of a train
     * @param times when hosts 1 and 2 post a message of one packet each, in turn, ns
     */
    void Check(uint32_t train, const std::vector<int64_t>& times)
    {
        const std::string what =
            std::to_string(train) + " packets, " + std::to_string(times.size()) + " in between";
        Begin(train);
        InstallAndWatch(MakeStar(4, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 3, LONG * MTU);
        uint32_t source = 1;
        for (const int64_t at : times)
        {
            Post(NanoSeconds(at), source, 3, MTU);
            source = 3 - source;
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), NanoSeconds(times[0])),
                              std::min<uint32_t>(train, LONG / 8),
                              what);
        for (uint32_t late = 0; late < times.size(); ++late)
        {
            const int64_t before = times[late] / PACKET + 1 + late;
            NS_TEST_EXPECT_MSG_EQ(m_fates[1 + late].arrivedAt,
                                  NanoSeconds(2 * HOP + before * PACKET),
                                  what << ", number " << late);
        }
        const auto inBetween = static_cast<int64_t>(times.size());
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds(2 * HOP + (LONG - 1 + inBetween) * PACKET),
                              what << ", the long one");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Queue pairs of a host take turns packet by packet, whether one of them sends trains or
 * not.
 */
class TrainGapAtHostTestCase : public RdmaTrainTestCase
{
  public:
    TrainGapAtHostTestCase()
        : RdmaTrainTestCase("trains: gaps at a host")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t train : {1, 64, 1024})
        {
            Check(train, 400100, 1, 1);
            Check(train, 400100, 1, 2);
            Check(train, 401234, 3, 1);
            Check(train, 412345, 5, 2);
        }
    }

    /**
     * While a packet of the long message is on its way, others post theirs. The long one's next
     * packet is before them in the ring, then each has its turn in each round.
     *
     * @param train most packets of a train
     * @param at when they post, ns
     * @param packets packets of each of their messages
     * @param others how many they are
     */
    void Check(uint32_t train, int64_t at, int64_t packets, int64_t others)
    {
        const std::string what = std::to_string(train) + " packets, " + std::to_string(others) +
                                 " of " + std::to_string(packets);
        Begin(train);
        InstallAndWatch(MakeStar(4, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 1, LONG * MTU);
        for (uint32_t other = 0; other < others; ++other)
        {
            Post(NanoSeconds(at), 0, 2 + other, packets * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), NanoSeconds(at)),
                              std::min<uint32_t>(train, LONG / 8),
                              what);
        const int64_t round = 1 + others;
        for (int64_t other = 0; other < others; ++other)
        {
            const int64_t before = at / PACKET + 1 + (packets - 1) * round + 1 + other;
            NS_TEST_EXPECT_MSG_EQ(m_fates[1 + other].arrivedAt,
                                  NanoSeconds(2 * HOP + before * PACKET),
                                  what << ", number " << other);
        }
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds(2 * HOP + (LONG - 1 + others * packets) * PACKET),
                              what << ", the long one");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A train goes on when its sender is paused, and may fill the headroom of who went into its
 * gaps: that is kept nevertheless.
 */
class TrainGapPauseTestCase : public RdmaTrainTestCase
{
  public:
    TrainGapPauseTestCase()
        : RdmaTrainTestCase("trains: gaps and full headroom")
    {
    }

  private:
    void DoRun() override
    {
        Begin(64);
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(2 * HEADROOM + 8 * FRAME));
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
        // Nothing leaves the switch any more.
        m_fabric->GetDevice(1, 1)->SendPause(3, true);
        Simulator::Run();
        // The first packet has the sender paused, see IngressAlpha; headroom has six.
        for (uint32_t packet = 0; packet < 1 + HEADROOM / FRAME; ++packet)
        {
            Receive(false);
        }
        NS_TEST_EXPECT_MSG_EQ(GetSwitch()->GetLosslessDrops(), 0, "headroom is not full");
        Receive(false);
        NS_TEST_EXPECT_MSG_EQ(GetSwitch()->GetLosslessDrops(), 1, "headroom is full");
        Receive(true);
        NS_TEST_EXPECT_MSG_EQ(GetSwitch()->GetLosslessDrops(), 1, "what went into a train");
    }

    /**
     * @return the switch between the two hosts
     */
    Ptr<RdmaSwitch> GetSwitch() const
    {
        return m_fabric->GetSwitch(2);
    }

    /**
     * Have a full packet from host 0 to host 1 come in at the switch.
     *
     * @param isInTrain whether it went between two packets of a train
     */
    void Receive(bool isInTrain)
    {
        RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, FRAME));
        packet->destination = 1;
        packet->priority = 3;
        packet->isInTrain = isInTrain;
        const auto port = m_fabric->GetDevice(0, 2);
        packet->ingress = static_cast<uint16_t>(port->GetIndex());
        port->Receive(std::move(packet));
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A queue pair that has been alone for long has its longest trains, also behind what goes
 * between them now and then, and shares a port with another one as single packets do.
 */
class TrainAloneTestCase : public RdmaTrainTestCase
{
  public:
    TrainAloneTestCase()
        : RdmaTrainTestCase("trains: alone for long")
    {
    }

  private:
    /// Packets of a message whose eighth is more than the longest train.
    static constexpr int64_t MANY = 40000;

    void DoRun() override
    {
        CheckPassers();
        CheckCompanion();
    }

    /// Single packets come by every 1.1 ms, more often than 16 of the longest trains take.
    void CheckPassers()
    {
        Begin(1024);
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 2, MANY * MTU);
        const int64_t passers = 10;
        for (int64_t number = 1; number <= passers; ++number)
        {
            Post(NanoSeconds(number * 1100017), 1, 2, MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        for (int64_t number = 1; number <= passers; ++number)
        {
            // The receiver's link carries those that came before it in a row.
            const int64_t before = number * 1100017 / PACKET + number;
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].arrivedAt,
                                  NanoSeconds((before + 2) * PACKET + 2 * DELAY),
                                  "passer " << number);
        }
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds((MANY + passers + 1) * PACKET + 2 * DELAY),
                              "it gives way to each of them once");
        NS_TEST_EXPECT_MSG_EQ(GetLongest(NanoSeconds(passers * 1100017), Time::Max()),
                              1024,
                              "after the last one");
    }

    /// Another one joins at a switch's port when trains are longest.
    void CheckCompanion()
    {
        const Time join = MilliSeconds(5);
        const int64_t packets = 8000;
        Begin(1024);
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 2, MANY * MTU);
        Post(join, 1, 2, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), join), 1024, "alone");
        // Two trains of 332 us may be under way when it joins.
        const Time known = join + NanoSeconds(2 * 1024 * PACKET);
        NS_TEST_EXPECT_MSG_EQ(GetLongest(known, join + NanoSeconds(2 * packets * PACKET)),
                              1,
                              "in company");
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds((MANY + packets + 1) * PACKET + 2 * DELAY),
                              "the link is never idle");
        // They take turns, but for packets that were there before it joined.
        const int64_t end = join.GetNanoSeconds() + (2 * packets + 1) * PACKET + 2 * DELAY;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[1].arrivedAt,
                                  NanoSeconds(end),
                                  NanoSeconds(4 * PACKET),
                                  "half of the link");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainGapTestCases()
{
    return {new TrainGapAtSwitchTestCase,
            new TrainGapAtHostTestCase,
            new TrainGapPauseTestCase,
            new TrainAloneTestCase};
}

} // namespace ns3
