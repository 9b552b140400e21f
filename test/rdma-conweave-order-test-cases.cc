/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-conweave-test-case.h"

#include "ns3/config.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief The path goes on before the last switch gives up: what has come by the other path waits
 * for the last packet by the first one, and the receiver sees nothing out of order.
 */
class RdmaConweaveTailTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveTailTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, a paused path goes on")
    {
    }

  private:
    void DoRun() override
    {
        Begin("Conweave");
        RunUntil(NanoSeconds(31000));
        NS_TEST_EXPECT_MSG_EQ(GetChoice(0).GetSource().GetReroutes(), 0, "the reply is not late");
        RunUntil(MicroSeconds(40));
        NS_TEST_EXPECT_MSG_EQ(GetChoice(0).GetSource().GetReroutes(), 1, "the reply is late");
        Pause(false);
        // Packets 76 to 102.
        RunUntil(NanoSeconds(45100));
        NS_TEST_EXPECT_MSG_EQ(GetCounters().held, 27, "packets that wait");
        NS_TEST_EXPECT_MSG_EQ(GetChoice(1).GetDestination().GetNQueues(), 1, "their queue");
        NS_TEST_EXPECT_MSG_EQ(GetSwitch(1)->GetBuffer().GetStored(),
                              27 * RdmaLinkLayer::ETHERNET.GetDataBytes(MTU),
                              "stored");
        Finish();
        // The spine sends packets 46 to 75 from 41007 ns on; the last one comes at 54007 ns, after
        // packet 124.
        NS_TEST_EXPECT_MSG_EQ(GetCounters().held, 49, "packets that have waited");
        NS_TEST_EXPECT_MSG_EQ(GetCounters().resumedByTail, 1, "until the last packet came");
        NS_TEST_EXPECT_MSG_EQ(GetCounters().resumedByTimer, 0, "and no longer");
        NS_TEST_EXPECT_MSG_EQ(GetChoice(1).GetDestination().GetNQueues(), 0, "no queue");
        NS_TEST_EXPECT_MSG_EQ(GetChoice(0).GetSource().GetReroutes(), 1, "moved once");
        NS_TEST_EXPECT_MSG_EQ(GetUplinkPackets(0)[m_spine], TAIL + 1, "by the first path");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nothing is out of order");
        // From packet 46 on the last link is never idle.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[0].arrivedAt,
                                  NanoSeconds(41007 + 1400 + (PACKETS - 46) * 400 + 1000),
                                  NanoSeconds(10),
                                  "arrival");

        // CONGA moves flowlets of one packet, and nobody puts them in order.
        Config::SetDefault("ns3::RdmaFlowletRouting::FlowletGap", TimeValue(NanoSeconds(100)));
        Begin("Conga");
        Config::Reset();
        RunUntil(MicroSeconds(40));
        Pause(false);
        Finish();
        NS_TEST_EXPECT_MSG_GT(m_retransmissions, 0, "out of order with CONGA");
    }
};

/**
 * @ingroup workload-replay
 * @brief The last packet by the first path is lost: those that wait go on in time.
 */
class RdmaConweaveTimerTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveTimerTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, the last packet by the old path is lost")
    {
    }

  private:
    void DoRun() override
    {
        // The spine sends packets 46 and so on from 41007 ns on. Packet 54 comes at 45607 ns, which
        // was at the first leaf 8400 ns before packet 75.
        Lose(MicroSeconds(46), 45607 + 8400 + 16000);
        NS_TEST_EXPECT_MSG_EQ(GetCounters().held, 89, "packets 76 to 164");
        NS_TEST_EXPECT_MSG_EQ(m_lost, TAIL - 54, "lost with the link");
        ExpectRecovery();

        // Nothing of the epoch has come by the old path.
        Config::SetDefault("ns3::RdmaConweaveRouting::ResumeTime", TimeValue(MicroSeconds(30)));
        Lose(MicroSeconds(34), 34600 + 30000 + 16000);
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(GetCounters().held, 116, "packets 76 to 191");
        NS_TEST_EXPECT_MSG_EQ(m_lost, TAIL - 45, "lost with the link");
        ExpectRecovery();
    }

    /**
     * Lose what is on its way by the first path, which goes on at 40 us.
     *
     * @param at when to cut the link
     * @param resumedAt when those that wait for it are to go on, ns
     */
    void Lose(Time at, int64_t resumedAt)
    {
        // Not when a packet comes.
        Config::SetDefault("ns3::RdmaConweaveRouting::ResumeMargin", TimeValue(NanoSeconds(16100)));
        resumedAt += 100;
        Begin("Conweave");
        Simulator::Schedule(MicroSeconds(20), &RdmaConweaveTimerTestCase::Pause, this, false);
        RunUntil(at);
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(1, m_spine), false);
        RunUntil(NanoSeconds(resumedAt - 5));
        NS_TEST_EXPECT_MSG_EQ(GetChoice(1).GetDestination().GetNQueues(), 1, "they wait");
        RunUntil(NanoSeconds(resumedAt + 5));
        NS_TEST_EXPECT_MSG_EQ(GetChoice(1).GetDestination().GetNQueues(), 0, "and go on");
        NS_TEST_EXPECT_MSG_EQ(GetCounters().resumedByTimer, 1, "by the timer");
        NS_TEST_EXPECT_MSG_EQ(GetCounters().resumedByTail, 0, "not the last packet");
    }

    /// The link comes back, and all that is lost is sent again.
    void ExpectRecovery()
    {
        RunUntil(MicroSeconds(300));
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(1, m_spine), true);
        Finish();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "all of it is sent again");
    }
};

/**
 * @ingroup workload-replay
 * @brief What waits counts in the buffer: the last switch pauses the path that it comes by.
 */
class RdmaConweaveBufferTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveBufferTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, a small buffer")
    {
    }

  private:
    void DoRun() override
    {
        // Of this a lone port may hold 1 / 9, less the headroom of all, 40090 bytes each: the spine
        // 30.1 packets, so that it pauses nobody, and the last leaf 29.2.
        const uint64_t bytes = 1430000;
        Begin("Conweave", bytes);
        RunUntil(MicroSeconds(40));
        Pause(false);
        const auto other = m_fabric->GetDevice(GetUplink(1, 1 - m_spine), GetLeaf(2) + 1 - m_spine);
        // Packet 105 is the 30th that waits.
        RunUntil(NanoSeconds(46200 + 1000));
        NS_TEST_EXPECT_MSG_EQ(other->IsPaused(3), false, "the other path is not paused");
        RunUntil(NanoSeconds(46200 + 1010));
        NS_TEST_EXPECT_MSG_EQ(other->IsPaused(3), true, "it is");
        Finish();
        NS_TEST_EXPECT_MSG_EQ(other->IsPaused(3), false, "no more");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(GetSwitch(1)->GetBuffer().GetMaxStored(), bytes, "the buffer");
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, 0, "nor out of order");
    }
};

/**
 * @ingroup workload-replay
 * @brief One queue for all flows of a port: others go on out of order.
 */
class RdmaConweaveQueuesTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveQueuesTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, a single queue")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t queues : {0, 1})
        {
            Config::SetDefault("ns3::RdmaConweaveRouting::ReorderQueues", UintegerValue(queues));
            Begin("Conweave", 0, 16);
            Config::Reset();
            RunUntil(MicroSeconds(80));
            const uint32_t used = GetChoice(1).GetDestination().GetNQueues();
            Pause(false);
            Finish();
            NS_TEST_EXPECT_MSG_EQ((used > 1), (queues == 0), "queues in use");
            NS_TEST_EXPECT_MSG_EQ((GetCounters().withoutQueue > 0), (queues == 1), "without queue");
        }
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeRdmaConweaveOrderTestCases()
{
    return {new RdmaConweaveTailTestCase,
            new RdmaConweaveTimerTestCase,
            new RdmaConweaveBufferTestCase,
            new RdmaConweaveQueuesTestCase};
}
