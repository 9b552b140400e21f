/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"
#include "rdma-train-test-cases.h"

#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases: nothing may be sent twice, and what a queue pair sends has to come in
 * order, as nothing is lost and a queue pair has one path.
 */
class TrainOrderTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Make a fabric with DCQCN, and watch its hosts. Host h has link h.
     *
     * @param graph the fabric
     * @param maxTrain most packets of a train
     */
    void InstallAndWatch(const TopologyGraph& graph, uint32_t maxTrain)
    {
        m_next.clear();
        m_units = 0;
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
        Install(graph);
        for (uint32_t host = 0; host < m_transports.size(); ++host)
        {
            m_fabric->GetNic(host)->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&TrainOrderTestCase::SentTwice, this));
            m_fabric->GetDevice(host, host)
                ->TraceConnectWithoutContext("PhyRxEnd",
                                             MakeCallback(&TrainOrderTestCase::Receive, this));
        }
    }

    uint64_t m_units{0}; //!< data that has come to hosts: trains and single packets

  private:
    /**
     * A host has got packets.
     *
     * @param packet packets that have come as one
     */
    void Receive(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            ++m_units;
            uint64_t& next = m_next[{packet.source, packet.senderQp}];
            NS_TEST_EXPECT_MSG_EQ(packet.sequence, next, "the next one of its queue pair");
            next = packet.sequence + packet.train.count;
        }
    }

    /**
     * @param packet what is sent again
     */
    void SentTwice(const RdmaPacket& packet)
    {
        NS_TEST_EXPECT_MSG_EQ(packet.sequence, UINT64_MAX, "a packet is sent again");
    }

    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_next; //!< number of the packet that is due,
                                                              //!< by sender and its queue pair
};

/**
 * @ingroup workload-replay-tests
 * @brief A queue pair that another one has slowed down meets no queue any more: its rate grows
 * while it sends trains at its own pace, some of them while it pauses behind one.
 */
class TrainRecoveryTestCase : public TrainOrderTestCase
{
  public:
    TrainRecoveryTestCase()
        : TrainOrderTestCase("trains: in order while the rate of their queue pair grows")
    {
    }

  private:
    void DoRun() override
    {
        // The other host's times differ by less than a train takes, so that steps of the rate fall
        // on each part of a pause. At 400 Gb/s trains have some 20 packets, as many as go between
        // two notifications.
        for (uint32_t run = 0; run < 20; ++run)
        {
            Reset();
            InstallAndWatch(MakeStar(3, "400Gbps", NanoSeconds(500)), 1024);
            Post(Time(0), 0, 2, 100000000);
            Post(NanoSeconds(200 * run), 1, 2, 12000000);
            m_last = -1;
            m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeCallback(&TrainRecoveryTestCase::Send, this));
            Simulator::Run();
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_LT(m_units, 112000000 / MTU / 2, "there are trains");
        }
    }

    /**
     * The first host sends a packet or a train.
     *
     * @param packet what it sends
     */
    void Send(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            const int64_t now = Simulator::Now().GetTimeStep();
            NS_TEST_EXPECT_MSG_GT(now, m_last, "the last packet of the train before is sent first");
            m_last = packet.sentAt;
        }
    }

    int64_t m_last{-1}; //!< time step at which the last packet of the train before is sent
};

/**
 * @ingroup workload-replay-tests
 * @brief What holds of packets holds of trains, on ports that queue pairs share.
 *
 * Two leaves of four hosts and two spines, and messages from and to hosts drawn at random. Marks,
 * and the longest queue of the fabric, are those of plain packets in the mean of the seeds.
 */
class TrainInvariantsTestCase : public TrainOrderTestCase
{
  public:
    TrainInvariantsTestCase()
        : TrainOrderTestCase("trains: order, marks and queues on shared ports are those of packets")
    {
    }

  private:
    /// What a run, or the mean of several, has seen.
    struct Count
    {
        double marks{0};    //!< packets marked
        double maxQueue{0}; //!< most bytes that have waited at a port of a switch
        double units{0};    //!< what was sent as one, at the ports of hosts
    };

    void DoRun() override
    {
        Count packets;
        Count trains;
        for (uint32_t seed = 1; seed <= SEEDS; ++seed)
        {
            Add(packets, Run(seed, 1));
            Add(trains, Run(seed, 1024));
        }
        // Otherwise nothing is tested.
        NS_TEST_EXPECT_MSG_GT(packets.marks, 1000 * SEEDS, "there is congestion");
        NS_TEST_EXPECT_MSG_LT(1.5 * trains.units, packets.units, "there are trains");
        NS_TEST_EXPECT_MSG_EQ_TOL(trains.marks, packets.marks, 0.3 * packets.marks, "marks");
        NS_TEST_EXPECT_MSG_EQ_TOL(trains.maxQueue,
                                  packets.maxQueue,
                                  0.3 * packets.maxQueue,
                                  "largest queue");
    }

    /**
     * @param sum counts of runs
     * @param run what is added to them
     */
    static void Add(Count& sum, const Count& run)
    {
        sum.marks += run.marks;
        sum.maxQueue += run.maxQueue;
        sum.units += run.units;
    }

    /**
     * @param seed what messages, marks and paths are drawn by
     * @param maxTrain most packets of a train
     * @return what was seen
     */
    Count Run(uint32_t seed, uint32_t maxTrain)
    {
        Reset();
        InstallAndWatch(MakeLeafSpine(), maxTrain);
        m_fabric->AssignStreams(1000 * seed);
        PostAll(seed);
        Simulator::Run();
        ExpectAllDelivered();
        return CountPorts();
    }

    /// @return hosts 0 to 3 at one leaf, 4 to 7 at the other, link h to host h, two spines
    static TopologyGraph MakeLeafSpine()
    {
        TopologyGraph graph;
        const DataRate rate("100Gbps");
        const Time delay = NanoSeconds(500);
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t leaves[] = {graph.AddSwitch("leaf0"), graph.AddSwitch("leaf1")};
        const uint32_t spines[] = {graph.AddSwitch("spine0"), graph.AddSwitch("spine1")};
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddLink(host, leaves[2 * host / HOSTS], rate, delay);
        }
        for (const uint32_t leaf : leaves)
        {
            for (const uint32_t spine : spines)
            {
                graph.AddLink(leaf, spine, rate, delay);
            }
        }
        return graph;
    }

    /**
     * Each host sends messages of 8 MB to others, some of them at once.
     *
     * @param seed what they are drawn by
     */
    void PostAll(uint32_t seed)
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7 + seed);
        for (uint32_t message = 0; message < MESSAGES; ++message)
        {
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                const uint32_t other = (host + random->GetInteger(1, HOSTS - 1)) % HOSTS;
                const Time at = MicroSeconds(1000 * message + random->GetInteger(0, 999));
                Post(at, host, other, 8000000);
            }
        }
    }

    /// @return what switches have marked and stored, and what hosts have sent
    Count CountPorts()
    {
        Count count;
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                const PortCounters counters = m_fabric->GetDevice(link, node)->GetCounters();
                NS_TEST_EXPECT_MSG_EQ(counters.drops, 0, "nothing is lost at link " << link);
                count.marks += static_cast<double>(counters.marks);
                if (node >= HOSTS)
                {
                    count.maxQueue =
                        std::max(count.maxQueue, static_cast<double>(counters.maxQueue));
                }
            }
        }
        count.units = static_cast<double>(m_units);
        return count;
    }

    static constexpr uint32_t SEEDS = 4;     //!< runs with trains and without
    static constexpr uint32_t HOSTS = 8;     //!< half of them at each leaf
    static constexpr uint32_t MESSAGES = 10; //!< of each host
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainSharedTestCases()
{
    return {new TrainRecoveryTestCase, new TrainInvariantsTestCase};
}

} // namespace ns3
